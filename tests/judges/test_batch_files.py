"""Requests for the batch endpoint, and its results back in the store, whatever their order."""

from __future__ import annotations

import json
import random

import pytest
from tests.judges.importers.cases import no_reply, reply, write_lines

from bacon.errors import InputError, OutputError
from bacon.judges import batch_files
from bacon.judges.batch_files import read_batch, write_batch
from bacon.judges.prompts import built_in
from bacon.judges.records import Item
from bacon.judges.spec import JudgeSpec, call_of
from bacon.judges.store import Store


def judge(name="judge_a", **others):
    given = {"price_in": 2.0, "price_out": 8.0, "key_variable": "SECRET_KEY", **others}
    return JudgeSpec(name, "http://127.0.0.1:1/v1", f"model-{name}", built_in("essay"), **given)


def items(n=5):
    return [Item(f"e{k}", {"text": f"Essay {k} é\n", "assignment": "Write."}) for k in range(n)]


@pytest.fixture(name="store")
def _store(tmp_path):
    with Store.open(tmp_path / "store.sqlite") as store:
        yield store


def requests(written):
    return [record for path in written.files for record in in_file(path)]


def in_file(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def test_requests_are_the_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "sk-very-secret")
    specs = [judge(runs=2), judge("judge b/../c")]
    written = write_batch(specs, items(), tmp_path / "new" / "folder")
    names = ["judge_a-001.jsonl", "judge_b_c-001.jsonl"]
    assert [path.name for path in written.files] == names
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == names
    assert (written.requests, written.done) == ({"judge_a": 10, "judge b/../c": 5}, {})
    found = requests(written)
    assert {r["custom_id"] for r in found} == {
        call_of(spec, item, run).key
        for spec in specs
        for item in items()
        for run in range(1, spec.runs + 1)
    }
    first = found[0]
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    assert first["body"] == json.loads(call_of(specs[0], items()[0], 1).body)
    # One model in each file, as the endpoint wants it.
    for path in written.files:
        assert len({record["body"]["model"] for record in in_file(path)}) == 1
    assert "sk-very-secret" not in "".join(p.read_text(encoding="utf-8") for p in written.files)


def test_files_are_split(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_files, "MOST_REQUESTS", 4)
    written = write_batch([judge(runs=2)], items(), tmp_path / "a")
    assert [len(path.read_text().splitlines()) for path in written.files] == [4, 4, 2]
    size = max(map(len, written.files[0].read_bytes().splitlines(keepends=True)))
    monkeypatch.setattr(batch_files, "MOST_BYTES", 3 * size)
    written = write_batch([judge(runs=2)], items(), tmp_path / "b")
    assert [len(path.read_text().splitlines()) for path in written.files] == [3, 3, 3, 1]
    monkeypatch.setattr(batch_files, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="judge judge_a, item e0: the request has 0 MB, more than"):
        write_batch([judge()], items(), tmp_path / "c")
    assert list((tmp_path / "c").iterdir()) == []


def test_requests_that_may_have_been_sent_are_not_replaced(tmp_path):
    write_batch([judge(runs=2)], items(), tmp_path)
    with pytest.raises(OutputError, match=r"holds requests already .* or they are paid twice"):
        write_batch([judge()], items(), tmp_path)
    written = write_batch([judge()], items(2), tmp_path, overwrite=True)
    assert len(requests(written)) == 2
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be made a folder"):
        write_batch([judge()], items(), tmp_path / "file")


def test_there_and_back(tmp_path, store):
    spec = judge(runs=2)
    ids = [r["custom_id"] for r in requests(write_batch([spec], items(), tmp_path / "in"))]
    results = [reply(one, str(1 + k % 6)) for k, one in enumerate(ids[:-2])]
    results.append(reply(ids[-2], "no idea"))
    failed = [no_reply(ids[-1])]
    random.Random(3).shuffle(results)  # noqa: S311
    out = write_lines(tmp_path / "out.jsonl", results)
    errors = write_lines(tmp_path / "errors.jsonl", failed)
    told = read_batch([out, errors], [spec], items(), store)
    assert told.ok == {"judge_a": 8}
    assert told.na["judge_a"]["batch expired"] == 1
    assert sum(told.na["judge_a"].values()) == 2
    assert (told.unknown, told.known, told.repeated, told.broken) == (0, 0, 0, [])
    found = {(a.call.item, a.call.run): a for a in store.judgements()}
    for k, (item, run) in enumerate((i.id, r) for i in items() for r in (1, 2)):
        answer = found[item, run]
        assert answer.call.key == ids[k]
        if k < 8:
            assert answer.scores == (float(1 + k % 6),)
            # 100 tokens in at 2 and one out at 8 a million, at half the price.
            assert answer.cost == pytest.approx((100 * 2 + 8) / 2e6)
            assert answer.latency is None
    assert store.spent().money == pytest.approx(9 * (100 * 2 + 8) / 2e6)
    # What is stored is neither asked nor stored again.
    written = write_batch([spec], items(6), tmp_path / "next", store=store)
    assert (written.requests, written.done) == ({"judge_a": 2}, {"judge_a": 10})
    again = read_batch(out, [spec], items(), store)
    assert (again.ok, again.known) == ({}, 9)
    store.forget("judge_a", "batch expired")
    written = write_batch([spec], items(), tmp_path / "third", store=store)
    assert [r["custom_id"] for r in requests(written)] == [ids[-1]]


def test_nothing_to_write(tmp_path, store):
    written = write_batch([judge()], [], tmp_path / "in", store=store)
    assert written.files == ()


def test_results_of_other_calls_are_told(tmp_path, store):
    spec = judge()
    known = call_of(spec, items()[0], 1).key
    path = write_lines(tmp_path / "out.jsonl", [reply("other"), reply(known), reply(["x"])])
    with path.open("a") as file:
        file.write('{"custom_id": "half\n\n[1]\n')
    told = read_batch(path, [spec], items(), store)
    assert (told.ok, told.unknown, told.unknown_first) == ({"judge_a": 1}, 1, "other")
    assert told.broken[0] == "out.jsonl row 3: no custom_id"
    assert told.broken[1].startswith("out.jsonl row 4: it is not JSON")
    assert told.broken[2] == "out.jsonl row 6: it is no JSON object"
    # The same item under another prompt, model or setting is another call.
    told = read_batch(path, [judge(parameters={"temperature": 0})], items(), store)
    assert (told.ok, told.unknown) == ({}, 2)


def test_of_several_results_an_answer_counts(tmp_path, store):
    spec = judge()
    key = call_of(spec, items()[0], 1).key
    lines = [no_reply(key), reply(key, "3"), reply(key, "5"), no_reply(key)]
    told = read_batch(write_lines(tmp_path / "out.jsonl", lines), [spec], items(), store)
    assert (told.ok, told.repeated) == ({"judge_a": 1}, 3)
    assert [answer.scores for answer in store.judgements()] == [(3.0,)]


def test_files_that_are_not_there(tmp_path, store):
    with pytest.raises(InputError, match="cannot be opened"):
        read_batch(tmp_path / "no.jsonl", [judge()], items(), store)
