from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

from bacon.errors import InputError
from bacon.io.cells import as_levels, as_na, as_text, categories
from bacon.io.numbers import answers, number_column
from bacon.io.tables import Table

NAN = float("nan")


def table(*columns, untyped=True) -> Table:
    return Table(
        "answers.csv",
        pl.DataFrame([pl.Series(f"c{k}", values) for k, values in enumerate(columns)]),
        untyped=untyped,
    )


def numbers(values, **more):
    return number_column(table(values), "c0", role="feature", mend="mend it", **more)


def read(*columns, **more):
    frame = table(*columns)
    return answers(frame, frame.frame.columns, role=more.pop("role", "score"), **more)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2.5", None], [1, 2.5, NAN]),
        ([" 1 ", "+2", "1e-3", ".5"], [1, 2, 0.001, 0.5]),
        (["1", "NaN", "nan", "NAN"], [1, NAN, NAN, NAN]),
        (["1", "", " "], [1, NAN, NAN]),
        (["true", "False", None], [1, 0, NAN]),
        ([True, False, None], [1, 0, NAN]),
        ([1, 2, None], [1, 2, NAN]),
        ([1.5, NAN, None], [1.5, NAN, NAN]),
        ([None, None], [NAN, NAN]),
        (["0.1", "1e22"], [0.1, 1e22]),
    ],
)
def test_cells_that_are_numbers(values, expected):
    np.testing.assert_array_equal(numbers(values), np.array(expected, dtype=float))


def test_decimals_are_numbers():
    column = pl.Series(["1.5", "2.25"]).cast(pl.Decimal(10, 2))
    np.testing.assert_array_equal(numbers(column), [1.5, 2.25])


@pytest.mark.parametrize("word", ["good", "NA", "None", "-", "1_000", "0x10", "3/5"])
def test_a_word_among_numbers(word):
    with pytest.raises(
        InputError, match=rf'answers\.csv row 2, column c0: "{word}" is not a number; mend it\.'
    ):
        numbers(["1", word])


def test_a_decimal_comma_is_explained():
    with pytest.raises(InputError, match=r'row 2, .*"2,5" .*\(write 2\.5, with a point\)'):
        numbers(["1", "2,5"])


@pytest.mark.parametrize("value", ["inf", "-Infinity", "1e400", "2e150", "-1e300"])
def test_infinite_and_overflowing_numbers(value):
    with pytest.raises(InputError, match=rf'row 2, column c0: "{value}" is not a usable feature'):
        numbers(["1", value])
    with pytest.raises(InputError, match=r"row 1, column c0: .* is not a usable score"):
        read([float(value)])


def test_the_largest_usable_number_passes():
    np.testing.assert_array_equal(numbers([1e150, -1e150]), [1e150, -1e150])


@pytest.mark.parametrize("values", [[datetime.date(2024, 1, 1)], [[1.0, 2.0]], [{"a": 1}], [b"x"]])
def test_columns_of_other_types(values):
    with pytest.raises(InputError, match="column c0: a feature holds numbers or words, not"):
        numbers(values)


@pytest.mark.parametrize(
    ("values", "na", "expected"),
    [
        (["1", "NA", "-"], ("NA", "-"), [1, NAN, NAN]),
        ([1, -999, 3], ("-999",), [1, NAN, 3]),
        ([1.5, -999.0, 3.0], ("-999",), [1.5, NAN, 3]),
        ([1.5, -999.0, None], ("good", "-999"), [1.5, NAN, NAN]),
        (["1", "-999"], ("-999",), [1, NAN]),
    ],
)
def test_values_the_user_calls_missing(values, na, expected):
    np.testing.assert_array_equal(numbers(values, na=na), expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [("NA, -", ("NA", "-")), (["NA"], ("NA",)), ([-999.0, -1, 0.5], ("-999", "-1", "0.5"))],
)
def test_missing_values_are_named_in_any_way(given, expected):
    assert as_na(given) == expected


def test_words_are_levels_sorted_by_code_point():
    values, levels = read(["good", "Bad", None, "ok", ""])
    assert levels == ("Bad", "good", "ok")
    np.testing.assert_array_equal(values.ravel(), [1, 0, NAN, 2, NAN])


def test_na_and_none_are_words_like_any_other():
    values, levels = read(["None", "NA", "nan", "Favor"])
    assert levels == ("Favor", "NA", "None", "nan")
    np.testing.assert_array_equal(values.ravel(), [2, 1, 3, 0])


def test_words_called_missing():
    values, levels = read(["None", "yes", "no"], na=("None",))
    assert levels == ("no", "yes")
    np.testing.assert_array_equal(values.ravel(), [NAN, 1, 0])


def test_runs_share_their_levels():
    values, levels = read(["a", "b"], ["c", None])
    assert levels == ("a", "b", "c")
    np.testing.assert_array_equal(values, [[0, 2], [1, NAN]])


def test_runs_in_numbers():
    values, levels = read(["1", "2"], [3.5, None])
    assert levels is None
    np.testing.assert_array_equal(values, [[1, 3.5], [2, NAN]])


def test_a_mixture_names_row_column_value_and_both_mends():
    column = [str(k % 6 + 1) for k in range(100)]
    column[82], column[90], column[91] = "good", "ok", "bad"
    with pytest.raises(InputError) as caught:
        read(column)
    assert str(caught.value) == (
        'answers.csv row 83, column c0: "good" is not a number; give --levels good,ok,bad if the '
        "judge answers in words, or --na good to read it as missing (levels=, na= in Python)."
    )


def test_few_classes_named_by_words_and_numbers_are_all_suggested():
    with pytest.raises(InputError, match=r"row 3, .*give --levels 1,2,tie if the labels are words"):
        read(["1", "2", "tie"], role="label")


def test_a_word_in_one_run_of_a_numeric_judge():
    with pytest.raises(InputError, match=r'row 2, column c1: "good" is not a number'):
        read(["1", "2"], ["3", "good"])


def test_levels_keep_their_order():
    values, levels = read(["ok", "good", None], levels=("bad", "ok", "good"))
    assert levels == ("bad", "ok", "good")
    np.testing.assert_array_equal(values.ravel(), [1, 2, NAN])


@pytest.mark.parametrize("numbers_too", [["1", "2"], [1, 2], [1.0, 2.0]])
def test_levels_may_hold_numbers_beside_words(numbers_too):
    values, levels = read(numbers_too, levels=("1", "2", "tie"))
    assert levels == ("1", "2", "tie")
    np.testing.assert_array_equal(values.ravel(), [0, 1])


def test_levels_leave_numeric_judges_alone():
    values, levels = read(["0.5", "2"], levels=("1", "2", "tie"))
    assert levels is None
    np.testing.assert_array_equal(values.ravel(), [0.5, 2])
    assert read(["1", "2"], levels=("1", "2"))[1] is None


def test_a_word_that_is_none_of_the_levels():
    with pytest.raises(
        InputError, match=r'row 2, column c0: "awful" is none of the levels good,bad; .*--na awful'
    ):
        read(["good", "awful"], levels=("good", "bad"))


@pytest.mark.parametrize("levels", ["a", "", ["a", "a"], "a,b,a"])
def test_levels_that_are_none(levels):
    with pytest.raises(InputError, match="two or more different classes"):
        as_levels(levels)


def test_levels_in_any_form():
    assert as_levels("good, ok,bad") == as_levels(["good", "ok", "bad"]) == ("good", "ok", "bad")
    assert as_levels([1, 2]) == ("1", "2")
    assert as_levels(None) is None


def test_free_text_is_no_judge():
    with pytest.raises(InputError, match=r"column c0: 101 different texts .*free text"):
        read([f"text {k}" for k in range(101)])
    assert len(read([f"text {k:03d}" for k in range(100)])[1]) == 100


def test_a_column_of_decimal_commas_is_no_text_judge():
    with pytest.raises(InputError, match=r'row 1, column c0: "3,5" .*write 3\.5'):
        read(["3,5", "4,2"])


def test_an_empty_column_is_numbers_all_missing():
    values, levels = read([None, "", "NaN"])
    assert levels is None
    assert np.isnan(values).all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 20, None], ["1", "20", None]),
        ([1.0, 20.0], ["1", "20"]),
        ([1.5, 2.0], ["1.5", "2.0"]),
        ([True, False], ["true", "false"]),
        (["a", "007"], ["a", "007"]),
    ],
)
def test_text_of_cells(values, expected):
    assert as_text(pl.Series(values)).to_list() == expected


def test_categories_are_codes_into_sorted_levels():
    found = categories(table(["b", "a", "b"]), "c0", role="group")
    assert (found.name, found.levels) == ("c0", ("a", "b"))
    np.testing.assert_array_equal(found.codes, [1, 0, 1])
    assert found.codes.dtype == np.int64
    assert not found.codes.flags.writeable


@pytest.mark.parametrize("values", [[10, 9, 10], [10.0, 9.0, 10.0], ["10", "9", "10"]])
def test_categories_in_numbers_go_by_their_text(values):
    found = categories(table(values), "c0", role="group")
    assert found.levels == ("10", "9")
    np.testing.assert_array_equal(found.codes, [0, 1, 0])


@pytest.mark.parametrize("values", [["a", None], ["a", ""], ["a", " "], [1.0, NAN]])
def test_missing_category(values):
    with pytest.raises(
        InputError, match=r"answers\.csv row 2, column c0: the group is missing \(1 rows in all\)"
    ):
        categories(table(values), "c0", role="group")


def test_nested_category():
    with pytest.raises(InputError, match="a cluster holds text or numbers"):
        categories(table([[1], [2]]), "c0", role="cluster")
