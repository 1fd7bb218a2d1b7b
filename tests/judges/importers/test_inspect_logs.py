"""Logs of inspect-ai: archives and JSON, grades, epochs, several scorers, failed samples."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

import pytest
from tests.judges.importers.cases import eval_archive, head, sample, write_json

from bacon.errors import InputError

SAMPLES = [
    sample(1, 1, scores={"grader": "C", "helpful": 4.5}),
    sample(1, 2, scores={"grader": "P", "helpful": 3}),
    sample(2, 1, scores={"grader": "I", "helpful": float("nan")}),
    sample(2, 2, error={"message": "boom", "traceback": "..."}),
]
ROWS = [
    (1, "judge_grader", 1, 1.0, None),
    (1, "judge_grader", 2, 0.5, None),
    (1, "judge_helpful", 1, 4.5, None),
    (1, "judge_helpful", 2, 3.0, None),
    (2, "judge_grader", 1, 0.0, None),
    (2, "judge_grader", 2, None, "sample failed"),
    (2, "judge_helpful", 1, None, "score is NaN"),
    (2, "judge_helpful", 2, None, "sample failed"),
]


def test_archive_and_json_say_the_same(tmp_path, rows):
    assert rows(eval_archive(tmp_path / "a.eval", SAMPLES, head())) == ROWS
    assert rows(write_json(tmp_path / "a.json", {**head(), "samples": SAMPLES})) == ROWS


def test_grades_are_told(tmp_path, long):
    log = eval_archive(tmp_path / "a.eval", [*SAMPLES, sample(3, scores={"grader": "N"})], head())
    frame, imported = long(log)
    (told,) = [n.message for n in imported.notices if n.code == "grades_as_numbers"]
    assert told == (
        "a.eval: grades are counted as inspect does: C as 1 (1), P as 0.5 (1), I as 0 (1), N as 0 "
        "(1). N means no answer or a refusal; --level N=na makes it missing."
    )
    assert frame.filter(item_id=3, judge="judge_grader")["score"].to_list() == [0.0]
    # The scorer that said nothing of sample 3 failed there.
    assert frame.filter(item_id=3, judge="judge_helpful")["reason"].to_list() == ["no score"]


def test_levels_of_the_user_come_first(tmp_path, rows):
    log = eval_archive(
        tmp_path / "a.eval", [sample(1, scores={"g": "N"}), sample(2, scores={"g": "good"})], head()
    )
    assert rows(log, levels={"N": None, "good": 3.0}) == [
        (1, "judge_g", 1, None, '"N" means no score'),
        (2, "judge_g", 1, 3.0, None),
    ]


@pytest.mark.parametrize(
    ("value", "score", "reason"),
    [
        (True, 1.0, None),
        (False, 0.0, None),
        ("yes", 1.0, None),
        ("No", 0.0, None),
        (" 2.5 ", 2.5, None),
        ("", None, "no score"),
        (None, None, "no score"),
        ("excellent", None, "not a number"),
        ("1_000", None, "not a number"),
        ("٣", None, "not a number"),
        (float("inf"), None, "score out of range"),
        (1e200, None, "score out of range"),
        (10**4000, None, "score out of range"),
        ("nan", None, "score is NaN"),
        ([[1, 2]], None, "several values in one score"),
    ],
)
def test_values(tmp_path, rows, value, score, reason):
    log = write_json(tmp_path / "a.json", {**head(), "samples": [sample(scores={"g": value})]})
    (row,) = rows(log)
    assert row[3:] == (score, reason)


def test_a_score_with_several_values_is_several_judges(tmp_path, rows):
    log = eval_archive(
        tmp_path / "a.eval", [sample(scores={"web": {"AE": 2, "TY": -1}, "pair": [1, 0]})], head()
    )
    assert [row[1:4] for row in rows(log)] == [
        ("judge_pair_1", 1, 1.0),
        ("judge_pair_2", 1, 0.0),
        ("judge_web_AE", 1, 2.0),
        ("judge_web_TY", 1, -1.0),
    ]


def test_invalidated_and_limited_samples(tmp_path, rows):
    samples = [
        sample(1, scores={"g": 1}),
        sample(2, scores={"g": 0}, invalidation={"author": "x"}),
        sample(3, limit={"type": "token", "limit": 5}),
        sample(4, limit={"type": "<script>", "limit": 5}),
        sample(5, scores={"g": 1}, limit={"type": "token", "limit": 5}),
    ]
    log = eval_archive(tmp_path / "a.eval", samples, head())
    assert [row[3:] for row in rows(log)] == [
        (1.0, None),
        (None, "sample invalidated"),
        (None, "token limit"),
        (None, "limit reached"),
        (1.0, None),
    ]


def test_unfinished_log_is_told(tmp_path, long):
    _, imported = long(eval_archive(tmp_path / "a.eval", SAMPLES))
    (told,) = [n.message for n in imported.notices if n.code == "log_unfinished"]
    assert "did not come to its end (status unknown)" in told
    assert "4 read" in told
    _, imported = long(eval_archive(tmp_path / "b.eval", SAMPLES, head(status="cancelled")))
    assert "(status cancelled)" in "".join(map(str, imported.notices))


def test_old_logs_have_one_score(tmp_path, rows):
    log = write_json(tmp_path / "a.json", {**head(), "samples": [sample(score={"value": "C"})]})
    assert rows(log) == [(1, "judge_score", 1, 1.0, None)]


def test_items_named_by_metadata(tmp_path, rows):
    log = eval_archive(
        tmp_path / "a.eval", [sample(1, scores={"g": 1}, metadata={"doc": {"key": "k7"}})], head()
    )
    assert rows(log, item="doc.key")[0][0] == "k7"


def test_logs_of_several_models_keep_their_items_apart(tmp_path, rows):
    one = eval_archive(tmp_path / "a.eval", [sample(scores={"g": 1})], head(model="openai/a"))
    two = eval_archive(tmp_path / "b.eval", [sample(scores={"g": 0})], head(model="b|c%"))
    assert rows(one, two) == [
        ("b%7Cc%25|1", "judge_g", 1, 0.0, None),
        ("openai/a|1", "judge_g", 1, 1.0, None),
    ]


def packed_by_zstandard(path, samples):
    """Write an archive as newer versions of inspect-ai do: method 93."""
    zstandard = pytest.importorskip("zstandard")
    body, directory = io.BytesIO(), io.BytesIO()
    for one in samples:
        name = f"samples/{one['id']}_epoch_{one['epoch']}.json".encode()
        plain = json.dumps(one).encode()
        packed = zstandard.ZstdCompressor().compress(plain)
        fields = (0, 93, 0, 33, zlib.crc32(plain), len(packed), len(plain), len(name), 0)
        offset = body.tell()
        body.write(struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 63, *fields) + name + packed)
        directory.write(
            struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 63, 63, *fields, 0, 0, 0, 0, offset)
            + name
        )
    n, size = len(samples), directory.tell()
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n, n, size, body.tell(), 0)
    path.write_bytes(body.getvalue() + directory.getvalue() + end)
    return path


def test_archives_packed_by_zstandard(tmp_path, rows):
    path = packed_by_zstandard(tmp_path / "a.eval", SAMPLES)
    assert zipfile.ZipFile(path).infolist()[0].compress_type == 93
    assert rows(path) == ROWS
    broken = bytearray(path.read_bytes())
    broken[60] ^= 0xFF
    path.write_bytes(broken)
    with pytest.raises(InputError, match=r"a.eval row 1 cannot be used: .*damaged"):
        rows(path)
