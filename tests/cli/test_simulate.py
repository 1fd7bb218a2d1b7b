"""`bacon simulate`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ran

QUICK = ("--trials", 25, "--config", "ridge")
QUICKEST = ("--trials", 25, "--config", "human-only")


@pytest.fixture(name="full")
def _full(table: pl.DataFrame, tmp_path: Path) -> Path:
    """The pool's file with everyone's label."""
    table.write_csv(tmp_path / "full.csv")
    return Path("full.csv")


def test_a_table_of_configurations(bacon: Callable[..., Ran], full: Path) -> None:
    ran = bacon("simulate", full, "--label", "people", "-n", 30, *QUICK, "--config", "raw-judges")
    assert ran.code == 0, ran
    lines = ran.out.splitlines()
    assert lines[0] == "mean of full, uniform n=30: 25 draws"
    assert [line.split()[0] for line in lines[2:5]] == ["human-only", "ridge", "raw-judges"]
    head = re.split(r"  +", lines[1].strip())
    assert head[:4] == ["bias", "RMSE", "RMSE ratio", "by design"]
    ridge = re.split(r"  +", lines[3].strip())
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d-[01]\.\d\d\)", ridge[3])
    assert re.fullmatch(r"0\.\d{3} \(0\.\d{3}-[01]\.\d{3}\)", ridge[4])
    assert "  ridge errs less than the labels alone: RMSE 0." in ran.out
    assert lines[-1].startswith("In brackets: 99 % Monte Carlo interval of the figure.")
    assert ran.made == ()
    # No terminal, no progress: notes alone.
    assert all(line.startswith("Note: ") for line in ran.err.splitlines())


def test_what_is_kept_goes_on(bacon: Callable[..., Ran], full: Path) -> None:
    words = ("simulate", full, "--label", "people", "-n", 30, "--rate", 0.2, *QUICK)
    first = bacon(*words, "--out", "kept")
    assert first.code == 0, first
    assert "Single draws: kept/results.parquet; these figures: kept/summary.parquet." in first.out
    assert len([name for name in first.made if "/draws/" in name and name.endswith("t")]) == 8
    again = bacon(*words, "--out", "kept")
    assert again.out == first.out
    assert again.made == ()
    summary = pl.read_parquet("kept/summary.parquet")
    assert summary["design"].unique(maintain_order=True).to_list() == [
        "uniform n=30",
        "uniform rate=0.2",
    ]
    changed = bacon(*words, "--out", "kept", "--seed", 1)
    assert changed.code == 2
    assert "holds an experiment with another seed (0, here 1)" in changed.err


def test_workers_change_nothing(bacon: Callable[..., Ran], full: Path) -> None:
    words = ("simulate", full, "--label", "people", "-n", 30, *QUICKEST, "--config", "raw-judges")
    one = bacon(*words, "--out", "one")
    two = bacon(*words, "--out", "two", "--workers", 2)
    assert two.out.replace("two/", "one/") == one.out
    for name in ("results", "summary"):
        assert Path(f"one/{name}.parquet").read_bytes() == Path(f"two/{name}.parquet").read_bytes()


def test_a_simulator_with_fresh_pools(bacon: Callable[..., Ran]) -> None:
    ran = bacon("simulate", "sim:lognormal", "-n", 50, *QUICKEST, "--fresh-pools")
    assert ran.code == 0, ran
    assert ran.out.startswith("mean of sim-lognormal, uniform n=50: 25 draws\n")
    assert "covers population" in ran.out.splitlines()[1]


def test_groups(bacon: Callable[..., Ran], full: Path) -> None:
    ran = bacon("simulate", full, "--label", "people", "-n", 40, *QUICK, "--group", "system")
    assert ran.code == 0, ran
    at = ran.out.index("mean of 3 groups of full, uniform n=40: 25 draws\n")
    head, *rows = ran.out[at:].splitlines()[1:4]
    assert re.split(r"  +", head.strip())[0] == "all hold at once"
    assert [row.split()[0] for row in rows] == ["human-only", "ridge"]
    assert "rank sets hold" in head


def test_figures_and_systems_are_kept(bacon: Callable[..., Ran], full: Path) -> None:
    asked = ("simulate", full, "--label", "people", *QUICKEST, "--config", "ridge", "-n", 30)
    asked = (*asked, "--sweep", "folds=2,5", "--group", "system", "--out")
    ran = bacon(*asked, "kept")
    assert ran.code == 0, ran
    systems, drawn = ran.out.splitlines()[-2:]
    assert systems == "System by system: kept/systems.parquet, kept/systems.md."
    assert drawn.startswith("Drawn, in kept/figures: estimates.svg, ")
    assert drawn.endswith("ranking.svg, scores.svg, sweep-folds.svg.")
    ran = bacon(*asked, "other", "--workers", 2)
    assert ran.code == 0, ran
    files = [one for one in Path("kept").rglob("*") if one.suffix in {".svg", ".md", ".parquet"}]
    same = [one for one in files if not one.name.startswith("timing")]
    assert len(same) > 8
    for one in same:
        assert one.read_bytes() == Path("other", *one.parts[1:]).read_bytes(), one


def test_groups_may_be_the_strata(bacon: Callable[..., Ran], full: Path) -> None:
    asked = ("simulate", full, "--label", "people", "-n", 30, *QUICKEST, "--group", "system")
    ran = bacon(*asked, "--strata", "system")
    assert ran.code == 0, ran
    assert "mean of 3 groups of full, stratified n=30 strata=system: 25 draws\n" in ran.out
    ran = bacon(*asked, "--strata", "judge_mean:3")
    assert ran.code == 2
    assert "stratified by the group" in ran.err


def test_designs_and_estimands(bacon: Callable[..., Ran], full: Path) -> None:
    ran = bacon(
        *("simulate", full, "--label", "people", "-n", 30, *QUICKEST, "--strata", "system"),
        *("--estimand", "quantile:0.5", "--estimand", "proportion:ge:4"),
    )
    assert ran.code == 0, ran
    assert "quantile:0.5 of full, stratified n=30 strata=system: 25 draws" in ran.out
    assert "proportion:ge:4 of full, stratified n=30 strata=system: 25 draws" in ran.out


def test_labels_in_words(bacon: Callable[..., Ran], full: Path) -> None:
    rows = pl.read_csv(full)
    words = rows.with_columns(
        people=pl.when(pl.col("people") >= 4).then(pl.lit("good")).otherwise(pl.lit("bad"))
    )
    words.write_csv("words.csv")
    ran = bacon(
        *("simulate", "words.csv", "--label", "people", "-n", 30, "--trials", 5),
        *("--config", "human-only"),
    )
    assert ran.code == 0, ran
    assert "proportion:eq:bad of words, uniform n=30: 5 draws" in ran.out
    assert "proportion:eq:good of words, uniform n=30: 5 draws" in ran.out


def test_until_precise(bacon: Callable[..., Ran], full: Path) -> None:
    words = ("simulate", full, "--label", "people", "-n", 30, "--config", "human-only")
    ran = bacon(*words, "--trials", 25, "--precise", "--max-trials", 75)
    assert ran.code == 0, ran
    assert ran.out.startswith("mean of full, uniform n=30: 75 draws\n")


def test_many_labels_are_told(bacon: Callable[..., Ran], full: Path) -> None:
    ran = bacon("simulate", full, "--label", "people", "-n", 46, *QUICKEST)
    assert ran.code == 0
    assert "Note: uniform n=46: more than half of the 90 items are labelled" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["full.csv", "-n", 30], "no labels named; give --label COLUMN: column people looks"),
        (["full.csv", "--label", "people"], "how many labels? Give -n NUMBER or --rate SHARE"),
        (["full.csv", "--label", "people", "-n", 90], "at most half of them, 45"),
        (["full.csv", "--label", "people", "-n", 91], "labels all 90 items"),
        (["full.csv", "--label", "peple", "-n", 9], "did you mean people?"),
        (["full.csv", "--label", "people", "-n", 9, "--config", "a b"], "letters, digits and"),
        (["full.csv", "--label", "people", "-n", 9, "--config", "x:y=1"], "is no argument"),
        (["full.csv", "--label", "people", "-n", 9, "--group", "team"], "team"),
        (["full.csv", "--label", "people", "-n", 9, "--trials", 0], "trials must be a whole"),
        (["full.csv", "--label", "people", "-n", 9, "--design", "dice"], "must be one of uniform"),
        (["full.csv", "--label", "people", "-n", 9, "--sweep", "fold=2,5"], "settings are outcome"),
        (
            [
                *("full.csv", "--label", "people", "-n", 9, "--sweep", "folds=2,5"),
                "--config",
                "paper",
            ],
            "human-only, paper: none calibrates",
        ),
        (["full.csv", "--label", "people", "-n", 9, "--again", "x"], "--again goes with --out"),
        (["sim:normal", "-n", 9], "no simulator 'normal'; take one of ordinal"),
        (["sim:mqm", "-n", 9, "--label", "y"], "sim:mqm brings its own columns; leave --label"),
        (["sim:mqm", "-n", 9, "--cluster", "y"], "leave --cluster out"),
        (["sim:mqm", "-n", 9, "--features", "y"], "leave --features out"),
        (["sim:mqm", "-n", 9, "--embeddings", "y"], "leave --embeddings out"),
        (["sim:mqm", "-n", 9, "--levels", "a,b"], "leave --levels out"),
        (["sim:mqm", "-n", 9, "--id", "y"], "leave --id out"),
        (["sim:mqm", "-n", 9, "--na", "y"], "leave --na out"),
        (["sim:mqm", "-n", 9, "--max-trials", 9], "--max-trials goes with --precise"),
        (["sim:mqm", "-n", 9, "--precise", "--max-trials", -4], "whole number from 1 up; got -4"),
        (["gone.csv", "--label", "people", "-n", 9], "gone.csv does not exist"),
    ],
)
def test_refusals(refused: Callable[..., str], full: Path, words: list[object], said: str) -> None:
    assert full.is_file()
    assert said in refused("simulate", *words)


def test_a_missing_label_is_refused(refused: Callable[..., str], one: Path) -> None:
    message = refused("simulate", one, "--label", "human", "-n", 9)
    assert "one.csv, column human: 60 of 90 items have no label" in message


def test_judges_that_are_not_named_are_asked_for(
    refused: Callable[..., str], table: pl.DataFrame, tmp_path: Path
) -> None:
    own = {c: c.replace("judge_", "") + "_score" for c in table.columns if c.startswith("judge_")}
    table.rename(own).write_csv(tmp_path / "own.csv")
    message = refused("simulate", "own.csv", "--label", "people", "-n", 9)
    assert "these look like judges, add --judges '*_score'" in message


def test_a_configuration_that_never_works(bacon: Callable[..., Ran], full: Path) -> None:
    ran = bacon("simulate", full, "--label", "people", "-n", 30, "--config", "nonsense")
    assert ran.code == 1
    assert ran.err.startswith("bacon: configuration nonsense failed in each of the first 25 draws")
    assert "model must be one of" in ran.err
    assert ran.err.count("\n") == 1


def test_ctrl_c(full: Path, tmp_path: Path) -> None:
    words = "simulate full.csv --label people -n 30 --config ridge --trials 5000 --out kept"
    process = subprocess.Popen(
        [sys.executable, "-c", "from bacon.cli.main import main; main()", *words.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob("kept/draws/*/*/0*.parquet")):
        assert time.monotonic() < end
        assert full.name == "full.csv"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "Stopped; the same command goes on where it stopped."


def test_why_groups_have_no_estimate_is_told(
    bacon: Callable[..., Ran], table: pl.DataFrame, tmp_path: Path
) -> None:
    lone = pl.when(pl.int_range(table.height) == 0).then(pl.lit("lone")).otherwise(pl.lit("many"))
    table.with_columns(team=lone).write_csv(tmp_path / "teams.csv")
    ran = bacon("simulate", "teams.csv", "--label", "people", "-n", 9, "--group", "team", *QUICKEST)
    assert ran.code == 0, ran.err
    assert "draws of lone, the first because: " in ran.err
