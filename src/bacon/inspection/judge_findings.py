"""Each judge against the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.ranks import spearman
from bacon.calibration.raw_judges import raw_judges
from bacon.features.feature_map import run_mean

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["JudgeFinding", "judge_findings"]

LEAST_FOR_JUDGES = 10
"""Labels from which a judge is compared with them."""

LEAST_FOR_LENGTH = 20

SURE = 0.01
"""Largest p-value, over all judges together, at which a judge's error is said to go with length."""


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


def judge_findings(
    pool: Pool,
    y: FloatArray,
    words: tuple[str, ...] | None,
    rows: IntArray,
    length: FloatArray | None,
) -> tuple[JudgeFinding, ...]:
    """Return each judge against the labels.

    Parameters
    ----------
    pool : Pool
        The items.
    y : (N,) float64
        Labels, NaN where there is none; positions in `words` if they are words.
    words : tuple of str or None
        The classes of labels in words.
    rows : (n,) int64
        The labelled rows.
    length : (N,) float64 or None
        Length of the items, NaN where there is none.
    """
    found = [_alone(judge) for judge in pool.judges]
    if len(rows) < LEAST_FOR_JUDGES:
        return tuple(found)
    if words is not None:
        return tuple(
            replace(one, agreement=_agreement(judge, y, words)) if judge.is_text else one
            for one, judge in zip(found, pool.judges, strict=True)
        )
    on_scale = raw_judges(pool, rows, y[rows], None).used
    n_tested = 0 if length is None else len(on_scale)
    apart = np.full(len(rows), np.nan) if length is None else length[rows]
    for k, judge in enumerate(pool.judges):
        if judge.is_text:
            continue
        score = run_mean(judge)[rows]
        found[k] = replace(found[k], spearman=spearman(score, y[rows]))
        # A judge who runs against people counts in another direction, whatever its range.
        if judge.name in on_scale and found[k].spearman > 0.0:
            found[k] = _with_error(found[k], score - y[rows], apart, n_tested)
    return tuple(found)


def _alone(judge: Judge) -> JudgeFinding:
    """Return what a judge's scores look like without labels."""
    low, high = math.nan, math.nan
    if not judge.is_text:
        low, high = float(np.nanmin(judge.scores)), float(np.nanmax(judge.scores))
    n_missing = int(np.isnan(judge.scores).sum())
    classes = judge.levels or ()
    n_runs, n_scores = len(judge.runs), judge.scores.size
    return JudgeFinding(judge.name, n_runs, classes, n_missing, n_scores, low, high)


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


def _with_error(
    judge: JudgeFinding, error: FloatArray, length: FloatArray, n_tested: int
) -> JudgeFinding:
    """Complete a judge on the labels' scale by its error, and by how that goes with length.

    Parameters
    ----------
    judge : JudgeFinding
        The judge.
    error : (n,) float64
        Score minus label, NaN where there is no score.
    length : (n,) float64
        Length of the items, NaN where there is none.
    n_tested : int
        Number of judges tested, for the Bonferroni adjustment; 0 to test none.
    """
    known = error[~np.isnan(error)]
    if len(known) < 2:
        return judge
    se = float(known.std(ddof=1) / math.sqrt(len(known)))
    judge = replace(judge, excess=float(known.mean()), excess_se=se)
    both = ~(np.isnan(error) | np.isnan(length))
    if n_tested == 0 or both.sum() < LEAST_FOR_LENGTH:
        return judge
    error, length = error[both], length[both]
    correlation = spearman(error, length)
    if math.isnan(correlation) or _p_value(correlation, len(error)) * n_tested >= SURE:
        return judge
    short, long = np.quantile(length, (1 / 3, 2 / 3))
    gap = float(error[length >= long].mean() - error[length <= short].mean())
    return replace(judge, length_correlation=correlation, length_gap=gap)


def _p_value(correlation: float, n: int) -> float:
    """Return the two-sided p-value of a rank correlation of n pairs.

    By Student's t with n - 2 degrees of freedom, t = r sqrt((n - 2) / (1 - r^2)).
    """
    from scipy import special

    if abs(correlation) >= 1.0:
        return 0.0
    t = abs(correlation) * math.sqrt((n - 2) / (1.0 - correlation**2))
    return 2.0 * float(special.stdtr(n - 2, -t))
