"""The best pilot of a two-stage draw, against the variance of known hardness."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.planning.cases import N, pilot

import bacon
from bacon.data.hardness import Hardness
from bacon.planning.spread import Spread
from bacon.planning.two_stage import log_error, predicted_variances


def test_equal_hardness_gains_nothing():
    found = predicted_variances(
        Hardness(np.ones(200)), np.ones(40), np.ones(40), np.arange(40), (0.3, np.array([0.2, 0.5]))
    )
    assert found == pytest.approx([1.0, 1.0])


def test_known_hardness_has_the_variance_of_the_theory():
    # Half of the items have residual SD 1, half 3; the pilot is small enough to bind nowhere, so
    # e is proportional to the SD: (mean SD)^2 / rate - mean square, over mean square (1/rate - 1).
    h = np.tile([1.0, 3.0], 500)
    rate = 0.2
    found = predicted_variances(
        Hardness(h), h[:100] ** 2, np.ones(100), np.arange(100), (rate, np.array([0.1]))
    )
    wanted = (2.0**2 / rate - 5.0) / (5.0 * (1.0 / rate - 1.0))
    assert found[0] == pytest.approx(wanted)


def test_a_pilot_that_is_most_of_it_leaves_little_to_gain():
    h = np.tile([1.0, 3.0], 500)
    shares = np.array([0.1, 0.7, 0.9])
    found = predicted_variances(
        Hardness(h), h[:100] ** 2, np.ones(100), np.arange(100), (0.2, shares)
    )
    assert found[0] < found[1] < found[2] < 1.0


def test_unsure_hardness_makes_small_pilots_dear():
    rng = np.random.default_rng(0)
    h = np.tile([1.0, 3.0], 500)
    held = h * np.exp(0.1 * rng.normal(size=(5, 1000)))
    fold = np.full(1000, -1)
    fold[:100] = np.arange(100) % 5
    hard = Hardness(h, held, fold)
    # (K - 1)/K sum (log h_k - mean)^2 is (K - 1)^2 / K times the variance of one of them.
    assert log_error(hard) == pytest.approx(16.0 / 5.0 * 0.01, rel=0.05)
    shares = np.array([0.15, 0.5])
    found = predicted_variances(hard, h[:100] ** 2, np.ones(100), np.arange(100), (0.2, shares))
    sure = predicted_variances(
        Hardness(h), h[:100] ** 2, np.ones(100), np.arange(100), (0.2, shares)
    )
    t2 = log_error(hard)
    wanted = sure[0] * math.exp(t2 * (100 / 30 - 1.0))
    assert found[0] == pytest.approx(wanted, rel=0.05)


def test_a_pilot_with_equal_errors_is_told_to_draw_at_once():
    found = bacon.plan(pilot(90)).two_stage(300)
    assert found.shares.tolist()[0] == 0.1
    if not found.worth_it:
        assert "draw all 300 at once" in found.summary()
        assert found.to_dict()["pilot"] is None
        assert found.draw_options() == ["-n", "300"]


def test_hard_items_that_can_be_told_make_two_stages_worth_it():
    rng = np.random.default_rng(1)
    judge = rng.normal(size=2000)
    y = judge + 0.3 * np.exp(judge) * rng.normal(size=2000)
    items = bacon.read_pool({"item_id": np.arange(2000), "judge_a": judge})
    sample = bacon.UniformDesign(n=150).draw(items, seed=2)
    labels = bacon.read_labels({"item_id": sample.ids, "human": y[sample.ids]}, value="human")
    found = bacon.plan(bacon.calibrate(items, labels, sample=sample, model="ridge")).two_stage(600)
    assert found.worth_it
    assert found.ratio[found.best] < 0.8
    assert found.pilot == round(600 * float(found.shares[found.best]))
    assert found.draw_options()[:2] == ["--design", "two-stage"]
    assert f"{found.pilot:,} in the pilot" in found.summary()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bacon.plan(r2=0.5, sd=1.0, n_items=100).two_stage(50), "needs a pilot"),
        (lambda: bacon.plan(pilot(90)).two_stage(N + 1), "the pool has 900"),
        (lambda: bacon.plan(pilot(90)).two_stage(N), "nothing to draw"),
        (lambda: bacon.plan(pilot(90)).two_stage(20), "too few for two stages"),
        (lambda: bacon.plan(pilot(90)).two_stage(80), "no more than the 90 of the pilot"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(bacon.BaconError, match=words):
        make()


def test_unequal_chances_are_not_taken_for_clusters():
    spread = Spread(300, 0.09, 0.001, units=0.45, share=0.33)
    assert spread.scaled(0.8).width(25, 0.95, "pool") < spread.width(25, 0.95, "pool")
    clusters = replace(spread, clustered=True)
    assert spread.width(25, 0.95, "pool") < clusters.width(25, 0.95, "pool")
