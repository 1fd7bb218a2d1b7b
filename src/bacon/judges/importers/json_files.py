"""JSON of files that nobody vouches for: limits of size and depth, and nothing taken in silence."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.judges.importers.samples import Broken
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "MOST_LINE",
    "NotJsonError",
    "json_lines",
    "lines",
    "objects",
    "parse_json",
    "read_bytes",
]

MOST_DOCUMENT = 1 << 30
"""Bytes of a file that has to be read as a whole."""

MOST_LINE = 1 << 26
"""Bytes of a line."""

BOM = b"\xef\xbb\xbf"


class NotJsonError(ValueError):
    """Bytes that are not JSON, or JSON of which it is not clear what it says."""


def parse_json(data: bytes) -> Any:
    """Return what JSON says; NaN and Infinity, which some programs write, come as floats.

    Raises
    ------
    NotJsonError
        Not UTF-8, not JSON, nested too deep, or an object with a name twice.
    """
    try:
        text = data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise NotJsonError(f"it is not UTF-8 (byte 0x{data[error.start]:02x})") from None
    try:
        return json.loads(text, object_pairs_hook=_object)
    except NotJsonError:
        raise
    except json.JSONDecodeError as error:
        raise NotJsonError(
            f"it is not JSON ({error.msg}, line {error.lineno}, character {error.colno})"
        ) from None
    except RecursionError:
        raise NotJsonError("it is nested too deep") from None
    except ValueError:
        raise NotJsonError("it holds a number of too many digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one with a name twice is read in different ways by different programs."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise NotJsonError(f"it has the name {shown(name, 40)!r} twice in one object")
            seen.add(name)
    return found


def read_bytes(path: Path) -> bytes:
    """Return the content of a file that has to be read as a whole.

    Raises
    ------
    InputError
        It is too large.
    """
    size = path.stat().st_size
    if size > MOST_DOCUMENT:
        raise InputError(
            f"{path.name} holds {size / 1e9:.1f} GB of JSON in one piece, and at most "
            f"{MOST_DOCUMENT / 1e9:.1f} GB are read at once; write it as JSON lines (promptfoo: "
            "--output results.jsonl) or as an .eval log (inspect log convert --to eval)."
        )
    return path.read_bytes()


def lines(file: IO[bytes], *, blank: bool = False) -> Iterator[tuple[int, int, bytes] | Broken]:
    """Yield the lines of a file: number from 1, with blank ones counted, offset, and content.

    No line of more than `MOST_LINE` bytes is held: it is broken.

    Parameters
    ----------
    file : binary file
        Read from its start.
    blank : bool
        Whether blank lines are yielded as well.
    """
    row = offset = 0
    while line := file.readline(MOST_LINE + 1):
        row += 1
        here, offset = offset, offset + len(line)
        if len(line) > MOST_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(MOST_LINE)
                offset += len(line)
            yield Broken(row, f"it is longer than {MOST_LINE >> 20} MB")
        elif blank or line.strip():
            yield row, here, line.removeprefix(BOM) if row == 1 else line


def objects(file: IO[bytes]) -> Iterator[tuple[int, int, dict[str, Any]] | Broken]:
    """Yield the object of each line with its number and offset, or why there is none."""
    for line in lines(file):
        if isinstance(line, Broken):
            yield line
            continue
        row, offset, data = line
        try:
            value = parse_json(data)
        except NotJsonError as error:
            yield Broken(row, str(error))
            continue
        if isinstance(value, dict):
            yield row, offset, value
        else:
            yield Broken(row, "it is no JSON object")


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]] | Broken]:
    """Yield the object of each line of a file with its number, or why there is none."""
    with path.open("rb") as file:
        for line in objects(file):
            yield line if isinstance(line, Broken) else (line[0], line[2])
