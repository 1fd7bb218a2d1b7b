"""The ridge against refits one label at a time, scikit-learn's ridge, and its own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from bacon.outcome.ridge import BlockRidge
from bacon.outcome.ridge_fit import BLOCK_SCALES, PENALTIES, fit_ridge

Array = npt.NDArray[np.float64]


def data(n: int, p: int, seed: int = 0, noise: float = 1.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    y = 4.0 + x @ rng.normal(size=p) / np.sqrt(p) + noise * rng.normal(size=n)
    return x, y


def fit(x: Array, y: Array, block_one: Any = None) -> Any:
    block = np.zeros(x.shape[1], dtype=bool) if block_one is None else np.asarray(block_one)
    return fit_ridge(x, y, block)


def left_out(x: Array, y: Array, penalty: float) -> Array:
    """Return leave-one-out residuals by solving the normal equations n times."""
    residual = np.empty(len(y))
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        middle = x[keep].mean(axis=0)
        coef = np.zeros(x.shape[1])
        if np.isfinite(penalty):
            inside = x[keep] - middle
            gram = inside.T @ inside + penalty * np.eye(x.shape[1])
            coef = np.linalg.solve(gram, inside.T @ (y[keep] - y[keep].mean()))
        residual[i] = y[i] - y[keep].mean() - (x[i] - middle) @ coef
    return residual


@parametrize_with_checks([BlockRidge()])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("n", "p", "noise"), [(30, 3, 1.0), (12, 8, 0.3), (15, 40, 0.5), (8, 1, 2.0)]
)
def test_leave_one_out_residuals_are_those_of_refits(n: int, p: int, noise: float) -> None:
    for seed in range(3):
        x, y = data(n, p, seed, noise)
        model = fit(x, y)
        residual = left_out(x, y, model.penalty_)
        expected = np.sort(residual - residual.mean())
        assert model.residual_ == pytest.approx(expected, abs=1e-10)


def test_residuals_of_the_constant_are_those_of_refits() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 2)), np.tile([0.0, 1.0], 10)
    x[:, 0] = np.tile([1.0, 1.0, -1.0, -1.0], 5)
    x[:, 1] = 0.0
    model = fit(x, y)
    assert np.isinf(model.penalty_)
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.predict(x) == pytest.approx(y.mean())
    residual = left_out(x, y, np.inf)
    assert model.residual_ == pytest.approx(np.sort(residual - residual.mean()), abs=1e-12)


@pytest.mark.parametrize(("n", "p"), [(30, 3), (12, 8), (15, 40)])
def test_coefficients_are_scikit_learns_at_the_chosen_penalty(n: int, p: int) -> None:
    for seed in range(3):
        x, y = data(n, p, seed, 0.5)
        model = fit(x, y)
        assert np.isfinite(model.penalty_)
        theirs = Ridge(alpha=model.penalty_).fit(x, y)
        assert model.coef_ == pytest.approx(theirs.coef_, abs=1e-8)
        assert model.intercept_ == pytest.approx(theirs.intercept_, abs=1e-8)
        assert model.predict(x) == pytest.approx(theirs.predict(x), abs=1e-8)


def test_the_penalty_has_the_least_leave_one_out_error_of_all() -> None:
    for seed in range(4):
        x, y = data(20, 5, seed)
        model = fit(x, y)
        penalties = [*(PENALTIES * 20), np.inf]
        errors = [np.sum(left_out(x, y, penalty) ** 2) for penalty in penalties]
        assert model.penalty_ == pytest.approx(penalties[int(np.argmin(errors))])


def test_a_block_is_scaled_by_the_factor_with_the_least_error() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(25, 12))
    y = x[:, 0] + 0.2 * x[:, 2:].sum(axis=1) + 0.5 * rng.normal(size=25)
    block = np.arange(12) >= 2
    model = fit(x, y, block)
    errors = {
        (factor, penalty): np.sum(left_out(x * np.where(block, factor, 1.0), y, penalty) ** 2)
        for factor in BLOCK_SCALES
        for penalty in PENALTIES * 25
    }
    best = min(errors, key=lambda key: errors[key])
    assert (model.block_scale_, model.penalty_) == pytest.approx(best)
    scale = np.where(block, model.block_scale_, 1.0)
    theirs = Ridge(alpha=model.penalty_).fit(x * scale, y)
    assert model.predict(x) == pytest.approx(theirs.predict(x * scale), abs=1e-8)


def test_a_block_of_noise_is_left_out() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 52))
    y = 3 * x[:, 0] - 2 * x[:, 1] + 0.1 * rng.normal(size=40)
    block = np.arange(52) >= 2
    model = fit(x, y, block)
    assert model.block_scale_ == 0.0
    assert (model.coef_[2:] == 0.0).all()
    alone = fit(x[:, :2], y)
    assert model.coef_[:2] == pytest.approx(alone.coef_)
    assert model.residual_ == pytest.approx(alone.residual_)


def test_a_block_that_carries_everything_is_kept() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 6))
    y = 2 * x[:, 3] + 0.1 * rng.normal(size=60)
    model = fit(x, y, np.arange(6) >= 2)
    assert model.block_scale_ == 1.0
    assert model.coef_[3] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("block", [[True] * 3, [False] * 3])
def test_one_block_alone_is_not_scaled(block: list[bool]) -> None:
    x, y = data(20, 3)
    model = fit(x, y, block)
    assert model.block_scale_ == 1.0
    assert model.coef_ == pytest.approx(fit(x, y).coef_)


def test_noise_alone_is_not_used() -> None:
    # Under pure noise the constant wins most of the time, and is never beaten by much.
    constant = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        model = fit(rng.normal(size=(30, 10)), rng.normal(size=30))
        constant += bool(np.isinf(model.penalty_) or model.penalty_ >= 30 * 10)
    assert constant > 60


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-8, 1e12])
def test_a_constant_target(value: float) -> None:
    x, _ = data(10, 3)
    model = fit(x, np.full(10, value))
    assert model.predict(x) == pytest.approx(np.full(10, value), rel=1e-12)
    assert model.residual_ == pytest.approx(np.zeros(10), abs=1e-12 * max(abs(value), 1))


def test_one_row() -> None:
    model = fit(np.array([[1.0, 2.0]]), np.array([5.0]))
    assert model.predict(np.array([[9.0, -9.0]])).tolist() == [5.0]
    assert model.residual_.tolist() == [0.0]


def test_two_rows() -> None:
    model = fit(np.array([[0.0], [1.0]]), np.array([1.0, 3.0]))
    assert np.isfinite(model.predict(np.array([[0.5]]))).all()
    assert model.predict(np.array([[0.5]])) == pytest.approx([2.0])
    assert np.isfinite(model.residual_).all()


def test_more_columns_than_rows() -> None:
    x, y = data(20, 300, noise=0.3)
    model = fit(x, y)
    assert np.isfinite(model.coef_).all()
    assert np.std(model.predict(x)) <= 1.2 * np.std(y)


def test_duplicated_and_constant_columns() -> None:
    x, y = data(25, 3, noise=0.3)
    model = fit(x, y)
    doubled = fit(np.column_stack([x, x]), y)
    # Twice the same column is one column with half the penalty: the grid is not that fine.
    halves = doubled.coef_.reshape(2, 3)
    assert halves[0] == pytest.approx(halves[1], abs=1e-10)
    theirs = Ridge(alpha=doubled.penalty_).fit(np.column_stack([x, x]), y)
    assert doubled.coef_ == pytest.approx(theirs.coef_, abs=1e-8)
    padded = fit(np.column_stack([x, np.full(25, 7.0), np.zeros(25)]), y)
    assert padded.coef_ == pytest.approx([*model.coef_, 0.0, 0.0], abs=1e-12)
    assert padded.residual_ == pytest.approx(model.residual_, abs=1e-12)


def test_only_constant_columns_leave_the_mean() -> None:
    y = np.array([1.0, 2.0, 6.0])
    model = fit(np.full((3, 2), 4.0), y)
    assert model.predict(np.array([[0.0, 9.0]])) == pytest.approx([3.0])
    none = fit(np.zeros((3, 0)), y)
    assert none.predict(np.zeros((2, 0))) == pytest.approx([3.0, 3.0])


@settings(max_examples=25)
@given(st.integers(0, 1_000), st.floats(-50, 50), st.floats(0.01, 100), st.integers(0, 4))
def test_signs_shifts_and_units_do_not_matter(
    seed: int, shift: float, unit: float, turned: int
) -> None:
    # Turning or shifting a column, or another unit of the outcome, carries over.
    x, y = data(15, 4, seed)
    signs = np.where(np.arange(4) < turned, -1.0, 1.0)
    here, there = fit(x, y), fit(x * signs + shift, shift + unit * y)
    assert there.penalty_ == here.penalty_
    assert there.predict(x * signs + shift) == pytest.approx(
        shift + unit * here.predict(x), rel=1e-7, abs=1e-6 * unit
    )
    assert there.residual_ == pytest.approx(unit * here.residual_, rel=1e-6, abs=1e-7 * unit)


def test_the_order_of_rows_does_not_matter() -> None:
    x, y = data(18, 4)
    order = np.random.default_rng(9).permutation(18)
    here, there = fit(x, y), fit(x[order], y[order])
    assert there.coef_ == pytest.approx(here.coef_, rel=1e-12, abs=1e-12)
    assert there.residual_ == pytest.approx(here.residual_, rel=1e-12, abs=1e-12)


def test_the_estimator_is_the_function() -> None:
    x, y = data(30, 6)
    blocks = [0, 0, 1, 1, 1, 1]
    model = BlockRidge(blocks).fit(x, y)
    function = fit(x, y, np.array(blocks) == 1)
    assert model.coef_.tolist() == function.coef_.tolist()
    assert (model.intercept_, model.penalty_) == (function.intercept_, function.penalty_)
    assert model.predict(x).tolist() == function.predict(x).tolist()
    assert model.score(x, y) > 0.0
    assert model.get_params() == {"blocks": blocks}


def test_its_distribution_is_prediction_plus_residual() -> None:
    x, y = data(30, 2)
    model = BlockRidge().fit(x, y)
    predicted = model.predict(x)
    for theta in (2.0, 4.0, 5.5):
        expected = np.mean(predicted[:, None] + model.residual_[None, :] <= theta, axis=1)
        assert model.predict_cdf(x, theta) == pytest.approx(expected)
    # The residuals are centred, so that the distribution's mean is the prediction.
    assert model.residual_.mean() == pytest.approx(0.0, abs=1e-12)


def test_blocks_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"blocks must have 2 values, got \(3,\)"):
        BlockRidge([0, 0, 1]).fit(*data(5, 2))
