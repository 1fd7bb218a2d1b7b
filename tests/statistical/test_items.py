"""Items of pools with every label known: intervals hold as often as they say, flags are right."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import bacon
from bacon.arrays import read_only
from bacon.experiments.simulators import simulated_pool
from bacon.judge_scores import judge_mean
from bacon.sampling.probability import scale_to_size

DRAWS = 120
N_LABELS = 100
KINDS = {"uniform": 0.0, "poisson": 0.8}
"""Chances in proportion to exp(k z), z the judges' average: labelled items are no picture."""


def measured(simulator: str, kind: str, method: str) -> np.ndarray:
    """Coverage of 90 % intervals and share of false flags in every draw, (draws, 2)."""
    full = simulated_pool(simulator)
    pool, y = full.pool, full.y
    z = judge_mean(pool)
    size = np.exp(KINDS[kind] * np.clip((z - z.mean()) / z.std(), -2.0, 2.0))
    pi = read_only(scale_to_size(size, N_LABELS)[0])
    pool = replace(pool, table=pool.table.with_columns(chance=pi))
    design = bacon.UniformDesign(n=N_LABELS)
    if kind == "poisson":
        design = bacon.ProbabilityDesign("chance", method="poisson")
    cut = float(np.quantile(y, 0.6))
    found = np.empty((DRAWS, 2))
    for seed in range(DRAWS):
        sample = design.draw(pool, seed=seed)
        rows = full.rows_of(sample)
        cal = bacon.calibrate(pool, full.labels(rows), sample=sample, model="ridge", seed=seed)
        frame = cal.items(method=method, flag_above=cut, fdr=0.2)
        free = ~frame["labelled"].to_numpy()
        lower, upper = (frame[name].to_numpy()[free] for name in ("lower", "upper"))
        flagged = frame.filter(~pl.col("labelled"))["flagged"].to_numpy()
        false = float(np.mean(y[free][flagged] <= cut)) if flagged.any() else 0.0
        found[seed] = np.mean((lower <= y[free]) & (y[free] <= upper)), false
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", ["out-of-fold", "split"])
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("simulator", ["lognormal", "mqm"])
def test_intervals_hold_and_flags_keep_their_rate(simulator: str, kind: str, method: str) -> None:
    found = measured(simulator, kind, method)
    error = 3.0 * found.std(axis=0, ddof=1) / math.sqrt(DRAWS)
    coverage, false = found.mean(axis=0)
    assert coverage + error[0] >= 0.9
    # The item's own weight counts as an error of any size: up to 1 in 51 calibrating labels.
    assert coverage - error[0] <= (0.93 if method == "split" else 0.92)
    assert false - error[1] <= 0.2
    assert false > 0.0
