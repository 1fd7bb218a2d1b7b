"""Columns of the feature matrix: what each is, and its values in a pool before scaling.

Derived columns (block 2) are made of what a judge tells of its own doubt and of how far runs
and judges differ. Judges enter them standardised and turned to agree, so that a judge's units
and sign do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.judge_scores import mean_of_present, spread_of_present

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray
    from bacon.data.pool import Judge, Pool

__all__ = [
    "BY_DEFAULT",
    "DERIVED",
    "Column",
    "Reader",
    "length_name",
    "run_mean",
    "text_lengths",
    "uncertainty_names",
]

DERIVED = (
    "spread",
    "varies",
    "score x spread",
    "score x entropy",
    "score x logppl",
    "disagreement",
)
"""Kinds of derived columns."""

BY_DEFAULT = tuple(kind for kind in DERIVED if kind != "varies")
"""Kinds that are made unless asked otherwise: the flag that runs vary at all helped nowhere
beside their spread (bench/uncertainty.py)."""

BLOCKS = {"component": 1, **dict.fromkeys(DERIVED, 2)}
"""Penalty block of the kinds that are not in block 0."""

UNCERTAINTY_OF = {"expected": "expected", "score x entropy": "entropy", "score x logppl": "logppl"}
"""Kind of uncertainty that a kind of column needs."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the feature matrix.

    Parameters
    ----------
    name : str
        What it is, such as ``judge_gpt``, ``judge_gpt missing`` or ``judge_gpt x entropy``.
    kind : str
        judge, expected, class, feature, length, missing, component, or one of `DERIVED`.
    source : str
        Judge, feature or text column it is made from; for the disagreement, all judges.
    centre, scale : float
        The value is (raw - centre) / scale; a negative scale turns a judge round.
    level : str or None
        For a text judge, the class whose share of the runs this is. Where the expected score
        is missing ``expected``, and where a text is ``length``.
    origin : float
        In a product with a score, what is taken off the other factor.
    low, high : float or None
        Ends to which raw values are cut.
    """

    name: str
    kind: str
    source: str
    centre: float
    scale: float
    level: str | None = None
    origin: float = 0.0
    low: float | None = None
    high: float | None = None

    @property
    def block(self) -> int:
        """Penalty block: 0 judges, features and the like; 1 components; 2 derived columns."""
        return BLOCKS.get(self.kind, 0)

    @property
    def uncertainty(self) -> str | None:
        """Kind of uncertainty it is made from, None without."""
        return UNCERTAINTY_OF.get(str(self.level) if self.kind == "missing" else self.kind)

    @property
    def is_length(self) -> bool:
        """Whether it is the length of a text, or says that there is none."""
        return "length" in (self.kind, self.level if self.kind == "missing" else None)


def run_mean(judge: Judge) -> FloatArray:
    """Return a numeric judge's score (N,), averaged over the runs present; NaN where none is."""
    return mean_of_present(judge.scores)


def length_name(text: str) -> str:
    """Return the name of the column that holds the length of a text."""
    return f"length of {text}"


def text_lengths(pool: Pool, text: str) -> FloatArray:
    """Return how many characters the column `text` has (N,), NaN where it has no text."""
    import polars as pl

    series = pool.table[text]
    if series.dtype.is_nested():
        return np.full(pool.n_items, np.nan)
    lengths = series.cast(pl.String).str.len_chars()
    return lengths.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def uncertainty_names(judge: str, kind: str) -> tuple[str, ...]:
    """Return the columns that can tell a judge's uncertainty: any one of them is enough.

    A mean log-probability is minus the log-perplexity.
    """
    endings = ("logppl", "logprob") if kind == "logppl" else (kind,)
    return tuple(f"{judge}__{ending}" for ending in endings)


def _class_share(judge: Judge, level: str) -> FloatArray:
    """Return the share of a text judge's runs that answered `level`, NaN where none answered."""
    levels = judge.levels or ()
    if level not in levels:
        return np.where(np.isnan(judge.scores).all(axis=1), np.nan, 0.0)
    hits = np.where(np.isnan(judge.scores), np.nan, judge.scores == levels.index(level))
    return mean_of_present(hits)


class Reader:
    """Raw values of columns in one pool; what several columns share is made once.

    Parameters
    ----------
    pool : Pool
        The pool.
    judged : mapping of str to Column
        Column of each numeric judge that is in the features.
    """

    def __init__(self, pool: Pool, judged: Mapping[str, Column]) -> None:
        self.pool = pool
        self.judges = {judge.name: judge for judge in pool.judges}
        self.features = {name: pool.features[:, k] for k, name in enumerate(pool.feature_names)}
        self.judged = judged
        self._kept: dict[tuple[str, str], FloatArray] = {}

    def raw(self, column: Column) -> FloatArray:
        """Return the values (N,) of a column before scaling, NaN where unknown."""
        values = self._uncut(column)
        if column.low is None or column.high is None:
            return values
        return np.clip(values, column.low, column.high)

    def _uncut(self, column: Column) -> FloatArray:
        """Return the values (N,) before their ends are cut."""
        kind, source = column.kind, column.source
        if kind == "disagreement":
            scores = [self.standardised(name) for name in self.judged]
            return spread_of_present(np.column_stack(scores))
        if kind == "missing":
            return np.isnan(self._subject(column)).astype(np.float64)
        if kind == "spread":
            return self.factor(source, "spread")
        if kind == "varies":
            spread = self.factor(source, "spread")
            return np.where(np.isnan(spread), np.nan, spread > 0.0)
        if kind.startswith("score x "):
            other = self.factor(source, kind.removeprefix("score x "))
            return self.standardised(source) * (other - column.origin)
        return self._subject(column)

    def _subject(self, column: Column) -> FloatArray:
        """Return what a column of a judge, feature or text shows, or says is missing."""
        if column.is_length:
            return np.log1p(text_lengths(self.pool, column.source))
        judge = self.judges.get(column.source)
        if judge is None:
            return self.features[column.source]
        if column.uncertainty is not None:
            return self.factor(column.source, column.uncertainty)
        if column.kind == "class":
            return _class_share(judge, column.level or "")
        if judge.levels is not None:
            return np.where(np.isnan(judge.scores).all(axis=1), np.nan, 0.0)
        return run_mean(judge)

    def standardised(self, judge: str) -> FloatArray:
        """Return a judge's score (N,), standardised and turned as its column is."""
        column = self.judged[judge]
        key = (judge, "score")
        if key not in self._kept:
            self._kept[key] = (run_mean(self.judges[judge]) - column.centre) / column.scale
        return self._kept[key]

    def factor(self, judge: str, kind: str) -> FloatArray:
        """Return a judge's uncertainty (N,), or the spread of its runs in SDs of its scores."""
        key = (judge, kind)
        if key not in self._kept:
            self._kept[key] = self._factor(self.judges[judge], kind)
        return self._kept[key]

    def _factor(self, judge: Judge, kind: str) -> FloatArray:
        if kind == "spread":
            return spread_of_present(judge.scores) / abs(self.judged[judge.name].scale)
        told = {one.kind: mean_of_present(one.values) for one in judge.uncertainty}
        if kind == "logppl" and kind not in told:
            return -told["logprob"]
        return told[kind]
