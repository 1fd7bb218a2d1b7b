from __future__ import annotations

import json

import numpy as np
import pytest

from bacon.errors import InputError
from bacon.io import read_pool

NAN = float("nan")
ROWS = [
    # item, judge, run, score, system, human, cost
    ("b", "gpt", 1, 4, "s1", None, 0.1),
    ("a", "gpt", 1, 5, "s2", 3, 0.2),
    ("a", "llama", 1, 2, "s2", None, 0.3),
    ("b", "gpt", 2, 6, "s1", None, 0.4),
    ("a", "gpt", 2, None, "s2", 3, 0.5),
]
NAMES = ("item_id", "model", "run", "score", "system", "human", "cost")


def records(rows=ROWS):
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


def read(rows=ROWS, **roles):
    given = {"judges": "score", "judge_column": "model", "run_column": "run", "group": "system"}
    return read_pool(records(rows), **{**given, **roles})


def told(pool):
    return {notice.code: notice.message for notice in pool.notices}


def test_each_judge_becomes_a_column():
    pool = read(label="human")
    assert pool.ids.tolist() == ["b", "a"]
    assert [(judge.name, judge.runs) for judge in pool.judges] == [
        ("gpt", ("gpt_run1", "gpt_run2")),
        ("llama", ("llama_run1",)),
    ]
    np.testing.assert_array_equal(pool.judges[0].scores, [[4, 6], [5, NAN]])
    np.testing.assert_array_equal(pool.judges[1].scores, [[NAN], [2]])
    assert pool.table.columns == [
        "item_id",
        "system",
        "human",
        "gpt_run1",
        "gpt_run2",
        "llama_run1",
    ]
    assert pool.table["human"].to_list() == [None, 3]
    assert pool.group.levels == ("s1", "s2")
    assert "5 rows became 2 items" in told(pool)["long_form"]
    assert told(pool)["columns_left_out"].endswith("left out: cost.")
    assert "llama 1 of 2" in told(pool)["judge_scores_missing"]


def test_repeated_rows_are_runs_in_their_order():
    pool = read(run_column=None)
    assert [(judge.name, judge.runs) for judge in pool.judges] == [
        ("gpt", ("gpt_run1", "gpt_run2")),
        ("llama", ("llama",)),
    ]
    np.testing.assert_array_equal(pool.judges[0].scores, [[4, 6], [5, NAN]])
    assert told(pool)["columns_left_out"].endswith("left out: run, cost.")


def test_one_row_per_item_and_judge():
    pool = read(ROWS[:3], run_column=None)
    assert [(judge.name, judge.runs) for judge in pool.judges] == [
        ("gpt", ("gpt",)),
        ("llama", ("llama",)),
    ]
    assert "runs_grouped" not in told(pool)


def test_runs_with_other_names_are_numbered_in_sorted_order():
    rows = [(i, j, f"seed {r}", *rest) for i, j, r, *rest in ROWS]
    assert read(rows).judges[0].runs == ("gpt_run1", "gpt_run2")
    rows = [(i, j, r + 4, *rest) for i, j, r, *rest in ROWS]
    assert read(rows).judges[0].runs == ("gpt_run5", "gpt_run6")


def test_the_same_pool_as_the_wide_file():
    wide = {
        "item_id": ["b", "a"],
        "gpt_run1": [4, 5],
        "gpt_run2": [6, None],
        "llama_run1": [None, 2],
    }
    assert read().same_as(read_pool(wide, judges="gpt*,llama*"))


def test_jsonl_with_words_as_answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [("x", "m1", "yes"), ("y", "m1", "no"), ("x", "m2", 3), ("y", "m2", 4)]
    lines = [json.dumps({"id": i, "judge": j, "out": {"score": s}}) for i, j, s in rows]
    path.write_text("\n".join(lines))
    pool = read_pool(path, judges="out.score", judge_column="judge")
    assert [(judge.name, judge.levels) for judge in pool.judges] == [
        ("m1", ("no", "yes")),
        ("m2", None),
    ]


def test_messages_name_rows_of_the_file():
    rows = [*ROWS[:4], ("a", "gpt", 2, "good", "s2", 3, 0.5)]
    with pytest.raises(InputError, match=r'row 5, column gpt_run2: "good" is not a number'):
        read(rows)
    rows = [*ROWS, ("c", "gpt", 1, 4, None, None, 0.1)]
    with pytest.raises(InputError, match=r"row 6, column system: the group is missing"):
        read(rows)


@pytest.mark.parametrize(
    ("rows", "roles", "message"),
    [
        (
            [*ROWS, ("b", "gpt", 2, 1, "s1", None, 1)],
            {},
            r"rows 4 and 6 are the same item, judge and run",
        ),
        (
            [*ROWS, ("b", "llama", 1, 1, "s2", None, 1)],
            {},
            r'rows 1 and 6 are the same item but differ in column system \("s1", "s2"\)',
        ),
        (
            [*ROWS, ("a", "llama", 2, 1, "s2", 4, 1)],
            {"label": "human"},
            r'rows 2 and 6 .* differ in column human \("3", "4"\)',
        ),
        ([("a", None, 1, 1, "s", 1, 1)], {}, r"row 1, column model: the judge is missing"),
        ([("a", "m", None, 1, "s", 1, 1)], {}, r"row 1, column run: the run is missing"),
        ([(None, "m", 1, 1, "s", 1, 1)], {}, r"row 1, column item_id: the id is missing"),
        ([("a", "human", 1, 1, "s", 1, 1)], {"run_column": None}, r"judge human in column model"),
        (ROWS, {"judges": "score,cost"}, r"--judges \(judges=\) names 2 columns \(score, cost\)"),
        (
            [("a", "m", 1, 1, "s", 1, 1), ("a", "m_run2", 1, 1, "s", 1, 1)],
            {"run_column": None},
            r"has m and its runs m_run2",
        ),
        (
            [(*("a", judge), k, 1, "s", 1, 1) for k, judge in enumerate(["m", "m", "m_run2"])],
            {"run_column": None},
            r"m_run2 is a judge and a run of one",
        ),
    ],
)
def test_refusals(rows, roles, message):
    with pytest.raises(InputError, match=message):
        read(rows, **roles)


def test_long_rows_need_ids():
    rows = [{"model": "m", "score": 1}]
    with pytest.raises(InputError, match="no column item_id or id"):
        read_pool(rows, judges="score", judge_column="model")


def test_features_of_a_long_file():
    rows = [{**record, "length": len(record["system"])} for record in records()]
    pool = read_pool(rows, judges="score", judge_column="model", run_column="run", features="len*")
    np.testing.assert_array_equal(pool.features, [[2], [2]])
