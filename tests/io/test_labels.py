from __future__ import annotations

import numpy as np
import pytest

from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.io import read_labels, read_pool
from bacon.io.labels import match_ids, match_labels

NAN = float("nan")


def csv_labels(tmp_path, text, **roles):
    (tmp_path / "labels.csv").write_text(text, encoding="utf-8")
    return read_labels(tmp_path / "labels.csv", **roles)


def codes(labels):
    return [notice.code for notice in labels.notices]


def test_one_file_with_blanks(tmp_path):
    text = "item_id,judge_a,human\na,1,3\nb,2,\nc,3,4.5\nd,4,NaN\n"
    labels = csv_labels(tmp_path, text, value="human")
    assert labels.ids.tolist() == ["a", "c"]
    assert labels.outcomes == ("human",)
    np.testing.assert_array_equal(labels.values, [[3], [4.5]])
    np.testing.assert_array_equal(labels.n_ratings, [[1], [1]])
    assert labels.levels == (None,)
    assert labels.n_raters is None
    assert labels.source == "labels.csv"
    assert labels.notices == ()
    assert not labels.ids.flags.writeable
    assert not labels.values.flags.writeable
    assert labels.n_ratings.dtype == np.int64


def test_empty_rows_need_no_id(tmp_path):
    assert csv_labels(tmp_path, "item_id,y\na,1\n,\n,\n", value="y").ids.tolist() == ["a"]


def test_several_outcomes():
    table = {"id": [1, 2, 3], "h_x": [1, None, 3], "h_y": [None, None, 0.5], "other": [1, 2, 3]}
    labels = read_labels(table, value="h_*")
    assert labels.outcomes == ("h_x", "h_y")
    assert labels.ids.tolist() == [1, 3]
    np.testing.assert_array_equal(labels.values, [[1, NAN], [3, 0.5]])
    np.testing.assert_array_equal(labels.n_ratings, [[1, 0], [1, 1]])
    assert read_labels(table, value=["h_y", "h_x"]).outcomes == ("h_y", "h_x")


def test_wide_raters_are_averaged_over_those_who_answered():
    table = {
        "id": ["a", "b", "c"],
        "r1_tone": [1, None, None],
        "r2_tone": [2, 4, None],
        "r3_tone": [6, 5, None],
    }
    labels = read_labels(table, raters="r*_tone")
    assert labels.outcomes == ("r_tone",)
    assert labels.ids.tolist() == ["a", "b"]
    np.testing.assert_array_equal(labels.values, [[3], [4.5]])
    np.testing.assert_array_equal(labels.n_ratings, [[3], [2]])
    assert labels.n_raters == 3
    assert codes(labels) == ["ratings_averaged"]
    assert read_labels(table, raters="r*_tone", name="tone").outcomes == ("tone",)


def test_one_outcome_may_be_renamed():
    assert read_labels({"id": [1], "y": [3]}, value="y", name="tone").outcomes == ("tone",)
    with pytest.raises(InputError, match="name is for one outcome, and value names 2"):
        read_labels({"id": [1], "y": [3], "z": [3]}, value="y,z", name="tone")


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (["human_rater1_tone", "human_rater2_tone"], "human_rater_tone"),
        (["human1", "human2"], "human"),
        (["rater10", "rater11"], "rater"),
        (["anna", "ben"], "label"),
        (["human1"], "human1"),
    ],
)
def test_wide_raters_name_the_outcome(columns, name):
    table = {"id": [1], **{column: [3] for column in columns}}
    assert read_labels(table, raters=columns).outcomes == (name,)


def test_long_raters_in_the_order_of_first_appearance():
    table = {
        "item_id": ["b", "a", "b", "a", "c", "b"],
        "who": ["p", "p", "q", "q", "p", "r"],
        "y": [1, 2, 4, None, None, 4],
        "z": [None, 2.5, None, None, None, 1],
    }
    labels = read_labels(table, value="y,z", rater="who")
    assert labels.ids.tolist() == ["b", "a"]
    np.testing.assert_array_equal(labels.values, [[3, 1], [2, 2.5]])
    np.testing.assert_array_equal(labels.n_ratings, [[3, 1], [1, 1]])
    assert labels.n_raters == 3
    assert codes(labels) == ["ratings_averaged"]
    assert "1 of 2 items were labelled by several of the 3 raters" in labels.notices[0].message


def test_a_rater_may_leave_a_row_blank_and_answer_in_another():
    table = {"item_id": [1, 1], "who": ["p", "p"], "y": [None, 2]}
    labels = read_labels(table, value="y", rater="who")
    assert labels.values.tolist() == [[2]]
    assert codes(labels) == []


def test_words_are_positions_in_sorted_levels():
    table = {"id": [1, 2, 3, 4], "y": ["None", "Favor", None, "Against"]}
    labels = read_labels(table, value="y")
    assert labels.levels == (("Against", "Favor", "None"),)
    np.testing.assert_array_equal(labels.values.ravel(), [2, 1, 0])
    assert read_labels(table, value="y", na="None").levels == (("Against", "Favor"),)


def test_levels_set_the_order_of_words():
    table = {"id": [1, 2], "y": ["ok", "good"]}
    labels = read_labels(table, value="y", levels="bad,ok,good")
    assert labels.levels == (("bad", "ok", "good"),)
    np.testing.assert_array_equal(labels.values.ravel(), [1, 2])


def test_levels_of_numbers_keep_numbers():
    table = {"id": [1, 2], "y": [1, 3]}
    labels = read_labels(table, value="y", levels="1,2,3")
    assert labels.levels == (None,)
    with pytest.raises(InputError, match=r"row 2, column y: 3 is none of the levels 1,2;"):
        read_labels(table, value="y", levels=[1, 2])
    with pytest.raises(InputError, match=r"row 1, column y: 1 is none of the levels good,bad;"):
        read_labels(table, value="y", levels="good,bad")


@pytest.mark.parametrize(
    ("table", "roles", "message"),
    [
        ({"id": [1], "y": [1]}, {}, "name either value"),
        ({"id": [1], "y": [1]}, {"value": "y", "raters": "y"}, "name either value"),
        ({"id": [1], "y": [1]}, {"value": "score"}, "no column score for the labels"),
        ({"id": [1], "score": [1]}, {"value": "scores"}, r"\(did you mean score\?\)"),
        ({"id": [1], "y": [1]}, {"raters": "r*"}, r"no column matches 'r\*' for the raters"),
        ({"id": [1], "y": [1]}, {"value": "y", "rater": "who"}, "no column who for the rater"),
        ({"id": [1], "y": [1]}, {"value": "y", "id": "item"}, "no column item for the id"),
        ({"key": [1], "y": [1]}, {"value": "y"}, "no column item_id or id; name the column"),
        ({"id": [1, 2], "y": [1, np.inf]}, {"value": "y"}, r'row 2, column y: "inf" is not a us'),
        ({"id": [1, 2], "y": [1, 1e200]}, {"value": "y"}, "row 2, column y"),
        ({"id": [1, 2], "y": ["1", "good"]}, {"value": "y"}, r'row 2, column y: "good" is not a'),
        ({"id": [1, 2], "y": ["a", "b"]}, {"value": "y", "levels": "a,c"}, r'"b" is none of the'),
        ({"id": [1, None], "y": [1, 2]}, {"value": "y"}, r"row 2, column id: the id is missing"),
        ({"id": [1, 2, 1], "y": [1, 2, 3]}, {"value": "y"}, r"rows 1 and 3 both have id .*--rater"),
        (
            {"id": [5, 2, 5], "y": [1, 2, 3], "who": ["p", "p", "p"]},
            {"value": "y", "rater": "who"},
            r'rows 1 and 3 are both a label of id "5" by who "p"',
        ),
        (
            {"id": [1, 1], "y": [1, 2], "who": ["p", None]},
            {"value": "y", "rater": "who"},
            "row 2, column who: the rater is missing",
        ),
        (
            {"id": [1, 2, 2], "y": ["a", "b", "a"], "who": ["p", "p", "q"]},
            {"value": "y", "rater": "who"},
            r'row 2, column y: item "2" has 2 labels in words',
        ),
        (
            {"id": [1, 2], "r1": ["a", "b"], "r2": [None, "b"]},
            {"raters": "r1,r2"},
            r'row 2, column r1: item "2" has 2 labels in words, .*one label per item',
        ),
    ],
)
def test_refusals(table, roles, message):
    with pytest.raises(InputError, match=message):
        read_labels(table, **roles)


@pytest.mark.parametrize("cells", [[None, None], ["", " "], [NAN, NAN], ["NA", "NA"]])
def test_no_labels_at_all(cells):
    with pytest.raises(TooFewLabelsError, match="has no label in column y; fill in some"):
        read_labels({"id": [1, 2], "y": cells}, value="y", na="NA")


def test_an_outcome_without_labels_is_named():
    with pytest.raises(TooFewLabelsError, match="no label in column z"):
        read_labels({"id": [1, 2], "y": [1, 2], "z": [None, None]}, value="y,z")


def pool_of(ids):
    return read_pool({"item_id": list(ids), "judge_a": list(range(len(ids)))})


def test_labels_find_their_rows():
    labels = read_labels(
        {"item_id": ["d", "a", "b"], "y": [4, 1, None], "z": [None, 9, 2]}, value="y,z"
    )
    pool = pool_of("abcd")
    rows, y, n_ratings = match_labels(pool, labels, "y")
    assert rows.tolist() == [0, 3]
    assert y.tolist() == [1, 4]
    assert n_ratings.tolist() == [1, 1]
    assert match_labels(pool, labels, "z")[0].tolist() == [0, 1]


def test_the_only_outcome_needs_no_name():
    labels = read_labels({"item_id": ["b"], "y": [4]}, value="y")
    assert match_labels(pool_of("abcd"), labels)[0].tolist() == [1]


@pytest.mark.parametrize(
    ("outcome", "message"),
    [(None, "has the outcomes tone, style; name one"), ("tune", r"no outcome tune \(did you mean")],
)
def test_outcomes_are_named_rightly(outcome, message):
    labels = read_labels({"id": ["a"], "tone": [1], "style": [2]}, value="tone,style")
    with pytest.raises(InputError, match=message):
        match_labels(pool_of("abcd"), labels, outcome)


@pytest.mark.parametrize(("pool_ids", "ids"), [([10, 7], ["7"]), (["10", "7"], [7])])
def test_whole_numbers_match_text_of_exactly_their_digits(pool_ids, ids):
    labels = read_labels({"id": ids, "y": [3]}, value="y")
    assert match_labels(pool_of(pool_ids), labels)[0].tolist() == [1]


def test_labels_of_other_items():
    labels = read_labels({"id": ["a", "x", "y", "z", "w"], "y": [1] * 5}, value="y")
    with pytest.raises(
        DesignError,
        match=r"4 of the 5 labelled items of dict of columns are not in .*: .x., .y., .z., \.",
    ):
        match_labels(pool_of("abcd"), labels)


def test_lost_leading_zeros_are_refused_with_that_mend(tmp_path):
    labels = csv_labels(tmp_path, "item_id,y\n7,1\n10,2\n", value="y")
    with pytest.raises(
        DesignError, match=r'match only without leading zeros \("7" is "007" there\), so write'
    ):
        match_labels(pool_of(["007", "010", "100"]), labels)


def test_ids_keep_their_order():
    assert match_ids(pool_of("abcd"), np.array(["c", "a"], dtype=object)).tolist() == [2, 0]
    with pytest.raises(DesignError, match=r"1 of the 1 drawn items are not in"):
        match_ids(pool_of("abcd"), np.array([5]), whose="drawn items")
