"""The next command names what it has to and nothing else."""

from __future__ import annotations

import math
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.inspection.cases import N, answers, long_rows

from bacon.inspection.findings import find
from bacon.inspection.roles import infer_roles
from bacon.inspection.suggestion import Suggestion, suggest
from bacon.io.tables import read_table


def suggestion(columns, path="answers.csv") -> Suggestion:
    table = read_table(columns)
    roles = infer_roles(table)
    return suggest(Path(path), roles, find(table, roles))


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_usual_file():
    assert suggestion(answers()).command == (
        "bacon estimate answers.csv --label human --judges 'judge_*' --group system "
        "--cluster prompt_id --scale 1:6"
    )


def test_ids_probabilities_and_words_to_read_as_missing():
    table = answers(
        item_id=None,
        uid=list(range(7, N + 7)),
        prompt_id=None,
        pi=[0.3] * N,
        judge_llama=["N/A", *answers()["judge_gpt"][1:]],
    )
    assert suggestion(table).command == (
        "bacon estimate answers.csv --label human --judges 'judge_*' --id uid --group system "
        "--pi pi --scale 1:6 --na N/A"
    )


def test_no_scale_without_whole_numbers():
    halves = [None if value is None else value / 2 + 0.25 for value in answers()["human"]]
    assert "--scale" not in str(suggestion(answers(human=halves)).command)
    binary = [None if value is None else int(value > 3) for value in answers()["human"]]
    assert "--scale" not in str(suggestion(answers(human=binary)).command)


def test_a_scale_below_zero_is_no_option():
    below = [None if value is None else value - 4 for value in answers()["human"]]
    assert str(suggestion(answers(human=below)).command).endswith("--scale=-3:2")


def test_the_ends_of_a_scale_are_written_in_full():
    label = [[1, 2, 1_234_567][k % 3] if k < 60 else None for k in range(N)]
    assert str(suggestion(answers(human=label)).command).endswith("--scale 1:1234567")


def test_unreadable_judges_are_kept_from_a_draw():
    table = {"item_id": [1, 2, 3], "judge_a": [math.inf, 1.0, 2.0]}
    assert suggestion(table).command == (
        "bacon sample answers.csv --judges '' -n 3 --out to_label.csv"
    )


def test_words_need_no_estimand_since_all_shares_are_the_default():
    label = [("None", "None", "Favor", None)[k % 4] for k in range(N)]
    judge = [("None", "Favor", "Favor", "None")[k % 4] for k in range(N)]
    table = {"item_id": list(range(N)), "judge_a": judge, "human": label}
    assert suggestion(table).command == (
        "bacon estimate answers.csv --label human --judges 'judge_*'"
    )


def test_long_files():
    assert suggestion(long_rows(), "long.jsonl").command == (
        "bacon estimate long.jsonl --label human --judges score --judge-column judge --scale 1:6"
    )


def test_labels_of_one_cluster_name_no_cluster():
    label = [4, 5, *[None] * (N - 2)]
    assert "--cluster" not in str(suggestion(answers(human=label)).command)


@pytest.mark.parametrize("label", [None, [None] * N, [4, *[None] * (N - 1)]])
def test_without_two_labels_items_are_drawn(label):
    assert suggestion(answers(human=label)).command == (
        "bacon sample answers.csv --text answer -n 200 --out to_label.csv"
    )


def test_a_small_pool_is_drawn_whole_and_no_sheet_is_overwritten():
    Path("to_label.csv").touch()
    Path("to_label_2.csv.design.json").touch()
    table = {"item_id": [1, 2, 3], "judge_a": [1, 2, 3]}
    assert suggestion(table).command == "bacon sample answers.csv -n 3 --out to_label_3.csv"


def test_a_census_is_still_estimated_with_a_hint():
    found = suggestion(answers(human=[1 + k % 6 for k in range(N)]))
    assert str(found.command).startswith("bacon estimate answers.csv --label human")
    assert found.hint is not None
    assert "measured by simulate" in found.hint
    assert str(found.hint_command).startswith("bacon simulate answers.csv --label human")


def test_labels_alone_say_where_they_belong():
    found = suggestion({"item_id": [1, 2, 3], "human": [1, 2, 3]}, "labels.csv")
    assert found.command is None
    assert "bacon estimate POOL --labels labels.csv --value human" in str(found.reason)
    rows = {"item_id": [1, 2, 1, 2], "rater": ["a", "a", "b", "b"], "score": [1, 2, 3, 4]}
    assert str(suggestion(rows).reason).endswith("--value score --rater rater")


def test_a_sheet_belongs_to_its_pool():
    Path("to_label.csv.design.json").touch()
    found = suggestion({"order": [1, 2], "item_id": [5, 7], "score": [3, 4]}, "to_label.csv")
    assert found.command is None
    assert "bacon estimate POOL --sample to_label.csv" in str(found.reason)


def test_what_blocks_reading_is_the_reason():
    ids = ["a001", *answers()["item_id"][1:]]
    found = suggestion(answers(item_id=ids))
    assert found.command is None
    assert "rows 1 and 2" in str(found.reason)


@pytest.mark.parametrize(
    "path", ["my file.csv", "-v.csv", "it's.csv", "$HOME.csv", "a;b.csv", "ü.csv"]
)
def test_any_path_is_one_word_for_a_shell(path):
    words = shlex.split(str(suggestion(answers(), path).command))
    assert words[:2] == ["bacon", "estimate"]
    assert Path(words[2]) == Path(path)
    assert not words[2].startswith("-")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize("path", ["a\x1b[31mb.csv", "it's\n\\two.csv", "\x07ü.csv"])
def test_control_characters_of_a_path_are_escaped_and_still_read(path):
    command = str(suggestion(answers(), path).command)
    assert command.isprintable()
    shown = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True
    )
    assert shown.stdout.decode().split("\0")[2] == path
