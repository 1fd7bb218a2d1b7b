"""Likelihood of the proportional-odds model and its maximum by Newton's method.

P(Y <= l | z) = s(a_l - z'b) with the logistic function s and thresholds a_1 < ... < a_{L-1}.
With u = a_l - z'b and v = a_{l-1} - z'b at a row's own level l,

    log P(Y = l | z) = log s(u) + log s(-v) + log(1 - exp(a_{l-1} - a_l)):

two logistic regressions and a barrier, free of z, that keeps the thresholds apart. The sum is
concave (Pratt 1981, Journal of the American Statistical Association 76, 103-106).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import EstimationError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Expansion", "LevelRows", "expand", "gaps", "minimise"]

MOST_STEPS = 100
"""Newton steps of one fit; one or two are usual from the fit at the penalty before."""

LARGEST_GAP = 700.0
"""Thresholds further apart count as this far: e^gap is still finite."""

MOST_HALVINGS = 60
"""Halvings of a step: the least one is below rounding."""

NO_FIT = (
    "The proportional-odds model has no finite fit at penalty {:g}: the features separate its "
    "levels perfectly; give a larger penalty."
)


@dataclass(frozen=True, eq=False)
class LevelRows:
    """Training rows in the order of their levels.

    Parameters
    ----------
    z : (n, q) float64
        Features.
    level : (n,) int64
        Level 0, ..., L - 1 of each row, ascending; every level occurs, L is at least 2.
    """

    z: FloatArray
    level: IntArray

    @cached_property
    def count(self) -> IntArray:
        """Number of rows of each level, (L,)."""
        return np.bincount(self.level)

    @cached_property
    def inner(self) -> IntArray:
        """Number of rows of each level between the first and the last, (L - 2,)."""
        return self.count[1:-1]

    @cached_property
    def first(self) -> IntArray:
        """First row of each level, (L,)."""
        return np.asarray(np.cumsum(self.count) - self.count)

    def sums(self, above: FloatArray, below: FloatArray) -> FloatArray:
        """Return the sums of rows' values at their thresholds above and below, (L - 1,)."""
        up, down = np.add.reduceat(above, self.first), np.add.reduceat(below, self.first)
        return np.asarray(up[:-1] + down[1:])

    def spread(self, above: FloatArray, below: FloatArray) -> FloatArray:
        """Return (n, L - 1) with each row's values at its thresholds above and below."""
        spread = np.zeros((len(self.level), len(self.count) + 1))
        rows = np.arange(len(self.level))
        spread[rows, self.level + 1] = above
        spread[rows, self.level] = below
        return spread[:, 1:-1]


@dataclass(frozen=True, eq=False)
class Expansion:
    """Minus the log-likelihood about a point.

    Parameters
    ----------
    threshold : (L - 1,) float64
        Thresholds a, ascending.
    coef : (q,) float64
        Coefficients b.
    value : float
        Minus the log-likelihood.
    above, below : (n,) float64
        s(-u) and s(v) of each row.
    gradient : (L - 1 + q,) float64
        Gradient, thresholds first.
    hessian : (L - 1 + q, L - 1 + q) float64
        Hessian, positive definite but for collinear features.
    """

    threshold: FloatArray
    coef: FloatArray
    value: float
    above: FloatArray
    below: FloatArray
    gradient: FloatArray
    hessian: FloatArray

    def penalised_gradient(self, penalty: float) -> FloatArray:
        """Return the gradient with penalty |b|^2 / 2 added."""
        gradient = self.gradient.copy()
        gradient[len(self.threshold) :] += penalty * self.coef
        return gradient

    def penalised_hessian(self, penalty: float) -> FloatArray:
        """Return the Hessian with penalty |b|^2 / 2 added."""
        hessian, k = self.hessian.copy(), len(self.threshold)
        hessian.flat[k * (len(hessian) + 1) :: len(hessian) + 1] += penalty
        return hessian


def gaps(threshold: FloatArray) -> FloatArray:
    """Return the distances of neighbouring thresholds, (L - 2,)."""
    return np.minimum(threshold[1:] - threshold[:-1], LARGEST_GAP)


def _sides(
    threshold: FloatArray, coef: FloatArray, rows: LevelRows
) -> tuple[float, FloatArray, FloatArray]:
    """Return minus the log-likelihood, s(-u) and s(v); infinity where thresholds cross."""
    apart, n = gaps(threshold), len(rows.level)
    if len(apart) and not float(apart.min()) > 0.0:
        return np.inf, np.empty(0), np.empty(0)
    eta = rows.z @ coef
    ends = np.concatenate([[-np.inf], threshold, [np.inf]])
    # t holds -u and v: above the last level and below the first it is minus infinity.
    t = np.concatenate([eta - ends[rows.level + 1], ends[rows.level] - eta])
    small = np.exp(-np.abs(t))
    value = float((np.maximum(t, 0.0) + np.log1p(small)).sum())
    value -= float(rows.inner @ np.log(-np.expm1(-apart)))
    s = np.where(t >= 0.0, 1.0, small)
    s /= 1.0 + small
    return value, s[:n], s[n:]


def expand(threshold: FloatArray, coef: FloatArray, rows: LevelRows) -> Expansion:
    """Return minus the log-likelihood with its derivatives at thresholds in order."""
    return _expansion(threshold, coef, rows, _sides(threshold, coef, rows))


def _expansion(
    threshold: FloatArray,
    coef: FloatArray,
    rows: LevelRows,
    sides: tuple[float, FloatArray, FloatArray],
    kept: FloatArray | None = None,
) -> Expansion:
    """Return the expansion where :func:`_sides` was taken, with a Hessian that was kept if any."""
    value, above, below = sides
    k = len(threshold)
    pull = 1.0 / np.expm1(gaps(threshold))
    force = rows.inner * pull
    gradient = np.empty(k + len(coef))
    gradient[:k] = rows.sums(-above, below)
    gradient[: k - 1] += force
    gradient[1:k] -= force
    gradient[k:] = (above - below) @ rows.z
    if kept is None:
        kept = _hessian(above, below, rows.inner * (pull + pull**2), rows)
    return Expansion(threshold, coef, value, above, below, gradient, kept)


def _hessian(
    above: FloatArray, below: FloatArray, stiffness: FloatArray, rows: LevelRows
) -> FloatArray:
    """Return the Hessian from s(-u), s(v) and the second derivatives of the barrier."""
    k, z = len(stiffness) + 1, rows.z
    w_above, w_below = above * (1.0 - above), below * (1.0 - below)
    hessian = np.zeros((k + z.shape[1], k + z.shape[1]))
    thresholds = hessian[:k, :k]
    thresholds[np.arange(k), np.arange(k)] = rows.sums(w_above, w_below)
    at = np.arange(k - 1)
    thresholds[at, at] += stiffness
    thresholds[at + 1, at + 1] += stiffness
    thresholds[at, at + 1] = thresholds[at + 1, at] = -stiffness
    hessian[:k, k:] = -(rows.spread(w_above, w_below).T @ z)
    hessian[k:, :k] = hessian[:k, k:].T
    weighted = np.sqrt(w_above + w_below)[:, None] * z
    hessian[k:, k:] = weighted.T @ weighted
    return hessian


def minimise(
    start: Expansion, rows: LevelRows, penalty: float, *, small: float, tolerance: float
) -> Expansion:
    """Return the expansion at the minimum of minus log-likelihood plus penalty |b|^2 / 2.

    Newton steps, halved until the thresholds are in order and the objective falls enough
    (Armijo). What a step promises is measured by g'H^-1 g / n, about the mean squared move of
    the rows' predictors.

    Parameters
    ----------
    start : Expansion
        Where to start.
    rows : LevelRows
        Training rows.
    penalty : float
        Penalty.
    small : float
        Steps that promise less than this keep the Hessian, while they get smaller fast.
    tolerance : float
        The first step that promises less than this is the last.

    Raises
    ------
    EstimationError
        When no minimum is found.
    """
    here, before = start, np.inf
    for _ in range(MOST_STEPS):
        gradient = here.penalised_gradient(penalty)
        step = _solved(here.penalised_hessian(penalty), -gradient, penalty)
        promise = -float(gradient @ step) / len(rows.level)
        keep = promise <= small and promise <= before / 10.0
        here = _damped(here, rows, penalty, step, here.hessian if keep else None)
        if promise <= tolerance:
            return here
        before = promise
    raise EstimationError(NO_FIT.format(penalty))


def _solved(hessian: FloatArray, right: FloatArray, penalty: float) -> FloatArray:
    """Return the solution with a positive definite matrix, which is overwritten."""
    from scipy.linalg.lapack import dposv

    _, solution, failed = dposv(hessian.T, right, lower=1, overwrite_a=1)
    if failed:
        raise EstimationError(NO_FIT.format(penalty))
    return np.asarray(solution)


def _damped(
    here: Expansion, rows: LevelRows, penalty: float, step: FloatArray, kept: FloatArray | None
) -> Expansion:
    """Return the expansion at the first of the full, half, quarter, ... step that is enough."""
    k = len(here.threshold)
    value = here.value + 0.5 * penalty * float(here.coef @ here.coef)
    slope = float(here.penalised_gradient(penalty) @ step)
    slack = 1e-12 * (1.0 + abs(value))
    for size in 0.5 ** np.arange(MOST_HALVINGS):
        threshold, coef = here.threshold + size * step[:k], here.coef + size * step[k:]
        sides = _sides(threshold, coef, rows)
        new = sides[0] + 0.5 * penalty * float(coef @ coef)
        if new <= value + 1e-4 * size * slope + slack:
            return _expansion(threshold, coef, rows, sides, kept)
    raise EstimationError(NO_FIT.format(penalty))
