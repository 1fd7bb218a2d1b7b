"""Judge scores put on one scale: averaged over runs, standardised, turned the same way."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.pool import Pool

__all__ = ["judge_mean", "mean_of_present", "numeric_judges", "orientation", "spread_of_present"]


def mean_of_present(values: FloatArray) -> FloatArray:
    """Return the mean of each row (N,) of `values` (N, R) over what is not NaN.

    A row of NaN alone has the mean NaN.
    """
    if values.shape[1] == 1:
        return values[:, 0].copy()
    present = ~np.isnan(values)
    count = present.sum(axis=1)
    total = np.where(present, values, 0.0).sum(axis=1)
    mean = np.full(len(values), math.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean


def spread_of_present(values: FloatArray) -> FloatArray:
    """Return the standard deviation of each row (N,) of `values` (N, R) over what is not NaN.

    With divisor count - 1; NaN with fewer than two values, and exactly 0 where all are equal.
    """
    present = ~np.isnan(values)
    count = present.sum(axis=1)
    gaps = np.where(present, values - mean_of_present(values)[:, None], 0.0)
    variance = np.full(len(values), math.nan)
    np.divide((gaps**2).sum(axis=1), count - 1, out=variance, where=count > 1)
    lowest = np.where(present, values, math.inf).min(axis=1, initial=math.inf)
    highest = np.where(present, values, -math.inf).max(axis=1, initial=-math.inf)
    # The mean of equal values may differ from them in the last digit.
    variance[(count > 1) & (lowest == highest)] = 0.0
    return np.asarray(np.sqrt(variance))


def numeric_judges(pool: Pool) -> list[tuple[str, FloatArray]]:
    """Return name and mean over the runs present (N,) of each judge that answers in numbers."""
    return [
        (judge.name, mean_of_present(judge.scores)) for judge in pool.judges if not judge.is_text
    ]


def judge_mean(pool: Pool) -> FloatArray:
    """Return the average of the numeric judges, standardised and oriented on the pool.

    Parameters
    ----------
    pool : Pool
        The pool; text judges and judges that give every item one score do not enter.

    Returns
    -------
    (N,) float64
        Average over the judges present, in standard deviations, in the order of the pool's
        rows; NaN where every judge is missing.

    Raises
    ------
    InputError
        No judge has numeric scores that differ.

    Notes
    -----
    A judge counts with the sign of its loading on the first principal component, so that
    one who scores downwards does not cancel the others. Six decimals are kept: items whose
    judges agree tie, whatever the order of judges.
    """
    # In the order of sorted ids, so that the order of rows does not enter a sum.
    scores = [_standardised(score[pool.order]) for _, score in numeric_judges(pool)]
    standardised = [z for z in scores if z.any()]
    if not standardised:
        raise InputError(
            f"{pool.source}: no judge has numeric scores that differ, so there is no judge "
            "average to use; name a column."
        )
    z = np.column_stack(standardised)
    z *= orientation(z)
    mean = np.empty(pool.n_items)
    mean[pool.order] = np.round(mean_of_present(z), 6)
    return mean


def orientation(z: FloatArray) -> FloatArray:
    """Return the sign of each judge's loading on the first principal component.

    Parameters
    ----------
    z : (N, M) float64
        Standardised scores, NaN where missing (taken as 0, the mean).

    Returns
    -------
    (M,) float64
        +1 or -1. Most judges get +1; where as many would get each, the first judge does.
    """
    filled = np.nan_to_num(z)
    loading = np.linalg.eigh(filled.T @ filled / len(z))[1][:, -1]
    signs = np.where(loading < 0.0, -1.0, 1.0)
    balance = signs.sum() or signs[0]
    oriented: FloatArray = signs if balance > 0.0 else -signs
    return oriented


def _standardised(scores: FloatArray) -> FloatArray:
    """Return scores with mean 0 and SD 1 over those present; all 0 where they do not differ."""
    present = ~np.isnan(scores)
    if not present.any():
        return np.zeros_like(scores)
    # Dividing by the largest first keeps the squares of huge scores finite.
    largest = float(np.abs(scores[present]).max())
    scaled = scores / largest if largest > 0.0 else scores
    centred = scaled - scaled[present].mean()
    sd = float(np.sqrt(np.mean(centred[present] ** 2)))
    if sd <= 1e-12:
        return np.zeros_like(scores)
    standardised: FloatArray = centred / sd
    return standardised
