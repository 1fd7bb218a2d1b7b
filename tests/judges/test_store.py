"""The store gives back what it was given, counts it right, and refuses what is no store."""

from __future__ import annotations

import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judges.store_cases import filled, made

from bacon.errors import InputError, OutputError
from bacon.judges.records import Answer, Call, Reading
from bacon.judges.store import Added, Store
from bacon.judges.store_rows import MOST_TEXT
from bacon.judges.store_tallies import Counts, Spent

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.text(st.characters(), max_size=40)
"""Any text: NUL, halves of surrogate pairs, other scripts."""

NUMBERS = st.none() | st.floats(-1e150, 1e150)
COUNTED = st.none() | st.integers(0, 2**53)


@st.composite
def any_answer(draw: st.DrawFn) -> Answer:
    names = tuple(draw(st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=6)))
    n_scores = max(1, len(names))
    return Answer(
        Call(draw(TEXTS), draw(TEXTS), draw(TEXTS), draw(st.integers(1, 9)), b""),
        draw(st.sampled_from(["ok", "na"])),
        draw(st.none() | TEXTS),
        draw(st.none() | TEXTS),
        tuple(draw(st.lists(NUMBERS, min_size=n_scores, max_size=n_scores))),
        Reading(*draw(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))),
        prompt_tokens=draw(COUNTED),
        completion_tokens=draw(COUNTED),
        cost=draw(NUMBERS),
        latency=draw(NUMBERS),
        attempts=draw(st.integers(1, 99)),
        model=draw(st.none() | TEXTS),
        fingerprint=draw(st.none() | TEXTS),
        prompt_version=draw(TEXTS),
        outcomes=() if names == ("score",) else names,
    )


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@given(st.lists(any_answer(), max_size=12, unique_by=lambda answer: answer.call.key))
def test_answers_come_back_as_they_were(tmp_path_factory, answers):
    path = filled(tmp_path_factory.mktemp("store") / "store.db", answers)
    with Store.open(path, read_only=True) as store:
        assert list(store.judgements()) == answers
        assert store.done([answer.call.key for answer in answers] + ["another"]) == {
            answer.call.key for answer in answers
        }
        assert store.notices() == ()


@given(st.lists(any_answer(), max_size=12))
def test_sums_are_those_of_the_answers(tmp_path_factory, answers):
    path = filled(tmp_path_factory.mktemp("store") / "store.db", answers)
    with Store.open(path, read_only=True) as store:
        spent, kept = store.spent(), list(store.judgements())
        assert spent.calls == len(answers)
        assert spent.tokens == sum(
            (answer.prompt_tokens or 0) + (answer.completion_tokens or 0) for answer in answers
        )
        assert spent.unpriced == sum(answer.cost is None for answer in answers)
        assert spent.money == pytest.approx(sum(answer.cost or 0.0 for answer in answers))
        statuses = Counter((answer.call.judge, answer.status) for answer in kept)
        assert {judge: (one.ok, one.na) for judge, one in store.counts().items()} == {
            judge: (statuses[judge, "ok"], statuses[judge, "na"]) for judge, _ in statuses
        }
        for judge, counts in store.counts().items():
            assert sum(counts.by_reason.values()) == counts.na
            assert store.spent(judge).calls == sum(a.call.judge == judge for a in answers)


def test_the_first_answer_to_a_key_counts_and_a_second_is_paid_for(path):
    with Store.open(path) as store:
        assert store.add([made(score=4.0), made(score=5.0)]) == Added(kept=1, repeated=1)
        assert store.add([made(score=6.0), made("2")]) == Added(kept=1, repeated=1)
        assert [one.scores for one in store.judgements()] == [(4.0,), (4.0,)]
        assert store.spent() == Spent(4, 4 * 960, pytest.approx(0.004), 0)
        assert store.counts() == {"judge_a": Counts(2, 0, {})}
        assert [notice.code for notice in store.notices()] == ["answers_set_aside"]
        assert store.add([]) == Added(0, 0)


def test_what_is_given_up_is_asked_again_and_stays_spent(path):
    with Store.open(path) as store:
        store.add([made(str(k), score=None if k < 3 else 2.0) for k in range(5)])
        store.add([made("9", score=None, reason="timed out"), made("1", "judge_b", score=None)])
        before = store.spent()
        assert store.forget("judge_a", "refused") == 3
        assert store.forget("judge_a", "refused") == 0
        assert store.done([f"judge_a/{k}/1" for k in (0, 3, 9)]) == {"judge_a/3/1", "judge_a/9/1"}
        assert store.counts() == {
            "judge_a": Counts(2, 1, {"timed out": 1}),
            "judge_b": Counts(0, 1, {"refused": 1}),
        }
        assert store.spent() == before
        assert store.add([made("0", score=3.0)]) == Added(1, 0)
        assert store.forget("judge_a") == 1
        assert store.counts()["judge_a"] == Counts(3, 0, {})
        assert store.spent().calls == before.calls + 1


def test_many_keys_are_looked_up_in_pieces(path):
    with Store.open(path) as store:
        store.add([made(str(k)) for k in range(5_000)])
        wanted = (f"judge_a/{k}/1" for k in range(0, 10_000, 2))
        assert store.done(wanted) == {f"judge_a/{k}/1" for k in range(0, 5_000, 2)}
        assert len(list(store.judgements())) == 5_000
        assert list(store.judgements("judge_b")) == []


def test_long_texts_are_cut_and_told(path):
    huge = "\0é\ud800" * 3_500_000
    answer = made(text=huge, model=huge, fingerprint=huge, reason=huge)
    with Store.open(path) as store:
        store.add([answer])
        (back,) = store.judgements()
        assert back.text == huge[:MOST_TEXT]
        assert {len(back.model), len(back.fingerprint), len(back.reason)} == {200}
        assert [notice.code for notice in store.notices()] == ["answers_cut"]
    assert path.stat().st_size < 2_000_000


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e200])
def test_a_score_that_no_table_holds_is_na_with_a_reason(path, bad):
    hostile = Reading(bad, bad, bad, bad)
    with Store.open(path) as store:
        store.add([made(score=bad, reading=hostile, cost=bad, latency=bad, prompt_tokens=2**70)])
        (back,) = store.judgements()
        assert (back.status, back.reason, back.scores) == ("na", "score out of range", (None,))
        assert back.reading == Reading()
        assert (back.cost, back.latency, back.prompt_tokens) == (None, None, None)
        assert store.counts()["judge_a"].by_reason == {"score out of range": 1}
        assert [notice.code for notice in store.notices()] == ["answers_numbers_missing"]


def test_scores_need_a_name_each(path):
    two = made(scores=(1.0, 2.0))
    with Store.open(path) as store:
        for answer in (two, replace(two, outcomes=("a", "a")), replace(two, outcomes=("a", ""))):
            with pytest.raises(InputError, match="2 scores for the outcomes"):
                store.add([made("2"), answer])
        assert store.spent() == Spent()
        none = replace(two, scores=(), outcomes=("AE", "TRU"))
        store.add([none])
        assert list(store.judgements()) == [replace(none, scores=(None, None))]


def test_names_are_never_read_as_sql(path):
    name = "x'; DROP TABLE answers; --\"%_?"
    with Store.open(path) as store:
        store.add([made(name, name, key=name, score=None, reason=name, model=name)])
        assert store.done([name, "%"]) == {name}
        assert store.counts() == {name: Counts(0, 1, {name: 1})}
        assert store.spent(name).calls == 1
        assert store.forget(name, name) == 1
        assert store.done([name]) == set()


def test_requests_are_not_kept(path):
    answer = made()
    body = b'{"headers": "Bearer sk-0123456789"}'
    filled(path, [replace(answer, call=replace(answer.call, body=body))])
    assert b"sk-0123456789" not in path.read_bytes()
    with Store.open(path) as store:
        assert "sk-" not in repr(store)
        assert next(store.judgements()).call.body == b""


def test_threads_share_a_store(path):
    with Store.open(path) as store, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda k: store.add([made(str(k)), made(str(-k))]), range(1, 101)))
        assert store.spent().calls == 200
        assert len(list(store.judgements())) == 200


def test_a_key_is_claimed_by_one_at_a_time(path):
    keys = [f"judge_a/{k}/1" for k in range(4)]
    with Store.open(path) as first, Store.open(path) as second:
        first.add([made("0")])
        assert first.claim(keys[:3]) == {keys[1], keys[2]}
        assert second.claim(keys) == {keys[3]}
        assert first.claim(keys) == {keys[1], keys[2]}
        first.release([keys[2], keys[3]])
        assert second.claim(keys) == {keys[2], keys[3]}
        first.add([made("1")])
        assert first.claim([keys[1]]) == set()
        second.close()
        assert first.claim(keys) == {keys[2], keys[3]}


def test_claims_of_the_silent_are_void(path):
    with Store.open(path) as first, Store.open(path) as second:
        first.claim(["a", "b"])
        later = sqlite3.connect(path, isolation_level=None)
        later.execute("UPDATE owners SET seen = seen - 800")
        assert second.claim(["a"]) == set()
        first.beat()
        later.execute("UPDATE owners SET seen = seen - 1000, host = 'elsewhere'")
        later.close()
        assert second.claim(["a", "c"]) == {"a", "c"}


def test_a_store_opened_for_reading_is_never_changed(path):
    filled(path, [made()])
    before = path.read_bytes()
    with Store.open(path, read_only=True) as store:
        for change in (
            lambda: store.add([made("2")]),
            lambda: store.forget("judge_a"),
            lambda: store.claim(["k"]),
        ):
            with pytest.raises(OutputError, match="reading only"):
                change()
        assert store.done(["judge_a/1/1"]) == {"judge_a/1/1"}
    assert path.read_bytes() == before
