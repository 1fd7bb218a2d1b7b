"""The likely role of each column of any results file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.inspection.columns import describe
from bacon.inspection.item_columns import (
    find_cluster,
    find_embeddings,
    find_group,
    find_id,
    find_length,
    find_probability,
    find_text,
    is_crossed,
)
from bacon.inspection.judges import find_judges, judge_pattern
from bacon.inspection.long_rows import find_long_form, is_of_the_item
from bacon.inspection.names import is_rater
from bacon.inspection.people import find_labels, find_rater
from bacon.inspection.words import settle_words
from bacon.io.cells import as_na
from bacon.io.roles import UNCERTAINTY, resolve_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.inspection.columns import Column
    from bacon.io.tables import Table

__all__ = ["Roles", "infer_roles", "likely"]


@dataclass(frozen=True, eq=False)
class Roles:
    """What each column of a file is likely to be.

    Parameters
    ----------
    columns : mapping of str to Column
        What every column holds.
    id : str or None
        Column of the ids; ``"row"`` to number the rows although a column is called id; None
        for row numbers where there is none.
    id_named : bool
        Whether the id has to be named, because it is not the column taken without a word.
    judges : tuple of str
        Columns of judges' scores, every run; in a long file the one column of scores.
    uncertainty : tuple of str
        Columns that tell how sure a judge was.
    label : str or None
        Column of the human labels.
    outcomes, raters : tuple of str
        Other columns that people filled in, and columns of single raters.
    rater : str or None
        Column that names the rater, where a row is the label of one.
    group, cluster, text, length, pi : str or None
        Systems compared; what items share; the item's text; a count of its words or the
        like; inclusion probabilities.
    crossed : bool
        Whether every group has every cluster once.
    embeddings : tuple of str
        Columns that hold vectors, or the numbers of one.
    judge_column, run_column : str or None
        In a long file, the columns of the judge's name and of the run.
    na : tuple of str
        Values to read as missing: those given, and words among the numbers of a role.
    levels : tuple of str
        Classes, where some are named by numbers and so have to be listed.
    notices : tuple of Notice
        What was left out, assumed or has to be mended.
    """

    columns: Mapping[str, Column] = field(repr=False)
    id: str | None = None
    id_named: bool = False
    judges: tuple[str, ...] = ()
    uncertainty: tuple[str, ...] = ()
    label: str | None = None
    outcomes: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()
    rater: str | None = None
    group: str | None = None
    cluster: str | None = None
    text: str | None = None
    length: str | None = None
    pi: str | None = None
    crossed: bool = False
    embeddings: tuple[str, ...] = ()
    judge_column: str | None = None
    run_column: str | None = None
    na: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def taken(self) -> set[str]:
        """Columns that a command names and a glob for judges so passes over."""
        rows = (self.judge_column, self.run_column)
        return _named(self.id, self.label, self.cluster, self.pi, *rows)

    @property
    def judge_pattern(self) -> str | None:
        """What to write after ``--judges``."""
        return judge_pattern(self.judges, list(self.columns), self.taken) if self.judges else None

    @property
    def of_people(self) -> tuple[str, ...]:
        """Columns that people filled in, which no rater may be shown."""
        return (*(() if self.label is None else (self.label,)), *self.outcomes, *self.raters)

    @property
    def other(self) -> tuple[str, ...]:
        """Columns without a role."""
        single = {self.group, self.text, self.length, self.rater, *self.taken}
        several = {*self.judges, *self.uncertainty, *self.outcomes, *self.raters}
        return tuple(c for c in self.columns if c not in single | several | set(self.embeddings))


def infer_roles(table: Table, *, label: str | None = None, na: Sequence[str] = ()) -> Roles:
    """Return the likely role of each column.

    Parameters
    ----------
    table : Table
        A file as read.
    label : str, optional
        Column of the labels, where the user names it.
    na : sequence of str
        Values that mean missing, beside empty, null and NaN.

    Raises
    ------
    InputError
        If `label` is no column.
    """
    if label is not None:
        resolve_column(label, table.frame.columns, role="label", source=table.source)
    missing = as_na(na)
    columns = {name: describe(table, name, missing) for name in table.frame.columns}
    # A name that no terminal shows as it is gets no role, unless the user gives it one.
    plain = {n: c for n, c in columns.items() if n == label or (n.isprintable() and n.strip())}
    notices = _told_of_names([name for name in columns if name not in plain])
    long = find_long_form(table, plain, label)
    rater = find_rater(plain)
    of_rows = () if long is None else (long.id, long.judge, long.score, long.run)
    taken = _named(rater, *of_rows)
    label, people = find_labels(table, plain, label, taken, missing)
    id_, id_named, id_told = find_id(table, plain, long)
    taken |= _named(label, id_, *people)
    about = {n: c for n, c in plain.items() if n not in taken and is_of_the_item(table, long, n)}
    pi = find_probability(about)
    group = find_group(about)
    about = {name: column for name, column in about.items() if name != group}
    n_items = table.frame.height if long is None else plain[long.id].n_values
    cluster = find_cluster(table, about, group, n_items)
    taken |= _named(pi, group, cluster)
    told: tuple[Notice, ...] = ()
    if long is None:
        judges, told = find_judges(table, plain, label=label, taken=taken, na=missing)
    else:
        judges = (long.score,)
    settled = settle_words(plain, judges, label, missing)
    taken |= set(settled.judges)
    return Roles(
        columns=columns,
        id=id_,
        id_named=id_named,
        judges=settled.judges,
        uncertainty=tuple(c for c in plain if UNCERTAINTY.fullmatch(c) and c not in taken),
        label=label,
        outcomes=tuple(c for c in people if not is_rater(c)),
        raters=tuple(c for c in people if is_rater(c)),
        rater=rater,
        group=group,
        cluster=cluster,
        text=find_text(about, taken),
        length=find_length(about, taken),
        pi=pi,
        crossed=is_crossed(table, plain, group, cluster),
        embeddings=find_embeddings(plain, taken),
        judge_column=None if long is None else long.judge,
        run_column=None if long is None else long.run,
        na=settled.na,
        levels=settled.levels,
        notices=(*notices, *id_told, *told, *settled.notices),
    )


def likely(table: Table, role: str) -> str | None:
    """Return the column likely to have a role, as a command names it.

    Parameters
    ----------
    table : Table
        A file as read.
    role : str
        label, judges, id, rater, group, cluster, text, pi, judge_column or run_column.

    Returns
    -------
    str or None
        A column; for the judges a glob or names with commas between; None if no column is.

    Examples
    --------
    >>> from bacon.io.tables import read_table
    >>> table = read_table({"uid": [7, 8], "gpt": [4, 2], "claude": [5, 1], "human": [4, None]})
    >>> likely(table, "label"), likely(table, "judges"), likely(table, "id")
    ('human', 'gpt,claude', 'uid')
    """
    roles = infer_roles(table)
    found = {
        "label": roles.label,
        "judges": roles.judge_pattern,
        "id": roles.id,
        "rater": roles.rater,
        "group": roles.group,
        "cluster": roles.cluster,
        "text": roles.text,
        "pi": roles.pi,
        "judge_column": roles.judge_column,
        "run_column": roles.run_column,
    }
    return found[role]


def _named(*names: str | None) -> set[str]:
    """Return the names there are."""
    return {name for name in names if name is not None}


def _told_of_names(strange: Sequence[str]) -> list[Notice]:
    """Tell which columns cannot be named in a command."""
    if not strange:
        return []
    told = (
        f"Left aside because their names hold control characters or nothing: {len(strange)} of the "
        "columns; rename them to use them."
    )
    return [Notice("column_names_unusable", told)]
