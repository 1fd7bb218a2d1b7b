"""The drawn sample: which items people are asked to label, and how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from bacon.arrays import FloatArray, IdArray, IntArray
    from bacon.data.notice import Notice
    from bacon.data.stages import Stages

__all__ = ["ID_COLUMN", "PARTS", "USUAL_IDS", "Sample", "StrataRule"]

USUAL_IDS = ("item_id", "id")
"""Columns that hold the ids if none is named."""

ID_COLUMN = "id_column"
"""Parameter of a draw by other ids than those: their column, or row."""

PARTS = "drawn"
"""Parameter of a uniform draw that was made longer: the sizes of its parts, "100+60"."""


@dataclass(frozen=True, eq=False, slots=True)
class StrataRule:
    """How every item of the pool gets its stratum.

    Parameters
    ----------
    column : str
        Column of the pool that decides.
    cuts : tuple of float or None
        Ascending cut points: stratum h holds values above cut h-1 and up to cut h.
        None where each value of the column is a stratum of its own.
    names : tuple of str
        Names of the H strata, in the order of their codes.
    sizes : (H,) int64
        Pool items in each stratum.
    """

    column: str
    cuts: tuple[float, ...] | None
    names: tuple[str, ...]
    sizes: IntArray


@dataclass(frozen=True, eq=False)
class Sample:
    """A drawn sample and the design it was drawn by.

    Built by a design's ``draw`` or by :func:`bacon.read_sample`; arrays are read-only.

    Parameters
    ----------
    kind : str
        uniform, bernoulli, stratified, poisson, systematic, clusters, two-stage or batches (three
        stages or more).
    parameters : mapping
        What the design was given, for the record.
    seed : int
        Seed of the draw.
    n_items : int
        Size N of the pool drawn from.
    pool_fingerprint : str
        Fingerprint of that pool.
    ids : (m,) int64 or object of str
        Drawn items, in the random order in which they are to be labelled.
    pi : (m,) float64
        Inclusion probability of each drawn item, in (0, 1]; of batches one over the weight, which
        may exceed 1.
    strata : StrataRule or None
        Strata of a stratified draw; `stratum` (m,) then has the codes of the drawn items.
    cluster_column : str or None
        Column whose values were drawn as whole clusters; `n_clusters` of the pool had
        `n_clusters_pool` different values.
    stages : Stages or None
        Stages of an adaptive draw.
    sheet : polars.DataFrame or None
        Pool columns of the items to label (those of the last stage), in drawn order.
    hidden : tuple of str
        Columns that raters must not see.
    default_shown : tuple of str
        Columns shown when none are asked for.
    notices : tuple of Notice
        What drawing had to tell.
    """

    kind: str
    parameters: Mapping[str, str | int | float | None]
    seed: int
    n_items: int
    pool_fingerprint: str
    ids: IdArray
    pi: FloatArray
    strata: StrataRule | None = None
    stratum: IntArray | None = None
    cluster_column: str | None = None
    n_clusters: int | None = None
    n_clusters_pool: int | None = None
    stages: Stages | None = field(default=None, repr=False)
    sheet: pl.DataFrame | None = field(default=None, repr=False)
    hidden: tuple[str, ...] = ()
    default_shown: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def n_drawn(self) -> int:
        """Number of items drawn."""
        return len(self.ids)

    @property
    def n_to_label(self) -> int:
        """Number of items on the sheet: those drawn in the last stage."""
        return self.n_drawn if self.stages is None else self.stages.n_last

    @property
    def n_first(self) -> int:
        """Number of items of the first draw, where the sheet was made longer; else all drawn."""
        first = str(self.parameters.get(PARTS, "")).partition("+")[0]
        n = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 0
        return n if 0 < n <= self.n_drawn else self.n_drawn

    def same_as(self, other: Sample) -> bool:
        """Whether `other` is the same draw from the same pool."""
        return (
            (self.kind, self.seed, self.n_items, self.pool_fingerprint)
            == (other.kind, other.seed, other.n_items, other.pool_fingerprint)
            and bool(np.array_equal(self.ids, other.ids))
            and bool(np.array_equal(self.pi, other.pi))
        )

    def write(
        self, path: str | Path, *, show: Sequence[str] | None = None, overwrite: bool = False
    ) -> tuple[Notice, ...]:
        """Write the blind labelling sheet and, beside it, the design.

        Parameters
        ----------
        path : str or Path
            The sheet (CSV): order, item_id, the shown columns, empty score and comment. The
            design goes to ``<path>.design.json``.
        show : sequence of str, optional
            Pool columns the raters see; by default the text, if the pool has one.
        overwrite : bool
            Replace files that exist.

        Returns
        -------
        tuple of Notice
            What was changed to make the sheet safe to open.

        Raises
        ------
        InputError
            A shown column is unknown, or raters must not see it.
        OutputError
            A file exists or cannot be written.
        """
        from bacon.data.design_file import write_sheet

        return write_sheet(self, Path(path), show=show, overwrite=overwrite)

    def __repr__(self) -> str:
        return f"Sample({self.kind}: {self.n_drawn:,} of {self.n_items:,} items, seed {self.seed})"
