"""Planned against achieved widths, chances of finding a difference, and how far plans are off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy import stats

import bacon
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.planning.spread import Spread, fewest
from bacon.planning.widths import likely_factors

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def calibrated(full: FullPool, n: int, seed: int) -> bacon.Calibration:
    sample = bacon.UniformDesign(n=n).draw(full.pool, seed=seed)
    return bacon.calibrate(
        full.pool, full.labels(full.rows_of(sample)), sample=sample, model="ridge", seed=seed
    )


def width(full: FullPool, n: int, seed: int) -> float:
    low, high = calibrated(full, n, seed).mean().interval()
    return high - low


def median_interval(values: np.ndarray) -> tuple[float, float]:
    """99 % interval of a median, by order statistics."""
    k = int(stats.binom.ppf(0.005, len(values), 0.5))
    ordered = np.sort(values)
    return float(ordered[k - 1]), float(ordered[len(values) - k])


@pytest.mark.parametrize("name", ["hanna", "llmjudge_trecdl23", "wmt23_ende_mqm"])
def test_a_planned_width_is_achieved(shared_data: Path, name: str) -> None:
    pilots, n_pilot = 60, 80
    table = pl.read_parquet(shared_data / f"{name}.parquet")
    table = table.select("item_id", "human", pl.col("^judge_.*$"))
    full = full_pool(bacon.read_pool(table, label="human"), table, label="human", name=name)
    wanted = float(np.mean([width(full, 3 * n_pilot, 70_000 + k) for k in range(20)]))
    ratio = []
    for trial in range(pilots):
        n = bacon.plan(calibrated(full, n_pilot, trial)).for_width(wanted).n_labels
        achieved = [width(full, n, 80_000 + 2 * trial + k) for k in range(2)]
        ratio.append(wanted / float(np.mean(achieved)))
    low, high = median_interval(np.array(ratio))
    assert low <= 1.1
    assert high >= 0.9
    assert 0.88 <= np.median(ratio) <= 1.12


@pytest.mark.parametrize(("sample", "least"), [("normal", 0.93), ("lognormal", 0.8)])
def test_the_range_of_a_plan_holds_the_true_number(sample: str, least: float) -> None:
    # Labels alone of a large pool, so that the true number is the textbook one.
    n_pilot, n_items, draws = 80, 100_000, 400
    rng = np.random.default_rng(5)
    variance = 1.0 if sample == "normal" else math.expm1(0.64) * math.exp(0.64)
    true = fewest(Spread(n_items, variance, 0.0), 0.25 * math.sqrt(variance), 0.95, "pool")
    table = {"item_id": np.arange(n_items)}
    items = bacon.read_pool(table, judges=())
    held = 0
    for _ in range(draws):
        z = rng.normal(size=n_pilot)
        y = z if sample == "normal" else np.exp(0.8 * z)
        ids = rng.choice(n_items, n_pilot, replace=False)
        labels = bacon.read_labels({"item_id": ids, "human": y}, value="human")
        plan = bacon.plan(bacon.calibrate(items, labels, model="human-only"))
        found = plan.for_width(0.25 * math.sqrt(variance)).alone
        held += found.low <= true <= found.high
        assert likely_factors(plan.alone, true, 0.95)[0] < 1.0
    assert stats.binomtest(held, draws).proportion_ci(0.99).high >= least
    assert stats.binomtest(held, draws).proportion_ci(0.99).low <= 0.99


def test_the_planned_labels_find_the_difference_as_often_as_planned() -> None:
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=2_000_000)
    m = plan.for_difference(0.5, systems=2).per_system
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(20_000, m)), rng.normal(0.5, 1.0, size=(20_000, m))
    found = int((stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue < 0.05).sum())
    low, high = stats.binomtest(found, 20_000).proportion_ci(0.99)
    assert low <= 0.82
    assert high >= 0.8
