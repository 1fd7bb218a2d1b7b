"""The column of the ids, where no option names it: the same one in every command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bacon.io.samples import read_sample

N = 120
TOLD = "Ids: column answer_id of answers.csv, which differs in every row; --id names another."


@pytest.fixture(name="answers")
def _answers(tmp_path: Path) -> pl.DataFrame:
    """A file whose ids stand in a column that is not item_id or id, and what people would say."""
    rng = np.random.default_rng(4)
    quality = rng.normal(size=N)
    people = np.clip(np.round(3.5 + quality), 1, 6).astype(int)
    frame = pl.DataFrame(
        {
            "answer_id": [f"a{k:03d}" for k in rng.permutation(N)],
            "prompt_id": np.arange(N) // 3,
            "judge_x": np.round(3.5 + quality + 0.5 * rng.normal(size=N), 2),
            "human": pl.Series(np.where(rng.permutation(N) < 40, people, np.nan)).fill_nan(None),
        }
    )
    frame.write_csv(tmp_path / "answers.csv")
    return frame.with_columns(people=pl.Series(people))


def fill(answers: pl.DataFrame, sheet: str, ids: str) -> None:
    """Fill a sheet whose item_id is column `ids` of the answers."""
    rows = pl.read_csv(sheet, infer_schema=False)
    known = dict(zip(answers[ids].cast(pl.String), answers["people"].cast(pl.String), strict=True))
    score = pl.Series([known[one] for one in rows["item_id"]])
    rows.with_columns(score=score).write_csv(sheet)


MODEL = ("--model", "ridge", "--scale", "1:6")


def test_sample_and_estimate_take_the_same_column(bacon, answers):
    drawn = bacon("sample", "answers.csv", "-n", 30, "--seed", 1, "--out", "sheet.csv")
    assert f"Note: {TOLD}\n" in drawn.err
    assert set(read_sample("sheet.csv").ids) <= set(answers["answer_id"])
    assert drawn.out.splitlines()[-1].endswith("--judges 'judge_*' --id answer_id")
    fill(answers, "sheet.csv", "answer_id")
    words = ("estimate", "answers.csv", "--sample", "sheet.csv", *MODEL, "--json")
    found = json.loads(bacon(*words).out)
    named = json.loads(bacon(*words, "--id", "answer_id").out)
    assert found["estimate"] == named["estimate"]
    assert found["n_labels"] == 30
    own = [one for one in found["warnings"] if one["code"] == "id_column_taken"]
    assert len(own) == 1
    assert "by which sheet.csv was drawn" in own[0]["message"]


@pytest.mark.usefixtures("answers")
def test_what_check_finds_is_what_estimate_takes(bacon):
    assert "--id answer_id" in bacon("check", "answers.csv").out
    ran = bacon("estimate", "answers.csv", "--label", "human", *MODEL)
    assert f"Note: {TOLD}" in ran.out
    assert "numbered by row" not in ran.out


def test_items_are_written_with_those_ids(bacon, answers):
    words = ("items", "answers.csv", "--label", "human", *MODEL, "--out", "items.csv")
    assert bacon(*words).code == 0
    assert pl.read_csv("items.csv")["item_id"].to_list() == answers["answer_id"].to_list()


def test_a_sheet_drawn_by_row_numbers_is_still_read_by_them(bacon, answers):
    bacon("sample", "answers.csv", "-n", 30, "--id", "row", "--seed", 1, "--out", "rows.csv")
    fill(answers.with_columns(row=pl.Series(range(N))), "rows.csv", "row")
    ran = bacon("estimate", "answers.csv", "--sample", "rows.csv", *MODEL, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["n_labels"] == 30


def test_an_old_design_by_row_numbers_is_told_from_a_column_with_the_same_numbers(bacon, answers):
    numbers = np.random.default_rng(9).permutation(N)
    both = answers.with_columns(answer_id=pl.Series(numbers), row=pl.Series(range(N)))
    both.drop("people", "row").write_csv("answers.csv")
    first: dict[str, float] = {}
    for how, ids in (("row", "row"), ("answer_id", "answer_id")):
        bacon("sample", "answers.csv", "-n", 60, "--id", how, "--seed", 1, "--out", f"{how}.csv")
        assert read_sample(f"{how}.csv").parameters["id_column"] == how
        fill(both, f"{how}.csv", ids)
        words = ("estimate", "answers.csv", "--sample", f"{how}.csv", *MODEL, "--json")
        found = json.loads(bacon(*words).out)
        assert found["estimate"] == json.loads(bacon(*words, "--id", how).out)["estimate"]
        first[how] = found["estimate"]
    # Before the column was recorded, a sheet without --id was one of row numbers.
    design = Path("row.csv.design.json")
    record = json.loads(design.read_text())
    del record["parameters"]["id_column"]
    design.write_text(json.dumps(record))
    words = ("estimate", "answers.csv", "--sample", "row.csv", *MODEL, "--json")
    assert json.loads(bacon(*words).out)["estimate"] == first["row"]


def test_embeddings_by_row_number_keep_the_row_numbers(bacon, answers):
    answers.drop("people").with_columns(
        text=pl.Series([f"words of {k % 7} and {k % 5} kinds" for k in range(N)])
    ).write_csv("answers.csv")
    embedded = ("embed", "answers.csv", "--column", "text", "--id", "row", "--dimensions", 3)
    assert bacon(*embedded, "--out", "e.parquet").code == 0
    ran = bacon("estimate", "answers.csv", "--label", "human", *MODEL, "--embeddings", "e.parquet")
    assert ran.code == 0, ran.err


def test_a_sheet_drawn_by_a_column_of_another_name_finds_it(bacon, answers):
    renamed = answers.rename({"answer_id": "which"}).drop("people")
    renamed.with_columns(item_id=pl.Series(range(N))).write_csv("answers.csv")
    bacon("sample", "answers.csv", "-n", 30, "--id", "which", "--seed", 1, "--out", "s.csv")
    fill(answers, "s.csv", "answer_id")
    ran = bacon("estimate", "answers.csv", "--sample", "s.csv", *MODEL)
    assert ran.code == 0, ran.err
    assert "Ids: column which of answers.csv, by which s.csv was drawn" in ran.out


def test_labels_by_row_number_in_a_file_of_their_own_are_matched_by_it(bacon, answers):
    rows = pl.DataFrame({"item_id": range(20), "score": answers["people"][:20]})
    rows.write_csv("labels.csv")
    ran = bacon("estimate", "answers.csv", "--labels", "labels.csv", *MODEL, "--json")
    assert ran.code == 0, ran.err
    codes = [one["code"] for one in json.loads(ran.out)["warnings"]]
    assert "ids_are_row_numbers" in codes
    assert "id_column_taken" not in codes


def test_ids_in_another_column_are_named_in_the_refusal(bacon, answers, refused):
    answers.drop("people").with_columns(item_id=pl.Series(range(N))).write_csv("answers.csv")
    labels = answers.select(item_id="answer_id", score="people")[:20]
    labels.write_csv("labels.csv")
    text = refused("estimate", "answers.csv", "--labels", "labels.csv", *MODEL)
    assert text.startswith("20 of the 20 labelled items of labels.csv are not known by the ids of")
    assert "not in item_id, but all of them are in its column answer_id: add --id answer_id" in text
    words = ("estimate", "answers.csv", "--labels", "labels.csv", *MODEL, "--id", "answer_id")
    assert bacon(*words).code == 0


def test_a_sheet_of_other_ids_names_the_column_that_has_them(bacon, answers, refused):
    bacon("sample", "answers.csv", "-n", 30, "--seed", 1, "--out", "sheet.csv")
    fill(answers, "sheet.csv", "answer_id")
    words = ("estimate", "answers.csv", "--sample", "sheet.csv", *MODEL)
    text = refused(*words, "--id", "row")
    assert text.startswith("sheet.csv: 30 of the 30 drawn items are not known by the ids of")
    assert "all of them are in its column answer_id: add --id answer_id" in text


def test_a_column_that_repeats_or_lacks_an_id_is_not_taken(bacon, answers):
    for change in (pl.lit("a"), pl.lit(None)):
        first = pl.arange(0, N) < 2
        column = pl.when(first).then(change).otherwise(pl.col("answer_id")).alias("answer_id")
        answers.drop("people").with_columns(column).write_csv("answers.csv")
        ran = bacon("estimate", "answers.csv", "--label", "human", *MODEL)
        assert "items are numbered by row" in ran.out


def test_monitor_takes_it_as_well(bacon, answers):
    save = ("--save", "cal")
    assert bacon("estimate", "answers.csv", "--label", "human", *MODEL, *save).code == 0
    labels = answers.select("answer_id", "people").rename({"people": "score"})[:40]
    labels.write_csv("fresh.csv")
    ran = bacon("monitor", "cal", "answers.csv", "--labels", "fresh.csv", "--value", "score")
    assert ran.code in (0, 3, 4), ran.err
    assert TOLD in ran.err


@pytest.mark.usefixtures("answers")
def test_the_next_commands_run_as_printed(bacon):
    told = bacon("check", "answers.csv").out.splitlines()
    command = shlex.split(told[told.index("Next:") + 1])[1:]
    assert bacon(*command).code == 0
    assert Path("answers.csv").exists()
