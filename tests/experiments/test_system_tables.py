"""Tables by system: their figures are those of the single draws, their order that of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.experiments.cases import essays

import bacon
from bacon.experiments.plan import Plan
from bacon.experiments.run import Measured, simulate
from bacon.experiments.system_tables import systems_lines, systems_table, write_systems

if TYPE_CHECKING:
    from pathlib import Path


def draw(*, by_group: bool, workers: int = 1) -> Measured:
    """A few draws of two budgets."""
    designs = [bacon.UniformDesign(n=n) for n in (30, 50)]
    names = ["human-only", "ridge", "raw-judges"]
    return simulate(Plan(essays(), designs, names, by_group=by_group), trials=4, workers=workers)


@pytest.fixture(scope="module")
def measured() -> Measured:
    """Draws with systems."""
    return draw(by_group=True)


def test_figures_are_those_of_the_draws(measured: Measured) -> None:
    table = systems_table(measured)
    assert table.height == 2 * 3 * 3
    full = essays()
    for row in table.iter_rows(named=True):
        own = measured.results.filter(
            (pl.col("group") == row["group"])
            & (pl.col("design") == row["design"])
            & (pl.col("configuration") == row["configuration"])
        )
        assert row["truth"] == full.groups[row["group"]][1].y.mean()
        assert row["n_items"] == 40
        assert row["n_labels"] == pytest.approx(own["n_labels"].mean())
        error = own["error"].drop_nulls().to_numpy()
        assert row["bias"] == pytest.approx(error.mean())
        assert row["rmse"] == pytest.approx(np.sqrt((error**2).mean()))
        assert row["coverage_pool"] == own["covered_pool"].mean()


def test_systems_stand_by_their_truth(measured: Measured) -> None:
    table = systems_table(measured)
    assert table["design"].to_list() == ["uniform n=30"] * 9 + ["uniform n=50"] * 9
    first = table.head(9)
    assert first["truth"].is_sorted(descending=True)
    assert first["configuration"].to_list() == ["human-only", "ridge", "raw-judges"] * 3


def test_text(measured: Measured) -> None:
    table = systems_table(measured)
    lines = systems_lines(table.with_columns(group=pl.lit("a|b_\n")))
    assert lines.count("## mean of essays, uniform n=30") == 1
    rows = [line for line in lines if line.startswith("| a")]
    assert len(rows) == 18
    assert all(row.startswith("| a\\|b\\_\\\\n | ") for row in rows)
    # raw-judges has no interval: a dash and no figure.
    raw = next(row for row in rows if "raw-judges" in row).split(" | ")
    assert raw[8:] == ["-", "-", "- |"]


def test_files(measured: Measured, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    assert write_systems(measured, tmp_path) == ("systems.parquet", "systems.md")
    write_systems(draw(by_group=True, workers=2), tmp_path / "again")
    for name in ("systems.parquet", "systems.md"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    assert pl.read_parquet(tmp_path / "systems.parquet").equals(systems_table(measured))


def test_without_groups_there_is_none(tmp_path: Path) -> None:
    assert write_systems(draw(by_group=False), tmp_path) == ()
    assert list(tmp_path.iterdir()) == []
