"""The augmented equation of a vector of coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.data.survey_design import SurveyDesign
from bacon.estimation.augmented_score import solve
from bacon.estimation.designs import simple_design
from bacon.estimation.families import LINEAR, LOGISTIC, POISSON
from bacon.estimation.score_equation import ScoreEquation, find_root

RNG = np.random.default_rng(4)
N = 60
X = np.column_stack([np.ones(N), RNG.normal(size=N), RNG.uniform(size=N)])
ROWS = np.sort(RNG.choice(N, 24, replace=False))
Y = (RNG.random(N) < 0.5).astype(float)[:, None]
F = RNG.uniform(0.1, 0.9, size=(N, 1))


def equation(family=LOGISTIC, x=X):
    return ScoreEquation(family, (x,))


@pytest.mark.parametrize("adjust", [False, True])
def test_the_solution_makes_the_augmented_equation_zero(adjust):
    design = simple_design(ROWS, N)
    found = solve(Y[ROWS], F, equation(), design, adjust=adjust)
    f = F[:, 0]
    if adjust:
        labelled = equation().at(ROWS)
        weights = np.full(len(ROWS), 1.0 / len(ROWS))
        own, like = (
            find_root(labelled, labelled.total(v, weights), weights) for v in (Y[ROWS], F[ROWS])
        )
        f = f + LOGISTIC.mean((X @ own)[:, None])[:, 0] - LOGISTIC.mean((X @ like)[:, None])[:, 0]
    mu = 1.0 / (1.0 + np.exp(-X @ found.theta))
    moment = X.T @ (f - mu) / N + X[ROWS].T @ (Y[ROWS, 0] - f[ROWS]) / len(ROWS)
    np.testing.assert_allclose(moment, 0.0, atol=1e-10)
    np.testing.assert_allclose(found.residual.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(found.prediction.mean(axis=0), 0.0, atol=1e-12)
    if adjust:
        # The labels' own score is 0 at the adjusted predictions, so the second sum is as well.
        np.testing.assert_allclose(X[ROWS].T @ (Y[ROWS, 0] - f[ROWS]), 0.0, atol=1e-8)


@pytest.mark.parametrize("family", [LINEAR, LOGISTIC, POISSON], ids=lambda one: one.name)
@pytest.mark.parametrize("predicted", ["constant", "of the family", None])
def test_predictions_that_say_nothing_give_the_labels_own_regression(family, predicted):
    design = simple_design(ROWS, N)
    f = {
        "constant": np.full((N, 1), 0.37),
        "of the family": family.mean((X @ np.array([-0.3, 0.2, 0.4]))[:, None]),
        None: None,
    }[predicted]
    found = solve(Y[ROWS], f, equation(family), design)
    labelled = equation(family).at(ROWS)
    weights = np.full(len(ROWS), 1.0 / len(ROWS))
    own = find_root(labelled, labelled.total(Y[ROWS], weights), weights)
    np.testing.assert_allclose(found.theta, own, atol=1e-9)
    np.testing.assert_allclose(found.prediction, 0.0, atol=1e-8)


def test_the_influence_is_what_more_weight_of_a_label_does():
    """Raise the weight of one label a little: the solution moves by its residual part."""
    m, step = len(ROWS), 1e-5
    found = solve(Y[ROWS], F, equation(), simple_design(ROWS, N))
    # The residuals before they were divided by 1 - leverage and centred again.
    labelled, weights = equation().at(ROWS), np.full(m, 1.0 / m)
    own = find_root(labelled, labelled.total(Y[ROWS], weights), weights)
    factor = ((m - 1) / m / (1.0 - labelled.leverage(own, weights)))[:, None]
    centre = -(found.residual / factor).sum(axis=0) / (1.0 / factor).sum(axis=0)
    residual = (found.residual + centre) / factor
    for k in (3, 11):
        pi = np.full(m, m / N)
        pi[k] /= 1.0 + step
        moved = solve(Y[ROWS], F, equation(), SurveyDesign("poisson", N, ROWS, pi))
        change = (moved.theta - found.theta) / step * m
        np.testing.assert_allclose(change, residual[k], rtol=2e-3, atol=1e-4)
