"""Coverage and bias of the default calibration over real pools with every label known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import bacon
from bacon.experiments.full_pool import full_pool
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate

if TYPE_CHECKING:
    from pathlib import Path

DRAWS = 2000
N_LABELS = 200


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llmjudge_trecdl23", "hanna"])
def test_pool_mean_is_covered_and_unbiased(shared_data: Path, name: str) -> None:
    table = pl.read_parquet(shared_data / f"{name}.parquet")
    table = table.select("item_id", "human", pl.col("^judge_.*$"))
    full = full_pool(bacon.read_pool(table, label="human"), table, label="human", name=name)
    plan = Plan(full, [bacon.UniformDesign(n=N_LABELS)], ["human-only", "bacon"])
    found = simulate(plan, trials=DRAWS).summary.filter(configuration="bacon").row(0, named=True)
    # The band fails only where the 99 % Monte Carlo interval of the coverage leaves it.
    assert found["coverage_pool_high"] >= 0.93
    assert found["coverage_pool_low"] <= 0.97
    # 3.5 standard errors, of which the 99 % interval has 2.576.
    assert abs(found["bias"]) <= 3.5 / 2.576 * (found["bias_high"] - found["bias"])
