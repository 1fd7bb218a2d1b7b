"""Any table a user may hand over, as one polars frame that knows where its rows came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bacon.errors import InputError
from bacon.io.roles import nearest

if TYPE_CHECKING:
    import polars as pl

    from bacon.data.notice import Notice

__all__ = [
    "Source",
    "Table",
    "check_openable",
    "names_beside",
    "quoted",
    "read_table",
    "repeated_name",
]

Source = Any
"""A path, a pandas, polars or pyarrow frame, a dict of columns or a list of dicts."""

READABLE = "parquet, CSV, TSV and JSONL files"


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read, before any column has a role.

    Parameters
    ----------
    source : str
        File name, or the kind of frame, for messages.
    frame : polars.DataFrame
        The cells.
    backend : str
        Library the table came from: polars, pandas or pyarrow (polars for files and dicts).
    untyped : bool
        Whether every cell is text because the format has no types (CSV, TSV).
    rows : polars.DataFrame or None
        Row of the source behind every cell, from 0, where rows of `frame` are not rows of
        the source (a pivoted file).
    notices : tuple of Notice
        What reading had to tell.
    """

    source: str
    frame: pl.DataFrame = field(repr=False)
    backend: str = "polars"
    untyped: bool = False
    rows: pl.DataFrame | None = field(default=None, repr=False)
    notices: tuple[Notice, ...] = ()

    def row(self, position: int, column: str) -> int:
        """Return the row of the source behind a cell, counted from 1 without the header."""
        if self.rows is None:
            return position + 1
        return int(self.rows[column][position]) + 1

    def place(self, position: int, column: str) -> str:
        """Return where a cell stands, for messages."""
        return f"{self.source} row {self.row(position, column):,}, column {column}"


def quoted(value: object) -> str:
    """Return `value` as a message shows it: in quotes, shortened."""
    text = str(value)
    return f'"{text}"' if len(text) <= 40 else f'"{text[:37]}..."'


def repeated_name(names: Sequence[str], whose: str) -> InputError:
    """Return the error for a column name that stands twice."""
    name, count = Counter(names).most_common(1)[0]
    return InputError(
        f"{whose} has the column name {name} {count} times; give every column its own name."
    )


def read_table(source: Source) -> Table:
    """Read a file or take a frame.

    Parameters
    ----------
    source : path, data frame, dict of columns or list of dicts
        A path is read by its ending: .parquet, .csv, .tsv, .jsonl or .ndjson. CSV and TSV
        cells stay text, so that "007" keeps its zeros; a column gets its type from its role.
        A table read before is returned as it is.

    Returns
    -------
    Table
        At least one row, every column name once.

    Raises
    ------
    InputError
        If the file is missing, unreadable, broken, empty or of another kind, or the object
        is no table.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        table = _read_file(Path(source))
    elif isinstance(source, Mapping):
        from bacon.io.frames import from_columns

        table = from_columns(source)
    elif isinstance(source, list | tuple):
        from bacon.io.frames import from_records

        table = from_records(source)
    else:
        from bacon.io.frames import from_frame

        table = from_frame(source)
    if table.frame.width == 0:
        raise InputError(f"{table.source} has no columns; give one row per item and a header.")
    if table.frame.height == 0:
        raise InputError(
            f"{table.source} has a header ({', '.join(table.frame.columns[:8])}) but no rows; "
            "give one row per item."
        )
    return table


def _read_file(path: Path) -> Table:
    """Read the file `path` by its ending."""
    ending = path.suffix.lower()
    check_openable(path)
    if ending == ".parquet":
        return _read_parquet(path)
    if ending in (".csv", ".tsv"):
        from bacon.io.delimited import read_delimited

        return read_delimited(path)
    if ending in (".jsonl", ".ndjson"):
        from bacon.io.records import read_jsonl

        return read_jsonl(path)
    mend = f"write the table as one of {READABLE}"
    if ending == ".json":
        mend = "write it as .jsonl, one object a line"
    elif ending in (".xlsx", ".xls", ".ods"):
        mend = "save the sheet as CSV (UTF-8)"
    raise InputError(f"{path.name} cannot be read by its ending {ending!r}; {mend}.")


def check_openable(path: Path) -> None:
    """Refuse a path that is not a file with content we may read."""
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        hint = nearest(path.name, names_beside(path))
        raise InputError(f"{path} does not exist{hint}; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; name one of the files in it.") from None
    except PermissionError:
        raise InputError(
            f"{path} cannot be opened for lack of rights; make it readable (chmod u+r)."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}.") from None
    if empty:
        raise InputError(f"{path.name} is empty; write a header and one row per item.")


def names_beside(path: Path) -> list[str]:
    """Return the names in the folder of `path`, none where it cannot be listed."""
    try:
        return sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return []


def _read_parquet(path: Path) -> Table:
    """Read a parquet file; categories become text."""
    import polars as pl

    from bacon.io.frames import plain

    try:
        # An open file, because polars would take [ and * in a path for a pattern.
        with path.open("rb") as file:
            frame = pl.read_parquet(file)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path.name} is not a whole parquet file ({reason}); write or fetch it again."
        ) from None
    return Table(path.name, plain(frame))
