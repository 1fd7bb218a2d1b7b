"""The constant prediction: what ignoring the judges amounts to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.items import Location

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["ConstantFit", "fit_constant"]


@dataclass(frozen=True, eq=False)
class ConstantFit:
    """The labels' mean for every item.

    Parameters
    ----------
    value_ : float
        The mean.
    residual_ : (n,) float64
        Labels less their mean, ascending.
    held_out_ : (n,) float64
        Mean of the other labels.
    """

    value_: float
    residual_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) for each row."""
        return np.full(len(x), self.value_)

    def distribution(self, x: FloatArray) -> Location:
        """Return the labels' own distribution for each row."""
        return Location(self.predict(x), self.residual_)


def fit_constant(y: FloatArray) -> ConstantFit:
    """Fit to labels (n,); a single one is left out by itself."""
    value, n = float(y.mean()), len(y)
    held_out = (n * value - y) / (n - 1.0) if n > 1 else y.copy()
    return ConstantFit(value, np.sort(y - value), held_out)
