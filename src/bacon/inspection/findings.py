"""What a file says of its labels and judges, and what it supports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.outcomes import outcome_kind
from bacon.calibration.randomness import randomness_notice
from bacon.data.survey_design import SurveyDesign
from bacon.errors import InputError
from bacon.estimation.designs import simple_design
from bacon.inspection.columns import describe
from bacon.inspection.judge_findings import JudgeFinding, judge_findings
from bacon.io.ids import check_unique, read_ids
from bacon.io.numbers import answers
from bacon.io.pools import read_pool
from bacon.io.tables import Table

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.notice import Notice
    from bacon.data.pool import Pool
    from bacon.inspection.roles import Roles

__all__ = ["FEW_LABELS", "Findings", "LabelFinding", "find"]

FEW_LABELS = 30
"""Labels below which an interval is of little use."""


@dataclass(frozen=True, slots=True)
class LabelFinding:
    """The labels.

    Parameters
    ----------
    kind : str
        Kind of outcome they look like.
    n_values : int
        Different labels.
    low, high, median : float
        Range and median, NaN for words.
    whole : bool
        Whether all are whole numbers.
    classes : tuple of str
        Words, the most common first; empty for numbers.
    """

    kind: str
    n_values: int
    low: float = math.nan
    high: float = math.nan
    median: float = math.nan
    whole: bool = False
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Findings:
    """What there is to say of a file.

    Parameters
    ----------
    n_rows, n_columns, n_items, n_labels : int
        Size of the file, and items with a label among the items.
    n_labelled_clusters : int
        Clusters with a labelled item, 0 where no column of clusters is known.
    label : LabelFinding or None
        The labels, None without any.
    judges : tuple of JudgeFinding
        The judges.
    looks_random : bool or None
        Whether the labelled rows look like a random draw on the judges; None where that
        cannot be asked.
    notices : tuple of Notice
        What was assumed, left out or noticed.
    blocked : str or None
        Why no command can read the file as it is.
    """

    n_rows: int
    n_columns: int
    n_items: int
    n_labels: int = 0
    n_labelled_clusters: int = 0
    label: LabelFinding | None = None
    judges: tuple[JudgeFinding, ...] = ()
    looks_random: bool | None = None
    notices: tuple[Notice, ...] = field(default=(), repr=False)
    blocked: str | None = None

    @property
    def is_census(self) -> bool:
        """Whether every item is labelled."""
        return self.n_labels == self.n_items


def find(table: Table, roles: Roles) -> Findings:
    """Return what the file says, read by the inferred roles as the commands would read it.

    Parameters
    ----------
    table : Table
        A file as read.
    roles : Roles
        From :func:`bacon.inspection.roles.infer_roles`.
    """
    size = (table.frame.height, table.frame.width)
    try:
        if not roles.judges:
            return _without_judges(table, roles)
        pool = read_pool(
            table,
            judges=list(roles.judges),
            id=roles.id,
            cluster=roles.cluster,
            pi=roles.pi,
            label=None if roles.label is None else [roles.label],
            judge_column=roles.judge_column,
            run_column=roles.run_column,
            levels=roles.levels or None,
            na=roles.na,
        )
        y, words = _labels(Table(pool.source, pool.table), roles)
    except InputError as error:
        return Findings(*size, size[0], notices=roles.notices, blocked=str(error))
    rows = np.flatnonzero(~np.isnan(y)).astype(np.int64)
    length = _length(pool, roles)
    random = None if len(rows) < 2 else _randomness(pool, roles, rows)
    return Findings(
        *size,
        n_items=pool.n_items,
        n_labels=len(rows),
        n_labelled_clusters=0 if pool.cluster is None else len(np.unique(pool.cluster.codes[rows])),
        label=_label(y[rows], words) if len(rows) else None,
        judges=judge_findings(pool, y, words, rows, length),
        looks_random=None if random is None else not random,
        notices=(*pool.notices, *roles.notices, *(random or ())),
    )


def _without_judges(table: Table, roles: Roles) -> Findings:
    """Return what a file says in which no column looks like a judge's."""
    if roles.rater is None:
        ids = read_ids(table, roles.id, number_rows=True)
        check_unique(table, ids, "keep one row per item")
    y, words = _labels(table, roles)
    y = y[~np.isnan(y)]
    return Findings(
        table.frame.height,
        table.frame.width,
        table.frame.height,
        n_labels=len(y),
        label=_label(y, words) if len(y) else None,
        notices=(*table.notices, *roles.notices),
    )


def _labels(table: Table, roles: Roles) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return the label of every row, NaN where there is none, and the classes."""
    if roles.label is None:
        return np.full(table.frame.height, np.nan), None
    levels = roles.levels or None
    values, words = answers(table, [roles.label], role="label", na=roles.na, levels=levels)
    return values[:, 0], words


def _label(y: FloatArray, words: tuple[str, ...] | None) -> LabelFinding:
    """Return what the labels present look like."""
    kind = outcome_kind(y, words, "auto", None).kind
    values, counts = np.unique(y, return_counts=True)
    if words is not None:
        common = values[np.argsort(-counts, kind="stable")].astype(np.int64)
        return LabelFinding(kind, len(values), classes=tuple(words[k] for k in common))
    whole = bool((values == np.round(values)).all())
    ends = (float(values[0]), float(values[-1]))
    return LabelFinding(kind, len(values), *ends, float(np.median(y)), whole)


def _randomness(pool: Pool, roles: Roles, rows: IntArray) -> tuple[Notice, ...] | None:
    """Return a notice if the labelled rows do not look like a draw; None if nobody can tell."""
    if len(rows) == pool.n_items or all(judge.is_text for judge in pool.judges):
        return None
    if roles.pi is not None and pool.pi is not None:
        return randomness_notice(pool, SurveyDesign("poisson", pool.n_items, rows, pool.pi[rows]))
    return randomness_notice(pool, simple_design(rows, pool.n_items))


def _length(pool: Pool, roles: Roles) -> FloatArray | None:
    """Return the length of every item: characters of its text, or a column that says so."""
    import polars as pl

    if roles.text is not None and roles.text in pool.table.columns:
        counts = pool.table[roles.text].str.len_chars().cast(pl.Float64)
        return counts.fill_null(float("nan")).to_numpy()
    if roles.length is not None and roles.length in pool.table.columns:
        table = Table(pool.source, pool.table)
        strays = describe(table, roles.length, roles.na).strays
        return answers(table, [roles.length], role="score", na=(*roles.na, *strays))[0][:, 0]
    return None
