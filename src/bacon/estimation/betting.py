"""Betting confidence sequences of bounded values, which hold at every number of values.

Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
sections 4 and 5.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.checks import check_level

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["POINTS", "TRUNCATION", "betting_sequence"]

POINTS = 2000
"""Candidate means that betting tries between the ends of the scale."""

TRUNCATION = 0.9
"""Largest share of the capital that a bet may lose at once."""


def betting_sequence(
    values: FloatArray,
    *,
    low: FloatArray | float,
    high: FloatArray | float,
    scale: tuple[float, float],
    best_at: float,
    level: float = 0.95,
    intercept: FloatArray | float = 0.0,
    slope: FloatArray | float = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """Return the hedged betting confidence sequence of bounded values; valid at every t.

    Against each candidate m two gamblers bet on z_t - mu_t(m), one on more and one on less, and
    m is dropped for good once either has 2/alpha times the stake.

    Parameters
    ----------
    values : (t,) float64
        The stream.
    low, high : (t,) float64 or float
        Least and largest possible value at each time, known before it is seen.
    scale : (float, float)
        Ends of the scale of the target.
    best_at : float
        Sum of slope^2 (number of values, where slope is 1) at which the interval is to be
        tightest; not chosen from the values.
    level : float
        Confidence level 1 - alpha, for all times together.
    intercept, slope : (t,) float64 or float
        The mean of z_t given the ones before it is intercept_t + slope_t m, slope_t > 0, both
        known before z_t. A draw without replacement from N values has slope N/(N - t + 1) and
        intercept -(sum of the values before t)/(N - t + 1).

    Returns
    -------
    lower, upper : (t,) float64
        The bounds: never narrower again, rounded outwards to 1/`POINTS` of the scale. Both NaN
        from where every candidate is dropped, which happens in at most alpha of streams.

    Raises
    ------
    InputError
        The level lies outside (0, 1).

    Notes
    -----
    Waudby-Smith and Ramdas (2024), theorem 3 and section 5 (without replacement). Bets are
    predictable plug-ins, slope_t sqrt(2 log(2/alpha) / (s2 max(C_t, best_at))), C the running
    sum of slope^2 and s2 their regularised running variance, truncated so that no bet loses more
    than `TRUNCATION` of the capital.

    Examples
    --------
    >>> z = np.random.default_rng(1).binomial(1, 0.3, 200).astype(float)
    >>> lower, upper = betting_sequence(z, low=0.0, high=1.0, scale=(0.0, 1.0), best_at=200)
    >>> bool(lower[-1] < 0.3 < upper[-1]), bool(upper[-1] - lower[-1] < 0.25)
    (True, True)
    """
    check_level(level)
    n = len(values)
    least, most = np.broadcast_to(low, n), np.broadcast_to(high, n)
    a, b = np.broadcast_to(intercept, n), np.broadcast_to(slope, n)
    candidates = np.linspace(scale[0], scale[1], POINTS + 1)
    bets = _bets(values, most - least, b, best_at, 1.0 - level)
    limit = math.log(2.0 / (1.0 - level))
    more, less = np.zeros(POINTS + 1), np.zeros(POINTS + 1)
    lower, upper = np.full(n, np.nan), np.full(n, np.nan)
    first, last = 0, POINTS
    for t in range(n):
        # Only candidates between the outermost ones that are left: others are gone for good.
        left = slice(first, last + 1)
        mu = a[t] + b[t] * candidates[left]
        up = np.minimum(bets[t], TRUNCATION / np.maximum(mu - least[t], 1e-12))
        down = np.minimum(bets[t], TRUNCATION / np.maximum(most[t] - mu, 1e-12))
        gap = values[t] - mu
        more[left] += np.log1p(np.maximum(up * gap, -TRUNCATION))
        less[left] += np.log1p(np.maximum(-down * gap, -TRUNCATION))
        # A mean beyond what values can be is impossible: no item is left that could give it.
        kept = (mu >= least[t] - 1e-9) & (mu <= most[t] + 1e-9)
        kept &= np.maximum(more[left], less[left]) < limit
        if not kept.any():
            break
        where = np.flatnonzero(kept)
        first, last = first + int(where[0]), first + int(where[-1])
        lower[t], upper[t] = candidates[max(first - 1, 0)], candidates[min(last + 1, POINTS)]
    return lower, upper


def _bets(
    values: FloatArray, width: FloatArray, slope: FloatArray, best_at: float, alpha: float
) -> FloatArray:
    """Return the stakes (t,) before truncation, each from earlier values only."""
    if not len(values):
        return np.zeros(0)
    count = np.arange(1.0, len(values) + 1.0)
    # The plug-in mean counts the first value twice, and the variance starts from a quarter of
    # the largest that the range allows, so that the first bets are small.
    centred = values - values[0]
    deviations = np.cumsum((centred - np.cumsum(centred) / (count + 1.0)) ** 2)
    spread = (width**2 / 16.0 + np.concatenate([[0.0], deviations[:-1]])) / count
    clock = np.maximum(np.cumsum(slope**2), best_at)
    return np.asarray(slope * np.sqrt(2.0 * math.log(2.0 / alpha) / (spread * clock)))
