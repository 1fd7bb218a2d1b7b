"""Embeds the items of a pool, from its file to the file of embeddings."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bacon.engine.embedding.inputs import read_inputs
from bacon.engine.embedding.local import ImageVectors, TextVectors
from bacon.engine.embedding.output import check_out, write_embeddings
from bacon.engine.embedding.placing import placed_blocks
from bacon.engine.embedding.remote import EndpointVectors
from bacon.engine.embedding.result import Embedded, about_of, notices_of
from bacon.engine.embedding.spill import Spill
from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bacon.engine.embedding.inputs import Inputs
    from bacon.engine.embedding.request import EmbeddingRequest
    from bacon.features.embedders.base import Float32Array
    from bacon.judges.limits import Patience

__all__ = ["ToAsk", "embed", "to_ask"]


class Source(Protocol):
    """Where vectors come from.

    Attributes
    ----------
    cut : int
        Texts that were cut.
    reasons : dict of str to int
        Why items have no vector, and how many.
    """

    cut: int
    reasons: dict[str, int]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models used."""

    @property
    def fitted_on(self) -> int | None:
        """Texts that the directions of tfidf were found on; None for other kinds."""

    def vectors(self, column: str, told: Callable[[int], None]) -> Iterator[Float32Array]:
        """Yield the vectors of a column's usable items; `told` takes how many more are done."""


@dataclass(frozen=True)
class ToAsk:
    """What an endpoint would be asked for.

    Parameters
    ----------
    texts, characters : int
        Different texts without a vector, and their length.
    known : int
        Texts whose vectors were kept by an earlier run.
    """

    texts: int
    characters: int
    known: int


def embed(
    request: EmbeddingRequest,
    *,
    progress: Callable[[int, int], None] | None = None,
    patience: Patience | None = None,
) -> Embedded:
    """Embed the items of a pool and write the file.

    Parameters
    ----------
    request : EmbeddingRequest
        What is to be done.
    progress : callable, optional
        Takes the texts or images done, and all of them.
    patience : Patience, optional
        How failures of an endpoint are borne.

    Returns
    -------
    Embedded
        What was written.

    Raises
    ------
    InputError
        The pool, a column, a model or a setting cannot be used, or no item can be embedded.
    OutputError
        The file cannot be written.
    BaconError
        The endpoint failed, its budget is used up, or somebody stopped the run: what came is kept.

    Notes
    -----
    Vectors go to a file without a name beside the output, and from there, reduced and put
    together, to the output: of all but ids and texts, memory holds a block of rows.
    """
    check_out(request.out, overwrite=request.overwrite)
    inputs = read_inputs(request)
    if not inputs.usable.all():
        _check_matrix(request, inputs, int((~inputs.usable).sum()))
    source = _source(request, inputs, patience)
    count = _Counting(progress, len(inputs.rows) * len(inputs.columns))
    reduced = request.dimensions is not None and request.kind != "tfidf"
    with ExitStack() as stack:
        spills = []
        whole = np.ones(len(inputs.rows), dtype=np.bool_)
        for column in inputs.columns:
            spill = stack.enter_context(Spill(request.out.parent, reduced=reduced))
            row = 0
            for vectors in source.vectors(column, count.more):
                spill.add(vectors)
                whole[row : row + len(vectors)] &= ~np.isnan(vectors).all(axis=1)
                row += len(vectors)
            spills.append(spill)
        lacking = {**inputs.lacking, **source.reasons}
        if not whole.any():
            why = "; ".join(f"{count:,} items have {why}" for why, count in lacking.items())
            raise InputError(f"{inputs.source}: no item could be embedded: {why}.")
        has = inputs.usable.copy()
        has[inputs.usable] = whole
        _check_matrix(request, inputs, int((~has).sum()))
        size = request.dimensions if reduced else None
        rows = np.ones_like(has) if request.fill_mean else has
        result = Embedded(
            out=request.out,
            source=inputs.source,
            kind=request.kind,
            columns=inputs.columns,
            models=source.models,
            n_items=len(has),
            n_embedded=int(has.sum()),
            n_rows=int(rows.sum()),
            widths=tuple(spill.width for spill in spills),
            reduced=tuple(spill.width if size is None else spill.reduce(size) for spill in spills),
            lacking=lacking,
            cut=source.cut,
            fitted_on=source.fitted_on,
            **_asked(source),
        )
        told = notices_of(result, request, before=inputs.notices, n_usable=len(inputs.rows))
        result = replace(result, notices=told)
        write_embeddings(
            request.out,
            placed_blocks(spills, inputs.usable, rows),
            ids=inputs.ids[rows],
            id_name=inputs.id_name,
            width=result.dimensions,
            about=about_of(result, request),
        )
    return result


def to_ask(request: EmbeddingRequest) -> ToAsk:
    """Return what a run would ask an endpoint for.

    Raises
    ------
    InputError
        The pool or a setting cannot be used, or the kind asks no endpoint.
    """
    if request.kind != "endpoint":
        raise InputError(f"--dry-run is for --kind endpoint; {request.kind} asks nobody.")
    inputs = read_inputs(request)
    # Nothing is sent, so that no key is needed.
    source = EndpointVectors(replace(request, key_variable=None), inputs)
    counts = [source.to_ask(column) for column in inputs.columns]
    return ToAsk(*(sum(one[name] for one in counts) for name in ("texts", "characters", "known")))


class _Counting:
    """Adds up what is done, and tells of it."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int) -> None:
        self._progress = progress
        self._done = 0
        self._total = total

    def more(self, count: int) -> None:
        """Take how many more are done."""
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)


def _source(request: EmbeddingRequest, inputs: Inputs, patience: Patience | None) -> Source:
    if request.kind == "endpoint":
        return EndpointVectors(request, inputs, patience=patience)
    if request.kind == "image":
        return ImageVectors(request, inputs)
    return TextVectors(request, inputs)


def _check_matrix(request: EmbeddingRequest, inputs: Inputs, missing: int) -> None:
    """Refuse a matrix by the order of rows of which some are missing."""
    if missing and request.out.suffix.lower() == ".npy" and not request.fill_mean:
        raise InputError(
            f"{inputs.source}: {missing:,} items cannot be embedded, and a .npy file needs a row "
            "for every item; add --fill-mean to give them the mean of the others, or write "
            ".parquet, which has ids."
        )


def _asked(source: Source) -> dict[str, Any]:
    """Return what was asked of an endpoint, and where its vectors are."""
    if not isinstance(source, EndpointVectors):
        return {}
    told = source.told
    return {
        "requests": told.requests,
        "texts": told.texts,
        "tokens": told.tokens,
        "kept": source.cache_file,
    }
