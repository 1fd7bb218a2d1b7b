"""The answers of judges in one SQLite file: what was paid for once is not lost or paid again."""

from __future__ import annotations

import secrets
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bacon.errors import InputError, OutputError
from bacon.judges import store_claims, store_tallies
from bacon.judges.store_file import connect, in_chunks, store_errors, transaction
from bacon.judges.store_rows import COLUMNS, answer_of, cell, row_of, text_of
from bacon.judges.store_schema import prepare

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from bacon.data.notice import Notice
    from bacon.judges.records import Answer
    from bacon.judges.store_tallies import Counts, Spent

__all__ = ["Added", "Store"]

CHUNK = 1_000
"""Answers read at once."""

BEAT_SECONDS = 60.0
"""How often adding answers renews this object's claims."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of answers that were added.

    Parameters
    ----------
    kept : int
        Answers that now count for their keys.
    repeated : int
        Answers to keys that had one already: stored and counted as spent, but not used.
    """

    kept: int
    repeated: int


class Store:
    """Answers of judges, kept under the keys of their calls. Made by :meth:`open`.

    Several processes may use one store at once, and several threads one object. Answers are
    only ever added: one that was given up (:meth:`forget`), or that came a second time, stays
    and counts as spent. Requests are not kept, nor is any header, so that the key of an
    endpoint has no way into a store.

    Parameters
    ----------
    path : Path
        The file.
    connection : sqlite3.Connection
        To it.
    read_only : bool
        Whether nothing may be added.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._lock = threading.RLock()
        self._owner = secrets.token_hex(8)
        self._beaten: float | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False) -> Self:
        """Open a store, new or begun earlier; use it in a ``with`` statement.

        Parameters
        ----------
        path : path
            The file; made where it is not there.
        read_only : bool
            Change nothing, and refuse a file that is not there.

        Raises
        ------
        InputError
            The file is no store, damaged, or of a later version.
        OutputError
            It cannot be made or written.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/s.db") as store:
        ...     store.spent()
        Spent(calls=0, tokens=0, money=0.0, unpriced=0)
        """
        where = Path(path)
        with store_errors(where):
            connection = connect(where, read_only=read_only)
            try:
                prepare(connection, where, read_only=read_only)
            except BaseException:
                connection.close()
                raise
        return cls(where, connection, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what this object claimed, and close the file."""
        with self._lock:
            if self._beaten is not None:
                # Claims end with the process in any case.
                with suppress(OutputError), self._writing(flush=False) as connection:
                    store_claims.give_back(connection, self._owner)
                self._beaten = None
            self._connection.close()

    def done(self, keys: Iterable[str]) -> set[str]:
        """Return which of the keys have an answer, ok or na."""
        with self._lock, store_errors(self.path):
            return self._having("answers WHERE kept = 1", keys)

    def add(self, answers: Sequence[Answer]) -> Added:
        """Store answers in one transaction, flushed to the disk before this returns.

        Parameters
        ----------
        answers : sequence of Answer
            Any number; their keys need no claim.

        Returns
        -------
        Added
            How many count, and how many came a second time.

        Raises
        ------
        InputError
            The names of an answer's scores do not fit.
        OutputError
            Nothing was stored, for want of space or rights, or because the store is busy. What
            was stored before is whole, and the same answers can be added again later.
        """
        rows = [row_of(answer) for answer in answers]
        if not rows:
            return Added(0, 0)
        keys = [row.cells[0] for row in rows]
        kept = []
        with self._writing() as connection:
            taken = set(map(cell, self._having("answers WHERE kept = 1", map(text_of, keys))))
            for key in keys:
                kept.append(int(key not in taken))
                taken.add(key)
            (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM answers").fetchone()
            numbers = range(last + 1, last + 1 + len(rows))
            marks = ", ".join("?" * (len(COLUMNS) + 1))
            connection.executemany(
                f"INSERT INTO answers VALUES ({marks})",  # noqa: S608
                [(k, one, *row.cells) for k, one, row in zip(numbers, kept, rows, strict=True)],
            )
            connection.executemany(
                "INSERT INTO texts VALUES (?, ?)",
                [(k, r.text) for k, r in zip(numbers, rows, strict=True) if r.text is not None],
            )
            store_tallies.tally(connection, zip(rows, kept, strict=True))
            for marks, chunk in in_chunks(keys):
                connection.execute(f"DELETE FROM claims WHERE key IN ({marks})", chunk)  # noqa: S608
            if self._beaten is not None and time.monotonic() - self._beaten > BEAT_SECONDS:
                self._beat(connection)
        return Added(sum(kept), len(kept) - sum(kept))

    def forget(self, judge: str, reason: str | None = None) -> int:
        """Give up answers without a score, so that their calls are made again.

        Parameters
        ----------
        judge : str
            Name of the judge.
        reason : str, optional
            Only those that failed for this reason.

        Returns
        -------
        int
            How many. What they cost stays spent.
        """
        with self._writing() as connection:
            return store_tallies.give_up(connection, judge, reason)

    def claim(self, keys: Iterable[str]) -> set[str]:
        """Return the keys that are this object's to call now; no other process gets them.

        The rest have an answer, or another process is at them. A claim ends when the answer is
        added, by :meth:`release` or :meth:`close`, when the process has ended, and when the
        object has not added, claimed or called :meth:`beat` for 15 minutes.
        """
        wanted = set(keys)
        with self._writing(flush=False) as connection:
            self._beat(connection)
            store_claims.drop_the_dead(connection)
            free = wanted - self._having("answers WHERE kept = 1", wanted)
            connection.executemany(
                "INSERT OR IGNORE INTO claims VALUES (?, ?)",
                [(cell(key), self._owner) for key in free],
            )
            return self._having("claims WHERE owner = ?", free, self._owner)

    def release(self, keys: Iterable[str]) -> None:
        """Give back claims on calls that will not be made."""
        with self._writing(flush=False) as connection:
            connection.executemany(
                "DELETE FROM claims WHERE key = ? AND owner = ?",
                [(cell(key), self._owner) for key in keys],
            )

    def beat(self) -> None:
        """Renew this object's claims; needed where no answer comes for many minutes."""
        with self._writing(flush=False) as connection:
            self._beat(connection)

    def spent(self, judge: str | None = None) -> Spent:
        """Return what the calls of a judge, or of all, cost; those that do not count too."""
        with self._lock, store_errors(self.path):
            return store_tallies.count_spent(self._connection, judge)

    def counts(self) -> dict[str, Counts]:
        """Return how the calls of each judge ended, judges in the order of their names."""
        with self._lock, store_errors(self.path):
            return store_tallies.count_status(self._connection)

    def notices(self) -> tuple[Notice, ...]:
        """Return what a reader of the store must know: texts cut, numbers and answers unused."""
        with self._lock, store_errors(self.path):
            return tuple(store_tallies.told_of_changes(self._connection))

    def judgements(self, judge: str | None = None) -> Iterator[Answer]:
        """Yield the answers that count, in the order they were stored; memory does not grow.

        Parameters
        ----------
        judge : str, optional
            Only this judge's.
        """
        last = 0
        columns = ", ".join(COLUMNS)
        while True:
            with self._lock, store_errors(self.path):
                rows = self._connection.execute(
                    f"SELECT id, text, {columns} FROM answers LEFT JOIN texts ON answer = id "  # noqa: S608
                    "WHERE id > ?1 AND kept = 1 AND (?2 IS NULL OR judge = ?2) "
                    "ORDER BY id LIMIT ?3",
                    (last, None if judge is None else cell(judge), CHUNK),
                ).fetchall()
            for number, text, *values in rows:
                try:
                    answer = answer_of(values, text)
                except (ValueError, TypeError, AttributeError) as error:
                    raise InputError(
                        f"{self.path}: answer {number} of the store is damaged ({error}); put a "
                        "copy of the store in its place."
                    ) from error
                yield answer
                last = number
            if len(rows) < CHUNK:
                return

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Give a connection of its own that sees the store as it is now, for reading."""
        with store_errors(self.path):
            connection = connect(self.path, read_only=True)
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()

    def _having(self, where: str, keys: Iterable[str], *values: str) -> set[str]:
        """Return those of the keys that have a row in a table."""
        found: set[str] = set()
        for marks, chunk in in_chunks(map(cell, keys)):
            rows = self._connection.execute(
                f"SELECT key FROM {where} AND key IN ({marks})",  # noqa: S608
                (*values, *chunk),
            ).fetchall()
            found.update(text_of(key) for (key,) in rows)
        return found

    @contextmanager
    def _writing(self, *, flush: bool = True) -> Iterator[sqlite3.Connection]:
        """Run a transaction that is whole or leaves no trace."""
        if self.read_only:
            raise OutputError(f"{self.path}: the store was opened for reading only; open it anew.")
        connection = self._connection
        # Claims need no flush: they mean nothing once the machine has stopped.
        with self._lock, store_errors(self.path), transaction(connection, flush=flush):
            yield connection

    def _beat(self, connection: sqlite3.Connection) -> None:
        """Note in a transaction that this object is at work."""
        store_claims.beat(connection, self._owner)
        self._beaten = time.monotonic()
