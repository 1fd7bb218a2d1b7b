"""The likely role of each column of any results file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.inspection.columns import Column, describe
from bacon.inspection.judges import find_judges, judge_pattern, vectors_of
from bacon.inspection.long_rows import LongForm, find_long_form, n_different
from bacon.inspection.names import (
    CLUSTERS,
    GROUPS,
    PROBABILITIES,
    TEXTS,
    among,
    is_human,
    is_id,
    is_length,
    is_rater,
    is_scoring,
    label_rank,
)
from bacon.inspection.words import settle_words
from bacon.io.cells import as_na
from bacon.io.ids import ROW_ID, usual_id
from bacon.io.roles import UNCERTAINTY, resolve_column

if TYPE_CHECKING:
    from bacon.io.tables import Table

__all__ = ["Roles", "infer_roles", "likely"]

MOST_GROUPS = 50
LEAST_CLUSTERS = 5

MOST_SHARED = 0.8
"""Values of a column, as a share of the rows, up to which it is something that items share."""


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
    blocked : str or None
        Why no command can read the file as it is.
    """

    columns: Mapping[str, Column] = field(repr=False)
    id: str | None = None
    id_named: bool = False
    judges: tuple[str, ...] = ()
    uncertainty: tuple[str, ...] = ()
    label: str | None = None
    outcomes: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()
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
    blocked: str | None = None

    @property
    def taken(self) -> set[str]:
        """Columns that a command names and a glob for judges so passes over."""
        named = (self.id, self.label, self.cluster, self.pi, self.judge_column, self.run_column)
        return {name for name in named if name is not None}

    @property
    def judge_pattern(self) -> str | None:
        """What to write after ``--judges``."""
        return judge_pattern(self.judges, list(self.columns), self.taken) if self.judges else None

    @property
    def other(self) -> tuple[str, ...]:
        """Columns without a role."""
        single = {self.group, self.text, self.length, *self.taken}
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
    used = set() if long is None else {long.id, long.judge, long.score, long.run}
    label, people = _label(table, plain, label, {name for name in used if name}, missing)
    id_, named, id_told, blocked = _id(table, plain, long)
    taken = {name for name in (*used, label, id_, *people) if name is not None}
    pi = _probability(plain, taken)
    group = _group(plain, taken)
    taken |= {name for name in (pi, group) if name is not None}
    cluster = _cluster(table, plain, taken, group)
    if cluster is None and id_ == ROW_ID and long is None:
        cluster = _repeated_id(plain)
    taken |= {name for name in (cluster,) if name is not None}
    judges: tuple[str, ...] = ()
    told: tuple[Notice, ...] = ()
    if long is None:
        judges, told = find_judges(table, plain, label=label, taken=taken, na=missing)
    else:
        judges = (long.score,)
    settled = settle_words(plain, judges, label, missing)
    judges = settled.judges
    return Roles(
        columns=columns,
        id=id_,
        id_named=named,
        judges=judges,
        uncertainty=tuple(c for c in plain if UNCERTAINTY.fullmatch(c) and c not in taken),
        label=label,
        outcomes=tuple(c for c in people if not is_rater(c)),
        raters=tuple(c for c in people if is_rater(c)),
        group=group,
        cluster=cluster,
        text=_text(plain, taken | set(judges)),
        length=_length(plain, taken | set(judges)),
        pi=pi,
        crossed=_is_crossed(table, plain, group, cluster),
        embeddings=_embeddings(plain, taken | set(judges)),
        judge_column=None if long is None else long.judge,
        run_column=None if long is None else long.run,
        na=settled.na,
        levels=settled.levels,
        notices=(*notices, *id_told, *told, *settled.notices),
        blocked=blocked,
    )


def likely(table: Table, role: str) -> str | None:
    """Return the column likely to have a role, as a command names it.

    Parameters
    ----------
    table : Table
        A file as read.
    role : str
        label, judges, id, group, cluster, text, pi, judge_column or run_column.

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
        "group": roles.group,
        "cluster": roles.cluster,
        "text": roles.text,
        "pi": roles.pi,
        "judge_column": roles.judge_column,
        "run_column": roles.run_column,
    }
    return found[role]


def _told_of_names(strange: Sequence[str]) -> list[Notice]:
    """Tell which columns cannot be named in a command."""
    if not strange:
        return []
    told = (
        f"{len(strange)} columns have control characters or nothing for a name and were left "
        "aside; rename them to use them."
    )
    return [Notice("column_names_unusable", told)]


def _is_answer(column: Column) -> bool:
    return column.kind in ("numbers", "words", "nothing")


def _label(
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


def _is_rather_a_judge(
    table: Table, columns: Mapping[str, Column], label: str, used: set[str], na: Sequence[str]
) -> bool:
    """Whether a complete column that just says score is more likely the only judge's."""
    column = columns[label]
    if used or is_human(label) or not is_scoring(label) or column.n_missing > 0:
        return False
    return not find_judges(table, columns, label=label, taken={label}, na=na)[0]


def _id(
    table: Table, columns: Mapping[str, Column], long: LongForm | None
) -> tuple[str | None, bool, tuple[Notice, ...], str | None]:
    """Return the id, whether it has to be named, what to tell, and what blocks every command."""
    usual = usual_id(list(columns))
    if long is not None:
        return long.id, long.id != usual, (), None
    if usual is None:
        found = _unique_column(columns)
        return found, found is not None, (), None
    column = columns[usual]
    if column.is_unique and column.kind in ("numbers", "words", "names", "prose"):
        return usual, False, (), None
    if column.n_missing > 0:
        told = f"{usual} is missing in {column.n_missing:,} rows, so rows are numbered instead."
        return ROW_ID, True, (Notice("id_missing", told),), None
    partner = _partner(table, columns, usual)
    if partner is not None:
        told = (
            f"{usual} repeats, once for each {partner}: an item is a row here, and {usual} is what "
            "items share."
        )
        return ROW_ID, True, (Notice("id_repeats", told),), None
    other = _unique_column({n: c for n, c in columns.items() if n != usual})
    if other is not None:
        told = f"{usual} repeats, so {other} is taken for the id."
        return other, True, (Notice("id_repeats", told),), None
    repeated = column.n_rows - column.n_values
    blocked = (
        f"{repeated:,} rows repeat a value of {usual} and no other column tells them apart; keep "
        "one row per item, or rename the column if it is no id."
    )
    return usual, False, (Notice("id_repeats", blocked),), blocked


def _partner(table: Table, columns: Mapping[str, Column], usual: str) -> str | None:
    """Return the group column that, with a repeated id, tells every row apart."""
    # A few repeats are slips, which a group may tell apart by chance.
    if columns[usual].n_values > MOST_SHARED * columns[usual].n_rows:
        return None
    for name in among(GROUPS, list(columns)):
        if columns[name].n_missing == 0 and n_different(table, (usual, name)) == table.frame.height:
            return name
    return None


def _repeated_id(columns: Mapping[str, Column]) -> str | None:
    """Return the usual id column if it has no gaps, as what items share."""
    usual = usual_id(list(columns))
    if usual is None or columns[usual].n_missing > 0 or columns[usual].n_values < 2:
        return None
    return usual


def _unique_column(columns: Mapping[str, Column]) -> str | None:
    """Return a column whose values are all different and that may be an id by its name."""
    fit = [
        c
        for c in columns.values()
        if c.is_unique
        and (c.kind in ("names", "words") or (c.kind == "numbers" and c.whole))
        and label_rank(c.name) is None
    ]
    named = [c.name for c in fit if is_id(c.name)]
    texts = [c.name for c in fit if c.kind == "names"]
    counts = [c.name for c in fit if c.row_numbers or c.name == next(iter(columns))]
    return next(iter([*named, *texts, *counts]), None)


def _probability(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return the column of inclusion probabilities."""
    for name in among(PROBABILITIES, list(columns)):
        column = columns[name]
        whole = column.kind == "numbers" and column.n_missing == 0 and name not in taken
        if whole and 0.0 < column.low and column.high <= 1.0:
            return name
    return None


def _group(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return the column of the systems compared, or of another division by its name."""
    for name in among(GROUPS, list(columns)):
        column = columns[name]
        fits = column.kind in ("words", "names", "numbers") and name not in taken
        if fits and 2 <= column.n_values <= min(MOST_GROUPS, column.n_present // 2):
            return name
    return None


def _cluster(
    table: Table, columns: Mapping[str, Column], taken: Collection[str], group: str | None
) -> str | None:
    """Return the column of what items share: one that every group has once, else by its name."""
    fit = [
        name
        for name in among(CLUSTERS, list(columns))
        if name not in taken
        and columns[name].kind in ("words", "names", "numbers", "prose")
        and columns[name].n_missing == 0
        and LEAST_CLUSTERS <= columns[name].n_values <= MOST_SHARED * columns[name].n_rows
    ]
    if group is not None:
        for name in fit:
            if n_different(table, (name, group)) == table.frame.height:
                return name
    return next(iter(fit), None)


def _is_crossed(
    table: Table, columns: Mapping[str, Column], group: str | None, cluster: str | None
) -> bool:
    """Whether every value of `group` stands with every value of `cluster` once."""
    if group is None or cluster is None:
        return False
    n_pairs = columns[group].n_values * columns[cluster].n_values
    return n_pairs == table.frame.height == n_different(table, (group, cluster))


def _text(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return the column of the item's text: by its name, else prose that differs most."""
    prose = [
        name
        for name, column in columns.items()
        if column.kind == "prose" and name not in taken and column.n_missing <= 0.5 * column.n_rows
    ]
    named = [name for name in among(TEXTS, prose) if columns[name].n_values > 1]
    varied = sorted(prose, key=lambda name: -columns[name].n_values)
    varied = [name for name in varied if columns[name].n_values > 0.3 * columns[name].n_present]
    return next(iter([*named, *varied]), None)


def _length(columns: Mapping[str, Column], taken: Collection[str]) -> str | None:
    """Return a column that counts the words or characters of an item."""
    for name, column in columns.items():
        if is_length(name) and column.kind == "numbers" and name not in taken and column.whole:
            return name
    return None


def _embeddings(columns: Mapping[str, Column], taken: Collection[str]) -> tuple[str, ...]:
    """Return columns of vectors, and numbered columns that make one."""
    free = [c for name, c in columns.items() if name not in taken]
    numbered = vectors_of([c for c in free if c.kind == "numbers"])
    return (*(c.name for c in free if c.kind == "vectors"), *numbered)
