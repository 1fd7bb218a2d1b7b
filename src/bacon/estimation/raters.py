"""What raters add to the variance of a mean when the claim is for other raters like them.

A rating is y_ir = y_i + b_r + e_ir: the item, the leaning b_r of rater r, and the rest. The mean
of the labels carries sum_r share_r b_r, share_r the part of all weight that rests on r, so that
for raters like these the variance grows by sigma_b^2 sum_r share_r^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.intervals import Interval, Target, t_quantile

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.results import Estimate, IntervalRule
    from bacon.estimation.sandwich import Variances

__all__ = [
    "RaterSpread",
    "RatersRule",
    "df_with_raters",
    "for_raters_like_these",
    "mean_pair_correlation",
    "rater_shares",
    "rater_spread",
    "variance_with_raters",
]

LEAST_SHARED = 3
"""Items that two raters must share for their correlation to count."""


@dataclass(frozen=True, slots=True)
class RaterSpread:
    """How far raters differ on average.

    Parameters
    ----------
    n_raters : int
        Number of raters a.
    variance : float
        Estimate of sigma_b^2; negative where raters differ less than chance alone would make.
    observed : float
        The same without taking off what items and chance make of it.
    within : float
        Variance of a rater's ratings about the rater's own mean.
    """

    n_raters: int
    variance: float
    observed: float
    within: float

    @property
    def is_floored(self) -> bool:
        """Whether the estimate is set to 0."""
        return self.variance < 0.0

    @property
    def sd(self) -> float:
        """Standard deviation sigma_b between raters, 0 where the estimate is set to 0."""
        return math.sqrt(max(self.variance, 0.0))

    @property
    def share(self) -> float:
        """Share of the ratings' variance that lies between raters; NaN where there is none."""
        between = max(self.variance, 0.0)
        return between / (between + self.within) if between + self.within > 0.0 else float("nan")


def rater_spread(values: FloatArray, item: IntArray, rater: IntArray) -> RaterSpread:
    """Estimate the variance between raters by the method of moments.

    Parameters
    ----------
    values : (R,) float64
        Ratings less the prediction of their item.
    item, rater : (R,) int64
        Item and rater of each rating, 0, 1, ...; a rater rates an item once. There must be two
        raters, and fewer of them than ratings.

    Returns
    -------
    RaterSpread

    Notes
    -----
    One-way unbalanced analysis of variance (Searle, Casella and McCulloch 1992, section 3.6):
    sigma_b^2 = (SSB - noise) / (R - sum n_r^2 / R) with noise = (a - 1) MSW where raters share
    no item. What two raters of one item share, the item itself, does not set them apart: with C
    ordered pairs of ratings of one item, noise is less by C/R times the variance between items,
    so that fully crossed ratings have the two-way estimate.
    """
    n, n_r = len(values), np.bincount(rater)
    n_r = n_r[n_r > 0]
    a = len(n_r)
    code = np.unique(rater, return_inverse=True)[1]
    means = np.bincount(code, weights=values) / n_r
    centred = values - means[code]
    within = float(centred @ centred) / (n - a)
    between = float(n_r @ (means - values.mean()) ** 2)
    pairs, rest = _within_items(centred, item, a)
    noise = (a - 1.0) * within - pairs / n * max(within - rest, 0.0)
    spare = n - float(n_r @ n_r) / n
    return RaterSpread(a, (between - noise) / spare, between / spare, within)


def _within_items(centred: FloatArray, item: IntArray, n_raters: int) -> tuple[float, float]:
    """Return the ordered pairs of ratings of one item, and the variance within items.

    The variance is taken as 0 where too few items are shared to tell, which makes raters
    differ by more.
    """
    code = np.unique(item, return_inverse=True)[1]
    n_i = np.bincount(code)
    pairs = float(n_i @ (n_i - 1))
    spare = len(centred) - len(n_i) - (n_raters - 1)
    if spare <= 0:
        return pairs, 0.0
    about = centred - (np.bincount(code, weights=centred) / n_i)[code]
    return pairs, float(about @ about) / spare


def rater_shares(weights: FloatArray, item: IntArray, rater: IntArray) -> FloatArray:
    """Return the share of all weight that rests on each rater; they sum to 1.

    Parameters
    ----------
    weights : (m,) float64
        Weight of each labelled item.
    item, rater : (R,) int64
        Position among the labelled items, and rater, of each rating. A label is the mean of
        its ratings.
    """
    part = (weights / np.bincount(item, minlength=len(weights)))[item]
    return np.asarray(np.bincount(rater, weights=part) / weights.sum())


def variance_with_raters(
    variance: float, spread: RaterSpread, shares: FloatArray
) -> tuple[float, float]:
    """Return the variance of a mean for raters like these, and the part that raters' means show.

    Parameters
    ----------
    variance : float
        Of the mean for these raters.
    spread : RaterSpread
        How far they differ.
    shares : (a,) float64
        Share of the weight that rests on each.

    Returns
    -------
    total : float
        V + sigma_b^2 sum share_r^2, never less than the second value.
    shown : float
        The observed variance between raters' means times sum share_r^2.
    """
    k = float(shares @ shares)
    shown = k * spread.observed
    return max(variance + k * max(spread.variance, 0.0), shown), shown


def df_with_raters(total: float, shown: float, n_raters: int, df: float) -> float:
    """Return Satterthwaite's degrees of freedom of `total`: raters - 1 for `shown`, else `df`."""
    if total == 0.0:
        return n_raters - 1.0
    spent = shown**2 / (n_raters - 1.0) + (total - shown) ** 2 / df
    return min(total**2 / spent, df)


@dataclass(frozen=True, eq=False)
class RatersRule:
    """Interval for raters like these: another rule's, its arms joined with the raters' own.

    arm^2 = (total - shown) / V arm_0^2 + t_{a-1}^2 shown, with arm_0 the arm for these raters
    and V their variance: each part of the variance takes its own critical value.
    Satterthwaite's degrees of freedom alone cover 91 % where two raters, or three that all
    rate all items, differ much. Where each of a raters has as many items of their own, this is
    Student's exact interval on a - 1 degrees of freedom.

    Parameters
    ----------
    inner : IntervalRule
        Rule for these raters.
    value : float
        The estimate.
    variances : Variances
        For these raters.
    spread : RaterSpread
        How far they differ.
    shares : (a,) float64
        Share of the weight that rests on each.
    ends : (float, float) or None
        Range that the interval cannot leave.
    """

    inner: IntervalRule
    value: float
    variances: Variances
    spread: RaterSpread
    shares: FloatArray
    ends: tuple[float, float] | None

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        found = self.inner.interval(level, target, method)
        if math.isnan(found.low):
            return found
        variance, n_raters = self.variances.of(target), self.spread.n_raters
        total, shown = variance_with_raters(variance, self.spread, self.shares)
        kept = (total - shown) / variance if variance > 0.0 else 0.0
        own = t_quantile(level, n_raters - 1.0) ** 2 * shown
        lower = math.sqrt(kept * (self.value - found.low) ** 2 + own)
        upper = math.sqrt(kept * (found.high - self.value) ** 2 + own)
        low, high = self.ends or (-math.inf, math.inf)
        return replace(
            found,
            low=max(self.value - lower, low),
            high=min(self.value + upper, high),
            df=df_with_raters(total, shown, n_raters, self.variances.df),
            method=f"{found.method}, with raters",
        )


def for_raters_like_these(
    estimate: Estimate,
    residual: FloatArray,
    item: IntArray,
    rater: IntArray,
    ends: tuple[float, float] | None,
) -> tuple[Estimate, RaterSpread]:
    """Return the estimate of a mean or share with the variance that other raters would add.

    Parameters
    ----------
    estimate : Estimate
        For these raters.
    residual : (R,) float64
        Single ratings (or events) less the prediction of their item.
    item, rater : (R,) int64
        Position of the rated item among the labelled rows, and rater, of each rating.
    ends : (float, float) or None
        Range that the interval cannot leave.

    Returns
    -------
    estimate : Estimate
        With ``raters="like-them"``.
    spread : RaterSpread
        How far the raters differ about the predictions.
    """
    design, these = estimate.design, estimate.variances
    spread = rater_spread(residual, item, rater)
    shares = rater_shares(1.0 / design.pi, item, rater)
    pool, shown = variance_with_raters(these.pool, spread, shares)
    changed = replace(
        these,
        pool=pool,
        population=variance_with_raters(these.population, spread, shares)[0],
        df=df_with_raters(pool, shown, spread.n_raters, these.df),
        predicted=None,
        skew_pool=0.0,
        skew_population=0.0,
    )
    rule = RatersRule(estimate.rule, estimate.value, these, spread, shares, ends)
    return replace(estimate, variances=changed, rule=rule, raters="like-them"), spread


def mean_pair_correlation(values: FloatArray, item: IntArray, rater: IntArray) -> tuple[float, int]:
    """Return the mean correlation of two raters over shared items, and how many pairs had one.

    Parameters
    ----------
    values : (R,) float64
        Ratings.
    item, rater : (R,) int64
        Item and rater of each, 0, 1, ....

    Returns
    -------
    correlation : float
        Mean over the pairs of raters who share `LEAST_SHARED` items or more on which both
        differ; NaN where there is no such pair.
    pairs : int
        Number of those pairs.
    """
    first, second = _shared(item, rater)
    if len(first) == 0:
        return math.nan, 0
    n_raters = int(rater.max()) + 1
    code = np.unique(rater[first] * n_raters + rater[second], return_inverse=True)[1]
    count = np.bincount(code)
    x, y = (_centred(values[part], code, count) for part in (first, second))
    xx, yy, xy = (np.bincount(code, weights=product) for product in (x * x, y * y, x * y))
    # What centring leaves of equal ratings is rounding.
    least = 1e-20 * float(np.max(values**2))
    usable = (count >= LEAST_SHARED) & (np.minimum(xx, yy) > least)
    if not usable.any():
        return math.nan, 0
    correlation = xy[usable] / np.sqrt(xx[usable] * yy[usable])
    return float(correlation.mean()), int(usable.sum())


def _centred(values: FloatArray, code: IntArray, count: IntArray) -> FloatArray:
    """Return values less the mean of those with the same code."""
    return np.asarray(values - (np.bincount(code, weights=values) / count)[code])


def _shared(item: IntArray, rater: IntArray) -> tuple[IntArray, IntArray]:
    """Return the positions of every two ratings of one item, the one of the lower rater first."""
    order = np.lexsort((rater, item))
    sorted_items = item[order]
    first, second = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for step in range(1, int(np.bincount(item).max())):
        same = np.flatnonzero(sorted_items[step:] == sorted_items[:-step])
        first.append(order[same])
        second.append(order[same + step])
    return np.concatenate(first), np.concatenate(second)
