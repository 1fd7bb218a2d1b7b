"""Vectors that an endpoint gave, kept beside the output so that none is paid for twice."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import numpy as np

from bacon.errors import InputError, OutputError
from bacon.judges.store_file import connect, store_errors, transaction
from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bacon.features.embedders.base import Float32Array

__all__ = ["VectorCache", "cache_file", "key_of"]

APPLICATION = 0x42_41_45_4D
"""Number in the head of the file that tells it from other SQLite files."""

SQLITE = b"SQLite format 3\0"
"""What such a file begins with."""

ASKED = 500
"""Keys looked up at a time."""


def cache_file(out: Path) -> Path:
    """Return the file of the vectors for an output."""
    return out.with_name(f"{out.name}.vectors.sqlite")


def key_of(endpoint: str, model: str, text: str) -> bytes:
    """Return what a text's vector is known by: where it was asked for, of which model."""
    digest = hashlib.blake2b(digest_size=16)
    for part in (endpoint, model, text):
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(raw) + raw)
    return digest.digest()


class VectorCache:
    """Vectors by key, in SQLite with a log of writes; used in a ``with`` statement.

    Parameters
    ----------
    path : Path
        The file; made where it is not there.
    source : str
        Endpoint and model, to tell their vectors from others in one file.

    Raises
    ------
    InputError
        The file is damaged, or another program's.
    OutputError
        It cannot be written.
    """

    def __init__(self, path: Path, source: str) -> None:
        self._path = path
        self._name = escaped(str(path))
        self._source = source
        self._check_file()
        with self._errors():
            self._connection = connect(path, read_only=False)
        try:
            self._prepare()
            width, tokens = self._known_source()
        except BaseException:
            self._connection.close()
            raise
        self.width = width
        """Numbers of a vector; None as long as there is none."""
        self.tokens = tokens
        """Tokens read for all its vectors."""

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Tell of a damaged file in the words of this one: it can be deleted."""
        try:
            with store_errors(self._path):
                yield
        except OutputError:
            raise
        except InputError as error:
            raise self._damaged() from error

    def _damaged(self) -> InputError:
        return InputError(
            f"{self._name} is damaged; delete it, and the vectors in it are asked for again."
        )

    def _check_file(self) -> None:
        """Refuse a file that is something else, before SQLite says so in its own words."""
        if not self._path.is_file():
            return
        with self._path.open("rb") as file:
            start = file.read(len(SQLITE))
        if start and start != SQLITE:
            raise InputError(
                f"{self._name} is damaged, or another program's file; delete it, or choose another "
                "--out."
            )

    def _prepare(self) -> None:
        with self._errors():
            (number,) = self._connection.execute("PRAGMA application_id").fetchone()
            (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if number != APPLICATION and tables:
            raise InputError(f"{self._name} is another program's file; choose another --out.")
        with self._errors():
            self._connection.execute("PRAGMA journal_mode = WAL")
            with transaction(self._connection):
                self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS sources (source TEXT PRIMARY KEY, "
                    "width INTEGER NOT NULL, tokens INTEGER NOT NULL)"
                )
                self._connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors "
                    "(key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
                )

    def _known_source(self) -> tuple[int | None, int]:
        with self._errors():
            row = self._connection.execute(
                "SELECT width, tokens FROM sources WHERE source = ?", (self._source,)
            ).fetchone()
        if row is None:
            return None, 0
        if not all(isinstance(one, int) and one >= 0 for one in row) or not row[0]:
            raise self._damaged()
        return int(row[0]), int(row[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Return those of the keys that have a vector."""
        found: set[bytes] = set()
        for start in range(0, len(keys), ASKED):
            some = keys[start : start + ASKED]
            marks = ",".join("?" * len(some))
            with self._errors():
                rows = self._connection.execute(
                    f"SELECT key FROM vectors WHERE key IN ({marks})",  # noqa: S608 (marks alone)
                    some,
                )
                found.update(key for (key,) in rows)
        return found

    def add(self, keys: Sequence[bytes], vectors: Float32Array, tokens: int) -> None:
        """Keep vectors (n, d) and what they cost; on the disk when this returns."""
        rows = [
            (key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)
        ]
        with self._errors(), transaction(self._connection):
            self._connection.execute(
                "INSERT INTO sources VALUES (?, ?, ?) "
                "ON CONFLICT (source) DO UPDATE SET tokens = tokens + excluded.tokens",
                (self._source, vectors.shape[1], tokens),
            )
            self._connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        # Another process at work on the same file counts too.
        self.width, self.tokens = self._known_source()

    def read(self, keys: Sequence[bytes]) -> Float32Array:
        """Return the vectors of keys (n, d); NaN where there is none.

        Raises
        ------
        InputError
            A vector is damaged.
        """
        width = self.width or 1
        vectors = np.full((len(keys), width), np.nan, dtype=np.float32)
        places: dict[bytes, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        wanted = list(places)
        for start in range(0, len(wanted), ASKED):
            some = wanted[start : start + ASKED]
            marks = ",".join("?" * len(some))
            with self._errors():
                rows = self._connection.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})",  # noqa: S608
                    some,
                ).fetchall()
            for key, raw in rows:
                vectors[places[key]] = self._checked(raw, width)
        return vectors

    def _checked(self, raw: object, width: int) -> Float32Array:
        if isinstance(raw, bytes) and len(raw) == 4 * width:
            vector: Float32Array = np.frombuffer(raw, dtype="<f4")
            if np.isfinite(vector).all():
                return vector
        raise self._damaged()
