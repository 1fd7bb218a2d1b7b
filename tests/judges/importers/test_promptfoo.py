"""Results of promptfoo: named scores, errors, graders that failed, repeats, providers."""

from __future__ import annotations

import pytest
from tests.judges.importers.cases import promptfoo_file, result, write_json, write_lines

from bacon.errors import InputError


def grading(score, *parts):
    """Return a grading result; parts are pairs of metric and whether its grader failed."""
    components = [
        {
            "pass": True,
            "score": 0,
            "assertion": {"type": "llm-rubric", "metric": metric},
            "metadata": {"graderError": True} if failed else {},
        }
        for metric, failed in parts
    ]
    return {"pass": True, "score": score, "componentResults": components}


def test_scores_and_named_scores(tmp_path, rows):
    results = [
        result(0, 0.75, namedScores={"Tone of voice": 0.5}),
        result(1, 1, namedScores={"Tone of voice": "x"}),
    ]
    expected = [
        (0, "judge_Tone_of_voice", 1, 0.5, None),
        (0, "judge_score", 1, 0.75, None),
        (1, "judge_Tone_of_voice", 1, None, "not a number"),
        (1, "judge_score", 1, 1.0, None),
    ]
    assert rows(promptfoo_file(tmp_path / "a.json", results)) == expected
    assert rows(write_lines(tmp_path / "a.jsonl", results)) == expected
    # Older files hold the list of results itself.
    assert rows(write_json(tmp_path / "b.json", {"results": results})) == expected


def test_what_failed_is_never_zero(tmp_path, rows):
    results = [
        result(0, 0, failureReason=2, error="401 Unauthorized", gradingResult=None),
        result(1, 0, failureReason=1, error="Output is too short"),
        result(2, 0, gradingResult=grading(0, ("tone", True)), namedScores={"tone": 0}),
        result(3, 0.5, gradingResult=grading(0.5, ("tone", False)), namedScores={"tone": 0.5}),
        result(4, 0, gradingResult=grading(0, (None, True)), namedScores={"tone": 0.5}),
        {**result(5, 0, error="timed out", gradingResult=None), "failureReason": None},
    ]
    del results[5]["failureReason"]
    by_judge = {}
    for item, judge, _, score, reason in rows(promptfoo_file(tmp_path / "a.json", results)):
        by_judge.setdefault(judge, {})[item] = reason or score
    assert by_judge["judge_score"] == {
        0: "test failed",
        1: 0.0,
        2: "grader failed",
        3: 0.5,
        4: "grader failed",
        5: "test failed",
    }
    assert by_judge["judge_tone"] == {
        0: "test failed",
        1: "no score",
        2: "grader failed",
        3: 0.5,
        4: 0.5,
        5: "test failed",
    }


def test_repeats_are_runs_whatever_the_order(tmp_path, long):
    # promptfoo numbers the repeats of two tests 0, 1 as 0, 2 and 1, 3.
    same = [
        result(test, score, vars={"q": question, "_conversation": test})
        for test, question, score in [(3, "b", 0.3), (0, "a", 0.0), (2, "a", 0.2), (1, "b", 0.1)]
    ]
    frame, imported = long(promptfoo_file(tmp_path / "a.json", same))
    assert frame.select("item_id", "run", "score").rows() == [
        (0, 1, 0.0),
        (0, 2, 0.2),
        (1, 1, 0.1),
        (1, 2, 0.3),
    ]
    assert [n.code for n in imported.notices] == ["repeats_as_runs"]


def test_tests_with_other_assertions_are_other_items(tmp_path, rows):
    one, two = result(0, 0.5, vars={"q": "a"}), result(1, 1.0, vars={"q": "a"})
    two["testCase"] = {**two["testCase"], "assert": [{"type": "contains"}]}
    assert [row[0] for row in rows(promptfoo_file(tmp_path / "a.json", [one, two]))] == [0, 1]


def test_providers_and_prompts_are_items_of_their_own(tmp_path, rows):
    results = [
        result(0, 0.1),
        result(0, 0.2, provider={"id": "x", "label": "local"}),
        result(0, 0.3, promptIdx=1),
    ]
    assert [(row[0], row[3]) for row in rows(promptfoo_file(tmp_path / "a.json", results))] == [
        ("local|0|0", 0.2),
        ("openai:gpt-4o|0|0", 0.1),
        ("openai:gpt-4o|1|0", 0.3),
    ]


def test_items_named_by_a_variable(tmp_path, rows):
    path = promptfoo_file(tmp_path / "a.json", [result(0, 0.5, vars={"essay": "e-9", "q": 1})])
    assert rows(path, item="essay")[0][0] == "e-9"
    with pytest.raises(InputError, match=r"a.json row 1 .* no other that can be an id"):
        rows(path, item="other")


@pytest.mark.parametrize("odd", [None, 7, [], "x"])
def test_results_of_wrong_types(tmp_path, rows, odd):
    with pytest.raises(InputError, match="row 2 cannot be used: it is no JSON object"):
        rows(promptfoo_file(tmp_path / "a.json", [result(), odd]))
    odd_parts = result(1, gradingResult=odd, namedScores=odd, vars=odd, testCase=odd, provider=odd)
    del odd_parts["failureReason"]
    found = rows(promptfoo_file(tmp_path / "a.json", [result(provider=odd), odd_parts]))
    assert [row[3:] for row in found] == [(1.0, None), (None, "not graded")]
