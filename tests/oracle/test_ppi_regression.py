"""Coefficients against ppi-python at lambda 1, given its predictions.

It takes unlabelled items apart from labelled ones and averages predictions over the first. Our
equation averages them over all items, so all are given to it as unlabelled. Its OLS is our linear
regression. Its logistic regression leaves out the adjustment by the labels' own regression; with
``adjust=False`` so does ours, and adjusted predictions given to it make the two equal again.
"""

from __future__ import annotations

import numpy as np
import ppi_py
import pytest
from scipy import optimize

from bacon.estimation.designs import simple_design
from bacon.estimation.estimands import Setting
from bacon.estimation.regression import regression_estimates

# It calls scikit-learn in a way that the next version drops.
pytestmark = pytest.mark.filterwarnings("ignore:'penalty' was deprecated:FutureWarning")

N, M = 800, 150
TIGHT = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000}


def case(seed: int):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=N)
    x = np.column_stack([np.ones(N), z, (rng.random(N) < 0.4).astype(float)])
    q = rng.normal(size=N)
    rows = np.sort(rng.choice(N, M, replace=False))
    return rng, x, q, rows, Setting(simple_design(rows, N))


def coefficients(found):
    return np.array([one.value for one in found.values()])


@pytest.mark.parametrize("seed", range(3))
def test_ols(seed):
    rng, x, q, rows, setting = case(seed)
    y = 1.0 + x[:, 1] - 0.5 * x[:, 2] + q
    f = 2.0 + 0.4 * x[:, 1] + 0.8 * q + 0.3 * rng.normal(size=N)
    ours = regression_estimates(["a", "b", "c"], x, y[rows], f, setting)
    theirs = ppi_py.ppi_ols_pointestimate(x[rows], y[rows], f[rows], x, f, lam=1)
    np.testing.assert_allclose(coefficients(ours), theirs, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_logistic(seed):
    rng, x, q, rows, setting = case(seed)
    y = (rng.random(N) < 1.0 / (1.0 + np.exp(-x[:, 1] - q))).astype(float)
    f = 1.0 / (1.0 + np.exp(-0.5 - 0.8 * q - 0.3 * rng.normal(size=N)))
    ours = regression_estimates(
        ["a", "b", "c"], x, y[rows], f, setting, family="logistic", adjust=False
    )
    theirs = ppi_py.ppi_logistic_pointestimate(
        x[rows], y[rows], f[rows], x, f, lam=1, optimizer_options=TIGHT
    )
    np.testing.assert_allclose(coefficients(ours), theirs, atol=1e-6)


def test_logistic_of_adjusted_predictions():
    rng, x, q, rows, setting = case(7)
    y = (rng.random(N) < 1.0 / (1.0 + np.exp(-x[:, 1] - q))).astype(float)
    f = 1.0 / (1.0 + np.exp(-0.5 - 0.8 * q - 0.3 * rng.normal(size=N)))
    ours = regression_estimates(["a", "b", "c"], x, y[rows], f, setting, family="logistic")

    def mean(theta):
        return 1.0 / (1.0 + np.exp(-x @ theta))

    def own_fit(values):
        found = optimize.root(lambda theta: x[rows].T @ (values - mean(theta)[rows]), np.zeros(3))
        assert found.success
        return found.x

    adjusted = f + mean(own_fit(y[rows])) - mean(own_fit(f[rows]))
    theirs = ppi_py.ppi_logistic_pointestimate(
        x[rows], y[rows], adjusted[rows], x, adjusted, lam=1, optimizer_options=TIGHT
    )
    np.testing.assert_allclose(coefficients(ours), theirs, atol=1e-6)
