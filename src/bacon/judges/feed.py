"""The calls of one judge, made from items a chunk at a time: memory does not grow with the pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.judges.spec import call_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bacon.judges.budget import Guess
    from bacon.judges.records import Call, Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store import Store
    from bacon.judges.summary import Tally

__all__ = ["Feed", "Planned"]

CHUNK_CALLS = 256
CHUNK_BYTES = 4_000_000
"""A chunk ends with the call that goes beyond either."""


@dataclass(slots=True)
class Planned:
    """A call to be made.

    Parameters
    ----------
    call : Call
        The request.
    plain : float
        Its tokens by its characters.
    attempts, throttles, sent : int
        Attempts that failed, those put off by the endpoint, and all.
    """

    call: Call
    plain: float
    attempts: int = 0
    throttles: int = 0
    sent: int = 0

    def __lt__(self, other: Planned) -> bool:
        """Order calls that are due at the same time."""
        return self.call.key < other.call.key


class Feed:
    """Reads items and plans the calls that have no answer yet.

    Parameters
    ----------
    spec : JudgeSpec
        The judge.
    items : iterable of Item
        Read as calls are needed.
    store : Store
        What is answered already, and who is at what.
    guess : Guess
        Tokens of calls.
    tally : Tally
        Where calls are counted that need not be made.
    """

    def __init__(
        self, spec: JudgeSpec, items: Iterable[Item], store: Store, guess: Guess, tally: Tally
    ) -> None:
        self._store = store
        self._tally = tally
        self._open: set[str] = set()
        self._calls = _calls(spec, items, guess)

    def chunk(self) -> list[Planned] | None:
        """Return calls to be made, None where there are no more items; blocks while it reads."""
        chunk: dict[str, Planned] = {}
        seen = size = 0
        for planned in self._calls:
            seen += 1
            size += len(planned.call.body)
            if planned.call.key not in self._open:
                chunk.setdefault(planned.call.key, planned)
            if seen >= CHUNK_CALLS or size >= CHUNK_BYTES:
                break
        if not seen:
            return None
        done = self._store.done(chunk)
        wanted = chunk.keys() - done
        mine = self._store.claim(wanted) if wanted else set()
        # Between the two look-ups another process may have answered some.
        late = self._store.done(wanted - mine) if len(mine) < len(wanted) else set()
        self._open |= mine
        self._tally.seen += seen
        self._tally.repeated += seen - len(chunk)
        self._tally.before += len(done) + len(late)
        self._tally.elsewhere += len(wanted) - len(mine) - len(late)
        return [planned for key, planned in chunk.items() if key in mine]

    def answered(self, key: str) -> None:
        """Note that a call has its answer stored."""
        self._open.discard(key)

    def release(self) -> None:
        """Give back what was planned and not answered."""
        if self._open:
            self._store.release(self._open)
            self._open.clear()


def _calls(spec: JudgeSpec, items: Iterable[Item], guess: Guess) -> Iterator[Planned]:
    """Yield the calls of every item, all its runs one after the other."""
    for item in items:
        for run in range(1, spec.runs + 1):
            call = call_of(spec, item, run)
            yield Planned(call, guess.plain(call, item))
