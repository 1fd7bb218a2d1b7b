"""What one column holds, before it has a role."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.inspection.vocabulary import MEANS_MISSING
from bacon.io.cells import without_missing
from bacon.io.numbers import DECIMAL_COMMA, answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.io.tables import Table

__all__ = ["Column", "describe"]

FEW = 0.01
"""Share of the cells below which other words among numbers are slips, not classes."""

MOST_STRAYS = 5
MOST_MIXED_CLASSES = 20
LONGEST_CLASS = 60
LONGEST_NAME = 120


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """What one column holds.

    Parameters
    ----------
    name : str
        The column.
    kind : str
        numbers; words (few different, short); names (short texts, many different); prose;
        vectors; nothing (all missing); unusable.
    n_rows, n_missing, n_values : int
        Rows, rows without a value, and different values.
    low, high : float
        Range of numbers, NaN for other kinds.
    whole, row_numbers : bool
        Whether the numbers are whole, and count the rows one by one.
    classes : tuple of str
        The words, sorted; numbers among them as text.
    strays : tuple of str
        Words among numbers that have to be read as missing.
    lengths : (int, int)
        Fewest and most characters of a text.
    reason : str or None
        Why the column is unusable.
    """

    name: str
    kind: str
    n_rows: int
    n_missing: int
    n_values: int = 0
    low: float = float("nan")
    high: float = float("nan")
    whole: bool = False
    row_numbers: bool = False
    classes: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    lengths: tuple[int, int] = (0, 0)
    reason: str | None = None

    @property
    def n_present(self) -> int:
        """Number of rows with a value."""
        return self.n_rows - self.n_missing

    @property
    def is_unique(self) -> bool:
        """Whether every row has a value of its own."""
        return self.n_missing == 0 and self.n_values == self.n_rows

    @property
    def is_mixed(self) -> bool:
        """Whether some classes look like numbers and others do not, so that levels are needed."""
        numeric = [_is_number(word) for word in self.classes]
        return any(numeric) and not all(numeric)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def describe(table: Table, name: str, na: Sequence[str] = ()) -> Column:
    """Return what the column `name` holds.

    Parameters
    ----------
    table : Table
        Where the column is.
    name : str
        The column.
    na : sequence of str
        Values that mean missing, beside empty, null and NaN.
    """
    import polars as pl

    series = table.frame[name]
    dtype = series.dtype
    if dtype in (pl.List, pl.Array):
        return Column(name, "vectors", len(series), series.null_count())
    if not (dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null)):
        reason = f"{table.source}, column {name}: {dtype} is neither numbers nor text."
        return Column(name, "unusable", len(series), series.null_count(), reason=reason)
    present = without_missing(series, na).drop_nulls()
    column = Column(name, "nothing", len(series), len(series) - len(present), present.n_unique())
    return column if column.n_present == 0 else _answered(table, column, present, na)


def _answered(table: Table, column: Column, present: pl.Series, na: Sequence[str]) -> Column:
    """Complete a column by what the reader of answers makes of it."""
    import polars as pl

    try:
        values, words = answers(table, [column.name], role="score", na=na)
    except InputError as error:
        if present.dtype != pl.String:
            return replace(column, kind="unusable", reason=str(error))
        return _text_or_mixture(table, column, present, na, str(error))
    if words is None:
        return _numbers(column, values[:, 0])
    return _texts(column, present, words)


def _numbers(column: Column, values: FloatArray) -> Column:
    """Complete a column of numbers."""
    import polars as pl

    present = values[~np.isnan(values)]
    whole = bool((present == np.round(present)).all())
    counting = whole and len(present) == len(values) and bool((np.diff(present) == 1.0).all())
    return replace(
        column,
        kind="numbers",
        n_missing=len(values) - len(present),
        n_values=pl.Series(present).n_unique(),
        low=float(present.min()),
        high=float(present.max()),
        whole=whole,
        row_numbers=counting and len(present) > 1 and present[0] in (0.0, 1.0),
    )


def _texts(column: Column, present: pl.Series, words: tuple[str, ...] | None) -> Column:
    """Complete a column of texts: classes, names or prose."""
    sizes = present.str.len_chars()
    shortest, longest = sizes.min(), sizes.max()
    column = replace(column, lengths=(int(str(shortest)), int(str(longest))))
    repeated = column.n_values <= max(10, column.n_present // 2)
    if words is not None and repeated and column.lengths[1] <= LONGEST_CLASS:
        return replace(column, kind="words", classes=words)
    spaced = float(present.str.contains(r"\s\S").to_numpy().mean())
    is_name = column.lengths[1] <= LONGEST_NAME and spaced < 0.2
    return replace(column, kind="names" if is_name else "prose")


def _text_or_mixture(
    table: Table, column: Column, present: pl.Series, na: Sequence[str], reason: str
) -> Column:
    """Complete a column the reader of answers refuses: many texts, or words among numbers."""
    import polars as pl

    bare = present.str.strip_chars()
    is_word = bare.cast(pl.Float64, strict=False).is_null()
    if bare.filter(is_word).str.contains(DECIMAL_COMMA).all():
        return replace(column, kind="unusable", reason=reason)
    if is_word.all():
        return _texts(column, present, None)
    strays = tuple(present.filter(is_word).unique().sort())
    known = all(word.strip().lower() in MEANS_MISSING for word in strays)
    share = int(is_word.sum()) / column.n_present
    few = len(strays) <= MOST_STRAYS and all(word.isprintable() for word in strays)
    if few and ((known and share <= 0.5) or share < FEW):
        values, _ = answers(table, [column.name], role="score", na=(*na, *strays))
        return replace(_numbers(column, values[:, 0]), strays=strays)
    if column.n_values <= MOST_MIXED_CLASSES:
        return _texts(column, present, tuple(present.unique().sort()))
    if share > 0.5:
        return _texts(column, present, None)
    return replace(column, kind="unusable", reason=reason)
