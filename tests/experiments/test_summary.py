"""Figures from draws, by hand, and when they are precise enough."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from bacon.experiments.montecarlo import Z99
from bacon.experiments.schema import results_schema
from bacon.experiments.summary import summarise, trials_wanted


def draws(configuration: str, errors: list[float], **columns: list[Any]) -> pl.DataFrame:
    """Draws with these errors, the rest as given."""
    shown = {"design": "uniform n=9", "pool": "p", "estimand": "mean"}
    table = pl.DataFrame(
        {"configuration": configuration, "trial": range(len(errors)), "error": errors} | columns,
    ).with_columns(**{name: pl.lit(value) for name, value in shown.items()})
    empty = pl.DataFrame(schema=results_schema())
    return pl.concat([empty, table], how="diagonal_relaxed")


def test_by_hand() -> None:
    base = draws(
        "human-only",
        [1.0, -1.0, 2.0],
        covered_pool=[True, True, False],
        width_pool=[2.0, 2.0, 2.0],
        design_variance=[4.0, 4.0, 4.0],
    )
    ours = draws(
        "ours",
        [0.5, -0.5, 1.0],
        covered_pool=[True, None, True],
        width_pool=[1.0, None, 2.0],
        design_variance=[1.0, 1.0, 1.0],
        problem=[None, "it failed.", None],
        r2=[0.5, None, 0.7],
    )
    table = summarise(pl.concat([base, ours]))
    first, second = table.iter_rows(named=True)
    assert (first["trials"], first["failed"], first["without_interval"]) == (3, 0, 0)
    assert first["bias"] == pytest.approx(2 / 3)
    assert first["rmse"] == pytest.approx(math.sqrt(2.0))
    assert first["sd"] == pytest.approx(math.sqrt(7 / 3))
    assert first["coverage_pool"] == pytest.approx(2 / 3)
    assert first["rmse_ratio"] == first["rmse_ratio_low"] == 1.0
    assert (second["trials"], second["failed"], second["without_interval"]) == (3, 1, 1)
    assert second["rmse_ratio"] == pytest.approx(0.5)
    assert second["rmse_ratio_low"] == pytest.approx(0.5)  # the errors are all halved
    assert second["design_ratio"] == pytest.approx(0.5)
    assert second["coverage_pool"] == 1.0  # of the two draws with an interval
    assert second["width_ratio_pool"] == pytest.approx(0.75)
    assert second["model_r2"] == pytest.approx(0.6)
    assert second["coverage_population"] is None


def test_order_of_the_draws_does_not_matter() -> None:
    base = draws("human-only", [1.0, -1.0, 2.0, 0.5])
    ours = draws("ours", [0.9, -0.8, 1.5, 0.1])
    straight = summarise(pl.concat([base, ours]))
    assert straight.equals(summarise(pl.concat([base, ours[[2, 0, 3, 1]]])))


def test_infinite_widths_are_counted_and_left_out() -> None:
    table = summarise(
        draws("human-only", [1.0, 1.0, 2.0], width_pool=[2.0, math.inf, 4.0]),
    ).row(0, named=True)
    assert table["width_pool"] == 3.0
    assert table["without_interval"] == 1


def test_trials_wanted() -> None:
    errors = [1.0, -1.0] * 50
    covered = [True] * 90 + [False] * 10
    summary = summarise(draws("human-only", errors, covered_pool=covered))
    row = summary.row(0, named=True)
    half = (row["coverage_pool_high"] - row["coverage_pool_low"]) / 2
    assert half == pytest.approx(Z99 * math.sqrt(0.9 * 0.1 / 100), rel=0.05)

    def wanted(coverage: float, ratio: float = 1.0) -> int:
        return trials_wanted(summary, 100, coverage=coverage, ratio=ratio, chunk=25)

    assert wanted(half) == 100
    assert wanted(half / 1.2) == 150  # 1.02 * 1.44 * 100, in whole parts
    assert wanted(half / 10) == 200  # never more than twice as many


def test_raw_judges_and_groups_are_not_waited_for() -> None:
    raw = draws("raw-judges", [5.0, -5.0, 6.0, 0.1] * 25)
    group = draws("human-only", [1.0, -1.0] * 50, covered_pool=[True, False] * 50)
    group = group.with_columns(group=pl.lit("atlas"))
    base = draws("human-only", [1.0, -1.0] * 50)
    summary = summarise(pl.concat([base, raw, group]))
    assert trials_wanted(summary, 100, coverage=1e-6, ratio=1e-6, chunk=25) == 100
