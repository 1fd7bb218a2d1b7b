"""Weights and independent units of labelled items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import N, calibrated, essays
from tests.calibration.diagnostics.cases import items
from tests.factories import make_pool

from bacon.calibration.diagnostics.observations import Observations, labelled_observations
from bacon.data.survey_design import SurveyDesign
from bacon.estimation.units import pool_variance

H = np.array([1.0, -2.0, 0.5, 3.0, -2.5])


def test_the_variance_of_a_mean_by_hand():
    # s^2 / n, without a finite-pool factor.
    assert items(5).variance(H) == pytest.approx(H.var(ddof=1) / 5, rel=1e-14)


def test_weights_give_the_linearised_variance():
    weights = np.array([1.0, 2.0, 4.0, 1.0, 2.0])
    z = weights / weights.sum() * H
    by_hand = 5 / 4 * np.sum((z - z.mean()) ** 2)
    assert items(5, weights).variance(H) == pytest.approx(by_hand, rel=1e-14)


def test_it_is_the_design_variance_of_an_endless_pool():
    rng = np.random.default_rng(2)
    h, weights = rng.normal(size=40), rng.uniform(1.0, 8.0, 40)
    h -= weights @ h / weights.sum()
    cluster = rng.integers(0, 12, 40)
    endless = SurveyDesign("fixed", 40, np.arange(40), 1e-12 / weights)
    assert items(40, weights).variance(h) == pytest.approx(pool_variance(h, endless), rel=1e-9)
    codes = np.unique(cluster, return_inverse=True)[1]
    clustered = SurveyDesign("clusters", 40, np.arange(40), 1e-12 / weights, psu=codes, n_psu=10**9)
    found = Observations(weights, codes).variance(h)
    assert found == pytest.approx(pool_variance(h, clustered), rel=1e-8)


def test_items_of_a_unit_count_as_one():
    # Every item twice, in one unit each: nothing is learned from the copies.
    doubled = Observations(np.ones(10), np.repeat(np.arange(5), 2))
    assert doubled.variance(np.repeat(H, 2)) == pytest.approx(items(5).variance(H), rel=1e-14)
    assert (doubled.n_units, doubled.df, doubled.n_independent) == (5, 4.0, 5.0)


def test_degrees_of_freedom_fall_with_unequal_weights():
    assert items(30).df == 29.0
    unequal = items(30, [100.0] + [1.0] * 29)
    assert 1.0 <= unequal.df < 3.0
    assert unequal.n_independent == pytest.approx(129**2 / (100**2 + 29), rel=1e-12)


def test_a_part_keeps_the_codes_of_its_units():
    whole = Observations(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 1, 2]))
    part = whole.where(np.array([False, True, False, True]))
    assert part.units.tolist() == [1, 2]
    np.testing.assert_allclose(part.share, [1 / 3, 2 / 3])
    assert whole.where(np.ones(4, dtype=bool)) is whole


def test_one_unit_shows_no_variance():
    assert np.isnan(Observations(np.ones(3), np.zeros(3, dtype=np.int64)).variance(H[:3]))


def test_parts_keep_columns():
    obs = Observations(np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1]))
    h = np.array([[1.0, 10.0], [3.0, 30.0], [5.0, 50.0]])
    np.testing.assert_allclose(obs.parts(h), [[1.0, 10.0], [2.5, 25.0]])


def test_labelled_items_of_a_calibration():
    cal = calibrated()
    alone = labelled_observations(cal.pool, cal.aligned)
    assert (alone.n_units, len(alone.weights)) == (30, 30)
    np.testing.assert_allclose(alone.weights, N / 30)
    pool = make_pool(N)
    assert pool.cluster is not None
    prompts = replace(essays(), cluster=pool.cluster)
    shared = labelled_observations(prompts, cal.aligned)
    labelled = pool.cluster.codes[cal.aligned.design.rows]
    assert shared.n_units == len(np.unique(labelled)) < 30
