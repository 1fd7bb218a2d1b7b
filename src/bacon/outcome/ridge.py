"""The ridge of :mod:`bacon.outcome.ridge_fit` as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bacon.outcome.ridge_fit import fit_ridge

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["BlockRidge"]


# scikit-learn ships no types, so its classes are Any to the checker.
class BlockRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge with an unpenalised intercept, its penalty chosen by leave-one-out error.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        0 or 1 for each column; the columns of block 1 get a penalty of their own. By default
        all are in block 0.

    Attributes
    ----------
    coef_, intercept_, penalty_, block_scale_, residual_
        As in :class:`bacon.outcome.ridge_fit.RidgeFit`.

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
        fitted = fit_ridge(x.astype(np.float64), y_.astype(np.float64), self._block_one(x.shape[1]))
        self.coef_: FloatArray = fitted.coef_
        self.intercept_ = fitted.intercept_
        self.penalty_, self.block_scale_ = fitted.penalty_, fitted.block_scale_
        self.residual_: FloatArray = fitted.residual_
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
