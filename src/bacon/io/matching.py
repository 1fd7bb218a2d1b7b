"""Ids compared with ids: repeats, order of appearance, and those of one list in another."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.io.tables import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from bacon.arrays import IdArray, IntArray

__all__ = ["as_series", "find_ids", "first_pair", "first_seen", "other_column", "unknown_ids"]

ROW = "row"
"""Name of ids that are the numbers of the rows."""


def first_pair(values: IdArray) -> tuple[tuple[int, int] | None, int]:
    """Find repeated values.

    Returns
    -------
    pair : (int, int) or None
        Position of the first repeated value and, before it, of its earlier twin.
    count : int
        How many values repeat an earlier one.
    """
    series = as_series(values)
    again = ~series.is_first_distinct()
    if not again.any():
        return None, 0
    second = int(again.arg_true()[0])
    first = int((series == series[second]).arg_true()[0])
    return (first, second), int(again.sum())


def first_seen(values: IdArray) -> tuple[IntArray, IntArray]:
    """Find the different values, numbered in the order they appear in.

    Returns
    -------
    codes : (n,) int64
        Number of the value of each row.
    first : (k,) int64
        Position where each of the k values appears first, ascending.
    """
    ranks = as_series(values).rank("dense").to_numpy()
    _, first, codes = np.unique(ranks, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place[codes], first[order]


def as_series(ids: IdArray) -> pl.Series:
    """Return ids as a polars column of whole numbers or text."""
    import polars as pl

    if ids.dtype.kind == "i":
        return pl.Series("id", ids)
    return pl.Series("id", ids.tolist(), dtype=pl.String)


def find_ids(known: IdArray, wanted: IdArray) -> IntArray:
    """Return the position of each wanted id among the known ones, -1 where it is not there.

    Parameters
    ----------
    known : (N,) int64 or object of str
        Different ids.
    wanted : (n,) int64 or object of str
        Ids to find. Whole numbers match text of exactly their digits.

    Returns
    -------
    (n,) int64
        Positions.
    """
    left, right = wanted.tolist(), known.tolist()
    if wanted.dtype.kind != known.dtype.kind:
        left, right = [str(value) for value in left], [str(value) for value in right]
    return _positions(right, left)


def other_column(frame: pl.DataFrame, taken: str, known: IdArray, wanted: IdArray) -> str | None:
    """Return what to say where ids are in another column of the pool than the one taken for them.

    Parameters
    ----------
    frame : polars.DataFrame
        The pool's file.
    taken : str
        Column taken for the ids, or `ROW`.
    known, wanted : (N,) and (n,) int64 or object of str
        The ids there, and those to be found, not all of them there.

    Returns
    -------
    str or None
        Where they are and the option that says so; None if no column has them all.
    """
    import polars as pl

    text = as_series(wanted).cast(pl.String)
    bare = _positions(_bare(as_series(known).cast(pl.String)), _bare(text))
    if bool((bare >= 0).all()):
        return None  # zeros were lost, which is another fault
    rows = pl.Series(ROW, range(frame.height), dtype=pl.Int64)
    for column in [*frame, *([] if ROW in (taken, *frame.columns) else [rows])]:
        holds_ids = column.dtype.is_integer() or column.dtype == pl.String
        if column.name == taken or not holds_ids or column.is_duplicated().any():
            continue
        if text.is_in(column.cast(pl.String).implode()).all():
            name = column.name
            where = "the numbers of its rows" if column is rows else f"its column {name}"
            return (
                f"not in {taken}, but all of them are in {where}: add --id {shlex.quote(name)} "
                f"(id={name!r} in Python)"
            )
    return None


def _positions(known: Sequence[Any], wanted: Sequence[Any]) -> IntArray:
    """Return the position of each wanted value among the known ones, else -1."""
    # Backwards, so that the first of several equal values counts, which stripped zeros may make.
    last = len(known) - 1
    place = dict(zip(reversed(known), range(last, -1, -1), strict=True))
    return np.array([place.get(value, -1) for value in wanted], dtype=np.int64)


def unknown_ids(known: IdArray, wanted: IdArray, found: IntArray) -> str:
    """Return what to say about wanted ids that were not found: which, and the likely mend.

    Parameters
    ----------
    known, wanted : (N,) and (n,) int64 or object of str
        As given to :func:`find_ids`.
    found : (n,) int64
        What it returned, at least one -1.
    """
    import polars as pl

    lost = as_series(wanted[found < 0]).cast(pl.String)
    listed = ", ".join(quoted(value) for value in lost.head(3))
    more = ", ..." if len(lost) > 3 else ""
    bare = _positions(_bare(as_series(known).cast(pl.String)), _bare(lost))
    if bool((bare >= 0).all()):
        example = known[bare[0]]
        return (
            f"{listed}{more}; they match only without leading zeros ({quoted(lost[0])} is "
            f"{quoted(example)} there), so write the ids as text in both, zeros and all"
        )
    return f"{listed}{more}; give ids as they stand there, such as {quoted(known[0])}"


def _bare(ids: pl.Series) -> list[str]:
    """Return ids without leading zeros."""
    bare: list[str] = ids.str.replace(r"^0+(.)", "$1").to_list()
    return bare
