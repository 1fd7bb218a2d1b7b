"""Answers on their way into the store: many in one transaction, told of once they are safe."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from bacon.errors import BaconError, OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from bacon.judges.records import Answer
    from bacon.judges.store import Store

__all__ = ["Writer"]

GATHER_SECONDS = 0.002
"""How long a transaction waits for more answers: each costs the flush of a disk."""

RETRIES = 3
RETRY_SECONDS = 2.0
"""A store that could not be written at the end is tried again so often, so long apart."""


class Writer:
    """Stores answers in a thread of its own, those that arrive together in one transaction.

    Made and used on one event loop.

    Parameters
    ----------
    store : Store
        Where to.
    stored : callable
        Called on the loop with answers once they are safe.
    failed : callable
        Called on the loop with the first error; answers are kept and tried again by `close`.
    """

    def __init__(
        self,
        store: Store,
        stored: Callable[[Sequence[Answer]], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._store = store
        self._stored = stored
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Answer] = deque()
        self._taken: list[Answer] = []
        self._error: BaseException | None = None
        self._told = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="bacon-store")

    def add(self, answer: Answer) -> None:
        """Hand over an answer."""
        self._waiting.append(answer)
        if self._idle.is_set() and self._error is None:
            self._begin()

    async def close(self) -> None:
        """Store the rest, and raise the error if answers remain.

        Raises
        ------
        OutputError
            Answers could not be stored; says how many.
        """
        try:
            await self._idle.wait()
            for _ in range(RETRIES if self._waiting else 0):
                await asyncio.sleep(RETRY_SECONDS)
                self._error = None
                self._begin()
                await self._idle.wait()
                if not self._waiting:
                    break
        finally:
            self._thread.shutdown(wait=True)
        if self._error is not None and not isinstance(self._error, BaconError):
            raise self._error
        if self._error is not None and self._waiting:
            raise OutputError(
                f"{self._error} Answers that came in and could not be stored: "
                f"{len(self._waiting)}; they will be asked for again."
            ) from self._error

    def _begin(self) -> None:
        """Have the thread store what waits."""
        self._idle.clear()
        writing = self._thread.submit(self._write)
        writing.add_done_callback(
            lambda ended: self._loop.call_soon_threadsafe(self._written, ended)
        )

    def _write(self) -> None:
        """Store what waits; in the thread, so that the loop waits neither for more nor the disk."""
        time.sleep(GATHER_SECONDS)
        self._taken = [self._waiting.popleft() for _ in range(len(self._waiting))]
        self._store.add(self._taken)

    def _written(self, ended: Future[None]) -> None:
        """Tell how a transaction ended, and begin the next one; on the loop."""
        taken, self._taken = self._taken, []
        self._error = ended.exception()
        if self._error is not None:
            self._waiting.extendleft(reversed(taken))
            self._tell(self._error)
        else:
            try:
                self._stored(taken)
            except Exception as error:  # noqa: BLE001 - whatever it is ends the run, and is raised there
                self._tell(error)
        if self._waiting and self._error is None:
            self._begin()
        else:
            self._idle.set()

    def _tell(self, error: BaseException) -> None:
        if not self._told:
            self._told = True
            self._failed(error)
