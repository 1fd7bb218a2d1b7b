"""Single ratings behind the labels: who gave which item which value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Ratings"]


@dataclass(frozen=True, eq=False, slots=True)
class Ratings:
    """The R ratings that the labels are the means of.

    Parameters
    ----------
    item : (R,) int64
        Position of the rated item in the labels' ids.
    rater : (R,) int64
        Position of the rater in `raters`; a rater rates an item once.
    values : (R, k) float64
        The rating for each of the k outcomes, NaN where there is none.
    raters : tuple of str
        Names of the raters; for raters side by side, their columns.
    """

    item: IntArray
    rater: IntArray
    values: FloatArray
    raters: tuple[str, ...]

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "item", "rater", "values")

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.raters)
