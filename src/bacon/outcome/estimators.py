"""The base of the scikit-learn estimators around the fitted outcome models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.outcome.base import FittedModel

__all__ = ["OutcomeRegressor", "block_codes"]


class OutcomeRegressor(RegressorMixin, BaseEstimator, ABC):
    """A regressor with a predictive distribution; subclasses say how to fit.

    Attributes
    ----------
    fit_ : FittedModel
        The fitted model.
    """

    fit_: FittedModel

    @abstractmethod
    def _fit(self, x: FloatArray, y: FloatArray) -> Any:
        """Return the model fitted to features (n, p) and outcomes (n,)."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit to features (n, p) and outcomes (n,)."""
        x, y_ = validate_data(self, X, y, y_numeric=True, ensure_min_samples=1)
        self.fit_ = self._fit(x.astype(np.float64), y_.astype(np.float64))
        return self

    def predict(self, X: npt.ArrayLike) -> FloatArray:
        """Return the predicted mean (N,) of each row."""
        x = self._checked(X)
        return self.fit_.predict(x)

    def predict_cdf(self, X: npt.ArrayLike, theta: npt.ArrayLike) -> FloatArray:
        """Return P(Y <= theta | x) of each row, (N,) for one theta and (N, T) for several."""
        x = self._checked(X)
        thetas = np.asarray(theta, dtype=np.float64)
        shares = self.fit_.distribution(x).cdf(np.atleast_1d(thetas))
        return np.asarray(shares[:, 0] if thetas.ndim == 0 else shares)

    def _checked(self, X: npt.ArrayLike) -> FloatArray:
        """Return the features of a fitted model's rows, checked."""
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False), dtype=np.float64)


def block_codes(blocks: npt.ArrayLike | None, n_columns: int) -> IntArray:
    """Return the penalty block (p,) of each column, all 0 where none are given."""
    if blocks is None:
        return np.zeros(n_columns, dtype=np.int64)
    codes = np.asarray(blocks)
    if codes.shape != (n_columns,):
        raise ValueError(f"blocks must have {n_columns} values, got {codes.shape}")
    return codes.astype(np.int64)
