"""Asks an endpoint for the vectors of texts: some at once, patiently, each paid for once."""

from __future__ import annotations

import asyncio
import heapq
import math
import time
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from bacon.engine.embedding.answers import Vectors, read_vectors
from bacon.engine.embedding.batches import Told, plain_tokens
from bacon.errors import BaconError
from bacon.judges.budget import Amount, Budget, Ledger
from bacon.judges.client import Client
from bacon.judges.limits import AdaptiveLimit, Breaker, backoff
from bacon.judges.replies import NO_CONNECTION, Trouble
from bacon.judges.runner import Signals
from bacon.judges.store_tallies import Spent
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bacon.engine.embedding.batches import Batch
    from bacon.engine.embedding.cache import VectorCache
    from bacon.engine.embedding.request import EmbeddingRequest
    from bacon.judges.client import Endpoint
    from bacon.judges.limits import Patience

__all__ = ["Asking"]

MOST_BYTES = 64_000_000
"""Longest answer that is read: a thousand vectors of 4,000 numbers."""

HALF_ATTEMPTS = 2
"""Requests for each half of a batch that failed as a whole."""


class Asking:
    """One run over batches of texts.

    Parameters
    ----------
    request : EmbeddingRequest
        The model, and how hard the endpoint may be pressed.
    endpoint : Endpoint
        Where it is.
    cache : VectorCache
        Where vectors go; a batch holds its place until they are on the disk.
    patience : Patience
        How failures are borne.
    told : callable
        Takes how many more texts are done.
    """

    def __init__(
        self,
        request: EmbeddingRequest,
        endpoint: Endpoint,
        cache: VectorCache,
        *,
        patience: Patience,
        told: Callable[[int], None],
    ) -> None:
        self.result = Told()
        self._request = request
        self._endpoint = endpoint
        self._cache = cache
        self._patience = patience
        self._told = told
        self._limit = AdaptiveLimit(request.concurrency)
        self._breaker = Breaker(patience)
        self._draws = stream(patience.seed, "waits of embeddings")
        self._ledger = Ledger(Budget(tokens=request.most_tokens), Spent(tokens=cache.tokens))
        self._share: float | None = None
        self._later: list[tuple[float, int, Batch]] = []
        self._numbers = count()
        self._flying: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._paused_until = 0.0
        self._refused = 0
        self._answered = False
        self._stopped: BaseException | None = None
        self._interrupts = 0

    async def run(self, batches: Iterator[Batch]) -> None:
        """Ask for every batch; return once all have their vectors or are given up.

        Raises
        ------
        BaconError
            The endpoint cannot be used, the budget is used up, or somebody stopped the run; what
            came before is in the cache.
        """
        async with Client(self._request.concurrency, most_bytes=MOST_BYTES) as client:
            with Signals(self._interrupt):
                while self._stopped is None:
                    due = self._send_what_may_go(client, batches, time.monotonic())
                    if not self._flying and not self._later and due is None:
                        break
                    await self._until_something_happens(due)
                await self._land()
        if self._stopped is not None:
            raise self._stopped

    async def _land(self) -> None:
        """Wait for requests out; break them off after a time, or at a second signal."""
        until = time.monotonic() + self._patience.grace
        while self._flying:
            if self._interrupts > 1 or time.monotonic() > until:
                for task in self._flying:
                    task.cancel()
            await asyncio.wait(self._flying, timeout=0.2)

    async def _until_something_happens(self, due: float | None) -> None:
        wait = None if due is None else max(due - time.monotonic(), 0.001)
        try:
            await asyncio.wait_for(self._wake.wait(), wait)
        except TimeoutError:
            return
        self._wake.clear()

    def _stop(self, error: BaseException) -> None:
        """Send nothing more; the first error is the one raised."""
        self._stopped = self._stopped or error
        self._wake.set()

    def _ended_by(self, why: str, mend: str = "") -> None:
        self._stop(BaconError(f"{why}; {mend}the same command goes on where this one ended."))

    def _interrupt(self) -> None:
        self._interrupts += 1
        self._ended_by("stopped")

    def _send_what_may_go(
        self, client: Client, batches: Iterator[Batch], now: float
    ) -> float | None:
        """Send while anything may go; return when the next may, None if that is not known."""
        while self._stopped is None and len(self._flying) < int(self._limit.value):
            rest = max(self._paused_until, now + self._breaker.wait(now))
            if rest > now:
                return rest
            if self._breaker.resting and self._flying:
                return None
            batch, due = self._next(batches, now)
            if batch is None:
                return due
            amount = self._guess(batch)
            if self._ledger.full(amount) is not None:
                self._put(batch, now)
                if self._ledger.idle:
                    most = f"{self._request.most_tokens:,}"
                    self._ended_by(f"the budget of {most} tokens is used up", "with a larger one, ")
                return None
            self._ledger.reserve(amount)
            task = asyncio.create_task(
                self._attempt(client, batch, amount, probe=self._breaker.resting)
            )
            self._flying.add(task)
            task.add_done_callback(partial(self._ended, amount))
        return None

    def _next(self, batches: Iterator[Batch], now: float) -> tuple[Batch | None, float | None]:
        """Return the batch whose turn it is; else None, and when there will be one if known."""
        if self._later and self._later[0][0] <= now:
            return heapq.heappop(self._later)[2], None
        # Batches that wait make room for others, within a limit: memory must not grow.
        if len(self._later) < 2 * self._request.concurrency:
            batch = next(batches, None)
            if batch is not None:
                batch.left = self._patience.attempts
                return batch, None
        return None, self._later[0][0] if self._later else None

    def _put(self, batch: Batch, due: float) -> None:
        heapq.heappush(self._later, (due, next(self._numbers), batch))

    def _ended(self, amount: Amount, task: asyncio.Task[None]) -> None:
        self._ledger.release(amount)
        self._flying.discard(task)
        self._wake.set()
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._stop(error)

    def _guess(self, batch: Batch) -> Amount:
        """Return tokens on the high side: by characters, mended by what was counted."""
        share = 1.0 if self._share is None else 1.1 * self._share
        return Amount(1, math.ceil(plain_tokens(batch) * share))

    async def _attempt(self, client: Client, batch: Batch, amount: Amount, *, probe: bool) -> None:
        import orjson

        body = orjson.dumps({"model": self._request.model, "input": batch.texts})
        sent = time.monotonic()
        came = await client.fetch(self._endpoint, body)
        outcome = (
            came
            if isinstance(came, Trouble)
            else read_vectors(
                came, len(batch.texts), width=self._cache.width, hide=self._endpoint.hide
            )
        )
        now = time.monotonic()
        if isinstance(outcome, Vectors):
            self._keep(batch, outcome, amount)
        elif outcome.kind in ("retry", "later"):
            if outcome.crowded:
                self._limit.turned_away(sent, now)
            self._put_off(batch, outcome, now, probe=probe)
        else:
            self._refuse(batch, outcome, now)

    def _keep(self, batch: Batch, found: Vectors, amount: Amount) -> None:
        self._limit.went_well()
        self._breaker.went_well()
        self._answered = True
        self._refused = 0
        if found.tokens is not None:
            self._share = max(self._share or 0.0, found.tokens / plain_tokens(batch))
        tokens = int(amount.tokens) if found.tokens is None else found.tokens
        self._cache.add(batch.keys, found.values, tokens)
        self._ledger.refresh(Spent(tokens=self._cache.tokens))
        self.result.requests += 1
        self.result.texts += len(batch.texts)
        self.result.tokens += tokens
        self._told(len(batch.texts))

    def _put_off(self, batch: Batch, trouble: Trouble, now: float, *, probe: bool) -> None:
        """Plan another attempt, of halves where the whole failed too often."""
        self._breaker.failed(now, probe=probe, reached=trouble.reason != NO_CONNECTION)
        if self._breaker.gives_up:
            self._ended_by(f"the endpoint fails ({_reason(trouble)})")
            return
        # What only tries whether the endpoint is back has not failed by itself.
        if trouble.kind == "later":
            batch.throttles += not probe
            tries = batch.throttles
            if tries >= self._patience.throttles:
                self._ended_by(f"the endpoint has no time ({_reason(trouble)})")
                return
        else:
            batch.attempts += not probe
            tries = batch.attempts
            if tries >= batch.left:
                self._divide(batch, trouble, now)
                return
        wait = backoff(float(self._draws.random()), max(tries, 1), self._patience)
        if trouble.wait is not None:
            if trouble.wait > self._patience.longest_pause:
                self._ended_by(f"the endpoint asks to wait {trouble.wait / 3600:,.1f} hours")
                return
            self._paused_until = max(self._paused_until, now + trouble.wait)
            # Spread, so that requests told the same do not come back all at once.
            wait = trouble.wait + min(wait, self._patience.first_wait)
        self._put(batch, now + wait)

    def _refuse(self, batch: Batch, trouble: Trouble, now: float) -> None:
        """End the run where every request would be refused; else find the text that is."""
        # The endpoint is there and answers.
        self._breaker.went_well()
        nowhere = trouble.reason in ("http 403", "http 404") and not self._answered
        if trouble.kind == "stop" or nowhere:
            mend = "mend the key, the bill, the model or the address, and "
            self._ended_by(f"the endpoint refuses ({_reason(trouble)})", mend)
            return
        self._refused += len(batch.texts) == 1
        if self._refused >= self._patience.refusals and not self._answered:
            self._ended_by(f"the endpoint refuses every text ({_reason(trouble)})")
            return
        self._divide(batch, trouble, now)

    def _divide(self, batch: Batch, trouble: Trouble, now: float) -> None:
        """Ask for the halves apart; a text alone is given up."""
        if len(batch.texts) > 1:
            for half in batch.halves(min(HALF_ATTEMPTS, self._patience.attempts)):
                self._put(half, now)
            return
        self.result.failed[batch.keys[0]] = trouble.reason
        self._told(1)


def _reason(trouble: Trouble) -> str:
    return f"{trouble.reason}: {trouble.told}" if trouble.told else trouble.reason
