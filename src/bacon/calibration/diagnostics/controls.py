"""What errors are free of already: least squares on a judge's answers, and without each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.diagnostics.observations import Observations

__all__ = ["Controls"]


@dataclass(frozen=True, eq=False)
class Controls:
    """Regressors of a weighted least-squares fit.

    Parameters
    ----------
    root : (m,) float64
        Square roots of the weights, which sum to one.
    basis : (m, r) float64
        Orthonormal columns that span the regressors times `root`.
    """

    root: FloatArray
    basis: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "root", "basis")

    @classmethod
    def constant(cls, obs: Observations) -> Controls:
        """Return the fit of a mean alone."""
        root = np.sqrt(obs.share)
        return cls(root, root[:, np.newaxis])

    @classmethod
    def of(cls, columns: FloatArray, obs: Observations) -> Controls:
        """Return the fit of a constant and of `columns` (m, c), dependent ones once."""
        root = np.sqrt(obs.share)
        centred = columns - obs.share @ columns
        size = np.abs(centred).max(axis=0, initial=0.0)
        moving = size > 1e-12 * np.abs(columns).max(axis=0, initial=0.0)
        if not moving.any():
            return cls(root, root[:, np.newaxis])
        u, s, _ = np.linalg.svd(
            root[:, np.newaxis] * (centred[:, moving] / size[moving]), full_matrices=False
        )
        return cls(root, np.column_stack([root, u[:, s > 1e-10 * s[0]]]))

    def residuals(self, values: FloatArray) -> FloatArray:
        """Return what is left of `values` (m, ...) after the fit."""
        weighted = (values.T * self.root).T
        left = weighted - self.basis @ (self.basis.T @ weighted)
        return np.asarray((left.T / self.root).T, dtype=np.float64)

    def left_out(self, y: FloatArray) -> FloatArray:
        """Return for each item the prediction (m,) of `y` by a fit to all others.

        The residual over 1 less the leverage; where an item alone decides its prediction (the
        only one with an answer), the mean of the others.
        """
        share = self.root**2
        leverage = np.einsum("ij,ij->i", self.basis, self.basis)
        lonely = leverage > 1.0 - 1e-9
        error = self.residuals(y) / np.where(lonely, 1.0, 1.0 - leverage)
        others = (share @ y - share * y) / np.maximum(1.0 - share, 1e-300)
        return np.where(lonely, others, y - error)
