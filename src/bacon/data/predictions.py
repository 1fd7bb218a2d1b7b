"""Cross-fitted predictions of every item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What the cross-fitted models say of every item.

    Parameters
    ----------
    mean : (N,) float64
        f: the prediction E[Y | X], out of fold at labelled items.
    by_model : (N, J) float64
        Predictions of each of the J models (the K fold models, and the refit if there is one).
    residuals : tuple of (n_j,) float64
        Ascending centred leave-one-out residuals of each model.
    fold : (N,) int64
        The one model an item takes, -1 where it takes the mixture of its stratum.
    stratum : (N,) int64
        Stratum of every item, 0 where there are none.
    weights : (H, J) float64
        Mixture weights of each stratum; rows sum to one.
    """

    mean: FloatArray
    by_model: FloatArray
    residuals: tuple[FloatArray, ...]
    fold: IntArray
    stratum: IntArray
    weights: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "mean", "by_model", "fold", "stratum", "weights")

    @property
    def n_models(self) -> int:
        """Number of models J."""
        return int(self.by_model.shape[1])
