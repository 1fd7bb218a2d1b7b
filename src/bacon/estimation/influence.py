"""Influence values: what each item contributes to the error of an estimate.

For labelled item i the residual part is r_i, centred by the design-weighted mean; for every
item the prediction part is g_i. Together h_i = g_i + r_i is the value the item would have
contributed had every item been labelled. Differences, ratios and functions of estimates
combine these values and never refit anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import blocks, sum_of_squares

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Influence", "PoolSums", "pool_sums"]


@dataclass(frozen=True, eq=False)
class Influence:
    """Linearised error of an estimate.

    Parameters
    ----------
    residual : (m,) float64
        r_i of the labelled rows, with design-weighted mean 0.
    terms : tuple of (float, (N,) float64)
        The prediction part as a combination of pool arrays: g = offset + sum of coef * array.
        Arrays are referred to and not copied.
    offset : float
        Constant of the combination, such that g has mean 0.
    """

    residual: FloatArray
    terms: tuple[tuple[float, FloatArray], ...]
    offset: float

    def prediction(self, rows: IntArray | slice) -> FloatArray:
        """Return g at `rows`."""
        parts = (array[rows] if coef == 1.0 else coef * array[rows] for coef, array in self.terms)
        return np.asarray(sum(parts, start=self.offset), dtype=np.float64)

    @property
    def n_items(self) -> int:
        """Number of pool items N."""
        return len(self.terms[0][1])

    def scaled(self, factor: float) -> Influence:
        """Return the influence of `factor` times the estimate."""
        return Influence(
            self.residual * factor,
            tuple((coef * factor, array) for coef, array in self.terms),
            self.offset * factor,
        )

    def plus(self, other: Influence) -> Influence:
        """Return the influence of the sum of two estimates of the same labelled rows."""
        return Influence(
            self.residual + other.residual, self.terms + other.terms, self.offset + other.offset
        )


@dataclass(frozen=True)
class PoolSums:
    """Mergeable sums of the prediction part: all that a variance needs of unlabelled rows."""

    count: int
    total: float
    squares: float

    def merged(self, other: PoolSums) -> PoolSums:
        """Return the sums over both sets of rows."""
        return PoolSums(
            self.count + other.count, self.total + other.total, self.squares + other.squares
        )


def pool_sums(influence: Influence) -> PoolSums:
    """Return count, sum and sum of squares of g over the pool, a block at a time."""
    sums = PoolSums(0, 0.0, 0.0)
    for rows in blocks(influence.n_items):
        g = influence.prediction(rows)
        sums = sums.merged(PoolSums(len(g), float(g.sum()), sum_of_squares(g)))
    return sums


def cluster_sums(influence: Influence, cluster: IntArray, n_clusters: int) -> FloatArray:
    """Return the sum of g in each of `n_clusters` clusters."""
    sums = np.zeros(n_clusters)
    for rows in blocks(influence.n_items):
        sums += np.bincount(cluster[rows], weights=influence.prediction(rows), minlength=n_clusters)
    return sums
