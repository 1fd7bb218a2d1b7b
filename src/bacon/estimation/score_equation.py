"""The score equation of a likelihood, and its root by Newton's method.

With statistics y_i, the design D_i of item i and the family's mean mu, theta solves

    sum_i w_i D_i'(y_i - mu(D_i theta)) = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import EstimationError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.families import Family

__all__ = ["NoFiniteRoot", "ScoreEquation", "find_root"]

MOST_STEPS = 100
"""Newton steps; a finite root takes about ten."""

FLATTEST = 1e-12
"""Least curvature, as a share of the largest met, at which an equation still has a finite root."""


class NoFiniteRoot(EstimationError):
    """The equation has no finite root; `direction` (q,) is where it runs away to."""

    def __init__(self, direction: FloatArray) -> None:
        super().__init__("the coefficients have no finite value.")
        self.direction = direction


@dataclass(frozen=True, eq=False)
class ScoreEquation:
    """A family with the design of each of its C linear predictors.

    Parameters
    ----------
    family : Family
        Mean and variance of the statistics.
    designs : tuple of (n, q_c) float64
        One for each linear predictor; their coefficients stand one after another in theta (q,).
    """

    family: Family
    designs: tuple[FloatArray, ...]

    @property
    def n_coefficients(self) -> int:
        """Number q of coefficients."""
        return sum(part.shape[1] for part in self.designs)

    def at(self, rows: IntArray) -> ScoreEquation:
        """Return the equation of some rows."""
        return ScoreEquation(self.family, tuple(part[rows] for part in self.designs))

    def linear(self, theta: FloatArray) -> FloatArray:
        """Return the linear predictors (n, C)."""
        ends = np.cumsum([part.shape[1] for part in self.designs])[:-1]
        parts = zip(self.designs, np.split(theta, ends), strict=True)
        return np.column_stack([part @ own for part, own in parts])

    def mean(self, theta: FloatArray) -> FloatArray:
        """Return the mean (n, C) of the statistics."""
        return self.family.mean(self.linear(theta))

    def score(self, values: FloatArray) -> FloatArray:
        """Return D_i'v_i (n, q) of values (n, C)."""
        return np.hstack([part * values[:, [c]] for c, part in enumerate(self.designs)])

    def total(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the weighted sum (q,) of D_i'v_i."""
        weighted = weights[:, None] * values
        return np.concatenate([part.T @ weighted[:, c] for c, part in enumerate(self.designs)])

    def slope(self, covariance: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the weighted sum (q, q) of D_i'V_i D_i for covariances (n, C, C)."""
        weighted = weights[:, None, None] * covariance
        return np.vstack(
            [
                np.hstack(
                    [a.T @ (weighted[:, [i], j] * b) for j, b in enumerate(self.designs)],
                )
                for i, a in enumerate(self.designs)
            ]
        )

    def slope_at(self, theta: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the slope (q, q) of the weighted sum of scores."""
        return self.slope(self.family.moments(self.linear(theta))[1], weights)

    def leverage(self, theta: FloatArray, weights: FloatArray) -> FloatArray:
        """Return how much of each row's own value (n,) its fit takes, between 0 and 1."""
        covariance = self.family.moments(self.linear(theta))[1]
        inverse = np.linalg.inv(self.slope(covariance, weights))
        ends = np.cumsum([part.shape[1] for part in self.designs])[:-1]
        total = np.zeros(len(weights))
        for i, rows in enumerate(np.split(inverse, ends)):
            for j, block in enumerate(np.split(rows, ends, axis=1)):
                form = np.einsum("np,pq,nq->n", self.designs[i], block, self.designs[j])
                total += weights * covariance[:, i, j] * form
        return total / len(self.designs)


def find_root(
    equation: ScoreEquation,
    target: FloatArray,
    weights: FloatArray,
    start: FloatArray | None = None,
) -> FloatArray:
    """Return theta (q,) at which the weighted sum of D_i'mu_i is `target`.

    Newton's method on the concave target'theta - sum_i w_i K_i, the step halved until that rises.

    Parameters
    ----------
    equation : ScoreEquation
        Of n rows.
    target : (q,) float64
        Weighted sum of D_i'y_i, or what an augmented equation puts in its place.
    weights : (n,) float64
        Weights of the rows.
    start : (q,) float64, optional
        Where to start; 0 by default.

    Raises
    ------
    NoFiniteRoot
        The search runs away, or the equation is flat in some direction.
    """
    with np.errstate(over="ignore", invalid="ignore"):

        def height(theta: FloatArray, eta: FloatArray) -> float:
            return float(target @ theta - weights @ equation.family.cumulant(eta))

        theta = np.zeros(equation.n_coefficients) if start is None else start
        eta = equation.linear(theta)
        value = height(theta, eta)
        if not math.isfinite(value):
            # Coefficients of the labels may overflow at other items.
            theta = np.zeros(equation.n_coefficients)
            eta = equation.linear(theta)
            value = height(theta, eta)
        steepest = 0.0
        for _ in range(MOST_STEPS):
            mean, covariance = equation.family.moments(eta)
            curvature, vectors = np.linalg.eigh(equation.slope(covariance, weights))
            steepest = max(steepest, float(curvature[-1]))
            if not curvature[0] > FLATTEST * steepest:
                break
            gradient = target - equation.total(mean, weights)
            step = vectors @ ((vectors.T @ gradient) / curvature)
            change = equation.linear(step)
            if np.abs(change).max() <= 1e-9 * (1.0 + np.abs(eta).max()):
                return np.asarray(theta + step)
            share = 1.0
            while share > 1e-9:
                moved = eta + share * change
                gained = height(theta + share * step, moved)
                if gained >= value - 1e-12 * (1.0 + abs(value)):
                    break
                share /= 2.0
            theta, eta, value = theta + share * step, moved, gained
    raise NoFiniteRoot(theta if theta.any() else vectors[:, 0])
