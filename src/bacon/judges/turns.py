"""Whose turn it is: planned calls in their order, and calls that wait for another attempt."""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.judges.feed import Planned

__all__ = ["Turns"]

LOW_WATER = 128
"""Planned calls below which more are read."""


class Turns:
    """Planned calls of one judge that are not out.

    Parameters
    ----------
    concurrency : int
        Most calls that the judge may have in flight.
    """

    def __init__(self, concurrency: int) -> None:
        self._ready: deque[Planned] = deque()
        self._later: list[tuple[float, Planned]] = []
        # Calls that wait make room for others, within a limit: memory must not grow.
        self._most_waiting = max(LOW_WATER, 2 * concurrency)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._ready or self._later)

    @property
    def are_few(self) -> bool:
        """Whether it is time to read more."""
        return len(self._ready) < LOW_WATER

    def add(self, planned: Iterable[Planned]) -> None:
        """Take calls, the first to go first."""
        self._ready.extend(planned)

    def put_back(self, planned: Planned) -> None:
        """Take back a call that could not go yet; it is the next."""
        self._ready.appendleft(planned)

    def put_off(self, planned: Planned, until: float) -> None:
        """Take a call that waits for another attempt."""
        heapq.heappush(self._later, (until, planned))

    def take(self, now: float) -> tuple[Planned | None, float | None]:
        """Return the call whose turn it is; else None, and when there will be one if known."""
        if self._later and self._later[0][0] <= now:
            return heapq.heappop(self._later)[1], None
        if self._ready and len(self._later) < self._most_waiting:
            return self._ready.popleft(), None
        return None, self._later[0][0] if self._later else None
