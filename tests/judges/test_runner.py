"""Judges run on the fake endpoint: every call ends ok, NA with its reason, or is left."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from dataclasses import replace
from email.utils import formatdate

import pytest
from tests.judges.raw_server import raw_server, response
from tests.judges.run_cases import QUICK, items_of, judge, table_of

from bacon.errors import InputError, OutputError
from bacon.judges.budget import Budget
from bacon.judges.fake import FakeEndpoint, FakeJudge
from bacon.judges.limits import Patience
from bacon.judges.records import Item
from bacon.judges.runner import run_judges
from bacon.judges.store import Store

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "answers.db") as it:
        yield it


@pytest.fixture(scope="module")
def fake():
    with FakeEndpoint(seed=1, latency=0.002) as it:
        yield it


def adds_up(summary):
    for one in summary.judges:
        assert one.asked == one.ok + one.na + one.left
        assert sum(one.by_reason.values()) == one.na
        assert sum(one.left_by_reason.values()) == one.left
    return summary.judges


def test_every_call_is_made_once(fake, store):
    items, specs = (
        items_of(60),
        [judge(fake.url, runs=2, parameters={"seed": 1}), judge(fake.url, "b")],
    )
    summary = run_judges(specs, items, store, patience=QUICK)
    first, second = adds_up(summary)
    assert (first.asked, first.ok, second.ok) == (120, 120, 60)
    assert summary.complete
    assert not summary.notices
    table = table_of(store)
    assert set(table) == {
        *(("judge_a", f"i{k}", run) for k in range(60) for run in (1, 2)),
        *(("b", f"i{k}", 1) for k in range(60)),
    }
    spent = store.spent("judge_a")
    assert first.tokens_in + first.tokens_out == spent.tokens
    assert first.money == pytest.approx(spent.money)
    again = run_judges(specs, items, store, patience=QUICK)
    first, _ = adds_up(again)
    assert (first.asked, first.before, first.attempts) == (0, 120, 0)
    assert table_of(store) == table


def test_concurrency_is_bounded_and_used(store):
    with FakeEndpoint(latency=0.02) as fake:
        run_judges([judge(fake.url, concurrency=7)], items_of(60), store)
        assert fake.counts().most_at_once == 7


def test_items_are_read_as_they_are_needed(store):
    read = 0

    def items():
        nonlocal read
        for item in items_of(100_000):
            read += 1
            yield item

    stop = threading.Event()
    with FakeEndpoint(latency=0.05) as fake:

        def stop_after_some() -> None:
            # By what was answered and not by the clock, which says little on a busy machine.
            while len(fake.counts().answers) < 5:
                time.sleep(0.05)
            stop.set()

        watching = threading.Thread(target=stop_after_some)
        watching.start()
        summary = run_judges([judge(fake.url, concurrency=4)], items(), store, stop=stop)
        watching.join()
    (one,) = adds_up(summary)
    assert one.ok > 0
    assert one.unread
    assert not summary.complete
    assert read <= one.ok + 1_000


def test_items_that_can_be_read_once_need_a_single_judge(fake, store):
    assert run_judges([judge(fake.url)], iter(items_of(3)), store).judges[0].ok == 3
    with pytest.raises(InputError, match="gone through only once"):
        run_judges([judge(fake.url), judge(fake.url, "b")], iter(items_of(3)), store)
    with pytest.raises(InputError, match="two judges are called judge_a"):
        run_judges([judge(fake.url), judge(fake.url)], items_of(3), store)
    with pytest.raises(InputError, match="no judges"):
        run_judges([], items_of(3), store)


def test_the_same_item_twice_is_asked_once_and_twins_are_asked_each(fake, store):
    twin = Item("twin", items_of(1)[0].fields)
    (one,) = adds_up(run_judges([judge(fake.url)], [*items_of(2), *items_of(2), twin], store))
    assert (one.ok, one.repeated, one.asked) == (3, 2, 3)
    assert {item for _, item, _ in table_of(store)} == {"i0", "i1", "twin"}


def test_failures_of_every_kind_end_as_na_with_their_reason(store):
    failures = {429: 0.1, 500: 0.05, "hang": 0.02, "broken": 0.02, "drop": 0.02, "refusal": 0.02}
    patience = Patience(first_wait=0.005, longest_wait=0.02, attempts=3, breaker_wait=0.05)
    with FakeEndpoint(seed=2, failures=failures, retry_after=0.01) as fake:
        spec = judge(fake.url, timeout=0.3, concurrency=32)
        (one,) = adds_up(run_judges([spec], items_of(600), store, patience=patience))
        answered = fake.counts().answers
    assert (one.asked, one.left) == (600, 0)
    assert 3 <= one.by_reason["refused"] <= 30
    assert set(one.by_reason) <= {
        "refused", "http 500", "timed out", "broken answer", "connection dropped", "rate limited"
    }  # fmt: skip
    assert one.attempts > 600
    assert set(answered.values()) == {1}
    assert len(answered) == one.ok + one.by_reason["refused"]
    for answer in store.judgements():
        assert (answer.status == "ok") == (answer.scores != (None,)) == (answer.reason is None)
    assert Counter(a.reason for a in store.judgements() if a.reason) == one.by_reason
    assert one.tokens_in == sum(answer.prompt_tokens or 0 for answer in store.judgements())


def test_scores_do_not_depend_on_failures(fake, store, tmp_path):
    with FakeEndpoint(seed=1, failures={500: 0.2, "broken": 0.2}) as bad:
        spec = judge(bad.url)
        run_judges([spec], items_of(50), store, patience=QUICK)
        scores = {answer.call.item: answer.scores for answer in store.judgements()}
    with Store.open(tmp_path / "good.db") as good:
        run_judges([judge(fake.url)], items_of(50), good)
        assert scores == {answer.call.item: answer.scores for answer in good.judgements()}


def test_a_judge_that_always_fails_does_not_stop_the_others(fake, store):
    with FakeEndpoint(failures={500: 1.0}) as broken:
        specs = [judge(broken.url, "bad", concurrency=4), judge(fake.url)]
        summary = run_judges(specs, items_of(200), store, patience=QUICK)
    bad, good = adds_up(summary)
    assert good.ok == 200
    assert (bad.ok, bad.asked, bad.stopped) == (0, 200, "the endpoint fails (http 500)")
    assert bad.left > 100
    assert bad.attempts < 50
    (notice,) = summary.notices
    assert notice.code == "judge_stopped"
    assert "bad was stopped: the endpoint fails (http 500)" in notice.message


def test_an_endpoint_that_comes_back_is_found_again(store):
    outage = threading.Event()
    answer = response(b'{"choices": [{"message": {"content": "4"}}]}', "Connection: close")

    def serve(connection, _):
        connection.sendall(answer if outage.is_set() else response(b"", status="502 Bad"))

    with raw_server(serve) as (url, _):
        threading.Timer(0.3, outage.set).start()
        patience = Patience(
            first_wait=0.02, breaker_failures=5, breaker_wait=0.05, breaker_longest=0.1, attempts=50
        )
        (one,) = adds_up(run_judges([judge(url)], items_of(30), store, patience=patience))
    assert (one.ok, one.stopped) == (30, None)


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_that_every_call_would_meet_stops_the_judge_at_once(fake, store, status):
    with FakeEndpoint(failures={status: 1.0}) as closed:
        specs = [judge(closed.url, "shut", concurrency=3), judge(fake.url)]
        shut, good = adds_up(run_judges(specs, items_of(40), store))
        assert closed.counts().requests <= 3
    assert (shut.na, shut.left_by_reason) == (0, {f"http {status}": 40})
    assert good.ok == 40


def test_requests_that_are_always_wrong_stop_the_judge(store):
    with FakeEndpoint(failures={400: 1.0}) as fake:
        patience = Patience(refusals=5)
        (one,) = adds_up(
            run_judges([judge(fake.url, concurrency=2)], items_of(40), store, patience=patience)
        )
    assert one.stopped == "http 400 for 5 calls in a row"
    assert 5 <= one.by_reason["http 400"] <= 6
    assert one.examples == ("http 400: so it was asked of the fake endpoint",)


def test_single_wrong_requests_are_na(store):
    with FakeEndpoint(seed=5, failures={400: 0.3, 403: 0.05}) as fake:
        spec = judge(fake.url, concurrency=1)
        items = items_of(100)
        (one,) = adds_up(run_judges([spec], items, store, patience=Patience(refusals=8)))
    assert (one.left, one.stopped) == (0, None)
    assert one.by_reason["http 400"] > 15


def test_a_short_wait_holds_one_call_up_and_not_the_others(store):
    first = threading.Event()
    answer = response(b'{"choices": [{"message": {"content": "4"}}]}', "Connection: close")

    def serve(connection, _):
        if first.is_set():
            connection.sendall(answer)
        else:
            first.set()
            connection.sendall(response(b"", "Retry-After: 1", status="429 Later"))

    with raw_server(serve) as (url, seen):
        started = time.monotonic()
        (one,) = adds_up(run_judges([judge(url, concurrency=1)], items_of(20), store))
        assert 1.0 <= time.monotonic() - started < 5.0
        # The call that was put off is the last.
        assert seen[0].split(b"\r\n\r\n")[1] == seen[-1].split(b"\r\n\r\n")[1]
    assert (one.ok, one.attempts) == (20, 21)


class Told(list):
    """Progress that keeps what is told."""

    def start(self, *_):
        pass

    def tell(self, text):
        self.append(text)

    def show(self, _):
        pass

    def end(self):
        pass


@pytest.mark.parametrize("as_date", [False, True])
def test_a_long_wait_pauses_the_judge_and_says_until_when(store, as_date):
    paused = threading.Event()
    answer = response(b'{"choices": [{"message": {"content": "4"}}]}', "Connection: close")

    def serve(connection, _):
        if paused.is_set():
            connection.sendall(answer)
        else:
            paused.set()
            wait = formatdate(time.time() + 2, usegmt=True) if as_date else "1"
            connection.sendall(response(b"", f"Retry-After: {wait}", status="503 Later"))

    told = Told()
    with raw_server(serve) as (url, seen):
        started = time.monotonic()
        patience = Patience(pause_after=0.5)
        run_judges(
            [judge(url, concurrency=1)], items_of(5), store, patience=patience, progress=told
        )
        assert time.monotonic() - started >= 0.9
    assert len(seen) == 6
    (line,) = told
    assert line.startswith("judge_a: the endpoint asks to wait until 20")


def test_an_endpoint_that_is_not_there_is_told_at_once_and_given_up(store):
    with raw_server(lambda *_: None) as (url, _):
        pass
    told = Told()
    patience = replace(QUICK, breaker_probes=9, first_probes=2)
    (one,) = adds_up(
        run_judges([judge(url)], items_of(40), store, patience=patience, progress=told)
    )
    (line,) = told
    assert line.startswith("judge_a: no connection: 127.0.0.1:")
    assert line.endswith(
        "does not answer. Every call fails; the judge rests and tries one now and then."
    )
    assert (one.left, one.stopped) == (40, "the endpoint fails (no connection)")
    assert one.attempts < 40


def test_what_is_left_of_items_that_were_not_read_is_told(store):
    with raw_server(lambda *_: None) as (url, _):
        pass
    items = iter(items_of(3_000))
    patience = replace(QUICK, first_probes=1)
    summary = run_judges([judge(url)], items, store, patience=patience)
    assert "or more left (" in str(summary)
    assert "calls are left, and those of items that were not read" in summary.notices[0].message


@pytest.mark.parametrize("wait", ["86400", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_beyond_the_limit_leaves_the_calls_for_later(store, wait):
    with FakeEndpoint(failures={429: 1.0}, retry_after=wait) as fake:
        (one,) = adds_up(run_judges([judge(fake.url)], items_of(40), store))
    assert one.left == 40
    assert one.stopped.startswith("rate limited, the endpoint asks to wait until 2")


def test_endless_rate_limits_end_with_the_calls_left(store):
    with FakeEndpoint(failures={429: 1.0}, retry_after=0) as fake:
        (one,) = adds_up(run_judges([judge(fake.url)], items_of(40), store, patience=QUICK))
    assert (one.ok, one.stopped) == (0, "the endpoint fails (rate limited)")


@pytest.mark.parametrize("name", ["calls", "tokens", "money"])
def test_budgets_hold_over_resumes(fake, store, name):
    items, spec = items_of(60), judge(fake.url, concurrency=16)
    run_judges([spec], items[:5], store)
    one_call = {"calls": 1, "tokens": store.spent().tokens / 5, "money": store.spent().money / 5}
    for calls in (20.5, 30.5):
        most = one_call[name] * calls
        budget = Budget(**{name: int(most) if name != "money" else most})
        (one,) = adds_up(run_judges([spec], items, store, budget=budget))
        spent = getattr(store.spent(), name)
        # Guesses lie above the truth, by a tenth once the endpoint has counted.
        assert 0.8 * most - one_call[name] <= spent <= most
        assert one.stopped == f"budget of {name} used up"
        assert one.left == 60 - store.spent().calls
    assert adds_up(run_judges([spec], items, store))[0].left == 0


def test_a_budget_is_shared_and_prices_that_are_missing_are_told(fake, store):
    specs = [judge(fake.url), judge(fake.url, "free", price_in=None)]
    summary = run_judges(specs, items_of(100), store, budget=Budget(calls=51, money=100.0))
    assert store.spent().calls == 51
    assert sum(one.left for one in adds_up(summary)) == 149
    assert "judge_unpriced" in {notice.code for notice in summary.notices}
    assert "free" in next(str(n) for n in summary.notices if n.code == "judge_unpriced")


def test_answers_without_counts_are_told_and_held_by_the_budget(store):
    answer = response(b'{"choices": [{"message": {"content": "4"}}]}', "Connection: close")
    with raw_server(lambda connection, _: connection.sendall(answer)) as (url, seen):
        summary = run_judges([judge(url)], items_of(50), store, budget=Budget(tokens=4_000))
        assert 5 <= len(seen) <= 20
    assert "judge_tokens_uncounted" in {notice.code for notice in summary.notices}


def test_the_key_is_in_no_store_and_no_message(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("TEST_KEY", KEY)
    caplog.set_level(0)
    told = Told()
    with Store.open(tmp_path / "s.db") as store:
        with FakeEndpoint(failures={"leak": 0.5, 400: 0.2}, key=KEY) as fake:
            spec = judge(fake.url, key_variable="TEST_KEY")
            summary = run_judges([spec], items_of(40), store, progress=told)
        monkeypatch.setenv("TEST_KEY", KEY + "x")
        with FakeEndpoint(key=KEY) as fake:
            spec = judge(fake.url, "wrong", key_variable="TEST_KEY")
            refused = run_judges([spec], items_of(40), store, progress=told)
        assert any("[key]" in (answer.text or "") for answer in store.judgements())
    assert refused.judges[0].left_by_reason == {"http 401": 40}
    assert KEY not in f"{summary!r} {refused!r} {told} {caplog.text} {spec!r}"
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()


def test_a_missing_key_is_refused_before_anything_is_asked(fake, store, monkeypatch):
    monkeypatch.delenv("TEST_KEY", raising=False)
    with pytest.raises(InputError, match="TEST_KEY is not set"):
        run_judges([judge(fake.url, key_variable="TEST_KEY")], items_of(2), store)


def test_an_item_that_cannot_be_shown_ends_the_run_with_what_was_answered(fake, store):
    items = [*items_of(300), Item("bad", {"other": "x"})]
    with pytest.raises(InputError, match="bad"):
        run_judges([judge(fake.url)], items, store)
    # All of the first chunks; none is half done.
    assert store.spent().calls == len(table_of(store))


def test_a_store_that_cannot_be_written_is_told(fake, store):
    run_judges([judge(fake.url)], items_of(3), store)
    with (
        Store.open(store.path, read_only=True) as shut,
        pytest.raises(OutputError, match="reading only"),
    ):
        run_judges([judge(fake.url)], items_of(5), shut)
    assert len(table_of(store)) == 3


def test_a_full_disk_loses_nothing_that_was_stored(store):
    with FakeEndpoint(seed=1) as fake:
        spec = judge(fake.url, concurrency=8)
        run_judges([spec], items_of(20), store)
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        with pytest.raises(OutputError, match="disk is full"):
            run_judges([spec], items_of(500), store)
        stored = len(table_of(store))
        assert 20 <= stored < 500
        store._connection.execute("PRAGMA max_page_count = 1000000")
        (one,) = adds_up(run_judges([spec], items_of(500), store))
        assert (one.before, one.ok) == (stored, 500 - stored)
        # Paid twice: at most what was in flight.
        assert sum(count - 1 for count in fake.counts().answers.values()) <= 8


def test_two_runs_on_one_store_pay_once(tmp_path):
    path = tmp_path / "shared.db"
    with FakeEndpoint(seed=1, latency=0.01) as fake:
        spec = judge(fake.url, concurrency=8)
        summaries = []

        def run():
            with Store.open(path) as store:
                summaries.append(run_judges([spec], items_of(600), store))

        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(fake.counts().answers.values()) == {1}
    both = [adds_up(summary)[0] for summary in summaries]
    assert sum(one.ok for one in both) == 600
    assert min(one.ok for one in both) > 50


def test_within_a_running_loop(fake, store):
    async def notebook():
        return run_judges([judge(fake.url)], items_of(4), store)

    assert asyncio.run(notebook()).judges[0].ok == 4


def test_refused_and_unreadable_answers_keep_what_was_written(store):
    bodies = iter(
        [
            b'{"choices": [{"message": {"content": "no idea"}}]}',
            b'{"choices": [{"message": {"content": null}}]}',
            b'{"choices": [{"message": {"content": "Let me"}, "finish_reason": "length"}]}',
        ]
    )
    lock = threading.Lock()

    def serve(connection, _):
        with lock:
            connection.sendall(response(next(bodies), "Connection: close"))

    with raw_server(serve) as (url, _):
        (one,) = adds_up(run_judges([judge(url, concurrency=1)], items_of(3), store))
    told = [(answer.text, answer.reason) for answer in store.judgements()]
    assert told[0][0] == "no idea"
    assert told[1:] == [(None, "refused"), ("Let me", "cut off")]
    assert one.na == 3


def test_biases_come_through(store):
    judges = {"judge_a": FakeJudge(bias=1.0, noise=0.1), "harsh": FakeJudge(bias=-1.0, noise=0.1)}
    with FakeEndpoint(judges) as fake:
        run_judges([judge(fake.url), judge(fake.url, "harsh")], items_of(100), store)
    means = {name: sum(a.scores[0] for a in store.judgements(name)) / 100 for name in judges}
    assert means["judge_a"] - means["harsh"] > 1.5
