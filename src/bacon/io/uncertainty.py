"""Columns beside a judge's scores that tell how sure it was, and why a score is missing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only
from bacon.data.notice import Notice
from bacon.data.pool import Uncertainty
from bacon.io.cells import as_text, without_missing
from bacon.io.numbers import number_column
from bacon.io.roles import RUN, UNCERTAINTY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from bacon.arrays import FloatArray
    from bacon.io.tables import Table

__all__ = [
    "Beside",
    "missing_reasons",
    "read_uncertainty",
    "told_of_uncertainty",
    "uncertainty_columns",
]

WORDS = {
    "entropy": "entropy",
    "logppl": "log-perplexity",
    "logprob": "log-probability",
    "expected": "expected score",
}
"""Kinds that hold numbers, as a message calls them."""

MOST_NAMED = 6
MOST_REASONS = 3

Beside = dict[str, dict[str, str]]
"""Columns of one judge: for each kind, by the column of scores or the judge they belong to."""


def uncertainty_columns(
    table: Table, judges: Mapping[str, Sequence[str]], taken: Collection[str]
) -> tuple[dict[str, Beside], list[Notice]]:
    """Return the columns ``<judge>[_run<k>]__<kind>`` of each judge, and what to tell of them.

    Parameters
    ----------
    table : Table
        Where the columns are.
    judges : mapping
        The score columns of each judge.
    taken : collection of str
        Columns that were named for another role.

    Returns
    -------
    columns : dict
        For each judge the columns found by kind: those of its runs rather than its own.
    notices : list of Notice
        Columns of judges that do not exist, and those left out beside columns of runs.
    """
    judge_of = {run: judge for judge, runs in judges.items() for run in runs}
    runs = [matched["judge"] for name in table.frame.columns if (matched := RUN.fullmatch(name))]
    there = {*table.frame.columns, *runs}
    found: dict[str, Beside] = {judge: {} for judge in judges}
    strange: list[str] = []
    for column in table.frame.columns:
        matched = UNCERTAINTY.fullmatch(column)
        if matched is None or column in taken:
            continue
        scored, kind = matched["scored"], matched["kind"]
        judge = judge_of.get(scored, scored)
        if judge in found:
            found[judge].setdefault(kind, {})[scored] = column
        elif scored not in there and kind in WORDS:
            strange.append(column)
    repeated = [
        columns.pop(judge)
        for judge, beside in found.items()
        for columns in beside.values()
        if judge in columns and len(columns) > 1
    ]
    return found, [
        *_told(
            "uncertainty_without_judge",
            "Columns of uncertainty that belong to no judge, not used",
            strange,
        ),
        *_told(
            "uncertainty_repeated",
            "Columns of uncertainty not used beside those of the runs",
            repeated,
        ),
    ]


def read_uncertainty(table: Table, beside: Beside, na: Sequence[str]) -> tuple[Uncertainty, ...]:
    """Return what a judge tells of how sure it was.

    Raises
    ------
    InputError
        If a value is no number.
    """
    found = []
    for kind, word in WORDS.items():
        names = tuple(beside.get(kind, {}).values())
        if names:
            mend = f"the {word} of a judge is a number, so correct it or rename the column"
            values = [number_column(table, name, role=word, na=na, mend=mend) for name in names]
            found.append(Uncertainty(kind, names, read_only(np.column_stack(values))))
    return tuple(found)


def told_of_uncertainty(read: Mapping[str, tuple[Uncertainty, ...]]) -> list[Notice]:
    """Name the judges whose uncertainty was read."""
    named = [
        f"{judge} ({', '.join(WORDS[one.kind] for one in told)})"
        for judge, told in read.items()
        if told
    ]
    return _told("uncertainty_read", "Uncertainty of judges, read with their scores", named)


def _told(code: str, what: str, names: Sequence[str]) -> list[Notice]:
    """Tell of columns or judges, if there are any."""
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return [Notice(code, f"{what}: {', '.join(names[:MOST_NAMED])}{more}.")]


def missing_reasons(table: Table, scores: FloatArray, runs: Sequence[str], beside: Beside) -> str:
    """Return why scores (N, R) are missing by the judge's status, such as "refused 6, too long 2".

    Empty where no status column says anything about a missing score.
    """
    counts: Counter[str] = Counter()
    for scored, column in beside.get("status", {}).items():
        gone = np.isnan(scores).any(axis=1)
        if scored in runs:
            gone = np.isnan(scores[:, runs.index(scored)])
        series = table.frame[column]
        if series.dtype.is_nested():
            continue
        words = as_text(without_missing(series, ())).gather(np.flatnonzero(gone))
        counts.update(word for word in words.drop_nulls().to_list() if word.lower() != "ok")
    told = [f"{text} {count:,}" for text, count in counts.most_common(MOST_REASONS)]
    return ", ".join(told) + (", other" if len(counts) > MOST_REASONS else "")
