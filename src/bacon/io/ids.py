"""Item ids: int64 or text, exact, each once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import IdArray, IntArray, read_only
from bacon.data.notice import Notice
from bacon.data.sample import USUAL_IDS
from bacon.errors import InputError
from bacon.io.matching import ROW, first_pair
from bacon.io.roles import resolve_column
from bacon.io.tables import Table, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

__all__ = ["ROW_ID", "Ids", "check_unique", "read_ids", "usual_id"]

ROW_ID = ROW
"""Name of ids that are row numbers, from 0, where no column has that name."""

CANONICAL = r"^(0|-?[1-9]\d*)$"
WHOLE_FLOAT = r"^-?\d+\.0+$"
EXACT = 2**53
"""From here on not every whole number is a float64."""


@dataclass(frozen=True, eq=False, slots=True)
class Ids:
    """The ids of some rows of a table.

    Parameters
    ----------
    name : str
        Column they came from, or `ROW_ID`.
    values : (n,) int64 or object of str
        The ids.
    positions : (n,) int64
        Rows of the table they stand in.
    notices : tuple of Notice
        What reading had to tell.
    """

    name: str
    values: IdArray
    positions: IntArray
    notices: tuple[Notice, ...] = ()


def usual_id(columns: Sequence[str]) -> str | None:
    """Return the column that holds the ids if none is named."""
    return next((name for name in USUAL_IDS if name in columns), None)


def read_ids(
    table: Table, id: str | None, *, rows: IntArray | None = None, number_rows: bool = False
) -> Ids:
    """Read the ids of a table.

    Parameters
    ----------
    table : Table
        Where they are.
    id : str or None
        Their column; None takes item_id or id. ``"row"`` numbers the rows from 0 where no
        column has that name.
    rows : (n,) int64, optional
        Positions of the rows to read; all by default.
    number_rows : bool
        Whether rows are numbered where there is no column for ids.

    Returns
    -------
    Ids
        Not necessarily different.

    Raises
    ------
    InputError
        If the column is unknown, or an id is missing, a fraction or of another type.
    """
    import polars as pl

    columns = table.frame.columns
    positions = np.arange(table.frame.height, dtype=np.int64) if rows is None else rows
    name = usual_id(columns) if id is None else id
    if (name is None and number_rows) or (name == ROW_ID and name not in columns):
        none = " has no column of ids" if name is None else ""
        told = f"{table.source}{none}: items are numbered by row, from 0."
        notice = Notice("ids_are_row_numbers", told)
        return Ids(ROW_ID, read_only(positions), positions, (notice,))
    if name is None:
        raise InputError(
            f"{table.source} has no column item_id or id; name the column of the ids with --id "
            f"(id= in Python), or {ROW_ID} if its rows are those of the pool in the same order."
        )
    resolve_column(name, columns, role="id", source=table.source)
    series = table.frame[name] if rows is None else table.frame[name].gather(rows)
    empty = series.is_null()
    if series.dtype.is_float():
        empty = empty | series.is_nan()
    elif series.dtype == pl.String:
        empty = empty | (series == "")
    if empty.any():
        first = int(positions[int(empty.arg_true()[0])])
        raise InputError(
            f"{table.place(first, name)}: the id is missing ({int(empty.sum()):,} rows in all); "
            "give every item its id, or delete the row."
        )
    values, notices = _typed(table, series, positions)
    return Ids(name, read_only(values), positions, notices)


def _typed(
    table: Table, series: pl.Series, positions: IntArray
) -> tuple[IdArray, tuple[Notice, ...]]:
    """Return ids as int64 if they are whole numbers, else as text."""
    import polars as pl

    if series.dtype.is_integer():
        whole = series.cast(pl.Int64, strict=False)
        if whole.null_count():
            return _objects(series.cast(pl.String)), ()
        return whole.to_numpy(), ()
    if series.dtype.is_float():
        return _from_floats(table, series, positions)
    if series.dtype == pl.String:
        if table.untyped and series.str.contains(WHOLE_FLOAT).all():
            return _from_floats(table, series.cast(pl.Float64), positions)
        if table.untyped and series.str.contains(CANONICAL).all():
            whole = series.cast(pl.Int64, strict=False)
            if not whole.null_count():
                return whole.to_numpy(), ()
        return _objects(series), ()
    raise InputError(
        f"{table.source}, column {series.name}: ids are whole numbers or text, not values of type "
        f"{series.dtype}; name another column or write them as text."
    )


def _objects(series: pl.Series) -> IdArray:
    """Return text as an object array, for any length."""
    values: IdArray = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def _from_floats(
    table: Table, series: pl.Series, positions: IntArray
) -> tuple[IdArray, tuple[Notice, ...]]:
    """Return whole floats as int64, telling so; refuse the rest."""
    values = series.to_numpy()
    bad = ~(np.isfinite(values) & (values == np.trunc(values)) & (np.abs(values) < EXACT))
    if bad.any():
        first = int(np.argmax(bad))
        place = table.place(int(positions[first]), series.name)
        raise InputError(
            f"{place}: {values[first]} is no id, because a fraction or a number of this size is "
            "not exact; write ids as whole numbers or text."
        )
    told = f"{table.source}, column {series.name}: ids are floats and were read as whole numbers."
    return values.astype(np.int64), (Notice("ids_from_floats", told),)


def check_unique(table: Table, ids: Ids, mend: str) -> None:
    """Refuse an id that stands in two rows.

    Parameters
    ----------
    table : Table
        Where the ids came from.
    ids : Ids
        The ids.
    mend : str
        What to do about it.
    """
    pair, count = first_pair(ids.values)
    if pair is None:
        return
    first, second = (table.row(int(ids.positions[k]), ids.name) for k in pair)
    raise InputError(
        f"{table.source} rows {first:,} and {second:,} both have {ids.name} "
        f"{quoted(ids.values[pair[0]])} (rows that repeat an id: {count:,}); {mend}."
    )
