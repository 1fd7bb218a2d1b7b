"""The multinomial logit: derivatives, scikit-learn's solution, refits, and hostile data."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from bacon.outcome.multinomial import MultinomialLogit
from bacon.outcome.multinomial_fit import constant_shares, fit_multinomial, one_hot
from bacon.outcome.multinomial_newton import contrasts, gradient, hessian, objective, softmax

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def data(n: int, p: int, c: int, seed: int = 0, signal: float = 2.0) -> tuple[Array, Codes]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    chances = softmax(x @ rng.normal(size=(p, c)) * signal / np.sqrt(p))
    return x, np.array([rng.choice(c, p=row) for row in chances], dtype=np.int64)


def fit(x: Array, codes: Codes, c: int, penalty: float | None = None, **options: Any) -> Any:
    return fit_multinomial(x, codes, c, np.zeros(x.shape[1], dtype=np.int64), penalty, **options)


@parametrize_with_checks([MultinomialLogit()])
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("c", [2, 3, 5])
def test_contrasts_are_orthonormal_and_sum_to_zero(c: int) -> None:
    u = contrasts(c)
    assert u.T @ u == pytest.approx(np.eye(c - 1))
    assert u.sum(axis=0) == pytest.approx(0.0)


@pytest.mark.parametrize("c", [2, 4])
def test_derivatives_are_those_of_finite_differences(c: int) -> None:
    x, codes = data(20, 3, c)
    z, y = np.column_stack([np.ones(20), x]), one_hot(codes, c)
    shape = (4, c - 1)
    beta = np.random.default_rng(1).normal(size=shape)

    def flat_objective(values: Array) -> float:
        return objective(z, y, 0.7, values.reshape(shape))

    def flat_gradient(values: Array) -> Array:
        return gradient(z, y, 0.7, values.reshape(shape)).T.ravel()

    slope = gradient(z, y, 0.7, beta)
    assert approx_fprime(beta.ravel(), flat_objective) == pytest.approx(slope.ravel(), rel=1e-4)
    # The Hessian goes contrast by contrast, so rows of the differences are sorted the same way.
    numeric = approx_fprime(beta.ravel(), flat_gradient).reshape(-1, *shape)
    numeric = numeric.transpose(0, 2, 1).reshape(-1, beta.size)
    assert hessian(z, 0.7, beta) == pytest.approx(numeric, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("n", "p", "c"), [(60, 4, 3), (40, 60, 3), (80, 5, 5), (50, 4, 2)])
def test_agrees_with_scikit_learn(n: int, p: int, c: int) -> None:
    x, codes = data(n, p, c)
    penalty = 3.0
    model = fit(x, codes, c, penalty)
    # The label that is spread evenly, at the centre of the features.
    xs = np.vstack([x, np.tile(x.mean(axis=0), (c, 1))])
    weights = np.concatenate([np.ones(n), np.full(c, 1.0 / c)])
    # With two classes scikit-learn penalises their difference, twice either of our slopes.
    strength = 1.0 / penalty if c > 2 else 2.0 / penalty
    theirs = LogisticRegression(C=strength, tol=1e-10, max_iter=10_000)
    theirs.fit(xs, np.concatenate([codes, np.arange(c)]), sample_weight=weights)
    assert model.probabilities(x) == pytest.approx(theirs.predict_proba(x), abs=1e-5)
    if c > 2:
        assert pytest.approx(theirs.coef_, abs=1e-5) == model.coef_.T


@pytest.mark.parametrize(
    ("n", "p", "c", "signal"), [(30, 5, 3, 2.0), (60, 8, 3, 4.0), (40, 80, 4, 3.0), (50, 3, 2, 2.0)]
)
def test_leave_one_out_is_that_of_refits(n: int, p: int, c: int, signal: float) -> None:
    for seed in range(3):
        x, codes = data(n, p, c, seed, signal)
        model = fit(x, codes, c)
        if np.isinf(model.penalty_):
            continue
        refits = np.empty((n, c))
        for i in range(n):
            keep = np.arange(n) != i
            refits[i] = fit(x[keep], codes[keep], c, model.penalty_).probabilities(x[[i]])[0]
        y = one_hot(codes, c)
        assert model.held_out_ == pytest.approx(refits, abs=0.04)
        # Far nearer than what separates it from the fit itself.
        ours, true, own = (
            float(np.mean((y - q) ** 2)) for q in (model.held_out_, refits, model.probabilities(x))
        )
        assert abs(ours - true) < 0.1 * (true - own)


def test_constant_shares_by_hand() -> None:
    shares, held_out = constant_shares(one_hot(np.array([0, 0, 1]), 3))
    # (2, 1, 0) and a third each, of four.
    assert shares == pytest.approx([7 / 12, 4 / 12, 1 / 12])
    assert held_out[2] == pytest.approx([7 / 9, 1 / 9, 1 / 9])


def test_noise_leaves_the_constant_shares() -> None:
    x, codes = data(40, 6, 3, seed=5, signal=0.0)
    x[:] = np.tile(x[:20], (2, 1))
    codes[20:] = (codes[:20] + 1) % 3
    model = fit(x, codes, 3)
    assert np.isinf(model.penalty_)
    expected = (np.bincount(codes, minlength=3) + 1 / 3) / 41
    assert model.probabilities(x) == pytest.approx(np.tile(expected, (40, 1)))
    assert model.held_out_.sum(axis=1) == pytest.approx(1.0)


@settings(max_examples=40)
@given(st.permutations(range(4)), st.integers(0, 5))
def test_order_of_classes_does_not_matter(order: list[int], seed: int) -> None:
    x, codes = data(40, 5, 4, seed)
    model, other = fit(x, codes, 4), fit(x, np.argsort(order)[codes], 4)
    assert other.penalty_ == pytest.approx(model.penalty_)
    assert other.probabilities(x) == pytest.approx(model.probabilities(x)[:, order], abs=1e-6)


@pytest.mark.parametrize("factor", [1e12, 1e-9])
def test_common_scale_of_the_features_does_not_matter(factor: float) -> None:
    x, codes = data(40, 5, 3)
    model, other = fit(x, codes, 3), fit(x * factor, codes, 3)
    assert other.probabilities(x * factor) == pytest.approx(model.probabilities(x), abs=1e-6)


def test_useless_further_columns_cost_little() -> None:
    x, codes = data(80, 4, 3)
    noise = np.random.default_rng(9).normal(size=(80, 60))
    blocks = np.repeat([0, 1], [4, 60])
    both = fit_multinomial(np.hstack([x, noise]), codes, 3, blocks)
    assert both.factors_[-1] < 1.0
    y = one_hot(codes, 3)
    errors = [float(np.sum((y - m.held_out_) ** 2)) for m in (both, fit(x, codes, 3))]
    assert errors[0] <= 1.02 * errors[1]


def test_given_factors_are_used() -> None:
    x, codes = data(60, 4, 3)
    factors = np.array([1.0, 1.0, 0.0, 0.5])
    model = fit(x, codes, 3, factors=factors)
    assert not model.coef_[2].any()
    assert model.coef_[3].any()
    assert model.factors_ is factors


class TestHostile:
    """Data on which a fit could fail, or claim certainty."""

    @staticmethod
    def check(model: Any, x: Array) -> None:
        for shares in (model.probabilities(x), model.held_out_):
            assert np.isfinite(shares).all()
            assert shares.min() > 0.0
            assert shares.max() < 1.0
            assert shares.sum(axis=1) == pytest.approx(1.0)

    def test_one_class_of_three(self) -> None:
        x, _ = data(20, 4, 3)
        model = fit(x, np.ones(20, dtype=np.int64), 3)
        self.check(model, x)
        assert model.probabilities(x)[:, 0] == pytest.approx(1 / 63)

    def test_class_without_labels(self) -> None:
        x, codes = data(40, 4, 2)
        model = fit(x, codes, 3)
        self.check(model, x)
        assert model.probabilities(x)[:, 2].mean() < 0.03

    @pytest.mark.parametrize("n", [1, 2, 3, 5])
    def test_few_labels(self, n: int) -> None:
        x, _ = data(n, 4, 3)
        self.check(fit(x, np.arange(n) % 3, 3), x)

    def test_column_equal_to_the_label(self) -> None:
        x, codes = data(60, 4, 3)
        x[:, 0] = codes
        model = fit(x, codes, 3)
        self.check(model, x)
        own = np.take_along_axis(model.probabilities(x), codes[:, None], axis=1)
        assert own.min() > 0.7

    def test_indicators_equal_to_the_classes(self) -> None:
        _, codes = data(60, 4, 3)
        x = np.hstack([one_hot(codes, 3), np.zeros((60, 1))])
        self.check(fit(x, codes, 3), x)

    def test_separated_classes_at_a_tiny_penalty_stay_finite(self) -> None:
        x, codes = data(60, 4, 3)
        x[:, 0] = codes
        model = fit(x, codes, 3, penalty=1e-3)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.held_out_).all()
        assert (model.probabilities(x).argmax(axis=1) == codes).all()

    def test_many_more_features_than_labels(self) -> None:
        x, codes = data(25, 2000, 3)
        self.check(fit(x, codes, 3), x)

    def test_identical_judges_count_once(self) -> None:
        x, codes = data(60, 1, 3)
        alone, many = fit(x, codes, 3), fit(np.tile(x, (1, 20)), codes, 3)
        self.check(many, np.tile(x, (1, 20)))
        assert many.probabilities(np.tile(x, (1, 20))) == pytest.approx(
            alone.probabilities(x), abs=1e-6
        )

    def test_constant_columns(self) -> None:
        x, codes = data(30, 3, 3)
        self.check(fit(np.ones_like(x), codes, 3), x)

    def test_many_classes_read_few_axes(self) -> None:
        x, codes = data(300, 40, 50)
        model = fit(x, codes, 50)
        self.check(model, x)
        assert np.linalg.matrix_rank(model.coef_) <= 7
