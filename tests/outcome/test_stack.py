"""The stack: its weights against a general optimiser, and members put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from bacon.outcome.constant_fit import fit_constant
from bacon.outcome.items import Location
from bacon.outcome.ridge_fit import fit_ridge
from bacon.outcome.stack import NEGLIGIBLE, View, combine, simplex_weights

Array = npt.NDArray[np.float64]


def members(n: int, noise: list[float], seed: int = 0) -> tuple[Array, Array]:
    """Return labels and what members with errors of known size say of them."""
    rng = np.random.default_rng(seed)
    y = 3.0 + rng.normal(size=n)
    return y, y[:, None] + rng.normal(size=(n, len(noise))) * np.array(noise)


def objective(w: Array, y: Array, held_out: Array, prior: Array, strength: float) -> float:
    errors = y[:, None] - held_out
    least = float(np.mean(errors**2, axis=0).min())
    return float(np.sum((y - held_out @ w) ** 2) + strength * least * np.sum((w - prior) ** 2))


@settings(max_examples=30)
@given(
    st.integers(0, 1_000),
    st.integers(1, 6),
    st.integers(3, 60),
    st.sampled_from([0.0, 1.0, 10.0, 100.0]),
)
def test_weights_are_the_optimum_on_the_simplex(
    seed: int, n_members: int, n: int, strength: float
) -> None:
    rng = np.random.default_rng(seed)
    y, held_out = members(n, rng.uniform(0.2, 2.0, size=n_members).tolist(), seed)
    prior = rng.dirichlet(np.ones(n_members))
    weights = simplex_weights(y, held_out, prior, strength)
    assert (weights >= 0.0).all()
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    theirs = minimize(
        objective,
        np.full(n_members, 1.0 / n_members),
        args=(y, held_out, prior, strength),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * n_members,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0},
        options={"ftol": 1e-14, "maxiter": 1_000},
    )
    ours = objective(weights, y, held_out, prior, strength)
    assert ours <= theirs.fun * (1.0 + 1e-6) + 1e-9


def test_two_members_by_hand() -> None:
    # Errors (1, -1) and (0, 2): |e|^2 are 2 and 4, e1.e2 = -2, s^2 = 1. Without a prior the
    # best weight of the first is (4 + 2) / (2 + 4 + 4) = 0.6; a prior of one half with strength
    # 5 adds 5 to each square: (9 + 2 + 5 * (0.5 - 0.5)) / (7 + 9 + 4) = 0.55.
    y, held_out = np.zeros(2), np.array([[-1.0, 0.0], [1.0, -2.0]])
    half = np.array([0.5, 0.5])
    assert simplex_weights(y, held_out, half, 0.0) == pytest.approx([0.6, 0.4], abs=1e-6)
    assert simplex_weights(y, held_out, half, 5.0) == pytest.approx([0.55, 0.45], abs=1e-6)


def test_a_prior_of_any_strength_is_met_in_the_end() -> None:
    y, held_out = members(30, [1.0, 1.0, 1.0])
    prior = np.array([0.2, 0.5, 0.3])
    found = [simplex_weights(y, held_out, prior, strength) for strength in (0.0, 1e2, 1e9)]
    gaps = [float(np.abs(weights - prior).max()) for weights in found]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-5


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_a_member_that_is_the_label_wins(size: float) -> None:
    y, held_out = members(30, [1.0, 0.0, 0.5])
    weights = simplex_weights(size * y, size * held_out, np.array([1.0, 0.0, 0.0]), 100.0)
    assert weights[1] > 0.99


def test_members_without_an_error_leave_the_prior() -> None:
    y = np.full(10, 3.0)
    prior = np.array([0.1, 0.9])
    assert simplex_weights(y, np.full((10, 2), 3.0), prior, 100.0) == pytest.approx(prior)


def test_members_that_say_the_same_share_the_weight() -> None:
    y, held_out = members(40, [0.5])
    twice = np.hstack([held_out, held_out])
    weights = simplex_weights(y, twice, np.array([0.5, 0.5]), 10.0)
    assert weights == pytest.approx([0.5, 0.5], abs=1e-6)
    assert np.isfinite(simplex_weights(y, np.tile(held_out, 8), np.full(8, 0.125), 0.0)).all()


@settings(max_examples=20)
@given(st.integers(0, 200), st.floats(-1e3, 1e3), st.sampled_from([1e-9, -1.0, 1e6]))
def test_shifts_and_units_do_not_matter(seed: int, shift: float, unit: float) -> None:
    y, held_out = members(25, [1.0, 0.7, 2.0], seed)
    prior = np.array([0.2, 0.2, 0.6])
    here = simplex_weights(y, held_out, prior, 20.0)
    there = simplex_weights(shift + unit * y, shift + unit * held_out, prior, 20.0)
    assert there == pytest.approx(here, abs=1e-5)


def test_any_errors_give_weights() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, n_members = int(rng.integers(1, 40)), int(rng.integers(1, 10))
        y = 10.0 ** rng.integers(-9, 12) * rng.standard_t(2, size=n)
        held_out = y[:, None] + 10.0 ** rng.uniform(-8, 6, size=n_members) * rng.standard_t(
            1, size=(n, n_members)
        )
        if seed % 3 == 0:
            held_out[:, 0] = y
        prior = rng.dirichlet(np.ones(n_members))
        weights = simplex_weights(y, held_out, prior, float(rng.choice([0.0, 1.0, 100.0])))
        assert np.isfinite(weights).all()
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0)


# --- Members together.


@dataclass(frozen=True)
class Says:
    """A member with known predictions."""

    held_out_: Array
    coef: Array

    def predict(self, x: Array) -> Array:
        """Return a weighted sum of the features."""
        return x @ self.coef

    def distribution(self, x: Array) -> Location:
        """Return the prediction alone."""
        return Location(self.predict(x), np.zeros(1))


def test_a_stack_is_the_weighted_sum_of_its_members() -> None:
    y, held_out = members(30, [0.5, 0.8, 0.6])
    coefs = np.eye(3)
    found = combine(
        y,
        {f"m{k}": Says(held_out[:, k], coefs[k]) for k in range(3)},
        np.full(3, 1.0 / 3.0),
        10.0,
    )
    assert found.names == ("m0", "m1", "m2")
    assert found.weights_.sum() == pytest.approx(1.0)
    assert found.held_out_ == pytest.approx(held_out @ found.weights_)
    x = np.random.default_rng(0).normal(size=(7, 3))
    assert found.predict(x) == pytest.approx(x @ found.weights_)
    items = found.distribution(x)
    assert items.mean == pytest.approx(found.predict(x))
    assert items.cdf(np.zeros(1))[:, 0] == pytest.approx((x <= 0.0) @ found.weights_)


def test_negligible_members_are_left_out() -> None:
    y, held_out = members(2_000, [0.02, 1.0, 5.0])
    coefs = np.eye(3)
    parts = {f"m{k}": Says(held_out[:, k], coefs[k]) for k in range(3)}
    raw = simplex_weights(y, held_out, np.full(3, 1 / 3), 1.0)
    assert 0.0 < raw[2] < NEGLIGIBLE
    found = combine(y, parts, np.full(3, 1.0 / 3.0), 1.0)
    assert found.weights_[2] == 0.0
    assert found.weights_.sum() == pytest.approx(1.0)
    # What is not used is not asked.
    used = found.distribution(np.zeros((1, 3))).parts
    assert len(used) == int(np.sum(found.weights_ > 0.0)) < 3


def test_classes_are_weighed_over_all_their_columns() -> None:
    rng = np.random.default_rng(0)
    y = np.eye(3)[rng.integers(3, size=50)]
    good, poor = 0.8 * y + 0.2 / 3.0, np.full_like(y, 1.0 / 3.0)
    found = combine(
        y, {"good": Says(good, np.ones(1)), "poor": Says(poor, np.ones(1))}, np.full(2, 0.5), 1.0
    )
    assert found.weights_[0] > 0.95
    assert found.held_out_.shape == (50, 3)


def test_a_view_reads_some_columns_or_their_average() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 3))
    y = x[:, 0] + 0.1 * rng.normal(size=40)
    some, average = np.array([True, False, True]), np.array([[0.5], [0.0], [0.5]])
    for columns in (some, average):
        read = x[:, columns] if columns.ndim == 1 else x @ columns
        model = fit_ridge(read, y, np.zeros(read.shape[1], dtype=np.int64))
        view = View(model, columns)
        assert view.predict(x).tolist() == model.predict(read).tolist()
        assert view.held_out_ is model.held_out_
        assert view.distribution(x).mean == pytest.approx(model.predict(read))
        # The column that it does not read is no matter.
        other = x.copy()
        other[:, 1] = 1e6
        assert view.predict(other) == pytest.approx(view.predict(x))


# --- The constant.


def test_the_constant_is_the_mean_and_the_labels_own_distribution() -> None:
    y = np.array([1.0, 2.0, 6.0])
    model = fit_constant(y)
    assert model.predict(np.zeros((2, 0))).tolist() == [3.0, 3.0]
    assert model.held_out_.tolist() == [4.0, 3.5, 1.5]
    items = model.distribution(np.zeros((1, 4)))
    assert items.cdf(np.array([0.9, 1.0, 2.0, 6.0]))[0] == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])
    assert fit_constant(np.array([5.0])).held_out_.tolist() == [5.0]
