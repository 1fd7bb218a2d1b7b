"""The tables of a store, in named steps: a store made by an earlier version takes those it lacks.

A step is never changed once it was released; what is new is a further step.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError, OutputError
from bacon.judges.store_file import BUSY_SECONDS, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["APPLICATION", "MIGRATIONS", "Migration", "prepare"]

APPLICATION = 0x42_41_43_4E
"""Number in the head of the file that tells a store from other SQLite files."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from a schema to the next.

    Parameters
    ----------
    name : str
        Under which the store remembers it.
    statements : tuple of str
        SQL, run in one transaction.
    """

    name: str
    statements: tuple[str, ...]


MIGRATIONS = (
    Migration(
        "answers",
        (
            # kept is 1 for the answer that counts for its key; 0 for a second one, and for one
            # that was given up to be asked for again. Nothing else of a row ever changes.
            """CREATE TABLE answers (
                id INTEGER PRIMARY KEY,
                kept INTEGER NOT NULL,
                key TEXT NOT NULL,
                judge TEXT NOT NULL,
                item TEXT NOT NULL,
                run INTEGER NOT NULL,
                status TEXT NOT NULL,
                reason TEXT,
                scores TEXT NOT NULL,
                logprob REAL,
                entropy REAL,
                expected REAL,
                off_scale REAL,
                prompt_tokens INTEGER,
                completion_tokens INTEGER,
                cost REAL,
                latency REAL,
                attempts INTEGER,
                model TEXT,
                fingerprint TEXT,
                prompt_version TEXT NOT NULL,
                changed TEXT NOT NULL
            )""",
            "CREATE UNIQUE INDEX answers_by_key ON answers (key) WHERE kept = 1",
            # Apart, because texts are long and tables of scores are made without them.
            "CREATE TABLE texts (answer INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        ),
    ),
    Migration(
        "tallies",
        (
            # Sums over answers, so that what was spent and what failed is known at once.
            """CREATE TABLE tallies (
                judge TEXT NOT NULL,
                kept INTEGER NOT NULL,
                status TEXT NOT NULL,
                reason TEXT NOT NULL,
                outcomes TEXT NOT NULL,
                changed TEXT NOT NULL,
                calls INTEGER NOT NULL,
                tokens INTEGER NOT NULL,
                money REAL NOT NULL,
                unpriced INTEGER NOT NULL,
                PRIMARY KEY (judge, kept, status, reason, outcomes, changed)
            ) WITHOUT ROWID""",
            """INSERT INTO tallies
                SELECT judge, kept, status, coalesce(reason, ''),
                    (SELECT json_group_array(key) FROM json_each(answers.scores)), changed,
                    count(*),
                    sum(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)),
                    sum(coalesce(cost, 0.0)), sum(cost IS NULL)
                FROM answers GROUP BY 1, 2, 3, 4, 5, 6""",
        ),
    ),
    Migration(
        "claims",
        (
            # Which process is about to ask for a key, so that no other pays for it as well.
            """CREATE TABLE owners (
                token TEXT PRIMARY KEY,
                host TEXT NOT NULL,
                process INTEGER NOT NULL,
                seen REAL NOT NULL
            ) WITHOUT ROWID""",
            "CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID",
        ),
    ),
)


def prepare(
    connection: sqlite3.Connection,
    path: Path,
    *,
    read_only: bool,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Check that a file is a store, make it one where it is new, and bring it up to date.

    Parameters
    ----------
    connection : sqlite3.Connection
        To the file, in autocommit mode.
    path : Path
        Where it is, for messages.
    read_only : bool
        Whether nothing may be changed.
    migrations : sequence of Migration
        All steps, in order.

    Raises
    ------
    InputError
        The file is no store, or one of a later version.
    OutputError
        The store has to be brought up to date and may not be written.
    """
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if read_only:
        new = _is_new(connection, path)
        if new or _missing(connection, path, migrations):
            what = "is empty" if new else "was made by an earlier version"
            raise OutputError(
                f"{path}: the store {what} and is opened for reading only; run a command that "
                "writes to it first."
            )
        return
    _is_new(connection, path)
    _write_ahead(connection, path)
    # Where there is nothing to do, this still tells at once whether the store can be written.
    with transaction(connection):
        # Asked again, because another process may have been quicker.
        if _is_new(connection, path):
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY)")
        for migration in _missing(connection, path, migrations):
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?)", (migration.name,))


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether nothing is in the file yet; refuse what is no store."""
    with _one_view(connection):
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        kinds = dict(connection.execute("SELECT type, count(*) FROM sqlite_schema GROUP BY type"))
    if application == 0 and not kinds:
        return True
    if application != APPLICATION or "table" not in kinds:
        raise InputError(f"{path}: this is no store of judgements; name another file.")
    if "trigger" in kinds or "view" in kinds:
        # They would run unasked with every answer that is stored.
        raise InputError(
            f"{path}: the store holds triggers or views, which BACON never makes; use a store "
            "from a source you trust."
        )
    return False


@contextmanager
def _one_view(connection: sqlite3.Connection) -> Iterator[None]:
    """Let several reads see the file as it was at one moment, while others may write to it."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # SQLite itself may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _missing(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]
) -> list[Migration]:
    """Return the steps that the store lacks; refuse a store with steps we do not know."""
    done = [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY rowid")]
    known = [migration.name for migration in migrations]
    unknown = [name for name in done if name not in known]
    if unknown:
        raise InputError(
            f"{path}: the store was written by a later version of BACON (step {unknown[0]!r}); "
            "bring this one up to date (pip install --upgrade bacon-eval), or name another store."
        )
    if done != known[: len(done)]:
        raise InputError(f"{path}: this is no store of judgements; name another file.")
    return list(migrations[len(done) :])


def _write_ahead(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to write-ahead logging, in which readers and one writer do not wait."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            # The switch needs the file for itself, and SQLite does not wait for it.
            busy = (error.sqlite_errorname or "").startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    if mode != "wal":
        raise OutputError(
            f"{path}: the file system does not allow a store to be shared between processes "
            f"(journal mode {mode}); put the store on a local disk."
        )
