"""Ridge regression tuned by exact leave-one-out errors, with a penalty for each block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["BlockRidge"]

PENALTIES = np.logspace(-3.0, 4.0, 29)
"""Penalties tried, in units of the number of labels for standardised features."""

BLOCK_SCALES = (1.0, 0.3, 0.1, 0.0)
"""Factors tried on the columns of block 1; 0 leaves the block out."""


class BlockRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge with an unpenalised intercept, its penalty chosen by leave-one-out error.

    The leave-one-out residual of a linear smoother is e_i / (1 - H_ii), so one singular value
    decomposition for each block factor prices every penalty. A constant prediction is among
    the candidates: features that do not help are not used.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        0 or 1 for each column; the columns of block 1 get a penalty of their own through a
        factor in `BLOCK_SCALES`. By default all are in block 0.

    Attributes
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

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> model = BlockRidge().fit(x, 2 * x[:, 0] + 1)
    >>> np.round(model.predict([[10.0]]), 1)
    array([21.])
    """

    def __init__(self, blocks: npt.ArrayLike | None = None) -> None:
        self.blocks = blocks

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit to features (n, p) and outcomes (n,)."""
        x, y_ = validate_data(self, X, y, y_numeric=True, ensure_min_samples=1)
        x, y_ = x.astype(np.float64), y_.astype(np.float64)
        n = len(y_)
        y_mean = float(y_.mean())
        x_mean = x.mean(axis=0)
        centred, target = x - x_mean, y_ - y_mean
        # Leaving a label out moves the mean: for the constant prediction 1 - H_ii = 1 - 1/n.
        best = target * n / max(n - 1, 1)
        error, coef = float(best @ best), np.zeros(x.shape[1])
        self.penalty_, self.block_scale_ = np.inf, 1.0
        block_one = self._block_one(x.shape[1])
        for factor in BLOCK_SCALES if block_one.any() and not block_one.all() else (1.0,):
            scale = np.where(block_one, factor, 1.0)
            u, d, vt = np.linalg.svd(centred * scale, full_matrices=False)
            keep = d > 1e-10 * max(float(d[0]), 1e-300) if len(d) else np.zeros(0, dtype=bool)
            u, d, vt = u[:, keep], d[keep], vt[keep]
            uy = u.T @ target
            for penalty in PENALTIES * n:
                shrink = d**2 / (d**2 + penalty)
                left = 1.0 - 1.0 / n - (u**2) @ shrink
                if n < 2 or left.min() < 1e-8:
                    continue
                residual = (target - u @ (shrink * uy)) / left
                if float(residual @ residual) < error:
                    error, best = float(residual @ residual), residual
                    coef = scale * (vt.T @ (d / (d**2 + penalty) * uy))
                    self.penalty_, self.block_scale_ = float(penalty), factor
        self.coef_: FloatArray = coef
        self.intercept_ = y_mean - float(x_mean @ coef)
        self.residual_: FloatArray = np.sort(best - best.mean())
        return self

    def _block_one(self, n_columns: int) -> npt.NDArray[np.bool_]:
        """Return which columns are in block 1."""
        if self.blocks is None:
            return np.zeros(n_columns, dtype=bool)
        blocks = np.asarray(self.blocks)
        if blocks.shape != (n_columns,):
            raise ValueError(f"blocks must have {n_columns} values, got {blocks.shape}")
        return np.asarray(blocks == 1)

    def predict(self, X: npt.ArrayLike) -> FloatArray:
        """Return the predicted mean (N,) of each row."""
        check_is_fitted(self)
        x = validate_data(self, X, reset=False)
        return np.asarray(x @ self.coef_ + self.intercept_)

    def predict_cdf(self, X: npt.ArrayLike, theta: float) -> FloatArray:
        """Return P(Y <= theta | x) of each row (N,)."""
        gaps = theta - self.predict(X)
        return np.asarray(np.searchsorted(self.residual_, gaps, side="right") / len(self.residual_))
