"""Bias of a draw in two stages with hardness that has, or has not, seen the labels it weighs.

A lognormal pool, N = 2,000, q, e, a, b standard normal: y = exp(0.6 q + 0.8 e), judges q + a / 2
and q + b / 2. Fifty pilot labels and 200 in all, ridge. Both estimates rest on the same draws and
the same predictions; only the weights of the pilot items differ.
"""

from __future__ import annotations

import numpy as np
import pytest

import bacon
from bacon.data.hardness import Hardness
from bacon.random import stream

pytestmark = pytest.mark.slow

N_ITEMS, PILOT, LABELS, DRAWS = 2_000, 50, 200, 3_000
Z99 = 2.576


def test_weights_that_have_not_seen_their_label_leave_no_bias():
    rng = stream(0, "lognormal pool")
    q = rng.normal(size=N_ITEMS)
    y = np.exp(0.6 * q + 0.8 * rng.normal(size=N_ITEMS))
    judges = {f"judge_{name}": q + 0.5 * rng.normal(size=N_ITEMS) for name in "ab"}
    pool = bacon.read_pool({"item_id": np.arange(N_ITEMS), **judges})
    design = bacon.TwoStageDesign(rate=LABELS / N_ITEMS, pilot=PILOT / N_ITEMS)

    def calibrated(sample, seed):
        labels = bacon.read_labels({"item_id": sample.ids, "human": y[sample.ids]}, value="human")
        return bacon.calibrate(pool, labels, sample=sample, model="ridge", seed=seed)

    errors = np.empty((DRAWS, 2))
    for seed in range(DRAWS):
        pilot = design.draw(pool, seed=seed)
        hard = calibrated(pilot, seed).hardness(rate=design.rate)
        sample = design.extend(pilot, hard, seed, pool=pool)
        seen = design.extend(pilot, Hardness(hard.drawing), seed, pool=pool)
        assert seen.ids.tolist() == sample.ids.tolist()
        cal = calibrated(sample, seed)
        residual = y[sample.ids] - cal.f[sample.ids]
        errors[seed] = [
            cal.f.mean() + np.average(residual, weights=1.0 / pi) - y.mean()
            for pi in (sample.pi, seen.pi)
        ]
        if seed == 0:
            assert cal.mean().value == pytest.approx(errors[0, 0] + y.mean())
    held_out = float(errors[:, 0].mean() / errors[:, 0].std())
    assert abs(held_out) - Z99 / np.sqrt(DRAWS) <= 0.05
    # Paired, so that this one is sharp: what has seen its label pulls the estimate down.
    gap = (errors[:, 1] - errors[:, 0]) / errors[:, 1].std()
    assert gap.mean() + Z99 * gap.std() / np.sqrt(DRAWS) < -0.05
