"""How far labels lie from what was expected of them, in four numbers.

With weights w = 1/pi over n labels and totals z_u = sum_{i in u} w_i (r_i - mean) / sum w over c
units (items, or clusters that items share):

    mean = sum w r / sum w,   sd^2 = n/(n - 1) sum w (r - mean)^2 / sum w,
    se^2 = c/(c - 1) sum_u z_u^2.

The standard error is for more items like these, so it has no finite-pool factor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["error_summary"]


def error_summary(
    errors: FloatArray, weights: FloatArray, unit: IntArray | None
) -> dict[str, Any] | None:
    """Return count, mean, SD and standard error of errors (n,); None for fewer than two units.

    Parameters
    ----------
    errors, weights : (n,) float64
        Errors of the labelled items, and the inverses of their inclusion probabilities.
    unit : (n,) int64 or None
        What items share; None where they stand alone.

    Examples
    --------
    >>> error_summary(np.array([1.0, 3.0]), np.ones(2), None)
    {'n_labels': 2, 'mean': 2.0, 'sd': 1.4142135623730951, 'se': 1.0}
    """
    n = len(errors)
    units = np.arange(n) if unit is None else np.unique(unit, return_inverse=True)[1]
    c = int(units.max()) + 1 if n else 0
    if c < 2:
        return None
    share = weights / weights.sum()
    mean = float(share @ errors)
    centred = errors - mean
    totals = np.bincount(units, weights=share * centred)
    return {
        "n_labels": n,
        "mean": mean,
        "sd": math.sqrt(float(share @ centred**2) * n / (n - 1)),
        "se": math.sqrt(float(totals @ totals) * c / (c - 1)),
    }
