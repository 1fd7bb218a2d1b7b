"""Empirical-Bayes shrinkage of group estimates toward their common mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["shrunken"]


def shrunken(values: FloatArray, variances: FloatArray) -> FloatArray:
    """Return estimates moved toward their mean by how much of their spread is error.

    With mu the mean weighted by 1 / v and tau^2 the variance between groups beyond error
    (DerSimonian and Laird 1986, at least 0), each becomes mu + tau^2 / (tau^2 + v) (value - mu):
    the posterior mean of a normal model (Efron and Morris 1973). Mean squared error over groups
    falls; single groups at the ends are biased, and no frequentist interval goes with them.

    Parameters
    ----------
    values, variances : (G,) float64
        Estimates and their variances.

    Raises
    ------
    InputError
        Fewer than three groups: their spread cannot be told from error.
    """
    n = len(values)
    if n < 3:
        raise InputError(f"shrinking needs three groups to see how far they differ; there are {n}.")
    known = variances == 0.0
    if known.all():
        return values.copy()
    w = 1.0 / np.where(known, variances[~known].min(), variances)
    mu = float(w @ values / w.sum())
    excess = float(w @ (values - mu) ** 2) - (n - 1.0)
    between = max(excess / float(w.sum() - w @ w / w.sum()), 0.0)
    if between == 0.0:
        return np.where(known, values, mu)
    return np.asarray(mu + between / (between + variances) * (values - mu))
