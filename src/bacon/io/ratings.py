"""Answers of several raters, put together to one label per item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.data.ratings import Ratings
from bacon.errors import InputError
from bacon.io.cells import categories
from bacon.io.matching import first_pair
from bacon.io.roles import resolve_column
from bacon.io.tables import Table, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.io.ids import Ids

__all__ = ["Outcome", "averaged", "averaging_told", "ratings_by_column", "ratings_by_row"]


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """The answers of one outcome in every row, by R raters side by side."""

    name: str
    columns: tuple[str, ...]
    values: FloatArray
    answered: BoolArray
    levels: tuple[str, ...] | None


def ratings_by_row(
    table: Table, outcomes: Sequence[Outcome], rater: str, ids: Ids, items: IntArray
) -> Ratings:
    """Return the ratings of a table with a row for each item and rater.

    Parameters
    ----------
    table : Table
        The labels.
    outcomes : sequence of Outcome
        Their answers, one column each.
    rater : str
        Column that names the rater.
    ids : Ids
        Items of the rows with an answer.
    items : (n,) int64
        Number of the item of each of those rows.

    Raises
    ------
    InputError
        A rater labels an item twice.
    """
    resolve_column(rater, table.frame.columns, role="rater", source=table.source)
    names = categories(table, rater, role="rater", rows=ids.positions)
    pairs = np.column_stack([items, names.codes])
    pair, count = first_pair(np.unique(pairs, axis=0, return_inverse=True)[1].ravel())
    if pair is not None:
        first, second = (table.row(int(ids.positions[k]), ids.name) for k in pair)
        item, who = ids.values[pair[0]], names.levels[names.codes[pair[0]]]
        raise InputError(
            f"{table.source} rows {first:,} and {second:,} are both a label of {ids.name} "
            f"{quoted(item)} by {rater} {quoted(who)} ({count:,} such rows in all); keep "
            "one label per rater and item."
        )
    values = np.column_stack([outcome.values[ids.positions, 0] for outcome in outcomes])
    return Ratings(items, names.codes, values, names.levels)


def ratings_by_column(outcome: Outcome, ids: Ids, items: IntArray) -> Ratings:
    """Return the ratings of a table with a column for each rater; `items` as in its twin."""
    answered = outcome.answered[ids.positions]
    row, column = np.nonzero(answered)
    active = np.flatnonzero(answered.any(axis=0))
    return Ratings(
        items[row],
        np.searchsorted(active, column),
        outcome.values[ids.positions][row, column][:, None],
        tuple(outcome.columns[k] for k in active),
    )


def averaged(
    table: Table, outcome: Outcome, ids: Ids, items: IntArray
) -> tuple[FloatArray, IntArray]:
    """Return the mean answer of each item, NaN without one, and how many answers there are."""
    values, answered = outcome.values[ids.positions], outcome.answered[ids.positions]
    n_items = int(items.max()) + 1
    in_row = answered.sum(axis=1)
    count = np.bincount(items, weights=in_row, minlength=n_items).astype(np.int64)
    if outcome.levels is not None and (count > 1).any():
        item = int(np.argmax(count > 1))
        first = int(np.argmax((items == item) & (in_row > 0)))
        place = table.place(int(ids.positions[first]), outcome.columns[0])
        raise InputError(
            f"{place}: item {quoted(ids.values[first])} has {count[item]} labels in words, which "
            "have no mean; keep one label per item, or write the classes as numbers."
        )
    total = np.bincount(
        items, weights=np.where(answered, values, 0.0).sum(axis=1), minlength=n_items
    )
    mean = np.full(n_items, np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean, count


def averaging_told(table: Table, n_ratings: IntArray, n_raters: int | None) -> list[Notice]:
    """Return the notice that labels are means of several answers, if they are."""
    if n_ratings.max() < 2:
        return []
    several = int((n_ratings.max(axis=1) > 1).sum())
    return [
        Notice(
            "ratings_averaged",
            f"{table.source}: {several:,} of {len(n_ratings):,} items were labelled by several of "
            f"the {n_raters} raters; their label is the mean of the answers.",
        )
    ]
