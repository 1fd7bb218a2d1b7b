"""A default calibration takes the CPU time and memory it may: best of a few runs."""

from __future__ import annotations

import time
import tracemalloc

import pytest
from tests.factories import bench_script

from bacon.calibration import model_choice


@pytest.fixture(name="ready", scope="module")
def _ready():
    """What bench/speed.py times: a calibration with its mean and interval, ready to run."""
    return bench_script("speed.py").calibration


def least_seconds(work, runs):
    found = []
    for _ in range(runs):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def test_a_small_calibration_is_quick(ready, monkeypatch):
    work = ready(5_000, 200, 20, 0)
    work()
    # On a quiet machine 0.08 and 0.35 seconds.
    assert least_seconds(work, 3) < 1.0
    monkeypatch.setattr(model_choice, "MOST_FOREST_ITEMS", 0)
    assert least_seconds(work, 3) < 0.3


@pytest.mark.slow
def test_a_large_calibration_is_quick_and_small(ready, monkeypatch):
    work = ready(100_000, 1_000, 30, 64)
    # On a quiet machine 1.2 and 4.4 seconds.
    assert least_seconds(work, 2) < 8.0
    monkeypatch.setattr(model_choice, "MOST_FOREST_ITEMS", 0)
    assert least_seconds(work, 2) < 3.0
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.8e9
