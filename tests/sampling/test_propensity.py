"""The paper's propensities against a constrained optimiser, by hand, and at the ends."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from bacon.errors import InputError
from bacon.sampling.propensity import _Problem, fit_propensity

Array = npt.NDArray[np.float64]


def problem(n: int = 400, m: int = 80, d: int = 3, seed: int = 0) -> tuple[Array, Array, Array]:
    """Return columns, squares of the pilot, and its rows."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    rows = np.sort(rng.choice(n, m, replace=False))
    return x, np.exp(1.5 * x[rows, 0]) * rng.normal(size=m) ** 2, rows


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_constrained_optimum(seed: int) -> None:
    x, squares, rows = problem(seed=seed)
    rate, pilot = 0.4, 0.1

    def chances(theta: Array) -> Array:
        return pilot + (1.0 - pilot) / (1.0 + np.exp(-(theta[0] + x @ theta[1:])))

    def value(theta: Array) -> float:
        return float(np.sum(squares / chances(theta)[rows])) / squares.sum()

    theirs = minimize(
        value,
        np.r_[np.log(0.5), 0.5, 0.0, 0.0],
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda theta: chances(theta).mean() - rate},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    ours = fit_propensity(x, squares, rows, rate=rate, pilot=pilot, ridge=0.0)
    assert ours.objective / squares.sum() <= theirs.fun * (1.0 + 1e-6)
    assert value(np.r_[ours.intercept, ours.coef]) * squares.sum() == pytest.approx(ours.objective)
    assert chances(np.r_[ours.intercept, ours.coef]) == pytest.approx(ours.e)
    assert ours.e.mean() == pytest.approx(rate, abs=1e-12)


def test_the_gradient_is_that_of_finite_differences() -> None:
    x, squares, rows = problem()
    task = _Problem(x, x[rows], squares / squares.sum(), 0.3, 0.1, 0.01)
    beta = np.array([0.7, -0.4, 1.1])
    gradient = task.value(beta)[1]
    for k, step in enumerate(1e-5 * np.eye(3)):
        change = task.value(beta + step)[0] - task.value(beta - step)[0]
        assert gradient[k] == pytest.approx(change / 2e-5, rel=1e-4, abs=1e-7), k


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.floats(0.0, 0.5),
    st.floats(0.01, 0.99),
    st.sampled_from([1e-12, 1.0, 1e12]),
    st.sampled_from([0.0, 1e-3, 1.0]),
)
def test_the_budget_is_met_whatever_comes(
    seed: int, pilot: float, between: float, unit: float, ridge: float
) -> None:
    rate = pilot + (1.0 - pilot) * between
    x, squares, rows = problem(60, 12, 4, seed)
    found = fit_propensity(
        unit * x**3, unit * squares**3, rows, rate=rate, pilot=pilot, ridge=ridge
    )
    assert abs(found.e.mean() - rate) <= 1e-9
    assert (found.e >= pilot).all()
    assert (found.e <= 1.0).all()
    assert found.objective <= float(unit * (squares**3).sum() / rate) * (1.0 + 1e-9)


def test_extreme_columns_and_a_single_residual_do_not_overflow() -> None:
    x = np.r_[np.zeros(50), 1e15, -1e15][:, None]
    squares = np.zeros(52)
    squares[50] = 1e30
    found = fit_propensity(x, squares, np.arange(52), rate=0.3, pilot=0.1, ridge=0.0)
    assert np.isfinite(found.e).all()
    assert found.e.mean() == pytest.approx(0.3, abs=1e-12)
    assert found.e[50] > 0.99


def test_two_groups_by_hand() -> None:
    # 100 items with r = 1 and 100 with r = 3, and room for any two chances: e goes 1 to 3.
    x = np.repeat([0.0, 1.0], 100)[:, None]
    squares = np.repeat([1.0, 9.0], 100)
    found = fit_propensity(x, squares, np.arange(200), rate=0.4, pilot=0.1, ridge=0.0)
    assert found.e[0] == pytest.approx(0.2, abs=1e-4)
    assert found.e[-1] == pytest.approx(0.6, abs=1e-4)
    assert found.objective == pytest.approx(100 / 0.2 + 900 / 0.6, rel=1e-8)


def test_columns_that_say_nothing_leave_equal_chances() -> None:
    _, squares, rows = problem()
    for x in (np.zeros((400, 0)), np.ones((400, 2))):
        found = fit_propensity(x, squares, rows, rate=0.4, pilot=0.1)
        assert found.e == pytest.approx(np.full(400, 0.4))
        assert not found.coef.any()


def test_a_large_pool_has_the_same_optimum_as_from_a_cold_start() -> None:
    x, squares, rows = problem(60_000, 300, 3)
    found = fit_propensity(x, squares, rows, rate=0.3, pilot=0.1, ridge=0.0)
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    cold = _Problem(z, z[rows], squares / squares.sum(), 0.3, 0.1, 0.0)
    e = cold.chances(cold.solve(np.zeros(3)))[1]
    assert found.objective == pytest.approx(float(np.sum(squares / e[rows])), rel=1e-7)


def changed(name: str, value: object) -> dict[str, object]:
    x, squares, rows = problem()
    given = {"x": x, "squares": squares, "rows": rows, "rate": 0.4, "pilot": 0.1, "ridge": 0.0}
    return {**given, name: value}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("rate", 0.1, "above the pilot"),
        ("rate", 0.05, "above the pilot"),
        ("rate", 1.0, "above the pilot"),
        ("rate", float("nan"), "above the pilot"),
        ("pilot", -0.1, "above the pilot"),
        ("ridge", float("nan"), "ridge must be"),
        ("ridge", -1.0, "ridge must be"),
        ("squares", np.ones(3), "3 squared residuals for 80"),
        ("squares", np.zeros(80), "not all 0"),
        ("squares", -np.ones(80), "not all 0"),
        ("squares", np.r_[np.nan, np.ones(79)], "squares has nan in row 1"),
        ("x", np.full((400, 1), np.inf), "x has inf in row 1"),
    ],
)
def test_what_has_no_solution_is_refused(name: str, value: object, message: str) -> None:
    given = changed(name, value)
    x, squares, rows = given.pop("x"), given.pop("squares"), given.pop("rows")
    with pytest.raises(InputError, match=message):
        fit_propensity(x, squares, rows, **given)  # type: ignore[arg-type]
