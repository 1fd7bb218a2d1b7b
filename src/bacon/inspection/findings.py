"""What a file says of its labels and judges, and what it supports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.outcomes import outcome_kind
from bacon.calibration.randomness import randomness_notice
from bacon.calibration.raw_judges import raw_judges, spearman
from bacon.data.notice import Notice
from bacon.data.survey_design import SurveyDesign
from bacon.errors import InputError
from bacon.estimation.designs import simple_design
from bacon.features.feature_map import run_mean
from bacon.inspection.columns import describe
from bacon.io.numbers import answers
from bacon.io.pools import read_pool
from bacon.io.tables import Table

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool
    from bacon.inspection.roles import Roles

__all__ = ["FEW_LABELS", "Findings", "JudgeFinding", "LabelFinding", "find"]

FEW_LABELS = 30
"""Labels below which an interval is of little use."""

LEAST_FOR_JUDGES = 10
"""Labels from which a judge is compared with them."""

LEAST_FOR_LENGTH = 20
SURE = 0.01
"""Largest p-value, over all judges together, at which a judge's error is said to go with length."""


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


@dataclass(frozen=True, slots=True)
class JudgeFinding:
    """One judge against the labels.

    Parameters
    ----------
    name : str
        The judge.
    runs : int
        Number of its runs.
    classes : tuple of str
        The words it answers with, empty for numbers.
    n_missing, n_scores : int
        Missing scores among all, every run counted.
    low, high : float
        Range of its scores, NaN for words.
    spearman : float
        Rank correlation with the labels; NaN where either are words.
    agreement : float
        Share of labelled items on which it gives the people's class; NaN for numbers.
    excess, excess_se : float
        Mean of score minus label and its standard error; NaN off the labels' scale.
    length_correlation : float
        Rank correlation of score minus label with the length of the item, where sure.
    length_gap : float
        Mean excess over the longest third less that over the shortest, where sure.
    """

    name: str
    runs: int
    classes: tuple[str, ...]
    n_missing: int
    n_scores: int
    low: float = math.nan
    high: float = math.nan
    spearman: float = math.nan
    agreement: float = math.nan
    excess: float = math.nan
    excess_se: float = math.nan
    length_correlation: float = math.nan
    length_gap: float = math.nan


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
    if roles.blocked is not None or not roles.judges:
        n_labels = 0 if roles.label is None else roles.columns[roles.label].n_present
        label = None if roles.label is None else _label_alone(table, roles)
        notices = (*table.notices, *roles.notices)
        return Findings(*size, size[0], n_labels, label=label, notices=notices, blocked=roles.blocked)
    try:
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
        y, words = _labels(pool, roles)
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
        judges=_judges(pool, y, words, rows, length),
        looks_random=None if random is None else not random,
        notices=(*pool.notices, *roles.notices, *(random or ())),
    )


def _labels(pool: Pool, roles: Roles) -> tuple[FloatArray, tuple[str, ...] | None]:
    """Return the label of every item of the pool, NaN where there is none, and the classes."""
    if roles.label is None:
        return np.full(pool.n_items, np.nan), None
    table = Table(pool.source, pool.table)
    levels = roles.levels or None
    values, words = answers(table, [roles.label], role="label", na=roles.na, levels=levels)
    return values[:, 0], words


def _label_alone(table: Table, roles: Roles) -> LabelFinding | None:
    """Return the labels of a file whose judges are not known."""
    try:
        values, words = answers(table, [str(roles.label)], role="label", na=roles.na)
    except InputError:
        return None
    y = values[~np.isnan(values)]
    return _label(y, words) if len(y) else None


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
        return randomness_notice(
            pool, SurveyDesign("poisson", pool.n_items, rows, pool.pi[rows])
        )
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


def _judges(
    pool: Pool,
    y: FloatArray,
    words: tuple[str, ...] | None,
    rows: IntArray,
    length: FloatArray | None,
) -> tuple[JudgeFinding, ...]:
    """Return each judge against the labels."""
    compared = len(rows) >= LEAST_FOR_JUDGES
    on_scale = raw_judges(pool, y[rows], None).used if compared and words is None else ()
    found = []
    for judge in pool.judges:
        scores = judge.scores
        about = {
            "name": judge.name,
            "runs": len(judge.runs),
            "classes": judge.levels or (),
            "n_missing": int(np.isnan(scores).sum()),
            "n_scores": scores.size,
        }
        figures = {}
        if not judge.is_text:
            figures |= {"low": float(np.nanmin(scores)), "high": float(np.nanmax(scores))}
        if compared and judge.is_text and words is not None:
            figures["agreement"] = _agreement(judge, y, words)
        if compared and not judge.is_text and words is None:
            score = run_mean(judge)[rows]
            figures["spearman"] = spearman(score, y[rows])
            # A judge who runs against people counts in another direction, whatever its range.
            if judge.name in on_scale and figures["spearman"] > 0.0:
                tested = len(on_scale) if length is not None else 0
                apart = length[rows] if length is not None else np.empty(0)
                figures |= _excess(score - y[rows], apart, tested)
        found.append(JudgeFinding(**about, **figures))  # type: ignore[arg-type]
    return tuple(found)


def _agreement(judge: Judge, y: FloatArray, words: tuple[str, ...]) -> float:
    """Return the share of answers, over labelled items and runs, that are the people's class."""
    levels = judge.levels or ()
    place = {word: k for k, word in enumerate(words)}
    # A class that people never used is agreed on by nobody.
    same_codes = np.array([place.get(level, -1) for level in levels], dtype=np.float64)
    known = ~np.isnan(judge.scores)
    codes = np.where(known, same_codes[np.where(known, judge.scores, 0.0).astype(np.int64)], np.nan)
    both = known & ~np.isnan(y)[:, np.newaxis]
    return float((codes == y[:, np.newaxis])[both].mean()) if both.any() else math.nan


def _excess(error: FloatArray, length: FloatArray, n_tested: int) -> dict[str, float]:
    """Return mean and standard error of score minus label (n,), and whether it goes with length.

    Parameters
    ----------
    error : (n,) float64
        Score minus label, NaN where there is no score.
    length : (n,) float64
        Length of the items; empty where it is not known.
    n_tested : int
        Number of judges tested, for the Bonferroni adjustment.
    """
    from scipy import special

    known = error[~np.isnan(error)]
    n = len(known)
    if n < 2:
        return {}
    figures = {
        "excess": float(known.mean()),
        "excess_se": float(known.std(ddof=1) / math.sqrt(n)),
    }
    if n_tested == 0:
        return figures
    both = ~(np.isnan(error) | np.isnan(length))
    n = int(both.sum())
    r = spearman(error, length)
    if n < LEAST_FOR_LENGTH or math.isnan(r) or abs(r) >= 1.0:
        return figures
    # Two-sided p-value of a rank correlation by Student's t with n - 2 degrees of freedom.
    t = abs(r) * math.sqrt((n - 2) / (1.0 - r * r))
    p = 2.0 * float(special.stdtr(n - 2, -t)) * n_tested
    if p < SURE:
        third = np.quantile(length[both], (1 / 3, 2 / 3))
        longest = error[both][length[both] >= third[1]]
        shortest = error[both][length[both] <= third[0]]
        figures["length_correlation"] = r
        figures["length_gap"] = float(longest.mean() - shortest.mean())
    return figures
