"""The ridge of :mod:`bacon.outcome.ridge_fit` as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.outcome.estimators import OutcomeRegressor, block_codes
from bacon.outcome.ridge_fit import RidgeFit, fit_ridge

if TYPE_CHECKING:
    import numpy.typing as npt

    from bacon.arrays import FloatArray

__all__ = ["BlockRidge"]


class BlockRidge(OutcomeRegressor):
    """Ridge with an unpenalised intercept, its penalties chosen by leave-one-out error.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        0, 1 or 2 for each column; the columns of blocks 1 and 2 get a penalty of their own,
        and of block 1 the leading columns may be used alone. By default all are in block 0.

    Attributes
    ----------
    fit_ : bacon.outcome.ridge_fit.RidgeFit
        Coefficients, penalties and leave-one-out residuals.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> model = BlockRidge().fit(x, 2 * x[:, 0] + 1)
    >>> np.round(model.predict([[10.0]]), 1)
    array([21.])
    """

    fit_: RidgeFit

    def __init__(self, blocks: npt.ArrayLike | None = None) -> None:
        self.blocks = blocks

    def _fit(self, x: FloatArray, y: FloatArray) -> RidgeFit:
        """Return the ridge of features (n, p) and outcomes (n,)."""
        return fit_ridge(x, y, block_codes(self.blocks, x.shape[1]))
