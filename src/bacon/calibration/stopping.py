"""Intervals that hold while labels arrive: when labelling may stop."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.anytime import Anytime
from bacon.calibration.estimand import parse_estimand
from bacon.calibration.estimating import need_numbers
from bacon.calibration.fitting import FOR_EVENTS
from bacon.calibration.outcomes import outcome_kind
from bacon.checks import check_level, is_number
from bacon.data.notice import Notice
from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.estimation.pool_stream import first_interval, pool_sequence, pool_stream, width_ahead
from bacon.outcome.models import fit_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.estimand import Estimand
    from bacon.estimation.pool_stream import PoolStream

__all__ = ["anytime", "check_width"]


def anytime(cal: Calibration, name: str, *, level: float, width: float | None) -> Anytime:
    """Return the intervals of the pool's mean or of a share after each label, in drawn order.

    They hold at all times together with probability `level`, so that labelling may stop when
    one is narrow enough. The model knows, at each label, the ones before it alone.

    Raises
    ------
    InputError
        A width that is none, or an estimand other than a mean or a share.
    DesignError
        The labels came by no draw whose first part is itself a simple random sample.
    TooFewLabelsError
        The first drawn items have no labels.
    """
    check_level(level)
    check_width(width)
    asked = parse_estimand(name, cal.levels)
    _check_estimand(cal, asked)
    rows, values, told = _prefix(cal)
    y = values if asked.kind == "mean" else asked.event(values, cal.levels)
    scale = cal.scale if asked.kind == "mean" else (0.0, 1.0)
    predict = _predictor(cal, asked, rows, y)
    stream = pool_stream(y, rows, cal.pool.n_items, predict)
    # Of the first draw, since how much longer a sheet is made may hang on the labels so far, and
    # intervals hold at all times together only where nothing in them does.
    best_at = (cal.aligned.n_first or cal.aligned.n_drawn) / 2.0
    lower, upper, empty_at = pool_sequence(stream, scale, level=level, best_at=best_at)
    if empty_at is not None:
        told = (*told, _empty_notice(empty_at + 1, level))
    estimates = np.clip(stream.estimates(), np.fmax(lower, -np.inf), np.fmin(upper, np.inf))
    return Anytime(
        name=asked.name,
        level=level,
        width=width,
        method="asymptotic" if scale is None else "betting",
        n_items=cal.pool.n_items,
        n_drawn=cal.aligned.n_drawn,
        estimates=estimates,
        lower=lower,
        upper=upper,
        needed=_needed(stream, upper - lower, width, scale, level=level, best_at=best_at),
        notices=told,
        backend=cal.pool.backend,
    )


def check_width(width: float | None) -> None:
    """Refuse a wanted width that is no positive number."""
    if width is not None and not (is_number(width) and math.isfinite(width) and width > 0.0):
        raise InputError(
            f"the width at which labelling stops must be a number above 0, in the units of the "
            f"labels; got {width!r}."
        )


def _check_estimand(cal: Calibration, asked: Estimand) -> None:
    """Refuse estimands without an anytime interval, and claims about other raters."""
    if asked.kind not in ("mean", "proportion"):
        share = f"proportion:eq:{cal.levels[0]}" if cal.levels is not None else "proportion:ge:4"
        raise InputError(
            f"intervals that hold while labels arrive exist for the mean and for the share of an "
            f"event, not for {asked.name}; ask for mean or for a share, such as {share}."
        )
    if asked.kind == "mean":
        need_numbers(cal, asked.name)
    if cal.raters == "like-them":
        raise InputError(
            "intervals that hold while labels arrive are for these raters; leave out "
            '--raters like-them (raters="like-them").'
        )


def _prefix(cal: Calibration) -> tuple[IntArray, FloatArray, tuple[Notice, ...]]:
    """Return rows and labels of the longest answered first part of the draw, in its order."""
    aligned = cal.aligned
    if aligned.order is None:
        raise DesignError(
            f"stopping needs the order in which items were drawn at random, and these labels "
            f"came {_how(cal)}; draw with bacon.UniformDesign (bacon sample -n N) and give "
            "the sheet with --sample (sample=...)."
        )
    label = np.full(cal.pool.n_items, np.nan)
    label[aligned.design.rows] = aligned.y
    values = label[aligned.order]
    gaps = np.isnan(values)
    n = int(np.argmax(gaps)) if gaps.any() else len(values)
    if n < 2:
        raise TooFewLabelsError(
            f"only the first answered part of the sheet counts, and item {n + 1} in drawn order "
            "has no label; label the sheet from the top."
        )
    later = aligned.design.n_labels - n
    told: tuple[Notice, ...] = ()
    if later > 0:
        told = (
            Notice(
                "labels_after_gap",
                f"Item {n + 1} of the sheet has no label, so the {later:,} labels after it do not "
                "count for stopping yet; fill the gap.",
            ),
        )
    return aligned.order[:n], values[:n], told


def _how(cal: Calibration) -> str:
    """Say how labels without a drawn order came by."""
    if cal.aligned.assumed or cal.aligned.kind == "simple":
        return "without a sheet"
    return f"by a {cal.aligned.kind} draw"


def _predictor(
    cal: Calibration, asked: Estimand, rows: IntArray, y: FloatArray
) -> Callable[[int], FloatArray] | None:
    """Return predict(k): the predictions (N,) of a model fitted to the first k labels alone."""
    fitter = cal.fitter
    if fitter.model == "human-only":
        return None
    rank = cal.pool.rank
    is_event = asked.kind == "proportion"
    model: Any = "logistic" if is_event and fitter.model in FOR_EVENTS else fitter.model

    def predict(k: int) -> FloatArray:
        order = np.argsort(rank[rows[:k]])
        used, values = rows[:k][order], y[:k][order]
        if is_event:
            task = replace(fitter.task, kind="binary", scale=(0.0, 1.0))
        elif cal.kind.reason == "as stated":
            task = fitter.task
        else:
            # What kind of outcome it is must not be read off labels still to come.
            task = replace(fitter.task, kind=outcome_kind(values, None, "auto", cal.scale).kind)
        return np.asarray(fit_named(model, fitter.x[used], values, task).predict(fitter.x))

    return predict


def _empty_notice(at: int, level: float) -> Notice:
    """Tell that the intervals contradict each other."""
    return Notice(
        "anytime_contradiction",
        f"From label {at:,} on the intervals contradict each other. By chance this happens in at "
        f"most {(1.0 - level) * 100:g} % of draws; else the sheet was not labelled in its order, "
        "or labels changed on the way. No interval is given from there on.",
    )


def _needed(
    stream: PoolStream,
    widths: FloatArray,
    width: float | None,
    scale: tuple[float, float] | None,
    *,
    level: float,
    best_at: float,
) -> int | None:
    """Return about how many labels in all the width takes; None if it is not asked or unknown."""
    if width is None or bool(np.any(widths <= width)):
        return None
    n, n_items = len(stream.y), stream.n_items
    ahead = width_ahead(stream, np.arange(1.0, n_items + 1.0), level=level, best_at=best_at)
    if ahead is None:
        return None
    if np.isfinite(widths[-1]):
        # What the formula says at this label against what the interval is.
        ahead = ahead * (widths[-1] / ahead[n - 1])
    if ahead[-2] > width:
        return n_items
    first = 1 if scale is not None else min(first_interval(stream.y), n_items)
    return max(n + 1, first, int(np.argmax(ahead <= width)) + 1)
