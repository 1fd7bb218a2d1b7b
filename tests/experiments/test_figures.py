"""Figures: the same bytes for the same rows, names as they are, nothing drawn that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.experiments.cases import essays

import bacon
from bacon.experiments.figure_set import draw_figures, draw_sweep, shares_of
from bacon.experiments.figures import QUALITY, RANKING, curves, score_distributions
from bacon.experiments.plan import Plan
from bacon.experiments.run import Measured, simulate
from bacon.experiments.sweeps import swept

if TYPE_CHECKING:
    from pathlib import Path


def plan(*configurations: str, by_group: bool = False) -> Plan:
    """Two budgets of a small pool."""
    designs = [bacon.UniformDesign(n=n) for n in (30, 50)]
    return Plan(essays(), designs, ["human-only", *configurations], by_group=by_group)


@pytest.fixture(scope="module")
def measured() -> Measured:
    """A few draws with systems."""
    return simulate(plan("ridge", "raw-judges", by_group=True), trials=4)


def test_an_experiment_has_its_figures(measured: Measured, tmp_path: Path) -> None:
    shares = shares_of(plan("ridge"))
    assert shares == {"uniform n=30": 0.25, "uniform n=50": pytest.approx(50 / 120)}
    files, notices = draw_figures(measured, essays(), shares, tmp_path)
    assert files == ("estimates.svg", "models.svg", "ranking.svg", "scores.svg")
    assert [one.code for one in notices] == ["judges_not_drawn"]
    first = {name: (tmp_path / name).read_bytes() for name in files}
    draw_figures(measured, essays(), shares, tmp_path)
    assert first == {name: (tmp_path / name).read_bytes() for name in files}
    only, _ = draw_figures(measured, essays(), shares, tmp_path, titles={"ridge": "a ridge"})
    assert only == files
    legend = (tmp_path / "estimates.svg").read_bytes()
    assert b"a ridge" in legend
    assert b"human-only" not in legend


def test_what_nobody_has_is_told_and_not_drawn(measured: Measured, tmp_path: Path) -> None:
    whole = measured.summary.filter(pl.col("group").is_null())
    none = whole.with_columns(bias=pl.lit(None, pl.Float64))
    assert curves(none, tmp_path / "a.svg", QUALITY, x={"uniform n=30": 0.1}) == ("bias",)
    empty = whole.filter(pl.col("configuration") == "nothing")
    path = tmp_path / "b.svg"
    assert curves(empty, path, QUALITY, x={}) == tuple(QUALITY.values())
    assert not path.exists()


def test_names_are_drawn_as_they_are(measured: Measured, tmp_path: Path) -> None:
    odd = measured.ranking.with_columns(
        configuration=pl.lit("$\\frac{x}$ _<b>& \u65e5\u672c " + "long " * 40)
    )
    x = {"uniform n=30": 0.25, "uniform n=50": 0.5}
    assert curves(odd, tmp_path / "odd.png", RANKING, x=x) == ()
    assert (tmp_path / "odd.png").read_bytes().startswith(b"\x89PNG")


def test_scores_of_judges_on_the_labels_scale_are_drawn(tmp_path: Path) -> None:
    # Without a stated scale judge_a is on the labels' range; judge_b is far above it.
    path = tmp_path / "scores.svg"
    assert score_distributions(essays(), path) == ("judge_b",)
    assert b"people" in path.read_bytes()
    # On a stated scale that holds neither, both are drawn in SDs.
    assert score_distributions(essays(scale=(2.0, 3.0)), path) == ()
    assert b"in SDs from the mean" in path.read_bytes()


def test_a_sweep_has_a_line_for_each_design(tmp_path: Path) -> None:
    values = ("2", "5")
    configurations = swept(["ridge"], {"folds": values})
    found = simulate(plan(*configurations), trials=3)
    assert draw_sweep(found, "folds", values, tmp_path) == ("sweep-folds.svg",)
    assert draw_sweep(found, "use", ("judges", "all"), tmp_path) == ()
