"""`bacon demo`: the main job on simulated essays, the truth beside it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest


@pytest.fixture(name="shown")
def _shown(bacon):
    return bacon("demo")


def test_the_truth_stands_beside_judges_labels_and_bacon(shown):
    assert (shown.code, shown.err, shown.made) == (0, "", ())
    text = shown.out
    assert text.startswith("5,000 simulated essays, scored 1 to 6. Three AI judges score them all")
    assert "People label 200 drawn at random." in text
    rows = {}
    for name in ("BACON", "labels alone", "judges, raw average"):
        (line,) = (line for line in text.splitlines() if line.startswith(name))
        rows[name] = float(re.split(r"\s{2,}", line)[1])
    found = re.search(r"The truth, .*simulated: (\d\.\d{3}), (inside|outside) BACON's", text)
    truth = float(found[1])
    assert abs(rows["BACON"] - truth) < abs(rows["judges, raw average"] - truth) / 3
    low, high = map(float, re.search(r"95 % interval (\S+) to (\S+)\)", text).groups())
    assert found[2] == ("inside" if low - 0.005 <= truth <= high + 0.005 else "outside")


def test_the_shares_show_a_mode_that_people_do_not_have(shown):
    shares = {}
    for line in shown.out.splitlines():
        found = re.fullmatch(r"(\S+) +((?: +\d+%){6})", line)
        if found:
            shares[found[1]] = [int(share) for share in found[2].replace("%", "").split()]
    assert list(shares) == ["people", "judge_generous", "judge_peaked", "judge_noisy"]
    assert shares["judge_peaked"][3] > 2 * shares["people"][3]
    assert abs(sum(shares["people"]) - 100) <= 3


def test_the_same_seed_shows_the_same(bacon, shown):
    assert bacon("demo", "--seed", 1).out == shown.out
    assert bacon("demo", "--seed", 2).out != shown.out


def test_the_essays_can_be_written_and_used(bacon):
    ran = bacon("demo", "--write", "my essays.csv")
    assert (ran.code, ran.made) == (0, ("my essays.csv",))
    check, estimate = (
        shlex.split(line.strip().removeprefix("bacon "))
        for line in ran.out.splitlines()
        if line.startswith("  bacon ")
    )
    assert check == ["check", "my essays.csv"]
    again = bacon(*estimate)
    assert again.code == 0

    def numbers(text):
        return [line for line in text.splitlines() if line.startswith(("BACON", "labels alone"))]

    # Without the sample the draw is assumed, and the folds have another seed.
    assert numbers(again.out)[1] == numbers(ran.out)[1]


@pytest.mark.usefixtures("bacon")
def test_a_file_that_exists_is_kept(refused):
    Path("mine.csv").write_text("mine")
    assert "mine.csv exists already" in refused("demo", "--write", "mine.csv")
    assert Path("mine.csv").read_text() == "mine"


def test_the_same_file_again_is_no_fault(bacon):
    assert bacon("demo", "--write", "essays.csv").code == 0
    assert bacon("demo", "--write", "essays.csv").code == 0
    assert bacon("demo", "--write", "essays.csv", "--seed", 2).code == 2


def test_a_seed_that_is_none(refused):
    assert "seed must be a whole number from 0 up" in refused("demo", "--seed", -1)
