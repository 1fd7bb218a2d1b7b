"""What every fitted outcome model offers to the fold loop and to the stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.outcome.items import ItemDistributions

__all__ = ["FittedModel"]


class FittedModel(Protocol):
    """A model fitted to the labels of some rows."""

    @property
    def held_out_(self) -> FloatArray:
        """What the model without row i says of training row i, (n,)."""
        ...

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean E[Y | x] (k,) of features (k, p)."""
        ...

    def distribution(self, x: FloatArray) -> ItemDistributions:
        """Return the predictive distribution of Y of each row; its mean is `predict(x)`."""
        ...
