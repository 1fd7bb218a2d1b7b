"""Cross-fitted predictions of every item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What the cross-fitted models say of every item, and which models say it.

    Parameters
    ----------
    mean : (N,) or (N, C) float64
        f: the prediction E[Y | X], out of fold at labelled items; for classes the C
        probabilities.
    fold : (N,) int64
        The one model an item takes, -1 where it takes the mixture of its stratum.
    stratum : (N,) int64
        Stratum of every item, 0 where there are none.
    weights : (H, J) float64
        Mixture weights of the J models in each stratum; rows sum to one.
    """

    mean: FloatArray
    fold: IntArray
    stratum: IntArray
    weights: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "mean", "fold", "stratum", "weights")

    @property
    def n_models(self) -> int:
        """Number of models J."""
        return int(self.weights.shape[1])

    def shares(self, model: int) -> tuple[IntArray, FloatArray]:
        """Return the items that take a model, and its weight in each of them."""
        return taken(self.fold, self.stratum, self.weights, model)


def taken(
    fold: IntArray, stratum: IntArray, weights: FloatArray, model: int
) -> tuple[IntArray, FloatArray]:
    """Return the items that take a model, and its weight in each: 1 where it is the only one."""
    share = np.where(fold < 0, weights[stratum, model], (fold == model).astype(np.float64))
    items = np.flatnonzero(share > 0.0)
    return items, share[items]
