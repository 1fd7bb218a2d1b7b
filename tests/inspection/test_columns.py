"""What a column holds is told as the readers would read it."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

from bacon.inspection.columns import Column, describe
from bacon.io.tables import read_table


def column(values: list[object], na: tuple[str, ...] = ()) -> Column:
    return describe(read_table({"x": values}), "x", na)


def test_numbers_have_range_and_missing_cells():
    found = column([3, None, 1, 1])
    assert (found.kind, found.n_missing, found.n_values) == ("numbers", 1, 2)
    assert (found.low, found.high, found.whole, found.row_numbers) == (1.0, 3.0, True, False)
    assert not column([1.5, 2.0]).whole


@pytest.mark.parametrize(
    ("values", "counts"), [([0, 1, 2], True), ([1, 2, 3], True), ([1, 3], False)]
)
def test_row_numbers_count_from_0_or_1(values, counts):
    assert column(values).row_numbers is counts


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b", "a"], "words"),
        ([f"item{k}" for k in range(30)], "names"),
        ([f"This is answer {k} in full." for k in range(30)], "prose"),
        ([None, None], "nothing"),
        (["", " "], "nothing"),
        ([[1.0], [2.0]], "vectors"),
        ([datetime.date(2024, 1, 1)] * 2, "unusable"),
        ([1.0, float("inf")], "unusable"),
        (["1,5", "2,5"], "unusable"),
        (["true", "false"], "numbers"),
    ],
)
def test_kinds(values, kind):
    frame = pl.DataFrame({"x": values})
    assert describe(read_table(frame), "x").kind == kind


def test_a_class_called_none_is_a_class():
    found = column(["None", "Favor", "None", "Against"])
    assert found.classes == ("Against", "Favor", "None")
    assert found.n_missing == 0


def test_words_that_mean_missing_are_told_apart_from_numbers():
    found = column(["1", "2", "N/A", "6"])
    assert (found.kind, found.strays, found.n_missing) == ("numbers", ("N/A",), 1)
    assert (found.low, found.high) == (1.0, 6.0)


def test_one_slip_among_many_numbers_is_a_slip():
    values = [str(1 + k % 6) for k in range(200)]
    values[82] = "good"
    assert column(values).strays == ("good",)


def test_numbers_and_words_in_turn_are_classes():
    found = column(["1", "2", "tie"] * 10)
    assert (found.kind, found.classes, found.strays) == ("words", ("1", "2", "tie"), ())
    assert found.is_mixed


def test_what_the_user_calls_missing_is_missing():
    found = column([1, 2, -9, 3], na=("-9",))
    assert (found.low, found.n_missing) == (1.0, 1)


def test_a_reason_names_the_cell():
    found = column(["1,5", "2,5"])
    assert found.reason is not None
    assert "row 1, column x" in found.reason
