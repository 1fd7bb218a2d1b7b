"""Draws in stages: what is drawn, the weights of pilot and later items, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import make_pool

import bacon
from bacon.data.hardness import Hardness
from bacon.errors import DesignError, InputError
from bacon.sampling.budget import joint_probabilities
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.two_stage import TwoStageDesign
from bacon.sampling.uniform import UniformDesign

N = 400
POOL = make_pool(N)
HARD = np.exp(np.random.default_rng(0).normal(size=N))
DESIGN = TwoStageDesign(rate=0.3, pilot=0.1)
PILOT = DESIGN.draw(POOL, seed=1)


def rows_of(pool, sample):
    row = {one: k for k, one in enumerate(pool.ids.tolist())}
    return np.array([row[one] for one in sample.ids.tolist()])


def test_the_pilot_is_a_simple_sample_that_knows_its_plan():
    assert PILOT.kind == "uniform"
    assert PILOT.n_drawn == 40
    assert np.all(PILOT.pi == 0.1)
    assert TwoStageDesign.of(PILOT) == DESIGN
    assert TwoStageDesign.of(PILOT, rate=0.4).rate == 0.4


def test_the_next_stage_keeps_the_pilot_and_weighs_all_by_the_joint_chance():
    sample = DESIGN.extend(PILOT, HARD, pool=POOL, seed=2)
    e = joint_probabilities(HARD, rate=0.3, pilot=0.1)
    assert sample.kind == "two-stage"
    assert sample.ids[:40].tolist() == PILOT.ids.tolist()
    assert len(set(sample.ids.tolist())) == sample.n_drawn
    assert sample.pi == pytest.approx(e[rows_of(POOL, sample)])
    assert sample.stages.everyone == pytest.approx(e[POOL.order])
    later = sample.stages.stage == 1
    assert sample.stages.chance[later] == pytest.approx((sample.pi[later] - 0.1) / 0.9)
    assert sample.sheet.height == sample.n_to_label == int(later.sum())


def test_pilot_items_are_weighted_by_hardness_that_has_not_seen_their_label():
    fold = np.full(N, -1)
    rows = rows_of(POOL, PILOT)
    fold[rows] = np.arange(40) % 2
    held_out = np.stack([HARD**2, np.sqrt(HARD)])
    sample = DESIGN.extend(PILOT, Hardness(HARD, held_out, fold), pool=POOL, seed=2)
    for k, values in enumerate(held_out):
        e = joint_probabilities(values, rate=0.3, pilot=0.1)
        own = np.flatnonzero(sample.stages.fold == k)
        assert len(own) == 20
        assert sample.pi[own] == pytest.approx(e[rows_of(POOL, sample)[own]])
    drawn_by = joint_probabilities(HARD, rate=0.3, pilot=0.1)
    later = sample.stages.stage == 1
    assert sample.pi[later] == pytest.approx(drawn_by[rows_of(POOL, sample)[later]])


def test_the_budget_is_met_on_average_and_each_item_by_its_chance():
    drawn = np.zeros(N)
    trials = 400
    for t in range(trials):
        sample = DESIGN.extend(DESIGN.draw(POOL, seed=t), HARD, pool=POOL, seed=1_000 + t)
        drawn[rows_of(POOL, sample)] += 1.0
    e = joint_probabilities(HARD, rate=0.3, pilot=0.1)
    assert drawn.sum() / (trials * N) == pytest.approx(0.3, abs=0.004)
    free = e < 1.0 - 1e-9
    assert np.all(drawn[~free] == trials)
    z = (drawn / trials - e)[free] / np.sqrt((e * (1.0 - e))[free] / trials)
    assert np.abs(z).max() < 4.5
    assert float(np.mean(z**2)) == pytest.approx(1.0, abs=0.3)


def test_a_systematic_stage_has_a_fixed_size():
    design = TwoStageDesign(rate=0.3, pilot=0.1, method="systematic")
    sizes = {design.extend(PILOT, HARD, pool=POOL, seed=t).n_drawn for t in range(30)}
    assert len(sizes) <= 2
    assert max(sizes) - min(sizes) <= 1


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(5).permutation(N)
    other = make_pool(N, ids=(order + 1).tolist())
    same = DESIGN.extend(DESIGN.draw(other, seed=1), HARD[order], pool=other, seed=2)
    sample = DESIGN.extend(PILOT, HARD, pool=POOL, seed=2)
    assert same.ids.tolist() == sample.ids.tolist()
    assert same.pi == pytest.approx(sample.pi, rel=1e-12)


def test_a_third_stage_goes_on_from_two():
    two = DESIGN.extend(PILOT, HARD, pool=POOL, seed=2)
    three = TwoStageDesign.of(two, rate=0.4).extend(two, 1.0 / HARD, pool=POOL, seed=3)
    four = TwoStageDesign.of(three, rate=0.5).extend(three, HARD, pool=POOL, seed=4)
    for before, after in ((two, three), (three, four)):
        assert after.kind == "batches"
        assert after.ids[: before.n_drawn].tolist() == before.ids.tolist()
        assert len(set(after.ids.tolist())) == after.n_drawn
    assert four.stages.n_stages == 4
    assert sum(four.stages.shares) == pytest.approx(1.0)


def test_no_group_starves():
    hard = np.where(POOL.group.codes == 0, 1.0, 50.0)
    design = TwoStageDesign(rate=0.3, pilot=0.1, groups="system", least=0.8)
    shares = [
        np.mean(POOL.group.codes[rows_of(POOL, design.extend(PILOT, hard, pool=POOL, seed=t))] == 0)
        for t in range(40)
    ]
    # A third of the pool at 0.8 of the average chance.
    assert np.mean(shares) == pytest.approx(0.8 / 3, abs=0.02)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"pilot": 0.3}, "pilot must lie above 0 and below rate = 0.3"),
        ({"pilot": 0.0}, "pilot must lie above 0"),
        ({"rate": 1.0}, "rate must lie below 1"),
        ({"rate": 1.5}, "rate must lie above 0"),
        ({"floor": -0.1}, "floor must lie between 0 and 1"),
        ({"floor": float("nan")}, "floor must lie between 0 and 1"),
        ({"cap": 0.1}, "cap = 0.1 is below"),
        ({"method": "exact"}, "method must be"),
        ({"least": 2.0}, "least must lie between"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes, what):
    with pytest.raises(InputError, match=what):
        TwoStageDesign(**{"rate": 0.3, "pilot": 0.1, **changes})


@pytest.mark.parametrize(
    ("hard", "what"),
    [
        (HARD[:-1], "must have 400 values, one an item; got 399"),
        (np.where(np.arange(N) == 6, np.nan, HARD), "hardness of row 7 is nan"),
        (np.where(np.arange(N) == 6, 0.0, HARD), "hardness of row 7 is 0, but it has to be"),
        (np.where(np.arange(N) == 6, -1.0, HARD), "hardness of row 7 is -1"),
        (Hardness(HARD, HARD[None, :5], np.zeros(N, dtype=np.int64)), "5 values for a pool of 400"),
    ],
)
def test_hardness_that_cannot_be_drawn_by_is_refused(hard, what):
    with pytest.raises(InputError, match=what):
        DESIGN.extend(PILOT, hard, pool=POOL, seed=2)


def test_a_pilot_of_another_pool_or_another_kind_is_refused():
    other = make_pool(N + 1)
    with pytest.raises(DesignError, match="drawn from another pool"):
        DESIGN.extend(PILOT, np.ones(N + 1), pool=other, seed=2)
    stratified = StratifiedDesign(n=40, strata="system").draw(POOL, seed=1)
    with pytest.raises(DesignError, match="a stratified draw cannot be extended"):
        DESIGN.extend(stratified, HARD, pool=POOL, seed=2)


def test_a_spent_budget_and_a_missing_rate_are_refused():
    large = UniformDesign(n=200).draw(POOL, seed=1)
    with pytest.raises(InputError, match="200 of 400 items are drawn already"):
        DESIGN.extend(large, HARD, pool=POOL, seed=2)
    with pytest.raises(InputError, match=r"whole budget of rate = 0\.4"):
        TwoStageDesign.of(large, rate=0.4)
    with pytest.raises(InputError, match="give the rate of all stages"):
        TwoStageDesign.of(large)
    assert TwoStageDesign.of(large, rate=0.6).pilot == 0.5


def test_a_stage_that_draws_nothing_is_refused():
    pool = make_pool(10)
    design = TwoStageDesign(rate=0.11, pilot=0.1)
    pilot = design.draw(pool, seed=1)
    with pytest.raises(InputError, match="draws no further item"):
        design.extend(pilot, np.ones(10), pool=pool, seed=0)


def test_equal_weights_are_not_called_unequal():
    pool = bacon.read_pool({"item_id": list(range(100))}, judges=())
    design = TwoStageDesign(rate=0.4, pilot=0.2)
    pilot = design.draw(pool, seed=1)
    even = design.extend(pilot, np.ones(100), pool=pool, seed=2)
    assert "unequal_weights" not in [notice.code for notice in even.notices]
    hard = design.extend(pilot, np.arange(1.0, 101.0), pool=pool, seed=2)
    assert "unequal_weights" in [notice.code for notice in hard.notices]


def test_settings_of_numpy_are_written_as_numbers(tmp_path):
    pool = bacon.read_pool({"item_id": list(range(100))}, judges=())
    pilot = TwoStageDesign(rate=np.float32(0.5), pilot=np.float32(0.25)).draw(pool, seed=1)
    pilot.write(tmp_path / "pilot.csv")
    back = bacon.read_sample(tmp_path / "pilot.csv")
    assert (back.parameters["rate"], back.parameters["pilot"]) == (0.5, 0.25)
