"""Confidence intervals from an estimate and its variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.arrays import FloatArray

__all__ = [
    "Interval",
    "Target",
    "clopper_pearson",
    "df_factor",
    "family_level",
    "hypergeometric_interval",
    "korn_graubard",
    "limits_about",
    "no_interval",
    "surprise_variance",
    "t_quantile",
    "unseen_share_bound",
]

Target = Literal["pool", "population"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval; unpacks as ``low, high = interval``.

    Parameters
    ----------
    low, high : float
        Ends, NaN where no valid interval exists; `reason` then says why.
    level : float
        Confidence level in (0, 1).
    target : str
        pool ("these N items") or population ("more items like them").
    df : float
        Degrees of freedom.
    method : str
        Name of the method.
    reason : str or None
        Why the interval is missing or special.
    """

    low: float
    high: float
    level: float
    target: Target
    df: float
    method: str
    reason: str | None = None

    def __iter__(self) -> Iterator[float]:
        """Yield low, then high."""
        return iter((self.low, self.high))

    @property
    def half_width(self) -> float:
        """Half of the width."""
        return (self.high - self.low) / 2.0


def t_quantile(level: float, df: float) -> float:
    """Return the two-sided critical value of Student's t; the normal one for infinite df."""
    tail = (1.0 + level) / 2.0
    if math.isinf(df):
        return float(special.ndtri(tail))
    return float(special.stdtrit(df, tail))


def family_level(level: float, n_claims: int) -> float:
    """Return the level of each of `n_claims` intervals that hold together (Bonferroni)."""
    # The largest number below 1, where rounding would make it 1.
    return min(1.0 - (1.0 - level) / n_claims, math.nextafter(1.0, 0.0))


def no_interval(level: float, target: Target, df: float, reason: str) -> Interval:
    """Return an interval that says why there is none."""
    return Interval(math.nan, math.nan, level, target, df, "none", reason)


def clopper_pearson(count: float, n: float, level: float) -> tuple[float, float]:
    """Return the exact binomial interval for `count` of `n`; both may be fractions."""
    tail = (1.0 - level) / 2.0
    low = 0.0 if count <= 0 else float(special.betaincinv(count, n - count + 1.0, tail))
    high = 1.0 if count >= n else float(special.betaincinv(count + 1.0, n - count, 1.0 - tail))
    return low, high


def df_factor(n: int, df: float, level: float) -> float:
    """Return (t_{n-1} / t_df)^2, by which fewer degrees of freedom make labels count for less."""
    if n <= 1 or df == n - 1:
        return 1.0
    return (t_quantile(level, n - 1.0) / t_quantile(level, df)) ** 2


def korn_graubard(
    share: float, variance: float, *, n: int, n_independent: float, df: float, level: float
) -> tuple[float, float]:
    """Return the Clopper-Pearson interval at the effective number of labels.

    n_eff = p (1 - p) / V, scaled by (t_{n-1} / t_df)^2 (Korn and Graubard 1998). Where the
    variance or the share is 0 the labels decide nothing beyond their number, and n_eff is the
    number of simply drawn labels that the design is worth, `n_independent`.
    """
    if variance > 0.0 and 0.0 < share < 1.0:
        n_eff = share * (1.0 - share) / variance * df_factor(n, df, level)
    else:
        n_eff = n_independent
    return clopper_pearson(share * n_eff, n_eff, level)


def limits_about(tau: float, n_eff: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the Clopper-Pearson limits about a share 0 < tau < 1 at each n_eff (k,)."""
    tail = (1.0 - level) / 2.0
    count = tau * n_eff
    low = special.betaincinv(count, n_eff - count + 1.0, tail)
    high = special.betaincinv(count + 1.0, n_eff - count, 1.0 - tail)
    return np.asarray(low), np.asarray(high)


def hypergeometric_interval(count: int, n: int, n_items: int, level: float) -> tuple[float, float]:
    """Return the exact interval for the pool share when `count` of `n` drawn items have it.

    The ends are the smallest and largest numbers of items among the N that a simple draw
    would not contradict at tail probability (1 - level) / 2 on either side.
    """
    high = n_items - _smallest_total(n - count, n, n_items, level)
    return _smallest_total(count, n, n_items, level) / n_items, high / n_items


def _smallest_total(count: int, n: int, n_items: int, level: float) -> int:
    """Return the smallest total under which `count` or more of `n` is not too unlikely."""
    # A tail that equals the limit but for rounding counts as too unlikely.
    limit = (1.0 - level) / 2.0 * (1.0 + 1e-9)
    low, high = count, n_items - (n - count)
    while count > 0 and low < high:
        middle = (low + high) // 2
        too_small = _upper_tail(count, n, n_items, middle) <= limit
        low, high = (middle + 1, high) if too_small else (low, middle)
    return low if count > 0 else 0


def _upper_tail(count: int, n: int, n_items: int, total: int) -> float:
    """Return the chance of `count` or more in a simple draw when `total` items have it.

    Hypergeometric weights from their ratios: as exact as scipy's and thousands of times
    faster on large pools.
    """
    counts = np.arange(max(0, n - (n_items - total)), min(n, total) + 1)
    k = counts[:-1].astype(np.float64)
    ratio = (total - k) * (n - k) / ((k + 1.0) * (n_items - total - n + k + 1.0))
    log_weight = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    weight = np.exp(log_weight - log_weight.max())
    return float(weight[counts >= count].sum() / weight.sum())


def surprise_variance(n: float) -> float:
    """Return the least variance of an estimated share, 1 / (n (n + 2)).

    Where n labels agree with their predictions, one in n + 2 items may still not (Laplace's
    rule of succession), each off by up to 1.
    """
    return 1.0 / (n * (n + 2.0))


def unseen_share_bound(n: float, level: float) -> float:
    """Return the share of items that could differ when none of `n` labelled ones did.

    Solves (1 - p)^n = 1 - level: the exact one-sided binomial bound, wider than the
    hypergeometric one of a finite pool.
    """
    return float(-np.expm1(np.log1p(-level) / n))
