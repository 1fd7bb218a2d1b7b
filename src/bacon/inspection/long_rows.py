"""Files with one row per item and judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.inspection.names import (
    among,
    is_id,
    is_judge_prefixed,
    is_not_a_score,
    is_remark,
    label_rank,
)
from bacon.inspection.vocabulary import LONG_JUDGES, LONG_SCORES, RUNS, SYSTEMS
from bacon.io.ids import usual_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bacon.inspection.columns import Column
    from bacon.io.tables import Table

__all__ = ["LongForm", "find_long_form", "is_of_the_item", "n_different"]

MOST_JUDGES = 200


@dataclass(frozen=True, slots=True)
class LongForm:
    """Columns of a file with one row per item and judge."""

    id: str
    judge: str
    score: str
    run: str | None


def n_different(table: Table, names: Iterable[str]) -> int:
    """Return how many different combinations of the columns there are."""
    return table.frame.select(list(dict.fromkeys(names))).n_unique()


def is_of_the_item(table: Table, long: LongForm | None, name: str) -> bool:
    """Whether the column is the same in all rows of an item, as it is if a row is an item."""
    return long is None or n_different(table, (long.id, name)) == n_different(table, (long.id,))


def find_long_form(
    table: Table, columns: Mapping[str, Column], label: str | None
) -> LongForm | None:
    """Return the columns of a long file, None for a file with one row per item.

    A column called model holds judges only if nothing that belongs to an item, a label or
    a text, differs between its rows.
    """
    if any(_is_wide_judge(column) for column in columns.values()):
        return None
    scores = [c for c in among(LONG_SCORES, list(columns)) if c != label and _is_score(columns[c])]
    judges = [
        c
        for c in among(LONG_JUDGES, list(columns))
        if columns[c].kind in ("words", "names", "numbers")
        and columns[c].n_missing == 0
        and 2 <= columns[c].n_values <= MOST_JUDGES
        and c not in scores[:1]
    ]
    if not scores or not judges:
        return None
    judge, score = judges[0], scores[0]
    id_ = _item(table, columns, judge, taken={judge, score, label})
    if id_ is None:
        return None
    if judge.lower() in SYSTEMS and not _same_within(table, columns, id_, label, {judge, score}):
        return None
    return LongForm(id_, judge, score, _run(table, columns, id_, judge))


def _is_score(column: Column) -> bool:
    return column.kind in ("numbers", "words")


def _is_wide_judge(column: Column) -> bool:
    """Whether the column holds one judge's scores: judge_gpt, not judge_name or judge_score."""
    return (
        is_judge_prefixed(column.name)
        and _is_score(column)
        and column.name.lower() not in (*LONG_JUDGES, *LONG_SCORES)
        and not is_not_a_score(column.name, in_words=column.kind == "words")
    )


def _item(
    table: Table, columns: Mapping[str, Column], judge: str, *, taken: set[str | None]
) -> str | None:
    """Return the id column that, with the judge, comes nearest to telling rows apart."""
    usual = usual_id(list(columns))
    candidates = [
        name
        for name, column in columns.items()
        if name not in taken
        and (name == usual or is_id(name))
        and column.kind in ("numbers", "words", "names")
        and column.n_missing == 0
        and 1 < column.n_values < column.n_rows
    ]
    pairs = {name: n_different(table, (name, judge)) for name in candidates}
    fitting = [name for name in candidates if pairs[name] > columns[name].n_values]
    return max(fitting, key=lambda name: (pairs[name], name == usual), default=None)


def _same_within(
    table: Table,
    columns: Mapping[str, Column],
    id_: str,
    label: str | None,
    taken: set[str],
) -> bool:
    """Whether labels and texts are the same in all rows of an item."""
    for name, column in columns.items():
        is_label = name == label or label_rank(name) is not None
        is_text = column.kind == "prose" and not is_remark(name)
        if name in taken or not (is_label or is_text):
            continue
        pairs = table.frame.select(id_, name).drop_nulls().unique()
        if pairs.height > pairs[id_].n_unique():
            return False
    return True


def _run(table: Table, columns: Mapping[str, Column], id_: str, judge: str) -> str | None:
    """Return the column that numbers the runs of one item and judge."""
    keys: Sequence[str] = (id_, judge)
    for name in among(RUNS, list(columns)):
        column = columns[name]
        if column.n_missing == 0 and column.n_values > 1:
            told_apart = n_different(table, (*keys, name)) == column.n_rows
            if told_apart and n_different(table, keys) < column.n_rows:
                return name
    return None
