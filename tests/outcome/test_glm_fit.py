"""The generalised linear models against scikit-learn, finite differences and refits."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from bacon.outcome.glm_fit import PENALTIES, GlmFit, Link, fit_glm

Array = npt.NDArray[np.float64]
LINKS: tuple[Link, ...] = ("logit", "log")


def data(n: int, p: int, link: Link, seed: int = 0, slope: float = 1.0) -> tuple[Array, Array]:
    """Return features and outcomes: 0 or 1 for the logit link, skewed for the log link."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    eta = slope * x @ rng.normal(size=p) / np.sqrt(p)
    if link == "log":
        return x, np.exp(0.7 * eta + 0.7 * rng.normal(size=n)) * (rng.random(n) < 0.9)
    return x, (eta + rng.logistic(size=n) > 0.0).astype(np.float64)


def fit(
    x: Array, y: Array, link: Link, penalty: float | None = None, factors: Any = None
) -> GlmFit:
    scale = np.ones(x.shape[1]) if factors is None else np.asarray(factors, dtype=np.float64)
    return fit_glm(x, y, link, scale, penalty)


def objective(x: Array, y: Array, link: Link, penalty: float, at: Array) -> float:
    """Return the penalised negative log-likelihood at intercept and coefficients."""
    eta = at[0] + x @ at[1:]
    total = np.exp(eta) if link == "log" else np.logaddexp(0.0, eta)
    return float(np.sum(total - y * eta) + 0.5 * penalty * (at[1:] @ at[1:]))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("n", "p"), [(30, 3), (25, 60)])
@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_the_fit_is_the_optimum(link: Link, n: int, p: int, penalty: float) -> None:
    x, y = data(n, p, link)
    model = fit(x, y, link, penalty)
    at = np.r_[model.intercept_, model.coef_]
    for k, step in enumerate(1e-5 * np.eye(p + 1)):
        up, down = (objective(x, y, link, penalty, at + s) for s in (step, -step))
        assert (up - down) / 2e-5 == pytest.approx(0.0, abs=1e-5 * n), k


@pytest.mark.parametrize(("n", "p"), [(60, 4), (200, 12), (40, 90)])
@pytest.mark.parametrize("penalty", [0.3, 5.0])
def test_logit_is_scikit_learns_at_a_penalty(n: int, p: int, penalty: float) -> None:
    x, y = data(n, p, "logit")
    model = fit(x, y, "logit", penalty)
    theirs = LogisticRegression(C=1.0 / penalty, tol=1e-10, max_iter=10_000).fit(x, y)
    assert model.coef_ == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert model.intercept_ == pytest.approx(theirs.intercept_[0], abs=1e-5)
    assert model.predict(x) == pytest.approx(theirs.predict_proba(x)[:, 1], abs=1e-5)


@pytest.mark.parametrize(("n", "p"), [(60, 4), (200, 12), (40, 90)])
@pytest.mark.parametrize("penalty", [0.3, 5.0])
def test_log_is_scikit_learns_at_a_penalty(n: int, p: int, penalty: float) -> None:
    x, y = data(n, p, "log")
    model = fit(x, y, "log", penalty)
    theirs = PoissonRegressor(
        alpha=penalty / n, tol=1e-10, max_iter=10_000, solver="newton-cholesky"
    ).fit(x, y)
    assert model.coef_ == pytest.approx(theirs.coef_, abs=1e-5)
    assert model.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
    # No mean passes the largest label.
    assert model.predict(x) == pytest.approx(np.minimum(theirs.predict(x), y.max()), rel=1e-5)


def test_shares_are_fitted_like_weighted_classes() -> None:
    # A share y is y of a label 1 and 1 - y of a label 0.
    x, _ = data(50, 3, "logit")
    share = np.random.default_rng(3).beta(2.0, 2.0, size=50)
    model = fit(x, share, "logit", 1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(
        np.vstack([x, x]), np.repeat([1.0, 0.0], 50), sample_weight=np.r_[share, 1.0 - share]
    )
    assert model.predict(x) == pytest.approx(theirs.predict_proba(x)[:, 1], abs=1e-5)


@pytest.mark.parametrize("link", LINKS)
def test_factors_are_scales_of_the_columns(link: Link) -> None:
    x, y = data(40, 4, link)
    factors = np.array([1.0, 0.3, 0.0, 1.0])
    model, scaled = fit(x, y, link, 2.0, factors), fit(x * factors, y, link, 2.0)
    assert model.coef_ == pytest.approx(factors * scaled.coef_, abs=1e-8)
    assert model.coef_[2] == 0.0
    assert model.held_out_ == pytest.approx(scaled.held_out_, abs=1e-8)


def refits(x: Array, y: Array, link: Link, penalty: float) -> Array:
    """Return what a fit without row i says of row i."""
    found = np.empty(len(y))
    for i in range(len(y)):
        keep = np.arange(len(y)) != i
        found[i] = fit(x[keep], y[keep], link, penalty).predict(x[[i]])[0]
    return found


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("n", "p", "penalty"), [(40, 3, 1.0), (80, 6, 5.0), (30, 60, 20.0)])
def test_leave_one_out_means_are_near_refits(link: Link, n: int, p: int, penalty: float) -> None:
    for seed in range(3):
        x, y = data(n, p, link, seed)
        model, exact = fit(x, y, link, penalty), refits(x, y, link, penalty)
        moved = np.abs(model.predict(x) - exact)
        off = np.abs(model.held_out_ - exact)
        # One Newton step takes the means most of the way from the fit that has the row.
        assert off.mean() < 0.12 * moved.mean()
        assert off.max() < 0.35 * moved.max()


@pytest.mark.parametrize("link", LINKS)
def test_leave_one_out_means_of_the_constant_are_exact(link: Link) -> None:
    x, y = data(12, 2, link)
    model = fit(0.0 * x, y, link)
    assert np.isinf(model.penalty_)
    assert model.predict(x) == pytest.approx(np.full(12, y.mean()))
    expected = [np.delete(y, i).mean() for i in range(12)]
    assert model.held_out_ == pytest.approx(expected)


@pytest.mark.parametrize("link", LINKS)
def test_the_penalty_is_one_of_those_tried_and_noise_gets_none(link: Link) -> None:
    constant = 0
    for seed in range(60):
        x, y = data(40, 5, link, seed, slope=0.0)
        model = fit(x, y, link)
        mean = y.mean()
        unit = 40 * (mean if link == "log" else mean * (1.0 - mean))
        assert np.isinf(model.penalty_) or np.isclose(PENALTIES * unit, model.penalty_).any()
        constant += bool(np.isinf(model.penalty_) or model.penalty_ > 5.0 * unit)
    assert constant > 30


@settings(max_examples=30)
@given(st.integers(0, 200), st.floats(-12, 12))
def test_the_unit_of_the_outcome_does_not_matter(seed: int, power: float) -> None:
    unit = 10.0**power
    x, y = data(25, 4, "log", seed)
    here, there = fit(x, y, "log"), fit(x, unit * y, "log")
    assert there.predict(x) == pytest.approx(unit * here.predict(x), rel=1e-9)
    assert there.held_out_ == pytest.approx(unit * here.held_out_, rel=1e-9)
    if np.isfinite(here.penalty_):
        assert there.penalty_ == pytest.approx(unit * here.penalty_, rel=1e-9)
        given = fit(x, unit * y, "log", unit * here.penalty_)
        assert given.coef_ == pytest.approx(here.coef_, rel=1e-6, abs=1e-8)


@settings(max_examples=20)
@given(st.integers(0, 200))
def test_the_other_class_has_the_rest_of_the_probability(seed: int) -> None:
    x, y = data(30, 4, "logit", seed)
    here, there = fit(x, y, "logit"), fit(x, 1.0 - y, "logit")
    assert there.predict(x) == pytest.approx(1.0 - here.predict(x), abs=1e-7)


@settings(max_examples=20)
@given(st.integers(0, 200), st.sampled_from(LINKS), st.floats(-50, 50), st.integers(0, 4))
def test_signs_and_shifts_of_columns_do_not_matter(
    seed: int, link: Link, shift: float, turned: int
) -> None:
    x, y = data(30, 4, link, seed)
    moved = x * np.where(np.arange(4) < turned, -1.0, 1.0) + shift
    here, there = fit(x, y, link), fit(moved, y, link)
    assert there.predict(moved) == pytest.approx(here.predict(x), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("n", [3, 10, 60])
def test_separated_classes_stay_short_of_certainty(n: int) -> None:
    x = np.linspace(-1.0, 1.0, n)[:, None]
    y = (x[:, 0] > 0.01).astype(np.float64)
    model = fit(x, y, "logit")
    probability = model.predict(x)
    assert np.isfinite(model.coef_).all()
    assert ((probability > 0.0) & (probability < 1.0)).all()
    assert ((model.held_out_ > 0.0) & (model.held_out_ < 1.0)).all()
    if n > 3:
        assert np.mean((probability > 0.5) == (y > 0.5)) > 0.95
    # However far, a probability is not rounded to 0 or 1.
    assert 0.0 < model.predict(np.array([[-1e9]]))[0] < 1e-9 or np.isinf(model.penalty_)
    assert model.predict(np.array([[1e9]]))[0] < 1.0


def test_zeros_and_a_separated_amount() -> None:
    # The zeros would have their mean at minus infinity.
    x = np.linspace(-1.0, 1.0, 40)[:, None]
    model = fit(x, np.where(x[:, 0] > 0.0, 5.0, 0.0), "log")
    assert (model.predict(x) > 0.0).all()
    assert model.predict(np.array([[-1e6]]))[0] > 0.0
    # Beyond the features seen, no mean passes the largest label.
    assert model.predict(np.array([[1e6]]))[0] == pytest.approx(5.0)
    assert model.held_out_.max() <= 5.0 * (1.0 + 1e-12)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("value", [0.0, 1.0, 0.25])
def test_a_constant_outcome(link: Link, value: float) -> None:
    x, _ = data(10, 3, link)
    model = fit(x, np.full(10, value), link)
    assert model.coef_.tolist() == [0.0] * 3
    assert model.predict(x) == pytest.approx(np.full(10, value), abs=1e-12)
    assert model.held_out_.tolist() == [value] * 10


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("y", "held_out"), [([1.0], [1.0]), ([0.0, 1.0], [1.0, 0.0])])
def test_one_and_two_rows_leave_the_mean(link: Link, y: list[float], held_out: list[float]) -> None:
    x = np.arange(len(y), dtype=np.float64)[:, None]
    model = fit(x, np.array(y), link)
    assert model.predict(x) == pytest.approx(np.mean(y))
    assert model.held_out_.tolist() == held_out


@pytest.mark.parametrize("link", LINKS)
def test_no_columns_leave_the_mean(link: Link) -> None:
    _, y = data(10, 1, link)
    assert fit(np.zeros((10, 0)), y, link).predict(np.zeros((2, 0))) == pytest.approx(y.mean())
    ignored = fit(*data(10, 3, link), link, None, np.zeros(3))
    assert ignored.coef_.tolist() == [0.0] * 3


@pytest.mark.parametrize("link", LINKS)
def test_many_more_columns_than_rows(link: Link) -> None:
    x, y = data(25, 800, link)
    model = fit(x, y, link)
    new = data(200, 800, link, 1)[0]
    assert np.isfinite(model.predict(new)).all()
    assert model.predict(new).max() <= y.max() * (1.0 + 1e-12)


@pytest.mark.parametrize("link", LINKS)
def test_columns_of_any_size(link: Link) -> None:
    x, y = data(60, 4, link, slope=3.0)
    for unit in (1e12, 1e-12):
        # The penalty is in the columns' units, so that huge ones are hardly shrunk at all.
        model = fit(x * unit, y, link)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.predict(-1e3 * x * unit)).all()
    huge = fit(x * 1e12, y, link)
    assert np.corrcoef(huge.predict(x * 1e12), fit(x, y, link).predict(x))[0, 1] > 0.9


@pytest.mark.parametrize("link", LINKS)
def test_the_order_of_rows_does_not_matter(link: Link) -> None:
    x, y = data(30, 4, link)
    order = np.random.default_rng(1).permutation(30)
    here, there = fit(x, y, link), fit(x[order], y[order], link)
    assert there.predict(x) == pytest.approx(here.predict(x), rel=1e-11)
    assert there.held_out_ == pytest.approx(here.held_out_[order], rel=1e-11)


def test_any_features_and_outcomes_come_to_an_end() -> None:
    # Wild features, wild outcomes, wild penalties: finite, quick and without a warning.
    start = time.process_time()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(1, 40)), int(rng.integers(0, 60))
        x = rng.standard_t(rng.choice([1, 2, 5]), size=(n, p)) * 10.0 ** rng.integers(-3, 5)
        y = np.exp(rng.choice([1.0, 5.0, 20.0]) * rng.normal(size=n)) * (rng.random(n) < 0.7)
        penalty = None if seed % 2 else 10.0 ** rng.integers(-8, 8)
        for link, outcome in (("log", y), ("logit", (y > 1.0) * 1.0), ("logit", y / (1.0 + y))):
            model = fit(x, outcome, link, penalty)
            for rows in (x, 1e6 * x, -1e6 * x):
                assert np.isfinite(model.predict(rows)).all()
            assert np.isfinite(model.held_out_).all()
            assert (model.held_out_ >= 0.0).all()
    assert time.process_time() - start < 20.0
