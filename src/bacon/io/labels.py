"""Reading human labels, and finding the pool's rows they belong to."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import FloatArray, IdArray, IntArray, read_only
from bacon.data.labels import Labels
from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.io.cells import as_levels, as_na
from bacon.io.ids import check_unique, read_ids, usual_id
from bacon.io.matching import find_ids, first_seen, other_column, unknown_ids
from bacon.io.numbers import answers
from bacon.io.ratings import (
    Outcome,
    averaged,
    averaging_told,
    ratings_by_column,
    ratings_by_row,
)
from bacon.io.roles import Names, nearest, resolve_columns
from bacon.io.tables import Source, Table, read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.data.pool import Pool

__all__ = ["match_ids", "match_labels", "read_labels"]


def read_labels(
    source: Source,
    *,
    value: Names | None = None,
    id: str | None = None,
    rater: str | None = None,
    raters: Names | None = None,
    name: str | None = None,
    levels: str | Sequence[object] | None = None,
    na: str | Sequence[str | float] = (),
) -> Labels:
    """Read the human labels of some items.

    Parameters
    ----------
    source : path, data frame, dict of columns or list of dicts
        As for :func:`bacon.read_pool`; often the same file, with empty cells where there is
        no label.
    value : str or sequence of str
        Columns of labels, each an outcome of its own: names and globs.
    id : str, optional
        Column of the item ids; item_id or id by default. ``"row"`` numbers the rows from 0.
    rater : str, optional
        Column that names the rater; an item may then have several rows.
    raters : str or sequence of str, optional
        In place of `value`: columns of several raters of one outcome.
    name : str, optional
        Name of that outcome; by default what the names of its columns share.
    levels : str or sequence, optional
        Classes of labels in words, in their order.
    na : str or sequence, optional
        Values that mean no label, beside empty, null and NaN.

    Returns
    -------
    Labels
        Rows without any label are left out. An item's label is the mean of the answers
        present.

    Raises
    ------
    InputError
        If a column or a value cannot be used, or an item is labelled twice.
    TooFewLabelsError
        If an outcome has no label.

    Examples
    --------
    >>> import bacon
    >>> answers = {"item_id": ["a", "b", "c"], "human": [4, None, 2]}
    >>> labels = bacon.read_labels(answers, value="human")
    >>> labels.ids
    array(['a', 'c'], dtype=object)
    >>> labels.values.ravel()
    array([4., 2.])
    """
    if rater is not None and raters is not None:
        raise InputError(
            "name either rater, the column that says who labelled, or raters, a column for each of "
            "them."
        )
    table = read_table(source)
    missing, given = as_na(na), as_levels(levels)
    outcomes = [
        _outcome(table, name_, columns, missing, given)
        for name_, columns in _columns(table, value, raters, name, taken={id, rater}).items()
    ]
    rows = np.flatnonzero(np.any([one.answered.any(axis=1) for one in outcomes], axis=0))
    ids = read_ids(table, id, rows=rows)
    if rater is None:
        check_unique(
            table, ids, "keep one label per item, or name the column of the raters with --rater"
        )
    items, first = first_seen(ids.values)
    ratings = None
    if rater is not None:
        ratings = ratings_by_row(table, outcomes, rater, ids, items)
    elif raters is not None:
        ratings = ratings_by_column(outcomes[0], ids, items)
    n_raters = None if ratings is None else ratings.n_raters
    means, counts = zip(*(averaged(table, one, ids, items) for one in outcomes), strict=True)
    n_ratings = np.column_stack(counts)
    return Labels(
        source=table.source,
        ids=read_only(ids.values[first]),
        outcomes=tuple(one.name for one in outcomes),
        values=read_only(np.column_stack(means)),
        n_ratings=read_only(n_ratings),
        levels=tuple(one.levels for one in outcomes),
        n_raters=n_raters,
        notices=(*table.notices, *ids.notices, *averaging_told(table, n_ratings, n_raters)),
        ratings=ratings,
    )


def _columns(
    table: Table,
    value: Names | None,
    raters: Names | None,
    name: str | None,
    taken: set[str | None],
) -> dict[str, list[str]]:
    """Return the columns of each outcome."""
    if (value is None) == (raters is None):
        raise InputError(
            "name either value, the column of the labels, or raters, the columns of several raters "
            "of one outcome."
        )
    names = table.frame.columns
    usual = usual_id(names)
    taken = {*taken, usual}
    own = {column for column in taken if column is not None}
    if raters is not None:
        columns = resolve_columns(raters, names, role="raters", source=table.source, taken=own)
        return {name or _stem(columns): columns}
    columns = resolve_columns(value or (), names, role="labels", source=table.source, taken=own)
    if name is not None:
        if len(columns) > 1:
            raise InputError(
                f"name is for one outcome, and value names {len(columns)}; leave name out, or give "
                "the columns of one outcome's raters as raters."
            )
        return {name: columns}
    return {column: [column] for column in columns}


def _common_start(texts: Sequence[str]) -> str:
    """Return the characters that all texts begin with."""
    alike = itertools.takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False))
    return "".join(signs[0] for signs in alike)


def _stem(columns: Sequence[str]) -> str:
    """Return what the names of the columns share, such as human_coherence_rater."""
    if len(columns) == 1:
        return columns[0]
    start = _common_start(columns)
    end = _common_start([column[len(start) :][::-1] for column in columns])[::-1]
    return (start.rstrip("0123456789_-. ") + end) or "label"


def _outcome(
    table: Table, name: str, columns: list[str], na: Sequence[str], given: tuple[str, ...] | None
) -> Outcome:
    """Read the answers of one outcome."""
    values, words = answers(table, columns, role="label", na=na, levels=given)
    answered = ~np.isnan(values)
    if not answered.any():
        raise TooFewLabelsError(
            f"{table.source} has no label in column {', '.join(columns)}; fill in some, or name "
            "another column."
        )
    if given is not None and words is None:
        _check_among(table, columns, values, given)
    return Outcome(name, tuple(columns), values, answered, words)


def _check_among(
    table: Table, columns: Sequence[str], values: FloatArray, levels: tuple[str, ...]
) -> None:
    """Refuse labels in numbers that are none of the levels."""
    try:
        allowed = [float(level) for level in levels]
    except ValueError:
        allowed = []
    strange = ~np.isnan(values) & ~np.isin(values, allowed)
    if strange.any():
        row, column = (int(k) for k in np.argwhere(strange)[0])
        raise InputError(
            f"{table.place(row, columns[column])}: {values[row, column]:g} is none of the levels "
            f"{','.join(levels)}; correct the label or add the level."
        )


def match_labels(
    pool: Pool, labels: Labels, outcome: str | None = None
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the pool rows of the labelled items, with their labels.

    Parameters
    ----------
    pool : Pool
        The items.
    labels : Labels
        Labels of some of them. Whole numbers match text ids of exactly their digits.
    outcome : str, optional
        Which outcome, where there are several.

    Returns
    -------
    rows : (n,) int64
        Rows of the pool, ascending.
    y : (n,) float64
        Their labels, none missing.
    n_ratings : (n,) int64
        Answers behind each label.

    Raises
    ------
    InputError
        If the outcome is unknown.
    DesignError
        If an item is not in the pool.
    """
    column = _position(labels, outcome)
    rows = match_ids(pool, labels.ids, whose=f"labelled items of {labels.source}")
    y, n_ratings = labels.values[:, column], labels.n_ratings[:, column]
    order = np.argsort(rows)
    order = order[~np.isnan(y[order])]
    return rows[order], y[order], n_ratings[order]


def match_ids(pool: Pool, ids: IdArray, *, whose: str = "ids") -> IntArray:
    """Return the pool row of every id.

    Parameters
    ----------
    pool : Pool
        The items.
    ids : (n,) int64 or object of str
        Ids to find. Whole numbers match text ids of exactly their digits.
    whose : str
        What they are, for the message.

    Returns
    -------
    (n,) int64
        Rows, in the order of `ids`.

    Raises
    ------
    DesignError
        If one is not in the pool.
    """
    rows = find_ids(pool.ids, ids)
    lost = int((rows < 0).sum())
    if lost:
        where = other_column(pool.table, pool.id_name, pool.ids, ids)
        if where is not None:
            raise DesignError(
                f"{lost:,} of the {len(rows):,} {whose} are not known by the ids of {pool.source}; "
                f"they are {where}."
            )
        raise DesignError(
            f"{lost:,} of the {len(rows):,} {whose} are not in {pool.source}: "
            f"{unknown_ids(pool.ids, ids, rows)}."
        )
    return rows


def _position(labels: Labels, outcome: str | None) -> int:
    """Return which column of the values has the outcome."""
    if outcome is None:
        if len(labels.outcomes) == 1:
            return 0
        raise InputError(
            f"{labels.source} has the outcomes {', '.join(labels.outcomes)}; name one of them."
        )
    if outcome not in labels.outcomes:
        raise InputError(
            f"{labels.source} has no outcome {outcome}{nearest(outcome, labels.outcomes)}; it has "
            f"{', '.join(labels.outcomes)}."
        )
    return labels.outcomes.index(outcome)
