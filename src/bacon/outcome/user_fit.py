"""A user's own scikit-learn regressor as an outcome model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import EstimationError, InputError
from bacon.outcome.items import Location

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["UserFit", "check_user_model", "fit_user"]

INNER_FOLDS = 5

FAILURES = (ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError)
"""What an estimator raises where it cannot deal with the labels or features."""


@dataclass(frozen=True, eq=False)
class UserFit:
    """A fitted estimator with its held-out errors.

    Parameters
    ----------
    estimator_ : object
        The fitted clone.
    residual_ : (n,) float64
        Held-out residuals, ascending and centred.
    held_out_ : (n,) float64
        Predictions of each training row by a clone fitted without its inner fold.
    """

    estimator_: Any
    residual_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return _predicted(self.estimator_, x)

    def distribution(self, x: FloatArray) -> Location:
        """Return prediction plus held-out residual for each row."""
        return Location(self.predict(x), self.residual_)


def check_user_model(model: object) -> None:
    """Refuse what is no scikit-learn regressor.

    Raises
    ------
    InputError
        The object cannot be cloned, fitted and asked for predictions, or predicts classes.
    """
    from sklearn.base import is_classifier

    needed = ("fit", "predict", "get_params")
    lacking = [name for name in needed if not callable(getattr(model, name, None))]
    if lacking or isinstance(model, type):
        raise InputError(
            "model must be a name or an instance of a scikit-learn regressor (with "
            f"fit, predict and get_params); got {model!r}."
        )
    if hasattr(model, "__sklearn_tags__") and is_classifier(model):
        raise InputError(
            f"{type(model).__name__} is a classifier; an outcome in numbers needs a regressor, or "
            'a named model such as "logistic" or "ordinal".'
        )


def fit_user(model: Any, x: FloatArray, y: FloatArray, seed: int) -> UserFit:
    """Fit clones of `model`: one to all rows, others without each inner fold in turn.

    Where the estimator draws at random and has no state of its own, `seed` is its state.

    Raises
    ------
    EstimationError
        The estimator fails, or predicts something else than one finite number a row.
    """
    whole = _fitted(_fresh(model, seed), x, y)
    k = min(INNER_FOLDS, len(y))
    held_out = np.full(len(y), float(y.mean()))
    if k >= 2:
        fold = np.random.default_rng(seed).permutation(len(y)) % k
        for inner in range(k):
            part = _fitted(_fresh(model, seed), x[fold != inner], y[fold != inner])
            held_out[fold == inner] = _predicted(part, x[fold == inner])
    residual = y - held_out
    return UserFit(whole, np.sort(residual - residual.mean()), held_out)


def _fresh(model: Any, seed: int) -> Any:
    """Return an unfitted copy whose random states, where none is set, are the seed."""
    from sklearn.base import clone

    copy = clone(model)
    states = [name for name in copy.get_params() if name.split("__")[-1] == "random_state"]
    unset = {name: seed for name in states if copy.get_params()[name] is None}
    return copy.set_params(**unset) if unset else copy


def _fitted(estimator: Any, x: FloatArray, y: FloatArray) -> Any:
    """Return the estimator fitted, its own failure told as ours."""
    try:
        return estimator.fit(x, y)
    except FAILURES as error:
        raise EstimationError(
            f"{type(estimator).__name__} failed on {len(y)} labels and {x.shape[1]} features: "
            f"{error}"
        ) from error


def _predicted(estimator: Any, x: FloatArray) -> FloatArray:
    """Return the estimator's predictions, refusing what is not one finite number a row."""
    try:
        said = np.asarray(estimator.predict(x), dtype=np.float64)
    except FAILURES as error:
        raise EstimationError(
            f"{type(estimator).__name__} failed to predict {len(x)} rows of {x.shape[1]} features: "
            f"{error}"
        ) from error
    if said.shape == (len(x), 1):
        said = said[:, 0]
    if said.shape != (len(x),) or not np.isfinite(said).all():
        raise EstimationError(
            f"{type(estimator).__name__} must predict one finite number a row; it gave an array "
            f"of shape {said.shape} for {len(x)} rows, {int(np.sum(~np.isfinite(said)))} of them "
            "not finite."
        )
    return said
