"""Cells of a column: which say nothing, what they are as text, and as categories.

Missing is an empty cell, null or NaN, and whatever the user calls missing (``na``). The texts
NA, None and nan are words, because a class may be called so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.arrays import IntArray, read_only
from bacon.data.pool import Categories
from bacon.errors import InputError
from bacon.io.roles import as_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from bacon.io.tables import Table

__all__ = ["as_levels", "as_na", "as_text", "categories", "without_missing"]


def as_na(na: str | Sequence[str | float]) -> tuple[str, ...]:
    """Return the values the user calls missing, as text."""
    if isinstance(na, str):
        return tuple(as_list(na))
    return tuple(_number_text(value) if isinstance(value, float) else str(value) for value in na)


def _number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def as_levels(levels: str | Sequence[object] | None) -> tuple[str, ...] | None:
    """Return the classes in the order given, each once.

    Raises
    ------
    InputError
        If a class stands twice or there are fewer than two.
    """
    if levels is None:
        return None
    found = as_list(levels) if isinstance(levels, str) else [str(level) for level in levels]
    if len(found) < 2 or len(set(found)) < len(found):
        raise InputError(
            f"levels must name two or more different classes, such as good,ok,bad; got {found!r}."
        )
    return tuple(found)


def as_text(series: pl.Series) -> pl.Series:
    """Return a column as text: whole numbers without a point, everything else as it prints."""
    import polars as pl

    if series.dtype == pl.String:
        return series
    if series.dtype.is_float() and not series.is_empty():
        whole = series.fill_nan(None)
        if bool((whole.drop_nulls() % 1 == 0).all()) and bool((whole.abs() < 2**53).all()):
            return whole.cast(pl.Int64).cast(pl.String)
    return series.cast(pl.String)


def without_missing(series: pl.Series, na: Sequence[str]) -> pl.Series:
    """Return the column with null wherever nothing was said."""
    import polars as pl

    if series.dtype.is_float():
        series = series.fill_nan(None)
    if series.dtype == pl.String:
        missing = (series.str.strip_chars() == "") | series.is_in(list(na))
    elif na and (series.dtype.is_numeric() or series.dtype == pl.Boolean):
        codes = pl.Series(list(na), dtype=pl.String).cast(pl.Float64, strict=False).drop_nulls()
        missing = series.cast(pl.Float64).is_in(codes.to_list())
    else:
        return series
    return pl.select(pl.when(~missing).then(series)).to_series()


def categories(table: Table, name: str, *, role: str, rows: IntArray | None = None) -> Categories:
    """Return a column as categories, numbers by their text; of some rows where given.

    Raises
    ------
    InputError
        If a cell is empty or the column cannot be text.
    """
    import polars as pl

    series = table.frame[name] if rows is None else table.frame[name].gather(rows)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"{table.source}, column {name}: a {role} holds text or numbers, not values of type "
            f"{series.dtype}; name another column."
        )
    text = as_text(without_missing(series, ()))
    empty = text.is_null()
    if empty.any():
        first = int(empty.arg_true()[0])
        first = first if rows is None else int(rows[first])
        raise InputError(
            f"{table.place(first, name)}: the {role} is missing ({empty.sum():,} rows in all); "
            f"write it, or give those rows a {role} of their own, such as none."
        )
    levels = tuple(text.unique().sort())
    codes = text.cast(pl.Enum(list(levels))).to_physical().cast(pl.Int64).to_numpy()
    return Categories(name, read_only(codes), levels)
