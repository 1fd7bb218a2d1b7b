"""The stack: several outcome models weighted by what each says of labels it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.items import Mixture

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray
    from bacon.outcome.base import FittedModel
    from bacon.outcome.items import ItemDistributions

__all__ = ["StackFit", "View", "combine", "simplex_weights"]

NEGLIGIBLE = 0.005
"""Members with a smaller weight are left out, and the others share it."""


@dataclass(frozen=True, eq=False)
class View:
    """A model that reads the features through a matrix: some columns, or their average.

    Parameters
    ----------
    model : FittedModel
        Fitted to ``x @ columns`` or to ``x[:, columns]``.
    columns : (p,) bool or (p, 1) float64
        Which columns it reads, or the weights of the one it does.
    """

    model: FittedModel
    columns: FloatArray | BoolArray

    @property
    def held_out_(self) -> FloatArray:
        """Predictions of the training rows, each without its own label, (n,)."""
        return self.model.held_out_

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return self.model.predict(seen(x, self.columns))

    def distribution(self, x: FloatArray) -> ItemDistributions:
        """Return the model's predictive distribution of each row."""
        return self.model.distribution(seen(x, self.columns))


def seen(x: FloatArray, columns: FloatArray | BoolArray) -> FloatArray:
    """Return what a view reads of features (k, p)."""
    return np.asarray(x @ columns if columns.ndim == 2 else x[:, columns])


@dataclass(frozen=True, eq=False)
class StackFit:
    """A weighted sum of models; its distribution is their mixture.

    Parameters
    ----------
    names : tuple of str
        The members.
    members : tuple of FittedModel
        Their fits.
    weights_ : (J,) float64
        Their weights; they sum to one.
    held_out_ : (n,) float64
        The weighted held-out predictions.
    """

    names: tuple[str, ...]
    members: tuple[FittedModel, ...]
    weights_: FloatArray
    held_out_: FloatArray

    def _used(self) -> list[tuple[float, FittedModel]]:
        return [(float(w), m) for w, m in zip(self.weights_, self.members, strict=True) if w > 0.0]

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return np.asarray(sum(weight * member.predict(x) for weight, member in self._used()))

    def distribution(self, x: FloatArray) -> Mixture:
        """Return the mixture of the members' distributions."""
        used = self._used()
        return Mixture(
            np.array([weight for weight, _ in used]),
            tuple(member.distribution(x) for _, member in used),
        )


def combine(
    y: FloatArray, members: dict[str, FittedModel], prior: FloatArray, strength: float
) -> StackFit:
    """Weigh fitted members by their held-out predictions of labels.

    Parameters
    ----------
    y : (n,) or (n, C) float64
        Labels the members were fitted to; for classes one in the column of each label's.
    members : dict of str to FittedModel
        The members.
    prior : (J,) float64
        Weights to shrink to; they sum to one.
    strength : float
        How many labels' worth of evidence the prior weights count for.
    """
    held_out = np.stack([member.held_out_ for member in members.values()], axis=-1)
    weights = simplex_weights(y.ravel(), held_out.reshape(-1, len(members)), prior, strength)
    weights = np.where(weights < NEGLIGIBLE, 0.0, weights)
    weights /= weights.sum()
    return StackFit(tuple(members), tuple(members.values()), weights, held_out @ weights)


def simplex_weights(
    y: FloatArray, held_out: FloatArray, prior: FloatArray, strength: float
) -> FloatArray:
    """Return nonnegative weights (J,) that sum to one and predict labels best, shrunk to a prior.

    They minimise |y - held_out w|^2 + strength s^2 |w - prior|^2, s^2 the smallest mean squared
    error of a member.
    """
    from scipy.optimize import nnls

    n_members = held_out.shape[1]
    # With weights that sum to one, y - held_out w is the weighted sum of the members' errors.
    errors = y[:, None] - held_out
    squares = np.mean(errors**2, axis=0)
    if not squares.max() > 0.0:
        return prior.copy()
    pull = np.sqrt(strength * max(float(squares.min()), 1e-6 * float(squares.max())))
    # A heavy row holds the sum at one; nnls knows bounds only.
    heavy = 1e4 * np.sqrt(float((errors**2).sum()))
    left = np.vstack([errors, pull * np.eye(n_members), np.full((1, n_members), heavy)])
    right = np.concatenate([np.zeros(len(y)), pull * prior, [heavy]])
    weights = nnls(left, right)[0]
    return np.asarray(weights / weights.sum())
