"""Rows of shares: the nearest that are not below 0 and sum to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["onto_simplex"]


def onto_simplex(rows: FloatArray) -> FloatArray:
    """Return the nearest shares to each row, by squared distance.

    Parameters
    ----------
    rows : (N, C) float64
        Finite values.

    Returns
    -------
    (N, C) float64
        max(rows - t, 0) with the t of each row that makes it sum to 1. A row of shares stays
        as it is.

    Notes
    -----
    t is where the largest k values, less 1, average out below the k-th (Held, Wolfe and Crowder
    1974).

    Examples
    --------
    >>> import numpy as np
    >>> onto_simplex(np.array([[0.5, 0.7, -0.2]])).round(3).tolist()
    [[0.4, 0.6, 0.0]]
    """
    descending = -np.sort(-rows, axis=1)
    number = np.arange(1, rows.shape[1] + 1)
    level = (np.cumsum(descending, axis=1) - 1.0) / number
    kept = np.count_nonzero(descending > level, axis=1)
    threshold = np.take_along_axis(level, kept[:, None] - 1, axis=1)
    return np.asarray(np.maximum(rows - threshold, 0.0))
