"""Proportional odds on data that breaks other fits: a sound answer or a told refusal."""

from __future__ import annotations

import numpy as np
import pytest
from tests.outcome.ordered import data, fit, is_sound

from bacon.errors import EstimationError, InputError
from bacon.outcome.proportional_odds_fit import MOST_LEVELS
from bacon.outcome.proportional_odds_newton import LevelRows, expand


@pytest.mark.parametrize("n", [1, 2, 7])
def test_one_class_is_predicted_everywhere(n: int) -> None:
    x, _ = data(n, 3, levels=1)
    model = fit(x, np.full(n, 4.0))
    assert model.predict(100.0 * x).tolist() == [4.0] * n
    assert model.held_out_.tolist() == [4.0] * n
    assert model.distribution(x).probability.tolist() == [[1.0]] * n


@pytest.mark.parametrize("n", [2, 5, 40])
def test_perfectly_separated_classes(n: int) -> None:
    y = np.repeat([0.0, 1.0], [n // 2, n - n // 2])
    x = (2.0 * y - 1.0)[:, None]
    assert is_sound(fit(x, y), x, y)
    model = fit(x, y, penalty=0.01)
    assert is_sound(model, x, y)
    assert model.predict(np.array([[-1.0], [1.0]])) == pytest.approx([0.0, 1.0], abs=0.05)


def test_a_column_equal_to_the_label() -> None:
    y = np.tile(np.arange(6.0), 10)
    judge = (y - 2.5) / 1.7
    noise = np.random.default_rng(0).normal(size=(60, 20))
    model = fit(np.column_stack([judge, noise]), y)
    assert is_sound(model, np.column_stack([judge, noise]), y)
    assert np.corrcoef(model.held_out_, y)[0, 1] > 0.97
    assert model.predict(np.column_stack([judge, noise])) == pytest.approx(y, abs=0.7)


def test_constant_and_equal_columns() -> None:
    x, y = data(40, 2)
    plain = fit(x, y, penalty=4.0)
    padded = fit(np.column_stack([x, np.full(40, 7.0)]), y, penalty=4.0)
    assert padded.coef_ == pytest.approx([*plain.coef_, 0.0], abs=1e-8)
    # Twice the same column is one column with half the penalty.
    doubled = fit(np.column_stack([x, x]), y, penalty=8.0)
    assert doubled.coef_ == pytest.approx(np.tile(plain.coef_ / 2.0, 2), abs=1e-7)
    assert doubled.held_out_ == pytest.approx(plain.held_out_, abs=1e-6)
    twice = np.column_stack([x, x])
    expected = fit(x, y, penalty=0.0).predict(x)
    assert fit(twice, y, penalty=0.0).predict(twice) == pytest.approx(expected, abs=1e-6)


def test_only_constant_columns_or_none_leave_the_mean() -> None:
    y = np.array([1.0, 2.0, 2.0, 6.0])
    for x in (np.full((4, 2), 3.0), np.zeros((4, 0))):
        model = fit(x, y)
        assert np.isinf(model.penalty_)
        assert model.predict(x) == pytest.approx(np.full(4, 2.75))


@pytest.mark.parametrize("multiple", [0.001, 0.1, 3.0])
def test_more_features_than_labels(multiple: float) -> None:
    x, y = data(25, 300, levels=4)
    model = fit(x, y, penalty=multiple * 25)
    assert is_sound(model, x, y)
    # At the minimum penalty * coef is the gradient of the log-likelihood in every feature.
    order = np.argsort(y, kind="stable")
    rows = LevelRows(x[order], (y[order] - 1).astype(np.int64))
    slope = expand(model.threshold_, model.coef_, rows).gradient
    assert slope[:3] == pytest.approx(np.zeros(3), abs=1e-5)
    assert -slope[3:] == pytest.approx(model.penalty_ * model.coef_, abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_five_labels(seed: int) -> None:
    x, _ = data(5, 4, seed)
    y = np.random.default_rng(seed).integers(1, 4, size=5).astype(float)
    assert is_sound(fit(x, y), x, y)


@pytest.mark.parametrize(
    "values", [[1e12, 2e12, 3e12], [-3, -2, -1, 0, 1, 2, 3], [0.0, 1e-9, 1e9], [-5e300, 0, 5e300]]
)
def test_levels_of_any_size(values: list[float]) -> None:
    x, y = data(50, 4, levels=len(values))
    y = np.array(values, dtype=float)[y.astype(int) - 1]
    model = fit(x, y)
    assert model.level_.tolist() == values
    assert is_sound(model, x, y)
    assert np.corrcoef(np.argsort(np.argsort(model.predict(x))), x[:, 0])[0, 1] > 0.5


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_features_of_any_size_at_any_penalty(size: float) -> None:
    x, y = data(30, 5)
    for penalty in (None, 1e-6, 1e6):
        model = fit(size * x, y, penalty=penalty)
        assert is_sound(model, size * x, y)


def test_as_many_levels_as_labels() -> None:
    # Labels that never repeat still have an order, and the model follows it.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = x[:, 0] + 0.5 * rng.normal(size=300)
    model = fit(x[:60], y[:60])
    assert is_sound(model, x[:60], y[:60])
    assert np.corrcoef(model.predict(x[60:]), y[60:])[0, 1] > 0.8


def test_too_many_levels_are_refused() -> None:
    y = np.arange(MOST_LEVELS + 1.0)
    with pytest.raises(InputError, match=r"at most 500 different values, got 501: round them"):
        fit(y[:, None], y)


@pytest.mark.parametrize("penalty", [-1.0, np.nan])
def test_a_penalty_below_0_is_refused(penalty: float) -> None:
    with pytest.raises(InputError, match="penalty must be 0 or more"):
        fit(*data(10, 2), penalty=penalty)


def test_separated_levels_without_a_penalty_are_refused() -> None:
    x, y = data(60, 3)
    told = "no finite fit at penalty 0: the features separate its levels perfectly"
    for separating in (y, y == 1.0, y >= 3.0):
        with pytest.raises(EstimationError, match=told):
            fit(np.column_stack([x, separating]), y, penalty=0.0)
    with pytest.raises(EstimationError, match=told):
        fit(*data(12, 20, levels=3), penalty=0.0)
