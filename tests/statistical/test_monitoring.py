"""Monitoring: false alarms and detection over many calibrations and streams."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import bench_script

from bacon.experiments.montecarlo import mean_figure, wilson

TRIALS = 400


@pytest.fixture(scope="module", name="bench")
def _bench():
    return bench_script("monitoring.py")


def found(trials, key, after=0):
    hits = [[k is not None and k > after for k in one[key]] for one in trials]
    return mean_figure(np.mean(hits, axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sim-ordinal", "sim-mqm", "hanna", "llmjudge_trecdl23"])
def test_false_alarms_are_few_and_shifts_are_found(bench, shared_data, name):
    full = bench.read_full(shared_data, name)
    trials = [bench.one_trial(full, 10_000 + k, "ridge") for k in range(TRIALS)]
    for key in ("quiet", "quiet_strict", "edge"):
        assert wilson(sum(one[key] is not None for one in trials), TRIALS).low <= 0.05, key
    assert wilson(sum(one["quiet_any"] for one in trials), TRIALS).high <= 0.05
    assert wilson(sum(one["quiet_scores"] for one in trials), TRIALS).low <= 0.05
    assert found(trials, "large").high >= 0.9
    assert found(trials, "small").high >= 0.9
    assert found(trials, "late", bench.BEFORE).high >= 0.8
    # A judge that goes wrong is named and no other, and its scores show it.
    assert wilson(sum(one["other_judge"] for one in trials), TRIALS).low <= 0.05
    assert np.mean([one["right_scores"] for one in trials]) >= 0.95


def test_a_few_trials(bench):
    full = bench.read_full(None, "sim-ordinal")
    trials = [bench.one_trial(full, 20_000 + k, "ridge") for k in range(6)]
    assert sum(one["quiet_any"] for one in trials) == 0
    assert not any(one["quiet_scores"] for one in trials)
    assert np.mean([k is not None for one in trials for k in one["large"]]) >= 0.75
    assert all(one["right_scores"] for one in trials)
    # The same trial is the same streams.
    assert bench.one_trial(full, 20_000, "ridge") == trials[0]
