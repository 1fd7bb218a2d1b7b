"""Penalised gamma regression with a log link: how large squared errors are, item by item.

The deviance of the gamma weighs relative errors, so that a few large squares do not decide
alone. With a log link the expected information is that of ordinary least squares, whatever the
coefficients: one eigendecomposition serves every penalty and every leave-one-out step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray

__all__ = ["GammaFit", "fit_gamma", "fit_nested_gamma"]

PENALTIES = np.array([10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003])
"""Penalties tried, strongest first, in units of the number of rows: on standardised columns,
penalty 1 halves a coefficient."""

TRIMMED = 0.995
"""Larger labels than this quantile count as it: one surprise must not decide alone."""

POWER = 0.125
"""Part of the likelihood by which fits to more and fewer columns weigh."""

MOST_STEPS = 100
ENOUGH = 1e-6
"""The fit ends where a step gains less than this a row."""

STEP_SIZES = 0.5 ** np.arange(12)
"""A step that makes matters worse is halved; where no size helps, the fit ends."""

LEAST_SHARE = 1e-6
"""A mean without a row is at least this share of the mean: of labels that are 0 but for one."""

LARGEST_SHIFT = 3.0
"""Leaving a row out moves the logarithm of its mean by no more than this."""


@dataclass(frozen=True, eq=False)
class GammaFit:
    """A fitted gamma regression.

    Parameters
    ----------
    coef_ : (p,) float64
        Coefficients of the linear predictor.
    intercept_ : float
        Its intercept.
    ends_ : (float, float)
        Smallest and largest linear predictor of the training rows: beyond them an exponential
        reaches anywhere, so predictions are held within.
    penalty_ : float
        Chosen penalty; infinite for the constant prediction.
    held_out_ : (n,) float64
        Leave-one-out means of the training rows.
    loss_ : float
        Mean leave-one-out loss: half the unit deviance up to a constant, in labels of mean 1.
    """

    coef_: FloatArray
    intercept_: float
    ends_: tuple[float, float]
    penalty_: float
    held_out_: FloatArray
    loss_: float

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        if not self.coef_.any():
            return np.full(len(x), np.exp(self.intercept_))
        return np.asarray(np.exp(np.clip(x @ self.coef_ + self.intercept_, *self.ends_)))


def fit_gamma(x: FloatArray, y: FloatArray) -> GammaFit:
    """Fit with an unpenalised intercept; a constant prediction is among the candidates.

    Parameters
    ----------
    x : (n, p) float64
        Columns, in any units: they are standardised.
    y : (n,) float64
        Labels from 0 up, such as squared residuals, at least one. Labels that are all 0 have the
        constant prediction 0.

    Returns
    -------
    GammaFit

    Notes
    -----
    The penalised loss is sum(eta + y exp(-eta)) + penalty |coef|^2 / 2 with eta the logarithm of
    the mean: half the gamma deviance up to a constant (McCullagh and Nelder 1989, section 8.3).
    It is convex in the coefficients. The penalty has the least leave-one-out loss, where leaving
    a row out is one step of Fisher scoring from the fit that has it.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 200)[:, None]
    >>> fit = fit_gamma(x, np.exp(2.0 * x[:, 0]))
    >>> bool(abs(fit.coef_[0] - 2.0) < 0.1)
    True
    """
    n = len(y)
    told = np.minimum(y, np.quantile(y, TRIMMED))
    size = float(told.mean())
    largest = np.abs(x).max(axis=0, initial=0.0)
    # Dividing by the largest first keeps the squares of huge columns finite.
    shrunk = x / np.where(largest > 0.0, largest, 1.0)
    centre, scale = shrunk.mean(axis=0), shrunk.std(axis=0)
    used = scale > 1e-9
    if n < 3 or not used.any() or not size > 0.0 or float(np.ptp(told)) <= 1e-12 * size:
        return _constant(told, size, x.shape[1])
    standard = (shrunk[:, used] - centre[used]) / scale[used]
    axis = _Axes.of(standard)
    t = told / size
    best = _constant(told, size, x.shape[1])
    slope, eta = np.zeros(axis.z.shape[1]), np.zeros(n)
    risen, before = 0, np.inf
    for penalty in PENALTIES * n:
        slope, eta = _fitted(axis, t, penalty, slope)
        left = _left_out(axis, t, penalty, eta)
        loss = float(np.mean(left + t * np.exp(-left)))
        risen, before = (risen + 1 if loss > before else 0), loss
        # Weaker penalties take the most steps, and are of no use once the loss rises.
        if risen == 2:
            break
        if loss < best.loss_:
            coef = np.zeros(x.shape[1])
            coef[used] = axis.back @ slope[1:] / scale[used]
            above = float(np.log(size)) + float(slope[0]) - float(centre @ coef)
            coef /= np.where(largest > 0.0, largest, 1.0)
            ends = (float(eta.min() + np.log(size)), float(eta.max() + np.log(size)))
            best = GammaFit(coef, above, ends, float(penalty), size * np.exp(left), loss)
    return best


def fit_nested_gamma(x: FloatArray, y: FloatArray, sizes: Sequence[int]) -> GammaFit:
    """Fit to the leading columns, so many in turn, and average the linear predictors.

    Each fit weighs exp(-n loss / 8), an eighth of the likelihood of a gamma with unit dispersion:
    with few labels the least of several held-out losses is a lucky one, and picking it lost up to
    3 % in RMSE where averaging did not.

    Parameters
    ----------
    x : (n, p) float64
        Columns, the most telling first.
    y : (n,) float64
        Labels from 0 up.
    sizes : sequence of int
        Numbers of leading columns tried; more than p counts as p.

    Returns
    -------
    GammaFit
        The penalty is that of the fit with the most weight.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 400).reshape(200, 2)
    >>> fit = fit_nested_gamma(x, np.exp(2.0 * x[:, 0]), (1, 2))
    >>> bool(np.abs(np.log(fit.predict(x)) - 2.0 * x[:, 0]).max() < 0.1)
    True
    """
    p = x.shape[1]
    fits = [fit_gamma(x[:, :size], y) for size in sorted({min(size, p) for size in sizes})]
    losses = np.array([one.loss_ for one in fits])
    best = fits[int(np.argmin(losses))]
    if not np.isfinite(best.loss_):
        return replace(best, coef_=np.zeros(p))
    weight = np.exp(-POWER * len(y) * (losses - best.loss_))
    weight /= weight.sum()
    coef = np.zeros(p)
    for one, share in zip(fits, weight, strict=True):
        coef[: len(one.coef_)] += share * one.coef_
    low, high, intercept = weight @ np.array([[*one.ends_, one.intercept_] for one in fits])
    held_out = np.exp(weight @ np.log(np.stack([one.held_out_ for one in fits])))
    return GammaFit(
        coef_=coef,
        intercept_=float(intercept),
        ends_=(float(low), float(high)),
        penalty_=best.penalty_,
        held_out_=held_out,
        loss_=float(weight @ losses),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Axes:
    """Columns on their principal axes, with the intercept first.

    `z` (n, 1 + r), `squares` (1 + r,) their sums of squares, `back` (p, r) to the columns.
    """

    z: FloatArray
    squares: FloatArray
    back: FloatArray

    @classmethod
    def of(cls, x: FloatArray) -> _Axes:
        """Return the axes of standardised columns (n, p)."""
        u, d, vt = np.linalg.svd(x, full_matrices=False)
        keep = d > 1e-9 * d[0]
        z = np.column_stack([np.ones(len(x)), u[:, keep] * d[keep]])
        return cls(z, np.concatenate([[float(len(x))], d[keep] ** 2]), vt[keep].T)

    def ridge(self, penalty: float) -> FloatArray:
        """Return the penalty of each axis: none on the intercept."""
        pull = np.full(len(self.squares), penalty)
        pull[0] = 0.0
        return pull


def _constant(y: FloatArray, size: float, p: int) -> GammaFit:
    """Return the mean of the labels for every item."""
    n = len(y)
    if not size > 0.0:
        return GammaFit(np.zeros(p), -np.inf, (-np.inf, -np.inf), np.inf, np.zeros(n), -np.inf)
    held_out = (n * size - y) / (n - 1.0) if n > 1 else y.copy()
    held_out = np.maximum(held_out, LEAST_SHARE * size)
    loss = float(np.mean(np.log(held_out / size) + y / held_out))
    eta = float(np.log(size))
    return GammaFit(np.zeros(p), eta, (eta, eta), np.inf, held_out, loss)


def _fitted(
    axes: _Axes, t: FloatArray, penalty: float, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the slopes on the axes and the linear predictors (n,), by Fisher scoring."""
    pull = axes.ridge(penalty)
    expected = axes.squares + pull
    slope, eta = start, axes.z @ start
    value = _objective(eta, t, pull, slope)
    for _ in range(MOST_STEPS):
        step = -(axes.z.T @ (1.0 - t * np.exp(-eta)) + pull * slope) / expected
        along = axes.z @ step
        for size in STEP_SIZES:
            new = _objective(eta + size * along, t, pull, slope + size * step)
            if new < value:
                break
        else:
            break
        slope, eta = slope + size * step, eta + size * along
        gain, value = value - new, new
        if gain <= ENOUGH * len(t):
            break
    return slope, eta


def _objective(eta: FloatArray, t: FloatArray, pull: FloatArray, slope: FloatArray) -> float:
    """Return the penalised loss; infinite where an exponential overflows."""
    with np.errstate(over="ignore"):
        return float(np.sum(eta + t * np.exp(-eta)) + 0.5 * (pull @ slope**2))


def _left_out(axes: _Axes, t: FloatArray, penalty: float, eta: FloatArray) -> FloatArray:
    """Return the linear predictor of each row without it, by a step of Fisher scoring."""
    leverage = (axes.z**2) @ (1.0 / (axes.squares + axes.ridge(penalty)))
    shift = leverage * (t * np.exp(-eta) - 1.0) / np.maximum(1.0 - leverage, 1e-3)
    return np.asarray(eta - np.clip(shift, -LARGEST_SHIFT, LARGEST_SHIFT))
