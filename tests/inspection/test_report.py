"""The report tells what matters within the width, and shows nothing a terminal would obey."""

from __future__ import annotations

import pytest
from tests.inspection.cases import N, answers

from bacon.inspection.findings import find
from bacon.inspection.plain import number, range_of, wrapped
from bacon.inspection.report import check_text
from bacon.inspection.roles import infer_roles
from bacon.inspection.sentences import sentences
from bacon.inspection.suggestion import Suggestion
from bacon.io.tables import read_table
from bacon.words import escaped, listed, shown

NEXT = Suggestion("bacon estimate answers.csv")


def text_of(columns, width=100, source="answers.csv") -> str:
    table = read_table(columns)
    roles = infer_roles(table)
    return check_text(source, roles, find(table, roles), NEXT, width=width)


def said(columns) -> dict[str, str]:
    table = read_table(columns)
    roles = infer_roles(table)
    return {notice.code: notice.message for notice in sentences(roles, find(table, roles))}


def test_the_usual_file():
    lines = text_of(answers()).splitlines()
    assert lines[:11] == [
        "answers.csv: 200 rows, 10 columns",
        "  id          item_id      200 different values",
        "  judges      judge_gpt    2-6, complete",
        "              judge_llama  1-6, 10 missing (5.0 %)",
        "              judge_mini   2 runs, 1-6, complete",
        "  uncertainty 1 column     judge_gpt__entropy",
        "  labels      human        1-6 whole numbers, 60 of 200 filled (30.0 %), looks ordinal",
        "  group       system       5 values, 40 rows each",
        "  cluster     prompt_id    40 values, 5 rows each, each with every system",
        lines[9],
        "The labels so far run over 1:6; widen --scale if people could go further.",
    ]
    assert lines[9].startswith("  text        answer       ")
    assert lines[-2:] == ["Next:", "  bacon estimate answers.csv"]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_lines_keep_to_the_width(shared_data, width):
    for name in ("hanna", "wmt23_ende_mqm", "css_stance"):
        table = read_table(shared_data / f"{name}.parquet")
        roles = infer_roles(table)
        text = check_text(f"{name}.parquet", roles, find(table, roles), NEXT, width=width)
        assert max(map(len, text.splitlines())) <= width


def test_hostile_text_is_shown_as_escapes():
    words = ["\x1b[2Jyes" if k % 3 else "no\u202e" for k in range(N)]
    judge = words[2:] + words[:2]
    text = text_of(
        {"item_id": list(range(N)), "judge_a": judge, "human": words, "bad\tname": [1] * N},
        source="evil\x1b]0;title\x07.csv",
    )
    assert all(line.isprintable() for line in text.splitlines())
    assert "\\x1b[2Jyes" in text
    assert "evil\\x1b]0;title\\x07.csv" in text


def test_long_names_and_classes_are_cut():
    name = "judge_" + "x" * 200
    text = text_of({"item_id": [1, 2, 3], name: [1, 2, 3]}, width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "judge_xxx" in text


def test_few_labels_are_said():
    few = [value if k < 60 else None for k, value in enumerate(answers()["human"])]
    told = said(answers(human=few))
    assert told["few_labels"].startswith(f"{sum(v is not None for v in few)} labels are few")
    assert "few_labels" not in said(answers())


def test_no_labels_and_one_are_said():
    assert "no_labels" in said(answers(human=None))
    assert "One label" in said(answers(human=[4, *[None] * (N - 1)]))["few_labels"]


def test_other_outcomes_are_said():
    told = said(answers(human_tone=answers()["human"]))
    assert told["several_outcomes"] == (
        "human is taken for the labels; people also filled in human_tone (--label takes another)."
    )


def test_judges_above_and_below_people():
    full = answers()["judge_mini_run1"]
    table = {"item_id": list(range(N)), "human": full}
    up = [score + 0.5 - (k % 2) / 10 for k, score in enumerate(full)]
    down = [score - 1.0 + (k % 2) / 10 for k, score in enumerate(full)]
    told = said({**table, "judge_up": up, "judge_down": down})
    assert told["judges_excess"] == (
        "Of 2 judges on the labels' scale, 1 scores higher than people, by 0.45; "
        "1 scores lower than people, by 0.95."
    )
    told = said({**table, "judge_up": up, "judge_more": [score + 0.5 for score in up]})
    assert told["judges_excess"] == (
        "Both judges on the labels' scale score higher than people, by 0.45 to 0.95."
    )


def test_a_wider_scale_of_judges_is_said():
    middle = [None if value is None else min(max(value, 2), 5) for value in answers()["human"]]
    told = said(answers(human=middle))
    assert told["scale_observed"] == (
        "The labels so far run over 2:5; widen --scale if people could go further (judges do: 1-6)."
    )


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1, 6, "1-6"),
        (-1, 1, "-1 to 1"),
        (-2.4, -0.0, "-2.4 to 0"),
        (6e-7, 1, "0-1"),
        (0.0762, 0.8403, "0.0762-0.84"),
        (0, 1234.5, "0-1,234"),
        (3, 3, "always 3"),
        (float("nan"), float("nan"), "no values"),
        (0, 2e12, "0-2e+12"),
    ],
)
def test_ranges(low, high, text):
    assert range_of(low, high) == text


def test_small_helpers():
    assert number(-0.0) == "0"
    assert escaped("a\nb") == "a\\nb"
    assert shown("x" * 20, 10) == "xxxxxxx..."
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert wrapped("aaaa 2.2 % b", 9) == ["aaaa", "2.2 % b"]
    assert wrapped("", 20, begin="  name  ") == ["  name"]
