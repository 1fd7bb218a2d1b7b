"""`bacon plan`."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.planning.cases import N, people

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ran

ASKED = ("--label", "human", "--group", "system", "--model", "ridge")
ASSUMED = ("plan", "--r2", "0.5", "--sd", "1.2", "--items", "5000")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A pool of three systems with 90 labels."""
    columns, y = people()
    labelled = np.random.default_rng(3).permutation(N) < 90
    human = pl.Series(np.where(labelled, y, np.nan)).fill_nan(None)
    pl.DataFrame(columns).with_columns(human=human).write_csv(tmp_path / "answers.csv")
    return "answers.csv"


def test_a_width(bacon: Callable[..., Ran], file: str) -> None:
    ran = bacon("plan", "--pilot", file, *ASKED, "--width", "0.2", "--label-cost", "1.5")
    assert ran.code == 0, ran
    lines = ran.out.splitlines()
    assert re.split(" {2,}", lines[0]) == [
        "labels",
        "width with judges",
        "could be",
        "labels alone",
    ]
    found = next(line for line in lines if line.startswith("For a 95 % interval 0.2 wide"))
    assert "labels with the judges" in found
    assert "(pilot of 90: could be" in found
    assert "At 1.50 a label the judges save about" in found
    n = found.split(": ")[1].split(" ")[0]
    assert lines[-2] == (
        "Next, a new draw: the 90 labels of the pilot do not count in it, so every label of it is "
        "to be paid for:"
    )
    options = "--group system --label human"
    assert lines[-1] == f"  bacon sample answers.csv {options} -n {n} --out to_label.csv"


def test_the_json(bacon: Callable[..., Ran], file: str) -> None:
    ran = bacon(
        *("plan", "--pilot", file, *ASKED, "--width", "0.2", "--difference", "0.5"),
        *("--budget", "300", "--label-cost", "1", "--judge-cost", "judge_noise=0.01"),
        *("--two-stage", "300", "--json"),
    )
    assert ran.code == 0, ran
    found = json.loads(ran.out)
    assert found["schema"] == "bacon-plan/1"
    assert (found["source"], found["n_items"], found["n_pilot"]) == ("pilot", N, 90)
    width = found["width"]
    low, high = width["with_judges"]["could_be"]
    assert low < width["with_judges"]["labels"] < high < N
    assert width["with_judges"]["labels"] < width["labels_alone"]["labels"]
    assert found["difference"]["n_comparisons"] == 3
    assert found["budget"]["best"]["labels"] <= 300
    assert len(found["two_stage"]["grid"]) == 9
    codes = {one["code"] for one in found["warnings"]}
    assert "assumed_sample" in codes


def test_an_assumption(bacon: Callable[..., Ran]) -> None:
    ran = bacon(*ASSUMED, "--width", "0.1")
    assert ran.code == 0, ran
    assert "908 labels with the judges, 1,536 without" in ran.out
    assert "Note: Assumed, not measured" in ran.out
    assert ran.out.splitlines()[-1] == "  bacon sample POOL -n 80 --out to_label.csv"
    found = json.loads(bacon(*ASSUMED, "--width", "0.1", "--json").out)
    assert found["width"]["with_judges"] == {
        "labels": 908,
        "could_be": [None, None],
        "could_be_reason": "assumed, not measured",
    }


def test_nothing_asked_is_the_table(bacon: Callable[..., Ran]) -> None:
    ran = bacon(*ASSUMED)
    assert ran.code == 0, ran
    assert "Ask for a --width" in ran.out


def test_a_difference_for_assumed_systems(bacon: Callable[..., Ran]) -> None:
    ran = bacon(*ASSUMED, "--difference", "0.3", "--systems", "4")
    assert "(6 comparisons, all pairs)" in ran.out


def test_what_the_user_gave_goes_on_into_the_command(
    bacon: Callable[..., Ran], file: str, tmp_path: Path
) -> None:
    pl.read_csv(file).rename({"item_id": "answer id"}).with_columns(
        text=pl.lit("what it says")
    ).write_csv(tmp_path / file)
    (tmp_path / "to_label.csv").touch()
    given = ("--judges", "judge_g*,judge_noise", "--id", "answer id", "--text", "text")
    ran = bacon("plan", "--pilot", file, *ASKED, *given, "--na", "x y", "--width", "0.2")
    assert ran.code == 0, ran
    command = ran.out.splitlines()[-1].strip()
    assert command.startswith(
        "bacon sample answers.csv --id 'answer id' --judges 'judge_good_run1,judge_good_run2,"
    ) or command.startswith("bacon sample answers.csv --id 'answer id' --judges 'judge_g*,")
    assert "--text text --group system --label human --na 'x y' -n " in command
    assert command.endswith(" --out to_label_2.csv")
    drawn = bacon(*shlex.split(command)[1:], "--seed", "1")
    assert drawn.code == 0, drawn


def test_the_sheet_of_a_pilot_goes_on_and_its_labels_count(
    bacon: Callable[..., Ran], file: str
) -> None:
    assert bacon("sample", file, "-n", 90, "--seed", 1, "--out", "pilot.csv").code == 0
    y = people()[1]
    sheet = pl.read_csv("pilot.csv")
    sheet.with_columns(score=pl.Series(y[sheet["item_id"].to_numpy()])).write_csv("pilot.csv")
    plan = ("plan", "--pilot", file, "--sample", "pilot.csv", "--model", "ridge")
    ran = bacon(*plan, "--width", "0.2")
    said, command = ran.out.splitlines()[-2:]
    n = int(command.split(" -n ")[1].split()[0])
    assert said == (
        f"Next, the sheet of the pilot made longer: the 90 labels of the pilot count in it, and "
        f"{n - 90} more are to be labelled and paid for:"
    )
    assert command == f"  bacon sample {file} -n {n} --extend pilot.csv --out pilot_2.csv"
    assert bacon(*command.split()[1:]).code == 0
    longer = pl.read_csv("pilot_2.csv")
    assert len(longer) == n
    assert longer["score"].null_count() == n - 90
    enough = bacon(*plan, "--width", "1").out.splitlines()[-1]
    assert (
        enough
        == "Nothing more to draw: the 90 labels of the pilot are as many. Estimate with them."
    )


def test_a_plan_ends_in_a_draw_like_that_of_the_pilot(bacon: Callable[..., Ran], file: str) -> None:
    draw = ("sample", file, "--draw-clusters", "prompt", "-n", 30, "--seed", 1)
    assert bacon(*draw, "--out", "pilot.csv").code == 0
    y = people()[1]
    sheet = pl.read_csv("pilot.csv")
    sheet.with_columns(score=pl.Series(y[sheet["item_id"].to_numpy()])).write_csv("pilot.csv")
    ran = bacon(
        "plan", "--pilot", file, "--sample", "pilot.csv", "--model", "ridge", "--width", 0.2
    )
    assert ran.code == 0, ran
    planned = int(re.search(r"wide: (\d+) labels", ran.out).group(1))
    command = ran.out.splitlines()[-1]
    n = -(-planned // 3)
    assert command == f"  bacon sample {file} -n {n} --draw-clusters prompt --out to_label.csv"


def test_the_widest_difference_is_told_as_that(bacon: Callable[..., Ran], file: str) -> None:
    ran = bacon("plan", "--pilot", file, *ASKED, "--difference", "0.3")
    assert re.search(
        r"Of these differences, that of \w+ and \w+ has the widest interval, which sets the number",
        ran.out,
    )


def test_strata_and_the_command_that_draws_them(bacon: Callable[..., Ran], file: str) -> None:
    ran = bacon("plan", "--pilot", file, *ASKED, "--width", "0.2", "--per-stratum", "judge_noise:3")
    assert ran.code == 0, ran
    assert ran.out.splitlines()[-1].endswith(
        "--strata judge_noise:3 --allocation proportional --out to_label.csv"
    )
    drawn = bacon(*ran.out.splitlines()[-1].split()[1:], "--seed", "1")
    assert drawn.code == 0, drawn


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_figure(bacon: Callable[..., Ran], file: str, ending: str) -> None:
    ran = bacon("plan", "--pilot", file, *ASKED, "--width", "0.2", "--out", f"width.{ending}")
    assert ran.code == 0, ran
    assert ran.made == (f"width.{ending}",)
    if ending == "svg":
        assert ET.parse("width.svg").getroot().tag.endswith("svg")  # noqa: S314 (our own file)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("plan", "--width", "0.1"),
            "give also --r2 and --sd and --items (r2=, sd=, n_items= in Python)",
        ),
        ((*ASSUMED, "--width", "-0.1"), "width must be a number above 0"),
        ((*ASSUMED, "--label", "human"), "--label says how a pilot is read"),
        ((*ASSUMED, "--budget", "100"), "--budget needs the price of a label"),
        ((*ASSUMED, "--budget", "1", "--label-cost", "1"), "too little"),
        ((*ASSUMED, "--budget", "9", "--label-cost", "-1"), "price from 0 up"),
        ((*ASSUMED, "--budget", "9", "--label-cost", "1", "--judge-cost", "x"), "JUDGE=PRICE"),
        ((*ASSUMED, "--per-stratum", "system"), "goes with --width"),
        ((*ASSUMED, "--width", "0.01", "--target", "population"), "still is 0.0665 wide"),
        ((*ASSUMED, "--sd", "1e-200"), "--sd (sd=) must be a number above 0"),
        ((*ASSUMED, "--two-stage", "300"), "needs a pilot"),
        ((*ASSUMED, "--two-stage", "6000"), "needs a pilot"),
        ((*ASSUMED, "--width", "0.1", "--out", "width.pdf"), ".svg or .png"),
        ((*ASSUMED, "--width", "0.1", "--out", "no/width.svg"), "there is no folder"),
    ],
)
def test_refusals(refused: Callable[..., str], words: tuple[str, ...], told: str) -> None:
    assert told in refused(*words)


def test_a_pilot_and_an_assumption_are_refused(refused: Callable[..., str], file: str) -> None:
    assert "not both" in refused("plan", "--pilot", file, *ASKED, "--r2", "0.5")


def test_the_figure_never_replaces_the_pilot(refused: Callable[..., str], file: str) -> None:
    assert "answers.csv is the pool itself" in refused(
        "plan", "--pilot", file, *ASKED, "--out", file
    )


def test_the_table_of_a_tiny_pool_has_rows(bacon: Callable[..., Ran]) -> None:
    ran = bacon("plan", "--r2", "0.5", "--sd", "1", "--items", "12")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:4]] == ["2", "5", "10"]
