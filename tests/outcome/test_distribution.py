"""The predictive distribution: mixtures item by item, the same whichever way it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bacon.data.predictions import Predictions
from bacon.outcome.constant_fit import fit_constant
from bacon.outcome.crossfit import CrossFit, FoldPlan, crossfit
from bacon.outcome.distribution import PredictiveDistribution, label_support
from bacon.outcome.folds import label_folds, unit_folds
from bacon.outcome.items import Location
from bacon.outcome.models import Layout, Task, fit_named

N_ITEMS = 120
Array = npt.NDArray[np.float64]
PLANS = ("strata", "pool", "refit", "unit")
MODELS = ("ridge", "stack", "ordinal", "hurdle", "log-link", "bounded", "forest", "human-only")


def fitted(
    plan: str, *, discrete: bool, model: str = "ridge", seed: int = 0
) -> PredictiveDistribution:
    """Return the distribution of a cross-fitted model of labels from 0 to 6."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N_ITEMS, 2))
    y = np.clip(2.5 + x[:, 0] + 0.7 * rng.normal(size=N_ITEMS), 0.0, 6.0)
    y = y.round() if discrete else y
    rows = np.sort(rng.choice(N_ITEMS, 45, replace=False))
    stratum, units = np.arange(N_ITEMS) % 3, np.arange(N_ITEMS) // 4
    if plan == "pool":
        plan_ = FoldPlan(5, unit_folds(units, rows, 5, rng))
    else:
        fold = np.full(N_ITEMS, -1)
        by_unit = plan == "unit"
        own = units[rows] if by_unit else np.arange(45)
        fold[rows] = label_folds(own, None if by_unit else stratum[rows], 5, rng)
        plan_ = FoldPlan(5, fold, unit=own) if by_unit else FoldPlan(5, fold, stratum=stratum)
    task = Task(Layout(np.zeros(2, dtype=np.int64), np.full(2, 0.5)), "ordinal", (0.0, 6.0))
    if not discrete:
        task = Task(task.layout, "bounded", (0.0, 6.0))
    found = crossfit(
        x,
        y[rows],
        rows,
        lambda a, b: fit_named(model, a, b, task),
        plan_,
        mode="refit" if plan == "refit" else "ensemble",
    )
    return PredictiveDistribution(found, x, rows, y[rows])


def weights_of(distribution: PredictiveDistribution, item: int) -> Array:
    """Return the weight (J,) of each model in an item."""
    p = distribution.fitted.predictions
    if p.fold[item] >= 0:
        return np.eye(p.n_models)[p.fold[item]]
    return p.weights[p.stratum[item]]


@pytest.mark.parametrize("discrete", [True, False], ids=["ordinal", "continuous"])
@pytest.mark.parametrize("plan", PLANS)
def test_pool_mean_and_labelled_rows_are_those_of_everywhere(plan: str, discrete: bool) -> None:
    distribution = fitted(plan, discrete=discrete)
    thetas = np.unique(np.r_[distribution.y[:10], -1.0, 3.25, 9.0])
    everywhere = np.column_stack([distribution.everywhere(theta) for theta in thetas])
    assert distribution.pool_mean(thetas) == pytest.approx(everywhere.mean(axis=0), abs=1e-12)
    labelled = everywhere[distribution.rows]
    assert distribution.labelled(thetas) == pytest.approx(labelled, abs=1e-12)
    assert (np.diff(everywhere, axis=1) >= -1e-12).all()
    assert everywhere.min() >= 0.0
    assert everywhere.max() <= 1.0 + 1e-12


@pytest.mark.parametrize("model", MODELS)
def test_the_same_holds_of_every_model(model: str) -> None:
    distribution = fitted("strata", discrete=model != "bounded", model=model)
    thetas = np.array([-0.5, 0.0, 1.0, 2.0, 3.5, 6.0])
    everywhere = np.column_stack([distribution.everywhere(theta) for theta in thetas])
    assert distribution.pool_mean(thetas) == pytest.approx(everywhere.mean(axis=0), abs=1e-12)
    assert distribution.labelled(thetas) == pytest.approx(everywhere[distribution.rows], abs=1e-12)
    # Its mean is the prediction, and so is the mean of its outcomes.
    predictions = distribution.fitted.predictions.mean
    assert distribution.expectation(lambda y: y) == pytest.approx(predictions, abs=1e-9)
    mean = [
        sum(
            w * one.distribution(distribution.x[[item]]).mean[0]
            for w, one in zip(
                weights_of(distribution, item), distribution.fitted.models, strict=True
            )
        )
        for item in range(N_ITEMS)
    ]
    assert predictions == pytest.approx(mean, abs=1e-10)
    # With a few residuals for many, E[Y^2] is the variance beside the squared mean.
    squares = distribution.expectation(np.square)
    assert distribution.variance() == pytest.approx(squares - predictions**2, abs=1e-8)


@pytest.mark.parametrize("plan", PLANS)
def test_each_item_has_the_mixture_of_its_models(plan: str) -> None:
    distribution = fitted(plan, discrete=False)
    models, x = distribution.fitted.models, distribution.x
    rows = distribution.rows
    unlabelled = np.setdiff1d(np.arange(N_ITEMS), rows)
    for item in (*unlabelled[:3].tolist(), int(rows[0]), int(rows[-1])):
        weights = weights_of(distribution, item)
        said = np.array([model.predict(x[[item]])[0] for model in models])
        outcomes = [s + model.residual_ for s, model in zip(said, models, strict=True)]
        shares = [np.mean(one <= 3.3) for one in outcomes]
        assert distribution.everywhere(3.3)[item] == pytest.approx(weights @ shares)
        mean = weights @ said
        assert distribution.fitted.predictions.mean[item] == pytest.approx(mean)
        squares = weights @ [np.mean(one**2) for one in outcomes]
        assert distribution.variance()[item] == pytest.approx(squares - mean**2)


@dataclass(frozen=True)
class Known:
    """Predicts its only feature, with given residuals."""

    residual: Array

    def predict(self, x: Array) -> Array:
        """Return the feature."""
        return x[:, 0]

    def distribution(self, x: Array) -> Location:
        """Return the feature plus a residual."""
        return Location(x[:, 0], self.residual)


def one_model(mean: Any, residual: Any, y: Any) -> PredictiveDistribution:
    """Return what one model that everyone takes says; the first items are labelled."""
    means, labels = np.asarray(mean, dtype=np.float64), np.asarray(y, dtype=np.float64)
    zeros = np.zeros(len(means), dtype=np.int64)
    predictions = Predictions(means, zeros - 1, zeros, np.ones((1, 1)))
    models = (Known(np.asarray(residual, dtype=np.float64)),)
    return PredictiveDistribution(
        CrossFit(models, predictions), means[:, None], np.arange(len(labels)), labels
    )


def test_discrete_labels_are_cut_half_way() -> None:
    # Predictions 3.4 and 3.6 without residual are a 3 and a 4.
    labels = [1.0, 3.0, 4.0, 1.0, 3.0, 4.0, 4.0]
    distribution = one_model([3.4, 3.6, 0.2, 8.0, 3.4, 3.4, 3.4], [0.0], labels)
    assert distribution.everywhere(3.0)[:4].tolist() == [1.0, 0.0, 1.0, 0.0]
    # Between 1 and 3 the cut is at 2; nothing lies below the first or above the last value.
    assert distribution.everywhere(1.0)[:4].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert distribution.everywhere(0.5)[:4].tolist() == [0.0] * 4
    assert distribution.everywhere(4.0)[:4].tolist() == [1.0] * 4
    assert distribution.everywhere(3.9)[:4].tolist() == [1.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_a_value_met_exactly_counts_whatever_the_rounding(size: float) -> None:
    rng = np.random.default_rng(0)
    y = size * rng.normal(size=30)
    mean = size * rng.normal(size=30)
    distribution = one_model(mean, [0.0], y)
    for theta in mean[:5]:
        # Three roundings away, as another order of sums would give.
        near = theta * (1.0 - 6e-16)
        assert distribution.everywhere(float(near))[np.flatnonzero(mean == theta)[0]] == 1.0


def test_a_constant_prediction_is_the_distribution_of_the_labels() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        y = rng.normal(size=25)
        model = fit_constant(y)
        zeros = np.zeros(80, dtype=np.int64)
        predictions = Predictions(np.full(80, y.mean()), zeros - 1, zeros, np.ones((1, 1)))
        distribution = PredictiveDistribution(
            CrossFit((model,), predictions), np.zeros((80, 1)), np.arange(25), y
        )
        thetas = np.unique(y)
        expected = np.array([np.mean(y <= theta) for theta in thetas])
        assert distribution.pool_mean(thetas) == pytest.approx(expected, abs=1e-12)
        assert distribution.everywhere(float(thetas[3])) == pytest.approx(expected[3])
        assert distribution.variance() == pytest.approx(y.var())


def test_expectation_of_a_function() -> None:
    distribution = one_model([2.0, 5.0], [-1.0, 0.0, 1.0], [1.0])
    squares = distribution.expectation(lambda y: y**2)
    assert squares == pytest.approx([(1 + 4 + 9) / 3, (16 + 25 + 36) / 3])
    assert distribution.expectation(lambda y: y) == pytest.approx([2.0, 5.0])


def test_a_function_without_a_value_is_taken_at_the_nearest_outcome() -> None:
    # log of 0.5 - 1 is taken at 0.25, the lowest outcome there is.
    distribution = one_model([0.5, 3.0], [-1.0, 1.0], [1.0])
    found = distribution.expectation(np.log, 0.25, 6.0)
    expected = [(np.log(0.25) + np.log(1.5)) / 2, (np.log(2.0) + np.log(4.0)) / 2]
    assert found == pytest.approx(expected)


def test_variance_does_not_drown_in_the_mean() -> None:
    distribution = one_model(1e9 + np.arange(4.0), [-1.0, 0.0, 1.0], 1e9 + np.arange(3.0))
    assert distribution.variance() == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([1, 2, 3] * 10, [1, 2, 3]),
        (list(range(20)) * 3, list(range(20))),
        (list(range(21)) * 3, None),
        ([1, 2, 3, 4], None),
        ([1, 1, 2, 2], None),
        ([1, 1, 1, 2, 2], [1, 2]),
    ],
)
def test_which_labels_are_discrete(y: list[int], expected: list[int] | None) -> None:
    support = label_support(np.array(y, dtype=np.float64))
    assert (None if support is None else support.tolist()) == expected
