"""The pool: every item with its judge scores and what else is known without labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import FloatArray, IdArray, IntArray
    from bacon.data.notice import Notice

__all__ = ["Categories", "Judge", "Pool", "Uncertainty"]


@dataclass(frozen=True, eq=False, slots=True)
class Categories:
    """A column of categories as codes.

    Parameters
    ----------
    name : str
        Column the categories came from.
    codes : (N,) int64
        Position of each item's category in `levels`.
    levels : tuple of str
        The categories, sorted.
    """

    name: str
    codes: IntArray
    levels: tuple[str, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Uncertainty:
    """What a judge tells of how sure it was, beside its scores.

    Parameters
    ----------
    kind : str
        ``entropy`` (mean token entropy), ``logppl`` (log-perplexity), ``logprob`` (mean
        log-probability, which is minus the log-perplexity), or ``expected`` (expected score
        over the answers' probabilities, in the judge's units).
    columns : tuple of str
        The K columns it was read from: one for each run that has it, or one for the judge.
    values : (N, K) float64
        NaN where missing.
    """

    kind: str
    columns: tuple[str, ...]
    values: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Judge:
    """One AI judge: its score of every item, in one or several runs.

    Parameters
    ----------
    name : str
        Name of the judge (the column, without ``_run<k>`` where runs were grouped).
    runs : tuple of str
        The R columns that hold its runs.
    scores : (N, R) float64
        Scores in the judge's own units, NaN where missing. For a judge that answers in
        words, positions in `levels`.
    levels : tuple of str or None
        The words a text judge answers with, sorted; None for a numeric judge.
    uncertainty : tuple of Uncertainty
        What it tells of how sure it was, each kind at most once.
    """

    name: str
    runs: tuple[str, ...]
    scores: FloatArray
    levels: tuple[str, ...] | None = None
    uncertainty: tuple[Uncertainty, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the judge answers with class names."""
        return self.levels is not None

    def same_as(self, other: Judge) -> bool:
        """Whether `other` is the same judge with the same scores and uncertainty."""

        def told(judge: Judge) -> tuple[object, ...]:
            kinds = tuple((one.kind, one.columns) for one in judge.uncertainty)
            return judge.name, judge.runs, judge.levels, kinds

        def arrays(judge: Judge) -> list[FloatArray]:
            return [judge.scores, *(one.values for one in judge.uncertainty)]

        return told(self) == told(other) and all(
            np.array_equal(a, b, equal_nan=True)
            for a, b in zip(arrays(self), arrays(other), strict=True)
        )


@dataclass(frozen=True, eq=False)
class Pool:
    """Every item of the evaluation, with what is known of it before any human label.

    Built by :func:`bacon.read_pool`; arrays are read-only and in the order of the rows read.

    Parameters
    ----------
    source : str
        File name, or the kind of frame, for messages.
    id_name : str
        Column of the ids.
    ids : (N,) int64 or object of str
        Item ids, all different.
    order : (N,) int64
        Positions that sort `ids`; draws and folds follow it, so row order never matters.
    fingerprint : str
        blake2b of the sorted ids: which items these are, whatever is known of them.
    judges : tuple of Judge
        Numeric and text judges.
    features : (N, q) float64
        User features, NaN where missing; `feature_names` has the q column names.
    group, cluster : Categories or None
        The systems compared, and the units (prompts, documents) that items share.
    text : str or None
        Name of the column with the item's text.
    embeddings : (N, d) float64 or None
        Embedding of every item.
    pi : (N,) float64 or None
        Inclusion probabilities in (0, 1] of a draw made elsewhere.
    table : polars.DataFrame
        The columns as read, for strata and shown columns.
    backend : str
        Library that result frames come back in: polars, pandas or pyarrow.
    notices : tuple of Notice
        What reading had to tell.
    """

    source: str
    id_name: str
    ids: IdArray
    order: IntArray
    fingerprint: str
    judges: tuple[Judge, ...]
    features: FloatArray
    feature_names: tuple[str, ...]
    table: pl.DataFrame = field(repr=False)
    group: Categories | None = None
    cluster: Categories | None = None
    text: str | None = None
    embeddings: FloatArray | None = None
    pi: FloatArray | None = None
    pi_name: str | None = None
    backend: str = "polars"
    notices: tuple[Notice, ...] = ()

    @property
    def n_items(self) -> int:
        """Number of items N."""
        return len(self.ids)

    @property
    def n_judges(self) -> int:
        """Number of judges M."""
        return len(self.judges)

    @cached_property
    def rank(self) -> IntArray:
        """Position (N,) of each item among the sorted ids."""
        rank = np.empty(self.n_items, dtype=np.int64)
        rank[self.order] = np.arange(self.n_items)
        return read_only(rank)

    def same_as(self, other: Pool) -> bool:
        """Whether `other` holds the same items with the same judge scores and features."""
        return (
            self.fingerprint == other.fingerprint
            and bool(np.array_equal(self.ids, other.ids))
            and len(self.judges) == len(other.judges)
            and all(a.same_as(b) for a, b in zip(self.judges, other.judges, strict=True))
            and self.feature_names == other.feature_names
            and bool(np.array_equal(self.features, other.features, equal_nan=True))
        )

    def __repr__(self) -> str:
        names = ", ".join(judge.name for judge in self.judges[:3])
        more = f" and {self.n_judges - 3} more" if self.n_judges > 3 else ""
        return (
            f"Pool({self.source!r}: {self.n_items:,} items, {self.n_judges} judges: {names}{more})"
        )
