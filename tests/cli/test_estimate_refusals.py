"""`bacon estimate` on what it cannot use: exit 2, one sentence with the mend, nothing written."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest


def change(path, row, column, value):
    """Write another value into one cell of a CSV; rows count from 1."""
    frame = pl.read_csv(path, infer_schema=False)
    cells = frame[column].to_list()
    cells[row - 1] = value
    frame.with_columns(pl.Series(column, cells, dtype=pl.String)).write_csv(path)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ([], "no labels named; give --label COLUMN, --labels FILE or --sample SHEET: column human"),
        ([], "add --label human"),
        (["--label", "humna"], "no column humna for the labels (did you mean human?)"),
        (["--label", "human", "--judges", "jugde_*"], "no column matches 'jugde_*' for the judges"),
        (["--label", "human", "--judges", "judge_gtp"], "(did you mean judge_gpt?)"),
        (["--label", "human", "--id", "itemid"], "(did you mean item_id?)"),
        (["--label", "human", "--cluster", "promptid"], "(did you mean prompt_id?)"),
        (["--label", "human", "--features", "words"], "no column words for the features"),
        (["--label", "human", "--features", "answer"], "is not a number"),
        (["--label", "human", "--pi", "chanse"], "no column chanse for the inclusion probability"),
        (["--label", "human", "--strata", "sytem"], "no column 'sytem' for the strata"),
        (["--label", "human", "--strata", "system", "--pi", "chance"], "each say how the labels"),
        (["--label", "human", "--sample", "s.csv", "--pi", "chance"], "--sample and --pi each say"),
        (["--label", "human", "--labels", "one.csv"], "not both"),
        (["--label", "human", "--value", "human"], "--value is for the file of --labels"),
        (["--labels", "on.csv"], "on.csv does not exist (did you mean one.csv?)"),
        (["--sample", "s.csv"], "s.csv.design.json does not exist"),
        (["--label", "human", "--embeddings", "e.npy"], "e.npy does not exist"),
        (["--label", "human", "--scale", "6:1"], "scale must be two numbers, the lower first"),
        (["--label", "human", "--scale", "1-6"], "--scale must be LO:HI, such as 1:6; got '1-6'"),
        (["--label", "human", "--scale", "one:6"], "--scale must be LO:HI"),
        (["--label", "human", "--scale", "1:4"], "lies outside the scale 1 to 4"),
        (["--label", "human", "--level", 95], "level must lie between 0 and 1"),
        (["--label", "human", "--level", "nan"], "level must lie between 0 and 1"),
        (["--label", "human", "--target", "items"], 'target must be "pool"'),
        (["--label", "human", "--model", "boosting"], "model must be one of stack, ridge,"),
        (["--label", "human", "--crossfit", "no"], 'crossfit must be "ensemble" or "refit"'),
        (["--label", "human", "--better", "up"], 'better must be "higher" or "lower"'),
        (["--label", "human", "--outcome", "binary"], "a binary outcome has two values"),
        (["--label", "human", "--outcome", "x"], "outcome must be auto or one of"),
        (["--label", "human", "--seed", -1], "seed must be a whole number from 0 up"),
        (["--label", "human", "--estimand", "men"], "'men' is not known; use mean, sd"),
        (["--label", "human", "--estimand", "quantile:2"], "a quantile needs a level between 0"),
        (["--label", "human", "--estimand", "proportion:ge:x"], "'x' is not a number"),
        (["--label", "human", "--levels", "a,a"], "levels must name two or more different"),
        (["--label", "human", "--judges", "judge_gpt,human"], "column human is named as a judge"),
        (["--label", "human", "--run-column", "system"], "--run-column goes with --judge-column"),
    ],
)
def test_wrong_and_missing_roles_are_answered(refused, one, options, text):
    assert text in refused("estimate", one, *options)


def test_judges_by_other_names_are_found(refused, one):
    frame = pl.read_csv(one).rename({"judge_gpt": "gpt4", "judge_llama": "llama3"})
    frame.write_csv("other.csv")
    text = refused("estimate", "other.csv", "--label", "human")
    assert "no column is called judge_*, so name the judges: --judges GLOB" in text
    assert "these look like judges, add --judges gpt4,llama3" in text


def test_a_file_of_labels_whose_column_cannot_be_told(refused, pool):
    Path("l.csv").write_text("item_id,tuesday,wednesday\n1,blue sky,5\n2,red sea,7\n")
    text = refused("estimate", pool, "--labels", "l.csv")
    assert text == (
        "l.csv: which column holds the labels? Give --value, one of item_id, tuesday, wednesday."
    )


def test_text_in_a_score_column_is_named_with_its_row(refused, one):
    change(one, 83, "judge_llama", "good")
    text = refused("estimate", one, "--label", "human")
    assert text.startswith('one.csv row 83, column judge_llama: "good" is not a number; give')
    assert "--na good to read it as missing" in text


def test_text_among_labels_is_named_with_its_row(refused, one):
    change(one, 7, "human", "n/a")
    text = refused("estimate", one, "--label", "human")
    assert text.startswith('one.csv row 7, column human: "n/a" is not a number')


@pytest.mark.parametrize("value", ["inf", "1e200"])
def test_numbers_that_cannot_be_used(refused, one, value):
    change(one, 7, "judge_gpt", value)
    assert "one.csv row 7, column judge_gpt" in refused("estimate", one, "--label", "human")


def test_a_judge_without_any_score(refused, one):
    frame = pl.read_csv(one).with_columns(judge_none=pl.lit(None))
    frame.write_csv(one)
    text = refused("estimate", one, "--label", "human")
    assert text.startswith("one.csv, column judge_none: every score is missing")


def test_duplicate_ids(refused, one):
    change(one, 9, "item_id", "4")
    text = refused("estimate", one, "--label", "human")
    assert text.startswith('one.csv rows 4 and 9 both have item_id "4"')


def test_an_id_that_is_missing(refused, one):
    change(one, 9, "item_id", None)
    assert "one.csv row 9, column item_id: the id is missing" in refused(
        "estimate", one, "--label", "human"
    )


def test_labels_of_unknown_items(refused, pool):
    Path("l.csv").write_text("item_id,score\n1,3\n4711,4\n")
    text = refused("estimate", pool, "--labels", "l.csv", "--value", "score")
    assert text.startswith('1 of the 2 labelled items of l.csv are not in pool.csv: "4711"')


def test_leading_zeros_that_were_lost(refused, table):
    zeros = table.with_columns(item_id=pl.col("item_id").cast(pl.String).str.zfill(4))
    zeros.drop("people").write_csv("pool.csv")
    Path("l.csv").write_text("item_id,score\n1,3\n2,4\n3,3\n")
    text = refused("estimate", "pool.csv", "--labels", "l.csv", "--value", "score")
    assert 'they match only without leading zeros ("1" is "0001" there)' in text


@pytest.mark.parametrize(
    ("value", "why"),
    [("0", "of 0 means"), ("1.7", "1.7 is above 1"), ("-0.1", "below 0"), (None, "missing")],
)
def test_probabilities_that_are_none(refused, one, value, why):
    change(one, 5, "chance", value)
    text = refused("estimate", one, "--label", "human", "--pi", "chance")
    assert text.startswith("one.csv row 5, column chance:")
    assert why in text


def test_probabilities_off_by_ten_are_warned_of(bacon, one):
    frame = pl.read_csv(one).with_columns(pl.col("chance") / 10)
    frame.write_csv(one)
    text = bacon("estimate", one, "--label", "human", "--pi", "chance").out
    assert "but 30 items are labelled: they may belong to another draw or be off by a" in text


FILES = {
    "empty.csv": (b"", "empty.csv is empty; write a header and one row per item"),
    "head.csv": (b"item_id,judge_a,human\n", "has a header (item_id, judge_a, human) but no rows"),
    "broken.parquet": (b"PAR1 and no more", "broken.parquet is not a whole parquet file"),
    "wide.csv": ("item_id,judge_a\n1,2\n".encode("utf-16"), "is not UTF-8 but looks like UTF-16"),
    "latin.csv": ("item_id,judge_a\né,2\n".encode("latin-1"), "latin.csv line 2 is not UTF-8"),
    "sheet.xlsx": (b"PK\x03\x04", "save the sheet as CSV (UTF-8)"),
    "list.json": (b"[]", "write it as .jsonl, one object a line"),
    "bad.jsonl": (b'{"item_id": 1}\n{oh\n', "bad.jsonl row 2 is not JSON"),
    "notes": (b"item_id\n1\n", "cannot be read by its ending"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("role", ["pool", "labels"])
def test_files_that_cannot_be_read(refused, pool, name, role):
    content, text = FILES[name]
    Path(name).write_bytes(content)
    words = [name, "--label", "human"] if role == "pool" else [pool, "--labels", name]
    assert text in refused("estimate", *words)


def test_a_parquet_file_cut_off(refused, table):
    table.write_parquet("whole.parquet")
    whole = Path("whole.parquet").read_bytes()
    Path("half.parquet").write_bytes(whole[: len(whole) // 2])
    text = refused("estimate", "half.parquet", "--label", "people")
    assert text.startswith("half.parquet is not a whole parquet file")


@pytest.mark.parametrize("name", ["folder", "folder.csv"])
def test_a_directory_is_no_file(refused, name):
    Path(name).mkdir()
    text = refused("estimate", name, "--label", "human")
    assert text == f"{name} is a directory; name one of the files in it."


@pytest.mark.usefixtures("pool")
def test_a_file_that_is_not_there(refused):
    text = refused("estimate", "poool.csv", "--label", "human")
    assert text == "poool.csv does not exist (did you mean pool.csv?); check the path."


def test_a_file_without_rights(refused, one):
    one.chmod(0)
    if os.access(one, os.R_OK):
        pytest.skip("this user reads any file")
    text = refused("estimate", one, "--label", "human")
    assert "one.csv cannot be opened for lack of rights; make it readable" in text


def test_a_number_that_is_none_is_a_usage_error(bacon, one):
    ran = bacon("estimate", one, "--label", "human", "--seed", "seven")
    assert (ran.code, ran.out) == (2, "")
    assert "Invalid value for '--seed'" in ran.err
