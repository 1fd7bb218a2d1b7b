"""What the judges alone would have said, in their raw values."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.ranks import spearman
from bacon.estimation.events import event_of
from bacon.judge_scores import mean_of_present, numeric_judges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.estimand import Estimand
    from bacon.data.pool import Judge, Pool

__all__ = ["RawJudges", "plug_in", "raw_judges", "raw_shares"]

SLACK = 0.25
"""Share of the labels' range by which a judge may leave it and still be on their scale."""

LEAST_SPAN = 0.25
"""Share of the labels' range that a judge on their scale must use."""


@dataclass(frozen=True, eq=False)
class RawJudges:
    """Average over the judges on the labels' scale.

    Parameters
    ----------
    score : (N,) float64 or None
        Average over the judges present, NaN where none is; None where no judge is on the
        labels' scale, and `reason` says so.
    used : tuple of str
        Judges averaged.
    reason : str or None
        Why there is no score, or what was left out.
    shares : mapping of str to float
        For labels in words, how often the judges answer with each class.
    """

    score: FloatArray | None
    used: tuple[str, ...]
    reason: str | None
    shares: Mapping[str, float] = field(default_factory=dict)

    def estimate(self, estimand: Estimand) -> float | None:
        """Return the plug-in estimate over the items with a score, None without one."""
        if estimand.label is not None:
            return self.shares.get(estimand.label)
        if self.score is None:
            return None
        return plug_in(self.score[~np.isnan(self.score)], estimand)


def plug_in(values: FloatArray, estimand: Estimand) -> float | None:
    """Return the value of an estimand over `values` (k,); None for a share of a class in words."""
    if estimand.kind == "mean":
        return float(values.mean())
    if estimand.kind in ("variance", "sd"):
        return float(values.var(ddof=1) if estimand.kind == "variance" else values.std(ddof=1))
    if estimand.kind == "quantile" and estimand.tau is not None:
        return float(np.quantile(values, estimand.tau, method="inverted_cdf"))
    if estimand.cut is not None:
        return float(event_of(values, estimand.cut)[1].mean())
    return None


def raw_shares(pool: Pool, levels: tuple[str, ...]) -> RawJudges:
    """Average how often the judges answer with each class of labels in words.

    Over runs, then over the items a judge answered, then over the judges that ever answer with
    one of the classes.
    """
    judges = [judge for judge in pool.judges if judge.levels and set(judge.levels) & set(levels)]
    if not judges:
        return RawJudges(None, (), "the labels are words, and no judge answers with them")
    table = np.array([[_answer_rate(judge, level) for level in levels] for judge in judges])
    left = pool.n_judges - len(judges)
    reason = f"{left} of {pool.n_judges} judges do not answer with the classes" if left else None
    used = tuple(judge.name for judge in judges)
    shares = dict(zip(levels, table.mean(axis=0).tolist(), strict=True))
    return RawJudges(None, used, reason, MappingProxyType(shares))


def _answer_rate(judge: Judge, level: str) -> float:
    """Return how often a judge answers with a class, over the items it answered."""
    answers = judge.levels or ()
    if level not in answers:
        return 0.0
    hits = np.where(np.isnan(judge.scores), np.nan, judge.scores == answers.index(level))
    rates = mean_of_present(hits)
    return float(rates[~np.isnan(rates)].mean())


def raw_judges(
    pool: Pool, rows: IntArray, y: FloatArray, scale: tuple[float, float] | None
) -> RawJudges:
    """Average the judges whose raw scores lie on the labels' scale.

    A stated scale decides strictly. Without one a judge belongs if the middle 98 % of its
    scores lie within the labels' range, widened by a quarter of it, and use a quarter of it,
    and if it does not run against the labels (m,) of the labelled `rows`: a quality metric
    from 0 to 100 is not on the scale of a penalty, though its range may fit.
    """
    if scale is not None:
        low, high, span = scale[0], scale[1], 0.0
    else:
        reach = float(np.ptp(y))
        low, high, span = y.min() - SLACK * reach, y.max() + SLACK * reach, LEAST_SPAN * reach
    used, columns = [], []
    for name, score in numeric_judges(pool):
        if np.isnan(score).all():
            continue
        ends = np.nanquantile(score, (0.0, 1.0) if scale is not None else (0.01, 0.99))
        against = scale is None and spearman(score[rows], y) < 0.0
        if low <= ends[0] and ends[1] <= high and ends[1] - ends[0] >= span and not against:
            used.append(name)
            columns.append(score)
    if not used:
        return RawJudges(None, (), "no judge scores on the labels' scale")
    table = np.column_stack(columns)
    score = mean_of_present(table)
    left = pool.n_judges - len(used)
    reason = f"{left} of {pool.n_judges} judges are not on the labels' scale" if left else None
    return RawJudges(score, tuple(used), reason)
