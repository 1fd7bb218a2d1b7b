from __future__ import annotations

import polars as pl
import pytest

from bacon.errors import InputError
from bacon.io.tables import read_table


def read(tmp_path, text: str | bytes):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path)


def test_types_are_kept_and_missing_names_are_missing(tmp_path):
    frame = read(tmp_path, '{"id":1,"x":2.5,"t":"a"}\n\n{"id":2,"ok":true,"t":null}\n').frame
    assert frame.rows(named=True) == [
        {"id": 1, "x": 2.5, "t": "a", "ok": None},
        {"id": 2, "x": None, "t": None, "ok": True},
    ]
    assert frame.dtypes == [pl.Int64, pl.Float64, pl.String, pl.Boolean]


def test_nested_objects_are_flattened_with_dots(tmp_path):
    frame = read(tmp_path, '{"id":1,"judge":{"gpt":{"score":4},"llama":5},"z":1}\n').frame
    assert frame.columns == ["id", "z", "judge.llama", "judge.gpt.score"]
    assert frame.row(0) == (1, 1, 5, 4)


def test_whole_numbers_and_fractions_are_numbers(tmp_path):
    assert read(tmp_path, '{"x":1}\n{"x":2.5}\n').frame["x"].to_list() == [1.0, 2.5]


def test_words_among_numbers_make_text(tmp_path):
    frame = read(tmp_path, '{"x":3}\n{"x":"good"}\n{"x":true}\n{"x":0.5}\n{"x":null}\n').frame
    assert frame["x"].to_list() == ["3", "good", "true", "0.5", None]


def test_whole_numbers_beyond_64_bits_stay_exact_as_text(tmp_path):
    frame = read(tmp_path, '{"x":18446744073709551615}\n{"x":1}\n').frame
    assert frame["x"].to_list() == ["18446744073709551615", "1"]


def test_python_writes_nan_and_infinity(tmp_path):
    frame = read(tmp_path, '{"x":NaN}\n{"x":Infinity}\n{"x":1.0}\n').frame
    assert frame["x"].is_nan().to_list() == [True, False, False]
    assert frame["x"].to_list()[1:] == [float("inf"), 1.0]


def test_byte_order_mark_and_windows_lines(tmp_path):
    assert read(tmp_path, b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n').frame["a"].to_list() == [1, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":1}\n{"a":\n', r"row 2 is not JSON"),
        ('{"a":1}\n[1, 2]\n', r"row 2 is a JSON list where an object is needed"),
        ('{"a":1}\n3\n', r"row 2 is a JSON int where an object"),
        ('{"a":1}\n\n{"a":[1,2]}\n', r"row 2, column a: an array of 2 values"),
        ('{"a":{"b":[]}}\n', r"row 1, column a\.b: an array of 0 values"),
        ('{"a.b":1,"a":{"b":2}}\n', r"row 1 has a\.b twice"),
        ('{"a":' * 40 + "1" + "}" * 40, r"row 1, a\.a.*nested deeper than 32"),
        ("[" * 100_000, r"row 1 is not JSON"),
        (b'{"a":"caf\xe9"}\n', r"row 1 is not JSON .*UTF-8"),
        (b"\xff\xfe{\x00}\x00", r"not UTF-8 but UTF-16"),
        ('{"a":"\\ud800"}\n', r"column a that is not valid Unicode"),
        ("\n \n", r"is empty"),
        ("{}\n{}\n", r"has no columns"),
    ],
)
def test_bad_lines(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"answers\.jsonl .*{message}|answers\.jsonl {message}"):
        read(tmp_path, text)


def test_data_used_as_names(tmp_path):
    text = "\n".join(f'{{"item {i}": 1}}' for i in range(10_001))
    with pytest.raises(InputError, match="10,001 different names"):
        read(tmp_path, text)
