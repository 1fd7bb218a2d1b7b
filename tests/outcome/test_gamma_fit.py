"""The gamma regression of squared residuals against scikit-learn, refits and awkward labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.linear_model import GammaRegressor

from bacon.outcome import gamma_fit
from bacon.outcome.gamma_fit import GammaFit, fit_gamma, fit_nested_gamma

Array = npt.NDArray[np.float64]


def data(n: int, p: int, slope: float = 1.0, seed: int = 0) -> tuple[Array, Array]:
    """Return columns, and squares of normals whose variance the first column moves."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, 0.1 * np.exp(slope * x[:, 0]) * rng.normal(size=n) ** 2


@pytest.mark.parametrize(("n", "p", "slope"), [(60, 3, 1.0), (400, 12, 2.0), (300, 5, 3.0)])
def test_it_is_scikit_learns_at_its_penalty(n: int, p: int, slope: float) -> None:
    x, y = data(n, p, slope)
    fit = fit_gamma(x, y)
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    told = np.minimum(y, np.quantile(y, 0.995))
    theirs = GammaRegressor(alpha=fit.penalty_ / n, tol=1e-10, max_iter=10_000)
    theirs.fit(standard, told)
    assert fit.predict(x) == pytest.approx(theirs.predict(standard), rel=0.01)
    assert fit.penalty_ < np.inf


def test_a_strong_slope_is_found_and_no_other() -> None:
    x, y = data(2_000, 8, slope=2.0)
    coef = fit_gamma(x, y).coef_
    assert coef[0] == pytest.approx(2.0, abs=0.1)
    assert np.abs(coef[1:]).max() < 0.1


@pytest.mark.parametrize("slope", [0.5, 2.0])
def test_held_out_means_are_those_of_refits(monkeypatch: pytest.MonkeyPatch, slope: float) -> None:
    x, y = data(120, 4, slope)
    y = np.minimum(y, np.quantile(y, 0.9))
    monkeypatch.setattr(gamma_fit, "PENALTIES", np.array([0.05]))
    monkeypatch.setattr(gamma_fit, "TRIMMED", 1.0)
    whole = fit_gamma(x, y)
    scale = x.std(axis=0)
    for i in range(0, 120, 7):
        rest = np.arange(120) != i
        # The rest in units in which its own standardisation and penalty are those of all rows.
        monkeypatch.setattr(gamma_fit, "PENALTIES", np.array([0.05 * 120 / 119]))
        alone = fit_gamma(x[rest] / scale, y[rest])
        without = np.exp(alone.intercept_ + x[i] / scale @ alone.coef_)
        assert whole.held_out_[i] == pytest.approx(without, rel=0.03), i
        # The step is far nearer than the fit that has seen the row, where that matters.
    fitted = whole.predict(x)
    assert np.abs(np.log(whole.held_out_ / fitted)).max() > 0.05


def test_units_of_labels_and_columns_do_not_matter() -> None:
    x, y = data(150, 5, 1.5)
    base = fit_gamma(x, y)
    for factor in (1e-24, 1e24):
        scaled = fit_gamma(x, y * factor)
        assert scaled.coef_ == pytest.approx(base.coef_, rel=1e-9)
        assert scaled.predict(x) == pytest.approx(factor * base.predict(x), rel=1e-9)
        assert scaled.held_out_ == pytest.approx(factor * base.held_out_, rel=1e-9)
    moved = 1e12 * x
    assert fit_gamma(moved, y).predict(moved) == pytest.approx(base.predict(x), rel=1e-6)


def test_nothing_to_learn_leaves_the_mean() -> None:
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(20):
        fit = fit_gamma(rng.normal(size=(200, 4)), rng.normal(size=200) ** 2)
        kept += int(not fit.coef_.any())
    assert kept >= 8


def test_one_huge_label_does_not_decide() -> None:
    x, y = data(400, 3, 1.0)
    spoiled = y.copy()
    spoiled[np.argmin(np.abs(x[:, 0] + 1.0))] = 1e6 * y.max()
    assert fit_gamma(x, spoiled).coef_[0] == pytest.approx(fit_gamma(x, y).coef_[0], abs=0.2)


def test_predictions_stay_within_those_of_the_training_rows() -> None:
    x, y = data(100, 2, 2.0)
    fit = fit_gamma(x, y)
    far = fit.predict(np.array([[1e6, 0.0], [-1e6, 0.0]]))
    inside = fit.predict(x)
    assert far == pytest.approx([inside.max(), inside.min()])


@pytest.mark.parametrize(
    "y",
    [np.zeros(30), np.full(30, 2.5), np.eye(1, 30)[0] * 7.0, np.r_[np.zeros(29), 1e-300]],
    ids=["zeros", "constant", "one positive", "tiny"],
)
def test_awkward_labels_have_a_finite_answer(y: Array) -> None:
    x = np.random.default_rng(0).normal(size=(30, 3))
    for fit in (fit_gamma(x, y), fit_nested_gamma(x, y, (1, 3))):
        assert np.isfinite(fit.predict(x)).all()
        assert np.isfinite(fit.held_out_).all()
        assert (fit.predict(x) >= 0.0).all()


def test_zero_and_constant_labels_have_exact_means() -> None:
    x = np.random.default_rng(0).normal(size=(30, 3))
    assert fit_gamma(x, np.zeros(30)).predict(x).tolist() == [0.0] * 30
    assert fit_gamma(x, np.full(30, 2.5)).predict(x) == pytest.approx(np.full(30, 2.5))
    assert fit_gamma(np.ones((30, 3)), np.arange(30.0)).predict(x) == pytest.approx(
        np.full(30, np.minimum(np.arange(30.0), np.quantile(np.arange(30.0), 0.995)).mean())
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_it_never_fails(found: st.DataObject) -> None:
    n, p = found.draw(st.integers(1, 12)), found.draw(st.integers(0, 6))
    wild = st.floats(-1e12, 1e12)
    x = found.draw(arrays.arrays(np.float64, (n, p), elements=wild))
    y = found.draw(arrays.arrays(np.float64, n, elements=st.floats(0.0, 1e24)))
    fit = fit_nested_gamma(x, y, (1, 4))
    assert np.isfinite(fit.predict(x)).all()
    assert np.isfinite(fit.held_out_).all()


def test_nested_columns_weigh_by_their_held_out_loss() -> None:
    x, y = data(500, 10, 2.0)
    telling, useless = x[:, 0], x[:, 1:]
    late = np.column_stack([useless[:, :4], telling, useless[:, 4:]])
    fit = fit_nested_gamma(late, y, (4, 10))
    assert fit.coef_[4] == pytest.approx(2.0, abs=0.2)
    early = fit_nested_gamma(x, y, (1, 10))
    alone = fit_gamma(x[:, :1], y)
    assert early.coef_[0] == pytest.approx(alone.coef_[0], abs=0.1)
    one = fit_nested_gamma(x, y, (10, 12))
    assert isinstance(one, GammaFit)
    assert one.coef_ == pytest.approx(fit_gamma(x, y).coef_)
    assert one.held_out_ == pytest.approx(fit_gamma(x, y).held_out_)
