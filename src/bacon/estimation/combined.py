"""Variances of a difference or ratio of estimates that rest on different labels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from bacon.estimation.domains import covariance_parts
from bacon.estimation.sandwich import Variances

if TYPE_CHECKING:
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate

__all__ = ["disjoint_variances", "shared_variances"]

CANCELLED = 1e-12
"""A difference with less than this share of its two variances shows no spread."""


def disjoint_variances(a: Estimate, b: Estimate, weight_a: float, weight_b: float) -> Variances:
    """Return the variances of a combination of independent estimates."""
    va, vb = a.variances, b.variances
    squares = weight_a**2, weight_b**2
    pool = squares[0] * va.pool + squares[1] * vb.pool
    parts = squares[0] * va.pool, squares[1] * vb.pool
    return Variances(
        pool=pool,
        population=squares[0] * va.population + squares[1] * vb.population,
        unit=math.nan,
        is_moderated=va.is_moderated or vb.is_moderated,
        df=_welch(parts, (va.df, vb.df)),
        df_uneven=_welch(parts, (va.df_corrected, vb.df_corrected)),
        predicted=squares[0] * va.predicted_of("pool") + squares[1] * vb.predicted_of("pool"),
        skew_pool=_summed_skew(va, vb, weight_a, weight_b, "pool"),
        skew_population=_summed_skew(va, vb, weight_a, weight_b, "population"),
    )


def shared_variances(
    spread: Variances, a: Estimate, b: Estimate, weight_a: float, weight_b: float
) -> Variances:
    """Return the variances of a combination of two groups that share drawn or other clusters."""
    shared, more = covariance_parts(a, b)
    if shared == 0.0 and more == 0.0:
        return spread
    twice = 2.0 * weight_a * weight_b
    pool = max(spread.pool + twice * shared, 0.0)
    extra = spread.population - spread.pool + twice * more
    population = pool + max(extra, 0.0)
    return replace(
        spread,
        # What is left when nearly everything cancels is rounding.
        rounding=CANCELLED * spread.pool,
        pool=pool,
        population=population,
        # What the drawn clusters share is known from them alone, whatever other groups say.
        df=spread.df if shared == 0.0 else min(a.df, b.df, _drawn_clusters(a) - 1.0),
        df_uneven=spread.df_uneven if shared == 0.0 else None,
        predicted=spread.predicted if shared == 0.0 else None,
        skew_pool=_rescaled(spread.skew_pool, spread.pool, pool),
        skew_population=_rescaled(spread.skew_population, spread.population, population),
    )


def _drawn_clusters(estimate: Estimate) -> int:
    """Return the number of clusters drawn from the pool that a group is of."""
    return estimate.domain.n_drawn if estimate.domain is not None else 0


def _rescaled(skew: float, was: float, now: float) -> float:
    """Return a standardised third moment in units of another variance, within [-1, 1]."""
    if not now > 0.0:
        return 0.0
    return min(max(skew * math.pow(was / now, 1.5), -1.0), 1.0)


def _welch(parts: tuple[float, float], dfs: tuple[float, float]) -> float:
    """Return Welch's degrees of freedom of a sum of two variances."""
    spent = parts[0] ** 2 / dfs[0] + parts[1] ** 2 / dfs[1]
    total: float = math.fsum(parts)
    return total * total / spent if spent > 0.0 else min(dfs)


def _summed_skew(
    va: Variances, vb: Variances, weight_a: float, weight_b: float, target: Target
) -> float:
    """Return the standardised third moment of a combination: third moments add."""
    weights = weight_a, weight_b
    scales = [abs(w) * math.sqrt(v.of(target)) for w, v in zip(weights, (va, vb), strict=True)]
    total = math.hypot(*scales)
    if not total > 0.0:
        return 0.0
    return math.fsum(
        math.copysign((scale / total) ** 3, w) * v.skew_of(target)
        for scale, w, v in zip(scales, weights, (va, vb), strict=True)
    )
