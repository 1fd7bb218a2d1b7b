"""A default calibration takes the CPU time and memory it may: best of a few runs."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import bacon
from bacon.calibration import model_choice


def ready(n_items, n_labels, n_judges, n_components):
    """Return a calibration with its mean and interval, ready to run."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=n_items)
    people = np.clip(np.round(3.5 + quality + 0.6 * rng.normal(size=n_items)), 1, 6)
    table = {"item_id": np.arange(n_items)}
    for m in range(n_judges):
        table[f"judge_{m}"] = 3.8 + quality + rng.normal(size=n_items)
    pool = bacon.read_pool(table, judges="judge_*")
    if n_components:
        noise = rng.normal(size=(n_items, n_components))
        pool = replace(pool, embeddings=noise + 0.3 * quality[:, None])
    rows = rng.choice(n_items, n_labels, replace=False)
    labels = bacon.read_labels({"item_id": rows, "human": people[rows]}, value="human")
    return lambda: bacon.calibrate(pool, labels).mean().interval()


def least_seconds(work, runs):
    found = []
    for _ in range(runs):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def test_a_small_calibration_is_quick(monkeypatch):
    work = ready(5_000, 200, 20, 0)
    work()
    # On a quiet machine 0.08 and 0.35 seconds.
    assert least_seconds(work, 3) < 1.0
    monkeypatch.setattr(model_choice, "MOST_FOREST_ITEMS", 0)
    assert least_seconds(work, 3) < 0.3


@pytest.mark.slow
def test_a_large_calibration_is_quick_and_small(monkeypatch):
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
