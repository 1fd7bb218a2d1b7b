"""From a calibration and an estimand to the estimator that serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.class_shares import share_names
from bacon.checks import is_number
from bacon.errors import InputError
from bacon.estimation.distributions import ResidualDistribution
from bacon.estimation.estimands import (
    mean_estimate,
    proportion_estimate,
    sd_estimate,
    variance_estimate,
)
from bacon.estimation.moments import moment_estimate
from bacon.estimation.quantiles import quantile_estimate

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.estimand import Estimand
    from bacon.estimation.results import Estimate

__all__ = ["estimate_for_these", "event_prediction", "moment_for_these", "need_numbers"]


def estimate_for_these(
    cal: Calibration,
    asked: Estimand,
    *,
    labels_alone: bool = False,
    phi: FloatArray | None = None,
) -> Estimate:
    """Estimate one number for the raters who labelled.

    Parameters
    ----------
    labels_alone : bool
        Ignore the judges: the same estimator with a constant prediction.
    phi : (N,) float64, optional
        Predicted probability of a share's event, where it is known already.

    Raises
    ------
    InputError
        The estimand is none of one number, or none of these labels.
    """
    if asked.kind == "proportion":
        if labels_alone:
            phi = np.zeros(cal.pool.n_items)
        elif phi is None:
            phi = event_prediction(cal, asked)
        event = asked.event(cal.aligned.y, cal.levels)
        return proportion_estimate(asked.name, event, phi, cal.setting)
    if asked.kind == "shares":
        raise InputError(
            "shares are one number for each class; ask for one of them, such as "
            f"proportion:eq:{share_names(cal)[0]}, or for all by shares()."
        )
    need_numbers(cal, asked.name)
    y, setting = cal.aligned.y, cal.setting
    f = np.zeros(cal.pool.n_items) if labels_alone else cal.f
    if asked.kind == "mean":
        return mean_estimate(y, f, setting)
    if asked.tau is not None:
        rows = cal.aligned.design.rows
        if labels_alone:
            alone = ResidualDistribution.of(y, f, f[rows])
            return quantile_estimate(asked.tau, y, alone, setting)
        return quantile_estimate(asked.tau, y, cal.distribution, setting)
    build = variance_estimate if asked.kind == "variance" else sd_estimate
    spread = np.zeros(1) if labels_alone else cal.distribution.variance()
    return build(y, f, spread, setting)


def event_prediction(cal: Calibration, asked: Estimand) -> FloatArray:
    """Return the predicted probability (N,) of an event: of a class, or by a model of the event."""
    if asked.label is not None and cal.levels is not None:
        return np.asarray(cal.f[:, cal.levels.index(asked.label)])
    event = asked.event(cal.aligned.y, cal.levels)
    return np.clip(cal.fitter.fit_event(event).predictions.mean, 0.0, 1.0)


def moment_for_these(
    cal: Calibration, function: Callable[[FloatArray, float], FloatArray], start: float
) -> Estimate:
    """Solve a user's moment for the raters who labelled; see :meth:`Calibration.moment`."""
    need_numbers(cal, "moment")
    if not callable(function) or not is_number(start):
        raise InputError(
            f"a moment is a function(y, theta) and a number to start from; got "
            f"{function!r} and {start!r}."
        )
    y, distribution = cal.aligned.y, cal.distribution
    ends = float(y.min()), float(y.max())

    def predicted(theta: float) -> FloatArray:
        return distribution.expectation(lambda outcome: function(outcome, theta), *ends)

    return moment_estimate(function, predicted, y, start, cal.setting)


def need_numbers(cal: Calibration, name: str) -> None:
    """Refuse estimands of numbers for labels in words."""
    if cal.levels is not None:
        raise InputError(
            f"the labels of {cal.outcome} are words, which have no {name}; ask for the "
            f"share of a class, such as proportion:eq:{cal.levels[0]}."
        )
