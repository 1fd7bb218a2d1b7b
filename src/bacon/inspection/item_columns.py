"""Columns that tell of the items: ids, groups, clusters, texts, probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.inspection.judges import vectors_of
from bacon.inspection.long_rows import LongForm, n_different
from bacon.inspection.names import (
    among,
    is_id,
    is_judge_prefixed,
    is_length,
    is_nested_score,
    is_remark,
    label_rank,
)
from bacon.inspection.vocabulary import CLUSTERS, GROUPS, PROBABILITIES, TEXTS
from bacon.io.ids import ROW_ID, usual_id

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bacon.inspection.columns import Column
    from bacon.io.tables import Table

__all__ = [
    "find_cluster",
    "find_embeddings",
    "find_group",
    "find_id",
    "find_length",
    "find_probability",
    "find_text",
    "is_crossed",
    "sure_id",
]

MOST_GROUPS = 50
LEAST_CLUSTERS = 5

MOST_SHARED = 0.8
"""Values of a column, as a share of the rows, up to which it is something that items share."""


def find_id(
    table: Table, columns: Mapping[str, Column], long: LongForm | None
) -> tuple[str | None, bool, tuple[Notice, ...]]:
    """Return the id, whether it has to be named, and what to tell of it."""
    usual = usual_id(list(columns))
    if long is not None:
        return long.id, long.id != usual, ()
    if usual is None:
        found = _unique_column(columns)
        return found, found is not None, ()
    column = columns[usual]
    if column.n_missing > 0:
        told = f"{usual} is missing in {column.n_missing:,} rows, so rows are numbered instead."
        return ROW_ID, True, (Notice("id_missing", told),)
    if not column.is_unique:
        return _instead_of(table, columns, usual)
    return usual, False, ()


def sure_id(table: Table) -> str | None:
    """Return the column that `find_id` takes, where it is called like an id; else None."""
    from bacon.inspection.columns import describe

    names = table.frame.columns
    if usual_id(names) is not None:
        return None
    named = [name for name in names if name.isprintable() and is_id(name)]
    return _unique_column({name: describe(table, name) for name in named})


def _instead_of(
    table: Table, columns: Mapping[str, Column], usual: str
) -> tuple[str, bool, tuple[Notice, ...]]:
    """Return what tells the rows apart where the column called id repeats."""
    other = _unique_column({name: c for name, c in columns.items() if name != usual})
    if other is not None:
        return other, True, (Notice("id_repeats", f"{usual} repeats, so {other} is the id."),)
    partner = _partner(table, columns, usual)
    if partner is None:
        return usual, False, ()
    told = (
        f"{usual} repeats, once for each {partner}: an item is a row here, and {usual} is what "
        "items share."
    )
    return ROW_ID, True, (Notice("id_repeats", told),)


def _partner(table: Table, columns: Mapping[str, Column], usual: str) -> str | None:
    """Return the group column that, with a repeated id, tells every row apart."""
    # A few repeats are slips, which a group may tell apart by chance.
    if columns[usual].n_values > MOST_SHARED * columns[usual].n_rows:
        return None
    for name in among(GROUPS, list(columns)):
        if columns[name].n_missing == 0 and n_different(table, (usual, name)) == table.frame.height:
            return name
    return None


def _unique_column(columns: Mapping[str, Column]) -> str | None:
    """Return a column whose values are all different and that may be an id by its name."""
    fit = [
        c
        for c in columns.values()
        if c.is_unique
        and (c.kind in ("names", "words") or (c.kind == "numbers" and c.whole))
        and label_rank(c.name) is None
        and not (is_judge_prefixed(c.name) or is_nested_score(c.name))
    ]
    named = [c.name for c in fit if is_id(c.name)]
    texts = [c.name for c in fit if c.kind == "names"]
    counts = [c.name for c in fit if c.row_numbers or c.name == next(iter(columns))]
    return next(iter([*named, *texts, *counts]), None)


def find_probability(columns: Mapping[str, Column]) -> str | None:
    """Return the column of inclusion probabilities."""
    for name in among(PROBABILITIES, list(columns)):
        column = columns[name]
        whole = column.kind == "numbers" and column.n_missing == 0
        if whole and column.low > 0.0 and column.high <= 1.0:
            return name
    return None


def find_group(columns: Mapping[str, Column]) -> str | None:
    """Return the column of the systems compared, or of another division by its name."""
    for name in among(GROUPS, list(columns)):
        column = columns[name]
        fits = column.kind in ("words", "names", "numbers")
        if fits and 2 <= column.n_values <= min(MOST_GROUPS, column.n_present // 2):
            return name
    return None


def find_cluster(
    table: Table, columns: Mapping[str, Column], group: str | None, n_items: int
) -> str | None:
    """Return the column of what items share: one that every group has once, else by its name.

    A column called id that is not the id of the items, because it repeats, is shared as well.
    """
    candidates = among(CLUSTERS, list(columns))
    usual = usual_id(list(columns))
    if usual is not None:
        candidates.append(usual)
    fit = [
        name
        for name in candidates
        if columns[name].kind in ("words", "names", "numbers", "prose")
        and columns[name].n_missing == 0
        and LEAST_CLUSTERS <= columns[name].n_values <= MOST_SHARED * n_items
    ]
    if group is not None:
        for name in fit:
            if n_different(table, (name, group)) == table.frame.height:
                return name
    return next(iter(fit), None)


def is_crossed(
    table: Table, columns: Mapping[str, Column], group: str | None, cluster: str | None
) -> bool:
    """Whether every value of `group` stands with every value of `cluster` once."""
    if group is None or cluster is None:
        return False
    n_pairs = columns[group].n_values * columns[cluster].n_values
    return n_pairs == table.frame.height == n_different(table, (group, cluster))


def find_text(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return the column of the item's text: by its name, else prose that differs most."""
    prose = [
        name
        for name, column in columns.items()
        if column.kind == "prose"
        and name not in taken
        and column.n_missing <= 0.5 * column.n_rows
        and not is_remark(name)
    ]
    named = [name for name in among(TEXTS, prose) if columns[name].n_values > 1]
    varied = sorted(prose, key=lambda name: -columns[name].n_values)
    varied = [name for name in varied if columns[name].n_values > 0.3 * columns[name].n_present]
    return next(iter([*named, *varied]), None)


def find_length(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return a column that counts the words or characters of an item."""
    for name, column in columns.items():
        if is_length(name) and column.kind == "numbers" and name not in taken and column.whole:
            return name
    return None


def find_embeddings(columns: Mapping[str, Column], taken: Collection[str]) -> tuple[str, ...]:
    """Return columns of vectors, and numbered columns that make one."""
    free = [c for name, c in columns.items() if name not in taken]
    numbered = vectors_of([c for c in free if c.kind == "numbers"])
    return (*(c.name for c in free if c.kind == "vectors"), *numbered)
