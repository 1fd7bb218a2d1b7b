"""Ridge regression tuned by exact leave-one-out errors, with a penalty for each block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray

__all__ = ["RidgeFit", "fit_ridge"]

PENALTIES = np.logspace(-3.0, 4.0, 29)
"""Penalties tried, in units of the number of labels for standardised features."""

BLOCK_SCALES = (1.0, 0.3, 0.1, 0.0)
"""Factors tried on the columns of block 1; 0 leaves the block out."""


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A fitted ridge.

    Parameters
    ----------
    coef_ : (p,) float64
        Coefficients.
    intercept_ : float
        Intercept.
    penalty_ : float
        Chosen penalty; infinite for the constant prediction.
    block_scale_ : float
        Chosen factor of block 1.
    residual_ : (n,) float64
        Leave-one-out residuals, ascending and centred: the predictive distribution is the
        prediction plus one of them.
    """

    coef_: FloatArray
    intercept_: float
    penalty_: float
    block_scale_: float
    residual_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the predicted mean (N,) of each row."""
        return np.asarray(x @ self.coef_ + self.intercept_)


def fit_ridge(x: FloatArray, y: FloatArray, block_one: BoolArray) -> RidgeFit:
    """Fit a ridge with an unpenalised intercept, its penalty chosen by leave-one-out error.

    The leave-one-out residual of a linear smoother is e_i / (1 - H_ii), so one singular value
    decomposition for each block factor prices every penalty. A constant prediction is among
    the candidates: features that do not help are not used.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n,) float64
        Outcomes, at least one.
    block_one : (p,) bool
        Columns that get a penalty of their own, through a factor in `BLOCK_SCALES`.
    """
    n = len(y)
    y_mean, x_mean = float(y.mean()), x.mean(axis=0)
    centred, target = x - x_mean, y - y_mean
    # Leaving a label out moves the mean: for the constant prediction 1 - H_ii = 1 - 1/n.
    best = target * n / max(n - 1, 1)
    error, coef = float(best @ best), np.zeros(x.shape[1])
    chosen, chosen_factor = np.inf, 1.0
    penalties = PENALTIES * n
    for factor in BLOCK_SCALES if block_one.any() and not block_one.all() else (1.0,):
        scale = np.where(block_one, factor, 1.0)
        u, d, vt = np.linalg.svd(centred * scale, full_matrices=False)
        keep = d > 1e-10 * max(float(d[0]), 1e-300) if len(d) else np.zeros(0, dtype=bool)
        u, d, vt = u[:, keep], d[keep], vt[keep]
        shrink = d[:, None] ** 2 / (d[:, None] ** 2 + penalties)
        left = 1.0 - 1.0 / n - (u**2) @ shrink
        usable = left.min(axis=0) >= 1e-8
        if n < 2 or not usable.any():
            continue
        uy = u.T @ target
        residuals = (target[:, None] - u @ (shrink * uy[:, None])) / np.where(usable, left, np.inf)
        errors = np.where(usable, np.einsum("ij,ij->j", residuals, residuals), np.inf)
        k = int(np.argmin(errors))
        if errors[k] < error:
            error, best = float(errors[k]), residuals[:, k]
            coef = scale * (vt.T @ (d / (d**2 + penalties[k]) * uy))
            chosen, chosen_factor = float(penalties[k]), factor
    intercept = y_mean - float(x_mean @ coef)
    return RidgeFit(coef, intercept, chosen, chosen_factor, np.sort(best - best.mean()))
