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
from bacon.outcome.ridge_fit import (
    BLOCK_SCALES,
    COMPONENTS,
    PENALTIES,
    POWER,
    PRIOR,
    SILENT,
    fit_ridge,
)

Array = npt.NDArray[np.float64]


def data(n: int, p: int, seed: int = 0, noise: float = 1.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    y = 4.0 + x @ rng.normal(size=p) / np.sqrt(p) + noise * rng.normal(size=n)
    return x, y


def fit(x: Array, y: Array, blocks: Any = None) -> Any:
    codes = np.zeros(x.shape[1]) if blocks is None else np.asarray(blocks)
    return fit_ridge(x, y, codes.astype(np.int64))


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


def priced(x: Array, y: Array, scale: Array) -> tuple[float, Array, Array]:
    """Return error, coefficients and leave-one-out residuals of the best of all penalties."""
    residuals = [left_out(x * scale, y, penalty) for penalty in (*(PENALTIES * len(y)), np.inf)]
    errors = [float(np.sum(r**2)) for r in residuals]
    k = int(np.argmin(errors))
    if k == len(PENALTIES):
        return errors[k], np.zeros(len(scale)), residuals[k]
    ridge = Ridge(alpha=PENALTIES[k] * len(y)).fit(x * scale, y)
    return errors[k], scale * ridge.coef_, residuals[k]


def averaged(x: Array, y: Array, scales: list[Array], prior: list[float]) -> tuple[Array, Array]:
    """Return coefficients and leave-one-out residuals averaged by the errors, by hand."""
    found = [priced(x, y, scale) for scale in scales]
    told = max(len(y) - SILENT, 0) * POWER
    weight = np.array(prior) * np.array([error for error, _, _ in found]) ** -told
    weight /= weight.sum()
    coef = sum(w * c for w, (_, c, _) in zip(weight, found, strict=True))
    residual = sum(w * r for w, (_, _, r) in zip(weight, found, strict=True))
    return np.asarray(coef), np.asarray(residual)


@pytest.mark.parametrize("gain", [0.0, 1.0])
def test_ridges_with_and_without_a_block_are_averaged_by_their_errors(gain: float) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 8))
    y = x[:, 0] + gain * x[:, 2:].sum(axis=1) + 0.5 * rng.normal(size=40)
    blocks = np.array([0, 0, 2, 2, 2, 2, 2, 2])
    model = fit(x, y, blocks)
    factors = [0.0, *BLOCK_SCALES[:-1]]
    scales = [np.where(blocks == 2, factor, 1.0) for factor in factors]
    coef, residual = averaged(x, y, scales, [1.0 - PRIOR, *[PRIOR / 3] * 3])
    assert model.coef_ == pytest.approx(coef, abs=1e-8)
    assert y - model.held_out_ == pytest.approx(residual, abs=1e-8)
    assert model.residual_ == pytest.approx(np.sort(residual - residual.mean()), abs=1e-8)
    assert model.factors_[:2] == pytest.approx([1.0, 1.0])
    assert model.factors_[2] == model.factors_[7]
    assert (model.factors_[2] > 0.5) == (gain > 0.0)


def test_the_number_of_components_is_tuned_before_their_factor() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(30, 12))
    y = x[:, 0] + x[:, 2] - x[:, 4] + 0.5 * rng.normal(size=30)
    blocks = np.array([0, 0, *[1] * 10])
    model = fit(x, y, blocks)
    counts = [4, 8, 10]
    assert counts == sorted({min(c, 10) for c in COMPONENTS})

    def scale(count: int, factor: float) -> Array:
        return np.r_[1.0, 1.0, np.full(count, factor), np.zeros(10 - count)]

    best = min(counts, key=lambda count: priced(x, y, scale(count, 1.0))[0])
    scales = [scale(0, 0.0), *(scale(c, 1.0) for c in counts), scale(best, 0.3), scale(best, 0.1)]
    coef, residual = averaged(x, y, scales, [1.0 - PRIOR, *[PRIOR / 5] * 5])
    assert model.coef_ == pytest.approx(coef, abs=1e-8)
    assert y - model.held_out_ == pytest.approx(residual, abs=1e-8)
    assert model.n_components_ == 4
    assert model.block_scales_.tolist() == [1.0, 1.0, 0.0]


def test_block_two_comes_on_top_of_what_was_best() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(60, 9))
    y = x[:, 0] + x[:, 2] + x[:, 7] + 0.3 * rng.normal(size=60)
    model = fit(x, y, [0, 0, 1, 1, 1, 1, 1, 2, 2])
    assert (model.block_scales_ > 0.0).all()
    assert model.coef_[[0, 2, 7]] == pytest.approx([1.0, 1.0, 1.0], abs=0.2)
    # The order of columns is no matter, but for the order of components.
    order = [7, 2, 0, 3, 8, 4, 1, 5, 6]
    moved = fit(x[:, order], y, np.array([0, 0, 1, 1, 1, 1, 1, 2, 2])[order])
    assert moved.coef_ == pytest.approx(model.coef_[order], abs=1e-10)


def test_a_block_of_noise_costs_little() -> None:
    def excess(blocks: Array, seed: int) -> float:
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(2_000, 32))
        y = x[:, 0] - x[:, 1] + rng.normal(size=2_000)
        one = fit(x[:50, :2], y[:50]).predict(x[50:, :2])
        all_ = fit(x[:50], y[:50], blocks).predict(x[50:])
        return float(np.mean((y[50:] - all_) ** 2) / np.mean((y[50:] - one) ** 2))

    for block in (1, 2):
        blocks = np.where(np.arange(32) < 2, 0, block)
        assert np.mean([excess(blocks, seed) for seed in range(20)]) < 1.02
    together = np.zeros(32)
    assert np.mean([excess(together, seed) for seed in range(20)]) > 1.1


def test_a_block_that_carries_everything_is_kept() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 6))
    y = 2 * x[:, 3] + 0.1 * rng.normal(size=60)
    for block in (1, 2):
        model = fit(x, y, block * (np.arange(6) >= 2))
        assert model.block_scales_[block] == 1.0
        assert model.coef_[3] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("block", [0, 1, 2])
def test_one_block_alone_is_not_scaled(block: int) -> None:
    x, y = data(20, 3)
    model = fit(x, y, np.full(3, block))
    assert model.block_scales_.tolist() == [float(b == block) for b in range(3)]
    assert model.coef_ == pytest.approx(fit(x, y).coef_)


def test_components_alone_are_averaged_over_their_number() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(40, 20))
    y = x[:, 1] + 0.5 * rng.normal(size=40)
    model = fit(x, y, np.ones(20))
    scales = [(np.arange(20) < count).astype(np.float64) for count in (4, 8, 16, 20)]
    coef, _ = averaged(x, y, scales, [1.0] * 4)
    assert model.coef_ == pytest.approx(coef, abs=1e-8)
    assert model.n_components_ == 4


def test_what_is_held_out_stands_in_the_order_of_the_labels() -> None:
    x, y = data(20, 4)
    model = fit(x, y)
    assert y - model.held_out_ == pytest.approx(left_out(x, y, model.penalty_), abs=1e-10)
    constant = fit(np.zeros((3, 0)), np.array([1.0, 2.0, 6.0]))
    assert constant.held_out_ == pytest.approx([4.0, 3.5, 1.5])


def test_columns_of_wildly_different_size_are_priced_exactly() -> None:
    x, y = data(20, 3)
    x = x * np.array([1e7, 1.0, 1e-4])
    model = fit(x, y)
    assert y - model.held_out_ == pytest.approx(left_out(x, y, model.penalty_), rel=1e-6)


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
    for blocks in ([0, 0], [0, 1], [2, 1]):
        model = fit(np.array([[1.0, 2.0]]), np.array([5.0]), blocks)
        assert model.predict(np.array([[9.0, -9.0]])).tolist() == [5.0]
        assert model.residual_.tolist() == [0.0]
        assert model.held_out_.tolist() == [5.0]


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
    function = fit(x, y, blocks)
    assert model.fit_.coef_.tolist() == function.coef_.tolist()
    assert model.fit_.intercept_ == function.intercept_
    assert model.predict(x).tolist() == function.predict(x).tolist()
    assert model.score(x, y) > 0.0
    assert model.get_params() == {"blocks": blocks}


def test_its_distribution_is_prediction_plus_residual() -> None:
    x, y = data(30, 2)
    model = BlockRidge().fit(x, y)
    predicted = model.predict(x)
    for theta in (2.0, 4.0, 5.5):
        expected = np.mean(predicted[:, None] + model.fit_.residual_[None, :] <= theta, axis=1)
        assert model.predict_cdf(x, theta) == pytest.approx(expected)
    # The residuals are centred, so that the distribution's mean is the prediction.
    assert model.fit_.residual_.mean() == pytest.approx(0.0, abs=1e-12)


def test_blocks_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"blocks must have 2 values, got \(3,\)"):
        BlockRidge([0, 0, 1]).fit(*data(5, 2))
