"""Fit to the truth, and the variance that the design implies."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bacon.experiments.answers import FoldModels
from bacon.experiments.fit import SHOWN, design_variance, fit_to_truth

if TYPE_CHECKING:
    from bacon.arrays import IntArray

RNG = np.random.default_rng(0)
Y = np.array([1.0, 2.0, 4.0, 7.0, 7.5, 11.0])
F = np.array([0.5, 2.5, 3.0, 7.0, 9.0, 10.0])


def fixed(rows: IntArray, f: np.ndarray, k: int) -> FoldModels:
    """Models of k folds that all say `f`, dealt over `rows` in turn."""
    fold = np.full(len(f), -1)
    fold[rows] = np.arange(len(rows)) % k
    return FoldModels(fold, k, lambda _, items: f[items])


def test_fit_by_hand() -> None:
    fit = fit_to_truth(np.array([1.0, 2.0, np.nan, 8.0]), np.array([2.0, 1.0, 5.0, 6.0]))
    # Errors 1, -1 and -2; the three labels with a prediction have the mean 3.
    assert fit.r2 == pytest.approx(1.0 - 6.0 / (1.0 + 4.0 + 9.0))
    assert fit.rmse == pytest.approx(math.sqrt(2.0))
    assert fit.spearman == pytest.approx(0.5)


def test_no_fit() -> None:
    assert math.isnan(fit_to_truth(np.full(3, np.nan), Y[:3]).r2)
    assert math.isnan(fit_to_truth(F[:3], np.ones(3)).r2)


def test_a_constant_prediction_has_the_textbook_variance() -> None:
    rows = np.array([0, 3])
    expected = (1 - 2 / 6) * Y.var(ddof=1) / 2
    for models in (None, fixed(rows, np.full(6, 3.0), 1)):
        found = design_variance(Y, rows, np.full(6, 3.0), models, RNG)
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_with_fixed_predictions_its_mean_over_all_draws_is_exact(k: int) -> None:
    # Predictions that no label enters: the estimate's variance is (1 - n/N) S2 / n of y - f.
    n = 3
    found = [
        design_variance(Y, np.array(rows), F, fixed(np.array(rows), F, k), RNG)
        for rows in itertools.permutations(range(6), n)
    ]
    assert np.mean(found) == pytest.approx((1 - n / 6) * (Y - F).var(ddof=1) / n, rel=1e-12)


def test_by_hand() -> None:
    # Two folds of one label each; model 0 says F, model 1 says 0.
    rows = np.array([1, 4])
    models = FoldModels(
        np.array([-1, 0, -1, -1, 1, -1]), 2, lambda k, items: F[items] if k == 0 else 0.0 * items
    )
    unlabelled = [0, 2, 3, 5]
    mixture = np.where(np.isin(np.arange(6), unlabelled), F / 2, np.array([0, 2.5, 0, 0, 0, 0]))
    first = (Y - F)[[*unlabelled, 1]].var(ddof=1)
    second = Y[[*unlabelled, 4]].var(ddof=1)
    mixed = (Y - F / 2)[unlabelled].var(ddof=1)
    expected = (1 - 2 / 6) ** 2 * (first / 4 + second / 4 + mixed / 4)
    assert design_variance(Y, rows, mixture, models, RNG) == pytest.approx(expected, rel=1e-12)


def test_large_pools_are_shown_in_part_without_bias() -> None:
    rng = np.random.default_rng(5)
    y, f = rng.normal(size=(2, 4 * SHOWN))
    rows = np.arange(20)
    found = [
        design_variance(y, rows, f, fixed(rows, f, 4), np.random.default_rng(seed))
        for seed in range(200)
    ]
    whole = (1 - 20 / len(y)) ** 2 * (
        np.mean([(y - f)[[*range(20, len(y)), *rows[k::4]]].var(ddof=1) for k in range(4)]) / 20
        + (y - f)[20:].var(ddof=1) / (len(y) - 20)
    )
    # A variance over 500 items of 2,000 is known to 6 %, its mean over four folds and 200
    # draws to 0.2 %.
    assert np.mean(found) == pytest.approx(whole, rel=0.01)


def test_next_to_a_census() -> None:
    for k in (1, 2):
        every = np.arange(6)
        assert design_variance(Y, every, F, fixed(every, F, k), RNG) == 0.0
        assert design_variance(Y, every, np.ones(6), None, RNG) == 0.0
        assert math.isnan(design_variance(Y, every[:5], F, fixed(every[:5], F, k), RNG))


def test_no_variance_where_it_would_not_be_the_estimates() -> None:
    rows = np.array([0, 3])
    assert math.isnan(design_variance(Y, rows, np.where(Y > 7, np.nan, F), None, RNG))
    refit = FoldModels(fixed(rows, F, 2).fold, 3, lambda _, items: F[items])
    assert math.isnan(design_variance(Y, rows, F, refit, RNG))
    of_all = FoldModels(np.arange(6) % 2, 2, lambda _, items: F[items])
    assert math.isnan(design_variance(Y, rows, F, of_all, RNG))
