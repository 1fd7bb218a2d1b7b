"""The file of a store: connections, transactions, and what SQLite reports as one sentence."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from bacon.errors import InputError, OutputError
from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["BUSY_SECONDS", "connect", "in_chunks", "store_errors", "transaction"]

BUSY_SECONDS = 60.0
"""How long a process waits for another one's transaction."""

LENGTHS = (8, 32, 128, 512, 1_000)
"""Numbers of keys that one statement looks up."""

KEPT = "what was stored before is safe"

_WRITING = {
    "SQLITE_FULL": f"the disk is full, so nothing more can be stored ({KEPT}); free some space and "
    "run the same command again",
    "SQLITE_READONLY": "the store can be read but not written; change its rights and those of its "
    "folder, or copy it to another one",
    "SQLITE_PERM": "the store may not be opened; change its rights",
    "SQLITE_BUSY": f"another process has kept the store busy for {BUSY_SECONDS:.0f} seconds "
    f"({KEPT}); wait until it is done, or stop it, and run the same command again",
    "SQLITE_IOERR": f"the disk reports an error, or no space is left ({KEPT}); mend that and run "
    "the same command again",
    "SQLITE_CANTOPEN": "the store, or a file beside it, cannot be opened; check that the folder is "
    "there, has space and may be written",
}
_DAMAGED = (
    "the store is damaged; put a copy of it in its place, or save what can be read with "
    "'sqlite3 STORE .recover'"
)
_NO_STORE = "this is no store of judgements; name another file"


def _sentence(error: Exception) -> tuple[type[InputError], str]:
    """Return the class of the error to raise, and what to say."""
    # An extended name, such as SQLITE_IOERR_WRITE, begins with the primary one.
    name = getattr(error, "sqlite_errorname", None) or ""
    for start, sentence in _WRITING.items():
        if name.startswith(start):
            return OutputError, sentence
    return InputError, _NO_STORE if name == "SQLITE_NOTADB" else _DAMAGED


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Raise what SQLite or a broken row reports as an error of ours.

    Parameters
    ----------
    path : Path
        The store.

    Raises
    ------
    OutputError
        The store cannot be written now: no space, no right, another process.
    InputError
        The file is damaged or no store.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        # Not the store's doing, such as the use of one that was closed.
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # The second comes of damaged text, even in SQLite's own messages.
        kind, sentence = _sentence(error)
        raise kind(f"{escaped(str(path))}: {sentence} ({error}).") from error


@contextmanager
def transaction(connection: sqlite3.Connection, *, flush: bool = True) -> Iterator[None]:
    """Run a transaction that is whole or leaves no trace.

    Parameters
    ----------
    connection : sqlite3.Connection
        In autocommit mode.
    flush : bool
        Whether it is flushed to the disk, so that it outlives a power cut and not only the
        process.
    """
    connection.execute(f"PRAGMA synchronous = {'FULL' if flush else 'NORMAL'}")
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # SQLite itself may have rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def in_chunks(keys: Iterable[str | bytes]) -> Iterator[tuple[str, list[str | bytes | None]]]:
    """Yield marks and values for ``key IN (...)``: few lengths, so that statements are known."""
    rest = iter(keys)
    while chunk := list(islice(rest, LENGTHS[-1])):
        length = next(most for most in LENGTHS if most >= len(chunk))
        # NULL is in no row.
        yield ", ".join("?" * length), [*chunk, *[None] * (length - len(chunk))]


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Return a connection in autocommit mode; a file is made only where it may be written."""
    _check_place(path, read_only=read_only)
    address = path.absolute().as_uri()
    if not read_only:
        return _open(f"{address}?mode=rwc")
    connection = _open(f"{address}?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.OperationalError:
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size > 0:
            raise
        # Even readers make a file beside the store, which is impossible in a folder that cannot
        # be written. Nobody is at work there, so the store can be read as it stands.
        connection = _open(f"{address}?mode=ro&immutable=1")
    return connection


def _open(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _check_place(path: Path, *, read_only: bool) -> None:
    """Refuse what can be no store before SQLite says so in its own words."""
    name = escaped(str(path))
    try:
        if "\0" in str(path):
            raise InputError(f"{name} is no name of a file; give another one.")
        if path.is_dir():
            raise InputError(f"{name} is a folder: give the name of a store in it.")
        if not path.parent.is_dir():
            raise OutputError(f"{name}: there is no folder {path.parent}; make it first.")
        if read_only and not path.exists():
            raise InputError(f"{name}: there is no store; run the judges first, or mend the name.")
    except OSError as error:
        raise InputError(
            f"{name} cannot be a store ({error.strerror}); give another name."
        ) from error
