"""Full trajectories of labels: how often the truth leaves intervals that are looked at every label.

Simulated pools of 400 (ordinal, by betting) and 1,000 items (mqm and lognormal, asymptotic) are put
in random order 2,000 times and labelled to a census. Predictions are a least-squares fit on the
judge average, made from earlier labels only. A share fails where its 99 % interval lies above what
is claimed, or so far below it that the intervals would be much too wide.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from bacon.estimation.pool_stream import PoolStream, pool_sequence, pool_stream
from bacon.experiments.montecarlo import wilson
from bacon.experiments.simulators import simulated_pool
from bacon.judge_scores import judge_mean

pytestmark = pytest.mark.slow

Array = npt.NDArray[np.float64]

DRAWS = 2_000
SCALES = {"ordinal": (1.0, 6.0), "mqm": None, "lognormal": None}
SIZES = {"ordinal": 400, "mqm": 1_000, "lognormal": 1_000}


def t_intervals(seen: PoolStream) -> tuple[Array, Array]:
    """Return Student's interval of the estimate at each label, as if that number were planned."""
    z, w = seen.increments(), seen.weights()
    middle = seen.estimates()
    half = np.full(len(z), np.inf)
    for t in range(30, len(z)):
        spread = np.sum((w[:t] * (z[:t] - middle[t - 1])) ** 2) * t / (t - 1)
        half[t - 1] = stats.t.ppf(0.975, t - 1) * np.sqrt(spread) / np.sum(w[:t])
    return middle - half, middle + half


def away(low: Array, high: Array, truth: float) -> bool:
    """Whether the truth is outside at any label; NaN after the first interval counts."""
    gone = np.isnan(low) & np.maximum.accumulate(~np.isnan(low))
    return bool((low > truth + 1e-9).any() or (high < truth - 1e-9).any() or gone.any())


def trajectories(name: str, draws: int, *, peek: bool) -> npt.NDArray[np.bool_]:
    """Return whether the truth leaves in each of `draws` orders of a pool."""
    full = simulated_pool(name, n_items=SIZES[name])
    average, y_all = judge_mean(full.pool), full.y
    left = []
    for trial in range(draws):
        rows = np.random.default_rng([trial, 17]).permutation(len(y_all))
        y = y_all[rows]

        def predict(k: int, y: Any = y, rows: Any = rows) -> Array:
            slope, intercept = np.polyfit(average[rows[:k]], y[:k], 1)
            return np.asarray(intercept + slope * average)

        seen = pool_stream(y, rows, len(y), predict)
        if peek:
            ends = t_intervals(seen)
        else:
            ends = pool_sequence(seen, SCALES[name], level=0.95, best_at=100.0)[:2]
        left.append(away(*ends, float(y_all.mean())))
    return np.array(left)


@pytest.mark.parametrize("name", list(SCALES))
def test_the_truth_leaves_in_at_most_five_per_cent_of_trajectories(name: str) -> None:
    share = wilson(int(trajectories(name, DRAWS, peek=False).sum()), DRAWS)
    assert share.high - share.low < 0.03
    assert share.low <= 0.05, share
    assert share.high > 0.005, share


def test_looking_at_intervals_for_a_fixed_number_breaks_their_coverage() -> None:
    share = wilson(int(trajectories("ordinal", 300, peek=True).sum()), 300)
    assert share.low > 0.15, share
