"""The predictive distribution of the cross-fitted models, P(Y <= theta | x)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray
    from bacon.outcome.crossfit import CrossFit
    from bacon.outcome.items import ItemDistributions

__all__ = ["PredictiveDistribution", "label_support"]

MOST_LEVELS = 20
"""Labels with more different values than this are taken as continuous."""


def label_support(y: FloatArray) -> FloatArray | None:
    """Return the sorted values of discrete labels, None for continuous ones."""
    values = np.unique(y)
    return values if len(values) <= MOST_LEVELS and len(values) < len(y) / 2 else None


@dataclass(frozen=True, eq=False)
class PredictiveDistribution:
    """Mixture of the distributions that the models an item takes give it.

    Labels with few different values are compared at the mid-points between them, so that a
    prediction of 3.4 with no residual counts as a 3.

    Parameters
    ----------
    fitted : CrossFit
        Cross-fitted models.
    x : (N, p) float64
        Features of every item.
    rows : (m,) int64
        Labelled rows.
    y : (m,) float64
        Their labels.
    """

    fitted: CrossFit
    x: FloatArray
    rows: IntArray
    y: FloatArray
    grid: int = 256

    @cached_property
    def _support(self) -> FloatArray | None:
        """Values of discrete labels, ascending."""
        return label_support(self.y)

    @cached_property
    def _parts(self) -> list[tuple[IntArray, FloatArray, ItemDistributions]]:
        """The items that take each model, its weight in them, and what it says of them."""
        found = []
        for k, model in enumerate(self.fitted.models):
            items, share = self.fitted.predictions.shares(k)
            if len(items):
                found.append((items, share, model.distribution(self.x[items])))
        return found

    @cached_property
    def _labelled_parts(self) -> list[tuple[IntArray, FloatArray, ItemDistributions]]:
        """The same of the labelled rows, by position among them."""
        position = np.full(len(self.x), -1, dtype=np.int64)
        position[self.rows] = np.arange(len(self.rows))
        found = []
        for k, model in enumerate(self.fitted.models):
            items, share = self.fitted.predictions.shares(k)
            own = position[items] >= 0
            if own.any():
                parts = position[items[own]], share[own], model.distribution(self.x[items[own]])
                found.append(parts)
        return found

    @cached_property
    def _slack(self) -> float:
        """What makes prediction + residual = theta count as reached, whatever its rounding."""
        mean = self.fitted.predictions.mean[self.rows]
        return 1e-12 * float(np.abs(self.y).max() + np.abs(mean).max())

    def _cut(self, thetas: FloatArray) -> FloatArray:
        """Move thetas to the mid-point above them for discrete labels."""
        support = self._support
        if support is None:
            return thetas + self._slack
        middles = (support[1:] + support[:-1]) / 2.0
        cuts = np.concatenate([[-np.inf], middles, [np.inf]])
        return np.asarray(cuts[np.searchsorted(support, thetas, side="right")])

    def pool_mean(self, thetas: FloatArray) -> FloatArray:
        """Return the pool mean (T,) of P(Y <= theta | x)."""
        cuts = self._cut(thetas)
        return np.asarray(
            sum(part.total(cuts, share) for _, share, part in self._parts) / len(self.x)
        )

    def labelled(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta | x) of the labelled rows, (m, T)."""
        cuts = self._cut(thetas)
        total = np.zeros((len(self.rows), len(thetas)))
        for positions, share, part in self._labelled_parts:
            total[positions] += share[:, None] * part.cdf(cuts)
        return total

    def everywhere(self, theta: float) -> FloatArray:
        """Return P(Y <= theta | x) of every item, (N,)."""
        cuts = self._cut(np.array([theta]))
        return self._mixed(lambda part: part.cdf(cuts)[:, 0])

    def variance(self) -> FloatArray:
        """Return the predicted variance of Y given X of every item, (N,)."""
        mean, total = self.fitted.predictions.mean, np.zeros(len(self.x))
        for items, share, part in self._parts:
            total[items] += share * (part.variance() + (part.mean - mean[items]) ** 2)
        return total

    def expectation(
        self,
        function: Callable[[FloatArray], FloatArray],
        low: float = -np.inf,
        high: float = np.inf,
    ) -> FloatArray:
        """Return E[function(Y) | x] of every item (N,).

        Where the function has no finite value, such as the logarithm of a prediction below
        0, it is taken at the nearest outcome from `low` to `high`.
        """

        def finite(outcome: FloatArray) -> FloatArray:
            with np.errstate(all="ignore"):
                values = np.asarray(function(outcome), dtype=np.float64)
                beyond = ~np.isfinite(values)
                if beyond.any():
                    within = np.asarray(function(np.clip(outcome, low, high)), dtype=np.float64)
                    values = np.where(beyond, within, values)
            return values

        return self._mixed(lambda part: part.expectation(finite))

    def _mixed(self, ask: Callable[[ItemDistributions], FloatArray]) -> FloatArray:
        """Return the weighted sum over models of what `ask` finds in their items, (N,)."""
        total = np.zeros(len(self.x))
        for items, share, part in self._parts:
            total[items] += share * ask(part)
        return total
