"""Labels per stratum against hand arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.planning.cases import N, pilot

import bacon
from bacon.estimation.skew import skew_arms
from bacon.planning.spread import Spread, fewest
from bacon.planning.strata import stratified_labels


def test_one_stratum_is_a_simple_draw():
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=500)
    side = Spread(500, 1.0, 1.0 / 500)
    counts = stratified_labels(plan, side, 0.2, np.array([500]), np.ones(1), None)
    assert counts.tolist() == [fewest(side, 0.2, 0.95, "pool")]


def test_two_strata_by_hand():
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=1000)
    side = Spread(1000, 1.0, 1.0 / 1000)
    sizes, variances = np.array([800, 200]), np.array([0.25, 4.0])

    def half_width(counts: np.ndarray) -> float:
        v = np.sum((sizes / 1000) ** 2 * variances * (1.0 / counts - 1.0 / sizes))
        return float(stats.t.ppf(0.975, counts.sum() - 2) * math.sqrt(v))

    for spreads in (None, np.sqrt(variances)):
        counts = stratified_labels(plan, side, 0.2, sizes, variances, spreads)
        assert half_width(counts) <= 0.1
        fewer = stratified_labels(plan, side, 0.2001, sizes, variances, spreads)
        assert counts.sum() - fewer.sum() <= 1
    proportional = stratified_labels(plan, side, 0.2, sizes, variances, None)
    assert proportional[0] == pytest.approx(4 * proportional[1], abs=3)
    # Neyman: N_h S_h is 400 for both.
    best = stratified_labels(plan, side, 0.2, sizes, variances, np.sqrt(variances))
    assert abs(best[0] - best[1]) <= 1
    assert best.sum() < proportional.sum()


def test_the_population_adds_its_part():
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=1000, target="population")
    side = Spread(1000, 1.0, 1.0 / 1000)
    counts = stratified_labels(plan, side, 0.2, np.array([600, 400]), np.ones(2), None)
    n = int(counts.sum())
    variance = 1.0 / n - 1.0 / 1000 + 1.0 / 1000
    arms = skew_arms(0.0, 0.95, n - 2)
    assert sum(arms) * math.sqrt(variance) <= 0.2


def test_a_pilot_plans_every_stratum():
    found = bacon.plan(pilot(90)).by_stratum(0.15, "system")
    table = found.table
    assert table["stratum"].to_list() == ["atlas", "borealis", "cygnus"]
    assert table["items"].sum() == N
    assert table["pilot"].sum() == 90
    assert found.total("neyman") <= found.total("proportional") + 1
    assert found.total("neyman") < found.total("alone_neyman")
    assert "3,0" not in found.summary()
    assert found.to_dict()["labels"]["neyman"] == found.total("neyman")


def test_strata_by_quantiles_may_lack_labels():
    found = bacon.plan(pilot(30)).by_stratum(0.3, "judge_noise:20")
    assert len(found.table) == 20
    assert found.table["pilot"].min() < 2
    assert np.isfinite(found.table["sd"].to_numpy()).all()
    assert (found.table["sd"].to_numpy() > 0).all()


def test_refusals():
    with pytest.raises(bacon.BaconError, match="need a pilot"):
        bacon.plan(r2=0.5, sd=1.0, n_items=100).by_stratum(0.1, "system")
    with pytest.raises(bacon.BaconError, match="nothing"):
        bacon.plan(pilot(90)).by_stratum(0.1, "nothing")
    with pytest.raises(bacon.BaconError, match="no interval can be"):
        bacon.plan(pilot(90), target="population").by_stratum(0.01, "system")
