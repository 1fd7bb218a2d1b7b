"""`bacon monitor`: exit codes, both forms of output, state and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.monitor.cases import answers, save_calibration


@pytest.fixture(scope="module", name="cal")
def _cal(tmp_path_factory):
    return save_calibration(tmp_path_factory.mktemp("cal"))


def week(name, *, n_labels=200, **moves):
    """Write later answers and a file of labels of the first of them."""
    table, people = answers(500, 1, first=1000, **moves)
    table.write_csv(f"{name}.csv")
    labels = table.select("item_id").with_columns(score=pl.Series(people))[:n_labels]
    labels.write_csv(f"{name}_labels.csv")
    return table, people


def test_quiet_drift_and_open(bacon, cal):
    week("quiet")
    week("moved", people_move=1.0)
    asked = ("--value", "score", "--detect", "1.5")
    ran = bacon("monitor", cal, "quiet.csv", "--labels", "quiet_labels.csv", *asked)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("No sample file given: the 200 fresh labels are taken as")
    assert "system atlas" in ran.out
    assert "\nQuiet: 200 fresh labels show no shift beyond 0." in ran.out
    ran = bacon("monitor", cal, "moved.csv", "--labels", "moved_labels.csv", *asked)
    assert ran.code == 3
    assert "\nDrift: people score these items higher than the calibration says" in ran.out
    assert "\nNext: calibrate again on fresh labels" in ran.out
    ran = bacon("monitor", cal, "quiet.csv")
    assert ran.code == 4
    assert "Not decided: 0 fresh labels so far" in ran.out
    assert ran.made == ()


def test_weekly_calls_share_a_state(bacon, cal):
    week("one", n_labels=40)
    words = ("monitor", cal, "one.csv", "--labels", "one_labels.csv", "--state", "state.json")
    first = bacon(*words, "--json")
    assert first.made == ("state.json",)
    record = json.loads(first.out)
    assert (record["schema"], record["n_labels"], record["n_new_labels"]) == (
        "bacon-monitoring",
        40,
        40,
    )
    assert first.err == "Labels: column score of one_labels.csv; --value names another.\n"
    again = json.loads(bacon(*words, "--json").out)
    assert (again["n_labels"], again["n_new_labels"]) == (40, 0)
    assert again["shift"] == record["shift"]


def test_labels_in_the_pool_and_in_a_sheet(bacon, cal):
    table, people = week("one")
    table.with_columns(human=pl.Series(people)).write_csv("own.csv")
    record = json.loads(bacon("monitor", cal, "own.csv", "--label", "human", "--json").out)
    assert record["n_labels"] == 500
    assert bacon("sample", "one.csv", "-n", 50, "--seed", 1, "--out", "sheet.csv").code == 0
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    rows = (sheet["item_id"].cast(pl.Int64) - 1000).to_list()
    sheet.with_columns(score=pl.Series(people[rows])).write_csv("sheet.csv")
    ran = bacon("monitor", cal, "one.csv", "--sample", "sheet.csv", "--json")
    assert json.loads(ran.out)["n_labels"] == 50
    assert "assumed_sample" not in ran.out


def test_refusals(refused, cal):
    week("one")
    words = ("monitor", cal, "one.csv", "--labels", "one_labels.csv", "--state")
    Path("broken.json").write_text("{}")
    assert "was changed or cut off" in refused(*words, "broken.json")
    assert "--state names the file of POOL" in refused(*words, "one.csv")
    assert "--state names the file of --labels" in refused(*words, "one_labels.csv")
    pl.read_csv("one.csv").with_columns(half=pl.lit("a")).write_csv("half.csv")
    assert "nothing is known of errors by half" in refused(
        "monitor", cal, "half.csv", "--group", "half"
    )
    assert "cannot be read" in refused("monitor", "none", "one.csv")
    pl.read_csv("one.csv").drop("judge_x").write_csv("less.csv")
    assert "lacks judge_x" in refused("monitor", cal, "less.csv")
    pl.read_csv("one.csv").drop("judge_x", "judge_y").write_csv("none.csv")
    assert "lacks judge_x, judge_y" in refused("monitor", cal, "none.csv")


def test_other_settings_on_an_old_state_are_refused(bacon, refused, cal):
    week("one")
    words = ("monitor", cal, "one.csv", "--state", "state.json")
    assert bacon(*words).code == 4
    assert "begun with detect 0.7, level 0.95, tolerance 0.2" in refused(*words, "--tolerance", 0.1)


def test_estimate_saves_what_monitor_watches(bacon, refused):
    table, people = answers(400, 0)
    table.with_columns(
        human=pl.Series([x if k % 5 == 0 else None for k, x in enumerate(people)])
    ).write_csv("answers.csv")
    words = ("estimate", "answers.csv", "--label", "human", "--model", "ridge", "--save", "cal")
    ran = bacon(*words)
    assert (ran.code, ran.made) == (0, ("cal.json", "cal.npz"))
    assert "Saved: cal (.json and .npz)" in ran.err
    assert "cal.json exists already: give another name with --save" in refused(*words)
    before = Path("cal.json").read_bytes()
    assert bacon(*words, "--scale", "0:9", "--force").code == 0
    assert Path("cal.json").read_bytes() != before
    week("one", n_labels=30)
    ran = bacon("monitor", "cal", "one.csv", "--labels", "one_labels.csv", "--value", "score")
    assert ran.code == 4
    assert "Not decided: 30 fresh labels so far" in ran.out
