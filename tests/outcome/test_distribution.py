"""The predictive distribution: mixtures item by item, the same whichever way it is asked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from bacon.data.predictions import Predictions
from bacon.outcome.crossfit import FoldPlan, crossfit
from bacon.outcome.distribution import PredictiveDistribution, label_support
from bacon.outcome.folds import label_folds, unit_folds
from bacon.outcome.ridge_fit import fit_ridge

N_ITEMS = 120
Array = npt.NDArray[np.float64]


def fitted(plan: str, *, discrete: bool, seed: int = 0) -> tuple[PredictiveDistribution, Array]:
    """Return the distribution of a cross-fitted ridge, and the labels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N_ITEMS, 2))
    y = 3 + x[:, 0] + 0.7 * rng.normal(size=N_ITEMS)
    y = np.clip(y.round(), 1, 6) if discrete else y
    rows = np.sort(rng.choice(N_ITEMS, 45, replace=False))
    stratum = np.arange(N_ITEMS) % 3
    if plan == "pool":
        plan_ = FoldPlan(5, unit_folds(np.arange(N_ITEMS) // 4, rows, 5, rng))
    else:
        fold = np.full(N_ITEMS, -1)
        fold[rows] = label_folds(np.arange(45), stratum[rows], 5, rng)
        plan_ = FoldPlan(5, fold, stratum=stratum)
    mode = "refit" if plan == "refit" else "ensemble"
    found = crossfit(
        x, y[rows], rows, lambda a, b: fit_ridge(a, b, np.zeros(2, dtype=bool)), plan_, mode=mode
    )
    support = label_support(y[rows])
    assert (support is not None) == discrete
    return PredictiveDistribution(found.predictions, rows, support), y[rows]


PLANS = ("strata", "pool", "refit")


@pytest.mark.parametrize("discrete", [True, False], ids=["ordinal", "continuous"])
@pytest.mark.parametrize("plan", PLANS)
def test_pool_mean_and_labelled_rows_are_those_of_everywhere(plan: str, discrete: bool) -> None:
    distribution, y = fitted(plan, discrete=discrete)
    thetas = np.unique(np.r_[y[:10], 0.0, 3.25, 9.0])
    everywhere = np.column_stack([distribution.everywhere(theta) for theta in thetas])
    assert distribution.pool_mean(thetas) == pytest.approx(everywhere.mean(axis=0), abs=1e-12)
    labelled = everywhere[distribution.rows]
    assert distribution.labelled(thetas) == pytest.approx(labelled, abs=1e-12)
    assert (np.diff(everywhere, axis=1) >= 0.0).all()
    assert everywhere.min() >= 0.0
    assert everywhere.max() <= 1.0 + 1e-12


@pytest.mark.parametrize("plan", PLANS)
def test_each_item_has_the_mixture_of_its_models(plan: str) -> None:
    distribution, _ = fitted(plan, discrete=False)
    p = distribution.predictions
    for item in (0, 7, int(distribution.rows[0]), int(distribution.rows[-1])):
        if p.fold[item] >= 0:
            weights = np.eye(p.n_models)[p.fold[item]]
        else:
            weights = p.weights[p.stratum[item]]
        shares = [np.mean(p.by_model[item, j] + p.residuals[j] <= 3.3) for j in range(p.n_models)]
        assert distribution.everywhere(3.3)[item] == pytest.approx(weights @ shares)
        # Its mean is the prediction, its variance what the models and residuals make it.
        assert p.mean[item] == pytest.approx(weights @ p.by_model[item])
        squares = [np.mean((p.by_model[item, j] + p.residuals[j]) ** 2) for j in range(p.n_models)]
        expected = weights @ squares - p.mean[item] ** 2
        assert distribution.variance()[item] == pytest.approx(expected)


def one_model(mean: Array, residual: Array) -> Predictions:
    n = len(mean)
    zeros = np.zeros(n, dtype=np.int64)
    return Predictions(mean, mean[:, None], (residual,), zeros - 1, zeros, np.ones((1, 1)))


def test_discrete_labels_are_cut_half_way() -> None:
    # Predictions 3.4 and 3.6 without residual are a 3 and a 4.
    distribution = PredictiveDistribution(
        one_model(np.array([3.4, 3.6, 0.2, 8.0]), np.zeros(1)),
        np.array([0]),
        np.array([1.0, 3.0, 4.0]),
    )
    assert distribution.everywhere(3.0).tolist() == [1.0, 0.0, 1.0, 0.0]
    # Between 1 and 3 the cut is at 2; nothing lies below the first or above the last value.
    assert distribution.everywhere(1.0).tolist() == [0.0, 0.0, 1.0, 0.0]
    assert distribution.everywhere(0.5).tolist() == [0.0] * 4
    assert distribution.everywhere(4.0).tolist() == [1.0] * 4
    assert distribution.everywhere(3.9).tolist() == [1.0, 0.0, 1.0, 0.0]


def test_a_constant_prediction_is_the_distribution_of_the_labels() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        y = rng.normal(size=25)
        predictions = one_model(np.full(80, y.mean()), np.sort(y - y.mean()))
        distribution = PredictiveDistribution(predictions, np.arange(25), label_support(y))
        thetas = np.unique(y)
        expected = np.array([np.mean(y <= theta) for theta in thetas])
        assert distribution.pool_mean(thetas) == pytest.approx(expected, abs=1e-12)
        assert distribution.everywhere(float(thetas[3])) == pytest.approx(expected[3])


def test_many_residuals_are_thinned() -> None:
    rng = np.random.default_rng(1)
    residual = np.sort(rng.normal(size=5_000))
    distribution = PredictiveDistribution(one_model(np.zeros(4), residual), np.array([0]))
    for theta in (-1.5, 0.0, 0.7):
        exact = np.mean(residual <= theta)
        assert distribution.everywhere(theta) == pytest.approx(exact, abs=0.011)


def test_expectation_of_a_function() -> None:
    residual = np.array([-1.0, 0.0, 1.0])
    distribution = PredictiveDistribution(one_model(np.array([2.0, 5.0]), residual), np.array([0]))
    squares = distribution.expectation(lambda y: y**2)
    assert squares == pytest.approx([(1 + 4 + 9) / 3, (16 + 25 + 36) / 3])
    assert distribution.expectation(lambda y: y) == pytest.approx([2.0, 5.0])


def test_a_function_without_a_value_is_taken_at_the_nearest_outcome() -> None:
    # log of 0.5 - 1 is taken at 0.25, the lowest outcome there is.
    residual = np.array([-1.0, 1.0])
    distribution = PredictiveDistribution(one_model(np.array([0.5, 3.0]), residual), np.array([0]))
    found = distribution.expectation(np.log, 0.25, 6.0)
    expected = [(np.log(0.25) + np.log(1.5)) / 2, (np.log(2.0) + np.log(4.0)) / 2]
    assert found == pytest.approx(expected)


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
