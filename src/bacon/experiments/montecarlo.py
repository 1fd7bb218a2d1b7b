"""Monte Carlo error of the figures of an experiment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray

__all__ = [
    "Z99",
    "Figure",
    "finite",
    "flat",
    "mean_figure",
    "paired",
    "rmse_figure",
    "sd_figure",
    "wilson",
]

Z99 = 2.5758293035489004
"""Normal quantile of two-sided 99 % intervals."""


class Figure(NamedTuple):
    """A figure with the ends of its 99 % Monte Carlo interval; NaN where there is none."""

    value: float
    low: float
    high: float


NO_FIGURE = Figure(math.nan, math.nan, math.nan)


def _around(value: float, se: float) -> Figure:
    """Return value -/+ z se."""
    return Figure(value, value - Z99 * se, value + Z99 * se)


def mean_figure(values: FloatArray, *, least: float = -math.inf, most: float = math.inf) -> Figure:
    """Return the mean of `values` (m,), which lie from `least` to `most`, as its interval does."""
    if len(values) < 2:
        return NO_FIGURE
    se = float(values.std(ddof=1)) / math.sqrt(len(values))
    value, low, high = _around(float(values.mean()), se)
    return Figure(value, max(low, least), min(high, most))


def sd_figure(values: FloatArray) -> Figure:
    """Return the standard deviation of `values` (m,), its error from the fourth moment."""
    if len(values) < 2:
        return NO_FIGURE
    squares = (values - values.mean()) ** 2
    return _root(float(values.var(ddof=1)), float(squares.std(ddof=1)), len(values))


def rmse_figure(errors: FloatArray) -> Figure:
    """Return the root of the mean of squared `errors` (m,)."""
    if len(errors) < 2:
        return NO_FIGURE
    squares = errors**2
    return _root(float(squares.mean()), float(squares.std(ddof=1)), len(errors))


def _root(square: float, sd: float, m: int) -> Figure:
    """Return the root of a mean square over `m` draws by the delta method."""
    root = math.sqrt(square)
    return _around(root, sd / math.sqrt(m) / (2.0 * root) if root > 0.0 else 0.0)


def wilson(hits: int, m: int) -> Figure:
    """Return a share with Wilson's 99 % interval (Wilson 1927)."""
    if m == 0:
        return NO_FIGURE
    p, z = hits / m, Z99
    scale = 1.0 + z * z / m
    middle = (p + z * z / (2.0 * m)) / scale
    half = z * math.sqrt(p * (1.0 - p) / m + z * z / (4.0 * m * m)) / scale
    return Figure(p, middle - half, middle + half)


def finite(values: FloatArray) -> FloatArray:
    """Return what of `values` is finite."""
    return values[np.isfinite(values)]


def flat(figures: Mapping[str, Figure]) -> dict[str, float | None]:
    """Return figures as columns `x`, `x_low` and `x_high`, None where there is none."""
    return {
        f"{name}{end}": None if math.isnan(value) else value
        for name, figure in figures.items()
        for end, value in zip(("", "_low", "_high"), figure, strict=True)
    }


def paired(ours: FloatArray, base: FloatArray | None, *, power: float) -> Figure:
    """Return the ratio of two means over the draws that both have, to a power.

    With `power` 0.5 and squared errors it is a ratio of RMSEs, with 1 and widths a ratio of
    mean widths. By the delta method log(A / B) has the variance of a/A - b/B over the draws.

    Parameters
    ----------
    ours, base : (m,) and (m',) float64
        Non-negative values by trial, from the first on; NaN and infinite ones are left out of
        both. No figure where `base` is None.
    power : float
        Power of the ratio.
    """
    if base is None:
        return NO_FIGURE
    m = min(len(ours), len(base))
    a, b = ours[:m], base[:m]
    both = np.isfinite(a) & np.isfinite(b)
    a, b = a[both], b[both]
    if len(a) < 2 or not a.mean() > 0.0 or not b.mean() > 0.0:
        return NO_FIGURE
    value = float(a.mean() / b.mean()) ** power
    spread = float((a / a.mean() - b / b.mean()).std(ddof=1))
    reach = Z99 * power * spread / math.sqrt(len(a))
    return Figure(value, value * math.exp(-reach), value * math.exp(reach))
