"""Conformal prediction intervals of single items, from labelled items drawn with known chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = [
    "ROUNDING",
    "bounds_by_group",
    "error_bounds",
    "interval_ends",
    "selection_weights",
    "spread_scale",
]

ROUNDING = 1e-12
"""Shares of the weight that differ by less than this are equal."""

STEADY = 0.5
"""Part of the pool's spread added to each item's own, so that a small one is not taken at its
word."""


def selection_weights(pi: FloatArray) -> FloatArray:
    """Return the odds of not being drawn, (1 - pi) / pi.

    Labelled items with these weights stand for the items that were not drawn. (1 / pi would make
    them stand for all items, the labelled ones included.)

    Parameters
    ----------
    pi : (m,) float64
        Inclusion probabilities in (0, 1]; items that were certain to be drawn weigh nothing, nor
        do labels of batches with more than that.

    Examples
    --------
    >>> import numpy as np
    >>> selection_weights(np.array([0.5, 0.2, 1.0])).tolist()
    [1.0, 4.0, 0.0]
    """
    return np.asarray(np.maximum(1.0 - pi, 0.0) / pi)


def error_bounds(
    scores: FloatArray, weights: FloatArray, own: FloatArray, level: float
) -> FloatArray:
    """Return how large an error each item without a label may have.

    Parameters
    ----------
    scores : (m,) float64
        Sizes of the errors of labelled items.
    weights : (m,) float64
        Their weights, from 0 up.
    own : (T,) float64
        Weight of each item without a label: its error could be of any size.
    level : float
        Probability with which the bound holds.

    Returns
    -------
    (T,) float64
        The smallest score that, with those below it, has `level` of the weight of all labelled
        items and the item's own; infinite where they have less.

    Notes
    -----
    Equation (7) of Tibshirani, Barber, Candes and Ramdas (2019), with the odds of selection in
    place of the likelihood ratio. Under independent draws the bound holds with probability
    `level` or more, over draws and over the items that were not drawn: among m + 1 items of
    which one was not drawn, each is that one with a probability in proportion to its odds.

    Examples
    --------
    >>> import numpy as np
    >>> error_bounds(np.arange(1.0, 10.0), np.ones(9), np.array([1.0, 3.0]), 0.9).tolist()
    [9.0, inf]
    """
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weights[order])
    total = (reached[-1] if len(reached) else 0.0) + own
    place = np.searchsorted(reached, (level - ROUNDING) * total, side="left")
    return np.asarray(np.append(scores[order], np.inf)[place])


def bounds_by_group(
    scores: FloatArray,
    weights: FloatArray,
    own: FloatArray,
    level: float,
    *,
    group: IntArray,
    own_group: IntArray,
) -> FloatArray:
    """Return bounds of errors that hold within each group (Mondrian conformal prediction).

    Parameters
    ----------
    scores, weights, own, level
        As of :func:`error_bounds`.
    group : (m,) int64
        Group of each labelled item.
    own_group : (T,) int64
        Group of each item without a label.

    Returns
    -------
    (T,) float64
        Infinite in groups without enough labels.

    Examples
    --------
    >>> import numpy as np
    >>> one, two = np.zeros(9, dtype=int), np.array([0, 1])
    >>> weights, own = np.ones(9), np.ones(2)
    >>> bounds_by_group(
    ...     np.arange(1.0, 10.0), weights, own, 0.9, group=one, own_group=two
    ... ).tolist()
    [9.0, inf]
    """
    found = np.full(len(own), np.inf)
    for code in np.unique(own_group):
        mine, theirs = own_group == code, group == code
        found[mine] = error_bounds(scores[theirs], weights[theirs], own[mine], level)
    return found


def spread_scale(variance: FloatArray) -> FloatArray:
    """Return the size of error that is usual for each item (N,), from predicted variances (N,).

    The item's predicted standard deviation plus half the root mean square of all; 1 where nothing
    is predicted to vary. Errors are held against it, so that items that are hard to predict get
    wider intervals. It has no part in whether they hold.

    Examples
    --------
    >>> import numpy as np
    >>> spread_scale(np.array([0.0, 2.0])).round(3).tolist()
    [0.5, 1.914]
    """
    usual = float(np.sqrt(np.mean(variance))) if len(variance) else 0.0
    if usual == 0.0:
        return np.ones(len(variance))
    return np.asarray(np.sqrt(variance) + STEADY * usual)


def interval_ends(
    f: FloatArray, reach: FloatArray, scale: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return f - reach and f + reach, cut to the scale.

    Parameters
    ----------
    f : (T,) float64
        Predictions.
    reach : (T,) float64
        How far the outcome may be from them; infinite where labels say nothing.
    scale : (float, float)
        Lowest and highest possible outcome; infinite where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> lower, upper = interval_ends(np.array([2.0, 3.0]), np.array([1.5, np.inf]), (1.0, np.inf))
    >>> lower.tolist(), upper.tolist()
    ([1.0, 1.0], [3.5, inf])
    """
    return np.clip(f - reach, *scale), np.clip(f + reach, *scale)
