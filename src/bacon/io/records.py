"""JSONL files and lists of dicts: one object per row, nested objects flattened with dots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.io.frames import from_values
from bacon.io.tables import Table

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["frame_of_records", "read_jsonl"]

DEEPEST = 32
"""Levels of nested objects that are flattened."""

PLAIN = frozenset((str, int, float, bool, type(None)))
"""Types of values with nothing to flatten, which is nearly every row."""

NAMES = frozenset((str,))

MOST_COLUMNS = 10_000
"""More names than this come from data used as names, and would fill the memory."""


def read_jsonl(path: Path) -> Table:
    """Read a JSONL file: one JSON object a line.

    Raises
    ------
    InputError
        If a line is no JSON object, or a value is an array.
    """
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            f"{path.name} is not UTF-8 but UTF-16; save it as UTF-8 "
            f"(iconv -f UTF-16 -t UTF-8 {path.name})."
        )
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    name = path.name
    records = [_parse(line, row, name) for row, line in _numbered(lines)]
    if not records:
        raise InputError(f"{path.name} is empty; write one JSON object a line.")
    return Table(path.name, frame_of_records(records, path.name))


def _numbered(lines: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their row number, from 1."""
    return enumerate((line for line in lines if line.strip()), 1)


def _parse(line: bytes, row: int, name: str) -> dict[str, Any]:
    """Return the object of one line."""
    import orjson

    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as first:
        # Python's own writer puts NaN and Infinity, which strict JSON has not.
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(
                f"{name} row {row:,} is not JSON ({first.msg}, character {first.colno}); write "
                "one whole object a line, in UTF-8."
            ) from None
    if not isinstance(record, dict):
        raise InputError(
            f"{name} row {row:,} is a JSON {type(record).__name__} where an object is needed; "
            "write one object a line, with a name for every value."
        )
    return record


def frame_of_records(records: Sequence[Mapping[Any, Any]], source: str) -> pl.DataFrame:
    """Return one row per record; a name that a record lacks is missing there.

    Raises
    ------
    InputError
        If a value is an array, or two paths flatten to the same name.
    """
    import polars as pl

    flat = [_flatten(record, row, source) for row, record in enumerate(records, 1)]
    names: dict[str, None] = {}
    for record in flat:
        names.update(dict.fromkeys(record))
    if len(names) > MOST_COLUMNS:
        raise InputError(
            f"{source} has {len(names):,} different names in its objects, more than "
            f"{MOST_COLUMNS:,}; use the same names in every row."
        )
    return pl.DataFrame(
        [from_values(name, [record.get(name) for record in flat], source) for name in names]
    )


def _flatten(record: Mapping[Any, Any], row: int, source: str) -> Mapping[str, Any]:
    """Return the record with nested objects as dotted names."""
    if PLAIN.issuperset(map(type, record.values())) and NAMES.issuperset(map(type, record)):
        return record
    flat: dict[str, Any] = {}
    waiting = [("", record, 0)]
    while waiting:
        prefix, level, depth = waiting.pop()
        inner = []
        for key, value in level.items():
            name = f"{prefix}{key}"
            if isinstance(value, Mapping):
                if depth == DEEPEST:
                    raise InputError(
                        f"{source} row {row:,}, {name[:60]}: objects are nested deeper than "
                        f"{DEEPEST} levels; write the values nearer the top."
                    )
                inner.append((f"{name}.", value, depth + 1))
            elif isinstance(value, list | tuple):
                raise InputError(
                    f"{source} row {row:,}, column {name}: an array of {len(value)} values is no "
                    "single value; give each its own name, or its own row."
                )
            elif name in flat:
                raise InputError(
                    f"{source} row {row:,} has {name} twice, once as a dotted name and once "
                    "nested; rename one."
                )
            else:
                flat[name] = value
        waiting.extend(reversed(inner))
    return flat
