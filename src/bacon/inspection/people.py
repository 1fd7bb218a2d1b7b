"""Which columns people filled in: the labels, other outcomes and single raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.inspection.judges import find_judges
from bacon.inspection.names import among, is_human, is_rater, is_scoring, label_rank
from bacon.inspection.vocabulary import RATER_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.inspection.columns import Column
    from bacon.io.tables import Table

__all__ = ["find_labels", "find_rater"]


def find_rater(columns: Mapping[str, Column]) -> str | None:
    """Return the column that names the rater."""
    for name in among(RATER_COLUMNS, list(columns)):
        column = columns[name]
        named = column.kind in ("words", "names") or (column.kind == "numbers" and column.whole)
        if named and column.n_missing == 0 and 1 < column.n_values < column.n_rows:
            return name
    return None


def find_labels(
    table: Table,
    columns: Mapping[str, Column],
    label: str | None,
    used: set[str],
    na: Sequence[str],
) -> tuple[str | None, tuple[str, ...]]:
    """Return the column of the labels and the others that people filled in."""
    ranked = {
        name: rank
        for name, column in columns.items()
        if (rank := label_rank(name)) is not None and _is_answer(column) and name not in used
    }
    people = [name for name in ranked if is_human(name) or is_rater(name)]
    if label is None:
        filled = [name for name in ranked if columns[name].n_present > 0]
        order = sorted(filled, key=lambda name: (is_rater(name), ranked[name]))
        label = next(iter(order), None)
        if label is not None and _is_rather_a_judge(table, columns, label, used, na):
            label = None
    # An empty column of weak name is where labels will stand.
    rest = [c for c in ranked if c in people or columns[c].n_present == 0]
    return label, tuple(c for c in rest if c != label)


def _is_answer(column: Column) -> bool:
    return column.kind in ("numbers", "words", "nothing")


def _is_rather_a_judge(
    table: Table, columns: Mapping[str, Column], label: str, used: set[str], na: Sequence[str]
) -> bool:
    """Whether a complete column that just says score is more likely the only judge's."""
    column = columns[label]
    if used or is_human(label) or not is_scoring(label) or column.n_missing > 0:
        return False
    return not find_judges(table, columns, label=label, taken={label}, na=na)[0]
