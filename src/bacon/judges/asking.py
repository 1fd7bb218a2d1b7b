"""One judge at work: which call goes out when, and what becomes of each."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import TYPE_CHECKING

from bacon.judges.answering import failed_answer, read_answer
from bacon.judges.budget import Guess
from bacon.judges.feed import Feed
from bacon.judges.limits import AdaptiveLimit, Breaker, backoff
from bacon.judges.replies import NO_CONNECTION, RATE_LIMITED, Reply
from bacon.judges.summary import Tally
from bacon.judges.turns import Turns
from bacon.random import stream
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.judges.budget import Amount
    from bacon.judges.client import Endpoint
    from bacon.judges.feed import Planned
    from bacon.judges.records import Answer, Item
    from bacon.judges.replies import Trouble
    from bacon.judges.shared import Shared
    from bacon.judges.spec import JudgeSpec

__all__ = ["JudgeRun"]

LONGEST = 240
"""Signs of what an endpoint says that are passed on."""

CONTACT = ("http 403", "http 404")
"""Refusals that stop a judge whatever went well before, if there are many in a row."""


class JudgeRun:
    """Asks one judge about all items.

    Parameters
    ----------
    spec : JudgeSpec
        The judge.
    items : iterable of Item
        Read once.
    endpoint : Endpoint
        Where it is.
    shared : Shared
        What all judges use.
    """

    def __init__(
        self, spec: JudgeSpec, items: Iterable[Item], endpoint: Endpoint, shared: Shared
    ) -> None:
        self.spec = spec
        self.tally = Tally()
        self.limit = AdaptiveLimit(spec.concurrency)
        self._endpoint = endpoint
        self._shared = shared
        self._breaker = Breaker(shared.patience)
        self._guess = Guess(spec)
        self._feed = Feed(spec, items, shared.store, self._guess, self.tally)
        self._draws = stream(shared.patience.seed, f"waits of {spec.name}")
        self._turns = Turns(spec.concurrency)
        self._flying: set[asyncio.Task[bool]] = set()
        # What was set aside for calls whose answers are not on the disk yet.
        self._unsaved: dict[str, Amount] = {}
        self._reading: asyncio.Task[None] | None = None
        self._read_all = False
        self._wake = asyncio.Event()
        self._paused_until = 0.0
        self._refused = 0
        self._answered = False

    async def run(self) -> None:
        """Make calls until there are none, or the judge is stopped; then wait for those out."""
        while self.tally.stopped is None:
            self._read_on()
            due = self._send_what_may_go(time.monotonic())
            if self._over():
                break
            await self._until_something_happens(due)
        while self._flying:
            await asyncio.wait(self._flying)
        if self._reading is not None:
            await asyncio.wait([self._reading])

    def stop(self, reason: str) -> None:
        """Send nothing more; calls in flight go on. The first reason stays."""
        if self.tally.stopped is None:
            self.tally.stopped = reason
        self.tally.waiting = None
        self.wake()

    def cancel(self) -> None:
        """Break off calls in flight."""
        for task in self._flying:
            task.cancel()

    def wake(self) -> None:
        """Look again what can be done."""
        self._wake.set()

    def stored(self, answer: Answer) -> None:
        """Note that an answer is safe; its place is free for another call."""
        self._feed.answered(answer.call.key)
        self.tally.stored(answer)
        amount = self._unsaved.pop(answer.call.key, None)
        if amount is not None:
            self._shared.ledger.release(amount)
        self.wake()

    def release(self) -> None:
        """Give back what was planned and not answered."""
        self._feed.release()

    def _over(self) -> bool:
        busy = self._flying or self._turns or self._reading
        return self._read_all and not busy

    def _read_on(self) -> None:
        """Have more calls planned in the background where few are left."""
        if self._reading is None and not self._read_all and self._turns.are_few:
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            chunk = await asyncio.to_thread(self._feed.chunk)
            if chunk is None:
                self._read_all = True
            else:
                self._turns.add(chunk)
        except Exception as error:  # noqa: BLE001 - whatever it is ends the run, and is raised there
            self._shared.failed(error)
        finally:
            self._reading = None
            self.wake()

    async def _until_something_happens(self, due: float | None) -> None:
        loop = asyncio.get_running_loop()
        timer = None
        if due is not None:
            timer = loop.call_later(max(due - time.monotonic(), 0.001), self._wake.set)
        await self._wake.wait()
        self._wake.clear()
        if timer is not None:
            timer.cancel()

    def _send_what_may_go(self, now: float) -> float | None:
        """Send calls while any may go; return when the next one may, None if that is not known."""
        while self.tally.stopped is None and self._taken < int(self.limit.value):
            rest = max(self._paused_until, now + self._breaker.wait(now))
            if rest > now:
                return rest
            if self._breaker.resting and self._taken:
                return None
            self.tally.waiting = None
            planned, due = self._turns.take(now)
            if planned is None:
                return due
            amount = self._guess.amount(planned.plain)
            full = self._shared.ledger.full(amount)
            if full is not None:
                self._turns.put_back(planned)
                if self._shared.ledger.idle:
                    self.stop(f"budget of {full} used up")
                return None
            self._send(planned, amount)
        return None

    @property
    def _taken(self) -> int:
        """Places taken: a crash must not cost more calls than the judge may have in flight."""
        return len(self._flying) + len(self._unsaved)

    def _send(self, planned: Planned, amount: Amount) -> None:
        self._shared.ledger.reserve(amount)
        self.tally.attempts += 1
        planned.sent += 1
        task = asyncio.create_task(self._attempt(planned, amount, probe=self._breaker.resting))
        self._flying.add(task)
        task.add_done_callback(lambda ended: self._ended(ended, amount))

    def _ended(self, task: asyncio.Task[bool], amount: Amount) -> None:
        self._flying.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is None and not task.cancelled() and task.result():
            return
        self._shared.ledger.release(amount)
        self.wake()
        if self._shared.ledger.limited:
            self._shared.wake_all()
        if error is not None:
            self._shared.failed(error)

    async def _attempt(self, planned: Planned, amount: Amount, *, probe: bool) -> bool:
        """Make one attempt; return whether the call has its answer, which is being stored."""
        sent = time.monotonic()
        outcome = await self._shared.client.ask(self._endpoint, planned.call.body)
        now = time.monotonic()
        if isinstance(outcome, Reply):
            self._went_well()
            self._guess.learn(planned.plain, outcome.tokens_in)
            if outcome.tokens_in is None or outcome.tokens_out is None:
                self.tally.uncounted += 1
                self._shared.ledger.keep(amount)
            answer, odd = read_answer(self.spec, planned, outcome, latency=now - sent)
            self.tally.odd += odd
            self._save(answer, amount)
            return True
        self.tally.tell(f"{outcome.reason}: {outcome.told}" if outcome.told else "")
        if outcome.kind in ("retry", "later"):
            if outcome.crowded:
                self.limit.turned_away(sent, now)
            reason = self._put_off(planned, outcome, now, probe=probe)
        else:
            reason = self._refuse(outcome)
        if reason is not None:
            self._save(failed_answer(self.spec, planned, reason, now - sent), amount)
        return reason is not None

    def _save(self, answer: Answer, amount: Amount) -> None:
        """Have an answer stored; its call keeps its place until then."""
        self._unsaved[answer.call.key] = amount
        self._shared.writer.add(answer)

    def _went_well(self) -> None:
        self.limit.went_well()
        self._breaker.went_well()
        self._answered = True
        self._refused = 0

    def _put_off(
        self, planned: Planned, trouble: Trouble, now: float, *, probe: bool
    ) -> str | None:
        """Plan another attempt; return the reason for NA where there were enough."""
        patience = self._shared.patience
        was_resting = self._breaker.resting
        self._breaker.failed(now, probe=probe, reached=trouble.reason != NO_CONNECTION)
        if self._breaker.gives_up:
            self.stop(f"the endpoint fails ({trouble.reason})")
        elif self._breaker.resting:
            self._rest(trouble, is_first=not was_resting)
        # A call that only tries whether the endpoint is back has not failed by itself.
        if trouble.kind == "later":
            planned.throttles += not probe
            tries, most = planned.throttles, patience.throttles
        else:
            planned.attempts += not probe
            tries, most = planned.attempts, patience.attempts
        if tries >= most:
            return trouble.reason
        wait = backoff(float(self._draws.random()), max(tries, 1), patience)
        if trouble.wait is not None:
            # Spread, so that calls told the same do not come back all at once.
            wait = trouble.wait + min(wait, patience.first_wait)
            self._heed(trouble, now)
        self._turns.put_off(planned, now + wait)
        return None

    def _rest(self, trouble: Trouble, *, is_first: bool) -> None:
        """Tell why the judge rests; once in words, then beside the counts."""
        self.tally.waiting = f"rests, tries again ({trouble.reason})"
        if is_first:
            told = f": {shown(trouble.told, LONGEST)}" if trouble.told else ""
            self._shared.tell(
                f"{self.spec.name}: {trouble.reason}{told}. Every call fails; the judge rests and "
                "tries one now and then."
            )

    def _heed(self, trouble: Trouble, now: float) -> None:
        """Pause the judge, or stop it, where the endpoint asks for a long wait."""
        wait, patience = trouble.wait or 0.0, self._shared.patience
        if wait <= patience.pause_after:
            return
        until = f"{datetime.fromtimestamp(time.time() + wait).astimezone():%Y-%m-%d %H:%M:%S}"
        if wait > patience.longest_pause:
            self.stop(f"{RATE_LIMITED}, the endpoint asks to wait until {until}")
        elif now + wait > self._paused_until + 1.0:
            self._paused_until = now + wait
            self.tally.waiting = f"paused until {until}"
            self._shared.tell(
                f"{self.spec.name}: the endpoint asks to wait until {until}; the judge is paused."
            )

    def _refuse(self, trouble: Trouble) -> str | None:
        """Stop the judge where every call would be refused; else return the reason for NA."""
        # The endpoint is there and answers.
        self._breaker.went_well()
        if trouble.kind == "na":
            return trouble.reason
        self._refused += 1
        final = trouble.reason in CONTACT
        if trouble.kind == "stop" or (final and not self._answered):
            self.stop(trouble.reason)
            return None
        if self._refused >= self._shared.patience.refusals and (final or not self._answered):
            self.stop(f"{trouble.reason} for {self._refused} calls in a row")
        return trouble.reason
