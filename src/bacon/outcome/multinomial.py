"""The multinomial logit of :mod:`bacon.outcome.multinomial_fit` as a scikit-learn classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bacon.outcome.estimators import block_codes
from bacon.outcome.multinomial_fit import MultinomialFit, fit_multinomial

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["MultinomialLogit"]


class MultinomialLogit(ClassifierMixin, BaseEstimator):
    """Multinomial logit with a ridge on the slopes of all classes.

    Parameters
    ----------
    blocks : (p,) array_like of int, optional
        0, 1 or 2 for each column; those outside block 0 may count less or not at all. By
        default all are in block 0.
    penalty : float, optional
        Penalty on half the squared slopes; by default the one with the least approximate
        leave-one-out Brier score, a constant prediction being among the candidates.

    Attributes
    ----------
    classes_ : (C,) ndarray
        The classes, sorted.
    fit_ : MultinomialFit
        Slopes, intercepts and leave-one-out probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[-2.0], [-1.0], [-0.5], [0.5], [1.0], [2.0]])
    >>> model = MultinomialLogit().fit(x, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[3.0]]).tolist()
    ['yes']
    """

    classes_: npt.NDArray[Any]
    fit_: MultinomialFit

    def __init__(self, blocks: npt.ArrayLike | None = None, penalty: float | None = None) -> None:
        self.blocks = blocks
        self.penalty = penalty

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Fit to features (n, p) and classes (n,)."""
        x, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.fit_ = fit_multinomial(
            x.astype(np.float64),
            codes.astype(np.int64),
            len(self.classes_),
            block_codes(self.blocks, x.shape[1]),
            self.penalty,
        )
        return self

    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """Return the probability (N, C) of each class of `classes_`."""
        check_is_fitted(self)
        x = validate_data(self, X, reset=False)
        return self.fit_.probabilities(np.asarray(x, dtype=np.float64))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the most probable class (N,)."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])
