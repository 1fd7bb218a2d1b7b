"""`bacon sample` in stages: pilot, next stages, and estimates from all their sheets."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from bacon.io.samples import read_sample


@pytest.fixture(name="pilot")
def _pilot(bacon, pool, label):
    bacon(
        *("sample", pool, "--design", "two-stage", "--rate", 0.5, "--pilot-rate", 0.2),
        *("--seed", 3, "--out", "pilot.csv"),
    )
    label("pilot.csv")
    return Path("pilot.csv")


def extend(bacon, pool, sheet, out, *more):
    return bacon(
        "sample", pool, "--extend", sheet, "--hardness", "chance", "--seed", 4, "--out", out, *more
    )


def test_the_pilot_is_drawn_and_told(bacon, pool):
    ran = bacon(
        *("sample", pool, "--rate", 0.5, "--pilot-rate", 0.2, "--seed", 3, "--out", "pilot.csv")
    )
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "Drew 18 of 90 items (uniform, seed 3)."
    assert "bacon sample pool.csv --extend pilot.csv --out NEXT.csv" in ran.out
    assert read_sample("pilot.csv").parameters["rate"] == 0.5


def test_the_next_sheet_holds_the_new_items_and_all_labels_count(bacon, pool, pilot, label):
    ran = extend(bacon, pool, pilot, "rest.csv")
    assert ran.code == 0, ran.err
    sample = read_sample("rest.csv")
    sheet = pl.read_csv("rest.csv")
    assert sheet["item_id"].to_list() == sample.ids[18:].tolist()
    assert ran.out.splitlines()[0] == f"Drew {len(sheet)} of 90 items (two-stage, seed 4)."
    label("rest.csv")
    words = shlex.split(ran.out.splitlines()[-1].removeprefix("Then: bacon "))
    found = json.loads(bacon(*words, "--json").out)
    assert found["n_labels"] == sample.n_drawn
    assert found["design"]["kind"] == "two-stage"


def test_a_third_stage_reads_the_sheets_of_both_before(bacon, pool, pilot, label):
    extend(bacon, pool, pilot, "rest.csv")
    label("rest.csv")
    ran = extend(bacon, pool, "rest.csv", "more.csv", "--rate", 0.7)
    assert ran.code == 0, ran.err
    label("more.csv")
    found = json.loads(bacon("estimate", pool, "--sample", "more.csv", "--json").out)
    assert found["n_labels"] == read_sample("more.csv").n_drawn
    assert found["design"]["kind"] == "batches"


def test_the_default_hardness_is_fitted_to_the_pilot(bacon, pool, pilot):
    ran = bacon("sample", pool, "--extend", pilot, "--seed", 4, "--out", "rest.csv")
    assert ran.code == 0, ran.err
    sample = read_sample("rest.csv")
    assert sample.parameters["hardness"] == "gamma"
    assert 0.0 <= sample.parameters["uniform_share"] <= 1.0
    assert set(sample.stages.fold[:18].tolist()) <= set(range(10))
    again = bacon("sample", pool, "--extend", pilot, "--seed", 4, "--out", "again.csv")
    assert again.code == 0
    assert Path("again.csv").read_bytes() == Path("rest.csv").read_bytes()


def test_a_bad_label_is_told_of_its_own_sheet(bacon, pool, pilot):
    extend(bacon, pool, pilot, "rest.csv")
    sheet = pl.read_csv("rest.csv", infer_schema=False)
    bad = sheet.with_columns(score=pl.Series(["4", "good", *["5"] * (len(sheet) - 2)]))
    bad.write_csv("rest.csv")
    ran = bacon("estimate", pool, "--sample", "rest.csv")
    assert ran.code == 2
    assert "rest.csv row 2, column score" in ran.err


def test_the_stage_waits_while_its_sheet_is_empty(bacon, pool, pilot):
    extend(bacon, pool, pilot, "rest.csv")
    ran = bacon("estimate", pool, "--sample", "rest.csv")
    assert ran.code == 0
    assert "the estimate rests on the pilot alone" in ran.out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--rate", 0.5, "--design", "two-stage"), "needs --rate .* and --pilot-rate"),
        (("--rate", 0.2, "--pilot-rate", 0.3), "pilot must lie above 0 and below rate = 0.2"),
        (("--rate", 0.5, "--pilot-rate", 0.2, "--least", 0.5), "name their column with --group"),
        (("-n", 20, "--hardness", "gamma"), "--hardness goes with --extend SHEET"),
        (("-n", 20, "--labels", "pilot.csv"), "--labels goes with --extend SHEET"),
    ],
)
def test_options_that_do_not_go_together_are_refused(refused, pool, words, what):
    import re

    assert re.search(what, refused("sample", pool, *words, "--out", "x.csv"))


def test_what_a_next_stage_cannot_take_is_refused(bacon, pool, pilot):
    for words, what in (
        (("--design", "uniform"), "--design does not go with --extend"),
        (("-n", 5), "-n does not go with --extend"),
        (("--pilot-rate", 0.1), "--pilot-rate does not go with --extend"),
        (("--rate", 0.2), "whole budget of rate = 0.2"),
        (("--hardness", "nothing"), "--hardness must be one of gamma, optimal, logistic, uniform"),
    ):
        ran = bacon("sample", pool, "--extend", pilot, *words, "--out", "rest.csv")
        assert ran.code == 2
        assert what in ran.err
        assert ran.made == ()


@pytest.mark.parametrize("name", ["../pilot.csv", "/etc/passwd.csv", "pilot.txt", 7])
def test_a_design_that_names_another_folder_is_refused(bacon, pool, pilot, name):
    extend(bacon, pool, pilot, "rest.csv")
    path = Path("rest.csv.design.json")
    record = json.loads(path.read_text())
    record["parameters"]["sheet_before"] = name
    path.write_text(json.dumps(record))
    ran = bacon("estimate", pool, "--sample", "rest.csv")
    assert ran.code == 2
    assert "should be the name of a sheet beside it" in ran.err


def test_sheets_in_a_circle_are_refused(bacon, pool, pilot):
    extend(bacon, pool, pilot, "rest.csv")
    path = Path("rest.csv.design.json")
    record = json.loads(path.read_text())
    record["parameters"]["sheet_before"] = "rest.csv"
    path.write_text(json.dumps(record))
    ran = bacon("estimate", pool, "--sample", "rest.csv")
    assert ran.code == 2
    assert "in a circle" in ran.err


@pytest.mark.parametrize("out", ["pilot.csv", "rest.csv", "all.csv", "./pilot.csv"])
def test_no_sheet_is_written_over_the_labels_it_is_drawn_from(bacon, pool, pilot, label, out):
    extend(bacon, pool, pilot, "rest.csv")
    label("rest.csv")
    Path("all.csv").write_bytes(Path("rest.csv").read_bytes())
    before = Path(out).read_bytes()
    more = ("--labels", "all.csv") if out == "all.csv" else ()
    ran = extend(bacon, pool, "rest.csv", out, "--rate", 0.7, "--force", *more)
    assert ran.code == 2
    assert "holds labels that this stage is drawn from" in ran.err
    assert Path(out).read_bytes() == before


def test_a_missing_sheet_of_the_stage_before_is_named_as_such(bacon, pool, pilot):
    extend(bacon, pool, pilot, "rest.csv")
    pilot.unlink()
    ran = bacon("estimate", pool, "--sample", "rest.csv")
    assert ran.code == 2
    assert "it is the sheet of the stage before rest.csv" in ran.err
    assert "--labels" in ran.err


def test_a_next_stage_in_another_folder_tells_how_to_estimate(bacon, pool, pilot, label):
    Path("later").mkdir()
    ran = extend(bacon, pool, pilot, "later/rest.csv")
    assert ran.code == 0
    words = shlex.split(ran.out.splitlines()[-1].removeprefix("Then: bacon "))
    assert words[-2:] == ["--labels", "LABELS.csv"]
    assert "pilot.csv is in another folder" in ran.err
    label("later/rest.csv")
    sheets = [pl.read_csv(path, infer_schema=False) for path in (pilot, "later/rest.csv")]
    pl.concat(sheets).write_csv("LABELS.csv")
    assert bacon(*words).code == 0
