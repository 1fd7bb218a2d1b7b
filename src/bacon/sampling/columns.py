"""Columns of the pool that a design reads: judge scores, numbers and categories."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.checks import first_row
from bacon.errors import InputError
from bacon.judge_scores import judge_mean, mean_of_present

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["JUDGE_MEAN", "categories", "is_known", "numbers", "refuse_missing", "value_name"]

JUDGE_MEAN = "judge_mean"
"""Name under which a design asks for the average of the standardised judges."""


def is_known(pool: Pool, name: str) -> bool:
    """Whether `name` is a column of the pool, a judge, or ``judge_mean``."""
    return name in pool.table.columns or name == JUDGE_MEAN or _judge(pool, name) is not None


def numbers(pool: Pool, name: str, *, role: str) -> FloatArray:
    """Return a numeric column of the pool.

    Parameters
    ----------
    pool : Pool
        The pool.
    name : str
        A judge (the mean of its runs), one of its runs, any other column, or ``judge_mean``
        where no column is called so.
    role : str
        What the column is wanted for, for messages.

    Returns
    -------
    (N,) float64
        Values in the order of the pool's rows, NaN where missing.

    Raises
    ------
    InputError
        No such column, or it holds text, lists or infinite numbers.
    """
    judge = _judge(pool, name)
    if judge is not None:
        if judge.is_text:
            raise InputError(
                f"{pool.source}, column {name}: the judge answers in words, but numbers are "
                f"needed for {role}; name a numeric column."
            )
        runs = judge.scores if name == judge.name else judge.scores[:, [judge.runs.index(name)]]
        values = mean_of_present(runs)
    elif name in pool.table.columns:
        values = _numeric_column(pool, name, role)
    elif name == JUDGE_MEAN:
        values = judge_mean(pool)
    else:
        raise _unknown(pool, name, role)
    infinite = np.isinf(values)
    if infinite.any():
        row = first_row(infinite)
        raise InputError(
            f"{pool.source} row {row + 1}, column {name}: {values[row]} cannot be used for {role}; "
            "give a finite number."
        )
    return values


def categories(pool: Pool, name: str, *, role: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return a column of the pool as categories.

    Parameters
    ----------
    pool : Pool
        The pool.
    name : str
        A column of the pool's table.
    role : str
        What the column is wanted for, for messages.

    Returns
    -------
    codes : (N,) int64
        Position of each item's value in `levels`, in the order of the pool's rows.
    levels : tuple of str
        The different values in ascending order, as text. A whole number reads the same
        whether it was stored as an integer, a float or text.

    Raises
    ------
    InputError
        No such column, a missing value, or values that are lists.
    """
    import polars as pl

    if name not in pool.table.columns:
        raise _unknown(pool, name, role)
    column = pool.table[name]
    _refuse_nested(pool, column, role)
    if not column.dtype.is_numeric():
        column = column.cast(pl.String)
    missing = column.is_null()
    if column.dtype.is_float():
        missing |= column.is_nan().fill_null(value=True)
    elif column.dtype == pl.String:
        missing |= (column == "").fill_null(value=True)
    refuse_missing(pool, name, missing.to_numpy(), role=role)
    different = column.unique().sort()
    codes = column.replace_strict(
        different, pl.Series(range(len(different)), dtype=pl.Int64), return_dtype=pl.Int64
    )
    return codes.to_numpy(), tuple(value_name(value) for value in different.to_list())


def refuse_missing(pool: Pool, name: str, missing: BoolArray, *, role: str) -> None:
    """Refuse a column in which `missing` (N,) bool holds anywhere, naming the first row."""
    if missing.any():
        raise InputError(
            f"{pool.source} row {first_row(missing) + 1}, column {name}: the value is missing "
            f"({missing.sum():,} in all), but it is used for {role} and every item needs one; "
            "fill it in, drop the item, or use another column."
        )


def value_name(value: object) -> str:
    """Return `value` as text, whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _judge(pool: Pool, name: str) -> Judge | None:
    for judge in pool.judges:
        if name == judge.name or name in judge.runs:
            return judge
    return None


def _numeric_column(pool: Pool, name: str, role: str) -> FloatArray:
    import polars as pl

    column = pool.table[name]
    _refuse_nested(pool, column, role)
    if column.dtype.is_temporal():
        column = column.cast(pl.String)
    as_numbers = column.cast(pl.Float64, strict=False)
    bad = (as_numbers.is_null() & column.is_not_null()).to_numpy()
    if bad.any():
        row = first_row(bad)
        raise InputError(
            f"{pool.source} row {row + 1}, column {name}: {str(column[row])!r} is not a number, "
            f"as is needed for {role}; mend the value or name a numeric column."
        )
    values: FloatArray = as_numbers.fill_null(math.nan).to_numpy()
    return values


def _refuse_nested(pool: Pool, column: pl.Series, role: str) -> None:
    import polars as pl

    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"{pool.source}, column {column.name}: it holds {column.dtype}, but one plain value an "
            f"item is needed for {role}; name another column."
        )


def _unknown(pool: Pool, name: str, role: str) -> InputError:
    if not isinstance(name, str):
        return InputError(f"the column for {role} must be a name; got {name!r}.")
    names = [*pool.table.columns, *(judge.name for judge in pool.judges)]
    close = difflib.get_close_matches(name, names, n=1)
    mend = f"did you mean {close[0]}?" if close else f"it has {', '.join(pool.table.columns[:12])}."
    return InputError(f"{pool.source} has no column {name!r} for {role}; {mend}")
