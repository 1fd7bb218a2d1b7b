"""`bacon estimate --stop-width`: whether labelling may stop."""

from __future__ import annotations

import json
import shutil

import numpy as np
import polars as pl
import pytest

N, DRAWN = 400, 150


@pytest.fixture(name="files")
def _files(bacon):
    rng = np.random.default_rng(5)
    quality = rng.normal(size=N)
    people = np.clip(np.round(3.5 + quality + 0.4 * rng.normal(size=N)), 1, 6)
    pl.DataFrame(
        {
            "item_id": np.arange(N),
            "judge_x": np.round(3.5 + quality + 0.5 * rng.normal(size=N), 2),
            "system": np.where(np.arange(N) % 2 == 0, "a", "b"),
        }
    ).write_csv("pool.csv")
    bacon("sample", "pool.csv", "-n", DRAWN, "--seed", 4, "--out", "sheet.csv")
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    drawn = sheet["item_id"].cast(pl.Int64).to_numpy()

    def write(name, kept):
        score = [str(int(people[row])) if kept(k) else None for k, row in enumerate(drawn)]
        sheet.with_columns(score=pl.Series(score)).write_csv(name)
        shutil.copy("sheet.csv.design.json", f"{name}.design.json")

    write("full.csv", lambda _: True)
    write("part.csv", lambda k: k < 70 or 80 <= k < 90)
    return people


START = ("--scale", "1:6", "--model", "ridge")


def test_it_stops_where_the_width_is_reached(bacon, files):
    ran = bacon("estimate", "pool.csv", "--sample", "full.csv", *START, "--stop-width", 0.8)
    assert ran.code == 0
    first, second, blank, fixed = ran.out.splitlines()[:4]
    assert first.startswith("mean after 150 labels in drawn order: 3.")
    assert "95 % interval" in first
    assert "which holds at every label at once" in first
    assert second.startswith("stop: the width is reached at label ")
    assert second.endswith(" of 150 drawn.")
    assert blank == ""
    assert fixed.startswith("Intervals below are for a number of labels that was fixed beforehand.")
    assert "do not hold once labelling stops" in fixed
    assert "BACON" in ran.out
    assert abs(files.mean() - 3.5) < 0.5


def test_it_goes_on_where_it_is_not_with_the_gap_told(bacon, files):
    ran = bacon("estimate", "pool.csv", "--sample", "part.csv", *START, "--stop-width", 0.3)
    assert ran.code == 4
    assert "go on: about " in ran.out
    assert "Item 71 of the sheet has no label, so the 10 labels after it do not count" in ran.out
    assert len(files) == N


def test_json_has_the_interval_that_holds(bacon, files):
    words = ("estimate", "pool.csv", "--sample", "full.csv", *START, "--json")
    ran = bacon(*words, "--stop-width", 0.8, "--level", 0.9)
    record = json.loads(ran.out)
    found = record["anytime"]
    assert set(found) == {
        *("estimand", "estimate", "ci", "level", "method", "n_labels", "n_drawn", "width"),
        *("stop_width", "stop", "stopped_at", "more_labels", "warnings"),
    }
    assert found["estimand"] == record["estimand"] == "mean"
    assert (found["level"], found["method"], found["stop_width"]) == (0.9, "betting", 0.8)
    assert (found["n_labels"], found["n_drawn"], found["more_labels"]) == (150, 150, 0)
    assert found["ci"][0] < files.mean() < found["ci"][1]
    assert found["width"] > record["ci"][1] - record["ci"][0]
    assert found["stop"] is True
    assert ran.code == 0
    assert "anytime" not in json.loads(bacon(*words).out)


def test_requirements_are_decided_by_the_interval_that_holds(bacon, files):
    words = ("estimate", "pool.csv", "--sample", "full.csv", *START, "--json")
    record = json.loads(bacon(*words, "--stop-width", 0.8).out)
    # Between the two lower ends: met by the fixed interval alone.
    value = (record["ci"][0] + record["anytime"]["ci"][0]) / 2
    asked = (*words, "--require", f"mean:ge:{value}")
    assert bacon(*asked).code == 0
    assert bacon(*asked, "--stop-width", 0.8).code == 4
    assert bacon(*words, "--stop-width", 0.8, "--require", "mean:ge:6").code == 3
    assert bacon(*words, "--stop-width", 0.01, "--require", "mean:ge:1").code == 4
    assert len(files) == N


def test_the_first_estimand_is_the_one_that_stops(bacon, files):
    words = ("estimate", "pool.csv", "--sample", "full.csv", *START, "--json", "--stop-width", 0.6)
    ran = bacon(*words, "--estimand", "proportion:ge:4", "--estimand", "sd", "--group", "system")
    record = json.loads(ran.out)
    assert record["anytime"]["estimand"] == "proportion:ge:4"
    low, high = record["anytime"]["ci"]
    assert low <= (files >= 4).mean() <= high


@pytest.mark.usefixtures("files")
def test_what_it_cannot_do_is_refused(refused, bacon):
    start = ("estimate", "pool.csv", *START)
    sheet = ("--sample", "full.csv")
    assert "above 0" in refused(*start, *sheet, "--stop-width", 0)
    text = refused(*start, "--labels", "full.csv", "--value", "score", "--stop-width", 1)
    assert "--sample" in text
    text = refused(*start, *sheet, "--stop-width", 1, "--target", "population")
    assert "leave out --target" in text
    text = refused(*start, *sheet, "--stop-width", 1, "--estimand", "sd")
    assert "ask for mean or for a share" in text
    bacon("sample", "pool.csv", "-n", 60, "--strata", "system", "--out", "strata.csv")
    sheet = pl.read_csv("strata.csv", infer_schema=False)
    sheet.with_columns(score=pl.lit("3")).write_csv("strata.csv")
    text = refused(*start, "--sample", "strata.csv", "--stop-width", 1)
    assert "stratified draw" in text
    assert "bacon sample -n N" in text


def test_a_sheet_that_is_too_short_is_made_longer(bacon, files):
    words = ("estimate", "pool.csv", "--sample", "full.csv", *START, "--group", "system")
    ran = bacon(*words, "--stop-width", 0.25)
    assert ran.code == 4
    lines = ran.out.splitlines()
    assert lines[1].endswith("and the sheet has 0 left: make it longer.")
    assert lines[2] == "Next, a longer sheet, which keeps the labels there are:"
    command = lines[3].strip()
    assert command.startswith("bacon sample pool.csv --group system -n ")
    assert command.endswith(" --extend full.csv --out full_2.csv")
    drawn = bacon(*command.split()[1:])
    assert drawn.code == 0, drawn.err
    longer = pl.read_csv("full_2.csv", infer_schema=False)
    assert longer["score"][:DRAWN].null_count() == 0
    assert longer["score"][DRAWN:].null_count() == len(longer) - DRAWN
    rows = longer["item_id"].cast(pl.Int64).to_numpy()
    score = pl.Series([str(int(files[row])) for row in rows])
    longer.with_columns(score=score).write_csv("full_2.csv")
    # The intervals of the first part stay what they were, so that they hold together.
    after = ("estimate", "pool.csv", "--sample", "full_2.csv", *START, "--json", "--stop-width")
    found = json.loads(bacon(*after, 0.25).out)["anytime"]
    assert found["n_labels"] == len(longer)
    low, high = found["ci"]
    assert low < files.mean() < high
    short = longer.with_columns(
        score=pl.when(pl.arange(0, len(longer)) < DRAWN).then(pl.col("score"))
    )
    short.write_csv("full_2.csv")
    then = json.loads(bacon(*after, 0.8).out)["anytime"]
    before = json.loads(bacon(*words, "--json", "--stop-width", 0.8).out)["anytime"]
    assert then["ci"] == before["ci"]
