"""Least squares on a judge's answers, with and without each item."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.controls import Controls


@pytest.mark.parametrize("weighted", [False, True])
def test_predictions_without_each_item_are_those_of_a_refit(weighted):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=25), rng.normal(size=25)
    weights = rng.uniform(0.5, 4.0, 25) if weighted else np.ones(25)
    found = Controls.of(x[:, None], items(25, weights)).left_out(y)
    for i in range(25):
        kept = np.arange(25) != i
        slope, intercept = np.polyfit(x[kept], y[kept], 1, w=np.sqrt(weights[kept]))
        assert found[i] == pytest.approx(intercept + slope * x[i], abs=1e-10)


def test_residuals_are_those_of_weighted_least_squares():
    rng = np.random.default_rng(2)
    x, y, weights = rng.normal(size=20), rng.normal(size=20), rng.uniform(1.0, 3.0, 20)
    slope, intercept = np.polyfit(x, y, 1, w=np.sqrt(weights))
    controls = Controls.of(x[:, None], items(20, weights))
    np.testing.assert_allclose(controls.residuals(y), y - intercept - slope * x, atol=1e-12)
    both = controls.residuals(np.column_stack([y, x]))
    np.testing.assert_allclose(both[:, 0], controls.residuals(y), atol=1e-14)
    np.testing.assert_allclose(both[:, 1], 0.0, atol=1e-12)


def test_without_columns_it_is_the_mean():
    y = np.array([1.0, 2.0, 6.0])
    for controls in (
        Controls.constant(items(3)),
        Controls.of(np.zeros((3, 0)), items(3)),
        Controls.of(np.full((3, 1), 1e9), items(3)),
    ):
        np.testing.assert_allclose(controls.residuals(y), [-2.0, -1.0, 3.0], atol=1e-12)
        np.testing.assert_allclose(controls.left_out(y), [4.0, 3.5, 1.5], atol=1e-12)


def test_class_means_without_the_item_itself():
    # Classes a, a, b, b, b and a lone c, which gets the mean of the others.
    shares = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]], float)
    y = np.array([1.0, 3.0, 2.0, 4.0, 6.0, 9.0])
    found = Controls.of(shares, items(6)).left_out(y)
    np.testing.assert_allclose(found, [3.0, 1.0, 5.0, 4.0, 3.0, 16.0 / 5.0], atol=1e-10)


def test_huge_scores_and_dependent_columns_change_nothing():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=15), rng.normal(size=15)
    plain = Controls.of(x[:, None], items(15)).left_out(y)
    np.testing.assert_allclose(
        Controls.of(1e140 * x[:, None] + 1e141, items(15)).left_out(y), plain, rtol=1e-6
    )
    twice = np.column_stack([x, 2.0 * x, np.ones(15)])
    np.testing.assert_allclose(Controls.of(twice, items(15)).left_out(y), plain, atol=1e-10)
