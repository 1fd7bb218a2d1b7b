"""CSV and TSV files: every cell as text, exactly as it stands."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import Table, repeated_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

__all__ = ["read_delimited"]

NAMED = {",": "commas", ";": "semicolons", "\t": "tabs"}
BLOCK = 65_536
LONGEST_CELL = 2**31 - 1
"""Bytes; the csv module stops at 128 KB by itself, and texts are longer."""


def read_delimited(path: Path) -> Table:
    """Read a CSV or TSV file as text.

    Parameters
    ----------
    path : Path
        A UTF-8 file with a header. In .csv files the separator is the comma, or the
        semicolon or tab where the header has more of them (told).

    Returns
    -------
    Table
        Every column text, null where the cell is empty.

    Raises
    ------
    InputError
        If the encoding is not UTF-8, a column name stands twice, a row has more or fewer
        fields than the header, or a quote is not closed.
    """
    name = path.name
    data = _checked_bytes(path.read_bytes(), name)
    separator, notices = _separator(data, path)
    columns, unnamed = _column_names(data, separator, name)
    frame, blank = _parse(data, separator, columns, name)
    if unnamed:
        notices.append(
            Notice("column_unnamed", f"{name} has columns without a name: {', '.join(unnamed)}.")
        )
    if blank:
        notices.append(Notice("blank_lines", f"{name} has {blank:,} blank lines, passed over."))
    return Table(name, frame, untyped=True, notices=tuple(notices))


def _checked_bytes(data: bytes, name: str) -> bytes:
    """Return the bytes without byte order mark and outer newlines, refusing other encodings."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:BLOCK]:
        raise InputError(
            f"{name} is not UTF-8 but looks like UTF-16; save it as UTF-8 "
            f"(iconv -f UTF-16 -t UTF-8 {name})."
        )
    if data.startswith(b"PK\x03\x04"):
        raise InputError(f"{name} is a spreadsheet or archive, not text; save it as CSV (UTF-8).")
    data = data.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n")
    if not data.strip():
        raise InputError(f"{name} is empty; write a header and one row per item.")
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


def _separator(data: bytes, path: Path) -> tuple[str, list[Notice]]:
    """Return the separator and, where it is not the one of the ending, a notice."""
    if path.suffix.lower() == ".tsv":
        return "\t", []
    header = data.split(b"\n", 1)[0]
    sign = max(NAMED, key=lambda candidate: header.count(candidate.encode()))
    if sign == ",":
        return sign, []
    told = f"{path.name} has {NAMED[sign]} between its fields and was read that way."
    return sign, [Notice("separator_detected", told)]


def _rows(data: bytes, separator: str, name: str) -> Iterator[list[str]]:
    """Yield the fields of every line, the header first."""
    csv.field_size_limit(LONGEST_CELL)
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    row = 0
    try:
        for fields in reader:
            yield fields
            row += 1
    except csv.Error as error:
        raise InputError(
            f"{name} row {row:,} has a broken quote ({error}); close it, and double a quote "
            "that belongs to the text."
        ) from None
    except UnicodeDecodeError:
        raise _encoding_error(data, name) from None


def _encoding_error(data: bytes, name: str) -> InputError:
    """Return the error for bytes that are not UTF-8, at the first of them."""
    # What is no UTF-8 decodes to these characters, and they to nothing else.
    valid = re.split("[\udc80-\udcff]", data.decode("utf-8", "surrogateescape"), maxsplit=1)[0]
    byte = data[len(valid.encode())]
    return InputError(
        f"{name} line {valid.count(chr(10)) + 1:,} is not UTF-8 (byte 0x{byte:02x}), as in Latin-1 "
        f"or Windows-1252 files; save it as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 {name})."
    )


def _column_names(data: bytes, separator: str, name: str) -> tuple[list[str], list[str]]:
    """Return the header, and the names given to columns that have none."""
    header = next(_rows(data, separator, name))
    names = [column or f"column_{k}" for k, column in enumerate(header, 1)]
    if len(set(names)) < len(names):
        raise repeated_name(names, name)
    return names, [new for new, old in zip(names, header, strict=True) if not old]


def _parse(data: bytes, separator: str, columns: list[str], name: str) -> tuple[pl.DataFrame, int]:
    """Return the cells as text and the number of blank lines passed over.

    polars reads the usual file. Where its reading of quotes or line ends could differ from
    the csv module's, which also counts the fields of every row, the latter decides.
    """
    if _is_regular(data, separator, len(columns)):
        frame = _parse_fast(data, separator, columns, quote=None)
        if frame is not None:
            return frame, 0
    n_rows, blank = _count_rows(data, separator, len(columns), name)
    # A carriage return alone ends a line for the csv module and none for polars.
    if not blank and data.count(b"\r") == data.count(b"\r\n"):
        frame = _parse_fast(data, separator, columns, quote='"')
        if frame is not None and frame.height == n_rows:
            return frame, 0
    return _parse_exact(data, separator, columns, name), blank


def _is_regular(data: bytes, separator: str, width: int) -> bool:
    """Whether there is no quote and every line has `width` fields."""
    import polars as pl

    if b'"' in data or b"\x01" in data or data.count(b"\r") != data.count(b"\r\n"):
        return False
    try:
        lines = pl.read_csv(
            data, has_header=False, separator="\x01", quote_char=None, infer_schema=False
        ).to_series()
    except pl.exceptions.PolarsError:
        return False
    counts = lines.str.count_matches(separator, literal=True)
    # A blank line has no separator; in a file of one column it is null.
    return bool((counts == width - 1).all(ignore_nulls=False))


def _parse_fast(
    data: bytes, separator: str, columns: list[str], quote: str | None
) -> pl.DataFrame | None:
    """Let polars read the file; None where it cannot."""
    import polars as pl

    try:
        return pl.read_csv(
            data,
            has_header=False,
            skip_lines=0,
            skip_rows=1,
            new_columns=columns,
            separator=separator,
            quote_char=quote,
            infer_schema=False,
        ).with_columns(pl.all().replace("", None))
    except pl.exceptions.PolarsError:
        return None


def _count_rows(data: bytes, separator: str, width: int, name: str) -> tuple[int, int]:
    """Return the numbers of rows and blank lines, refusing rows of another width."""
    rows = blank = 0
    for fields in islice(_rows(data, separator, name), 1, None):
        if len(fields) == width:
            rows += 1
        elif not fields:
            blank += 1
        else:
            raise InputError(
                f"{name} row {rows + 1:,} has {len(fields)} fields where the header has {width}; "
                f"put text with {NAMED[separator]} in quotes, or complete the row."
            )
    return rows, blank


def _parse_exact(data: bytes, separator: str, columns: list[str], name: str) -> pl.DataFrame:
    """Read with the csv module alone, block by block."""
    import polars as pl

    rows = (fields for fields in islice(_rows(data, separator, name), 1, None) if fields)
    blocks = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    while block := list(islice(rows, BLOCK)):
        cells = zip(*block, strict=True)
        blocks.append(
            pl.DataFrame(
                [pl.Series(c, v, dtype=pl.String) for c, v in zip(columns, cells, strict=True)]
            )
        )
    return pl.concat(blocks).with_columns(pl.all().replace("", None))
