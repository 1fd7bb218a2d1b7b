"""Shares of classes over a real pool with every label known: coverage, bias, and gain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import bacon
from bacon.experiments.montecarlo import wilson

if TYPE_CHECKING:
    from pathlib import Path

DRAWS = 600
N_LABELS = 50


@pytest.mark.slow
@pytest.mark.parametrize(("name", "levels"), [("css_stance", None), ("pandalm_testset", "1,2,tie")])
def test_shares_are_covered_unbiased_and_sharper(
    shared_data: Path, name: str, levels: str | None
) -> None:
    path = shared_data / f"{name}.parquet"
    full = pl.read_parquet(path)
    pool = bacon.read_pool(path, judges="judge_*", levels=levels)
    classes = sorted(full["human"].unique().to_list())
    truth = np.array([(full["human"] == one).mean() for one in classes])
    table = np.empty((DRAWS, len(classes), 4))
    together = 0
    for k in range(DRAWS):
        sample = bacon.UniformDesign(n=N_LABELS).draw(pool, seed=k)
        drawn = full.filter(pl.col("item_id").is_in(sample.ids.tolist()))
        labels = bacon.read_labels(drawn, id="item_id", value="human", levels=levels)
        cal = bacon.calibrate(pool, labels, sample=sample)
        found, alone = cal.shares(), cal.shares(labels_alone=True)
        table[k] = [(found[c].value, *found[c].interval(), alone[c].value) for c in classes]
        joint = np.array([tuple(found.simultaneous()[c]) for c in classes])
        together += bool(np.all((joint[:, 0] <= truth) & (truth <= joint[:, 1])))
    covered = (table[:, :, 1] <= truth) & (truth <= table[:, :, 2])
    for c in range(len(classes)):
        # Korn-Graubard keeps a little more than it promises.
        ends = wilson(int(covered[:, c].sum()), DRAWS)
        assert ends.high >= 0.94
        assert ends.low <= 0.985
        values = table[:, c, 0]
        assert abs(values.mean() - truth[c]) <= 3.5 * values.std(ddof=1) / math.sqrt(DRAWS)
    assert wilson(together, DRAWS).high >= 0.94
    errors = ((table[:, :, [0, 3]] - truth[None, :, None]) ** 2).mean(axis=(0, 1))
    assert math.sqrt(errors[0] / errors[1]) < 0.95
