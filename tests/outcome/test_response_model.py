"""Who answers: columns, test and chances, against hand arithmetic and known chances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bacon.outcome.response_model import FLOOR, fit_response, response_columns, response_p_value

Array = npt.NDArray[np.float64]


def simulated(
    n: int, slope: float, seed: int = 0
) -> tuple[Array, npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Return two columns, who answered, and the chance of it."""
    rng = np.random.default_rng(seed)
    x = response_columns(rng.normal(size=(n, 2)), np.zeros(n, dtype=np.int64), 2)
    chance = 1.0 / (1.0 + np.exp(-0.5 - slope * x[:, 0]))
    return x, rng.random(n) < chance, chance


def test_columns_are_uncorrelated_and_centred_in_cells() -> None:
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(50, 3)) + rng.normal(size=(50, 1))
    cell = np.repeat([0, 1, 3], [20, 10, 20])
    columns = response_columns(raw, cell, 5)
    np.testing.assert_allclose(columns.T @ columns / 50, np.eye(3), atol=1e-9)
    for code in (0, 1, 3):
        np.testing.assert_allclose(columns[cell == code].mean(axis=0), 0.0, atol=1e-9)
    assert response_columns(raw, cell, 2).shape == (50, 2)
    np.testing.assert_allclose(response_columns(raw, cell, 2), columns[:, :2])


def test_columns_that_say_nothing_new_are_left_out() -> None:
    raw = np.random.default_rng(1).normal(size=(30, 2))
    cell = np.zeros(30, dtype=np.int64)
    more = np.column_stack([np.full(30, 7.0), raw[:, 0], -2.0 * raw[:, 0] + 3.0, raw[:, 1]])
    np.testing.assert_allclose(
        response_columns(more, cell, 4), response_columns(raw, cell, 4), atol=1e-9
    )
    assert response_columns(np.zeros((30, 0)), cell, 4).shape == (30, 0)


def test_p_value_by_hand() -> None:
    # The answered of four stand highest: score 2 of -1, -1, 1, 1, whose variance over deals
    # of two answers is n/(n-1) 1/4 sum x^2 = 4/3.
    column = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    answered = np.array([False, False, True, True])
    found = response_p_value(column, answered, np.zeros(4, dtype=np.int64))
    assert found == pytest.approx(stats.chi2.sf(3.0, 1))
    assert np.isnan(response_p_value(np.zeros((4, 0)), answered, np.zeros(4, dtype=np.int64)))


def test_p_value_is_of_deals_within_cells() -> None:
    # Everyone of the first cell answered and no one of the second: nothing left to chance.
    column = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    answered = np.array([True, True, False, False])
    assert response_p_value(column, answered, np.array([0, 0, 1, 1])) == 1.0


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_p_values_are_uniform_where_chance_decides_and_small_where_not(slope: float) -> None:
    cell = np.zeros(80, dtype=np.int64)
    found = []
    for seed in range(300):
        x, answered, _ = simulated(80, slope, seed)
        found.append(response_p_value(x, answered, cell))
    if slope == 0.0:
        assert stats.kstest(found, "uniform").pvalue > 0.01
    else:
        assert np.mean(np.array(found) < 0.2) > 0.95


def test_answered_items_stand_for_all_drawn_in_every_cell() -> None:
    x, answered, _ = simulated(200, 1.0)
    weights = np.random.default_rng(2).uniform(1.0, 4.0, 200)
    cell = np.repeat([0, 2, 3], [60, 60, 80])
    fitted = fit_response(x, answered, weights, cell, np.random.default_rng(0))
    assert np.all((fitted.probability > 0.0) & (fitted.probability <= 1.0))
    for code in (0, 2, 3):
        a = (cell == code) & answered
        stands_for = (weights[a] / fitted.probability[a]).sum()
        assert stands_for == pytest.approx(weights[cell == code].sum(), rel=1e-9)


def test_a_fully_answered_cell_counts_as_it_is() -> None:
    x, answered, _ = simulated(60, 1.0)
    answered[:20] = True
    cell = np.repeat([0, 1], [20, 40])
    fitted = fit_response(x, answered, np.ones(60), cell, np.random.default_rng(0))
    np.testing.assert_array_equal(fitted.probability[:20], 1.0)


def test_without_columns_every_chance_is_the_mean_response() -> None:
    answered = np.arange(40) % 4 > 0
    nothing = np.zeros((40, 0))
    cell = np.zeros(40, dtype=np.int64)
    fitted = fit_response(nothing, answered, np.ones(40), cell, np.random.default_rng(0))
    np.testing.assert_allclose(fitted.probability[answered], 0.75, rtol=0.05)


def test_chances_near_the_true_ones_with_many_items() -> None:
    x, answered, chance = simulated(4_000, 0.8)
    cell = np.zeros(4_000, dtype=np.int64)
    fitted = fit_response(x, answered, np.ones(4_000), cell, np.random.default_rng(0))
    raised = np.maximum(chance, FLOOR * answered.mean())
    assert np.abs(fitted.probability - raised).max() < 0.1
    assert np.abs(fitted.probability - raised).mean() < 0.02


def test_an_item_has_no_say_in_its_own_chance() -> None:
    # Cross-fitted: were all chances of one model, an item that answers would lift its own.
    x, answered, chance = simulated(120, 0.0)
    cell = np.zeros(120, dtype=np.int64)
    gaps = []
    for seed in range(60):
        rng = np.random.default_rng([7, seed])
        answered = rng.random(120) < chance
        found = fit_response(x, answered, np.ones(120), cell, rng).probability
        gaps.append(found[answered].mean() - found[~answered].mean())
    assert np.mean(gaps) < 0.5 * np.std(gaps)


def test_small_chances_are_raised_and_counted() -> None:
    rng = np.random.default_rng(3)
    x = response_columns(rng.normal(size=(300, 1)), np.zeros(300, dtype=np.int64), 1)
    answered = rng.random(300) < 1.0 / (1.0 + np.exp(-4.0 * x[:, 0]))
    cell = np.zeros(300, dtype=np.int64)
    fitted = fit_response(x, answered, np.ones(300), cell, np.random.default_rng(0))
    floor = FLOOR * answered.mean()
    assert fitted.n_floored == np.sum(fitted.probability == floor) > 0
    assert fitted.probability.min() == floor
    assert (1.0 / fitted.probability[answered]).sum() == pytest.approx(300.0)


@given(st.integers(0, 200), st.integers(2, 58))
def test_any_share_answered_gives_chances(seed: int, n_answered: int) -> None:
    rng = np.random.default_rng(seed)
    answered = rng.permutation(60) < n_answered
    # One column tells all but for the folds: separated answers must not break the fit.
    raw = np.column_stack([answered + 1e-3 * rng.normal(size=60), rng.normal(size=60)])
    cell = np.zeros(60, dtype=np.int64)
    x = response_columns(raw, cell, 2)
    fitted = fit_response(x, answered, np.ones(60), cell, rng)
    assert np.all((fitted.probability > 0.0) & (fitted.probability <= 1.0))
    assert (1.0 / fitted.probability[answered]).sum() == pytest.approx(60.0)
