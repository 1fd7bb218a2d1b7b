"""The judges of a pool: runs grouped, missing scores counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only
from bacon.data.notice import Notice
from bacon.data.pool import Judge
from bacon.errors import InputError
from bacon.io.numbers import answers
from bacon.io.roles import group_runs
from bacon.io.uncertainty import (
    missing_reasons,
    read_uncertainty,
    told_of_uncertainty,
    uncertainty_columns,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from bacon.io.tables import Table
    from bacon.io.uncertainty import Beside

__all__ = ["read_judges"]


def read_judges(
    table: Table,
    columns: Sequence[str],
    levels: tuple[str, ...] | None,
    na: Sequence[str],
    *,
    taken: Collection[str] = (),
) -> tuple[tuple[Judge, ...], list[Notice]]:
    """Return the judges, and what reading them had to tell.

    Parameters
    ----------
    table : Table
        Where the scores are.
    columns : sequence of str
        Columns of scores; ``<judge>_run<k>`` are runs of one judge.
    levels : tuple of str or None
        Classes of judges that answer in words, where given.
    na : sequence of str
        Texts that mean missing.
    taken : collection of str
        Columns with another role, which are no judge's uncertainty.

    Raises
    ------
    InputError
        If a column has no score at all, or a score cannot be used.
    """
    judges = []
    grouped = group_runs(columns, table.source)
    beside, strange = uncertainty_columns(table, grouped, {*columns, *taken})
    for name, runs in grouped.items():
        scores, words = answers(table, runs, role="score", na=na, levels=levels)
        nothing = np.isnan(scores).all(axis=0)
        if nothing.any():
            raise InputError(
                f"{table.source}, column {runs[int(np.argmax(nothing))]}: every score is missing; "
                "give its scores, or leave the column out of the judges."
            )
        unsure = read_uncertainty(table, beside[name], na)
        judges.append(Judge(name, tuple(runs), read_only(scores), words, unsure))
    notices = []
    several = [judge for judge in judges if judge.runs != (judge.name,)]
    if several:
        told = ", ".join(
            f"{judge.name} ({len(judge.runs)} run{'s' if len(judge.runs) > 1 else ''})"
            for judge in several
        )
        notices.append(Notice("runs_grouped", f"Columns _run<k> are runs of one judge: {told}."))
    lacking = [judge for judge in judges if np.isnan(judge.scores).any()]
    if lacking:
        counted = [_missing_told(table, judge, beside[judge.name]) for judge in lacking[:6]]
        more = f", and {len(lacking) - 6} more judges" if len(lacking) > 6 else ""
        message = f"Judge scores are missing and stay missing: {', '.join(counted)}{more}."
        notices.append(Notice("judge_scores_missing", message))
    notices += told_of_uncertainty({judge.name: judge.uncertainty for judge in judges})
    return tuple(judges), [*notices, *strange]


def _missing_told(table: Table, judge: Judge, beside: Beside) -> str:
    """Return how many scores of a judge are missing, and why where its status says so."""
    missing = int(np.isnan(judge.scores).sum())
    share = 100 * missing / judge.scores.size
    why = missing_reasons(table, judge.scores, judge.runs, beside)
    told = f"{share:.1f} %; {why}" if why else f"{share:.1f} %"
    return f"{judge.name} {missing:,} of {judge.scores.size:,} ({told})"
