"""What is said of all groups together, by hand and against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bacon.experiments.ranking import kendall, rank_rows, spearman_rows, summarise_groups

VALUES = arrays(np.float64, (3, 6), elements=st.integers(-3, 3).map(float))


@given(VALUES, VALUES)
def test_correlations_are_scipys(a: np.ndarray, b: np.ndarray) -> None:
    spearman, tau = spearman_rows(a, b), kendall(a, b)
    for k in range(len(a)):
        assert rank_rows(a)[k].tolist() == stats.rankdata(a[k]).tolist()
        if np.ptp(a[k]) == 0.0 or np.ptp(b[k]) == 0.0:
            assert np.isnan(spearman[k])
            assert np.isnan(tau[k])
        else:
            assert spearman[k] == pytest.approx(stats.spearmanr(a[k], b[k])[0], abs=1e-12)
            assert tau[k] == pytest.approx(stats.kendalltau(a[k], b[k])[0], abs=1e-12)


def rows(configuration: str, trial: int, estimates: list[float | None]) -> list[dict[str, Any]]:
    """Three groups with the true values 1, 2, 3 and joint intervals of half-width 1/2."""
    return [
        {
            "pool": "p",
            "design": "uniform n=9",
            "estimand": "mean",
            "configuration": configuration,
            "trial": trial,
            "group": group,
            "estimate": value,
            "truth_pool": truth,
            "error": None if value is None else value - truth,
            "low_joint": None if value is None else value - 0.5,
            "high_joint": None if value is None else value + 0.5,
            "covered_joint": None if value is None else abs(value - truth) <= 0.5,
            "rank_low": None if value is None else 1,
            "rank_high": None if value is None else 2,
            "covered_rank": None if value is None else trial == 0,
        }
        for group, value, truth in zip("abc", estimates, (1.0, 2.0, 3.0), strict=True)
    ]


def test_by_hand() -> None:
    table = pl.DataFrame(
        [
            *rows("human-only", 0, [1.0, 2.5, 3.5]),  # all hold, order right
            *rows("human-only", 1, [2.0, 1.5, 3.0]),  # a is missed, a and b change places
            *rows("human-only", 2, [None, 1.5, 3.0]),  # a has no estimate
        ]
    )
    found = summarise_groups(table).row(0, named=True)
    assert (found["groups"], found["trials"], found["incomplete"]) == (3, 3, 1)
    assert found["coverage_joint"] == 0.5
    assert found["width_joint"] == 1.0
    assert found["spearman"] == pytest.approx((1.0 + 0.5) / 2)
    assert found["kendall"] == pytest.approx((1.0 + 1 / 3) / 2)
    assert found["rank_error"] == pytest.approx((0.0 + 2 / 3) / 2)
    assert found["coverage_ranks"] == 0.5
    assert found["rank_set"] == 2.0
    assert found["lowest_found"] == 0.5
    assert found["highest_found"] == 1.0


def test_ratios_are_to_the_labels_alone() -> None:
    table = pl.DataFrame(
        [
            row
            for trial in (0, 1)
            for row in (
                *rows("human-only", trial, [1.2, 2.2, 3.2]),
                *rows("ours", trial, [1.1, 1.9, 3.1]),
            )
        ]
    )
    ours = summarise_groups(table).row(1, named=True)
    assert ours["configuration"] == "ours"
    assert ours["rmse_ratio"] == pytest.approx(0.5)
    assert ours["width_ratio_joint"] == pytest.approx(1.0)


def test_without_groups_there_is_nothing() -> None:
    table = pl.DataFrame(rows("human-only", 0, [1.0, 2.0, 3.0])).with_columns(
        group=pl.lit(None, pl.String)
    )
    assert summarise_groups(table).height == 0
