"""Figures of fit, their standard errors and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.measures import (
    Measure,
    agreement_measures,
    mean_measure,
    r2_measure,
    rmse_measure,
    spearman_measure,
    weighted_r2,
)
from bacon.calibration.diagnostics.observations import Observations

Y = np.array([1.0, 2.0, 4.0, 5.0, 3.0, 2.0])
F = np.array([1.5, 2.0, 3.0, 5.5, 3.0, 1.0])


def test_a_mean_has_students_interval():
    found = mean_measure(Y, items(6), 0.9)
    se = Y.std(ddof=1) / math.sqrt(6)
    low, high = stats.t.interval(0.9, 5, loc=Y.mean(), scale=se)
    np.testing.assert_allclose(
        [found.value, found.se, found.low, found.high], [Y.mean(), se, low, high], rtol=1e-12
    )


def test_r2_and_rmse_by_hand():
    # Squared errors .25, 0, 1, .25, 0, 1 (sum 2.5); the labels' mean is 17/6.
    spread = np.sum((Y - 17 / 6) ** 2)
    r2 = r2_measure(Y, F, items(6), 0.95)
    assert r2.value == pytest.approx(1 - 2.5 / spread, rel=1e-14)
    assert weighted_r2(Y, F, np.ones(6)) == pytest.approx(r2.value, rel=1e-14)
    rmse = rmse_measure(Y, F, items(6), 0.95)
    assert rmse.value == pytest.approx(math.sqrt(2.5 / 6), rel=1e-14)
    # d(rmse) = d(mse) / (2 rmse), d(mse) of item i = e_i^2 - mse.
    squares = (Y - F) ** 2
    se = math.sqrt(squares.var(ddof=1) / 6) / (2 * rmse.value)
    assert rmse.se == pytest.approx(se, rel=1e-12)
    assert rmse.low * rmse.high == pytest.approx(rmse.value**2, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_standard_errors_are_those_of_the_jackknife(weighted):
    """Leaving out one item at a time agrees with the influence values, where n is large."""
    rng = np.random.default_rng(4)
    n = 400
    y = rng.normal(size=n)
    f = 0.7 * y + 0.5 * rng.normal(size=n)
    weights = rng.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    for measure in (r2_measure, rmse_measure, spearman_measure):
        whole = measure(y, f, items(n, weights), 0.95)
        left = np.array(
            [
                measure(
                    np.delete(y, i), np.delete(f, i), items(n - 1, np.delete(weights, i)), 0.95
                ).value
                for i in range(n)
            ]
        )
        jackknife = math.sqrt((n - 1) / n * np.sum((left - left.mean()) ** 2))
        assert whole.se == pytest.approx(jackknife, rel=0.02), measure.__name__


def test_spearman_has_fishers_interval():
    rng = np.random.default_rng(1)
    y = rng.normal(size=100)
    score = y + rng.normal(size=100)
    found = spearman_measure(y, score, items(100), 0.95)
    assert found.value == pytest.approx(stats.spearmanr(y, score)[0], abs=1e-12)
    middle = (math.atanh(found.low) + math.atanh(found.high)) / 2
    assert middle == pytest.approx(math.atanh(found.value), rel=1e-12)
    # The textbook's 1 / sqrt(n - 3) is near.
    half = (math.atanh(found.high) - math.atanh(found.low)) / 2
    assert half == pytest.approx(1.96 / math.sqrt(97), rel=0.25)


def test_units_of_the_labels_do_not_matter():
    for factor in (1e-140, 1e140):
        small, large = r2_measure(Y, F, items(6), 0.95), None
        large = r2_measure(factor * Y, factor * F, items(6), 0.95)
        np.testing.assert_allclose(
            [large.value, large.se, large.low], [small.value, small.se, small.low], rtol=1e-9
        )
        rmse = rmse_measure(factor * Y, factor * F, items(6), 0.95)
        assert rmse.value == pytest.approx(factor * math.sqrt(2.5 / 6), rel=1e-9)


def test_perfect_and_undefined_figures_claim_no_interval():
    perfect = r2_measure(Y, Y, items(6), 0.95)
    assert perfect.value == 1.0
    assert math.isnan(perfect.low)
    assert rmse_measure(Y, Y, items(6), 0.95).value == 0.0
    assert math.isnan(spearman_measure(Y, Y, items(6), 0.95).low)
    alike = np.full(6, 4.0)
    assert not r2_measure(alike, F, items(6), 0.95).is_known
    assert not spearman_measure(alike, F, items(6), 0.95).is_known
    assert math.isnan(weighted_r2(alike, F, np.ones(6)))


def cohen(people, judge):
    """Cohen's kappa from the table of two raters."""
    table = np.zeros((3, 3))
    np.add.at(table, (people, judge), 1.0)
    table /= table.sum()
    chance = table.sum(axis=0) @ table.sum(axis=1)
    return float((np.trace(table) - chance) / (1 - chance)), float(np.trace(table)), table


def shares(codes):
    return (np.asarray(codes)[:, None] == np.arange(3)).astype(float)


def test_agreement_and_kappa_are_cohens():
    rng = np.random.default_rng(3)
    people = rng.integers(0, 3, 500)
    judge = np.where(rng.random(500) < 0.6, people, rng.integers(0, 3, 500))
    expected, agreement, table = cohen(people, judge)
    found = agreement_measures(shares(people), shares(judge), items(500), 0.95)
    assert found[0].value == pytest.approx(agreement, rel=1e-12)
    assert found[1].value == pytest.approx(expected, rel=1e-12)
    # The large-sample variance of Fleiss, Cohen and Everitt (1969).
    p, q = table.sum(axis=1), table.sum(axis=0)
    chance = p @ q
    own = sum(table[k, k] * ((1 - chance) - (p[k] + q[k]) * (1 - agreement)) ** 2 for k in range(3))
    other = sum(table[i, j] * (q[i] + p[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    last = (agreement * chance - 2 * chance + agreement) ** 2
    variance = (own + (1 - agreement) ** 2 * other - last) / (500 * (1 - chance) ** 4)
    assert found[1].se == pytest.approx(math.sqrt(variance), rel=0.005)


def test_several_runs_agree_in_part():
    people = shares([0, 1, 2, 0])
    judge = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0, 1.0], [0.25, 0.75, 0]])
    agreement, _ = agreement_measures(people, judge, items(4), 0.95)
    assert agreement.value == pytest.approx((1 + 0.5 + 1 + 0.25) / 4)
    assert 0.0 < agreement.low < agreement.value < agreement.high < 1.0


def test_answers_that_are_no_class_of_the_people_agree_with_nobody():
    agreement, kappa = agreement_measures(shares([0, 1, 2]), np.zeros((3, 3)), items(3), 0.95)
    assert agreement.value == 0.0
    assert kappa.value == pytest.approx(0.0)


def test_a_negative_factor_turns_the_interval_round():
    turned = Measure(2.0, 0.5, 1.0, 4.0).times(-2.0)
    assert turned == Measure(-4.0, 1.0, -8.0, -2.0)


def test_copies_in_a_cluster_do_not_narrow_an_interval():
    doubled = Observations(np.ones(12), np.repeat(np.arange(6), 2))
    once = r2_measure(Y, F, items(6), 0.95)
    twice = r2_measure(np.repeat(Y, 2), np.repeat(F, 2), doubled, 0.95)
    np.testing.assert_allclose([twice.se, twice.high], [once.se, once.high], rtol=1e-12)
