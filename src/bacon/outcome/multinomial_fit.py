"""Penalised multinomial logit, its penalty chosen by approximate leave-one-out Brier score.

The scores of the C classes are eta_i = U (a + G' z_i): z the features in their singular basis,
U (C, C-1) orthonormal contrasts. With a ridge on G this is the symmetric parametrisation with
a ridge on the slopes of all classes, which does not depend on the order of the classes,
without its superfluous dimension.

One label in all, spread evenly over the classes at the centre of the features, is added to the
labels: the constant part is then (n_c + 1/C) / (n + 1), so that a class without labels keeps a
small probability and classes that the features separate stay finite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.multinomial_newton import contrasts, left_out, newton, softmax

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["MultinomialFit", "constant_shares", "fit_multinomial", "one_hot"]

PENALTIES = np.logspace(0.0, -4.0, 9)
"""Penalties tried, strongest first, in units of the largest squared singular value."""

BLOCK_FACTORS = (1.0, 0.3, 0.0)
"""Factors tried on the columns outside block 0; 0 leaves them out."""

PATIENCE = 2
"""Weaker penalties tried after the best so far."""

MOST_PARAMETERS = 400
"""Parameters of a model. With many classes only so many leading principal axes are read."""


@dataclass(frozen=True, eq=False)
class MultinomialFit:
    """A fitted multinomial logit.

    Parameters
    ----------
    coef_ : (p, C) float64
        Slopes; rows sum to zero.
    intercept_ : (C,) float64
        Intercepts; they sum to zero.
    penalty_ : float
        Chosen penalty; infinite for the constant prediction.
    factors_ : (p,) float64
        What each column was multiplied by before the common penalty.
    held_out_ : (n, C) float64
        Class probabilities of each training row by the model without it, up to one Newton step.
    """

    coef_: FloatArray
    intercept_: FloatArray
    penalty_: float
    factors_: FloatArray
    held_out_: FloatArray

    def probabilities(self, x: FloatArray) -> FloatArray:
        """Return the class probabilities (N, C) of each row; rows sum to one."""
        return softmax(x @ self.coef_ + self.intercept_)

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the class probabilities, by the name that the fold loop knows."""
        return self.probabilities(x)


def fit_multinomial(
    x: FloatArray,
    codes: IntArray,
    n_classes: int,
    blocks: IntArray,
    penalty: float | None = None,
    *,
    factors: FloatArray | None = None,
) -> MultinomialFit:
    """Fit a multinomial logit; constant class shares are among the candidates.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    codes : (n,) int64
        Class 0..C-1 of each row; not every class needs a label.
    n_classes : int
        Number of classes C, at least 1.
    blocks : (p,) int64
        Penalty block of each column; those outside block 0 share a factor in `BLOCK_FACTORS`.
    penalty : float, optional
        Penalty on half the squared slopes of all classes; by default the one with the least
        leave-one-out Brier score. A penalty given takes every column as it is.
    factors : (p,) float64, optional
        What each column is multiplied by, where that is settled already.
    """
    n, p = x.shape
    y = one_hot(codes, n_classes)
    best = _constant(y, p)
    if n < 3 or p == 0 or len(np.unique(codes)) < 2:
        return best
    centre = x.mean(axis=0)
    least = brier(y, best.held_out_) if penalty is None else np.inf
    for scale in [factors] if factors is not None else _factors(blocks, penalty):
        u, d, vt = np.linalg.svd((x - centre) * scale, full_matrices=False)
        rank = int(np.count_nonzero(d > 1e-10 * max(float(d[0]), 1e-300)))
        rank = min(rank, max(MOST_PARAMETERS // (n_classes - 1) - 1, 1))
        if rank == 0:
            continue
        # Features of unit size keep the equations well scaled, whatever theirs is.
        unit = float(d[0]) / np.sqrt(n)
        tried = PENALTIES * n if penalty is None else np.array([penalty / unit**2])
        found, error = _path(u[:, :rank] * (d[:rank] / unit), y, tried)
        if error < least:
            least = error
            slopes = scale[:, None] * (vt[:rank].T @ found.slopes) / unit
            best = MultinomialFit(
                slopes,
                found.intercept - centre @ slopes,
                found.penalty * unit**2,
                scale,
                found.held_out,
            )
    return best


def _factors(blocks: IntArray, penalty: float | None) -> list[FloatArray]:
    """Return the column factors (p,) to try."""
    further = blocks != 0
    several = penalty is None and further.any() and not further.all()
    return [np.where(further, f, 1.0) for f in (BLOCK_FACTORS if several else (1.0,))]


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Return 1.0 in the column (n, C) of each row's class, else 0."""
    return np.asarray(codes[:, None] == np.arange(n_classes), dtype=np.float64)


def brier(y: FloatArray, probabilities: FloatArray) -> float:
    """Return the summed squared distance of probabilities (n, C) from what happened."""
    return float(np.sum((y - probabilities) ** 2))


def constant_shares(y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the class shares (C,) with one label spread evenly, and leaving each out (n, C)."""
    n, n_classes = y.shape
    counts = y.sum(axis=0) + 1.0 / n_classes
    return counts / (n + 1.0), (counts - y) / n


def _constant(y: FloatArray, p: int) -> MultinomialFit:
    """Return the model that gives every item the same shares."""
    shares, held_out = constant_shares(y)
    logs = np.log(shares)
    slopes = np.zeros((p, y.shape[1]))
    return MultinomialFit(slopes, logs - logs.mean(), np.inf, np.ones(p), held_out)


@dataclass(frozen=True, eq=False)
class _Solution:
    """Slopes (r, C) and intercepts (C,) in the singular basis, with leave-one-out (n, C)."""

    slopes: FloatArray
    intercept: FloatArray
    penalty: float
    held_out: FloatArray


def _path(z: FloatArray, y: FloatArray, penalties: FloatArray) -> tuple[_Solution, float]:
    """Return the best solution along penalties, strongest first, and its Brier score."""
    u = contrasts(y.shape[1])
    z = np.column_stack([np.ones(len(z)), z])
    beta = np.zeros((z.shape[1], u.shape[1]))
    beta[0] = np.log(constant_shares(y)[0]) @ u
    found: list[tuple[float, _Solution]] = []
    best = 0
    for penalty in penalties:
        beta = newton(z, y, float(penalty), beta)
        held_out = left_out(z, y, float(penalty), beta)
        scores = beta @ u.T
        solution = _Solution(scores[1:], scores[0], float(penalty), held_out)
        found.append((brier(y, held_out), solution))
        best = min(range(len(found)), key=lambda k: found[k][0])
        if len(found) - 1 - best >= PATIENCE:
            break
    return found[best][1], found[best][0]
