"""Whether the labelled items look like a random draw on the judges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.estimation.augmented import weighted_mean
from bacon.estimation.intervals import t_quantile
from bacon.estimation.sandwich import degrees_of_freedom, pool_variance
from bacon.features.columns import length_name, text_lengths
from bacon.judge_scores import numeric_judges

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.pool import Pool
    from bacon.data.survey_design import SurveyDesign

__all__ = ["columns_following_labels", "describe_difference", "randomness_notice"]

LEVEL = 0.999
"""Level of the randomisation bound, over all judges together (Bonferroni)."""


def randomness_notice(
    pool: Pool, design: SurveyDesign, stratum: IntArray | None = None
) -> tuple[Notice, ...]:
    """Tell when labelled items differ from the pool on a judge by more than a draw would make.

    Each judge's mean rank over labelled items is compared with that over the pool; the bound
    holds at level 0.999 over all judges together (Bonferroni). Ranks, because the spread of a
    skewed judge would hide that items of its commonest scores were picked. Missing scores
    count as the middle rank. `stratum` (N,) has the stratum of every item under a stratified
    draw.
    """
    judges = numeric_judges(pool)
    if design.n_labels in (1, design.n_items) or not judges:
        return ()
    level = 1.0 - (1.0 - LEVEL) / len(judges)
    worst: list[tuple[float, str]] = []
    for name, score in judges:
        rank = _centred_ranks(score)
        shift = weighted_mean(rank[design.rows], 1.0 / design.pi)
        bound = _bound(rank, shift, design, stratum, level=level)
        if abs(shift) > bound > 0.0:
            gap = np.where(np.isnan(score), 0.0, score - np.nanmean(score))[design.rows]
            by = weighted_mean(gap, 1.0 / design.pi)
            worst.append((abs(shift) / bound, f"{name} by {by:+.3g}"))
    if not worst:
        return ()
    worst.sort(reverse=True)
    names = ", ".join(text for _, text in worst[:3])
    return (
        Notice(
            "labels_not_random",
            f"The labelled rows differ from the pool more than a random draw would: on {names}"
            f"{f' and {len(worst) - 3} more judges' if len(worst) > 3 else ''}. If they were not "
            "drawn at random, the interval does not hold.",
        ),
    )


def columns_following_labels(
    pool: Pool, design: SurveyDesign, stratum: IntArray | None = None
) -> tuple[str, ...]:
    """Return names of what is missing where labels are, or are not, beyond chance.

    Judges, features, columns of a judge's uncertainty, and the length of the text.

    A score that was made only for labelled items, or more often for them, tells a model which
    items were labelled, and no cross-fit is valid with it. The share missing among labelled
    items is held against the pool's, by the bound of :func:`randomness_notice`.
    """
    candidates: list[tuple[str, BoolArray]] = [
        *((one.name, np.asarray(np.isnan(one.scores).any(axis=1))) for one in pool.judges),
        *(
            (f"{judge.name}__{one.kind}", np.asarray(np.isnan(one.values).any(axis=1)))
            for judge in pool.judges
            for one in judge.uncertainty
        ),
        *((name, np.isnan(pool.features[:, k])) for k, name in enumerate(pool.feature_names)),
    ]
    if pool.text is not None:
        candidates.append((length_name(pool.text), np.isnan(text_lengths(pool, pool.text))))
    partial = [(name, gone.astype(np.float64)) for name, gone in candidates if gone.any()]
    if design.n_labels in (1, design.n_items):
        return ()
    level = 1.0 - (1.0 - LEVEL) / max(len(partial), 1)
    found = []
    for name, gone in partial:
        centred = gone - float(np.mean(gone))
        shift = weighted_mean(centred[design.rows], 1.0 / design.pi)
        only_labelled = (
            design.n_labels >= pool.n_items - gone.sum() and gone[design.rows].sum() == 0
        )
        if only_labelled or abs(shift) > _bound(centred, shift, design, stratum, level=level) > 0.0:
            found.append(name)
    return tuple(found)


def _centred_ranks(score: FloatArray) -> FloatArray:
    """Return ranks (N,) with mean 0, equal scores sharing theirs, 0 where missing."""
    import polars as pl

    rank = pl.Series(score).fill_nan(None).rank("average").to_numpy()
    return np.where(np.isnan(rank), 0.0, rank - np.nanmean(rank))


def _bound(
    rank: FloatArray,
    shift: float,
    design: SurveyDesign,
    stratum: IntArray | None,
    *,
    level: float,
) -> float:
    """Return what the labelled mean of ranks (N,) exceeds in a random draw with 1 - `level`.

    The larger of Student's bound from the spread of the labelled ranks, and the normal one
    from their spread over the pool (within strata): items picked alike show too little of it.
    """
    shown = pool_variance(rank[design.rows] - shift, design)
    if stratum is not None:
        sizes = np.bincount(stratum)
        rank = rank - (np.bincount(stratum, weights=rank) / np.maximum(sizes, 1))[stratum]
    weights = 1.0 / design.pi
    share = float((design.unseen * weights) @ weights) / float(weights.sum()) ** 2
    known = float(rank.var()) * share
    return max(
        t_quantile(level, degrees_of_freedom(design)) * math.sqrt(shown),
        t_quantile(level, math.inf) * math.sqrt(known),
    )


def describe_difference(pool: Pool, these: IntArray, others: IntArray) -> str:
    """Say on which judge two sets of rows differ most, in the judge's units."""
    best = (0.0, "")
    for name, score in numeric_judges(pool):
        spread = float(np.nanstd(score))
        a, b = score[these], score[others]
        a, b = a[~np.isnan(a)], b[~np.isnan(b)]
        if spread == 0.0 or len(a) == 0 or len(b) == 0:
            continue
        gap = float(a.mean() - b.mean())
        if abs(gap) / spread > best[0]:
            text = f" On {name} they score {gap:+.3g} against the others"
            best = (abs(gap) / spread, f"{text} ({abs(gap) / spread:.2f} SD), the widest gap.")
    return best[1]
