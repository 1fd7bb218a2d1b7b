"""Human labels of some items, one value per item and outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IdArray, IntArray
    from bacon.data.notice import Notice
    from bacon.data.ratings import Ratings

__all__ = ["Labels"]


@dataclass(frozen=True, eq=False)
class Labels:
    """The human labels, averaged over the raters who answered.

    Built by :func:`bacon.read_labels`; arrays are read-only.

    Parameters
    ----------
    source : str
        File name, or the kind of frame, for messages.
    ids : (n,) int64 or object of str
        Items with at least one answer, all different.
    outcomes : tuple of str
        Names of the k outcomes.
    values : (n, k) float64
        Mean of the answers present, NaN where an outcome has none. For an outcome labelled
        in words, positions in its `levels`.
    n_ratings : (n, k) int64
        Number of answers behind each value.
    levels : tuple of (tuple of str or None)
        For each outcome the words it is labelled with, sorted; None for numbers.
    n_raters : int or None
        Number of different raters, None where the file names none.
    notices : tuple of Notice
        What reading had to tell.
    ratings : Ratings or None
        The single ratings, where the file says who gave them.
    """

    source: str
    ids: IdArray
    outcomes: tuple[str, ...]
    values: FloatArray
    n_ratings: IntArray
    levels: tuple[tuple[str, ...] | None, ...]
    n_raters: int | None = None
    notices: tuple[Notice, ...] = ()
    ratings: Ratings | None = field(default=None, repr=False)

    @property
    def n_labels(self) -> int:
        """Number of items with a label of any outcome."""
        return len(self.ids)

    def same_as(self, other: Labels) -> bool:
        """Whether `other` holds the same labels of the same items."""
        return (
            self.outcomes == other.outcomes
            and self.levels == other.levels
            and bool(np.array_equal(self.ids, other.ids))
            and bool(np.array_equal(self.values, other.values, equal_nan=True))
        )

    def __repr__(self) -> str:
        return f"Labels({self.source!r}: {self.n_labels:,} items, {', '.join(self.outcomes)})"
