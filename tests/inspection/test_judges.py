"""Judges are found, and what is no judge is left alone."""

from __future__ import annotations

import math

import pytest
from tests.inspection.cases import N, answers, codes, roles_of

from bacon.inspection.judges import judge_pattern


def unnamed(**changes):
    """The answers without columns called judge_*."""
    gone = {name: None for name in answers() if name.startswith("judge_")}
    return answers(**{**gone, **changes})


def test_judges_runs_and_uncertainty():
    roles = roles_of(answers())
    assert roles.judges == ("judge_gpt", "judge_llama", "judge_mini_run1", "judge_mini_run2")
    assert roles.uncertainty == ("judge_gpt__entropy",)
    assert roles.judge_pattern == "judge_*"


def test_names_of_models_are_judges_with_an_explicit_list():
    table = answers()
    roles = roles_of(
        unnamed(
            gpt4=table["judge_gpt"],
            claude=table["judge_mini_run1"],
            gpt4_cost=[0.1 * (k % 7) for k in range(N)],
            gpt4_reason=[f"It is good, says line {k}." for k in range(N)],
        )
    )
    assert roles.judge_pattern == "gpt4,claude"


def test_nested_scores():
    table = answers()
    columns = {"scores.gpt": table["judge_gpt"], "scores.mine": table["judge_mini_run1"]}
    assert roles_of(unnamed(**columns)).judge_pattern == "scores.*"


def test_columns_of_one_range_are_offered_with_a_word_of_warning():
    table = answers()
    roles = roles_of(
        unnamed(
            alpha=table["judge_gpt"],
            beta=table["judge_mini_run1"],
            age=[20 + k % 50 for k in range(N)],
            late=[k % 2 for k in range(N)],
            row=list(range(N)),
            same=[3] * N,
        )
    )
    assert roles.judge_pattern == "alpha,beta"
    assert codes(roles) == ["judges_by_range"]


def test_one_column_of_unknown_name_is_no_judge():
    assert roles_of(unnamed(alpha=answers()["judge_gpt"])).judges == ()


def test_people_are_never_judges():
    full = [1 + k % 6 for k in range(N)]
    roles = roles_of(answers(judge_human=full, crowd_da=full, rater_1=full, gold_score=full))
    assert not {"judge_human", "crowd_da", "rater_1", "gold_score"} & set(roles.judges)
    assert roles.judge_pattern == "judge_gpt,judge_llama,judge_mini_run1,judge_mini_run2"


def test_the_labels_under_another_name_are_no_judge():
    table = answers()
    roles = roles_of(answers(judge_copy=table["human"]))
    assert "judge_copy" not in roles.judges
    assert codes(roles) == ["judges_copy_labels"]


def test_a_full_copy_of_full_labels_is_no_judge():
    full = [1 + k % 6 for k in range(N)]
    roles = roles_of(answers(human=full, judge_copy=full))
    assert "judge_copy" not in roles.judges
    # One cell of difference, and it is a judge.
    near = [6, *full[1:]]
    assert "judge_copy" in roles_of(answers(human=full, judge_copy=near)).judges


def test_constant_empty_and_unreadable_judges_are_told():
    roles = roles_of(
        answers(
            judge_same=[4] * N,
            judge_none=[math.nan] * N,
            judge_inf=[math.inf, *range(1, N)],
        )
    )
    assert len(roles.judges) == 4
    assert codes(roles) == ["judge_says_nothing", "judge_says_nothing", "judge_unusable"]
    assert "row 1, column judge_inf" in roles.notices[2].message


def test_a_mean_beside_the_runs_is_left_out():
    roles = roles_of(answers(judge_mini=answers()["judge_mini_run1"]))
    assert "judge_mini" not in roles.judges
    assert codes(roles) == ["judge_beside_runs"]


def test_numbered_columns_are_an_embedding():
    dims = {f"emb_{k}": [((k + 3) * j % 17) / 17 for j in range(N)] for k in range(10)}
    roles = roles_of(unnamed(**dims))
    assert roles.judges == ()
    assert roles.embeddings == tuple(dims)


def test_classes_of_the_labels_make_a_judge_of_any_name():
    words = ["yes" if k % 3 else "no" for k in range(N)]
    turned = words[1:] + words[:1]
    nearly = ["no", "no", *words[2:]]
    label = [word if k < 50 else None for k, word in enumerate(words)]
    roles = roles_of(unnamed(human=label, alpha=nearly, beta=turned, colour=["red", "blue"] * 100))
    assert roles.judges == ("alpha", "beta")


@pytest.mark.parametrize(
    ("names", "columns", "pattern"),
    [
        (["judge_a", "judge_b"], ["judge_a", "judge_b", "x"], "judge_*"),
        (["judge_a"], ["judge_a", "judge_b"], "judge_a"),
        (["m_a", "m_b"], ["m_a", "m_b", "x"], "m_*"),
        (["a_score", "b_score"], ["a_score", "b_score", "x"], "*_score"),
        (["m_a_s", "m_b_s"], ["m_a_s", "m_b_s", "m_a_t", "x_s"], "m_*_s"),
        (["a", "b"], ["a", "b", "c"], "a,b"),
        (["a,b", "c"], ["a,b", "c", "d"], "a?b,c"),
    ],
)
def test_the_pattern_takes_exactly_the_judges(names, columns, pattern):
    assert judge_pattern(names, columns, ()) == pattern


def test_a_glob_passes_over_columns_with_a_role():
    assert judge_pattern(
        ["judge_a", "judge_b"], ["judge_a", "judge_b", "judge_id"], {"judge_id"}
    ) == ("judge_*")
