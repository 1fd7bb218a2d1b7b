"""Penalised generalised linear models with a canonical link, tuned by leave-one-out error.

Logit link for outcomes from 0 to 1 (two classes, or shares of a range), log link for outcomes
from 0 up. Newton's method with warm starts along the penalties; leaving a row out is taken as
one Newton step from the fit that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["GlmFit", "Link", "fit_glm"]

Link = Literal["logit", "log"]

PENALTIES = np.array([30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01])
"""Penalties tried, strongest first, in units of what the labels tell of a constant prediction:
the number of labels times p (1 - p), or times their mean, so that their unit does not matter."""

MOST_STEPS = 30
"""Newton steps a penalty may take; about five are usual."""

STEP_SIZES = 0.5 ** np.arange(20)
"""A step that makes matters worse is halved; where no size helps, the fit ends."""

LEAST_SHARE = 1e-3
"""Held-out probabilities nearer to 0 or 1 score as this, and held-out means below this share of
the labels' mean: one surprise must not decide alone."""

LEAST_LOG = -700.0
"""A mean keeps a logarithm above this: it stays above 0 in double precision."""

LARGEST_LOGIT = 30.0
"""Linear predictors are held within this: beyond, a probability is 0 or 1 in double precision."""


@dataclass(frozen=True, eq=False)
class GlmFit:
    """A fitted generalised linear model.

    Parameters
    ----------
    coef_ : (p,) float64
        Coefficients of the linear predictor.
    intercept_ : float
        Its intercept.
    link : str
        logit or log.
    cap : float
        Largest linear predictor: with the log link that of the largest label, since an
        exponential reaches anywhere beyond the items it was fitted to.
    penalty_ : float
        Chosen penalty; infinite for the constant prediction.
    held_out_ : (n,) float64
        Leave-one-out means of the training rows.
    """

    coef_: FloatArray
    intercept_: float
    link: Link
    cap: float
    penalty_: float
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return inverse_link(x @ self.coef_ + self.intercept_, self.link, self.cap)


def inverse_link(eta: FloatArray, link: Link, cap: float) -> FloatArray:
    """Return the mean at linear predictors `eta`."""
    if link == "log":
        return np.asarray(np.exp(np.clip(eta, LEAST_LOG, cap)))
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(eta, -LARGEST_LOGIT, LARGEST_LOGIT))))


def fit_glm(
    x: FloatArray, y: FloatArray, link: Link, factors: FloatArray, penalty: float | None = None
) -> GlmFit:
    """Fit with an unpenalised intercept; a constant prediction is among the candidates.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n,) float64
        Outcomes: from 0 to 1 for the logit link, from 0 up for the log link.
    link : {"logit", "log"}
        Canonical link: the score is the sum of x (y - mean) for both.
    factors : (p,) float64
        What each column is multiplied by before the common penalty; 0 leaves it out.
    penalty : float, optional
        The penalty on |coef|^2 / 2; by default the one with the least leave-one-out loss is
        chosen.
    """
    n, mean = len(y), float(y.mean())
    constant = (n * mean - y) / (n - 1.0) if n > 1 else y.copy()
    x_mean = x.mean(axis=0)
    if n < 3 or float(np.ptp(y)) == 0.0 or not x.shape[1]:
        return _constant(mean, link, x.shape[1], constant)
    u, d, vt = np.linalg.svd((x - x_mean) * factors, full_matrices=False)
    keep = d > 1e-10 * max(float(d[0]), 1e-300)
    if not keep.any():
        return _constant(mean, link, x.shape[1], constant)
    z = np.column_stack([np.ones(n), u[:, keep] * d[keep]])
    # In units of their mean, labels of any unit take the same steps.
    size = mean if link == "log" else 1.0
    told, cap = y / size, float(np.log(y.max() / size)) if link == "log" else LARGEST_LOGIT
    beta = np.zeros(z.shape[1])
    beta[0] = 0.0 if link == "log" else np.log(mean / (1.0 - mean))
    best = _loss(told, constant / size, link) if penalty is None else np.inf
    chosen, found, held_out = np.inf, beta, constant
    unit = n if link == "log" else n * mean * (1.0 - mean)
    for candidate in PENALTIES * unit if penalty is None else (penalty / size,):
        beta, held = _newton(z, told, link, cap, candidate, beta)
        loss = _loss(told, held, link)
        if loss < best:
            best, chosen, found, held_out = loss, float(candidate), beta, held * size
    if not np.isfinite(chosen):
        return _constant(mean, link, x.shape[1], constant)
    coef = factors * (vt[keep].T @ found[1:])
    above = float(np.log(size))
    intercept = float(found[0] - x_mean @ coef) + above
    return GlmFit(coef, intercept, link, cap + above, chosen * size, held_out)


def _constant(mean: float, link: Link, p: int, held_out: FloatArray) -> GlmFit:
    """Return the model that predicts the labels' mean everywhere."""
    edge = np.exp(-LARGEST_LOGIT)
    if link == "log":
        eta = float(np.log(max(mean, edge)))
        return GlmFit(np.zeros(p), eta, link, eta, np.inf, held_out)
    share = min(max(mean, edge), 1.0 - edge)
    eta = float(np.log(share / (1.0 - share)))
    return GlmFit(np.zeros(p), eta, link, LARGEST_LOGIT, np.inf, held_out)


def _loss(y: FloatArray, held_out: FloatArray, link: Link) -> float:
    """Return what the choice of a penalty is judged by.

    Squared errors in units of the variance that the log link stands for, and the log score of
    probabilities: unweighted squared errors let a few large labels decide.
    """
    if link == "log":
        least = LEAST_SHARE * float(y.mean())
        return float(np.sum((y - held_out) ** 2 / np.maximum(held_out, least)))
    inside = np.clip(held_out, LEAST_SHARE, 1.0 - LEAST_SHARE)
    return float(-np.sum(y * np.log(inside) + (1.0 - y) * np.log1p(-inside)))


def _objective(eta: FloatArray, y: FloatArray, beta: FloatArray, link: Link, pen: float) -> float:
    """Return the penalised negative log-likelihood up to a constant."""
    with np.errstate(over="ignore"):
        total = np.exp(eta) if link == "log" else np.logaddexp(0.0, eta)
    return float(np.sum(total - y * eta) + 0.5 * pen * (beta[1:] @ beta[1:]))


def _newton(
    z: FloatArray, y: FloatArray, link: Link, cap: float, penalty: float, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients at one penalty and the leave-one-out means (n,)."""
    ridge = np.full(z.shape[1], penalty)
    ridge[0] = 0.0
    beta, eta = start, z @ start
    value = _objective(eta, y, beta, link, penalty)
    for _ in range(MOST_STEPS):
        mu = inverse_link(eta, link, np.inf)
        weight = mu if link == "log" else mu * (1.0 - mu)
        hessian = (z * weight[:, None]).T @ z + np.diag(ridge)
        step = _solve(hessian, z.T @ (y - mu) - ridge * beta)
        along = z @ step
        for size in STEP_SIZES:
            moved = eta + size * along
            new = _objective(moved, y, beta + size * step, link, penalty)
            # Equal but for rounding counts as no worse: at the optimum no step gains anything.
            if new <= value + 1e-12 * abs(value):
                break
        else:
            break
        beta, eta = beta + size * step, moved
        gain, value = value - new, new
        if gain <= 1e-9 * (abs(value) + 1.0):
            break
    mu = inverse_link(eta, link, np.inf)
    weight = mu if link == "log" else mu * (1.0 - mu)
    hessian = (z * weight[:, None]).T @ z + np.diag(ridge)
    leverage = np.einsum("ij,ij->i", z, _solve(hessian, z.T).T)
    left = np.maximum(1.0 - weight * leverage, 1e-3)
    return beta, inverse_link(eta - leverage * (y - mu) / left, link, cap)


def _solve(hessian: FloatArray, right: FloatArray) -> FloatArray:
    """Solve with a Hessian that may be singular to rounding where all weights vanish."""
    jitter = 1e-12 * float(np.trace(hessian)) / len(hessian)
    return np.asarray(np.linalg.solve(hessian + jitter * np.eye(len(hessian)), right), np.float64)
