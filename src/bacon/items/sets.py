"""Prediction sets of single items: classes, and neighbouring values of discrete outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray

__all__ = ["class_scores", "class_sets", "grid_ends", "grid_size"]

ROUNDING = 1e-9
"""Distances in steps of the grid, and probabilities, that differ by less are equal."""


def class_scores(probability: FloatArray, codes: IntArray) -> FloatArray:
    """Return how unlikely the model took each label to be, 1 - P(label).

    Parameters
    ----------
    probability : (m, C) float64
        Predicted probabilities of the classes.
    codes : (m,) int64
        Class of each label.

    Examples
    --------
    >>> import numpy as np
    >>> class_scores(np.array([[0.75, 0.25], [0.5, 0.5]]), np.array([0, 1])).tolist()
    [0.25, 0.5]
    """
    return np.asarray(1.0 - probability[np.arange(len(codes)), codes])


def class_sets(probability: FloatArray, bound: FloatArray) -> BoolArray:
    """Return the classes that are not too unlikely to be the label.

    Parameters
    ----------
    probability : (T, C) float64
        Predicted probabilities of the classes.
    bound : (T,) float64
        Bound of 1 - P(label), as :func:`bacon.items.conformal.error_bounds` gives it.

    Returns
    -------
    (T, C) bool
        Classes of probability 1 - bound or more, and always the most likely one. Infinite bounds
        give all classes.

    Notes
    -----
    Sets of all classes above one threshold are the smallest on average for their coverage
    (Sadinle, Lei and Wasserman 2019).

    Examples
    --------
    >>> import numpy as np
    >>> class_sets(np.array([[0.6, 0.3, 0.1], [0.2, 0.3, 0.5]]), np.array([0.75, 0.4])).tolist()
    [[True, True, False], [False, False, True]]
    """
    inside = probability >= (1.0 - bound - ROUNDING)[:, None]
    inside[np.arange(len(inside)), probability.argmax(axis=1)] = True
    return np.asarray(inside)


def grid_ends(
    lower: FloatArray, upper: FloatArray, f: FloatArray, grid: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return intervals that end at possible values of a discrete outcome.

    Parameters
    ----------
    lower, upper : (T,) float64
        Intervals; they hold the same possible values before and after.
    f : (T,) float64
        Predictions: where no possible value lies inside, the one nearest to it is taken.
    grid : (float, float)
        One possible value, and the step from each to the next.

    Examples
    --------
    >>> import numpy as np
    >>> ends = np.array([1.5, 2.2]), np.array([4.0, 2.9]), np.array([2.7, 2.6])
    >>> low, high = grid_ends(*ends, (0.0, 1.0))
    >>> low.tolist(), high.tolist()
    ([2.0, 3.0], [4.0, 3.0])
    """
    origin, step = grid
    low = np.ceil((lower - origin) / step - ROUNDING)
    high = np.floor((upper - origin) / step + ROUNDING)
    empty = low > high
    nearest = np.rint((f - origin) / step)
    low, high = np.where(empty, nearest, low), np.where(empty, nearest, high)
    return origin + step * low, origin + step * high


def grid_size(lower: FloatArray, upper: FloatArray, grid: tuple[float, float]) -> FloatArray:
    """Return how many possible values (T,) lie from `lower` to `upper`, which are possible.

    Examples
    --------
    >>> import numpy as np
    >>> grid_size(np.array([2.0]), np.array([4.0]), (0.0, 1.0)).tolist()
    [3.0]
    """
    return np.asarray(np.rint((upper - lower) / grid[1]) + 1.0)
