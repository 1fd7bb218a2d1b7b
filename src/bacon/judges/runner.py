"""Runs judges over a pool: several at once, what is answered already left out, nothing lost."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
import time
from collections.abc import Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bacon.errors import BaconError, InputError
from bacon.judges.asking import JudgeRun
from bacon.judges.budget import Budget, Ledger
from bacon.judges.client import Client, Endpoint
from bacon.judges.limits import Patience
from bacon.judges.notices import INTERRUPTED, notices_of
from bacon.judges.progress import Silent
from bacon.judges.shared import Shared
from bacon.judges.summary import JudgeSummary, Summary
from bacon.judges.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType

    from bacon.judges.progress import Progress
    from bacon.judges.records import Answer, Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store import Store

__all__ = ["Signals", "run_judges"]

TICK_SECONDS = 0.2
BEAT_SECONDS = 60.0
BROKEN_OFF = "an error ended the run"


def run_judges(
    specs: Sequence[JudgeSpec],
    items: Iterable[Item],
    store: Store,
    *,
    budget: Budget | None = None,
    patience: Patience | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    proxies: bool = False,
) -> Summary:
    """Ask judges about items, and store every answer.

    Parameters
    ----------
    specs : sequence of JudgeSpec
        The judges; all run at once, and one that fails stops no other.
    items : iterable of Item
        What they are asked about, read as it is needed. With several judges it has to be
        something that can be gone through more than once, because each has its own speed.
    store : Store
        Where answers go. Calls that have one are not made again.
    budget : Budget, optional
        The most to spend, everything in the store included.
    patience : Patience, optional
        How failures are borne.
    progress : Progress, optional
        What shows how it goes; nothing by default.
    stop : threading.Event, optional
        Once set, the run ends as with Ctrl-C.
    proxies : bool
        Whether to go through the proxies that the environment names.

    Returns
    -------
    Summary
        How all calls ended.

    Raises
    ------
    InputError
        A judge, an item or a key cannot be used.
    OutputError
        The store cannot be written; what was stored before is safe.

    Notes
    -----
    SIGINT (Ctrl-C) and SIGTERM end a run: no new calls, those in flight are waited for, their
    answers stored. A second one breaks off what is in flight; answers that came in are stored all
    the same. A call keeps its place among those in flight until its answer is on the disk, so that
    a crash costs at most as many calls as the judge may have in flight.
    """
    _check(specs, items)
    endpoints = [Endpoint(spec, proxies=proxies) for spec in specs]
    run = _Run(
        specs,
        items,
        store,
        budget=Budget() if budget is None else budget,
        patience=Patience() if patience is None else patience,
        progress=Silent() if progress is None else progress,
        stop=threading.Event() if stop is None else stop,
    )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run.run(endpoints))
    # Inside of a notebook's own loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, run.run(endpoints)).result()


def _check(specs: Sequence[JudgeSpec], items: Iterable[Item]) -> None:
    """Refuse judges of one name, and items that cannot be read by each judge."""
    if not specs:
        raise InputError("there are no judges to run; name one at least.")
    names = [spec.name for spec in specs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"two judges are called {twice[0]}; give each its own name.")
    if len(specs) > 1 and isinstance(items, Iterator):
        raise InputError(
            "items can be gone through only once and there are several judges, each with its own "
            "speed; give a list, or an object whose __iter__ starts anew."
        )


class _Run:
    """One run: the judges' tasks, the writer, the signals."""

    def __init__(
        self,
        specs: Sequence[JudgeSpec],
        items: Iterable[Item],
        store: Store,
        *,
        budget: Budget,
        patience: Patience,
        progress: Progress,
        stop: threading.Event,
    ) -> None:
        self._specs = specs
        self._items = items
        self._store = store
        self._patience = patience
        self._progress = progress
        self._stop = stop
        self._ledger = Ledger(budget, store.spent())
        self._judges: dict[str, JudgeRun] = {}
        self._error: BaseException | None = None
        self._interrupts = 0
        self._grace_until: float | None = None

    async def run(self, endpoints: Sequence[Endpoint]) -> Summary:
        """Run all judges to their end and return the summary, or raise what broke the run off."""
        started = time.monotonic()
        connections = sum(spec.concurrency for spec in self._specs)
        writer = Writer(self._store, self._stored, self._failed)
        async with Client(connections, most_bytes=self._patience.most_bytes) as client:
            shared = Shared(
                store=self._store,
                client=client,
                writer=writer,
                ledger=self._ledger,
                patience=self._patience,
                tell=self._progress.tell,
                failed=self._failed,
                wake_all=self._wake_all,
            )
            for spec, endpoint in zip(self._specs, endpoints, strict=True):
                judge = JudgeRun(spec, self._items, endpoint, shared)
                if isinstance(self._items, Sized):
                    judge.tally.total = len(self._items) * spec.runs
                self._judges[spec.name] = judge
            self._progress.start(self._judges, self._ledger)
            with Signals(self._interrupt), _settled():
                await self._work(writer)
        self._progress.end()
        if self._error is not None:
            raise self._error
        return self._summary(time.monotonic() - started)

    async def _work(self, writer: Writer) -> None:
        ticking = asyncio.create_task(self._tick())
        try:
            await asyncio.gather(*(judge.run() for judge in self._judges.values()))
        finally:
            ticking.cancel()
            try:
                await writer.close()
            except BaconError as error:
                self._error = error
            self._give_back()

    def _give_back(self) -> None:
        """Give back what was planned; a store that cannot be written has been told of before."""
        try:
            for judge in self._judges.values():
                judge.release()
        except BaconError as error:
            self._error = self._error or error

    def _stored(self, answers: Sequence[Answer]) -> None:
        for answer in answers:
            self._judges[answer.call.judge].stored(answer)
        if self._ledger.limited:
            self._ledger.refresh(self._store.spent())
            self._wake_all()

    def _failed(self, error: BaseException) -> None:
        """End the run with the first error; calls in flight may still end."""
        self._error = self._error or error
        self._end_judges(BROKEN_OFF)

    def _end_judges(self, reason: str) -> None:
        if self._grace_until is None:
            self._grace_until = time.monotonic() + self._patience.grace
        for judge in self._judges.values():
            judge.stop(reason)

    def _interrupt(self) -> None:
        """Take a signal: the first ends the run, the second breaks calls off."""
        self._interrupts += 1
        if self._interrupts == 1:
            self._progress.tell(
                f"Stopping: waiting up to {self._patience.grace:g} seconds for calls in flight. "
                "Once more stops at once."
            )
            self._end_judges(INTERRUPTED)
        else:
            self._cancel()

    def _cancel(self) -> None:
        for judge in self._judges.values():
            judge.cancel()

    def _wake_all(self) -> None:
        for judge in self._judges.values():
            judge.wake()

    async def _tick(self) -> None:
        """Look at what comes from outside, show how it goes, keep claims alive."""
        beat = time.monotonic()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            if self._stop.is_set() and not self._interrupts:
                self._interrupt()
            if self._grace_until is not None and now > self._grace_until:
                self._cancel()
            self._progress.show(now)
            if now - beat > BEAT_SECONDS:
                beat = now
                try:
                    await asyncio.to_thread(self._store.beat)
                except BaconError as error:
                    self._failed(error)

    def _summary(self, seconds: float) -> Summary:
        judges = tuple(JudgeSummary.of(name, run.tally) for name, run in self._judges.items())
        tallies = {name: run.tally for name, run in self._judges.items()}
        notices = notices_of(judges, tallies, self._specs, self._ledger)
        return Summary(judges, seconds, self._interrupts > 0, tuple(notices))


@contextmanager
def _settled() -> Iterator[None]:
    """Have the garbage collector leave alone what is there already: it is much, and stays."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Signals:
    """Turns SIGINT and SIGTERM into calls of a function on the loop, where signals can be had."""

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()

        def handler(_number: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self._interrupt)

        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, handler)

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
