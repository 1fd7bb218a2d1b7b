"""Answers on their way into the store: many in one transaction, and a call waits for its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bacon.errors import BaconError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bacon.judges.records import Answer
    from bacon.judges.store import Store

__all__ = ["Writer"]

GATHER_SECONDS = 0.005
"""How long a transaction waits for more answers: flushing a disk costs more than that."""

RETRIES = 3
RETRY_SECONDS = 2.0
"""A store that could not be written at the end is tried again so often, so long apart."""


class Writer:
    """Stores answers in the background, those that arrive together in one transaction.

    Parameters
    ----------
    store : Store
        Where to.
    stored : callable
        Called with answers once they are safe.
    failed : callable
        Called with the first error; answers are kept and tried again by `close`.
    """

    def __init__(
        self,
        store: Store,
        stored: Callable[[Sequence[Answer]], None],
        failed: Callable[[BaconError], None],
    ) -> None:
        self._store = store
        self._stored = stored
        self._failed = failed
        self._waiting: list[Answer] = []
        self._batch = asyncio.Event()
        self._work = asyncio.Event()
        self._error: BaconError | None = None
        self._ended = False
        self._told = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="bacon-store")

    async def add(self, answer: Answer) -> None:
        """Hand over an answer and wait until it is safe, or cannot be stored for now."""
        self._waiting.append(answer)
        batch = self._batch
        self._work.set()
        if not self._ended:
            await batch.wait()

    async def run(self) -> None:
        """Store what comes until `close`."""
        try:
            while not self._ended:
                await self._work.wait()
                if not self._ended:
                    await asyncio.sleep(GATHER_SECONDS)
                self._work.clear()
                await self._write()
        finally:
            # Nobody may go on waiting for what nobody will do.
            self._ended = True
            self._batch.set()

    async def close(self, task: asyncio.Task[None]) -> None:
        """Store the rest, end the task of `run`, and raise the error if answers remain.

        Raises
        ------
        OutputError
            Answers could not be stored; says how many.
        """
        self._ended = True
        self._work.set()
        try:
            await task
            for _ in range(RETRIES if self._waiting else 0):
                await asyncio.sleep(RETRY_SECONDS)
                self._error = None
                await self._write()
                if not self._waiting:
                    break
        finally:
            self._thread.shutdown(wait=True)
        if self._error is not None and self._waiting:
            raise OutputError(
                f"{self._error} Answers that came in and could not be stored: "
                f"{len(self._waiting)}; they will be asked for again."
            )

    async def _write(self) -> None:
        answers, batch = self._waiting, self._batch
        self._waiting, self._batch = [], asyncio.Event()
        try:
            if answers and self._error is None:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._thread, self._store.add, answers)
                self._stored(answers)
                answers = []
        except BaconError as error:
            self._error = error
            if not self._told:
                self._told = True
                self._failed(error)
        finally:
            self._waiting = answers + self._waiting
            batch.set()
