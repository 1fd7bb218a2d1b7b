"""The model of :mod:`bacon.outcome.proportional_odds_fit` as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.outcome.estimators import OutcomeRegressor, block_codes
from bacon.outcome.proportional_odds_fit import ProportionalOddsFit, fit_proportional_odds

if TYPE_CHECKING:
    import numpy.typing as npt

    from bacon.arrays import FloatArray

__all__ = ["ProportionalOdds"]


class ProportionalOdds(OutcomeRegressor):
    """Proportional-odds (cumulative logit) model of ordered outcomes; predicts their mean.

    Parameters
    ----------
    penalty : float, optional
        Ridge penalty on half the squared coefficients, 0 for maximum likelihood. By default the
        one with the best leave-one-out log score; features should then be standardised.
    blocks : (p,) array_like of int, optional
        0, 1 or 2 for each column; those of blocks 1 and 2 are trusted as far as a ridge trusts
        them. By default all are in block 0.

    Attributes
    ----------
    fit_ : bacon.outcome.proportional_odds_fit.ProportionalOddsFit
        Levels, thresholds, coefficients and leave-one-out predictions.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.repeat([-1.0, 0.0, 1.0], 4)[:, None]
    >>> model = ProportionalOdds(penalty=1.0).fit(x, [1, 1, 1, 2, 1, 2, 2, 3, 2, 3, 3, 3])
    >>> np.round(model.predict([[-1.0], [1.0]]), 1)
    array([1.5, 2.5])
    >>> np.round(model.predict_cdf([[0.0]], [1, 2, 3]), 2)
    array([[0.28, 0.72, 1.  ]])
    """

    fit_: ProportionalOddsFit

    def __init__(self, penalty: float | None = None, blocks: npt.ArrayLike | None = None) -> None:
        self.penalty = penalty
        self.blocks = blocks

    def _fit(self, x: FloatArray, y: FloatArray) -> ProportionalOddsFit:
        """Return the model of features (n, p) and outcomes (n,)."""
        blocks = block_codes(self.blocks, x.shape[1])
        return fit_proportional_odds(x, y, blocks, penalty=self.penalty)
