"""A user's own regressor: held out fold by fold, its failures told, its draws repeatable."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bacon.errors import EstimationError, InputError
from bacon.outcome.user_fit import INNER_FOLDS, check_user_model, fit_user

Array = npt.NDArray[np.float64]


def data(n: int = 40) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    return x, x[:, 0] + 0.3 * rng.normal(size=n)


class Says(RegressorMixin, BaseEstimator):
    """Predicts what it is told to, in the shape it is told to."""

    def __init__(self, value: Any = 1.0, shape: str = "rows") -> None:
        self.value = value
        self.shape = shape

    def fit(self, X: Array, y: Array) -> Any:  # noqa: ARG002 (scikit-learn's signature)
        """Learn nothing."""
        return self

    def predict(self, X: Array) -> Any:
        """Return the value."""
        shapes = {"rows": (len(X),), "column": (len(X), 1), "two": (len(X), 2), "one": (1,)}
        return np.full(shapes[self.shape], self.value)


def test_predictions_are_those_of_the_estimator_fitted_to_all_rows() -> None:
    x, y = data()
    model = fit_user(Ridge(alpha=3.0), x, y, 0)
    theirs = Ridge(alpha=3.0).fit(x, y)
    assert model.predict(x).tolist() == theirs.predict(x).tolist()
    residual = y - model.held_out_
    assert model.residual_ == pytest.approx(np.sort(residual - residual.mean()))
    assert model.distribution(x).mean == pytest.approx(model.predict(x))


def test_what_is_held_out_has_not_seen_its_label() -> None:
    x, y = data()
    nearest = KNeighborsRegressor(n_neighbors=1)
    model = fit_user(nearest, x, y, 0)
    assert model.predict(x).tolist() == y.tolist()
    assert np.min(np.abs(model.held_out_ - y)) > 0.0
    # Each label changes what is held out of other folds alone.
    for row in (0, 17):
        other = y.copy()
        other[row] += 100.0
        assert fit_user(nearest, x, other, 0).held_out_[row] == model.held_out_[row]


def test_the_estimator_itself_is_left_alone() -> None:
    x, y = data()
    estimator = RandomForestRegressor(n_estimators=5)
    fit_user(estimator, x, y, 0)
    assert not hasattr(estimator, "estimators_")
    assert estimator.random_state is None


def test_estimators_that_draw_at_random_do_so_from_the_seed() -> None:
    x, y = data()
    for estimator in (
        RandomForestRegressor(n_estimators=5),
        make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=5)),
    ):
        first, second, other = (fit_user(estimator, x, y, seed) for seed in (1, 1, 2))
        assert first.predict(x).tolist() == second.predict(x).tolist()
        assert first.held_out_.tolist() == second.held_out_.tolist()
        assert first.predict(x).tolist() != other.predict(x).tolist()
    # A state of the user's own stays.
    own = RandomForestRegressor(n_estimators=5, random_state=9)
    theirs = RandomForestRegressor(n_estimators=5, random_state=9).fit(x, y)
    assert fit_user(own, x, y, 1).predict(x).tolist() == theirs.predict(x).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, INNER_FOLDS])
def test_few_rows(n: int) -> None:
    x, y = data(n)
    model = fit_user(Ridge(), x, y, 0)
    assert np.isfinite(model.held_out_).all()
    assert np.isfinite(model.predict(x)).all()


def test_a_column_of_predictions_is_read() -> None:
    x, y = data()
    assert fit_user(Says(2.0, "column"), x, y, 0).predict(x).tolist() == [2.0] * 40


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (Says(np.nan), r"Says must predict one finite number a row; .* 8 of them not finite"),
        (Says(np.inf), "one finite number a row"),
        (Says(1.0, "two"), r"gave an array of shape \(8, 2\) for 8 rows"),
        (Says(1.0, "one"), r"gave an array of shape \(1,\) for"),
        (Says("good"), "Says failed to predict 8 rows of 3 features: could not convert"),
        (
            KNeighborsRegressor(n_neighbors=60),
            "KNeighborsRegressor failed to predict 8 rows",
        ),
        (Ridge(alpha=-1.0), "Ridge failed on 40 labels and 3 features: .*alpha"),
        (LinearRegression(positive="no"), "LinearRegression failed on 40 labels"),
    ],
)
def test_failures_are_told(estimator: Any, text: str) -> None:
    x, y = data()
    with pytest.raises(EstimationError, match=f"(?s){text}"):
        fit_user(estimator, x, y, 0).predict(x)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Ridge, "an instance of a scikit-learn regressor .*got <class"),
        (None, "got None"),
        (3, "got 3"),
        (lambda x: x, "got <function"),
        (StandardScaler(), "an instance of a scikit-learn regressor"),
        (LogisticRegression(), "LogisticRegression is a classifier; .* needs a regressor"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "Pipeline is a classifier"),
    ],
)
def test_what_is_no_regressor_is_refused(model: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        check_user_model(model)


def test_regressors_pass() -> None:
    for model in (Ridge(), make_pipeline(StandardScaler(), Ridge()), Says()):
        check_user_model(model)
