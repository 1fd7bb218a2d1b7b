"""Sums over the answers of a store, kept with them: what was spent, and how calls ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.data.notice import Notice
from bacon.judges.store_rows import MOST_TEXT, cell, text_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from bacon.judges.store_rows import Row

__all__ = [
    "Counts",
    "Spent",
    "count_spent",
    "count_status",
    "give_up",
    "known_outcomes",
    "tally",
    "told_of_changes",
]

_MERGED = (
    "ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, tokens = tokens + excluded.tokens, "
    "money = money + excluded.money, unpriced = unpriced + excluded.unpriced"
)


@dataclass(frozen=True, slots=True)
class Spent:
    """What was paid.

    Parameters
    ----------
    calls : int
        Calls that ended, with an answer or without.
    tokens : int
        Tokens read and written, where the endpoint counted them.
    money : float
        By the judges' prices.
    unpriced : int
        Calls whose price is not known.
    """

    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """How the calls of a judge ended.

    Parameters
    ----------
    ok, na : int
        Answers with every score, and those without.
    by_reason : dict of str to int
        Why scores are missing, the most frequent first.
    """

    ok: int
    na: int
    by_reason: dict[str, int]


def tally(connection: sqlite3.Connection, rows: Iterable[tuple[Row, int]]) -> None:
    """Count rows, each with whether it is kept, in the transaction that stores them."""
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for row, kept in rows:
        so_far = sums.setdefault((kept, *row.tally), [0, 0, 0.0, 0])
        for k, amount in enumerate(row.amounts):
            so_far[k] += amount
    connection.executemany(
        "INSERT INTO tallies (kept, judge, status, reason, outcomes, changed, calls, tokens, "  # noqa: S608
        f"money, unpriced) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) {_MERGED}",
        [(*under, *amounts) for under, amounts in sums.items()],
    )


def give_up(connection: sqlite3.Connection, judge: str, reason: str | None) -> int:
    """Mark answers without a score as not kept, and count them so; return how many."""
    which = "judge = ? AND kept = 1 AND status = 'na'"
    values: tuple[str | bytes, ...] = (cell(judge),)
    if reason is not None:
        which += " AND coalesce(reason, '') = ?"
        values += (cell(reason),)
    found = connection.execute(f"UPDATE answers SET kept = 0 WHERE {which}", values)  # noqa: S608
    connection.execute(
        "INSERT INTO tallies SELECT judge, 0, status, reason, outcomes, changed, calls, tokens, "  # noqa: S608
        f"money, unpriced FROM tallies WHERE {which} {_MERGED}",
        values,
    )
    connection.execute(f"DELETE FROM tallies WHERE {which}", values)  # noqa: S608
    return found.rowcount


def count_spent(connection: sqlite3.Connection, judge: str | None) -> Spent:
    """Return what the calls of a judge, or of all, cost."""
    found = connection.execute(
        "SELECT sum(calls), sum(tokens), sum(money), sum(unpriced) FROM tallies "
        "WHERE ?1 IS NULL OR judge = ?1",
        (None if judge is None else cell(judge),),
    ).fetchone()
    return Spent() if found[0] is None else Spent(*found)


def count_status(connection: sqlite3.Connection) -> dict[str, Counts]:
    """Return how the calls of each judge ended."""
    ok: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    for judge, status, reason, calls in connection.execute(
        "SELECT judge, status, reason, sum(calls) FROM tallies WHERE kept = 1 GROUP BY 1, 2, 3"
    ):
        name = text_of(judge)
        without = reasons.setdefault(name, Counter())
        if status == "ok":
            ok[name] += calls
        else:
            without[text_of(reason) or "no reason given"] += calls
    return {
        name: Counts(ok[name], without.total(), dict(without.most_common()))
        for name, without in sorted(reasons.items())
    }


def known_outcomes(connection: sqlite3.Connection) -> list[str]:
    """Return the names of all scores kept, those of one prompt together in its order."""
    every = connection.execute(
        "SELECT value FROM (SELECT DISTINCT outcomes FROM tallies WHERE kept = 1), "
        "json_each(outcomes) ORDER BY outcomes, key"
    )
    return list(dict.fromkeys(name for (name,) in every))


def told_of_changes(connection: sqlite3.Connection) -> list[Notice]:
    """Tell of answers that are not as they came, and of those that do not count."""
    cut, numbers, aside = connection.execute(
        "SELECT coalesce(sum(calls) FILTER (WHERE changed LIKE '%text%'), 0), "
        "coalesce(sum(calls) FILTER (WHERE changed LIKE '%numbers%'), 0), "
        "coalesce(sum(calls) FILTER (WHERE kept = 0), 0) FROM tallies"
    ).fetchone()
    told = []
    if cut:
        message = f"Texts of {cut:,} answers were cut to {MOST_TEXT:,} characters in the store."
        told.append(Notice("answers_cut", message))
    if numbers:
        message = (
            f"Numbers of {numbers:,} answers (scores, log-probabilities, tokens) were out of any "
            "sensible range and are missing in the store."
        )
        told.append(Notice("answers_numbers_missing", message))
    if aside:
        message = (
            f"Answers not used: {aside:,}, given up to be asked for again or come a second time; "
            "they count as spent."
        )
        told.append(Notice("answers_set_aside", message))
    return told
