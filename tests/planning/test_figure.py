"""The figure of width against labels."""

from __future__ import annotations

import numpy as np
import pytest
from tests.planning.cases import pilot

import bacon
from bacon.planning.figure import figure_bytes
from bacon.planning.widths import width_table


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_same_plan_gives_the_same_bytes(kind, start):
    plan = bacon.plan(pilot(90))
    first = figure_bytes(plan, kind, 0.2)
    assert first.startswith(start)
    assert first == figure_bytes(plan, kind, 0.2)


def test_the_figure_names_what_it_shows():
    shown = figure_bytes(bacon.plan(pilot(90)), "svg", 0.2).decode()
    for word in ("with the judges", "labels alone", "pilot", "0.2 wide", "labels"):
        assert f">{word}<" in shown
    assumed = figure_bytes(bacon.plan(r2=0.5, sd=1.0, n_items=500), "svg").decode()
    assert ">pilot<" not in assumed


def test_an_assumption_for_few_items_has_a_figure():
    assert figure_bytes(bacon.plan(r2=0.5, sd=1.0, n_items=4), "png")


def test_files_are_written_whole_and_not_replaced(tmp_path):
    plan = bacon.plan(pilot(90))
    path = tmp_path / "width.svg"
    plan.save_figure(path)
    with pytest.raises(bacon.BaconError, match="exists already"):
        plan.save_figure(path)
    plan.save_figure(path, overwrite=True)
    with pytest.raises(bacon.BaconError, match=r"\.svg or \.png"):
        plan.save_figure(tmp_path / "width.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["width.svg"]


def test_the_band_holds_the_plan():
    rows = width_table(bacon.plan(pilot(90)))
    width, lower, upper = (rows[name].to_numpy() for name in ("width", "lower", "upper"))
    assert np.all(lower < width)
    assert np.all(width < upper)
    assert np.all(np.diff(width) < 0)
    assert np.all(width < rows["width_alone"].to_numpy())
