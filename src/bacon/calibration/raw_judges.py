"""What the judges alone would have said, in their raw values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.events import event_of
from bacon.features.feature_map import run_mean
from bacon.judge_scores import mean_of_present

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.estimand import Estimand
    from bacon.data.pool import Pool

__all__ = ["RawJudges", "raw_judges", "spearman"]

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
    """

    score: FloatArray | None
    used: tuple[str, ...]
    reason: str | None

    def estimate(self, estimand: Estimand) -> float | None:
        """Return the plug-in estimate over the items with a score, None without one."""
        if self.score is None:
            return None
        score = self.score[~np.isnan(self.score)]
        if estimand.kind == "mean":
            return float(score.mean())
        if estimand.kind in ("variance", "sd"):
            return float(score.var(ddof=1) if estimand.kind == "variance" else score.std(ddof=1))
        if estimand.kind == "quantile" and estimand.tau is not None:
            return float(np.quantile(score, estimand.tau, method="inverted_cdf"))
        if estimand.cut is not None:
            return float(event_of(score, estimand.cut)[1].mean())
        return None


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
    for judge in pool.judges:
        if judge.levels is not None:
            continue
        score = run_mean(judge)
        ends = np.nanquantile(score, (0.0, 1.0) if scale is not None else (0.01, 0.99))
        against = scale is None and spearman(score[rows], y) < 0.0
        if low <= ends[0] and ends[1] <= high and ends[1] - ends[0] >= span and not against:
            used.append(judge.name)
            columns.append(score)
    if not used:
        return RawJudges(None, (), "no judge scores on the labels' scale")
    table = np.column_stack(columns)
    score = mean_of_present(table)
    left = pool.n_judges - len(used)
    reason = f"{left} of {pool.n_judges} judges are not on the labels' scale" if left else None
    return RawJudges(score, tuple(used), reason)


def spearman(a: FloatArray, b: FloatArray) -> float:
    """Return Spearman's correlation of `a` and `b` where both are known; NaN if undefined."""
    import polars as pl

    known = ~(np.isnan(a) | np.isnan(b))
    if known.sum() < 3 or np.ptp(a[known]) == 0.0 or np.ptp(b[known]) == 0.0:
        return float("nan")
    ranks = [pl.Series(values[known]).rank("average").to_numpy() for values in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
