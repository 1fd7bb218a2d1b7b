"""The outcome models as scikit-learn regressors: its checks, refusals, and the functions behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bacon.outcome.constant_fit import ConstantFit
from bacon.outcome.family_fits import fit_bounded, fit_hurdle, fit_log_link, fit_logistic
from bacon.outcome.forest_fit import fit_forest
from bacon.outcome.models import Layout, Task, fit_stack
from bacon.outcome.regressors import Bounded, Forest, Hurdle, Logistic, LogLink, Stack
from bacon.outcome.ridge_fit import fit_ridge

Array = npt.NDArray[np.float64]
BLOCKS = [0, 0, 1, 2]


def data(n: int = 60, seed: int = 0) -> tuple[Array, Array]:
    """Return features and outcomes from 0 up, a third of them 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return x, np.maximum(0.6 + x[:, 0] + 0.6 * rng.normal(size=n), 0.0)


@parametrize_with_checks(
    [
        Logistic(),
        LogLink(),
        Hurdle(),
        Hurdle(amount="ridge"),
        Bounded(),
        Forest(),
        Stack(),
        Stack(outcome="bounded"),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_estimators_are_the_functions() -> None:
    x, y = data()
    blocks = np.array(BLOCKS)
    factors = fit_ridge(x, y, blocks).factors_
    two = (y > 0.5).astype(np.float64)
    two_factors = fit_ridge(x, two, blocks).factors_
    average = np.array([0.5, 0.5, 0.0, 0.0])
    pairs: list[tuple[Any, Any, Array]] = [
        (Logistic(BLOCKS), fit_logistic(x, two, two_factors), two),
        (LogLink(BLOCKS), fit_log_link(x, y, factors), y),
        (Hurdle(BLOCKS), fit_hurdle(x, y, factors, blocks), y),
        (Hurdle(BLOCKS, "ridge"), fit_hurdle(x, y, factors, blocks, amount="ridge"), y),
        (Bounded(BLOCKS, (0.0, 9.0)), fit_bounded(x, y, factors, (0.0, 9.0)), y),
        (Forest(3), fit_forest(x, y, 3), y),
        (
            Stack(BLOCKS, outcome="zero-inflated", seed=3),
            fit_stack(x, y, Task(Layout(blocks, average), "zero-inflated", None, 3)),
            y,
        ),
    ]
    for estimator, function, outcome in pairs:
        fitted = estimator.fit(x, outcome)
        assert fitted is estimator
        assert fitted.predict(x).tolist() == function.predict(x).tolist()
        thetas = np.array([0.0, 0.7, 2.0])
        assert (
            fitted.predict_cdf(x, thetas).tolist() == function.distribution(x).cdf(thetas).tolist()
        )
        assert fitted.predict_cdf(x, 0.7).tolist() == fitted.predict_cdf(x, thetas)[:, 1].tolist()
        assert fitted.predict_cdf(x, 0.7).shape == (60,)


def test_scikit_learns_tools_work_on_them() -> None:
    x, y = data()
    for estimator in (LogLink(), Hurdle(amount="ridge"), Bounded(scale=(0, 9)), Stack(seed=2)):
        copy = clone(estimator)
        assert copy.get_params() == estimator.get_params()
        pipeline = make_pipeline(StandardScaler(), copy)
        said = cross_val_predict(pipeline, x, y, cv=4)
        assert np.corrcoef(said, y)[0, 1] > 0.5


def test_an_average_of_ones_own() -> None:
    x, y = data()
    judge = np.array([1.0, 0.0, 0.0, 0.0])
    found = Stack(average=judge).fit(x, y).fit_
    part = dict(zip(found.names, found.members, strict=True))["judge average"]
    alone = fit_ridge(x[:, :1], y, np.zeros(1, dtype=np.int64))
    assert part.predict(x) == pytest.approx(alone.predict(x[:, :1]))
    # No column of block 0, no judge average.
    assert "judge average" not in Stack([1, 1, 2, 2]).fit(x, y).fit_.names


@pytest.mark.parametrize("kind", [LogLink, Hurdle, Bounded, Logistic, Forest, Stack])
def test_outcomes_all_alike_are_predicted_as_they_are(kind: Any) -> None:
    x, _ = data(20)
    for value in (0.0, 3.0):
        model = kind().fit(x, np.full(20, value))
        assert model.predict(x) == pytest.approx(np.full(20, value))
        # The exponential of a logarithm is a rounding off.
        assert model.predict_cdf(x, value + 1e-9) == pytest.approx(np.ones(20))
        assert model.predict_cdf(x, value - 0.5) == pytest.approx(np.zeros(20))


def test_no_outcome_above_zero_leaves_nothing_to_scale() -> None:
    x, _ = data(10)
    for kind in (LogLink, Hurdle):
        assert isinstance(kind().fit(x, np.zeros(10)).fit_, ConstantFit)


@pytest.mark.parametrize(
    ("estimator", "y", "text"),
    [
        (Logistic(), [0, 1, 2, 1], "Logistic needs an outcome with two values; y has 3"),
        (LogLink(), [0, 1, -2, 1], "LogLink needs an outcome from 0 up; the smallest is -2"),
        (Hurdle(), [0, 1, -2, 1], "Hurdle needs an outcome from 0 up; the smallest is -2"),
        (Hurdle(amount="gamma"), [0, 1, 2, 1], 'amount must be "log" or "ridge"; got .gamma.'),
        (Bounded(scale=(0, 2)), [0, 1, 3, 1], "y reaches from 0 to 3, beyond 0 to 2"),
        (Stack(outcome="counts"), [0, 1, 3, 1], "outcome must be one of real, .*; got .counts."),
        (Stack(outcome="zero-inflated"), [0, 1, -3, 1], "zero-inflated Stack needs .* from 0 up"),
        (
            Stack(outcome="bounded", scale=(1, 3)),
            [0, 1, 3, 1],
            "reaches from 0 to 3, beyond 1 to 3",
        ),
        (Stack([0, 0, 0]), [0, 1, 3, 1], r"blocks must have 4 values, got \(3,\)"),
        (LogLink([0]), [0, 1, 3, 1], r"blocks must have 4 values, got \(1,\)"),
    ],
)
def test_what_does_not_fit_is_refused(estimator: Any, y: list[int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        estimator.fit(np.random.default_rng(0).normal(size=(4, 4)), y)


def test_a_bounded_stack_takes_the_range_seen_where_none_is_stated() -> None:
    x, y = data()
    found = Stack(outcome="bounded").fit(x, y).fit_
    part = dict(zip(found.names, found.members, strict=True))["bounded"]
    assert (part.low, part.high) == (y.min(), y.max())
