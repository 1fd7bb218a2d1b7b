"""Numbers of runs: those that a log gives, and the next free ones where it gives none."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.judges.records import Answer, Call
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.judges.store import Store

__all__ = ["REPEATS", "Row", "call_at", "placed"]

REPEATS = ("refuse", "runs", "first")
MOST_RUNS = 1_000


@dataclass(frozen=True, slots=True)
class Row:
    """An answer before its run is settled.

    Parameters
    ----------
    answer : Answer
        With the run that the log gives, else 1.
    given : bool
        Whether the log gives it.
    file : str
        Where it was read.
    row : int
        The row there, from 1.
    """

    answer: Answer
    given: bool
    file: str
    row: int


def call_at(judge: str, item: str, run: int) -> Call:
    """Return the call under which a score is stored: its key tells judge, item and run alone."""
    whole = json.dumps([judge, item, run]).encode()
    return Call(hashlib.blake2b(whole, digest_size=16).hexdigest(), judge, item, run, b"")


def placed(rows: Sequence[Row], store: Store, repeats: str) -> tuple[list[Answer], int]:
    """Return the answers of rows, each with a run that no other has, and how many came twice.

    Parameters
    ----------
    rows : sequence of Row
        In the order of their files.
    store : Store
        With all earlier ones.
    repeats : str
        What to do where a given run is taken: one of REPEATS.

    Raises
    ------
    InputError
        A given run is taken, and that is not allowed; or an item has an absurd number of runs.
    """
    taken = store.done([row.answer.call.key for row in rows if row.given])
    settled: list[Answer] = []
    open_rows: dict[tuple[str, str], list[Row]] = {}
    repeated = 0
    for row in rows:
        call = row.answer.call
        if row.given and call.key not in taken:
            taken.add(call.key)
            settled.append(row.answer)
            continue
        if row.given:
            repeated += 1
            if repeats == "refuse":
                raise _twice(row)
            if repeats == "first":
                continue
        open_rows.setdefault((call.judge, call.item), []).append(row)
    return [*settled, *_next_runs(open_rows, store, taken)], repeated


def _next_runs(
    waiting: dict[tuple[str, str], list[Row]], store: Store, taken: set[str]
) -> list[Answer]:
    """Return the answers of each judge and item with the next runs that are free."""
    first = dict.fromkeys(waiting, 1)
    settled: list[Answer] = []
    while waiting:
        calls = {
            pair: [call_at(*pair, first[pair] + k) for k in range(len(rows))]
            for pair, rows in waiting.items()
        }
        in_store = store.done([call.key for several in calls.values() for call in several])
        again: dict[tuple[str, str], list[Row]] = {}
        for pair, rows in waiting.items():
            used = [c.run for c in calls[pair] if c.key in in_store or c.key in taken]
            if used:
                first[pair] = used[-1] + 1
                again[pair] = rows
            elif calls[pair][-1].run > MOST_RUNS:
                raise _too_many(rows[-1])
            else:
                both = zip(rows, calls[pair], strict=True)
                settled += [replace(row.answer, call=call) for row, call in both]
        waiting = again
    return settled


def _twice(row: Row) -> InputError:
    call = row.answer.call
    return InputError(
        f"{row.file} row {row.row:,}: item {shown(call.item, 40)}, judge {call.judge}, run "
        f"{call.run} came before; leave out one of the files, or give --repeats runs to take it "
        "as a further run, or --repeats first to keep the first alone."
    )


def _too_many(row: Row) -> InputError:
    call = row.answer.call
    return InputError(
        f"{row.file} row {row.row:,}: item {shown(call.item, 40)!r} has more than {MOST_RUNS:,} "
        f"scores of judge {call.judge}; is this the item? Name its column with --item-column."
    )
