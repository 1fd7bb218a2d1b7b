"""Penalised generalised linear models with a canonical link, tuned by leave-one-out error.

Logit link for outcomes from 0 to 1 (two classes, or shares of a range), log link for outcomes
from 0 up. Newton's method with warm starts along the penalties; leaving a row out is taken as
one Newton step from the fit that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dtrtrs

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["GlmFit", "Link", "fit_glm"]

Link = Literal["logit", "log"]

PENALTIES = np.array([30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01])
"""Penalties tried, strongest first, in units of what the labels tell of a constant prediction:
the number of labels times p (1 - p), or times their mean, so that their unit does not matter."""

MOST_STEPS = 30
"""Newton steps a penalty may take; about five are usual."""

LAST_GAIN = 1e-8
"""Share of the objective that the last Newton step may gain."""

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
    scaled, back = _columns((x - x_mean) * factors)
    if not scaled.shape[1]:
        return _constant(mean, link, x.shape[1], constant)
    z = np.column_stack([np.ones(n), scaled])
    # In units of their mean, labels of any unit take the same steps.
    size = mean if link == "log" else 1.0
    told, cap = y / size, float(np.log(y.max() / size)) if link == "log" else LARGEST_LOGIT
    beta = np.zeros(z.shape[1])
    beta[0] = 0.0 if link == "log" else np.log(mean / (1.0 - mean))
    best = _loss(told, constant / size, link) if penalty is None else np.inf
    chosen, found, held_out = np.inf, beta, constant
    unit = n if link == "log" else n * mean * (1.0 - mean)
    curve = _Curve.at(z, z @ beta, link)
    for candidate in PENALTIES * unit if penalty is None else (penalty / size,):
        beta, held = _newton(told, cap, float(candidate), beta, curve)
        loss = _loss(told, held, link)
        if loss < best:
            best, chosen, found, held_out = loss, float(candidate), beta, held * size
        elif np.isfinite(chosen):
            # Past its least the loss rises on, and the weak penalties cost the most steps.
            break
    if not np.isfinite(chosen):
        return _constant(mean, link, x.shape[1], constant)
    coef = factors * (back @ found[1:])
    above = float(np.log(size))
    intercept = float(found[0] - x_mean @ coef) + above
    return GlmFit(coef, intercept, link, cap + above, chosen * size, held_out)


def _columns(scaled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns (n, q) that span those of `scaled` (n, p), and what turns them back (p, q)."""
    n, p = scaled.shape
    if p < n:
        kept = scaled.any(axis=0)
        return scaled[:, kept], np.eye(p)[:, kept]
    u, d, vt = np.linalg.svd(scaled, full_matrices=False)
    keep = d > 1e-10 * max(float(d[0]), 1e-300)
    return u[:, keep] * d[keep], vt[keep].T


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


@dataclass
class _Curve:
    """Curvature of the log-likelihood at the last coefficients it was worked out for.

    Parameters
    ----------
    z : (n, q) float64
        Columns of the linear predictor.
    link : str
        logit or log.
    gram : (q, q) float64
        Sum of weight z z' over the rows.
    """

    z: FloatArray
    link: Link
    gram: FloatArray

    @classmethod
    def at(cls, z: FloatArray, eta: FloatArray, link: Link) -> _Curve:
        """Return the curvature at linear predictors `eta` (n,)."""
        return cls(z, link, _gram(z, _weight(eta, link)))

    def move(self, eta: FloatArray) -> None:
        """Work it out anew."""
        self.gram = _gram(self.z, _weight(eta, self.link))


def _weight(eta: FloatArray, link: Link) -> FloatArray:
    """Return the variance that the link stands for, at linear predictors."""
    mu = inverse_link(eta, link, np.inf)
    return mu if link == "log" else mu * (1.0 - mu)


def _gram(z: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the weighted sum of z z' (q, q)."""
    half = z * np.sqrt(weight)[:, None]
    # A product of a matrix and its own transpose takes half the work of any other.
    return np.asarray(half.T @ half)


def _newton(
    y: FloatArray, cap: float, penalty: float, start: FloatArray, curve: _Curve
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients at one penalty and the leave-one-out means (n,).

    `curve` is the one at `start`, or near enough: each step is held against the objective. It
    is left at the coefficients that the last step began at, which are as good as the last.
    """
    z, link = curve.z, curve.link
    ridge = np.full(z.shape[1], penalty)
    ridge[0] = 0.0
    beta, eta = start, z @ start
    value = _objective(eta, y, beta, link, penalty)
    for number in range(MOST_STEPS):
        if number:
            curve.move(eta)
        factor = _cholesky(curve.gram, ridge)
        slope = z.T @ (y - inverse_link(eta, link, np.inf)) - ridge * beta
        step, _ = dpotrs(factor, slope, lower=1)
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
        # What a further step would gain falls with the square of what this one did.
        if gain <= (LAST_GAIN if number else 1e-9) * (abs(value) + 1.0):
            break
    mu = inverse_link(eta, link, np.inf)
    rows, _ = dtrtrs(factor, z.T, lower=1)
    leverage = np.einsum("ij,ij->j", rows, rows)
    left = np.maximum(1.0 - _weight(eta, link) * leverage, 1e-3)
    return beta, inverse_link(eta - leverage * (y - mu) / left, link, cap)


def _cholesky(gram: FloatArray, ridge: FloatArray) -> FloatArray:
    """Return the lower factor of a Hessian that may be singular to rounding."""
    diagonal = gram.diagonal() + ridge
    jitter = 1e-12 * float(diagonal.mean())
    while True:
        hessian = gram.copy(order="F")
        np.fill_diagonal(hessian, diagonal + jitter)
        # LAPACK itself: on small matrices the checks of scipy.linalg take longer than the work.
        factor, failed_at = dpotrf(hessian, lower=1, overwrite_a=1)
        if failed_at == 0:
            return np.asarray(factor)
        jitter *= 100.0
