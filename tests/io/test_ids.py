from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.io.ids import check_unique, read_ids
from bacon.io.matching import find_ids, first_pair, first_seen, unknown_ids
from bacon.io.tables import Table


def table(values, name="item_id", *, untyped=False) -> Table:
    return Table("pool.csv", pl.DataFrame([pl.Series(name, values)]), untyped=untyped)


def words(*values: str):
    return np.array(values, dtype=object)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([3, 1], int),
        (pl.Series([3, 1], dtype=pl.UInt8), int),
        (["b", "a"], str),
        (["7", "8"], str),
    ],
)
def test_typed_ids_stay_what_they_are(values, kind):
    ids = read_ids(table(values), None)
    assert ids.values.tolist() == list(values)
    assert ids.values.dtype == (np.int64 if kind is int else object)
    assert not ids.values.flags.writeable
    assert ids.notices == ()


@pytest.mark.parametrize(
    "values", [["7", "-8", "0"], ["9223372036854775807", "-9223372036854775808"]]
)
def test_untyped_whole_numbers_are_numbers(values):
    ids = read_ids(table(values, untyped=True), None)
    assert ids.values.dtype == np.int64
    assert ids.values.tolist() == [int(value) for value in values]


@pytest.mark.parametrize(
    "values",
    [["007", "8"], ["+7", "8"], ["-0", "1"], ["7", "x"], ["7 ", "8"], ["9223372036854775808", "1"]],
)
def test_other_untyped_ids_are_text_exactly(values):
    ids = read_ids(table(values, untyped=True), None)
    assert ids.values.dtype == object
    assert ids.values.tolist() == values


def test_numbers_beyond_64_bits_are_text():
    values = pl.Series([2**64 - 1, 1], dtype=pl.UInt64)
    assert read_ids(table(values), None).values.tolist() == ["18446744073709551615", "1"]


@pytest.mark.parametrize(("values", "untyped"), [([1.0, 20.0], False), (["1.0", "20.0"], True)])
def test_whole_floats_are_accepted_and_told(values, untyped):
    ids = read_ids(table(values, untyped=untyped), None)
    assert ids.values.tolist() == [1, 20]
    assert ids.values.dtype == np.int64
    assert [notice.code for notice in ids.notices] == ["ids_from_floats"]


@pytest.mark.parametrize("value", [1.5, float("inf"), 2.0**53])
def test_floats_that_are_no_ids(value):
    with pytest.raises(InputError, match=r"pool\.csv row 2, column item_id: .* is no id"):
        read_ids(table([1.0, value]), None)


@pytest.mark.parametrize("values", [["a", None], ["a", ""], [1, None], [1.0, float("nan")]])
def test_missing_ids(values):
    with pytest.raises(
        InputError, match=r"row 2, column item_id: the id is missing \(1 rows in all\)"
    ):
        read_ids(table(values), None)


@pytest.mark.parametrize("values", [[True, False], [[1], [2]]])
def test_ids_of_other_types(values):
    with pytest.raises(InputError, match="ids are whole numbers or text"):
        read_ids(table(values), None)


def test_the_id_column_is_the_one_named_or_the_usual_one():
    frame = pl.DataFrame({"id": [1], "item_id": [2], "key": [3]})
    assert read_ids(Table("t", frame), None).values.tolist() == [2]
    assert read_ids(Table("t", frame.drop("item_id")), None).values.tolist() == [1]
    assert read_ids(Table("t", frame), "key").name == "key"


def test_unknown_id_column():
    with pytest.raises(InputError, match=r"no column item for the id \(did you mean item_id\?\)"):
        read_ids(table([1]), "item")


def test_rows_are_numbered_where_there_is_no_id():
    ids = read_ids(table(["x", "y"], "text"), None, number_rows=True)
    assert (ids.name, ids.values.tolist()) == ("row", [0, 1])
    assert [notice.code for notice in ids.notices] == ["ids_are_row_numbers"]
    assert read_ids(table(["x", "y"], "text"), "row").values.tolist() == [0, 1]
    assert read_ids(table(["x", "y"], "row"), "row").values.tolist() == ["x", "y"]


def test_rows_are_not_numbered_unasked():
    with pytest.raises(InputError, match="no column item_id or id; name the column"):
        read_ids(table(["x"], "text"), None)


def test_some_rows_alone():
    ids = read_ids(table(["a", None, "c"]), None, rows=np.array([0, 2]))
    assert ids.values.tolist() == ["a", "c"]
    assert ids.positions.tolist() == [0, 2]
    with pytest.raises(InputError, match="row 3, column item_id: the id is missing"):
        read_ids(table(["a", None, None]), None, rows=np.array([0, 2]))


@pytest.mark.parametrize("values", [["a", "b", "b", "a"], [1, 7, 7, 1]])
def test_duplicate_ids_name_both_rows(values):
    read = table(values)
    with pytest.raises(
        InputError,
        match=rf'rows 2 and 3 both have item_id "{values[1]}" '
        r"\(rows that repeat an id: 2\); mend it\.",
    ):
        check_unique(read, read_ids(read, None), "mend it")


def test_duplicates_among_some_rows_name_rows_of_the_file():
    read = table(["a", "a", "b", "b"])
    with pytest.raises(InputError, match="rows 3 and 4 both"):
        check_unique(read, read_ids(read, None, rows=np.array([0, 2, 3])), "mend it")


def test_repeats():
    assert first_pair(np.array([1, 2, 3])) == (None, 0)
    assert first_pair(words("a", "b", "b", "a", "b")) == ((1, 2), 3)


def test_order_of_appearance():
    codes, first = first_seen(words("z", "a", "z", "m"))
    assert codes.tolist() == [0, 1, 0, 2]
    assert first.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("known", "wanted", "found"),
    [
        (np.array([5, 3, 9]), np.array([9, 5, 4]), [2, 0, -1]),
        (words("b", "a"), words("a", "c"), [1, -1]),
        (np.array([7, 10]), words("10", "7", "07"), [1, 0, -1]),
        (words("7", "007", "x"), np.array([7, 8]), [0, -1]),
    ],
)
def test_ids_found_among_ids(known, wanted, found):
    assert find_ids(known, wanted).tolist() == found


def test_lost_ids_are_listed_with_an_example():
    known, wanted = words("a1", "a2"), words("b1", "a1", "b2", "b3", "b4")
    said = unknown_ids(known, wanted, find_ids(known, wanted))
    assert said == '"b1", "b2", "b3", ...; give ids as they stand there, such as "a1"'


@pytest.mark.parametrize(
    ("known", "wanted", "example"),
    [
        (words("007", "010"), np.array([7, 10]), '("7" is "007" there)'),
        (np.array([7, 10]), words("007", "010"), '("007" is "7" there)'),
        (words("000", "1"), words("0", "1"), '("0" is "000" there)'),
    ],
)
def test_ids_that_match_only_without_leading_zeros_get_that_mend(known, wanted, example):
    said = unknown_ids(known, wanted, find_ids(known, wanted))
    assert "match only without leading zeros" in said
    assert example in said


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, min_size=1),
    st.randoms(use_true_random=False),
)
def test_every_id_is_found_whatever_its_type(values, random):
    wanted = random.sample(values, len(values))
    expected = [values.index(value) for value in wanted]
    as_text = words(*map(str, values)), words(*map(str, wanted))
    as_numbers = np.array(values, dtype=np.int64), np.array(wanted, dtype=np.int64)
    for known in (as_text[0], as_numbers[0]):
        for looked_for in (as_text[1], as_numbers[1]):
            assert find_ids(known, looked_for).tolist() == expected
