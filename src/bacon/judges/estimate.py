"""What a run would cost, before anything is asked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from bacon.judges.budget import Guess
from bacon.judges.spec import call_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bacon.judges.records import Item
    from bacon.judges.spec import JudgeSpec
    from bacon.judges.store import Store

__all__ = ["JudgeEstimate", "dry_run"]

TYPICAL_CHARACTERS = 4.0
"""Characters that a token has on average in English; other languages and code have fewer."""


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What a run would ask of one judge.

    Parameters
    ----------
    name : str
        The judge.
    calls, before : int
        Calls to be made, and those that have an answer.
    tokens_in : int
        Tokens read, by characters: an estimate.
    tokens_out : int
        Tokens written at most, if every answer is as long as it may be.
    money : float or None
        For these tokens, by the judge's prices; None where they are not known.
    """

    name: str
    calls: int
    before: int
    tokens_in: int
    tokens_out: int
    money: float | None

    def __str__(self) -> str:
        money = "price not known" if self.money is None else f"{self.money:.2f} at most"
        before = f", {self.before:,} answered before" if self.before else ""
        return (
            f"{self.name}: {self.calls:,} calls{before}, about {self.tokens_in:,} tokens to read, "
            f"up to {self.tokens_out:,} to write, {money}"
        )


def dry_run(
    specs: Sequence[JudgeSpec], items: Iterable[Item], store: Store | None = None
) -> tuple[JudgeEstimate, ...]:
    """Return what a run would cost; nothing is asked and nothing stored.

    Parameters
    ----------
    specs : sequence of JudgeSpec
        The judges.
    items : iterable of Item
        Gone through once.
    store : Store, optional
        Calls with an answer there are not counted.

    Notes
    -----
    Tokens are guessed from characters, four a token, and 1,500 for an image.
    """
    sums = {spec.name: [0, 0, 0.0] for spec in specs}
    guesses = {spec.name: Guess(spec) for spec in specs}
    planned = _planned(specs, items, guesses)
    while chunk := list(islice(planned, 1_000)):
        done = set() if store is None else store.done(key for _, key, _ in chunk)
        for name, key, tokens in chunk:
            sums[name][key in done] += 1
            sums[name][2] += 0.0 if key in done else tokens
    estimates = []
    for spec in specs:
        calls, before, tokens = sums[spec.name]
        tokens_in, tokens_out = round(tokens), int(calls) * guesses[spec.name].most_out
        money = spec.cost(tokens_in, tokens_out)
        estimates.append(
            JudgeEstimate(spec.name, int(calls), int(before), tokens_in, tokens_out, money)
        )
    return tuple(estimates)


def _planned(
    specs: Sequence[JudgeSpec], items: Iterable[Item], guesses: dict[str, Guess]
) -> Iterator[tuple[str, str, float]]:
    """Yield judge, key and tokens of every call."""
    for item in items:
        for spec in specs:
            for run in range(1, spec.runs + 1):
                call = call_of(spec, item, run)
                yield spec.name, call.key, guesses[spec.name].plain(call, item, TYPICAL_CHARACTERS)
