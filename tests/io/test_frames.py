from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bacon.errors import InputError
from bacon.io.frames import from_values, to_backend
from bacon.io.tables import read_table


@pytest.mark.parametrize(
    ("library", "make"),
    [("polars", pl.DataFrame), ("pandas", pd.DataFrame), ("pyarrow", pa.table)],
)
def test_frames_of_every_library(library, make):
    table = read_table(make({"id": [1, 2], "x": [1.5, 2.5], "t": ["a", "b"], "b": [True, False]}))
    assert table.backend == library
    assert table.source == f"{library} frame"
    assert table.frame.rows() == [(1, 1.5, "a", True), (2, 2.5, "b", False)]
    assert table.frame.dtypes == [pl.Int64, pl.Float64, pl.String, pl.Boolean]


def test_missing_values_of_pandas():
    frame = pd.DataFrame(
        {
            "x": [1.5, np.nan],
            "t": pd.Series(["a", np.nan], dtype=object),
            "s": pd.Series(["a", None], dtype="str"),
            "i": pd.array([1, None], dtype="Int64"),
            "b": pd.Series([True, None], dtype=object),
            "c": pd.Categorical(["u", None]),
        }
    )
    assert read_table(frame).frame.rows() == [(1.5, "a", "a", 1, True, "u"), (None,) * 6]


def test_mixed_objects_of_pandas_become_text():
    frame = pd.DataFrame({"x": pd.Series([3, "good", pd.NA], dtype=object)})
    assert read_table(frame).frame["x"].to_list() == ["3", "good", None]


def test_named_index_of_pandas_is_a_column():
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["p", "q"], name="item_id"))
    assert read_table(frame).frame.rows() == [("p", 1), ("q", 2)]
    assert read_table(frame.reset_index(drop=True)).frame.columns == ["x"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2]], columns=["judge_a", "judge_a"]),
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["judge_a", "judge_a"]),
    ],
)
def test_duplicate_column_names(frame):
    with pytest.raises(InputError, match="has the column name judge_a 2 times"):
        read_table(frame)


@pytest.mark.parametrize("source", [None, 3, np.zeros((2, 2)), object()])
def test_what_is_no_table(source):
    with pytest.raises(InputError, match="is no table; give a path"):
        read_table(source)


def test_lazy_frame_names_the_mend():
    with pytest.raises(InputError, match=r"\.collect\(\)"):
        read_table(pl.DataFrame({"a": [1]}).lazy())


def test_dict_of_columns():
    columns = {
        "id": ["a", "b"],
        "x": np.array([1, 2]),
        "y": pl.Series([0.5, None]),
        "z": pd.Series([1.0, 2.0]),
        7: (1, 2),
    }
    table = read_table(columns)
    assert table.source == "dict of columns"
    assert table.frame.rows() == [("a", 1, 0.5, 1.0, 1), ("b", 2, None, 2.0, 2)]
    assert table.frame.columns == ["id", "x", "y", "z", "7"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1, 2], "b": [1]}, r"different lengths \(a 2, b 1\)"),
        ({"a": np.zeros((2, 1))}, r"a is an array of shape \(2, 1\).*\.ravel\(\)"),
        ({"a": 3}, "a is a int; give a list"),
        ({"a": "abc"}, "a is a str; give a list"),
        ({"a": [object()]}, "values of type object in column a"),
        ({"a": [[1], ["x"]]}, "values of type list in column a"),
        ({1: [1], "1": [2]}, "column name 1 2 times"),
        ({}, "has no columns"),
        ({"a": []}, "but no rows"),
    ],
)
def test_bad_dicts(columns, message):
    with pytest.raises(InputError, match=message):
        read_table(columns)


def test_list_of_dicts():
    table = read_table([{"id": 1, "judge": {"a": 2}}, {"id": 2}])
    assert table.frame.rows() == [(1, 2), (2, None)]
    assert table.frame.columns == ["id", "judge.a"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "is empty"),
        ([{"a": 1}, [1]], "Row 2 of the list is a list"),
        ([{"a": 1}, {"a": [1]}], "row 2, column a: an array"),
    ],
)
def test_bad_lists(records, message):
    with pytest.raises(InputError, match=message):
        read_table(records)


def test_extension_types_of_pandas():
    frame = pd.DataFrame(
        {
            "f": pd.array([1.5, None], dtype="Float64"),
            "s": np.array([1.5, 2.5], dtype=np.float32),
            "d": pd.to_datetime(["2024-01-01", None]),
        }
    )
    assert read_table(frame).frame["f"].to_list() == [1.5, None]
    assert read_table(frame).frame["s"].to_list() == [1.5, 2.5]
    assert read_table(frame).frame["d"].dtype.is_temporal()


def test_vectors_of_text():
    columns = {"a": np.array(["x", "y"]), "b": np.array([1, "z"], dtype=object)}
    assert read_table(columns).frame.rows() == [("x", "1"), ("y", "z")]


def test_half_a_surrogate_pair():
    with pytest.raises(InputError, match="column a that is not valid Unicode"):
        read_table({"a": ["\ud800"]})


def test_numpy_numbers_in_lists():
    assert from_values("x", [np.int64(3), np.int32(4), None], "t").to_list() == [3, 4, None]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_results_go_back_to_the_library_they_came_from(library):
    frame = pl.DataFrame({"id": ["a", "b"], "x": [1.5, None], "n": [1, 2]})
    result = to_backend(frame, library)
    assert type(result).__module__.split(".")[0] == library
    assert read_table(result).backend == library
    assert read_table(result).frame.equals(frame)
