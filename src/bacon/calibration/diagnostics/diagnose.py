"""From a calibration to its diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.answers import Answers, answers_of
from bacon.calibration.diagnostics.curve import LEAST, Curve, calibration_curve, class_curve
from bacon.calibration.diagnostics.driver_tests import driver_tests
from bacon.calibration.diagnostics.drivers import item_drivers, judge_drivers, untested
from bacon.calibration.diagnostics.errors import Errors, disagreement, excess, recalibrated
from bacon.calibration.diagnostics.fits import Fit, adjusted, class_fit, judge_fit, score_fit
from bacon.calibration.diagnostics.gain import Gain, gain_over_labels
from bacon.calibration.diagnostics.observations import Observations, labelled_observations
from bacon.calibration.diagnostics.report import Diagnostics
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate

__all__ = ["diagnose", "gain_between", "gain_of"]


def diagnose(cal: Calibration, gain: Gain | None, *, level: float) -> Diagnostics:
    """Return how far the model and the judges of a calibration can be trusted.

    Parameters
    ----------
    cal : Calibration
        The calibration.
    gain : Gain or None
        What the judges gain over the labels alone, None to leave it out.
    level : float
        Level of the intervals.
    """
    rows, y = cal.aligned.design.rows, cal.aligned.y
    obs = labelled_observations(cal.pool, cal.aligned)
    answers = tuple(answers_of(judge, rows, obs) for judge in cal.pool.judges)
    f = None if cal.model == "human-only" else predictions_without_folds(cal)
    if cal.levels is None:
        fits, errors = _of_numbers(cal, answers, y, obs, f=f, level=level)
    else:
        fits, errors = _of_words(cal, answers, y, obs, f=f, level=level)
    curve, no_curve = _curve(cal, y, f, obs, level)
    shared = item_drivers(cal.pool, rows)
    own = {judge.name: judge_drivers(judge, rows) for judge in cal.pool.judges}
    pairs = [(one, shared if one.of_model else shared + own[one.name]) for one in errors]
    return Diagnostics(
        n_labels=cal.n_labels,
        level=level,
        gain=gain,
        fits=adjusted(fits),
        curve=curve,
        no_curve=no_curve,
        drivers=driver_tests(pairs, level=level, rng=stream(cal.seed, "sign flips")),
        untested=untested(cal.pool, shared),
        backend=cal.pool.backend,
    )


def gain_of(cal: Calibration, name: str, *, level: float, target: Target) -> Gain:
    """Return what the judges of a calibration gain for an estimand by name."""
    if name == "shares":
        ours, theirs = cal.shares(), cal.shares(labels_alone=True)
        estimates, alone = list(ours.values()), list(theirs.values())
    else:
        estimates = [cal.estimate(name, raters="these")]
        alone = [cal.estimate(name, labels_alone=True, raters="these")]
    return gain_between(cal, estimates, alone, name=name, level=level, target=target)


def gain_between(
    cal: Calibration,
    estimates: Sequence[Estimate],
    alone: Sequence[Estimate],
    *,
    name: str,
    level: float,
    target: Target,
) -> Gain:
    """Return what the judges gain, from the estimates with them and without."""
    if cal.model == "human-only":
        return Gain(name, target, cal.n_labels, "none")
    return gain_over_labels(estimates, alone, name=name, target=target, level=level)


def predictions_without_folds(cal: Calibration) -> FloatArray:
    """Return out-of-fold predictions (m, ...) of labelled items as if all models had one mean.

    A model fitted without a fold of high labels predicts a little low for that very fold, by
    as much as the mean of its training labels is low. That is taken off, or else predictions
    that hardly vary would run against the labels.
    """
    rows, y = cal.aligned.design.rows, cal.aligned.y
    predictions = cal.fitted.predictions
    fold, f = predictions.fold[rows], predictions.mean[rows]
    values = y
    if cal.levels is not None:
        values = (y[:, np.newaxis] == np.arange(len(cal.levels))).astype(np.float64)
    shift = np.zeros_like(f)
    for k in np.unique(fold[fold >= 0]):
        shift[fold == k] = values.mean(axis=0) - values[fold != k].mean(axis=0)
    moved = f + shift
    # Chances stay chances.
    return np.asarray(moved if cal.levels is None else np.clip(moved, 0.0, 1.0), dtype=np.float64)


def _of_numbers(
    cal: Calibration,
    answers: tuple[Answers, ...],
    y: FloatArray,
    obs: Observations,
    *,
    f: FloatArray | None,
    level: float,
) -> tuple[list[Fit], list[Errors]]:
    """Return fits and errors where labels are numbers."""
    rows = cal.aligned.design.rows
    fits, errors = [], []
    if f is not None:
        name = f"{cal.model}, out of fold"
        fits.append(score_fit(Fit(name, "model", 0), y, cal.f[rows], obs, level))
        errors.append(excess(name, y, f, obs, of_model=True))
    if cal.raw.score is not None:
        average = Fit("raw judge average", "average", 0)
        fits.append(score_fit(average, y, cal.raw.score[rows], obs, level))
    for one in answers:
        on_scale = one.name in cal.raw.used
        fits.append(judge_fit(one, y, on_scale=on_scale, level=level))
        # A judge who runs against people counts in another direction, whatever its range.
        if on_scale and one.score is not None and fits[-1].spearman.value > 0.0:
            score = np.full(len(y), np.nan)
            score[one.known] = one.score
            errors.append(excess(one.name, y, score, obs))
        elif one.known.any():
            errors.append(recalibrated(one, y))
    return fits, errors


def _of_words(
    cal: Calibration,
    answers: tuple[Answers, ...],
    y: FloatArray,
    obs: Observations,
    *,
    f: FloatArray | None,
    level: float,
) -> tuple[list[Fit], list[Errors]]:
    """Return fits and errors where labels are words."""
    classes = cal.levels or ()
    fits, errors = [], []
    if f is not None:
        likeliest = (f.argmax(axis=1)[:, np.newaxis] == np.arange(len(classes))).astype(np.float64)
        name = f"{cal.model}, out of fold"
        model = Answers(name, np.ones(len(y), dtype=bool), None, likeliest, classes, obs)
        fits.append(class_fit(model, y, classes, level, kind="model"))
        errors.append(disagreement(model, y, classes, of_model=True))
    for one in answers:
        fits.append(class_fit(one, y, classes, level))
        if one.shares is not None and one.known.any():
            errors.append(disagreement(one, y, classes))
    return fits, errors


def _curve(
    cal: Calibration, y: FloatArray, f: FloatArray | None, obs: Observations, level: float
) -> tuple[Curve | None, str | None]:
    """Return the calibration curve, or why there is none."""
    if f is None:
        return None, "no model is fitted"
    if len(y) < LEAST:
        return None, f"{len(y)} labels are too few, {LEAST} make one"
    if cal.levels is not None:
        curve = class_curve(y, f, obs, level=level)
    else:
        ends = cal.scale or (float(y.min()), float(y.max()))
        curve = calibration_curve(y, f, obs, ends=ends, level=level)
    return curve, None if curve is not None else "all predictions, or all labels, are alike"
