"""Files that are broken or made to do harm: refused or left out, with file, row and why."""

from __future__ import annotations

import json
import os
import zipfile

import pytest
from tests.judges.importers.cases import eval_archive, head, sample, write_json, write_lines

from bacon.errors import InputError, OutputError
from bacon.judges.importers import archives, json_files
from bacon.judges.importers.importing import import_scores

GOOD = '{"item_id": 1, "score": 4}\n'


def refusal(long, path, **choices):
    with pytest.raises(InputError) as caught:
        long(path, **choices)
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"item_id": 2, "score": ', "it is not JSON (Expecting value"),
        (b'{"item_id": 2, "score": 1, "score": 5}', "the name 'score' twice in one object"),
        (b'{"item_id": 2, "score": "\xff"}', "it is not UTF-8 (byte 0xff)"),
        (b'{"item_id": 2, "score": ' + b"[" * 100_000, "it is nested too deep"),
        (b'{"item_id": 2, "score": ' + b"9" * 10_000 + b"}", "a number of too many digits"),
        (b"[1, 2]", "it is no JSON object"),
        (b'{"item_id": null, "score": 1}', "no id of one number or text"),
        (b'{"item_id": true, "score": 1}', "no id of one number or text"),
        (b'{"item_id": [1], "score": 1}', "no id of one number or text"),
        (b'{"item_id": "%s", "score": 1}' % (b"x" * 2000), "no id of one number or text"),
    ],
)
def test_broken_lines(tmp_path, long, line, why):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n" + GOOD.encode() + line + b"\n" + GOOD.replace("1", "3").encode())
    told = refusal(long, path)
    assert told.startswith("a.jsonl row 3 cannot be used: ")
    assert why in told
    frame, imported = long(path, skip_broken=True)
    assert frame["item_id"].to_list() == [1, 3]
    (notice,) = [n for n in imported.notices if n.code == "rows_skipped"]
    assert notice.message.startswith("a.jsonl: rows left out: 1, the first of them row 3: ")
    assert imported.files[0].skipped.total() == 1


def test_lines_longer_than_memory_should_hold(tmp_path, long, monkeypatch):
    monkeypatch.setattr(json_files, "MOST_LINE", 1 << 20)
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + '{"item_id": 2, "score": "' + "x" * (3 << 20) + '"}\n' + GOOD)
    assert "a.jsonl row 2 cannot be used: it is longer than 1 MB" in refusal(long, path)
    path.write_text(GOOD + "x" * (3 << 20))
    frame, _ = long(path, skip_broken=True)
    assert frame.height == 1


def test_byte_order_marks(tmp_path, rows, long):
    for name, text in {"a.jsonl": GOOD, "a.csv": "item_id,score\n1,4\n"}.items():
        path = tmp_path / name
        path.write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert rows(path) == [(1, "judge_score", 1, 4.0, None)]
        path.write_text(text, encoding="utf-16")
        assert "is not UTF-8 but UTF-16" in refusal(long, path)


def test_csv_that_is_none(tmp_path, long):
    path = tmp_path / "a.csv"
    path.write_bytes(b"item_id,score\n1,4\n2,\xe9\n")
    assert "a.csv line 3 is not UTF-8 (byte 0xe9)" in refusal(long, path)
    path.write_text("item_id,score\n1,4\n2,5,6\n")
    assert "a.csv row 2 cannot be used: it has 3 fields where the header has 2" in refusal(
        long, path
    )
    path.write_text('item_id,score\n1,4\n2,"5\n')
    assert "a.csv row 2 has a broken quote" in refusal(long, path)
    path.write_text("item_id,score,score\n1,4,5\n")
    assert "a column name twice" in refusal(long, path)
    path.write_text("item_id,score\n1,4\n\0,2\n")
    long(path)


def test_files_that_cannot_be_read(tmp_path, long):
    assert "does not exist" in refusal(long, tmp_path / "no.json")
    assert "is a folder" in refusal(long, tmp_path)
    empty = tmp_path / "a.json"
    empty.touch()
    assert "is empty" in refusal(long, empty)
    empty.write_text('{"a": 1}')
    assert "no log of inspect-ai, promptfoo or deepeval" in refusal(long, empty)
    empty.write_text("{" * 10)
    assert "cannot be read as JSON: it is not JSON" in refusal(long, empty)
    assert "no format 'xml'" in refusal(long, empty, format="xml")
    write_json(empty, {**head(), "samples": []})
    assert "there are no scores in a.json" in refusal(long, empty)
    assert "looks like inspect" in refusal(long, empty, format="promptfoo")


def test_documents_too_large_for_memory(tmp_path, long, monkeypatch):
    monkeypatch.setattr(json_files, "MOST_DOCUMENT", 10)
    log = write_json(tmp_path / "a.json", {**head(), "samples": [sample(scores={"g": 1})]})
    assert "JSON in one piece" in refusal(long, log)


def test_a_zip_bomb_is_refused_before_it_fills_the_memory(tmp_path, long, monkeypatch):
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/1_epoch_1.json", b" " * (32 << 20))
    monkeypatch.setattr(archives, "MOST_MEMBER", 4 << 20)
    assert "unpacks to far more than it should" in refusal(long, path)
    monkeypatch.setattr(archives, "MOST_MEMBER", 1 << 30)
    monkeypatch.setattr(archives, "FREE", 4 << 20)
    assert "unpacks to far more than it should" in refusal(long, path)


def test_names_inside_a_zip_lead_nowhere(tmp_path, long):
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../evil.json", "{}")
        archive.writestr("/etc/evil.json", "{}")
        archive.writestr("samples/../../evil.json", json.dumps(sample(1, scores={"g": 1})))
    frame, _ = long(path)
    assert frame["score"].to_list() == [1.0]
    assert sorted(os.listdir(tmp_path)) == ["a.eval", "long.parquet"]  # noqa: PTH208
    assert not (tmp_path.parent / "evil.json").exists()


def test_damaged_zip_files(tmp_path, long):
    path = eval_archive(tmp_path / "a.eval", [sample(i, scores={"g": 1}) for i in (1, 2)], head())
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert "is no whole zip file" in refusal(long, path)
    spoilt = bytearray(whole)
    at = whole.index(b"samples/1_epoch_1.json") + 30
    spoilt[at : at + 4] = b"\0\0\0\0"
    path.write_bytes(spoilt)
    assert "a.eval row 1 cannot be used: samples/1_epoch_1.json: it is damaged" in refusal(
        long, path
    )
    frame, _ = long(path, skip_broken=True)
    assert frame["item_id"].to_list() == [2]


def test_a_name_twice_in_a_zip_is_told(tmp_path, long):
    path = tmp_path / "a.eval"
    one, two = (json.dumps(sample(1, scores={"g": value})) for value in (1, 5))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1.json", one)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("samples/1.json", two)
    frame, imported = long(path)
    assert frame["score"].to_list() == [5.0]
    assert "archive_names_repeated" in [notice.code for notice in imported.notices]


@pytest.mark.parametrize(
    "record",
    [
        None,
        7,
        {"id": 1, "epoch": 0},
        {"id": 1, "epoch": "x"},
        {"id": 1, "epoch": 10**9},
        {"id": None, "epoch": 1},
        {"id": {"a": 1}, "epoch": 1},
    ],
)
def test_samples_of_wrong_types(tmp_path, long, record):
    good = sample(1, scores={"g": 1})
    log = write_json(tmp_path / "a.json", {**head(), "samples": [good, record]})
    assert "a.json row 2 cannot be used" in refusal(long, log)


@pytest.mark.parametrize("scores", [7, "x", [1], {"g": 5}, {"g": {"no": 1}}, {"g": None}])
def test_scores_of_wrong_types_are_missing_or_numbers(tmp_path, long, scores):
    good, odd = sample(1, scores={"g": 1}), {**sample(2), "scores": scores}
    log = write_json(tmp_path / "a.json", {**head(), "samples": [good, odd]})
    frame, _ = long(log)
    (score,) = frame.filter(item_id=2)["score"].to_list()
    assert score == (5.0 if scores == {"g": 5} else None)


def test_texts_that_are_no_unicode(tmp_path, long):
    path = tmp_path / "a.jsonl"
    path.write_text('{"item_id": "a\\ud800", "score": 4, "judge": "j\\udfff"}\n')
    frame, _ = long(path)
    assert frame["score"].to_list() == [4.0]


def test_too_many_scorers_and_runs(tmp_path, long):
    many = write_lines(
        tmp_path / "a.jsonl", ({"item_id": 1, "judge": f"j{k}", "score": 1} for k in range(1_200))
    )
    assert "more than 1,000 different scorers" in refusal(long, many)
    same = write_lines(tmp_path / "b.jsonl", ({"item_id": 1, "score": 1} for _ in range(1_200)))
    assert "more than 1,000 scores of judge judge_score; is this the item?" in refusal(long, same)


def test_nothing_is_left_behind_after_a_refusal(tmp_path, long):
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + "broken\n")
    refusal(long, path)
    assert os.listdir(tmp_path) == ["a.jsonl"]  # noqa: PTH208


def test_a_table_is_not_written_over(tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "b.csv"
    path.write_text(GOOD)
    out.write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        import_scores([path], out)
    assert out.read_text() == "mine"
    with pytest.raises(InputError, match=r"written as .parquet or .csv"):
        import_scores([path], tmp_path / "b.xlsx")
