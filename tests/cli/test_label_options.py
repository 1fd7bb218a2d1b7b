"""Labels in other files, raters side by side, and what unanswered items would undo."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

RIDGE = ("--model", "ridge")


def result(ran):
    assert ran.code == 0, ran
    return json.loads(ran.out)


@pytest.fixture(name="wide")
def _wide(table):
    """Raters side by side: ann on the first forty items, bob on the first twenty."""
    row = pl.int_range(pl.len())
    return table.with_columns(
        human_ann=pl.when(row < 40).then(pl.col("people") - 0.5),
        human_bob=pl.when(row < 20).then(pl.col("people") + 0.5),
    ).drop("people")


def test_raters_side_by_side_in_the_pools_own_file(bacon, wide, truth):
    wide.write_csv("wide.csv")
    start = ["estimate", "wide.csv", "--rater-columns", "human_*", *RIDGE, "--json"]
    record = result(bacon(*start))
    assert record["n_labels"] == 40
    assert record["outcome_name"] == "human"
    expected = np.concatenate([truth[:20], truth[20:40] - 0.5]).mean()
    assert record["human_only"]["estimate"] == pytest.approx(expected)
    raters = record["raters"]
    assert (raters["claim"], raters["n"], raters["pairs"]) == ("these", 2, 1)
    assert raters["correlation"] == pytest.approx(1.0)
    named = result(
        bacon(
            "estimate",
            "wide.csv",
            *RIDGE,
            "--json",
            "--rater-columns",
            "human_ann",
            "--rater-columns",
            "human_bob",
        )
    )
    assert named["estimate"] == record["estimate"]


def test_no_glob_takes_a_rater_for_a_judge(bacon, refused, wide):
    wide.write_csv("wide.csv")
    start = ["estimate", "wide.csv", "--rater-columns", "human_*", *RIDGE, "--json"]
    assert "matches only columns with another role" in refused(*start, "--judges", "human*")
    judges = [judge["name"] for judge in result(bacon(*start, "--judges", "*u*"))["judges"]]
    assert judges == ["judge_gpt", "judge_llama"]


def test_raters_side_by_side_in_a_file_of_their_own(bacon, pool, wide):
    wide.select(essay="item_id", ann="human_ann", bob="human_bob").write_csv("people.csv")
    files = ["--labels", "people.csv", "--labels-id", "essay", "--rater-columns", "ann,bob"]
    ran = bacon("estimate", pool, *files, *RIDGE, "--json")
    wide.write_csv("wide.csv")
    own = bacon("estimate", "wide.csv", "--rater-columns", "human_*", *RIDGE, "--json")
    assert result(ran)["ci"] == result(own)["ci"]
    assert "--value names another" not in ran.err


def test_ids_of_the_label_file_may_have_a_name_of_their_own(bacon, refused, pool, table):
    table.head(30).select(essay="item_id", score="people").write_csv("people.csv")
    start = ["estimate", pool, "--labels", "people.csv", "--value", "score", *RIDGE]
    assert "has no column item_id or id; name the column" in refused(*start)
    record = result(bacon(*start, "--labels-id", "essay", "--json"))
    assert record["n_labels"] == 30
    text = refused(*start, "--labels-id", "nothing")
    assert "people.csv has no column nothing for the id" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--label", "people", "--rater-columns", "human_*"], "leave --label out"),
        (["--rater-columns", "human_*", "--rater", "who"], "leave --rater out"),
        (["--label", "people", "--labels-id", "essay"], "--labels-id is for the file of --labels"),
        (["--rater-columns", "nobody_*"], "no column matches 'nobody_*' for the raters"),
        (["--rater-columns", "human_*", "--raters", "all"], 'raters must be "these"'),
        (["--rater-columns", "human_ann", "--raters", "like-them"], "human_ann gave every label"),
        (["--rater-columns", "human_*", "--nonresponse", "no"], "must be one of auto, model, rate"),
    ],
)
def test_options_that_do_not_go_together(refused, wide, words, said):
    wide.with_columns(people=3.0).write_csv("wide.csv")
    assert said in refused("estimate", "wide.csv", *RIDGE, *words)


def test_intervals_for_other_raters(bacon, wide):
    wide.write_csv("wide.csv")
    start = ["estimate", "wide.csv", "--rater-columns", "human_*", *RIDGE]
    these, others = (
        result(bacon(*start, "--raters", claim, "--json")) for claim in ("these", "like-them")
    )
    assert others["estimate"] == these["estimate"]
    assert others["se"] > these["se"]
    assert others["raters"]["claim"] == "like-them"
    assert others["raters"]["other_claim"]["intervals"]["pool"]["ci"] == these["ci"]
    assert others["effective_labels"] == these["effective_labels"]
    assert "few_raters" in [warning["code"] for warning in others["warnings"]]
    assert "For other raters like them: " in bacon(*start).out
    assert "For these raters alone: " in bacon(*start, "--raters", "like-them").out


def sheet(bacon, pool, truth, *, every):
    """Draw a sheet and answer every `every`-th row."""
    bacon("sample", pool, "-n", 60, "--seed", 3, "--out", "sheet.csv")
    frame = pl.read_csv("sheet.csv", infer_schema=False)
    score = truth[frame["item_id"].cast(pl.Int64).to_numpy() - 1].astype(float)
    score[np.arange(60) % every == 0] = np.nan
    frame.with_columns(score=pl.Series(score).fill_nan(None)).write_csv("sheet.csv")


def test_unanswered_items_by_either_treatment(bacon, pool, truth):
    sheet(bacon, pool, truth, every=3)
    start = ["estimate", pool, "--sample", "sheet.csv", "--scale", "1:6", *RIDGE]
    for method in ("rate", "model"):
        record = result(bacon(*start, "--nonresponse", method, "--json"))
        assert record["unanswered"]["method"] == method
        assert record["unanswered"]["n"] == 20
        low, high = record["unanswered"]["bounds_ci"]
        assert low < record["ci"][0] < record["ci"][1] < high
    text = bacon(*start).out
    assert "The 20 unanswered items (33 % of the weight) are taken to average" in text
    assert "Were all of them at 1, or all at 6" in text


def test_what_would_undo_a_verdict(bacon, pool, truth):
    sheet(bacon, pool, truth, every=3)
    start = ["estimate", pool, "--sample", "sheet.csv", "--scale", "1:6", *RIDGE]
    ran = bacon(*start, "--require", "mean:ge:2")
    verdict, undone = ran.err.splitlines()[-2:]
    assert (ran.code, verdict.startswith("Required: mean at least 2: yes")) == (0, True)
    assert undone.startswith("This would no longer hold if the 20 unanswered items averaged ")
    assert "less" in undone
    ran = bacon(*start, "--require", "mean:ge:5.5")
    assert ran.code == 3
    assert "more" in ran.err.splitlines()[-1]
    opened = bacon(*start, "--require", "proportion:ge:4:ge:0.5")
    assert opened.code == 4 or "no longer hold" in opened.err
