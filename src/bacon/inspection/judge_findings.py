"""Each judge against the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.driver_tests import driver_tests
from bacon.calibration.diagnostics.drivers import Driver
from bacon.calibration.diagnostics.errors import excess
from bacon.calibration.diagnostics.observations import Observations
from bacon.calibration.ranks import spearman
from bacon.calibration.raw_judges import raw_judges
from bacon.judge_scores import numeric_judges
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.diagnostics.driver_tests import DriverTest
    from bacon.calibration.diagnostics.errors import Errors
    from bacon.data.pool import Judge, Pool

__all__ = ["JudgeFinding", "judge_findings"]

LEAST_FOR_JUDGES = 10
"""Labels from which a judge is compared with them."""

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
    length_change, length_step : float
        Change of its mean excess per step of length, where sure, and the step.
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
    length_change: float = math.nan
    length_step: float = math.nan


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
    obs = _observations(pool, rows)
    errors: dict[str, Errors] = {}
    scores = dict(numeric_judges(pool))
    for k, judge in enumerate(pool.judges):
        if judge.is_text:
            continue
        score = scores[judge.name][rows]
        found[k] = replace(found[k], spearman=spearman(score, y[rows]))
        # A judge who runs against people counts in another direction, whatever its range.
        if judge.name in on_scale and found[k].spearman > 0.0:
            errors[judge.name] = excess(judge.name, y[rows], score, obs)
            found[k] = _with_excess(found[k], errors[judge.name].values)
    if length is None:
        return tuple(found)
    driver = Driver("length", "length", "length", length[rows])
    pairs = [(one, (driver,)) for one in errors.values()]
    tests = driver_tests(pairs, level=0.95, rng=stream(0, "sign flips"))
    sure = {test.judge: test for test in tests if test.p_adjusted <= SURE}
    return tuple(_with_length(one, sure.get(one.name)) for one in found)


def _observations(pool: Pool, rows: IntArray) -> Observations:
    """Return the labelled rows with their weights, items of a cluster together."""
    weights = np.ones(len(rows)) if pool.pi is None else 1.0 / pool.pi[rows]
    unit = np.arange(len(rows)) if pool.cluster is None else pool.cluster.codes[rows]
    return Observations(weights, unit)


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


def _with_excess(judge: JudgeFinding, error: FloatArray) -> JudgeFinding:
    """Complete a judge on the labels' scale by its mean error (k,): score minus label."""
    if len(error) < 2:
        return judge
    se = float(error.std(ddof=1) / math.sqrt(len(error)))
    return replace(judge, excess=float(error.mean()), excess_se=se)


def _with_length(judge: JudgeFinding, test: DriverTest | None) -> JudgeFinding:
    """Complete a judge whose error goes with length."""
    if test is None:
        return judge
    return replace(
        judge,
        length_correlation=test.rank_correlation,
        length_change=test.slope.value * test.step,
        length_step=test.step,
    )
