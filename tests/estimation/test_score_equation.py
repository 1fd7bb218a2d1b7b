"""The root search, and the parts of a score."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from bacon.estimation.families import DAVIDSON, LINEAR, LOGISTIC, POISSON
from bacon.estimation.score_equation import NoFiniteRoot, ScoreEquation, find_root

RNG = np.random.default_rng(4)
N = 60
X = np.column_stack([np.ones(N), RNG.normal(size=N), RNG.uniform(size=N)])
Y = (RNG.random(N) < 0.5).astype(float)[:, None]
F = RNG.uniform(0.1, 0.9, size=(N, 1))
WEIGHTS = np.full(N, 1.0 / N)


def equation(family=LOGISTIC, x=X):
    return ScoreEquation(family, (x,))


@pytest.mark.parametrize(
    ("family", "y"),
    [(LINEAR, 3.0 + 5.0 * F), (LOGISTIC, Y), (POISSON, 1000.0 * F)],
    ids=["linear", "logistic", "poisson"],
)
def test_the_root_is_where_an_independent_search_puts_it(family, y):
    made = equation(family)
    found = find_root(made, made.total(y, WEIGHTS), WEIGHTS)
    other = optimize.root(
        lambda theta: X.T @ (y - family.mean((X @ theta)[:, None]))[:, 0] / N,
        found + 0.1,
        tol=1e-12,
    )
    assert other.success
    np.testing.assert_allclose(found, other.x, atol=1e-7)


def test_a_separated_outcome_has_no_finite_root():
    made = equation()
    separated = (X[:, [1]] > 0.3).astype(float)
    with pytest.raises(NoFiniteRoot) as caught:
        find_root(made, made.total(separated, WEIGHTS), WEIGHTS)
    # It runs away along the column that separates.
    assert np.argmax(np.abs(caught.value.direction)) == 1


def test_a_collinear_design_has_no_root():
    made = equation(x=np.column_stack([X, X[:, 1]]))
    with pytest.raises(NoFiniteRoot):
        find_root(made, made.total(Y, WEIGHTS), WEIGHTS)


def test_a_start_that_overflows_elsewhere_is_left():
    made = equation(POISSON)
    target = made.total(1.0 + F, WEIGHTS)
    far = find_root(made, target, WEIGHTS, np.array([0.0, 2000.0, 0.0]))
    np.testing.assert_allclose(far, find_root(made, target, WEIGHTS), atol=1e-9)


def test_leverage_of_a_linear_fit_is_the_hat_matrix():
    made = ScoreEquation(LINEAR, (X,))
    hat = X @ np.linalg.inv(X.T @ X) @ X.T
    np.testing.assert_allclose(made.leverage(np.zeros(3), WEIGHTS), np.diag(hat), atol=1e-12)


def test_the_slope_of_two_predictors_is_the_derivative_of_their_score():
    made = ScoreEquation(DAVIDSON, (X, np.ones((N, 1))))
    theta, step = np.array([0.2, -0.3, 0.1, -0.5]), 1e-6
    slope = made.slope_at(theta, WEIGHTS)
    for k in range(4):
        moved = np.eye(4)[k] * step
        change = made.total(made.mean(theta + moved) - made.mean(theta - moved), WEIGHTS)
        np.testing.assert_allclose(slope[:, k], change / (2 * step), atol=1e-8)
