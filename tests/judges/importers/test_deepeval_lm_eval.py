"""Results of deepeval, and samples of lm-evaluation-harness."""

from __future__ import annotations

import pytest
from tests.judges.importers.cases import write_json, write_lines

from bacon.errors import InputError


def case(name, *metrics, **others):
    return {"name": name, "input": "q", "success": True, "metricsData": list(metrics), **others}


def metric(name="Answer Relevancy", score=0.8, **others):
    return {"name": name, "threshold": 0.5, "success": True, "score": score, **others}


CASES = [
    case("c0", metric(evaluationModel="gpt-4.1", evaluationCost=0.02), metric("Bias", 0)),
    case("c1", metric(score=None, success=False, error="Timeout"), metric("Bias", 1)),
    case("c2", metric(score=0, error="invalid JSON")),
    case("c3", metric(score=0.25, success=None), metric("Bias", 0, skipped=True)),
]
FOUND = {
    ("c0", "judge_Answer_Relevancy"): 0.8,
    ("c0", "judge_Bias"): 0.0,
    ("c1", "judge_Answer_Relevancy"): "metric failed",
    ("c1", "judge_Bias"): 1.0,
    ("c2", "judge_Answer_Relevancy"): "metric failed",
    ("c2", "judge_Bias"): "not measured",
    ("c3", "judge_Answer_Relevancy"): 0.25,
    ("c3", "judge_Bias"): "metric skipped",
}


def snake(value):
    """Return the names as deepeval's Python results have them."""
    if isinstance(value, list):
        return [snake(one) for one in value]
    if not isinstance(value, dict):
        return value
    names = {"metricsData": "metrics_data", "evaluationModel": "evaluation_model"}
    return {names.get(name, name): snake(one) for name, one in value.items()}


@pytest.mark.parametrize(
    "document",
    [
        {"testCases": CASES, "conversationalTestCases": []},
        {"testRunData": {"testCases": CASES}},
        {"test_results": snake(CASES), "confident_link": None},
        snake(CASES),
    ],
)
def test_deepeval(tmp_path, long, document):
    frame, _ = long(write_json(tmp_path / "a.json", document))
    found = {(r["item_id"], r["judge"]): r["reason"] or r["score"] for r in frame.to_dicts()}
    assert found == FOUND
    (first,) = frame.filter(item_id="c0", judge="judge_Answer_Relevancy").to_dicts()
    assert first["model"] == "gpt-4.1"


def test_deepeval_costs_and_ids(tmp_path, long):
    frame, _ = long(write_json(tmp_path / "a.json", {"testCases": CASES}))
    assert frame["cost"].sum() == 0.02
    one = case(None, metric(), metric(), order=3, additionalMetadata={"key": "k"})
    path = write_json(tmp_path / "b.json", {"testCases": [one]})
    frame, _ = long(path)
    assert frame["item_id"].to_list() == [3, 3]
    # Two metrics of one name are two judges.
    assert frame["judge"].to_list() == ["judge_Answer_Relevancy", "judge_Answer_Relevancy_2"]
    assert long(path, item="key")[0]["item_id"].to_list() == ["k", "k"]
    with pytest.raises(InputError, match="row 1 cannot be used: it has no other"):
        long(path, item="other")


def test_deepeval_names_twice(tmp_path, rows):
    path = write_json(
        tmp_path / "a.json", {"testCases": [case("c", metric()), case("c", metric())]}
    )
    # deepeval numbers no runs: test cases of one name are runs of one item.
    assert [row[2] for row in rows(path)] == [1, 2]


def doc(k, **others):
    return {
        "doc_id": k,
        "doc": {"key": f"k{k}", "question": "q"},
        "target": "t",
        "arguments": {},
        "resps": [["a"]],
        "filtered_resps": ["a"],
        "filter": "none",
        "metrics": ["acc", "f1"],
        "doc_hash": "h",
        **others,
    }


def test_lm_eval(tmp_path, rows):
    path = write_lines(
        tmp_path / "samples_arc_easy_2025-01-02T03-04-05.678901.jsonl",
        [doc(0, acc=1.0, f1=0.5), doc(1, acc=0, f1=float("nan")), doc(2, acc=True)],
    )
    expected = [
        (0, "judge_acc", 1, 1.0, None),
        (0, "judge_f1", 1, 0.5, None),
        (1, "judge_acc", 1, 0.0, None),
        (1, "judge_f1", 1, None, "score is NaN"),
        (2, "judge_acc", 1, 1.0, None),
        (2, "judge_f1", 1, None, "no score"),
    ]
    assert rows(path) == expected
    assert [row[0] for row in rows(path, item="key", scores=("acc",))] == ["k0", "k1", "k2"]


def test_lm_eval_filters_are_judges_of_their_own(tmp_path, rows):
    path = write_lines(
        tmp_path / "samples_gsm8k.jsonl",
        [
            doc(k, filter=name, metrics=["exact_match"], exact_match=score)
            for k, name, score in [
                (0, "strict-match", 0),
                (0, "flexible-extract", 1),
                (1, "strict-match", 1),
            ]
        ],
    )
    assert rows(path) == [
        (0, "judge_exact_match_flexible-extract", 1, 1.0, None),
        (0, "judge_exact_match_strict-match", 1, 0.0, None),
        (1, "judge_exact_match_strict-match", 1, 1.0, None),
    ]


def test_lm_eval_without_a_list_of_metrics_and_with_lists_as_scores(tmp_path, rows):
    old = doc(0, acc=1.0)
    del old["metrics"]
    assert rows(write_lines(tmp_path / "samples_a.jsonl", [old])) == [
        (0, "judge_acc", 1, 1.0, None)
    ]
    pairs = [doc(0, metrics=["acc", "bleu"], acc=1, bleu=["ref", "pred"])]
    assert rows(write_lines(tmp_path / "samples_b.jsonl", pairs))[1] == (
        0,
        "judge_bleu",
        1,
        None,
        "several values in one score",
    )


def test_lm_eval_tasks_and_models_are_kept_apart(tmp_path, rows):
    paths = []
    for model in ("m1", "m2"):
        for task in ("arc", "mmlu_law"):
            folder = tmp_path / model
            folder.mkdir(exist_ok=True)
            name = f"samples_{task}_2025-01-02T03-04-05.6.jsonl"
            paths.append(write_lines(folder / name, [doc(0, metrics=["acc"], acc=1)]))
    assert [row[0] for row in rows(*paths)] == [
        "arc|m1|0",
        "arc|m2|0",
        "mmlu_law|m1|0",
        "mmlu_law|m2|0",
    ]
    assert [row[0] for row in rows(*paths[:2])] == ["arc|0", "mmlu_law|0"]
