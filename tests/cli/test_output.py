"""Nothing in a file reaches the terminal as a command to it, and JSON stays JSON."""

from __future__ import annotations

import json

import polars as pl
import pytest

from bacon.cli.output import say, say_json

HOSTILE = "\x1b[31mred\x1b[2J\x07 \x9b2J \u202eright\u2066"


def harmless(text):
    return all(sign.isprintable() or sign == "\n" for sign in text)


def test_lines_stay_lines_and_signs_become_escapes(capsys):
    say(f"one\n{HOSTILE}\ntwo é 漢")
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "one"
    assert out.splitlines()[2] == "two é 漢"
    assert harmless(out)
    assert r"\x1b[31mred" in out
    say(HOSTILE, err=True)
    assert harmless(capsys.readouterr().err)


def test_json_reads_back_as_it_was(capsys):
    record = {"name": HOSTILE, HOSTILE: ["é", "漢", "\U000e0001", 1.5, None, True]}
    say_json(record)
    out = capsys.readouterr().out
    assert harmless(out)
    assert out.count("\n") == 1
    assert "é" in out
    assert json.loads(out) == record


def test_not_a_number_is_never_printed():
    with pytest.raises(ValueError, match="not JSON compliant"):
        say_json({"value": float("nan")})


@pytest.fixture(name="hostile")
def _hostile(table):
    """A file whose ids, columns, classes and texts are hostile and long."""
    n = table.height
    ids = [f"{HOSTILE}{k}" for k in range(n)]
    classes = pl.when(pl.col("people") > 4).then(pl.lit(HOSTILE)).otherwise(pl.lit("b" * 3000))
    frame = table.with_columns(
        pl.Series("item_id", ids),
        pl.lit(HOSTILE).alias(f"judge_{HOSTILE}"),
        pl.Series("judge_" + "x" * 3000, [float(k % 5) for k in range(n)]),
        pl.lit(HOSTILE).alias("answer"),
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(classes).alias("human"),
        pl.when(pl.int_range(pl.len()) % 3 == 0).then("people").alias("score"),
    )
    frame.drop("people").write_csv("hostile.csv")
    return "hostile.csv"


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--label", "score"], 0),
        (["--label", "score", "--json"], 0),
        (["--label", "human"], 0),
        (["--label", "human", "--json"], 0),
        (["--label", "human", "--estimand", "mean"], 2),
        (["--label", "score", "--scale", "1:3"], 2),
        (["--label", "score", "--judges", HOSTILE], 2),
        (["--label", "score", "--estimand", HOSTILE], 2),
        (["--label", "score", "--na", HOSTILE], 2),
        (["--labels", "labels.csv", "--value", "score"], 2),
        (["--sample", f"{HOSTILE}.csv"], 2),
        (["--label", "score", "--require", f"{HOSTILE}:ge:3"], 2),
    ],
)
def test_estimate_prints_nothing_hostile(bacon, hostile, words, code):
    pl.DataFrame({"item_id": [f"no {HOSTILE}"], "score": [3]}).write_csv("labels.csv")
    ran = bacon("estimate", hostile, *words)
    assert ran.code == code, ran.err
    assert harmless(ran.out)
    assert harmless(ran.err)
    if "--json" in words:
        json.loads(ran.out)


def test_sample_prints_nothing_hostile(bacon, hostile):
    words = ["-n", 5, "--show", "answer", "--seed", 3]
    ran = bacon("sample", hostile, *words, "--out", "\x1b[31msheet.csv")
    assert ran.code == 0, ran.err
    assert harmless(ran.out)
    assert harmless(ran.err)
    ran = bacon("sample", hostile, "-n", 5, "--show", HOSTILE, "--out", "other.csv")
    assert ran.code == 2
    assert harmless(ran.err)
