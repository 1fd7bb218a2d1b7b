"""`bacon embed`: vectors of the items, for the model of the labels to use."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bacon.cli.options import AsJson, IdColumn
from bacon.cli.output import say, say_json

if TYPE_CHECKING:
    from bacon.engine.embedding.request import EmbeddingRequest
    from bacon.engine.embedding.result import Embedded

__all__ = ["embed_command"]


def embed_command(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="POOL_OR_STUDY",
            help="File with one row an item, or a folder with bacon.toml.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A .parquet file, with ids, or .npy, in the order of the rows."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Column of texts, or of paths of images; text by default; repeat."),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="tfidf (default: nothing to install or download), wordllama, endpoint, "
            "sentence-transformers or image."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The endpoint's model, or the folder of a model.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Base address of the endpoint.")] = None,
    key_variable: Annotated[
        str | None, typer.Option(help="Environment variable that holds the endpoint's key.")
    ] = None,
    dimensions: Annotated[
        int | None,
        typer.Option(help="Numbers of each column: 64 for tfidf, else as the model gives them."),
    ] = None,
    id_: IdColumn = None,
    batch: Annotated[
        int | None, typer.Option(help="Texts of a request, or of a pass of the model.")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(help="Most requests at once (8).")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds to wait for an answer (120).")
    ] = None,
    most_tokens: Annotated[
        int | None, typer.Option(help="Budget: tokens read, those of earlier runs included.")
    ] = None,
    most_characters: Annotated[
        int | None, typer.Option(help="Longer texts are cut (100,000).")
    ] = None,
    fill_mean: Annotated[
        bool,
        typer.Option("--fill-mean", help="Give items that lack something the mean of the others."),
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of tfidf (0).")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what an endpoint would be asked; ask nothing.")
    ] = False,
    proxies: Annotated[
        bool, typer.Option("--proxies", help="Use the proxies that the environment names.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that is there already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Turn the text or the images of every item into numbers, and write them with the ids."""
    from bacon.engine.embedding.request import requested
    from bacon.engine.embedding.run import embed, to_ask

    request = requested(
        source,
        out=out,
        columns=tuple(column) if column else None,
        kind=kind,
        model=model,
        url=url,
        key_variable=key_variable,
        dimensions=dimensions,
        id=id_,
        batch=batch,
        concurrency=concurrency,
        timeout=timeout,
        most_tokens=most_tokens,
        most_characters=most_characters,
        fill_mean=fill_mean or None,
        seed=seed,
        proxies=proxies or None,
        overwrite=force or None,
    )
    if dry_run:
        asked = to_ask(request)
        say(
            f"{asked.texts:,} texts to ask for, {asked.characters:,} characters (about "
            f"{asked.characters // 4:,} tokens); {asked.known:,} known already."
        )
        return
    shown = _Shown() if sys.stderr.isatty() and not as_json else None
    try:
        found = embed(request, progress=shown)
    finally:
        if shown is not None:
            shown.end()
    if as_json:
        say_json(_record(found))
        return
    say("\n".join(_lines(found, request)))
    for notice in found.notices:
        say(f"Note: {notice.message}", err=True)


def _lines(found: Embedded, request: EmbeddingRequest) -> list[str]:
    """Return what was done and what to do next, in lines."""
    many = f"{found.n_embedded:,} of {found.n_items:,}"
    items = f"{found.n_items:,}" if found.n_embedded == found.n_items else many
    reduced = "" if sum(found.widths) == found.dimensions else f" of {sum(found.widths):,}"
    lines = [
        f"Embedded {items} items of {found.source}: {' and '.join(found.columns)}, "
        f"{found.dimensions:,}{reduced} numbers an item, by {' and '.join(found.models)}."
    ]
    if found.kept is not None:
        lines.append(
            f"Asked for {found.texts:,} texts in {found.requests:,} requests ({found.tokens:,} "
            f"tokens). Their vectors stay in {found.kept}, so that none is paid for again."
        )
    lines.append(f"Embeddings: {found.out}")
    if found.n_rows == found.n_items:
        lines.append(f"Then: {_next(request.pool, found)}")
    return lines


def _next(pool: Path, found: Embedded) -> str:
    """Return the command that uses the embeddings."""
    from bacon.inspection.roles import likely
    from bacon.io.tables import read_table

    table = read_table(pool)
    # Long texts are no labels, and take the longest to look at.
    rest = table.frame.drop(found.columns)
    label = likely(replace(table, frame=rest), "label") if rest.width else None
    labels = ["--labels", "LABELS"] if label is None else ["--label", label]
    words = ["bacon", "estimate", str(pool), *labels, "--embeddings", str(found.out)]
    return shlex.join(words)


def _record(found: Embedded) -> dict[str, Any]:
    """Return what was done as JSON."""
    return {
        "schema": "bacon-embed/1",
        "out": str(found.out),
        "kind": found.kind,
        "model": ", ".join(found.models),
        "columns": list(found.columns),
        "n_items": found.n_items,
        "n_embedded": found.n_embedded,
        "n_rows": found.n_rows,
        "dimensions": found.dimensions,
        "model_dimensions": list(found.widths),
        "lacking": found.lacking,
        "asked": None
        if found.kept is None
        else {"requests": found.requests, "texts": found.texts, "tokens": found.tokens},
        "kept": None if found.kept is None else str(found.kept),
        "warnings": [{"code": one.code, "message": one.message} for one in found.notices],
    }


class _Shown:
    """Progress on one line of the terminal, once it has taken a second."""

    def __init__(self) -> None:
        self._due = time.monotonic() + 1.0
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        """Show how many are done."""
        now = time.monotonic()
        if now < self._due and not (self._drawn and done >= total):
            return
        self._due = now + 0.2
        self._drawn = True
        sys.stderr.write(f"\r{done:,} of {total:,} embedded")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._drawn:
            sys.stderr.write("\n")
            self._drawn = False
