"""What is to be embedded and how: from a study's configuration, a pool's file and options."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from bacon.config import EmbeddingTable, read_config
from bacon.engine.judging import CONFIG
from bacon.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["KINDS", "OUT", "EmbeddingRequest", "requested"]

KINDS = ("tfidf", "wordllama", "endpoint", "sentence-transformers", "image")
OUT = "embeddings.parquet"
"""File that a study's embeddings go to, in its folder."""

DIMENSIONS = 64
"""Numbers of an embedding without a model."""

MOST_CHARACTERS = 100_000


@dataclass(frozen=True)
class EmbeddingRequest:
    """What is to be done.

    Parameters
    ----------
    pool : Path
        File of the items.
    out : Path
        Parquet with ids, or ``.npy`` in the order of the rows.
    kind : str
        One of `KINDS`.
    columns : tuple of str
        Columns of texts, or of paths of images; each is embedded apart. Empty takes ``text``.
    id : str or None
        Column of the ids.
    model : str or None
        The endpoint's model, or the folder of a model.
    url, key_variable : str or None
        Base address of the endpoint, and the environment variable of its key.
    dimensions : int or None
        Numbers of each column's embedding: 64 for tfidf; others are reduced to so many principal
        components, or kept as they are.
    batch : int or None
        Texts of a request, or texts or images of a pass of a model.
    concurrency : int
        Most requests at once.
    timeout : float
        Seconds to wait for an answer.
    most_tokens : int or None
        Most tokens that the endpoint may read, those of earlier runs included.
    proxies : bool
        Whether to go through the proxies that the environment names.
    most_characters : int
        Longer texts are cut.
    fill_mean : bool
        Give items that cannot be embedded the mean of the others, rather than no row.
    seed : int
        Of the randomised decomposition of tfidf.
    overwrite : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    InputError
        Settings that do not go together.
    """

    pool: Path
    out: Path
    kind: str = "tfidf"
    columns: tuple[str, ...] = ()
    id: str | None = None
    model: str | None = None
    url: str | None = None
    key_variable: str | None = None
    dimensions: int | None = None
    batch: int | None = None
    concurrency: int = 8
    timeout: float = 120.0
    most_tokens: int | None = None
    proxies: bool = False
    most_characters: int = MOST_CHARACTERS
    fill_mean: bool = False
    seed: int = 0
    overwrite: bool = False

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.kind not in KINDS:
            raise InputError(f"--kind {self.kind!r} is none of {', '.join(KINDS)}.")
        if self.out.suffix.lower() not in (".parquet", ".npy"):
            raise InputError(f"--out {self.out.name}: embeddings are written as .parquet or .npy.")
        for name in ("dimensions", "batch", "concurrency", "most_characters"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"--{name.replace('_', '-')} must be 1 or more; got {value}.")
        if not 0.0 < self.timeout < math.inf:
            raise InputError(f"--timeout must be above 0 and finite; got {self.timeout}.")
        if self.most_tokens is not None and self.most_tokens < 0:
            raise InputError(f"--most-tokens must be 0 or more; got {self.most_tokens}.")
        self._check_kind()
        if self.kind == "tfidf" and self.dimensions is None:
            object.__setattr__(self, "dimensions", DIMENSIONS)

    def _check_kind(self) -> None:
        """Refuse settings that the kind lacks or cannot use."""
        if self.kind == "endpoint" and not (self.url and self.model):
            raise InputError("--kind endpoint needs the --url of the endpoint and the --model.")
        if self.kind in ("sentence-transformers", "image") and not self.model:
            raise InputError(f"--kind {self.kind} needs --model, the folder of a model.")
        if self.kind in ("tfidf", "wordllama") and self.model:
            raise InputError(f"--kind {self.kind} has one model; leave out --model.")
        usual = {one.name: one.default for one in fields(self)}
        own = ("url", "key_variable", "most_tokens", "concurrency", "timeout", "proxies")
        for name in own:
            if self.kind != "endpoint" and getattr(self, name) != usual[name]:
                raise InputError(
                    f"--{name.replace('_', '-')} is for --kind endpoint, not {self.kind}; leave it "
                    "out, or add that."
                )
        if self.kind == "tfidf" and self.batch is not None:
            raise InputError("--batch is for the other kinds: tfidf takes all texts; leave it out.")


def requested(source: Path, *, out: Path | None = None, **given: Any) -> EmbeddingRequest:
    """Return what is to be embedded.

    Parameters
    ----------
    source : Path
        A pool's file; or a study: a folder with ``bacon.toml``, or such a file.
    out : Path, optional
        Where to; needed with a pool's file, else ``embeddings.parquet`` in the study's folder.
    **given
        Settings of :class:`EmbeddingRequest`, in place of the file's; None where not given.

    Raises
    ------
    InputError
        The configuration cannot be used, or settings do not go together.
    """
    settings = {name: value for name, value in given.items() if value is not None}
    if not (source.is_dir() or source.suffix.lower() == ".toml"):
        if out is None:
            raise InputError("--out FILE is needed: where the embeddings go, .parquet or .npy.")
        return EmbeddingRequest(source, out, **settings)
    file = source / CONFIG if source.is_dir() else source
    config = read_config(file)
    if config.pool is None:
        raise InputError(
            f'{file.name}: there is no table [pool]; add one with file = "..." for the items.'
        )
    table = config.embedding or EmbeddingTable()
    kept = table.model_dump(exclude_none=True)
    if settings.get("kind", table.kind) != table.kind:
        # Another kind's model and endpoint are no settings of this one.
        kept = {name: kept[name] for name in ("columns", "kind") if name in kept}
    merged = {"id": config.pool.id, **kept, **settings}
    merged["columns"] = tuple(merged.get("columns", ()))
    if not merged["columns"]:
        image = merged["kind"] == "image"
        merged["columns"] = tuple(config.pool.images if image else config.pool.fields.values())
    request = EmbeddingRequest(file.parent / config.pool.file, out or file.parent / OUT, **merged)
    if request.kind in ("sentence-transformers", "image") and "model" not in settings:
        # A folder that the file names stands beside the file.
        request = replace(request, model=str(file.parent / str(request.model)))
    return request
