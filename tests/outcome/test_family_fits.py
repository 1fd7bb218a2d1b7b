"""Models of outcomes with a shape: their means, their ranges, and what they say held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bacon.outcome.family_fits import (
    TAIL,
    fit_bounded,
    fit_hurdle,
    fit_log_link,
    fit_logistic,
)
from bacon.outcome.glm_fit import fit_glm
from bacon.outcome.items import Discrete, Hurdle, Location, Scaled
from bacon.outcome.ridge_fit import RidgeFit, fit_ridge

Array = npt.NDArray[np.float64]
AMOUNTS = ("log", "ridge")


def amounts(n: int, p: int = 3, seed: int = 0, zeros: float = 0.4) -> tuple[Array, Array]:
    """Return features and outcomes of which a share is 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    more = x[:, 0] + rng.logistic(size=n) > np.log(zeros / (1.0 - zeros)) if zeros else np.ones(n)
    return x, more * np.exp(0.6 * x[:, 0] + 0.6 * rng.normal(size=n))


def ones(x: Array) -> Array:
    return np.ones(x.shape[1])


def codes(x: Array) -> npt.NDArray[np.int64]:
    return np.zeros(x.shape[1], dtype=np.int64)


def fits(x: Array, y: Array) -> dict[str, Any]:
    """Return a fit of every kind that outcomes from 0 up can have."""
    top = float(y.max()) + 1.0
    return {
        "bounded": fit_bounded(x, y, ones(x), (0.0, top)),
        "log-link": fit_log_link(x, y, ones(x)),
        "hurdle log": fit_hurdle(x, y, ones(x), codes(x), amount="log"),
        "hurdle ridge": fit_hurdle(x, y, ones(x), codes(x), amount="ridge"),
        "logistic": fit_logistic(x, np.where(y > 1.0, 5.0, 2.0), ones(x)),
    }


KINDS = ("bounded", "log-link", "hurdle log", "hurdle ridge", "logistic")


@pytest.mark.parametrize("kind", KINDS)
def test_the_prediction_is_the_mean_of_the_distribution(kind: str) -> None:
    x, y = amounts(45)
    model = fits(x, y)[kind]
    new = np.random.default_rng(1).normal(size=(30, 3)) * 4.0
    items = model.distribution(new)
    assert model.predict(new) == pytest.approx(items.mean)
    assert items.expectation(lambda v: v) == pytest.approx(items.mean, abs=1e-12)
    assert model.held_out_.shape == (45,)
    assert np.isfinite(model.held_out_).all()
    # No outcome is below 0 in any of them.
    assert items.cdf(np.array([-1e-9])).max() == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_held_out_means_follow_the_labels_less_than_the_fit_does(kind: str) -> None:
    inside, outside = [], []
    for seed in range(10):
        x, y = amounts(40, p=10, seed=seed)
        model = fits(x, y)[kind]
        target = np.where(y > 1.0, 5.0, 2.0) if kind == "logistic" else y
        inside.append(np.mean((target - model.predict(x)) ** 2))
        outside.append(np.mean((target - model.held_out_) ** 2))
    assert np.mean(outside) > 1.05 * np.mean(inside)


# --- Two values.


def test_logistic_is_the_probability_between_the_two_values() -> None:
    x, y = amounts(50)
    two = np.where(y > 1.0, 5.0, 2.0)
    model = fit_logistic(x, two, ones(x))
    probability = fit_glm(x, (two == 5.0).astype(np.float64), "logit", ones(x))
    assert model.predict(x) == pytest.approx(2.0 + 3.0 * probability.predict(x))
    assert model.held_out_ == pytest.approx(2.0 + 3.0 * probability.held_out_)
    items = model.distribution(x)
    assert isinstance(items, Discrete)
    assert items.support.tolist() == [2.0, 5.0]
    assert items.cdf(np.array([1.9, 2.0, 5.0]))[:, 1] == pytest.approx(1.0 - probability.predict(x))


@pytest.mark.parametrize("value", [0.0, -3.0, 1e12])
def test_logistic_of_one_value(value: float) -> None:
    x, _ = amounts(10)
    model = fit_logistic(x, np.full(10, value), ones(x))
    assert model.predict(x).tolist() == [value] * 10
    assert model.held_out_.tolist() == [value] * 10
    assert model.distribution(x).mean == pytest.approx(np.full(10, value), rel=1e-12)


# --- A range.


@settings(max_examples=20)
@given(st.integers(0, 100), st.floats(-50, 50), st.sampled_from([1e-6, 0.5, 40.0, 1e9]))
def test_bounded_moves_with_its_scale(seed: int, shift: float, unit: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(25, 3))
    y = np.clip(3.5 + 1.5 * x[:, 0] + rng.normal(size=25), 1.0, 6.0)
    here = fit_bounded(x, y, ones(x), (1.0, 6.0))
    low, high = shift + unit * 1.0, shift + unit * 6.0
    moved = np.clip(shift + unit * y, low, high)
    there = fit_bounded(x, moved, ones(x), (low, high))
    size = abs(shift) + unit
    assert there.predict(x) == pytest.approx(shift + unit * here.predict(x), abs=1e-6 * size)
    assert there.held_out_ == pytest.approx(shift + unit * here.held_out_, abs=1e-6 * size)


def test_bounded_never_leaves_its_range() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = np.clip(3.0 + 3.0 * x[:, 0], 1.0, 5.0)
    model = fit_bounded(x, y, ones(x), (1.0, 5.0))
    far = np.array([[-1e9, 0.0], [1e9, 0.0], [0.0, 0.0]])
    assert model.predict(far).min() >= 1.0
    assert model.predict(far).max() <= 5.0
    items = model.distribution(far)
    assert isinstance(items, Location)
    assert items.cdf(np.array([1.0 - 1e-9])).max() == 0.0
    assert items.cdf(np.array([5.0])).min() == 1.0
    assert model.residual_.mean() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("value", [1.0, 3.0, 6.0])
def test_bounded_of_one_value(value: float) -> None:
    x, _ = amounts(10)
    model = fit_bounded(x, np.full(10, value), ones(x), (1.0, 6.0))
    assert model.predict(x) == pytest.approx(np.full(10, value))
    assert model.held_out_ == pytest.approx(np.full(10, value))


@pytest.mark.parametrize("n", [8, 60, 400])
def test_bounded_keeps_its_mean_where_residuals_meet_the_ends(n: int) -> None:
    # Half of the labels stand at an end, so that a residual often leads beyond.
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    y = np.clip(0.5 + 0.5 * x[:, 0] + 0.4 * rng.normal(size=n), 0.0, 1.0)
    model = fit_bounded(x, y, ones(x), (0.0, 1.0))
    new = 3.0 * rng.normal(size=(200, 2))
    share = fit_glm(x, y, "logit", ones(x))
    assert model.predict(new) == pytest.approx(share.predict(new))
    items = model.distribution(new)
    assert items.mean == pytest.approx(model.predict(new), abs=1e-12)
    met = np.sort(np.r_[0.0, 1.0, rng.random(20_000)])
    middles = (met[1:] + met[:-1]) / 2.0
    area = items.cdf(middles) @ np.diff(met)
    assert 1.0 - area == pytest.approx(model.predict(new), abs=2e-3)


# --- From 0 up.


@settings(max_examples=20)
@given(st.integers(0, 100), st.floats(-9, 12))
def test_the_unit_of_amounts_does_not_matter(seed: int, power: float) -> None:
    unit = 10.0**power
    x, y = amounts(30, seed=seed)
    here, there = fits(x, y), fits(x, unit * y)
    for kind in ("log-link", "hurdle log", "hurdle ridge"):
        assert there[kind].predict(x) == pytest.approx(unit * here[kind].predict(x), rel=1e-6)
        assert there[kind].held_out_ == pytest.approx(unit * here[kind].held_out_, rel=1e-6)


def test_log_link_ratios_are_labels_over_held_out_means() -> None:
    x, y = amounts(50)
    model = fit_log_link(x, y, ones(x))
    ratio = np.sort(y / model.held_out_)
    assert model.ratio_ == pytest.approx(ratio / ratio.mean())
    assert model.ratio_.mean() == pytest.approx(1.0)
    assert isinstance(model.distribution(x), Scaled)


def test_log_link_cuts_extreme_features_and_no_indicators() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    x[:, 1] = (np.arange(200) < 2) - 0.01
    x[:, 2] = np.round(x[:, 2] > 0.5) + np.round(x[:, 2] > 1.5)
    y = np.exp(x[:, 0] + 2.0 * x[:, 1] + 0.1 * rng.normal(size=200))
    model = fit_log_link(x, y, ones(x))
    low, high = np.quantile(x[:, 0], [TAIL, 1.0 - TAIL])
    assert model.low.tolist() == [low, -np.inf, -np.inf]
    assert model.high.tolist() == [high, np.inf, np.inf]
    near, far = np.tile([high, -0.01, 0.0], (1, 1)), np.tile([1e9, -0.01, 0.0], (1, 1))
    assert model.predict(far) == model.predict(near)
    # What seldom happens counts all the same.
    unset, seen = model.predict(np.array([[0.0, -0.01, 0.0], [0.0, 0.99, 0.0]]))
    assert seen > 2.0 * unset


@pytest.mark.parametrize("amount", AMOUNTS)
def test_hurdle_is_gate_times_amount(amount: str) -> None:
    x, y = amounts(80)
    more = y > 0.0
    model = fit_hurdle(x, y, ones(x), codes(x), amount=amount)
    gate = fit_glm(x, more.astype(np.float64), "logit", ones(x))
    if amount == "log":
        behind: Any = fit_log_link(x[more], y[more], ones(x))
        mean = behind.predict(x)
    else:
        behind = fit_ridge(x[more], y[more], codes(x))
        assert isinstance(model.amount, RidgeFit)
        # Amounts below 0 are none: their mean is that of what is left.
        mean = np.maximum(behind.predict(x)[:, None] + behind.residual_, 0.0).mean(axis=1)
    assert model.predict(x) == pytest.approx(gate.predict(x) * mean)
    said = mean.copy()
    said[more] = np.maximum(behind.held_out_, 0.0)
    assert model.held_out_ == pytest.approx(gate.held_out_ * said)
    items = model.distribution(x)
    assert isinstance(items, Hurdle)
    assert (items.cdf(np.array([0.0]))[:, 0] >= 1.0 - gate.predict(x) - 1e-12).all()


@pytest.mark.parametrize("amount", AMOUNTS)
def test_hurdle_predicts_nothing_below_zero(amount: str) -> None:
    x, y = amounts(60)
    model = fit_hurdle(x, y, ones(x), codes(x), amount=amount)
    far = 1e3 * np.random.default_rng(0).normal(size=(200, 3))
    for said in (model.predict(far), model.held_out_):
        assert np.isfinite(said).all()
        assert said.min() >= 0.0


@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize("n_more", [1, 2, 3, 19, 20])
def test_hurdle_with_few_zeros_or_few_others(amount: str, n_more: int) -> None:
    x, y = amounts(20, zeros=0.0)
    y[n_more:] = 0.0
    model = fit_hurdle(x, y, ones(x), codes(x), amount=amount)
    assert np.isfinite(model.predict(10.0 * x)).all()
    assert np.isfinite(model.held_out_).all()
    if n_more == 20:
        assert model.gate.predict(x) == pytest.approx(np.ones(20))


@pytest.mark.parametrize("kind", KINDS)
def test_fits_without_columns_are_constant(kind: str) -> None:
    _, y = amounts(20)
    model = fits(np.zeros((20, 0)), y)[kind]
    assert np.ptp(model.predict(np.zeros((5, 0)))) == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_does_not_matter(kind: str) -> None:
    x, y = amounts(40)
    order = np.random.default_rng(5).permutation(40)
    here, there = fits(x, y)[kind], fits(x[order], y[order])[kind]
    assert there.predict(x) == pytest.approx(here.predict(x), rel=1e-10)
    assert there.held_out_ == pytest.approx(here.held_out_[order], rel=1e-10)
