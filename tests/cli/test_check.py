"""`bacon check` ends in a command that runs as printed, on whatever file it is given."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.inspection.cases import N, answers, frame, long_rows
from typer.testing import CliRunner

from bacon.cli.main import app
from bacon.errors import InputError

QUICK = ("css_stance", "pandalm_testset", "summeval")
LARGE = ("wmt20_ende_mqm", "wmt23_ende_mqm", "hanna", "llmjudge_trecdl23", "rewardbench2_runs")
REAL = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)]


def run(*words: str) -> str:
    """Output of a command that has to work."""
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def next_of(path: Path | str, *options: str) -> list[str]:
    """The words of the command under Next, the same in text and JSON."""
    lines = run("check", str(path), *options).splitlines()
    printed = lines[lines.index("Next:") + 1].strip()
    assert json.loads(run("check", str(path), *options, "--json"))["next"] == printed
    program, *words = shlex.split(printed)
    assert program == "bacon"
    return words


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder, where the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def blanked(table: pl.DataFrame, n: int) -> pl.DataFrame:
    """Keep n labels, drawn at random, in the column human."""
    drawn = np.zeros(table.height, dtype=bool)
    drawn[np.random.default_rng(2).permutation(table.height)[:n]] = True
    return table.with_columns(human=pl.when(pl.Series(drawn)).then(pl.col("human")))


@pytest.mark.parametrize("name", REAL)
def test_next_runs_on_real_files_with_200_labels(shared_data, name):
    blanked(pl.read_parquet(shared_data / f"{name}.parquet"), 200).write_parquet("pool.parquet")
    words = next_of("pool.parquet")
    assert words[0] == "estimate"
    record = json.loads(run(*words, "--json"))
    assert record["n_labels"] == 200
    numbers = record["classes"] if record["estimand"] == "shares" else [record]
    assert all(number["estimate"] is not None for number in numbers)


@pytest.mark.parametrize("name", REAL)
def test_next_runs_on_real_files_as_they_are(shared_data, name):
    words = next_of(shared_data / f"{name}.parquet")
    assert words[:4] == ["estimate", str(shared_data / f"{name}.parquet"), "--label", "human"]
    run(*words)


def test_the_hint_for_a_census_runs_too(shared_data):
    path = shared_data / "css_stance.parquet"
    record = json.loads(run("check", str(path), "--json"))
    words = shlex.split(record["hint_command"])[1:]
    assert words[0] == "simulate"
    assert words[-2:] == ["--trials", "50"]
    run(*words[:-1], "2")


def test_the_hint_for_a_census_of_numbers_runs_too():
    table = answers(human=[1 + k % 6 for k in range(len(answers()["human"]))])
    write("answers.csv", table)
    words = shlex.split(json.loads(run("check", "answers.csv", "--json"))["hint_command"])[1:]
    assert words[0] == "simulate"
    run(*words[:-1], "2")


def test_the_scores_of_a_sheet_are_labels_of_people(tmp_path):
    run(*next_of(write("answers.csv", answers(human=None))))
    sheet = pl.read_csv("to_label.csv", infer_schema=False)
    score = pl.Series([str(1 + k % 5) for k in range(len(sheet))])
    sheet.with_columns(score=score).write_csv("to_label.csv")
    out = run("check", "to_label.csv")
    assert "labels      score" in out
    assert "No column holds human labels yet" not in out
    assert "judges" not in out
    assert (tmp_path / "to_label.csv").exists()


def test_other_columns_that_look_like_judges_are_told():
    write("answers.csv", answers() | {"gpt_score": answers()["judge_gpt"]})
    out = " ".join(run("check", "answers.csv").split())
    assert "These also look like judges: gpt_score; to use them, add --judges" in out
    told = "Note: These also look like judges: gpt_score; to use them, add --judges "
    words = ("estimate", "answers.csv", "--label", "human", "--model", "ridge")
    assert f"{told}'judge_*,gpt_score'." in run(*words)
    assert "also look like" not in run(*words, "--judges", "judge_*")


def write(name: str, columns: dict[str, Any]) -> str:
    """Write the columns in the format of the name."""
    table = pl.DataFrame(columns, strict=False)
    if name.endswith(".jsonl"):
        rows = "\n".join(json.dumps(row) for row in table.iter_rows(named=True))
        Path(name).write_text(rows, encoding="utf-8")
    elif name.endswith(".parquet"):
        table.write_parquet(name)
    else:
        table.write_csv(name, separator="\t" if name.endswith(".tsv") else ",")
    return name


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "my answers (2).csv"])
def test_next_runs_on_every_format(name):
    words = next_of(write(name, answers()))
    assert words[:4] == ["estimate", name, "--label", "human"]
    assert json.loads(run(*words, "--json"))["scale"] == [1.0, 6.0]


WORDS = [("Favor", "None", "Against")[k % 3] for k in range(N)]
HALF = [word if k % 2 else None for k, word in enumerate(WORDS)]
TIES = [("1", "2", "tie")[k % 3] for k in range(N)]

FILES = {
    "nested scores": (
        "a.jsonl",
        {
            "id": list(range(N)),
            "scores": [
                {"gpt": a, "claude": b}
                for a, b in zip(answers()["judge_gpt"], answers()["judge_mini_run1"], strict=True)
            ],
            "human": answers()["human"],
        },
    ),
    "long": ("a.jsonl", long_rows()),
    "long by model": ("a.jsonl", long_rows(judge=None, model=long_rows()["judge"])),
    "named judges": (
        "a.csv",
        {
            "uid": [f"u{k}" for k in range(N)],
            "gpt-4": answers()["judge_gpt"],
            "claude": answers()["judge_mini_run1"],
            "human_score": answers()["human"],
        },
    ),
    "one range": (
        "a.csv",
        {
            "alpha": answers()["judge_gpt"],
            "beta": answers()["judge_mini_run1"],
            "human": answers()["human"],
        },
    ),
    "text labels": (
        "a.csv",
        {"item_id": list(range(N)), "judge_a": WORDS[1:] + WORDS[:1], "human": HALF},
    ),
    "numbers and words as classes": (
        "a.csv",
        {
            "item_id": list(range(N)),
            "judge_a": TIES[1:] + TIES[:1],
            "human": [word if k % 2 else None for k, word in enumerate(TIES)],
        },
    ),
    "words among numbers": ("a.csv", answers(judge_gpt=["N/A", *answers()["judge_llama"][1:]])),
    "one system a prompt": ("a.csv", answers(item_id=answers()["prompt_id"], prompt_id=None)),
    "no ids": ("a.csv", answers(item_id=None)),
    "probabilities": ("a.csv", answers(pi=[0.3] * N)),
    "two labels": ("a.csv", answers(human=[4, 5, *[None] * (N - 2)])),
    "names with spaces": (
        "a.csv",
        {
            "ID": list(range(N)),
            "GPT score": answers()["judge_gpt"],
            "Llama, new": answers()["judge_llama"],
            "Gold label": answers()["human"],
        },
    ),
    "below zero": (
        "a.csv",
        answers(human=[None if value is None else value - 4 for value in answers()["human"]]),
    ),
}


@pytest.mark.parametrize("case", list(FILES))
def test_next_runs_on_files_of_every_kind(case):
    name, columns = FILES[case]
    words = next_of(write(name, columns))
    assert words[0] == "estimate"
    record = json.loads(run(*words, "--json"))
    numbers = record["classes"] if record["estimand"] == "shares" else [record]
    assert all(number["estimate"] is not None for number in numbers)
    assert record["n_items"] == N


@pytest.mark.parametrize("changes", [{"human": None}, {"human": [None] * N}])
def test_without_labels_next_draws_a_sheet(folder, changes):
    words = next_of(write("answers.csv", answers(**changes)))
    assert words[:2] == ["sample", "answers.csv"]
    run(*words)
    assert (folder / "to_label.csv").is_file()
    # The sheet is taken by now, so the next one has another name.
    assert next_of("answers.csv")[-1] == "to_label_2.csv"


NO_LABELS = {
    "long": ("a.jsonl", long_rows(human=None)),
    "nested scores": ("a.jsonl", {**FILES["nested scores"][1], "human": [None] * N}),
    "classes": ("a.csv", {"item_id": list(range(N)), "judge_a": TIES, "judge_b": TIES[::-1]}),
    "words among numbers": (
        "a.csv",
        answers(human=None, judge_gpt=["N/A", *answers()["judge_llama"][1:]]),
    ),
    "no readable judge": ("a.csv", {"item_id": list(range(N)), "judge_none": [None] * N}),
    "no judge at all": ("a.csv", {"item_id": list(range(N)), "note": [f"n {k}" for k in range(N)]}),
    "a judge without scores": ("a.csv", answers(human=None, judge_none=[None] * N)),
}


@pytest.mark.parametrize("case", list(NO_LABELS))
def test_next_draws_from_files_of_every_kind(folder, case):
    name, columns = NO_LABELS[case]
    words = next_of(write(name, columns))
    assert words[0] == "sample"
    run(*words)
    assert (folder / "to_label.csv").is_file()


def test_a_sheet_is_recognised():
    run(*next_of(write("answers.csv", answers(human=None))))
    out = run("check", "to_label.csv")
    assert "Next: nothing can run yet. This is a labelling sheet" in out


def test_the_label_and_missing_values_the_user_names():
    table = answers(tone=[-9 if value is None else value for value in answers()["human"]])
    write("answers.csv", table)
    words = next_of("answers.csv", "--label", "tone", "--na", "-9")
    assert words[words.index("--label") + 1] == "tone"
    assert "--na=-9" in words
    assert json.loads(run(*words, "--json"))["n_labels"] == 60


def test_an_unknown_label_is_refused():
    write("answers.csv", answers())
    with pytest.raises(InputError, match="no column humen"):
        CliRunner().invoke(
            app, ["check", "answers.csv", "--label", "humen"], catch_exceptions=False
        )


def test_json_is_one_object_without_the_text():
    frame().write_csv("answers.csv")
    out = run("check", "answers.csv", "--json")
    assert out.count("\n") == 1
    record = json.loads(out)
    assert {"schema", "roles", "findings", "next"} <= record.keys()
    assert record["source"] == "answers.csv"
