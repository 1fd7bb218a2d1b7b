"""Stages in the design file: there and back, and changed by hand."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from tests.factories import make_pool

from bacon.data.design_file import design_record, sample_from_record
from bacon.errors import DesignError
from bacon.sampling.two_stage import TwoStageDesign

POOL = make_pool(60)
HARD = np.exp(np.random.default_rng(0).normal(size=60))
DESIGN = TwoStageDesign(rate=0.4, pilot=0.2)
TWO = DESIGN.extend(DESIGN.draw(POOL, seed=1), HARD, pool=POOL, seed=2)
THREE = TwoStageDesign.of(TWO, rate=0.6).extend(TWO, HARD, pool=POOL, seed=3)


@pytest.mark.parametrize("sample", [TWO, THREE], ids=["two", "three"])
def test_stages_come_back(sample):
    again = sample_from_record(design_record(sample), "s")
    assert again.same_as(sample)
    assert design_record(again) == design_record(sample)
    assert again.n_to_label == sample.n_to_label
    assert again.stages.shares == sample.stages.shares


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda r: r["stages"].update(everyone=[0.5]), "stages.everyone"),
        (lambda r: r["stages"].update(everyone=None), "stages.everyone"),
        (lambda r: r["stages"]["everyone"].__setitem__(0, 1.5), "stages.everyone"),
        (lambda r: r["stages"].update(shares=[0.5, 0.5]), "stages.shares"),
        (lambda r: r["stages"].update(shares="all"), "stages.shares"),
        (lambda r: r.pop("stages"), "the design"),
        (lambda r: r["items"][0].update(stage=5), "stage of item 1"),
        (lambda r: r["items"][-1].update(chance=0.0), "chance of item"),
        (lambda r: r["items"][-1].update(pi=0.9999), "pi of item"),
        (lambda r: r["items"][0].update(pi=0.01), "pi of item 1"),
        (lambda r: r["items"][0].update(fold=-7), "fold of item 1"),
        (lambda r: r["items"][0].pop("fold"), "item 1"),
        (lambda r: r.update(kind="uniform"), "the design"),
    ],
)
def test_what_was_changed_is_refused(change, field):
    record = copy.deepcopy(design_record(TWO))
    change(record)
    with pytest.raises(DesignError, match=field):
        sample_from_record(record, "s")


def test_batches_have_no_chances_of_all():
    record = copy.deepcopy(design_record(THREE))
    record["stages"]["everyone"] = [0.5] * 60
    with pytest.raises(DesignError, match="there for two stages alone"):
        sample_from_record(record, "s")
