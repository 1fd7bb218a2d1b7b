"""Intervals that hold at every time at once, however often they are looked at.

For the mean of a stream whose conditional means are the target: asymptotic confidence sequences
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
confidence sequences", theorem 2.5). They need no bounds, start at `LEAST` values, and claim
nothing for finite samples; :mod:`bacon.estimation.betting` does, for bounded values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from bacon.checks import check_level

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = [
    "LEAST",
    "Side",
    "asymptotic_sequence",
    "corrected_arms",
    "mixture_radius",
    "running_intersection",
    "tightest",
]

LEAST = 30
"""Values before which asymptotic sequences say nothing."""

Side = Literal["both", "lower", "upper"]


def mixture_radius(
    variance: FloatArray, rho_squared: float, alpha: float, side: Side
) -> FloatArray:
    """Return how far a martingale of cumulative variance V (t,) gets at any time.

    Two-sided sqrt((V rho^2 + 1)/rho^2 log((V rho^2 + 1)/alpha^2)) (theorem 2.5); one-sided
    sqrt(2 (V rho^2 + 1)/rho^2 log(1 + sqrt(V rho^2 + 1)/(2 alpha))) (proposition B.1).
    """
    x = variance * rho_squared + 1.0
    if side == "both":
        return np.sqrt(x / rho_squared * np.log(x / alpha**2))
    return np.sqrt(2.0 * x / rho_squared * np.log1p(np.sqrt(x) / (2.0 * alpha)))


def tightest(alpha: float, side: Side) -> float:
    """Return V rho^2 at which the radius over sqrt(V) is least.

    -W(-alpha^2/e) - 1, W the lower branch of Lambert's function (their equation after theorem
    2.2); at 2 alpha, nearly so, for one side.
    """
    from scipy.special import lambertw

    tail = alpha if side == "both" else min(2.0 * alpha, 0.99)
    return float(-lambertw(-(tail**2) / math.e, -1).real - 1.0)


def asymptotic_sequence(
    values: FloatArray,
    variances: FloatArray | None = None,
    *,
    best_at: float,
    level: float = 0.95,
    weights: FloatArray | None = None,
    side: Side = "both",
    start: int = LEAST,
    corrected: bool = False,
) -> tuple[FloatArray, FloatArray]:
    """Return the asymptotic confidence sequence of the running (weighted) mean.

    At time t, with S = sum w z, W = sum w and V = t s2 the cumulative variance of S:
    S/W -+ sqrt((V rho^2 + 1)/rho^2 log((V rho^2 + 1)/alpha^2)) / W.

    Parameters
    ----------
    values : (t,) float64
        The stream z_1, z_2, ...; each has the target as its mean given the ones before it.
        (Where conditional means differ, the target is their running mean.)
    variances : (t,) float64, optional
        Running estimates s2 of the mean variance of w z. By default, from the values so far,
        t/(t - 1) sum w^2 (z - S/W)^2 / t: the sample variance where weights are equal.
    best_at : float
        Number of values at which the interval is to be tightest: rho^2 is set at the first
        interval, from its variance. It must not be chosen by looking at the values.
    level : float
        Confidence level 1 - alpha, for all times together.
    weights : (t,) float64, optional
        Positive weights, each settled before its value is seen; best the inverses of the
        values' conditional variances.
    side : {"both", "lower", "upper"}
        Which bounds are wanted; the other one is infinite.
    start : int
        Number of values with which the intervals begin, at least `LEAST`.
    corrected : bool
        Widen the arms for an estimated variance and for skewness, as :func:`corrected_arms`
        says; what that adds vanishes as values arrive. False is the published formula.

    Returns
    -------
    lower, upper : (t,) float64
        The bounds. NaN before the `start`-th value, and while values show no spread.

    Raises
    ------
    InputError
        The level lies outside (0, 1).

    Notes
    -----
    Theorem 2.5 (Lyapunov) of Waudby-Smith et al., weighted. Nothing is guaranteed for finite
    samples: with skewed values the early bounds are too narrow on the side of the long tail.

    Examples
    --------
    >>> z = np.random.default_rng(1).normal(3.0, 1.0, 100)
    >>> lower, upper = asymptotic_sequence(z, best_at=100)
    >>> bool(np.isnan(lower[28])), bool(lower[29] < 3.0 < upper[29])
    (True, True)
    """
    check_level(level)
    alpha = 1.0 - level
    w = np.ones(len(values)) if weights is None else weights
    total, weight = np.cumsum(w * values), np.cumsum(w)
    mean = total / weight
    count = np.arange(1.0, len(values) + 1.0)
    variance = _realised_variance(values, w) if variances is None else count * variances
    usable = (count >= max(start, LEAST)) & (variance > 0.0)
    lower, upper = np.full(len(values), np.nan), np.full(len(values), np.nan)
    if not usable.any():
        return lower, upper
    first = int(np.argmax(usable))
    rho_squared = tightest(alpha, side) / (variance[first] * best_at / count[first])
    below = above = mixture_radius(variance[usable], rho_squared, alpha, side)
    if corrected:
        error = np.sqrt(variance[usable])
        skew = _third_moment(values, w)[usable] / error**3
        below, above = corrected_arms(below / error, skew, count[usable] - 1.0)
        below, above = below * error, above * error
    lower[usable] = -np.inf if side == "upper" else mean[usable] - below / weight[usable]
    upper[usable] = np.inf if side == "lower" else mean[usable] + above / weight[usable]
    return lower, upper


def corrected_arms(z: FloatArray, a: FloatArray, df: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper arm (t,), in standard errors, for normal ones of z.

    t with `df` degrees of freedom beyond which as much lies as beyond z, times 1 + w and the
    factors of a standardised third moment `a` (held in [-1, 1]): (1 - exp(-b))/b below and
    (exp(b) - 1)/b above, b = 3/4 a z, w = a^2/(1 + 2 a^2) (:mod:`bacon.estimation.skew`).
    """
    from scipy.special import ndtr, stdtrit

    a = np.clip(a, -1.0, 1.0)
    t = -stdtrit(df, ndtr(-z)) * (1.0 + a**2 / (1.0 + 2.0 * a**2))
    b = 0.75 * a * z
    b = np.where(np.abs(b) < 1e-9, 1e-9, b)
    return -np.expm1(-b) / b * t, np.expm1(b) / b * t


def _third_moment(values: FloatArray, w: FloatArray) -> FloatArray:
    """Return sum w^3 (z - mean)^3 about the weighted mean at each time."""
    z = values - values[0]
    mean = np.cumsum(w * z) / np.cumsum(w)
    first, second, third = (np.cumsum(w**3 * z**k) for k in (1, 2, 3))
    cubes = third - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * np.cumsum(w**3)
    return np.asarray(cubes)


def _realised_variance(values: FloatArray, w: FloatArray) -> FloatArray:
    """Return t/(t - 1) sum w^2 (z - mean)^2 about the weighted mean at each time; 0 at the first.

    What is left of values that are alike is rounding and becomes 0.
    """
    if not len(values):
        return np.zeros(0)
    z = values - values[0]
    mean = np.cumsum(w * z) / np.cumsum(w)
    squares = np.cumsum(w**2 * z**2)
    spread = squares - 2.0 * mean * np.cumsum(w**2 * z) + mean**2 * np.cumsum(w**2)
    rounding = 1e-12 * np.cumsum(w**2) * max(1.0, abs(float(values[0]))) ** 2
    count = np.arange(1.0, len(values) + 1.0)
    spread = np.where(spread > rounding, spread, 0.0)
    return np.asarray(spread * count / np.maximum(count - 1.0, 1.0))


def running_intersection(
    lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray, int | None]:
    """Return the intersection of the intervals up to each time, and when it first became empty.

    Parameters
    ----------
    lower, upper : (t,) float64
        Bounds that hold at all times together; NaN where there are none.

    Returns
    -------
    lower, upper : (t,) float64
        The largest lower and the least upper bound so far; NaN before the first.
    empty_at : int or None
        Position from which they contradict each other, and both are NaN; None if they never do.

    Examples
    --------
    >>> running_intersection(np.array([np.nan, 1.0, 0.0]), np.array([np.nan, 4.0, 3.0]))
    (array([nan,  1.,  1.]), array([nan,  4.,  3.]), None)
    """
    low, high = np.fmax.accumulate(lower), np.fmin.accumulate(upper)
    # Ends that meet up to rounding contradict nothing.
    crossed = low - high > 1e-9 * np.maximum(1.0, np.abs(high))
    low = np.fmin(low, high)
    if not crossed.any():
        return low, high, None
    first = int(np.argmax(crossed))
    low[first:], high[first:] = np.nan, np.nan
    return low, high, first
