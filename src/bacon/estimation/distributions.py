"""Predicted distributions of the outcome, item by item, as quantiles need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bacon.arrays import blocks, representatives
from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray

__all__ = ["DistributionFunction", "FunctionDistribution", "ResidualDistribution"]

GRID = 256
"""Label values looked up at once; the search refines between them until they are neighbours."""

LOOK_UPS = 1 << 26
"""Values of a user's phi that may be asked for at once, over items and label values."""

RESIDUAL_POINTS = 100
"""Points that stand for the residual distribution: more would not change phi visibly."""


class DistributionFunction(Protocol):
    """Predicted distribution of the outcome, item by item."""

    @property
    def grid(self) -> int:
        """How many label values to look up at once."""
        ...

    def pool_mean(self, thetas: FloatArray) -> FloatArray:
        """Return the pool mean (T,) of P(Y <= theta | x)."""
        ...

    def labelled(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta | x) of the labelled rows, (m, T)."""
        ...

    def everywhere(self, theta: float) -> FloatArray:
        """Return P(Y <= theta | x) of every item, (N,)."""
        ...


@dataclass(frozen=True, eq=False)
class ResidualDistribution:
    """Predictions plus the labelled rows' own residuals.

    Parameters
    ----------
    f : (N,) float64
        Predictions.
    f_labelled : (m,) float64
        Predictions at the labelled rows.
    residual : (k,) float64
        Ascending residuals that stand for Y - f.
    slack : float
        Added to theta, so that f + residual = theta counts as reached whatever its rounding.
    """

    f: FloatArray
    f_labelled: FloatArray
    residual: FloatArray
    slack: float = 0.0
    grid: int = GRID

    @classmethod
    def of(cls, y: FloatArray, f: FloatArray, f_labelled: FloatArray) -> ResidualDistribution:
        """Take the residuals of the labelled rows: what a biased `f` is off by included."""
        residual = representatives(np.sort(y - f_labelled), RESIDUAL_POINTS)
        largest = max(float(np.abs(y).max()), float(np.abs(f_labelled).max()))
        return cls(f, f_labelled, residual, slack=1e-12 * largest)

    @cached_property
    def _sorted(self) -> FloatArray:
        """The predictions, ascending."""
        return np.asarray(np.sort(self.f))

    def pool_mean(self, thetas: FloatArray) -> FloatArray:
        """Return the pool mean (T,), by counting predictions at or below theta - residual."""
        if self._sorted[0] == self._sorted[-1]:
            return np.asarray(self._share(self._sorted[:1], thetas)[0])
        points = np.subtract.outer(thetas + self.slack, self.residual)
        counts = np.searchsorted(self._sorted, points, side="right")
        return np.asarray(counts.mean(axis=1) / len(self.f))

    def labelled(self, thetas: FloatArray) -> FloatArray:
        """Return the labelled rows' values (m, T)."""
        return self._share(self.f_labelled, thetas)

    def everywhere(self, theta: float) -> FloatArray:
        """Return every item's value (N,)."""
        values = np.empty(len(self.f))
        for rows in blocks(len(self.f)):
            values[rows] = self._share(self.f[rows], np.array([theta]))[:, 0]
        return values

    def _share(self, f: FloatArray, thetas: FloatArray) -> FloatArray:
        """Return the share of residuals at or below theta - f."""
        gaps = (thetas + self.slack)[None, :] - f[:, None]
        return np.asarray(np.searchsorted(self.residual, gaps, side="right") / len(self.residual))


@dataclass(frozen=True, eq=False)
class FunctionDistribution:
    """A user's phi(theta) -> (N,), evaluated at every label value unless the pool is huge."""

    phi: Callable[[float], FloatArray]
    rows: IntArray
    n_items: int

    @property
    def grid(self) -> int:
        """How many label values to look up at once."""
        return min(max(LOOK_UPS // self.n_items, 8), GRID)

    def everywhere(self, theta: float) -> FloatArray:
        """Return every item's value (N,)."""
        values = np.asarray(self.phi(theta), dtype=np.float64)
        if values.shape != (self.n_items,):
            raise InputError(
                f"phi({theta:g}) must give {self.n_items:,} probabilities, one an item; it gave "
                f"an array of shape {values.shape}."
            )
        # NaN is not within the bounds either; the allowance is for sums of probabilities.
        inside = (values >= -1e-9) & (values <= 1.0 + 1e-9)
        if not inside.all():
            row = int(np.argmin(inside))
            raise InputError(
                f"phi({theta:g})[{row}] = {values[row]:g}: phi must give the probability of a "
                "label up to theta, between 0 and 1."
            )
        return values

    def pool_mean(self, thetas: FloatArray) -> FloatArray:
        """Return the pool mean (T,)."""
        return np.array([self.everywhere(theta).mean() for theta in thetas])

    def labelled(self, thetas: FloatArray) -> FloatArray:
        """Return the labelled rows' values (m, T)."""
        return np.column_stack([self.everywhere(theta)[self.rows] for theta in thetas])
