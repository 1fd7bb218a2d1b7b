"""Each judge in a few numbers: how it scores, and what its score alone says of the label.

Shares of scores up to a few cuts (or of each answer in words) describe a judge without labels.
An item counts the share of its runs, and a share p over N items with variance V (between
clusters, where items share them) is worth p (1 - p) / V independent items.

With labels, a judge has a line of its own from score to label, by least squares with weights
1/pi (for answers in words the mean label of each): its errors tell which judge went wrong.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.error_summary import error_summary
from bacon.judge_scores import mean_of_present

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["expected_label", "judge_shares", "judge_summary", "share_of", "versions_of"]

FEW_VALUES = 20
"""Judges with at most so many different scores are described value by value."""

DECILES = np.arange(1, 10) / 10.0

LEAST_LABELS = 10
"""Labels with a score below which a judge has no line of its own."""

VERSION_KINDS = ("model", "prompt", "version")
"""Columns ``<judge>__<kind>`` that say what a judge was."""

MOST_VERSIONS = 20


def share_of(values: FloatArray, unit: IntArray | None) -> tuple[float, float]:
    """Return the mean of values in [0, 1] and how many independent items it is worth.

    Parameters
    ----------
    values : (N,) float64
        Values, NaN where unknown.
    unit : (N,) int64 or None
        What items share.

    Examples
    --------
    >>> share, effective = share_of(np.array([0.0, 1.0, 1.0, np.nan]), None)
    >>> round(share, 3), round(effective, 3)
    (0.667, 2.0)
    """
    known = ~np.isnan(values)
    present = values[known]
    n = len(present)
    if n == 0:
        return math.nan, 0.0
    p = float(present.mean())
    totals = present - p
    if unit is not None:
        shared = unit[known]
        sums = np.bincount(shared, weights=totals)
        totals = np.asarray(sums[np.unique(shared)], dtype=np.float64)
    c = len(totals)
    variance = float(totals @ totals) / n**2 * c / (c - 1) if c > 1 else 0.0
    if variance <= 0.0:
        return p, float(c)
    return p, p * (1.0 - p) / variance


def _cuts(scores: FloatArray) -> list[float]:
    """Return the cuts up to which shares of scores are kept, below the largest score."""
    present = scores[~np.isnan(scores)]
    values = np.unique(present).tolist()
    if len(values) <= FEW_VALUES:
        return list(map(float, values[:-1]))
    deciles = np.unique(np.quantile(present, DECILES, method="inverted_cdf")).tolist()
    return [float(cut) for cut in deciles if cut < values[-1]]


def judge_shares(
    judge: Judge, unit: IntArray | None, summary: Mapping[str, Any]
) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Return the shares of a judge's scores that a summary asks for, and the share missing.

    Parameters
    ----------
    judge : Judge
        The judge, in the same pool or a later one.
    unit : (N,) int64 or None
        What items share.
    summary : mapping
        With the cuts of a numeric judge or the answers of one in words.

    Returns
    -------
    shares : list of (share, effective items)
        Of scores up to each cut, or of each answer.
    missing : (share, effective items)
    """
    scores = judge.scores
    gone = np.isnan(scores)
    if judge.levels is None:
        hits = [scores <= cut for cut in summary["cuts"]]
    else:
        place = {word: code for code, word in enumerate(judge.levels)}
        hits = [scores == place.get(word, -1) for word in summary["answers"]]
    shares = [share_of(mean_of_present(np.where(gone, np.nan, hit)), unit) for hit in hits]
    return shares, share_of(gone.mean(axis=1), unit)


def judge_summary(
    judge: Judge,
    unit: IntArray | None,
    rows: IntArray,
    y: FloatArray,
    weights: FloatArray,
) -> dict[str, Any]:
    """Return a judge's summary as plain values.

    Parameters
    ----------
    judge : Judge
        The judge.
    unit : (N,) int64 or None
        What items share.
    rows : (n,) int64
        Labelled rows, with labels `y` (n,) and `weights` (n,).

    Returns
    -------
    dict
        name, runs, cuts or answers, shares, missing, and alone: the line from the judge's score
        to the label with its error, None where too few labels have a score.
    """
    about: dict[str, Any] = {"name": judge.name, "runs": len(judge.runs)}
    if judge.levels is None:
        about["cuts"] = _cuts(judge.scores)
    else:
        about["answers"] = list(judge.levels)
    shares, missing = judge_shares(judge, unit, about)
    about["shares"] = [list(pair) for pair in shares]
    about["missing"] = list(missing)
    about["alone"] = _alone(judge, unit, rows, y, weights)
    return about


def _alone(
    judge: Judge,
    unit: IntArray | None,
    rows: IntArray,
    y: FloatArray,
    weights: FloatArray,
) -> dict[str, Any] | None:
    """Return a judge's own line and the errors about it."""
    seen = ~np.isnan(judge.scores[rows]).all(axis=1)
    if int(seen.sum()) < LEAST_LABELS:
        return None
    w, labels, scores = weights[seen], y[seen], judge.scores[rows][seen]
    found = _line(scores, labels, w) if judge.levels is None else _means(judge, scores, labels, w)
    expected = expected_label(judge.levels, scores, found)
    shared = None if unit is None else unit[rows][seen]
    error = error_summary(labels - expected, w, shared)
    if error is None or not all(math.isfinite(value) for value in error.values()):
        return None
    return {**found, "error": error}


def _line(scores: FloatArray, y: FloatArray, w: FloatArray) -> dict[str, float]:
    """Return centre, level and slope of the weighted least-squares line from score to label."""
    score = mean_of_present(scores)
    share = w / w.sum()
    centre, level = float(share @ score), float(share @ y)
    away = score - centre
    spread = float(share @ away**2)
    flat = spread <= 1e-24 * max(1.0, float(np.abs(score).max())) ** 2
    slope = 0.0 if flat else float(share @ (away * (y - level))) / spread
    return {"centre": centre, "level": level, "slope": slope}


def _means(judge: Judge, scores: FloatArray, y: FloatArray, w: FloatArray) -> dict[str, Any]:
    """Return the mean label of each answer; the mean of all for answers without a label."""
    level = float(w @ y / w.sum())
    labels = {}
    for code, word in enumerate(judge.levels or ()):
        mine = w * np.isin(scores, code).mean(axis=1)
        labels[word] = float(mine @ y / mine.sum()) if mine.sum() > 0.0 else level
    return {"level": level, "labels": labels}


def expected_label(
    levels: tuple[str, ...] | None, scores: FloatArray, alone: Mapping[str, Any]
) -> FloatArray:
    """Return what a judge's score alone says of the label (n,), NaN where it is missing.

    Parameters
    ----------
    levels : tuple of str or None
        Answers of a judge in words, whose positions `scores` holds.
    scores : (n, R) float64
        Scores of some items.
    alone : mapping
        The judge's line or mean labels.
    """
    if levels is None:
        away = mean_of_present(scores) - alone["centre"]
        return np.asarray(alone["level"] + alone["slope"] * away)
    known = [alone["labels"].get(word, alone["level"]) for word in levels]
    gone = np.isnan(scores)
    codes = np.where(gone, 0, scores).astype(np.int64)
    return mean_of_present(np.where(gone, np.nan, np.array(known)[codes]))


def versions_of(pool: Pool) -> dict[str, dict[str, list[str]]]:
    """Return the models, prompts and versions that columns beside the judges name.

    Returns
    -------
    dict
        For each judge by kind (model, prompt, version) the sorted different values; kinds that
        no column names are left out.
    """
    import polars as pl

    found: dict[str, dict[str, list[str]]] = {}
    for judge in pool.judges:
        kinds = {}
        for kind in VERSION_KINDS:
            names = [f"{name}__{kind}" for name in dict.fromkeys((judge.name, *judge.runs))]
            there = [pool.table[name] for name in names if name in pool.table.columns]
            plain = [one.cast(pl.String) for one in there if not one.dtype.is_nested()]
            values = {value for one in plain for value in one.unique().drop_nulls().to_list()}
            if values:
                kinds[kind] = sorted(values)[:MOST_VERSIONS]
        found[judge.name] = kinds
    return found
