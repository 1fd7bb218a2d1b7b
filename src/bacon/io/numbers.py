"""What the cells of a column say: numbers, words, or nothing.

Missing is an empty cell, null or NaN, and whatever the user calls missing (``na``). The texts
NA, None and nan are words, because a class may be called so; only in a column of numbers is
the text NaN missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.checks import LARGEST
from bacon.errors import InputError
from bacon.io.cells import as_text, without_missing
from bacon.io.tables import Table, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from bacon.arrays import FloatArray

__all__ = ["answers", "number_column"]

MOST_LEVELS = 100
"""More different words than this are free text, not classes."""

DECIMAL_COMMA = r"^[+-]?\d+,\d+$"


@dataclass(frozen=True, eq=False, slots=True)
class _Cells:
    """One column sorted out: text of what is not a number, numbers, and which are words."""

    name: str
    present: pl.Series
    numbers: pl.Series
    is_word: pl.Series


def _sort_out(table: Table, name: str, na: Sequence[str], role: str) -> _Cells:
    """Tell numbers from words in one column."""
    import polars as pl

    series = table.frame[name]
    dtype = series.dtype
    if not (dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null)):
        raise InputError(
            f"{table.source}, column {name}: a {role} holds numbers or words, not values of type "
            f"{dtype}; name another column."
        )
    no_words = pl.repeat(False, len(series), eager=True)
    if dtype != pl.String:
        present = without_missing(series, na)
        return _Cells(name, present, present.cast(pl.Float64), no_words)
    numbers = series.cast(pl.Float64, strict=False)
    if not na and numbers.null_count() == series.null_count():
        return _Cells(name, series, numbers, no_words)
    present = without_missing(series, na)
    bare = present.str.strip_chars()
    numbers = bare.cast(pl.Float64, strict=False)
    words = present.is_not_null() & numbers.is_null()
    # A file of text has no other way to hold a Boolean column.
    truth = bare.str.to_lowercase()
    if words.any() and truth.is_in(["true", "false"]).all():
        return _Cells(name, present, (truth == "true").cast(pl.Float64), no_words)
    return _Cells(name, present, numbers, words)


def _checked_numbers(table: Table, cells: _Cells, role: str) -> FloatArray:
    """Return the numbers, NaN where missing, refusing infinities and overflowing sizes."""
    values: FloatArray = cells.numbers.to_numpy().astype(np.float64)
    bad = np.abs(values) > LARGEST
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(
            f"{table.place(first, cells.name)}: {quoted(cells.present[first])} is not a usable "
            f"{role}; it must be finite and at most {LARGEST:g} in size. Correct it or leave the "
            "cell empty."
        )
    return values


def number_column(
    table: Table, name: str, *, role: str, na: Sequence[str] = (), mend: str
) -> FloatArray:
    """Return a column that has to be numbers.

    Parameters
    ----------
    table : Table
        Where the column is.
    name : str
        The column.
    role : str
        What it is for, for messages.
    na : sequence of str
        Texts that mean missing.
    mend : str
        What to do about a word.

    Returns
    -------
    (N,) float64
        NaN where missing.

    Raises
    ------
    InputError
        If a cell is a word, infinite or beyond 1e150.
    """
    cells = _sort_out(table, name, na, role)
    if cells.is_word.any():
        first = int(cells.is_word.arg_true()[0])
        raise InputError(
            f"{table.place(first, name)}: {quoted(cells.present[first])} is not a "
            f"number{_comma(cells)}; {mend}."
        )
    return _checked_numbers(table, cells, role)


def _comma(cells: _Cells) -> str:
    """Return the half-sentence for numbers written with a decimal comma."""
    first = cells.present.filter(cells.is_word)[0]
    is_comma = cells.present.filter(cells.is_word).str.contains(DECIMAL_COMMA)[0]
    return f" (write {first.replace(',', '.')}, with a point)" if is_comma else ""


def answers(
    table: Table,
    names: Sequence[str],
    *,
    role: str,
    na: Sequence[str] = (),
    levels: tuple[str, ...] | None = None,
) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return the answers of one judge or of the raters of one outcome, in R columns.

    Parameters
    ----------
    table : Table
        Where the columns are.
    names : sequence of str
        The R columns.
    role : str
        What they are, for messages: score or label.
    na : sequence of str
        Texts that mean missing.
    levels : tuple of str, optional
        Classes in their order, if the answers are words.

    Returns
    -------
    values : (N, R) float64
        Numbers, or positions in the levels; NaN where missing.
    levels : tuple of str or None
        The classes: as given, else the words found, sorted. None for numbers.

    Raises
    ------
    InputError
        If words and numbers are mixed, a word is none of `levels`, or a number is infinite.
    """
    columns = [_sort_out(table, name, na, role) for name in names]
    worded = any(bool(cells.is_word.any()) for cells in columns)
    if levels is not None and _answers_in(columns, levels, worded=worded):
        return _as_codes(table, columns, levels), levels
    # The text NaN counts as missing among numbers and as a word among words.
    numeric = any(_has_numbers(cells) for cells in columns)
    if not worded:
        values = [_checked_numbers(table, cells, role) for cells in columns]
        return np.column_stack(values), None
    if numeric:
        raise _mixed(table, columns, role)
    words = _words(columns)
    _check_words(table, columns, words, role)
    return _as_codes(table, columns, words), words


def _has_numbers(cells: _Cells) -> bool:
    return bool(cells.numbers.is_not_nan().any())


def _answers_in(columns: Sequence[_Cells], levels: Sequence[str], *, worded: bool) -> bool:
    """Whether the columns answer with the classes given rather than with numbers."""
    import polars as pl

    as_numbers = pl.Series(list(levels), dtype=pl.String).cast(pl.Float64, strict=False)
    if as_numbers.is_not_null().all():
        return False
    return worded or all(
        bool(as_text(cells.present).drop_nulls().is_in(list(levels)).all()) for cells in columns
    )


def _as_codes(table: Table, columns: Sequence[_Cells], levels: Sequence[str]) -> FloatArray:
    """Return positions in `levels`, NaN where missing."""
    import polars as pl

    kind = pl.Enum(list(levels))
    codes = []
    for cells in columns:
        text = as_text(cells.present)
        code = text.cast(kind, strict=False).to_physical()
        strange = text.is_not_null() & code.is_null()
        if strange.any():
            first = int(strange.arg_true()[0])
            raise InputError(
                f"{table.place(first, cells.name)}: {quoted(text[first])} is none of the levels "
                f"{','.join(levels)}; add it to --levels, or give --na {text[first]} to read it as "
                "missing (levels=, na= in Python)."
            )
        codes.append(code.cast(pl.Float64).to_numpy().astype(np.float64))
    return np.column_stack(codes)


def _words(columns: Sequence[_Cells]) -> tuple[str, ...]:
    """Return the different texts of the columns, by code point."""
    import polars as pl

    return tuple(pl.concat([as_text(c.present) for c in columns]).drop_nulls().unique().sort())


def _check_words(table: Table, columns: Sequence[_Cells], words: Sequence[str], role: str) -> None:
    """Refuse words that are numbers in disguise, and texts that are no classes."""
    names = ", ".join(cells.name for cells in columns[:3])
    for cells in columns:
        if cells.is_word.any() and (hint := _comma(cells)):
            first = int(cells.is_word.arg_true()[0])
            raise InputError(
                f"{table.place(first, cells.name)}: {quoted(cells.present[first])} is not a "
                f"number{hint}; write decimal points throughout the column."
            )
    if len(words) > MOST_LEVELS:
        raise InputError(
            f"{table.source}, column {names}: {len(words):,} different texts (the first is "
            f"{quoted(words[0])}) are free text, not a {role} in classes; leave the column out or "
            "name another."
        )


def _mixed(table: Table, columns: Sequence[_Cells], role: str) -> InputError:
    """Return the error for words among numbers."""
    cells = next(c for c in columns if c.is_word.any())
    first = int(cells.is_word.arg_true()[0])
    word = cells.present[first]
    every = _words(columns)
    seen = cells.present.filter(cells.is_word).unique(maintain_order=True).to_list()
    # Few different answers in all are likely classes, some of them named by a number.
    suggestion = every if len(every) <= 5 else seen[:5]
    who = "judge answers" if role == "score" else "labels are"
    how = "in words" if role == "score" else "words"
    return InputError(
        f"{table.place(first, cells.name)}: {quoted(word)} is not a number{_comma(cells)}; give "
        f"--levels {','.join(suggestion)} if the {who} {how}, or --na {word} to read it as missing "
        "(levels=, na= in Python)."
    )
