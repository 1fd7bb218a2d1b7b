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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.io.tables import Table

__all__ = ["read_judges"]


def read_judges(
    table: Table, columns: Sequence[str], levels: tuple[str, ...] | None, na: Sequence[str]
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

    Raises
    ------
    InputError
        If a column has no score at all, or a score cannot be used.
    """
    judges = []
    for name, runs in group_runs(columns, table.source).items():
        scores, words = answers(table, runs, role="score", na=na, levels=levels)
        nothing = np.isnan(scores).all(axis=0)
        if nothing.any():
            raise InputError(
                f"{table.source}, column {runs[int(np.argmax(nothing))]}: every score is missing; "
                "leave the column out of the judges."
            )
        judges.append(Judge(name, tuple(runs), read_only(scores), words))
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
        notices.append(Notice("judge_scores_missing", _missing_told(lacking)))
    return tuple(judges), notices


def _missing_told(judges: Sequence[Judge]) -> str:
    """Return the sentence that counts the missing scores of each judge."""
    told = []
    for judge in judges:
        missing = int(np.isnan(judge.scores).sum())
        share = 100 * missing / judge.scores.size
        told.append(f"{judge.name} {missing:,} of {judge.scores.size:,} ({share:.1f} %)")
    more = f", and {len(told) - 6} more judges" if len(told) > 6 else ""
    return f"Judge scores are missing and stay missing: {', '.join(told[:6])}{more}."
