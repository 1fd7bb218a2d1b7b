"""What came of embedding a pool: for the caller, beside the vectors, and for a reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.engine.embedding.request import EmbeddingRequest

__all__ = ["Embedded", "about_of", "notices_of"]


@dataclass(frozen=True)
class Embedded:
    """What was written.

    Parameters
    ----------
    out : Path
        The file.
    source : str
        Name of the pool's file.
    kind : str
        How items were embedded.
    columns : tuple of str
        What of them.
    models : tuple of str
        Names of the models.
    n_items, n_embedded, n_rows : int
        Items of the pool, those with a vector of their own, and rows of the file.
    widths, reduced : tuple of int
        Numbers of a vector of each column, as the model gave it and as it was written.
    lacking : dict of str to int
        Why items have no vector, and how many.
    cut : int
        Texts that were cut.
    fitted_on : int or None
        Of tfidf: texts that its directions were found on.
    requests, texts, tokens : int
        Of an endpoint: what was asked for in this run.
    kept : Path or None
        Of an endpoint: the file of its vectors.
    notices : tuple of Notice
        What a reader of the file must know.
    """

    out: Path
    source: str
    kind: str
    columns: tuple[str, ...]
    models: tuple[str, ...]
    n_items: int
    n_embedded: int
    n_rows: int
    widths: tuple[int, ...]
    reduced: tuple[int, ...]
    lacking: dict[str, int] = field(default_factory=dict)
    cut: int = 0
    fitted_on: int | None = None
    requests: int = 0
    texts: int = 0
    tokens: int = 0
    kept: Path | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def dimensions(self) -> int:
        """Numbers of a row."""
        return sum(self.reduced)


def about_of(result: Embedded, request: EmbeddingRequest) -> dict[str, Any]:
    """Return what is kept with the embeddings."""
    about: dict[str, Any] = {
        "schema": "bacon-embeddings/1",
        "version": __version__,
        "kind": result.kind,
        "model": ", ".join(result.models),
        "columns": list(result.columns),
        "dimensions": result.dimensions,
        "model_dimensions": list(result.widths),
        "n_items": result.n_items,
        "n_embedded": result.n_embedded,
        "filled_with_mean": result.n_rows - result.n_embedded,
    }
    if result.fitted_on is not None:
        about |= {"seed": request.seed, "fitted_on": result.fitted_on}
    if request.kind == "endpoint":
        about["url"] = request.url
    return about


def notices_of(
    result: Embedded, request: EmbeddingRequest, *, before: tuple[Notice, ...], n_usable: int
) -> tuple[Notice, ...]:
    """Return what a reader of the embeddings must know.

    Parameters
    ----------
    result : Embedded
        What came of it.
    request : EmbeddingRequest
        What was wanted.
    before : tuple of Notice
        What reading the pool had to tell.
    n_usable : int
        Items that lack no column.
    """
    told = list(before)
    missing = result.n_items - result.n_embedded
    if missing:
        why = "; ".join(f"{count:,} with {why}" for why, count in result.lacking.items())
        done = (
            "they were given the mean of the others"
            if request.fill_mean
            else "they have no row, and an estimate needs one for every item: --fill-mean gives "
            "them the mean of the others"
        )
        text = f"{missing:,} items could not be embedded ({why}); {done}."
        told.append(Notice("items_not_embedded", text))
    if result.cut:
        text = f"{result.cut:,} texts are longer than is read, and were cut at the end."
        told.append(Notice("embedded_texts_cut", text))
    if result.fitted_on is not None and result.fitted_on < n_usable:
        text = (
            f"The directions of tfidf were found on {result.fitted_on:,} of {n_usable:,} texts, "
            "drawn at random."
        )
        told.append(Notice("tfidf_of_some", text))
    wanted = request.dimensions
    fewest = min(result.reduced)
    if wanted is not None and fewest < wanted:
        text = f"{result.source} has {fewest:,} directions, fewer than the {wanted:,} wanted."
        told.append(Notice("dimensions_fewer", text))
    return tuple(dict.fromkeys(told))
