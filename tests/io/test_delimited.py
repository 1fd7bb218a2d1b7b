from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.io.tables import read_table


def read(tmp_path, content: str | bytes, name: str = "answers.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path)


def cells(tmp_path, content: str | bytes, name: str = "answers.csv") -> list[tuple]:
    return read(tmp_path, content, name).frame.rows()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n007,1.50\n", [("007", "1.50")]),
        ("a,b\n,x\n1,\n", [(None, "x"), ("1", None)]),
        ('a,b\n"",x\n1,""\n', [(None, "x"), ("1", None)]),
        ("a,b\nNA,None\nnan,null\n", [("NA", "None"), ("nan", "null")]),
        ('a,b\n"x\ny","p ""q"" r"\n', [("x\ny", 'p "q" r')]),
        ('a,b\r\n"x\r\ny",2\r\n3,4\r\n', [("x\r\ny", "2"), ("3", "4")]),
        ('a,b\n1,5" pipe\n2,6\n', [("1", '5" pipe'), ("2", "6")]),
        ("\ufeffa,b\n1,2\n", [("1", "2")]),
        ('\ufeff"a","b"\n1,2\n', [("1", "2")]),
        ("a,b\r1,2\r3,4", [("1", "2"), ("3", "4")]),
        ("a,b\n 1 , 2\n", [(" 1 ", " 2")]),
        ("a,b\n#1,2\n", [("#1", "2")]),
        ("a,b\n1,2\n\n\n", [("1", "2")]),
        ('a,b\n1,"x\ry"\n2,3\n', [("1", "x\ry"), ("2", "3")]),
        ("a,b\n1,x\x01y\n", [("1", "x\x01y")]),
    ],
)
def test_cells_are_exact(tmp_path, text, rows):
    table = read(tmp_path, text)
    assert table.frame.columns == ["a", "b"]
    assert table.frame.rows() == rows
    assert table.notices == ()


def test_one_column_keeps_its_blank_rows_only_when_quoted(tmp_path):
    table = read(tmp_path, 'a\n1\n""\n4\n')
    assert table.frame.rows() == [("1",), (None,), ("4",)]


def test_blank_lines_are_passed_over_and_told(tmp_path):
    table = read(tmp_path, "a,b\n1,2\n\n\r\n3,4\n")
    assert table.frame.rows() == [("1", "2"), ("3", "4")]
    assert [notice.code for notice in table.notices] == ["blank_lines"]
    assert "2 blank lines" in table.notices[0].message


@pytest.mark.parametrize(("sign", "word"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_detected_and_told(tmp_path, sign, word):
    table = read(tmp_path, f"a{sign}b\n1{sign}x, y\n")
    assert table.frame.rows() == [("1", "x, y")]
    assert [notice.code for notice in table.notices] == ["separator_detected"]
    assert word in table.notices[0].message


def test_tsv_keeps_commas_and_semicolons(tmp_path):
    table = read(tmp_path, "a;b\tc,d\n1\t2;3,4\n", "t.tsv")
    assert table.frame.columns == ["a;b", "c,d"]
    assert table.frame.rows() == [("1", "2;3,4")]
    assert table.notices == ()


def test_unnamed_column_gets_a_name_and_is_told(tmp_path):
    table = read(tmp_path, ",a\n0,5\n")
    assert table.frame.columns == ["column_1", "a"]
    assert [notice.code for notice in table.notices] == ["column_unnamed"]


def test_text_longer_than_the_csv_module_allows_by_itself(tmp_path):
    long = "x" * 200_000
    assert cells(tmp_path, f'a,b\n1,"{long},\n"\n') == [("1", f"{long},\n")]


def test_duplicate_column_names(tmp_path):
    with pytest.raises(InputError, match=r"answers\.csv has the column name judge_a 2 times"):
        read(tmp_path, "id,judge_a,judge_a\n1,2,3\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n4,5\n", r"row 2 has 1 fields where the header has 2"),
        ("a,b\n1,2\n3,4,5\n", r"row 2 has 3 fields where the header has 2"),
        ('a,b\n1,"x\ny"\n3\n', r"row 2 has 1 fields where the header has 2"),
        ('a,b\n1,"2"\n\n3,4,5\n', r"row 2 has 3 fields where the header has 2"),
        ("a,b\n1,5,5\n2,6\n", r"row 1 has 3 fields where the header has 2; put text with commas"),
        ("a;b\n1;2;3\n", r"row 1 has 3 fields .* put text with semicolons in quotes"),
    ],
)
def test_ragged_rows(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"answers\.csv {message}"):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "row"),
    [('a,b\n1,2\n3,"x\n4,5\n', 2), ('a,b\n1,"abc" def\n', 1), ('a,b\n1,2\n3,"x\n', 2)],
)
def test_broken_quotes(tmp_path, text, row):
    with pytest.raises(InputError, match=rf"answers\.csv row {row} has a broken quote"):
        read(tmp_path, text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16(tmp_path, encoding):
    with pytest.raises(InputError, match=r"looks like UTF-16; save it as UTF-8 \(iconv"):
        read(tmp_path, "a,b\n1,2\n".encode(encoding))


@pytest.mark.parametrize("text", ["a,b\n1,2\n3,caf\u00e9\n", 'a,b\n1,"2"\n3,caf\u00e9\n'])
def test_latin1(tmp_path, text):
    with pytest.raises(
        InputError, match=r"answers\.csv line 3 is not UTF-8 \(byte 0xe9\).* Latin-1 .*iconv"
    ):
        read(tmp_path, text.encode("latin-1"))


def test_latin1_header(tmp_path):
    with pytest.raises(InputError, match="line 1 is not UTF-8"):
        read(tmp_path, "caf\u00e9,b\n1,2\n".encode("latin-1"))


def test_spreadsheet_renamed_to_csv(tmp_path):
    with pytest.raises(InputError, match="spreadsheet or archive"):
        read(tmp_path, b"PK\x03\x04rest")


CELLS = st.text(alphabet="ab\u00e9 ,;\t\"'\r\n0\u2028", max_size=6)


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    separator=st.sampled_from(",;\t"),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_the_csv_module_writes_is_read_back(
    tmp_path_factory, rows, separator, quoting, line_end
):
    text = io.StringIO(newline="")
    if quoting == csv.QUOTE_MINIMAL:  # which would leave a lone carriage return bare
        rows = [tuple(cell.replace("\r", "") for cell in row) for row in rows]
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_end)
    writer.writerow(("x", "y", "z"))
    writer.writerows(rows)
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    assert read_table(path).frame.rows() == [
        tuple(cell if cell else None for cell in row) for row in rows
    ]


def test_many_rows_are_read_alike_by_both_readers(tmp_path):
    body = [f"{i},{i / 7!r},text {i}" for i in range(70_000)]
    plain = cells(tmp_path, "id,x,t\n" + "\n".join(body))
    # A carriage return inside quotes leaves the file to the csv module.
    other = cells(tmp_path, "id,x,t\n" + "\n".join(body) + '\n-1,0,"a\rb"')
    assert other[:-1] == plain
    assert other[-1] == ("-1", "0", "a\rb")
    assert len(plain) == 70_000
