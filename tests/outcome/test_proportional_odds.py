"""Proportional odds against naive likelihoods and refits one label at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.outcome.ordered import Array, data, fit

from bacon.outcome.proportional_odds import ProportionalOdds
from bacon.outcome.proportional_odds_fit import PENALTIES
from bacon.outcome.proportional_odds_newton import LevelRows, expand
from bacon.outcome.ridge_fit import fit_ridge

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.outcome.proportional_odds_fit import ProportionalOddsFit


def naive(point: Array, x: Array, y: Array, penalty: float) -> float:
    """Return the penalised objective from differences of probabilities."""
    level, code = np.unique(y, return_inverse=True)
    k = len(level) - 1
    ends = np.concatenate([[-np.inf], point[:k], [np.inf]])
    eta = x @ point[k:]
    with np.errstate(over="ignore"):
        below = 1.0 / (1.0 + np.exp(eta[:, None] - ends[None, :]))
    own = below[np.arange(len(y)), code + 1] - below[np.arange(len(y)), code]
    return float(-np.log(own).sum() + 0.5 * penalty * point[k:] @ point[k:])


def refits(x: Array, y: Array, model: ProportionalOddsFit) -> Array:
    """Return the mean of each row by the model fitted without it, at the same penalty."""
    held_out = np.empty(len(y))
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        one = fit(x[keep], y[keep], penalty=model.penalty_, factors=model.factors_)
        held_out[i] = one.predict(x[i : i + 1])[0]
    return held_out


@parametrize_with_checks([ProportionalOdds()])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("levels", [2, 3, 6])
def test_derivatives_are_finite_differences(levels: int) -> None:
    x, y = data(40, 4, seed=levels, levels=levels)
    order = np.argsort(y, kind="stable")
    rows = LevelRows(x[order], (y[order] - 1).astype(np.int64))
    k = levels - 1
    point = np.concatenate([np.linspace(-1.5, 1.0, k), [0.4, -0.2, 0.7, 0.1]])
    at = expand(point[:k], point[k:], rows)
    assert at.value == pytest.approx(naive(point, x, y, 0.0), rel=1e-12)
    for j in range(len(point)):
        step = np.zeros(len(point))
        step[j] = 1e-5
        after = expand((point + step)[:k], (point + step)[k:], rows)
        before = expand((point - step)[:k], (point - step)[k:], rows)
        assert at.gradient[j] == pytest.approx((after.value - before.value) / 2e-5, abs=1e-6)
        slopes = (after.gradient - before.gradient) / 2e-5
        assert at.hessian[j] == pytest.approx(slopes, abs=1e-6)


@pytest.mark.parametrize(("n", "p", "levels"), [(60, 3, 3), (80, 6, 6), (12, 20, 4)])
def test_the_fit_is_the_minimum_of_the_naive_objective(n: int, p: int, levels: int) -> None:
    x, y = data(n, p, levels=levels)
    model = fit(x, y, penalty=2.5)
    point = np.concatenate([model.threshold_, model.coef_])
    found = minimize(naive, point + 0.01, (x, y, 2.5), method="BFGS", options={"gtol": 1e-7})
    assert naive(point, x, y, 2.5) == pytest.approx(found.fun, abs=1e-8)
    assert point == pytest.approx(found.x, abs=2e-4)


def test_two_levels_are_a_logistic_regression() -> None:
    x, y = data(50, 4, levels=2)
    model = fit(x, y, penalty=3.0)
    theirs = LogisticRegression(C=1.0 / 3.0, tol=1e-10, max_iter=1_000).fit(x, y)
    assert model.coef_ == pytest.approx(theirs.coef_[0], abs=1e-6)
    assert -model.threshold_ == pytest.approx(theirs.intercept_, abs=1e-6)


@pytest.mark.parametrize(("n", "p", "multiple"), [(150, 8, 0.01), (150, 8, 1.0), (60, 90, 0.3)])
def test_held_out_means_are_nearly_those_of_refits(n: int, p: int, multiple: float) -> None:
    x, y = data(n, p, levels=6)
    model = fit(x, y, penalty=multiple * n)
    expected = refits(x, y, model)
    moved = np.abs(expected - model.predict(x)).max()
    error = np.abs(model.held_out_ - expected)
    assert error.max() < 0.02
    assert error.max() < 0.15 * moved


def test_held_out_means_of_levels_seen_once_are_nearly_those_of_refits() -> None:
    # First, inner and last: without its row the level is gone, and its thresholds with it.
    x, y = data(40, 3, levels=3)
    y = np.array([1.0, 4.0, 7.0])[y.astype(int) - 1]
    rows = [int(np.argmin(x[:, 0])), int(np.argsort(x[:, 0])[20]), int(np.argmax(x[:, 0]))]
    y[rows] = [0.0, 5.0, 30.0]
    for penalty in (0.4, 10.0, 100.0):
        model = fit(x, y, penalty=penalty)
        expected = refits(x, y, model)
        assert model.held_out_[rows] == pytest.approx(expected[rows], abs=0.1)
        at = np.arange(3)
        levels = np.searchsorted(model.level_, [0.0, 5.0, 30.0])
        assert model.held_out_probability_[rows][at, levels] == pytest.approx(np.zeros(3))


def test_held_out_means_of_the_constant_are_exact() -> None:
    x, y = data(30, 2)
    model = fit(x, y, penalty=np.inf)
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.predict(x) == pytest.approx(np.full(30, y.mean()))
    assert model.held_out_ == pytest.approx((y.sum() - y) / 29)


def test_held_out_means_are_those_of_held_out_probabilities() -> None:
    x, y = data(50, 3)
    model = fit(x, y)
    assert np.isfinite(model.penalty_)
    assert model.held_out_probability_ @ model.level_ == pytest.approx(model.held_out_)


def test_the_penalty_has_nearly_the_best_score_of_refits() -> None:
    for seed in range(2):
        x, y = data(40, 10, seed, levels=3, noise=1.5)
        penalties = [*(PENALTIES * 40), np.inf]
        scores = []
        for penalty in penalties:
            held_out = 0.0
            for i in range(40):
                keep = np.arange(40) != i
                one = fit(x[keep], y[keep], penalty=penalty)
                own = one.distribution(x[i : i + 1]).probability[0, one.level_ == y[i]]
                held_out -= float(np.log(0.999 * own[0] + 0.001 / 3))
            scores.append(held_out)
        chosen = penalties.index(pytest.approx(fit(x, y).penalty_))
        assert scores[chosen] <= min(scores) + 0.1


def test_noise_alone_is_not_used() -> None:
    constant = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        model = fit(rng.normal(size=(40, 10)), rng.integers(1, 5, size=40).astype(float))
        constant += bool(np.isinf(model.penalty_))
        assert np.std(model.predict(rng.normal(size=(40, 10)))) < 0.7
    assert constant > 35


def test_blocks_are_trusted_as_far_as_the_ridge_does() -> None:
    x, y = data(60, 12)
    blocks = np.repeat([0, 1, 2], 4)
    model = fit(x, y, blocks)
    ridge = fit_ridge(x, y, blocks)
    assert model.factors_ == pytest.approx(ridge.factors_)
    scaled = fit(x * ridge.factors_, y, penalty=model.penalty_)
    assert model.predict(x) == pytest.approx(scaled.predict(x * ridge.factors_), abs=1e-7)


def test_a_column_with_factor_0_is_left_out() -> None:
    x, y = data(40, 3)
    model = fit(x, y, factors=np.array([1.0, 0.0, 0.5]), penalty=2.0)
    alone = fit(x[:, [0, 2]], y, factors=np.array([1.0, 0.5]), penalty=2.0)
    assert model.coef_ == pytest.approx([alone.coef_[0], 0.0, alone.coef_[1]], abs=1e-8)
    none = fit(x, y, factors=np.zeros(3))
    assert np.isinf(none.penalty_)


@settings(max_examples=20)
@given(st.integers(0, 1_000))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    x, y = data(25, 3, seed, levels=4)
    order = np.random.default_rng(seed).permutation(25)
    here, there = fit(x, y), fit(x[order], y[order])
    assert there.penalty_ == here.penalty_
    assert there.coef_ == pytest.approx(here.coef_, abs=1e-6)
    assert there.threshold_ == pytest.approx(here.threshold_, abs=1e-6)
    assert there.held_out_ == pytest.approx(here.held_out_[order], abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1_000), st.floats(-50, 50), st.floats(0.01, 100))
def test_other_units_of_the_levels_move_the_means_along(
    seed: int, shift: float, unit: float
) -> None:
    x, y = data(25, 3, seed, levels=4)
    here, there = fit(x, y), fit(x, shift + unit * y)
    assert there.coef_ == pytest.approx(here.coef_, abs=1e-8)
    assert there.predict(x) == pytest.approx(shift + unit * here.predict(x), abs=1e-7 * unit + 1e-9)
    assert there.held_out_ == pytest.approx(shift + unit * here.held_out_, abs=1e-7 * unit + 1e-9)


@settings(max_examples=20)
@given(st.integers(0, 1_000))
def test_only_the_order_of_the_levels_matters_for_the_fit(seed: int) -> None:
    x, y = data(25, 3, seed, levels=4)
    values = np.sort(np.random.default_rng(seed).normal(size=5)) * 10.0
    here, there = fit(x, y, penalty=2.0), fit(x, values[y.astype(int)], penalty=2.0)
    assert there.coef_.tolist() == here.coef_.tolist()
    probability = here.distribution(x).probability
    assert there.predict(x) == pytest.approx(probability @ there.level_)


@settings(max_examples=20)
@given(st.integers(0, 1_000))
def test_turning_the_outcome_turns_the_model(seed: int) -> None:
    x, y = data(25, 3, seed, levels=4)
    here, there = fit(x, y, penalty=2.0), fit(x, -y, penalty=2.0)
    assert there.coef_ == pytest.approx(-here.coef_, abs=1e-6)
    assert there.threshold_ == pytest.approx(-here.threshold_[::-1], abs=1e-6)
    assert there.held_out_ == pytest.approx(-here.held_out_, abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 1_000), st.floats(-20, 20), st.floats(0.1, 10))
def test_its_distribution_function_rises_to_one(seed: int, middle: float, spread: float) -> None:
    x, y = data(25, 3, seed, levels=4)
    found = fit(x, y).distribution(middle + spread * x)
    thetas = np.array([-np.inf, 0.5, 1.0, 2.0, 2.5, 3.0, 4.0, 9.0])
    shares = found.cdf(thetas)
    assert (np.diff(shares, axis=1) >= -1e-15).all()
    assert shares[:, :2].tolist() == [[0.0, 0.0]] * 25
    assert shares[:, -2:] == pytest.approx(np.ones((25, 2)))


def test_the_estimator_is_the_function() -> None:
    x, y = data(40, 6)
    blocks = [0, 0, 1, 1, 2, 2]
    model = ProportionalOdds(blocks=blocks).fit(x, y)
    function = fit(x, y, np.array(blocks))
    assert model.fit_.coef_.tolist() == function.coef_.tolist()
    assert model.predict(x).tolist() == function.predict(x).tolist()
    probability = function.distribution(x).probability
    assert model.predict_cdf(x, 2.5) == pytest.approx(probability[:, :2].sum(axis=1))
    assert model.get_params() == {"penalty": None, "blocks": blocks}
    assert ProportionalOdds(penalty=2.0).fit(x, y).fit_.penalty_ == 2.0
    with pytest.raises(ValueError, match=r"blocks must have 6 values, got \(2,\)"):
        ProportionalOdds(blocks=[0, 1]).fit(x, y)


def test_real_judges_explain_relevance(shared_data: Path) -> None:
    import polars as pl

    pool = pl.read_parquet(shared_data / "llmjudge_trecdl23.parquet")
    judges = pool.select(pl.col("^judge_.*$").fill_null(strategy="mean")).to_numpy()
    y = pool["human"].cast(pl.Float64).to_numpy()
    x = (judges - judges.mean(axis=0)) / np.maximum(judges.std(axis=0), 1e-12)
    shares = []
    for seed in range(10):
        drawn = np.random.default_rng(seed).permutation(len(y))
        train, test = drawn[:50], drawn[50:]
        missed = y[test] - fit(x[train], y[train]).predict(x[test])
        shares.append(1.0 - np.mean(missed**2) / y[test].var())
    assert np.mean(shares) > 0.15
    assert min(shares) > -0.05
