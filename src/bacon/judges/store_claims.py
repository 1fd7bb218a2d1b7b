"""Who is about to make which call, so that two processes never both pay for one."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

__all__ = ["HOLD_SECONDS", "beat", "drop_the_dead", "give_back"]

HOLD_SECONDS = 900.0
"""Claims of a process that was not heard of for so long are void."""


def beat(connection: sqlite3.Connection, owner: str) -> None:
    """Note that an owner of claims is at work."""
    connection.execute(
        "INSERT INTO owners VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen",
        (owner, socket.gethostname(), os.getpid(), time.time()),
    )


def drop_the_dead(connection: sqlite3.Connection) -> None:
    """Void the claims of processes that have ended or not been heard of for long."""
    now, here = time.time(), socket.gethostname()
    for owner, host, process, seen in connection.execute("SELECT * FROM owners").fetchall():
        # A clock that was set back makes the last sign of life lie in the future.
        if abs(now - seen) > HOLD_SECONDS or (host == here and not _is_running(process)):
            give_back(connection, owner)


def give_back(connection: sqlite3.Connection, owner: str) -> None:
    """Void the claims of an owner."""
    connection.execute("DELETE FROM claims WHERE owner = ?", (owner,))
    connection.execute("DELETE FROM owners WHERE token = ?", (owner,))


def _is_running(process: int) -> bool:
    """Whether a process of this machine is there; where that cannot be asked, yes."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
