"""Labels of a draw in stages: their weights, also where some are not answered yet."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.cases import SCALE, essays, labels_of, people

import bacon
from bacon.calibration.alignment import align
from bacon.data.hardness import Hardness
from bacon.errors import DesignError
from bacon.sampling.batches import batch_weights

N = 600
POOL = essays(N)
HARD = np.exp(np.random.default_rng(0).normal(size=N))
DESIGN = bacon.TwoStageDesign(rate=0.3, pilot=0.1)
PILOT = DESIGN.draw(POOL, seed=1)


def rows_of(sample):
    return np.searchsorted(POOL.ids, sample.ids)


def two_stages(**settings):
    fold = np.full(N, -1)
    fold[rows_of(PILOT)] = np.arange(PILOT.n_drawn) % 2
    hard = Hardness(HARD, np.stack([HARD**0.5, HARD**0.8]), fold)
    design = bacon.TwoStageDesign(rate=0.3, pilot=0.1, **settings)
    return design.extend(PILOT, hard, pool=POOL, seed=2)


def aligned(sample, rows):
    return align(POOL, labels_of(POOL, rows), "human", sample=sample)


@pytest.mark.parametrize(("method", "kind"), [("poisson", "poisson"), ("systematic", "fixed")])
def test_answered_in_full_the_chances_are_the_weights(method, kind):
    sample = two_stages(method=method)
    found = aligned(sample, rows_of(sample))
    order = np.argsort(rows_of(sample))
    assert found.design.kind == kind
    assert found.kind == "two-stage"
    assert found.design.pi == pytest.approx(sample.pi[order])
    assert found.drawn is None
    assert found.pi[POOL.order] == pytest.approx(sample.stages.everyone)


def test_a_stage_answered_in_part_counts_less():
    sample = two_stages()
    rows = rows_of(sample)
    stage = sample.stages.stage
    later = np.flatnonzero(stage == 1)
    answered = np.concatenate([np.flatnonzero(stage == 0), later[: len(later) // 2]])
    found = aligned(sample, rows[answered])
    order = answered[np.argsort(rows[answered])]
    rate = (len(later) // 2) / len(later)
    # Drawn in the pilot, or drawn later and answered.
    by_hand = 0.1 + (sample.pi[order] - 0.1) * rate
    assert found.design.pi == pytest.approx(by_hand)
    assert found.drawn is not None
    assert set(found.drawn.cell.tolist()) == {0, 1}


def test_without_an_answer_in_the_second_stage_the_pilot_stands_alone():
    sample = two_stages()
    pilot = rows_of(PILOT)
    found = aligned(sample, pilot)
    alone = aligned(PILOT, pilot)
    assert found.design.kind == "simple"
    assert found.design.pi == pytest.approx(alone.design.pi)
    assert found.drawn is None
    assert [notice.code for notice in found.notices] == ["unequal_weights", "stage_unanswered"]


def test_without_an_answer_in_the_pilot_labels_are_refused():
    sample = two_stages()
    later = rows_of(sample)[sample.stages.stage == 1]
    with pytest.raises(DesignError, match="no item of the pilot has a label"):
        aligned(sample, later)


def test_labels_of_batches_are_weighted_by_the_sum_of_batches():
    two = two_stages()
    three = bacon.TwoStageDesign.of(two, rate=0.4).extend(two, HARD, pool=POOL, seed=3)
    rows = rows_of(three)
    order = np.argsort(rows)
    found = aligned(three, rows)
    weight, unseen = batch_weights(
        three.stages.batch, three.stages.chance, np.array(three.stages.shares)
    )
    assert 1.0 / found.design.pi == pytest.approx(weight[order])
    assert found.design.unseen == pytest.approx(unseen[order])
    assert found.pi is None
    # In half of the last stage's labels, each counts twice.
    last = np.flatnonzero(three.stages.stage == 2)
    kept = np.setdiff1d(np.arange(three.n_drawn), last[::2])
    part = aligned(three, rows[kept])
    ratio = part.design.pi * weight[kept[np.argsort(rows[kept])]]
    share = 1.0 - len(last[::2]) / len(last)
    in_last = three.stages.stage[kept[np.argsort(rows[kept])]] == 2
    assert ratio[in_last] == pytest.approx(share)
    assert ratio[~in_last] == pytest.approx(1.0)


def test_everything_labelled_is_a_census():
    sample = bacon.TwoStageDesign(rate=0.95, pilot=0.9).draw(POOL, seed=1)
    everyone = np.arange(N)
    y = people(POOL)
    found = bacon.calibrate(POOL, labels_of(POOL, everyone), scale=SCALE)
    assert found.mean().value == pytest.approx(y.mean())
    assert sample.n_drawn == 540


def test_estimates_groups_and_items_come_from_stages():
    sample = two_stages()
    cal = bacon.calibrate(POOL, labels_of(POOL, rows_of(sample)), sample=sample, model="ridge")
    truth = people(POOL).mean()
    estimate = cal.mean()
    assert abs(estimate.value - truth) < 4.0 * estimate.se()
    assert set(cal.mean(by="system")) == {"atlas", "borealis", "cygnus"}
    items = cal.items()
    assert len(items) == N
    assert "items_chances_unknown" not in {notice.code for notice in cal.item_scores().notices}
    record = cal.to_dict()
    assert record["design"]["kind"] == "two-stage"
    assert record["design"]["ess"] < cal.n_labels


def test_chances_of_all_that_do_not_fit_the_drawn_are_refused():
    from dataclasses import replace

    sample = two_stages()
    everyone = sample.stages.everyone.copy()[::-1]
    other = replace(sample, stages=replace(sample.stages, everyone=everyone))
    with pytest.raises(DesignError, match="do not fit those of the drawn ones"):
        aligned(other, rows_of(other))
