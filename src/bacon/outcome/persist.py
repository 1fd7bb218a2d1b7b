"""Cross-fitted linear models as plain arrays, to be kept in npz files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["KeptModels", "keep_models"]


@dataclass(frozen=True, eq=False)
class KeptModels:
    """Linear models and how a new item combines them.

    Parameters
    ----------
    coef : (J, p) float64
        Coefficients.
    intercept : (J,) float64
        Intercepts.
    weights : (J,) float64
        Mixture weights of an item that was in no fold; they sum to one.
    """

    coef: FloatArray
    intercept: FloatArray
    weights: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the predicted mean (N,) of features (N, p)."""
        return np.asarray(x @ (self.weights @ self.coef) + float(self.weights @ self.intercept))


def keep_models(models: tuple[Any, ...], weights: FloatArray) -> KeptModels:
    """Take what prediction needs out of fitted ridge models; `weights` (J,) combine them."""
    return KeptModels(
        np.stack([model.coef_ for model in models]),
        np.array([model.intercept_ for model in models]),
        weights,
    )
