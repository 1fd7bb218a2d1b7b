"""Whether judges score later items otherwise than at the calibration: no labels needed.

Each judge's shares of scores up to a few cuts (of each answer in words), and its share of
missing scores, are held against those of the calibration's pool:

    z = (p_new - p_old) / sqrt(p (1 - p) (1/m_new + 1/m_old)),

p the share of both together and m the independent items each is worth. The p value of a judge
is the least of its shares times their number, and that times the number of judges (Bonferroni).
In the k-th pool that is looked at a drift needs an adjusted p value below alpha/(k (k + 1)), so
that all pools together keep alpha, and a difference that matters: `SCORES_MOVE` of the share of
scores, or `MISSING_MOVES` of missing ones. In a large pool anything is significant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.calibration.judge_summary import judge_shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.arrays import IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["MISSING_MOVES", "SCORES_MOVE", "JudgeScores", "compare_judges", "drift_bound"]

SCORES_MOVE = 0.1
"""Difference of a share of scores that matters: what 0.25 SD do to a normal score."""

MISSING_MOVES = 0.05
"""Difference of the share of missing scores that matters."""


@dataclass(frozen=True)
class JudgeScores:
    """How one judge's scores differ from those at the calibration.

    Parameters
    ----------
    name : str
        The judge.
    move : float
        Largest difference of a share of scores, new less old.
    where : str
        Which scores: "at most 3", or the answer in words.
    old, new : float
        That share.
    p : float
        p value of the scores, adjusted for all judges.
    missing_old, missing_new : float
        Shares of missing scores.
    p_missing : float
        Its p value, adjusted likewise.
    drifts : bool
        Whether the scores differ significantly and by enough to matter.
    missing_drifts : bool
        Whether the share of missing scores does.
    """

    name: str
    move: float
    where: str
    old: float
    new: float
    p: float
    missing_old: float
    missing_new: float
    p_missing: float
    drifts: bool
    missing_drifts: bool


def drift_bound(alpha: float, k: int) -> float:
    """Return the adjusted p value that a drift needs in the k-th pool, from 1."""
    return alpha / (k * (k + 1))


def _p_value(old: Sequence[float], new: Sequence[float]) -> float:
    """Return the two-sided p value of two shares, each with its effective number of items."""
    (p_old, m_old), (p_new, m_new) = old, new
    if not (m_old > 0.0 and m_new > 0.0):
        return 1.0
    p = (p_old * m_old + p_new * m_new) / (m_old + m_new)
    variance = p * (1.0 - p) * (1.0 / m_old + 1.0 / m_new)
    if variance <= 0.0:
        return 1.0
    return math.erfc(abs(p_new - p_old) / math.sqrt(2.0 * variance))


def _compare(
    judge: Judge, unit: IntArray | None, old: Mapping[str, Any], *, claims: int, bound: float
) -> JudgeScores:
    """Return how one judge's scores differ; `claims` judges are looked at."""
    shares, missing = judge_shares(judge, unit, old)
    words = [f"at most {cut:g}" for cut in old.get("cuts", ())] + list(old.get("answers", ()))
    before = [tuple(pair) for pair in old["shares"]]
    tried = len(before) + 1
    p = min((_p_value(*pair) for pair in zip(before, shares, strict=True)), default=1.0)
    adjusted = min(1.0, p * tried * claims)
    gone = min(1.0, _p_value(old["missing"], missing) * tried * claims)
    moves = [
        new[0] - was[0] if new[1] > 0.0 else 0.0 for was, new in zip(before, shares, strict=True)
    ]
    k = max(range(len(moves)), key=lambda j: abs(moves[j]), default=None)
    move = 0.0 if k is None else moves[k]
    return JudgeScores(
        name=judge.name,
        move=move,
        where="" if k is None else words[k],
        old=math.nan if k is None else before[k][0],
        new=math.nan if k is None else shares[k][0],
        p=adjusted,
        missing_old=old["missing"][0],
        missing_new=missing[0],
        p_missing=gone,
        drifts=adjusted < bound and abs(move) >= SCORES_MOVE,
        missing_drifts=gone < bound and abs(missing[0] - old["missing"][0]) >= MISSING_MOVES,
    )


def compare_judges(
    pool: Pool, summaries: Sequence[Mapping[str, Any]], *, bound: float
) -> tuple[tuple[JudgeScores, ...], tuple[str, ...]]:
    """Return how each judge's scores differ from the calibration's, and who cannot be compared.

    Parameters
    ----------
    pool : Pool
        Later items.
    summaries : sequence of mapping
        What the calibration kept of its judges.
    bound : float
        Adjusted p value that a drift needs.

    Returns
    -------
    compared : tuple of JudgeScores
    left_out : tuple of str
        Judges that the pool lacks, or that answer in words here and in numbers there.
    """
    unit = None if pool.cluster is None else pool.cluster.codes
    there = {judge.name: judge for judge in pool.judges}
    alike = [
        one
        for one in summaries
        if one["name"] in there and ("answers" in one) == there[one["name"]].is_text
    ]
    compared = tuple(
        _compare(there[one["name"]], unit, one, claims=len(alike), bound=bound) for one in alike
    )
    names = {one["name"] for one in alike}
    return compared, tuple(one["name"] for one in summaries if one["name"] not in names)
