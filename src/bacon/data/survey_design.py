"""How the labelled rows came into the sample, as arrays: what every variance needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["DesignKind", "SurveyDesign"]

DesignKind = Literal["simple", "stratified", "poisson", "fixed", "clusters"]


@dataclass(frozen=True, eq=False)
class SurveyDesign:
    """The design of the m labelled rows.

    Parameters
    ----------
    kind : str
        simple (exactly m of N), stratified, poisson (independent draws), fixed (unequal
        probabilities, fixed size) or clusters (whole clusters, simple random).
    n_items : int
        Size N of the pool.
    rows : (m,) int64
        Pool rows of the labelled items, ascending.
    pi : (m,) float64
        Inclusion probabilities in (0, 1]; of labels drawn in batches one over the weight, which
        may exceed 1.
    stratum : (m,) int64 or None
        Stratum code of each labelled row; `stratum_sizes` (H,) counts pool items.
    psu : (m,) int64 or None
        Code 0..c-1 of the drawn cluster each labelled row belongs to; `n_psu` counts the
        clusters of the pool.
    batch_unseen : (m,) float64 or None
        Of labels drawn in batches, the share of each squared weight that enters the variance;
        None where it is 1 - pi.
    """

    kind: DesignKind
    n_items: int
    rows: IntArray
    pi: FloatArray
    stratum: IntArray | None = None
    stratum_sizes: IntArray | None = None
    psu: IntArray | None = None
    n_psu: int | None = None
    batch_unseen: FloatArray | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "rows", "pi", "stratum", "psu", "batch_unseen")

    @property
    def unseen(self) -> FloatArray:
        """Share (m,) of each squared weight that the draw left to chance: 1 - pi."""
        return 1.0 - self.pi if self.batch_unseen is None else self.batch_unseen

    @property
    def n_labels(self) -> int:
        """Number m of labelled rows."""
        return len(self.rows)
