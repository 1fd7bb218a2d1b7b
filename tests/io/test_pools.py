from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bacon.errors import InputError
from bacon.fingerprint import fingerprint_ids
from bacon.io import read_pool

NAN = float("nan")
COLUMNS = {
    "item_id": ["c", "a", "b"],
    "judge_gpt": [4, 5, None],
    "judge_gpt__entropy": [0.1, 0.2, 0.3],
    "judge_mini_run2": [1.5, 2.0, 3.0],
    "judge_mini_run1": [1, 2, 3],
    "judge_word": ["no", "yes", "no"],
    "human": [4, None, None],
    "system": ["s1", "s2", "s1"],
    "prompt": [10, 9, 10],
    "answer": ["text one", "text two", "text three"],
    "length": [8, 8, 10],
    "chance": [0.5, 1.0, 0.25],
}


def read(changes=(), **roles):
    return read_pool({**COLUMNS, **dict(changes)}, **roles)


def csv_pool(tmp_path, text, **roles):
    (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
    return read_pool(tmp_path / "answers.csv", **roles)


def codes(pool):
    return [notice.code for notice in pool.notices]


def test_every_role():
    pool = read(
        judges="judge_*",
        features="len*",
        group="system",
        cluster="prompt",
        text="answer",
        pi="chance",
        label="human",
    )
    assert pool.source == "dict of columns"
    assert (pool.id_name, pool.ids.tolist()) == ("item_id", ["c", "a", "b"])
    assert pool.order.tolist() == [1, 2, 0]
    assert pool.order.dtype == np.int64
    assert pool.fingerprint == fingerprint_ids(np.array(["a", "b", "c"], dtype=object))
    assert [(j.name, j.runs, j.levels) for j in pool.judges] == [
        ("judge_gpt", ("judge_gpt",), None),
        ("judge_mini", ("judge_mini_run1", "judge_mini_run2"), None),
        ("judge_word", ("judge_word",), ("no", "yes")),
    ]
    np.testing.assert_array_equal(pool.judges[0].scores, [[4], [5], [NAN]])
    np.testing.assert_array_equal(pool.judges[1].scores, [[1, 1.5], [2, 2], [3, 3]])
    np.testing.assert_array_equal(pool.judges[2].scores, [[0], [1], [0]])
    assert pool.feature_names == ("length",)
    np.testing.assert_array_equal(pool.features, [[8], [8], [10]])
    assert pool.group.levels == ("s1", "s2")
    assert pool.cluster.levels == ("10", "9")
    assert pool.text == "answer"
    np.testing.assert_array_equal(pool.pi, [0.5, 1.0, 0.25])
    assert pool.pi_name == "chance"
    assert pool.table.columns == list(COLUMNS)
    assert pool.embeddings is None
    assert [[one.kind for one in judge.uncertainty] for judge in pool.judges] == [
        ["entropy"],
        [],
        [],
    ]
    assert codes(pool) == ["runs_grouped", "judge_scores_missing", "uncertainty_read"]


def test_arrays_are_read_only():
    pool = read(features="length", pi="chance", group="system", embeddings=np.ones((3, 2)))
    arrays = [pool.ids, pool.order, pool.features, pool.pi, pool.embeddings, pool.group.codes]
    assert not any(array.flags.writeable for array in arrays)
    assert not any(judge.scores.flags.writeable for judge in pool.judges)


def test_judges_default_to_the_usual_names():
    assert [judge.name for judge in read().judges] == ["judge_gpt", "judge_mini", "judge_word"]


def test_missing_scores_are_counted_in_one_notice():
    pool = read({"judge_mini_run1": [1, None, None]})
    told = {notice.code: notice.message for notice in pool.notices}
    assert told["judge_scores_missing"] == (
        "Judge scores are missing and stay missing: judge_gpt 1 of 3 (33.3 %), "
        "judge_mini 2 of 6 (33.3 %)."
    )
    assert "judge_mini (2 runs)" in told["runs_grouped"]


def test_a_complete_pool_has_nothing_to_tell():
    assert read(judges="judge_word").notices == ()


def test_globs_take_no_column_with_another_role():
    pool = read(
        {"human": [4, 5, 6], "item_id": [1, 2, 3], "system": [1, 2, 3], "answer": [1, 2, 3]},
        judges="*",
        features="length",
        group="system",
        cluster="prompt",
        text="answer",
        pi="chance",
        label="human",
    )
    assert [judge.name for judge in pool.judges] == ["judge_gpt", "judge_mini", "judge_word"]
    pool = read(judges="judge_gpt", features="*t*", text="answer", group="system", cluster="prompt")
    assert pool.feature_names == ("length",)


def test_labels_may_be_several_columns():
    pool = read({"judge_human1": [1, 2, 3]}, judges="judge_*", label="human,judge_human*")
    assert "judge_human1" not in [judge.name for judge in pool.judges]


@pytest.mark.parametrize(
    ("roles", "other"),
    [
        ({"judges": "human", "label": "human"}, "label"),
        ({"judges": ["judge_gpt", "item_id"]}, "id"),
        ({"judges": "length", "features": "length"}, "a feature"),
        ({"judges": "length", "pi": "length"}, "the inclusion probability"),
    ],
)
def test_a_judge_has_no_other_role(roles, other):
    with pytest.raises(InputError, match=f"is named as a judge and as .*{other}"):
        read(**roles)


def test_a_feature_may_be_a_cluster_but_never_a_label():
    assert read(features="prompt", cluster="prompt").feature_names == ("prompt",)
    with pytest.raises(InputError, match="human is named as a feature and as a label"):
        read(features="human", label="human")


def test_backends_are_remembered():
    assert read_pool(pl.DataFrame(COLUMNS)).backend == "polars"
    assert read_pool(pd.DataFrame(COLUMNS)).backend == "pandas"


def test_a_csv_has_the_same_pool(tmp_path):
    pl.DataFrame(COLUMNS).write_csv(tmp_path / "pool.csv")
    roles = {"features": "length", "group": "system", "cluster": "prompt", "pi": "chance"}
    pool, typed = read_pool(tmp_path / "pool.csv", **roles), read(**roles)
    assert pool.same_as(typed)
    assert pool.group.levels == typed.group.levels
    assert pool.cluster.levels == typed.cluster.levels
    np.testing.assert_array_equal(pool.pi, typed.pi)
    assert pool.table["length"].to_list() == ["8", "8", "10"]


def test_row_order_does_not_change_what_the_pool_is():
    back = {name: values[::-1] for name, values in COLUMNS.items()}
    pool, other = read(), read(back)
    assert pool.fingerprint == other.fingerprint
    assert pool.ids[pool.order].tolist() == other.ids[other.order].tolist()


def test_text_ids_are_ordered_by_code_point():
    ids = ["b", "B", "\u00e9", "z", "10", "9"]
    pool = read_pool({"item_id": ids, "judge_a": range(6)})
    assert pool.ids[pool.order].tolist() == sorted(ids)


def test_rows_are_numbered_without_ids(tmp_path):
    pool = csv_pool(tmp_path, "judge_a\n3\n4\n")
    assert (pool.id_name, pool.ids.tolist()) == ("row", [0, 1])
    assert codes(pool) == ["ids_are_row_numbers"]


def test_levels_for_judges_that_answer_in_numbers_and_words():
    answers = {"item_id": [1, 2, 3], "judge_a": ["1", "tie", "2"], "judge_b": [0.5, 1.5, 2.5]}
    pool = read_pool(answers, levels="1,2,tie")
    assert [judge.levels for judge in pool.judges] == [("1", "2", "tie"), None]
    np.testing.assert_array_equal(pool.judges[0].scores.ravel(), [0, 2, 1])


def test_na_holds_for_judges_and_features():
    answers = {"item_id": [1, 2], "judge_a": ["1", "NA"], "len": [-1, 5], "judge_b": ["NA", "x"]}
    pool = read_pool(answers, features="len", na="NA,-1")
    np.testing.assert_array_equal(pool.judges[0].scores.ravel(), [1, NAN])
    np.testing.assert_array_equal(pool.judges[1].scores.ravel(), [NAN, 0])
    np.testing.assert_array_equal(pool.features.ravel(), [NAN, 5])


@pytest.mark.parametrize(
    ("changes", "roles", "message"),
    [
        ({}, {"judges": "jugde_*"}, r"no column matches 'jugde_\*' .*did you mean judge_"),
        ({}, {"judges": "judge_gtp"}, r"no column judge_gtp .*\(did you mean judge_gpt\?\)"),
        ({}, {"features": "lenght"}, r"no column lenght for the features \(did you mean length"),
        ({}, {"features": "foo*"}, r"no column matches 'foo\*' for the features"),
        ({}, {"group": "sytem"}, r"no column sytem for the group \(did you mean system"),
        ({}, {"cluster": "promt"}, r"no column promt for the cluster \(did you mean prompt"),
        ({}, {"text": "anwser"}, r"no column anwser for the text \(did you mean answer"),
        ({}, {"pi": "chanse"}, r"no column chanse for the inclusion probability \(did you mean ch"),
        ({}, {"label": "humam"}, r"no column humam for the label \(did you mean human"),
        ({}, {"id": "itemid"}, r"no column itemid for the id \(did you mean item_id"),
        ({}, {"judge_column": "judg"}, r"no column judg for the judge or run"),
        ({}, {"run_column": "length"}, "--run-column goes with --judge-column"),
        ({"judge_gpt": [None] * 3}, {}, r"column judge_gpt: every score is missing; give"),
        ({"judge_mini_run2": [""] * 3}, {}, r"column judge_mini_run2: every score is missing"),
        ({"judge_gpt": ["4", "good", "5"]}, {}, r'row 2, column judge_gpt: "good" is not a number'),
        ({"judge_gpt": [1.0, np.inf, 2]}, {}, r'row 2, column judge_gpt: "inf" is not a usable'),
        ({"judge_gpt": [1.0, 2.0, -1e300]}, {}, r"row 3, column judge_gpt: .* at most 1e\+150"),
        ({"judge_mini": [1, 2, 3]}, {}, r"has judge_mini and its runs judge_mini_run1"),
        ({"item_id": ["a", "b", "a"]}, {}, r'rows 1 and 3 both have item_id "a"'),
        ({"item_id": ["a", None, "c"]}, {}, r"row 2, column item_id: the id is missing"),
        ({"item_id": [1.0, 2.5, 3.0]}, {}, r"row 2, column item_id: .*2\.5.* is no id"),
        ({}, {"features": "answer"}, r'row 1, column answer: "text one" .*0/1 column .*--text'),
        ({"system": ["a", None, "b"]}, {"group": "system"}, r"row 2, .*the group is missing"),
        ({"prompt": [1, None, 2]}, {"cluster": "prompt"}, r"row 2, .*the cluster is missing"),
        ({"chance": [0.5, 0, 1]}, {"pi": "chance"}, r"row 2, column chance: .*probability of 0"),
        ({"chance": [0.5, 1.7, 1]}, {"pi": "chance"}, r"row 2, column chance: 1\.7 is above 1"),
        ({"chance": [0.5, -0.1, 1]}, {"pi": "chance"}, r"row 2, .* -0\.1 is below 0"),
        ({"chance": [0.5, NAN, 1]}, {"pi": "chance"}, r"row 2, .*probability is missing"),
        ({"chance": ["1", "x", "1"]}, {"pi": "chance"}, r'row 2, column chance: "x" is not a numb'),
        ({"chance": [0.5, np.inf, 1]}, {"pi": "chance"}, r"row 2, .*not a usable probability"),
    ],
)
def test_refusals(changes, roles, message):
    with pytest.raises(InputError, match=message):
        read(changes, **roles)


def test_a_word_in_a_file_names_file_row_and_mends(tmp_path):
    rows = "\n".join(f"{i},{'good' if i == 83 else i % 6 + 1}" for i in range(1, 101))
    with pytest.raises(InputError) as caught:
        csv_pool(tmp_path, f"item_id,judge_llama\n{rows}\n")
    assert str(caught.value) == (
        'answers.csv row 83, column judge_llama: "good" is not a number; give --levels good if the '
        "judge answers in words, or --na good to read it as missing (levels=, na= in Python)."
    )


def test_one_row_per_judge_hints_at_the_long_form():
    with pytest.raises(
        InputError, match=r"or --judge-column \(judge_column= in Python\) where each row"
    ):
        read_pool({"item_id": [1, 1], "judge_a": [3, 4]})
