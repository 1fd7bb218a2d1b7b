"""How well the model, the judges' average and each judge alone follow the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.association import score_test
from bacon.calibration.diagnostics.controls import Controls
from bacon.calibration.diagnostics.measures import (
    UNKNOWN,
    Measure,
    agreement_measures,
    r2_measure,
    rmse_measure,
    spearman_measure,
)
from bacon.calibration.diagnostics.together import holm
from bacon.calibration.ranks import mid_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.calibration.diagnostics.answers import Answers
    from bacon.calibration.diagnostics.observations import Observations

__all__ = ["Fit", "adjusted", "class_fit", "judge_fit", "score_fit"]

LEAST = 5
"""Labels from which a judge is recalibrated on its own."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well one source of scores follows the labels.

    Parameters
    ----------
    name : str
        The model, the judges' average, or a judge.
    kind : str
        model, average, judge or text judge.
    n : int
        Labelled items with a score.
    on_scale : bool
        Whether its raw scores are on the labels' scale, so that `r2` and `rmse` say something.
    r2, rmse : Measure
        Of the scores as they are; of the model, out of fold.
    spearman : Measure
        Rank correlation with the labels.
    r2_recalibrated, rmse_recalibrated : Measure
        Of labels predicted from this judge alone by a straight line (by the mean of its class
        for a text judge) that did not see the item: what is left when its bias is taken off.
    agreement, kappa : Measure
        Where labels are words: share of answers that are the people's class, and Cohen's kappa.
    p, p_adjusted : float
        p-value of a judge that does not follow the labels, alone and over all judges together
        (Holm); NaN where it was not tested.
    """

    name: str
    kind: str
    n: int
    on_scale: bool = False
    r2: Measure = UNKNOWN
    rmse: Measure = UNKNOWN
    spearman: Measure = UNKNOWN
    r2_recalibrated: Measure = UNKNOWN
    rmse_recalibrated: Measure = UNKNOWN
    agreement: Measure = UNKNOWN
    kappa: Measure = UNKNOWN
    p: float = math.nan
    p_adjusted: float = math.nan


def score_fit(fit: Fit, y: FloatArray, score: FloatArray, obs: Observations, level: float) -> Fit:
    """Complete `fit` by how scores (m,) on the labels' scale follow labels `y` (m,)."""
    known = ~np.isnan(score)
    if not known.any():
        return replace(fit, n=0)
    y, score, obs = y[known], score[known], obs.where(known)
    return replace(
        fit,
        n=len(y),
        on_scale=True,
        r2=r2_measure(y, score, obs, level),
        rmse=rmse_measure(y, score, obs, level),
        spearman=spearman_measure(y, score, obs, level),
    )


def judge_fit(answers: Answers, y: FloatArray, *, on_scale: bool, level: float) -> Fit:
    """Return how a judge follows numeric labels `y` (m,)."""
    y, obs = y[answers.known], answers.obs
    fit = Fit(answers.name, "judge" if answers.shares is None else "text judge", len(y))
    if len(y) == 0:
        return fit
    if answers.score is not None and on_scale:
        fit = score_fit(fit, y, answers.score, obs, level)
    elif answers.score is not None:
        fit = replace(fit, spearman=spearman_measure(y, answers.score, obs, level))
    controls = Controls.of(answers.columns, answers.obs)
    if len(y) < LEAST or controls.basis.shape[1] < 2:
        return fit
    predicted = controls.left_out(y)
    return replace(
        fit,
        r2_recalibrated=r2_measure(y, predicted, obs, level),
        rmse_recalibrated=rmse_measure(y, predicted, obs, level),
        p=_follows(answers, y),
    )


def _follows(answers: Answers, y: FloatArray) -> float:
    """Return the p-value of labels that do not go with a judge's answers, by the labels' ranks."""
    obs = answers.obs
    mean = Controls.constant(obs)
    answered = answers.shares
    if answers.score is not None:
        answered = mid_ranks(answers.score, obs.weights)[:, np.newaxis]
    if answered is None or np.ptp(y) == 0.0:
        return math.nan
    test = score_test(mid_ranks(y, obs.weights), mean.residuals(answered), obs)
    return math.nan if test is None else test.p


def class_fit(
    answers: Answers,
    y: FloatArray,
    classes: tuple[str, ...],
    level: float,
    *,
    kind: str | None = None,
) -> Fit:
    """Return how often a text judge gives the class `y` (m,) of the people, by its position."""
    given, obs = y[answers.known], answers.obs
    kind = kind or ("judge" if answers.shares is None else "text judge")
    fit = Fit(answers.name, kind, len(given))
    if answers.shares is None or len(given) == 0:
        return fit
    people = (given[:, np.newaxis] == np.arange(len(classes))).astype(np.float64)
    agreement, kappa = agreement_measures(people, answers.shares_of(classes), obs, level)
    mean = Controls.constant(obs)
    by_class = [
        score_test(mean.residuals(people[:, c]), mean.residuals(answers.shares), obs)
        for c in range(len(classes))
    ]
    known = [test.p for test in by_class if test is not None]
    # Whether any class goes with the answers: Bonferroni over the classes.
    p = min(1.0, len(known) * min(known)) if known else math.nan
    return replace(fit, agreement=agreement, kappa=kappa, p=p)


def adjusted(fits: Sequence[Fit]) -> tuple[Fit, ...]:
    """Return the fits with the p-values of all judges adjusted together."""
    judges = ("judge", "text judge")
    p = np.array([fit.p if fit.kind in judges else math.nan for fit in fits], dtype=np.float64)
    return tuple(
        replace(fit, p_adjusted=float(one)) for fit, one in zip(fits, holm(p), strict=True)
    )
