"""Who labelled: estimates for these raters, and for raters like them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bacon.arrays import freeze
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.raters import RaterSpread, for_raters_like_these, mean_pair_correlation
from bacon.io.labels import match_ids

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.estimation.results import Estimate

__all__ = [
    "Claim",
    "RowRatings",
    "check_claim",
    "like_them",
    "need_raters",
    "no_claim",
    "row_ratings",
]

Claim = Literal["these", "like-them"]

FEW_RATERS = 3


@dataclass(frozen=True, eq=False)
class RowRatings:
    """Single ratings of the labelled rows, for one outcome.

    Parameters
    ----------
    item : (R,) int64
        Position of the rated item among the labelled rows.
    rater : (R,) int64
        Rater 0, 1, ... of those who rated any of them.
    values : (R,) float64
        The ratings.
    raters : tuple of str
        Names of the raters.
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

    @property
    def is_single(self) -> bool:
        """Whether every labelled item has one rating."""
        return len(np.unique(self.item)) == len(self.item)

    def agreement(self) -> tuple[float, int]:
        """Return the mean correlation of two raters over shared items, and the pairs it is of."""
        return mean_pair_correlation(self.values, self.item, self.rater)


def check_claim(raters: str) -> None:
    """Refuse an unknown claim about raters."""
    if raters not in get_args(Claim):
        raise InputError(
            'raters must be "these" (who labelled) or "like-them" (others like them as well); '
            f"got {raters!r}."
        )


def row_ratings(pool: Pool, labels: Labels, outcome: str, rows: IntArray) -> RowRatings | None:
    """Return the ratings behind the labels used; None where the file names no rater.

    Parameters
    ----------
    pool : Pool
        The items.
    labels : Labels
        All labels.
    outcome : str
        Which outcome.
    rows : (m,) int64
        Labelled rows used, ascending.
    """
    if labels.ratings is None:
        return None
    found = match_ids(pool, labels.ids)
    ratings = labels.ratings
    values = ratings.values[:, labels.outcomes.index(outcome)]
    row = found[ratings.item]
    at = np.minimum(np.searchsorted(rows, row), len(rows) - 1)
    used = ~np.isnan(values) & (rows[at] == row)
    names, rater = np.unique(ratings.rater[used], return_inverse=True)
    return RowRatings(
        at[used], rater.astype(np.int64), values[used], tuple(ratings.raters[k] for k in names)
    )


def like_them(
    estimate: Estimate,
    ratings: RowRatings | None,
    values: FloatArray,
    predicted: FloatArray,
    ends: tuple[float, float] | None,
) -> tuple[Estimate, RaterSpread]:
    """Return an estimate for raters like these, and how far these differ.

    Parameters
    ----------
    estimate : Estimate
        A mean or a share, for these raters.
    ratings : RowRatings or None
        Who rated what.
    values : (R,) float64
        The ratings, or for a share their events.
    predicted : (m,) float64
        What is predicted of each labelled row.
    ends : (float, float) or None
        Range that the interval cannot leave.

    Raises
    ------
    InputError
        The labels do not say who gave them, one rater gave all, or the estimand has no such
        claim.
    """
    why = no_claim(estimate.name, ratings)
    if ratings is None or why is not None:
        raise InputError(_refusal(str(why)))
    residual = values - predicted[ratings.item]
    found, spread = for_raters_like_these(estimate, residual, ratings.item, ratings.rater, ends)
    return found.with_notices(_told(spread)), spread


def no_claim(name: str, ratings: RowRatings | None) -> str | None:
    """Say why an estimand has no interval for raters like these; None where it has one."""
    kind = name.partition(":")[0]
    if ratings is None:
        return (
            "the labels do not say who gave them (--rater names a column, --rater-columns several)"
        )
    if ratings.n_raters < 2:
        return f"{ratings.raters[0]} gave every label, and one rater says nothing of others"
    if len(ratings.item) == ratings.n_raters:
        return "no rater labelled two items, so that raters cannot be told from items"
    if kind not in ("mean", "proportion"):
        return f"there is one for means and shares, and none for {name}"
    if kind == "proportion" and not ratings.is_single:
        return (
            "an item with several ratings has their mean for a label, and a share of means has no "
            "part for each rater"
        )
    return None


def need_raters(ratings: RowRatings | None, levels: tuple[str, ...] | None) -> None:
    """Refuse to speak for raters like these where the labels cannot; `levels` as of the outcome."""
    why = no_claim("mean" if levels is None else "proportion", ratings)
    if why is not None:
        raise InputError(_refusal(why))


def _refusal(why: str) -> str:
    """Return the message that there is no interval for other raters."""
    return (
        f"no interval for raters like these: {why}; ask for these raters (--raters these, "
        'raters="these").'
    )


def _told(spread: RaterSpread) -> tuple[Notice, ...]:
    """Tell of few raters, and of an estimated spread that was set to 0."""
    notices: list[Notice] = []
    if spread.n_raters < FEW_RATERS:
        text = (
            f"Only {spread.n_raters} raters: what others like them would say is hardly known, and "
            "the interval says so."
        )
        notices.append(Notice("few_raters", text))
    if spread.is_floored:
        text = (
            "The raters differ by less than their items alone would make them: the variance "
            "between raters was estimated below 0 and set to 0."
        )
        notices.append(Notice("raters_alike", text))
    return tuple(notices)
