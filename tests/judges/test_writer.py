"""Answers on their way into the store."""

from __future__ import annotations

import asyncio

import pytest
from tests.judges.store_cases import made

from bacon.errors import InputError, OutputError
from bacon.judges import writer as module
from bacon.judges.store import Store
from bacon.judges.writer import Writer


class Case:
    """A writer on a store, with what it has told."""

    def __init__(self, store):
        self.stored, self.failed = [], []
        self.writer = Writer(store, self.stored.extend, self._failed)
        self.ended = asyncio.Event()

    def _failed(self, error):
        self.failed.append(error)
        self.ended.set()

    async def add(self, answers):
        """Hand over answers that cannot be stored, and wait until that is told."""
        for answer in answers:
            self.writer.add(answer)
        await asyncio.wait_for(self.ended.wait(), 5)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "answers.db") as it:
        yield it


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch):
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)


def fill(store, pages=0):
    """Leave room for so many pages."""
    (used,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {used + pages}")


def test_answers_are_on_the_disk_when_they_are_told_of_and_told_of_once(store):
    told = []

    def stored(answers):
        told.append([answer.call.key for answer in answers])
        assert store.done(told[-1]) == {*told[-1]}

    async def main():
        writer = Writer(store, stored, pytest.fail)
        for k in range(500):
            writer.add(made(f"{k}"))
            await asyncio.sleep(0 if k % 5 else 0.001)
        await writer.close()

    asyncio.run(main())
    assert [key for batch in told for key in batch] == [f"judge_a/{k}/1" for k in range(500)]
    assert 1 < len(told) < 500


def test_what_is_handed_over_last_is_stored_by_closing(store):
    async def main():
        case = Case(store)
        await case.writer.close()
        assert not case.stored
        case = Case(store)
        case.writer.add(made("1"))
        await case.writer.close()
        assert len(case.stored) == 1

    asyncio.run(main())
    assert store.spent().calls == 1


def test_answers_handed_over_after_an_error_are_stored_in_their_order_once_it_is_mended(store):
    big = [made(f"{k}", text="x" * 20_000) for k in range(20)]

    async def main():
        case = Case(store)
        await case.add(big)
        fill(store, 1_000_000)
        case.writer.add(made("last"))
        await case.writer.close()
        return case

    fill(store)
    case = asyncio.run(main())
    assert [answer.call.item for answer in case.stored] == [*map(str, range(20)), "last"]
    assert len(case.failed) == 1


def test_a_full_disk_is_told_and_the_answers_are_kept(store):
    big = [made(f"{k}", text="x" * 20_000) for k in range(20)]

    async def main(*, mended):
        case = Case(store)
        await case.add(big)
        assert [type(error) for error in case.failed] == [OutputError]
        if mended:
            fill(store, 1_000_000)
            await case.writer.close()
        else:
            with pytest.raises(OutputError, match=r"disk is full.* not be stored: 20; they will"):
                await case.writer.close()

    fill(store)
    asyncio.run(main(mended=False))
    assert store.spent().calls == 0
    asyncio.run(main(mended=True))
    assert store.spent().calls == 20


def test_answers_that_no_store_can_hold_end_the_run(store):
    async def main():
        case = Case(store)
        await case.add([made("1", scores=(1.0, 2.0))])
        with pytest.raises(OutputError, match="2 scores for the outcomes"):
            await case.writer.close()
        assert [type(error) for error in case.failed] == [InputError]

    asyncio.run(main())


def test_an_error_of_who_is_told_ends_the_run_and_nothing_is_stored_twice(store):
    def stored(answers):
        raise OutputError(f"{len(answers)} came")

    async def main():
        failed = []
        writer = Writer(store, stored, failed.append)
        writer.add(made("1"))
        await asyncio.wait_for(writer.close(), 5)
        return failed

    assert [f"{error}" for error in asyncio.run(main())] == ["1 came"]
    assert store.spent().calls == 1
