"""The predictive distribution of the cross-fitted models, P(Y <= theta | x)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bacon.arrays import FloatArray, IntArray
    from bacon.data.predictions import Predictions

__all__ = ["PredictiveDistribution", "label_support"]

MOST_LEVELS = 20
"""Labels with more different values than this are taken as continuous."""

RESIDUAL_POINTS = 100
"""Points that stand for a model's residual distribution."""

MOMENT_POINTS = 50
"""Points over which a user's moment is averaged."""


def label_support(y: FloatArray) -> FloatArray | None:
    """Return the sorted values of discrete labels, None for continuous ones."""
    values = np.unique(y)
    return values if len(values) <= MOST_LEVELS and len(values) < len(y) / 2 else None


def _thinned(residual: FloatArray, points: int) -> FloatArray:
    """Return at most `points` ascending values that stand for `residual`."""
    if len(residual) <= points:
        return residual
    return np.asarray(np.quantile(residual, (np.arange(points) + 0.5) / points))


@dataclass(frozen=True, eq=False)
class PredictiveDistribution:
    """Mixture over the models an item takes of prediction plus residual.

    Labels with few different values are compared at the mid-points between them, so that a
    prediction of 3.4 with no residual counts as a 3.

    Parameters
    ----------
    predictions : Predictions
        Cross-fitted predictions.
    rows : (m,) int64
        Labelled rows.
    support : (L,) float64 or None
        Values of discrete labels, ascending.
    """

    predictions: Predictions
    rows: IntArray
    support: FloatArray | None = None
    grid: int = 256

    @cached_property
    def _residuals(self) -> tuple[FloatArray, ...]:
        return tuple(_thinned(r, RESIDUAL_POINTS) for r in self.predictions.residuals)

    @cached_property
    def _sorted_parts(self) -> list[tuple[float, int, FloatArray]]:
        """Weight, model and ascending predictions of each set of items that share both."""
        parts = []
        p = self.predictions
        unlabelled = np.ones(len(p.mean), dtype=bool)
        unlabelled[self.rows] = False
        for model in range(p.n_models):
            sets = [(1.0, unlabelled & (p.fold == model))]
            sets += [
                (float(w), unlabelled & (p.fold < 0) & (p.stratum == h))
                for h, w in enumerate(p.weights[:, model])
                if w > 0.0
            ]
            parts += [
                (weight, model, np.sort(p.by_model[members, model]))
                for weight, members in sets
                if members.any()
            ]
        return parts

    @cached_property
    def _slack(self) -> float:
        """What makes prediction + residual = theta count as reached, whatever its rounding."""
        residual = max(float(np.abs(r).max()) for r in self.predictions.residuals)
        return 1e-12 * (residual + float(np.abs(self.predictions.by_model[self.rows]).max()))

    def _cut(self, thetas: FloatArray) -> FloatArray:
        """Move thetas to the mid-point above them for discrete labels."""
        if self.support is None:
            return thetas + self._slack
        middles = (self.support[1:] + self.support[:-1]) / 2.0
        cuts = np.concatenate([[-np.inf], middles, [np.inf]])
        return np.asarray(cuts[np.searchsorted(self.support, thetas, side="right")])

    def pool_mean(self, thetas: FloatArray) -> FloatArray:
        """Return the pool mean (T,) of P(Y <= theta | x)."""
        total = self.labelled(thetas).sum(axis=0)
        for weight, model, values in self._sorted_parts:
            points = np.subtract.outer(self._cut(thetas), self._residuals[model])
            counts = np.searchsorted(values, points, side="right")
            total += weight * counts.mean(axis=1)
        return np.asarray(total / len(self.predictions.mean))

    def labelled(self, thetas: FloatArray) -> FloatArray:
        """Return P(Y <= theta | x) of the labelled rows, (m, T)."""
        return self._at(self.rows, thetas)

    def everywhere(self, theta: float) -> FloatArray:
        """Return P(Y <= theta | x) of every item, (N,)."""
        return self._at(np.arange(len(self.predictions.mean)), np.array([theta]))[:, 0]

    def _item_weights(self, rows: IntArray) -> Iterator[tuple[int, FloatArray]]:
        """Yield each model with its weight at `rows`."""
        p = self.predictions
        own, stratum = p.fold[rows], p.stratum[rows]
        for model in range(p.n_models):
            mixture = p.weights[stratum, model]
            yield model, np.where(own < 0, mixture, (own == model).astype(np.float64))

    def _at(self, rows: IntArray, thetas: FloatArray) -> FloatArray:
        cuts = self._cut(thetas)
        total = np.zeros((len(rows), len(thetas)))
        for model, weight in self._item_weights(rows):
            gaps = cuts[None, :] - self.predictions.by_model[rows, model][:, None]
            residual = self._residuals[model]
            share = np.searchsorted(residual, gaps, side="right") / len(residual)
            total += weight[:, None] * share
        return total

    def variance(self) -> FloatArray:
        """Return the predicted variance of Y given X of every item, (N,)."""
        p = self.predictions
        second = np.zeros(len(p.mean))
        for model, weight in self._item_weights(np.arange(len(p.mean))):
            within = float(np.mean(p.residuals[model] ** 2))
            second += weight * (within + (p.by_model[:, model] - p.mean) ** 2)
        return second

    def expectation(
        self,
        function: Callable[[FloatArray], FloatArray],
        low: float = -np.inf,
        high: float = np.inf,
    ) -> FloatArray:
        """Return E[function(Y) | x] of every item (N,), averaged over pooled residuals.

        Where the function has no finite value, such as the logarithm of a prediction below
        0, it is taken at the nearest outcome from `low` to `high`.
        """
        pooled = np.sort(np.concatenate(self.predictions.residuals))
        points = _thinned(pooled, MOMENT_POINTS)
        total = np.zeros(len(self.predictions.mean))
        with np.errstate(all="ignore"):
            for residual in points:
                outcome = self.predictions.mean + residual
                values = np.asarray(function(outcome), dtype=np.float64)
                beyond = ~np.isfinite(values)
                if beyond.any():
                    within = np.clip(outcome, low, high)
                    values = np.where(beyond, np.asarray(function(within)), values)
                total += values
        return total / len(points)
