from __future__ import annotations

import os

import polars as pl
import pytest

from bacon.errors import InputError
from bacon.io import read_labels, read_pool
from bacon.io.tables import Table, quoted, read_table


def test_every_kind_of_file_is_read_by_its_ending(tmp_path):
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", None]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.CSV")
    frame.write_csv(tmp_path / "t.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_ndjson(tmp_path / "t.ndjson")
    for name in ("t.parquet", "t.jsonl", "t.ndjson"):
        table = read_table(tmp_path / name)
        assert table.frame.rows() == [(1, "x"), (2, None)]
        assert (table.source, table.backend, table.untyped) == (name, "polars", False)
    for name in ("t.CSV", "t.tsv"):
        table = read_table(str(tmp_path / name))
        assert table.frame.rows() == [("1", "x"), ("2", None)]
        assert table.untyped


def test_categories_of_a_parquet_file_become_text(tmp_path):
    frame = pl.DataFrame({"a": pl.Series(["x", "y"], dtype=pl.Categorical)})
    frame.write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").frame["a"].dtype == pl.String


def test_a_path_is_not_a_pattern(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t[1]*.parquet")
    pl.DataFrame({"a": [2]}).write_parquet(tmp_path / "t1.parquet")
    assert read_table(tmp_path / "t[1]*.parquet").frame["a"].to_list() == [1]


def test_missing_file_suggests_its_neighbour(tmp_path):
    (tmp_path / "answers.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match=r"anwers\.csv does not exist \(did you mean answers\.csv"):
        read_table(tmp_path / "anwers.csv")


def test_missing_folder(tmp_path):
    with pytest.raises(InputError, match=r"pool\.csv does not exist; check the path"):
        read_table(tmp_path / "nowhere" / "pool.csv")


def test_a_name_no_system_takes(tmp_path):
    with pytest.raises(InputError, match="cannot be opened: File name too long"):
        read_table(tmp_path / f"{'x' * 300}.csv")


def test_directory(tmp_path):
    folder = tmp_path / "pool.csv"
    folder.mkdir()
    with pytest.raises(InputError, match="is a directory; name one of the files"):
        read_table(folder)


@pytest.mark.skipif(os.name != "posix", reason="rights work differently here")
@pytest.mark.parametrize("name", ["pool.csv", "pool.parquet", "pool.jsonl"])
def test_no_rights(tmp_path, name):
    path = tmp_path / name
    path.write_text("a\n1\n")
    path.chmod(0)
    root = os.geteuid() == 0
    if root:  # root may read everything
        os.seteuid(65534)
    try:
        with pytest.raises(InputError, match=r"cannot be opened for lack of rights; make it read"):
            read_table(path)
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_empty_file(tmp_path, ending):
    path = tmp_path / f"pool.{ending}"
    path.write_bytes(b"")
    with pytest.raises(InputError, match=rf"pool\.{ending} is empty"):
        read_table(path)


@pytest.mark.parametrize("text", ["a,b\n", "a,b", "a,b\n\n\n", "\ufeffa,b\r\n"])
def test_header_only(tmp_path, text):
    path = tmp_path / "pool.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"pool\.csv has a header \(a, b\) but no rows"):
        read_table(path)


@pytest.mark.parametrize("content", [b"\n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n", b" \n"])
def test_nothing_but_blanks(tmp_path, content):
    path = tmp_path / "pool.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"pool\.csv is empty"):
        read_table(path)


def test_parquet_without_rows_or_columns(tmp_path):
    pl.DataFrame({"a": []}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="but no rows"):
        read_table(tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="has no columns"):
        read_table(pl.DataFrame())


def test_broken_parquet(tmp_path):
    whole = tmp_path / "whole.parquet"
    pl.DataFrame({"a": list(range(1000))}).write_parquet(whole)
    data = whole.read_bytes()
    for broken in (b"a,b\n1,2\n", data[: len(data) // 2], b"PAR1" + bytes(40) + b"PAR1", b"P"):
        path = tmp_path / "broken.parquet"
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"broken\.parquet is not a whole parquet file"):
            read_table(path)


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("t.xlsx", r"save the sheet as CSV \(UTF-8\)"),
        ("t.json", "one object a line"),
        ("t.txt", "parquet, CSV, TSV and JSONL files"),
        ("t", "parquet, CSV, TSV and JSONL files"),
    ],
)
def test_other_endings(tmp_path, name, mend):
    (tmp_path / name).write_text("a\n1\n")
    with pytest.raises(InputError, match=mend):
        read_table(tmp_path / name)


def test_a_table_is_read_once(tmp_path):
    (tmp_path / "t.csv").write_text("item_id,judge_a,y\n007,1,2\n008,2,\n")
    table = read_table(tmp_path / "t.csv")
    assert read_table(table) is table
    assert read_pool(table).ids.tolist() == ["007", "008"]
    assert read_labels(table, value="y").source == "t.csv"


def test_rows_count_from_one_or_from_the_source():
    frame = pl.DataFrame({"a": [5, 6]})
    assert Table("t.csv", frame).place(1, "a") == "t.csv row 2, column a"
    rows = pl.DataFrame({"a": [0, 2499]})
    assert Table("t.csv", frame, rows=rows).place(1, "a") == "t.csv row 2,500, column a"


def test_long_values_are_shortened_in_messages():
    assert quoted("good") == '"good"'
    assert quoted("x" * 41) == '"' + "x" * 37 + '..."'
