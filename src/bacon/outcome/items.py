"""Predictive distributions of many items at once.

Each kind answers for its k items: the mean (k,), P(Y <= theta) at given thetas (k, T), the
sum of that over the items, weighted if asked, without ever holding k x T values, the variance
(k,) and the expectation of a function of Y (k,).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from bacon.arrays import representatives

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray

__all__ = ["Discrete", "Hurdle", "ItemDistributions", "Location", "Mixture", "Scaled"]

POINTS = 100
"""Points that stand for a residual distribution."""

MOMENT_POINTS = 50
"""Points over which a user's function is averaged."""


class ItemDistributions(Protocol):
    """Predictive distributions of k items."""

    @property
    def mean(self) -> FloatArray:
        """E[Y] of each item, (k,)."""
        ...

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        ...

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the sum over items of weight (k,) times P(Y <= theta), (T,)."""
        ...

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        ...

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,); the function takes and gives (k,)."""
        ...


@dataclass(frozen=True, eq=False)
class Location:
    """An item's location plus one of a common set of residuals, cut to a range.

    Parameters
    ----------
    location : (k,) float64
        Location of each item: its mean where nothing is cut and the residuals are centred.
    residual : (r,) float64
        Ascending residuals, equally likely.
    low, high : float
        Outcomes beyond are moved to the nearer end.
    """

    location: FloatArray
    residual: FloatArray
    low: float = -np.inf
    high: float = np.inf

    @cached_property
    def points(self) -> FloatArray:
        """The residuals, or fewer that stand for them."""
        return representatives(self.residual, POINTS)

    @property
    def is_cut(self) -> bool:
        """Whether the range matters."""
        return bool(np.isfinite(self.low) or np.isfinite(self.high))

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Return E[D] and E[D^2] of the cut residuals D, from cumulative sums of the points."""
        r, m = self.points, len(self.points)
        sums = np.concatenate([[0.0], np.cumsum(r)])
        squares = np.concatenate([[0.0], np.cumsum(r * r)])
        first, second = np.zeros(len(self.location)), np.zeros(len(self.location))
        start, stop = np.zeros_like(first, dtype=np.int64), np.full_like(first, m, dtype=np.int64)
        if np.isfinite(self.low):
            start = np.searchsorted(r, self.low - self.location, side="right")
            first += start * (self.low - self.location)
            second += start * (self.low - self.location) ** 2
        if np.isfinite(self.high):
            stop = np.searchsorted(r, self.high - self.location, side="left")
            first += (m - stop) * (self.high - self.location)
            second += (m - stop) * (self.high - self.location) ** 2
        first += sums[stop] - sums[start]
        second += squares[stop] - squares[start]
        return first / m, second / m

    @cached_property
    def mean(self) -> FloatArray:
        """E[Y] of each item, (k,)."""
        if self.is_cut:
            # Rounding must not lead beyond the range.
            return np.clip(self.location + self._moments()[0], self.low, self.high)
        return np.asarray(self.location + self.residual.mean())

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        gaps = self._within(thetas)[None, :] - self.location[:, None]
        return np.asarray(np.searchsorted(self.points, gaps, side="right") / len(self.points))

    def _within(self, thetas: FloatArray) -> FloatArray:
        """Return thetas with those beyond the range at infinity, where P is 0 or 1."""
        return np.where(thetas < self.low, -np.inf, np.where(thetas >= self.high, np.inf, thetas))

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self.location, kind="stable")

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weighted sum over items (T,), by counting locations below theta - residual."""
        heaped = np.concatenate([[0.0], np.cumsum(weight[self._order])])
        ends = np.subtract.outer(self._within(thetas), self.points)
        found = np.searchsorted(self.location[self._order], ends, side="right")
        return np.asarray(heaped[found].mean(axis=1))

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        if not self.is_cut:
            return np.full(len(self.location), float(self.residual.var()))
        first, second = self._moments()
        return np.asarray(np.maximum(second - first**2, 0.0))

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,), over a few residuals."""
        points = representatives(self.residual, MOMENT_POINTS)
        total = np.zeros(len(self.location))
        for residual in points:
            total += function(np.clip(self.location + residual, self.low, self.high))
        return total / len(points)


@dataclass(frozen=True, eq=False)
class Scaled:
    """An item's mean, above 0, times one of a common set of ratios with mean 1.

    Parameters
    ----------
    mean : (k,) float64
        Mean of each item.
    ratio : (r,) float64
        Ascending ratios from 0 up, equally likely.
    """

    mean: FloatArray
    ratio: FloatArray

    @cached_property
    def points(self) -> FloatArray:
        """The ratios, or fewer that stand for them."""
        return representatives(self.ratio, POINTS)

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        limits = thetas[None, :] / self.mean[:, None]
        return np.asarray(np.searchsorted(self.points, limits, side="right") / len(self.points))

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weighted sum over items (T,), by counting means below theta / ratio."""
        order = np.argsort(self.mean, kind="stable")
        heaped = np.concatenate([[0.0], np.cumsum(weight[order])])
        found = np.empty((len(thetas), len(self.points)))
        for k, ratio in enumerate(self.points):
            # A ratio of 0 is an outcome of 0, at or below every theta from 0 up.
            with np.errstate(divide="ignore", invalid="ignore"):
                limits = np.where(thetas >= 0.0, thetas / ratio if ratio > 0.0 else np.inf, -np.inf)
            found[:, k] = heaped[np.searchsorted(self.mean[order], limits, side="right")]
        return np.asarray(found.mean(axis=1))

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        return np.asarray(self.mean**2 * self.ratio.var())

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,), over a few ratios."""
        points = representatives(self.ratio, MOMENT_POINTS)
        return np.asarray(sum(function(self.mean * ratio) for ratio in points) / len(points))


@dataclass(frozen=True, eq=False)
class Hurdle:
    """0 unless a gate opens; an amount behind it.

    Parameters
    ----------
    gate : (k,) float64
        Probability that the outcome is not 0.
    amount : ItemDistributions
        Distribution of the outcome where it is not 0.
    """

    gate: FloatArray
    amount: ItemDistributions

    @cached_property
    def mean(self) -> FloatArray:
        """E[Y] of each item, (k,)."""
        return np.asarray(self.gate * self.amount.mean)

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        closed = (1.0 - self.gate)[:, None] * (thetas >= 0.0)[None, :]
        return np.asarray(closed + self.gate[:, None] * self.amount.cdf(thetas))

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weighted sum over items, (T,)."""
        closed = float(weight @ (1.0 - self.gate)) * (thetas >= 0.0)
        return np.asarray(closed + self.amount.total(thetas, weight * self.gate))

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        between = (1.0 - self.gate) * self.amount.mean**2
        return np.asarray(self.gate * (self.amount.variance() + between))

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,)."""
        at_zero = function(np.zeros(len(self.gate)))
        return (1.0 - self.gate) * at_zero + self.gate * self.amount.expectation(function)


@dataclass(frozen=True, eq=False)
class Discrete:
    """A few values with a probability each.

    Parameters
    ----------
    support : (L,) float64
        The values, ascending.
    probability : (k, L) float64
        Their probabilities; rows sum to one.
    """

    support: FloatArray
    probability: FloatArray

    @cached_property
    def mean(self) -> FloatArray:
        """E[Y] of each item, (k,)."""
        return np.asarray(self.probability @ self.support)

    def _below(self, thetas: FloatArray) -> FloatArray:
        """Return 1.0 where a value is at or below theta, (L, T)."""
        return (self.support[:, None] <= thetas[None, :]).astype(np.float64)

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        return np.asarray(self.probability @ self._below(thetas))

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weighted sum over items, (T,)."""
        return np.asarray((weight @ self.probability) @ self._below(thetas))

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        gaps = self.support[None, :] - self.mean[:, None]
        return np.asarray(np.einsum("kl,kl->k", self.probability, gaps**2))

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,)."""
        return self.probability @ function(self.support)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Several distributions of the same items, each with a weight.

    Parameters
    ----------
    weights : (J,) float64
        Weights, the same for every item; they sum to one.
    parts : tuple of ItemDistributions
        The J distributions.
    """

    weights: FloatArray
    parts: tuple[ItemDistributions, ...]

    @cached_property
    def mean(self) -> FloatArray:
        """E[Y] of each item, (k,)."""
        return self._combined([part.mean for part in self.parts])

    def _combined(self, values: list[FloatArray]) -> FloatArray:
        return np.asarray(sum(w * value for w, value in zip(self.weights, values, strict=True)))

    def cdf(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta) of each item, (k, T)."""
        return self._combined([part.cdf(thetas) for part in self.parts])

    def total(self, thetas: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the weighted sum over items, (T,)."""
        return self._combined([part.total(thetas, weight) for part in self.parts])

    def variance(self) -> FloatArray:
        """Return Var[Y] of each item, (k,)."""
        return self._combined(
            [part.variance() + (part.mean - self.mean) ** 2 for part in self.parts]
        )

    def expectation(self, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return E[function(Y)] of each item, (k,)."""
        return self._combined([part.expectation(function) for part in self.parts])
