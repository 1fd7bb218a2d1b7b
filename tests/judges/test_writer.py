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
        self.writer = Writer(store, self.stored.extend, self.failed.append)
        self.task = asyncio.create_task(self.writer.run())

    async def close(self):
        await self.writer.close(self.task)


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


def test_an_answer_is_on_the_disk_when_add_returns(store):
    async def main():
        case = Case(store)

        async def one(k):
            await case.writer.add(made(f"{k}"))
            assert store.done([f"judge_a/{k}/1"])

        await asyncio.gather(*(one(k) for k in range(100)))
        await case.close()
        return case

    case = asyncio.run(main())
    assert len(case.stored) == 100
    assert not case.failed


def test_what_is_handed_over_while_it_closes_is_stored(store):
    async def main():
        case = Case(store)
        adding = asyncio.create_task(case.writer.add(made("1")))
        await asyncio.sleep(0)
        adding.cancel()
        await case.close()

    asyncio.run(main())
    assert store.spent().calls == 1


def test_a_full_disk_is_told_and_the_answers_are_kept(store):
    big = [made(f"{k}", text="x" * 20_000) for k in range(20)]

    async def main(*, mended):
        case = Case(store)
        await asyncio.wait_for(asyncio.gather(*map(case.writer.add, big)), 5)
        assert [type(error) for error in case.failed] == [OutputError]
        if mended:
            fill(store, 1_000_000)
            await case.close()
        else:
            with pytest.raises(OutputError, match=r"disk is full.* not be stored: 20; they will"):
                await case.close()

    fill(store)
    asyncio.run(main(mended=False))
    assert store.spent().calls == 0
    asyncio.run(main(mended=True))
    assert store.spent().calls == 20


def test_answers_that_no_store_can_hold_end_the_run(store):
    async def main():
        case = Case(store)
        await asyncio.wait_for(case.writer.add(made("1", scores=(1.0, 2.0))), 5)
        with pytest.raises(OutputError, match="2 scores for the outcomes"):
            await case.close()
        assert [type(error) for error in case.failed] == [InputError]

    asyncio.run(main())
