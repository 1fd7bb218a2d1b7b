"""`bacon items`: the file it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bacon.calibration.calibrate import calibrate
from bacon.cli.items import parse_flag
from bacon.errors import InputError
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool

OPTIONS = ("--label", "human", "--scale", "1:6", "--model", "ridge")


@pytest.fixture(name="many")
def _many(tmp_path: Path) -> Path:
    """900 items with a good judge, 150 of them labelled."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=900)
    people = np.clip(np.round(3.5 + quality + 0.3 * rng.normal(size=900)), 1, 6)
    human = np.where(rng.permutation(900) < 150, people, np.nan)
    table = {
        "item_id": [f"={k}" if k == 7 else f"a{k}" for k in range(900)],
        "judge_x": np.round(4.0 + quality + 0.3 * rng.normal(size=900), 2),
        "human": pl.Series(human).fill_nan(None),
        "part": ["x", "y", "z"] * 300,
    }
    pl.DataFrame(table).write_csv(tmp_path / "many.csv")
    return Path("many.csv")


def test_the_file_holds_what_python_gives(bacon, one):
    ran = bacon("items", one, *OPTIONS, "--out", "items.csv")
    assert (ran.code, ran.err, ran.made) == (0, "", ("items.csv",))
    pool = read_pool(one, judges="judge_*", label="human")
    labels = read_labels(one, id="item_id", value="human")
    frame = calibrate(pool, labels, scale=(1, 6), model="ridge").items()
    read = pl.read_csv("items.csv")
    assert read.columns == frame.columns
    for name in ("item_id", "rank", "labelled", "lower", "upper"):
        assert read[name].to_list() == frame[name].to_list()
    assert read["score"].to_list() == [float(f"{one:.6g}") for one in frame["score"]]
    assert max(len(str(one)) for one in read["score"]) <= 7
    assert read["label"].to_list() == frame["label"].to_list()


def test_what_is_said(bacon, many):
    flags = ("--flag", "below:3", "--better", "higher")
    ran = bacon("items", many, *OPTIONS, *flags, "--out", "items.csv")
    lines = ran.out.splitlines()
    assert lines[0].startswith("No sample file given: the 150 labelled rows")
    assert lines[1] == (
        "750 of 900 items have a score predicted from the judges; the other 150 show their label."
    )
    assert lines[2].startswith("Intervals that hold the label with 90 %: ")
    assert lines[3].startswith("Flagged as below 3: ")
    assert "of 750 items without a label" in lines[3]
    assert re.search(r"label; at most \S+ % of them falsely \(with 95 %\)\. \d+ labelled", lines[3])
    assert re.match(r"That bound and a best guess of \S+ % come from \d+ labels among", lines[4])
    assert "the model expects" in lines[4]
    assert lines[4].endswith("kept on average over draws, and may be missed in any one.")
    # With 150 labels it takes a share of one in 151 times 0.1.
    assert lines[5] == (
        "Items can be flagged only if 6.6 % of those without a label are, all at once."
    )
    assert lines[-1] == "Written: items.csv"


def test_cells_that_a_spreadsheet_would_run_are_told_and_made_safe(bacon, many, tmp_path):
    ran = bacon("items", many, *OPTIONS, "--out", "items.csv")
    assert "A spreadsheet may change ids such as '=7' (1 of 900)" in ran.out
    assert "=7" in pl.read_csv("items.csv")["item_id"].to_list()
    words = pl.read_csv(many).with_columns(
        human=pl.when(pl.col("human") > 3)
        .then(pl.lit("=good"))
        .when(pl.col("human") > 0)
        .then(pl.lit("poor"))
    )
    words.write_csv(tmp_path / "words.csv")
    made = bacon("items", "words.csv", "--label", "human", "--out", "sets.csv")
    assert made.code == 0, made.err
    assert "Column class: a cell that begins with = + - @" in made.out
    table = pl.read_csv("sets.csv", infer_schema=False)
    assert set(table["class"]) == {"'=good", "poor"}
    assert set(table["label"].drop_nulls()) == {"'=good", "poor"}
    assert set(table["set"]) <= {"'=good", "poor", "'=good | poor"}
    # A parquet file is no spreadsheet and keeps every value.
    bacon("items", "words.csv", "--label", "human", "--out", "sets.parquet")
    assert set(pl.read_parquet("sets.parquet")["class"]) == {"=good", "poor"}


def test_json_is_one_object(bacon, many):
    ran = bacon(
        "items", many, *OPTIONS, "--flag", "above:4", "--fdr", "0.2", "--out", "i.parquet", "--json"
    )
    assert ran.code == 0, ran.err
    record = json.loads(ran.out)
    assert record["schema"] == "bacon-items/1"
    assert record["out"] == "i.parquet"
    frame = pl.read_parquet("i.parquet")
    free = frame.filter(~pl.col("labelled"))
    assert record["flags"]["n_flagged"] == int(free["flagged"].sum()) > 0
    assert record["flags"]["false_share"]["upper"] < 0.7
    assert (record["n_items"], record["n_labels"]) == (900, 150)
    assert [one["code"] for one in record["warnings"]] == [
        "assumed_sample",
        "items_surrogates",
        "items_out_of_fold",
        "better_assumed",
    ]


def test_other_options_reach_the_calibration(bacon, many):
    one = json.loads(
        bacon(
            "items",
            many,
            *OPTIONS,
            "--method",
            "split",
            "--by",
            "part",
            "--level",
            "0.8",
            "--better",
            "lower",
            "--out",
            "i.parquet",
            "--json",
        ).out
    )
    assert (one["method"], one["by"], one["level"], one["better"]) == (
        "split",
        "part",
        0.8,
        "lower",
    )
    frame = pl.read_parquet("i.parquet")
    assert frame.sort("rank")["score"].is_sorted()


def test_a_file_is_replaced_only_if_asked(bacon, one, refused):
    Path("items.csv").write_text("mine")
    assert "exists already" in refused("items", one, *OPTIONS, "--out", "items.csv")
    assert Path("items.csv").read_text() == "mine"
    assert bacon("items", one, *OPTIONS, "--out", "items.csv", "--force").code == 0
    assert Path("items.csv").read_text().startswith("item_id,score")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "items.xlsx"), "--out must end in .csv or .parquet"),
        (("--out", "no/items.csv"), "there is no folder no"),
        (("--out", "i.csv", "--flag", "2"), "--flag must be below:X or above:X"),
        (("--out", "i.csv", "--flag", "below:low"), "--flag must be below:X or above:X"),
        (("--out", "i.csv", "--level", "90"), "level must lie between 0 and 1"),
        (("--out", "i.csv", "--fdr", "0"), "fdr must lie between 0 and 1"),
        (("--out", "i.csv", "--method", "half"), "method must be"),
        (("--out", "i.csv", "--by", "nothing"), "no column 'nothing'"),
    ],
)
def test_what_cannot_be_meant_is_refused(refused, one, options, words):
    assert words in refused("items", one, *OPTIONS, *options)


def test_a_flag_has_a_side_and_a_cut():
    assert parse_flag("below:2") == ("below", 2.0)
    assert parse_flag("above:-1.5") == ("above", -1.5)
    for text in ("below", "under:2", "below:", "below:inf", ""):
        with pytest.raises(InputError, match="--flag must be"):
            parse_flag(text)


def test_a_file_that_is_read_is_never_replaced(bacon, tmp_path):
    table = pl.DataFrame(
        {
            "item_id": range(60),
            "judge_x": [k % 7 for k in range(60)],
            "human": [float(k % 7) if k % 2 else None for k in range(60)],
        }
    )
    pool = tmp_path / "pool.csv"
    table.write_csv(pool)
    before = pool.read_bytes()
    asked = ("items", pool, "--label", "human", "--model", "ridge", "--force", "--out")
    ran = bacon(*asked, pool)
    assert ran.code == 2
    assert "is the pool itself" in ran.err
    assert pool.read_bytes() == before
