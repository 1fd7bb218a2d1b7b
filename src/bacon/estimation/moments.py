"""Moments of the user's own through the one augmented equation."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import EstimationError
from bacon.estimation.augmented import AugmentedMean, augmented_mean
from bacon.estimation.estimands import Setting, build
from bacon.estimation.rules import TRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.estimation.results import Estimate

__all__ = ["moment_estimate"]


def moment_estimate(
    moment: Callable[[FloatArray, float], FloatArray],
    predicted: Callable[[float], FloatArray],
    y: FloatArray,
    start: float,
    setting: Setting,
) -> Estimate:
    """Solve a user's estimating equation mean E[moment(Y, theta)] = 0 for one number.

    Parameters
    ----------
    moment : callable
        moment(y, theta) -> (m,) values.
    predicted : callable
        theta -> (N,) predictions E[moment(Y, theta) | X].
    y : (m,) float64
        Outcome at the labelled rows.
    start : float
        Where the root search starts.
    setting : Setting
        Design and what goes with it.
    """
    from scipy.optimize import root_scalar

    def solved_at(theta: float) -> AugmentedMean:
        values = np.asarray(moment(y, theta), dtype=np.float64)
        if values.shape != y.shape:
            raise EstimationError(
                f"the moment must give one value for each of the {len(y)} labels; it gave an "
                f"array of shape {values.shape}."
            )
        return augmented_mean(values, predicted(theta), setting.design)

    step = 1e-4 * max(abs(start), float(np.std(y)), 1e-8)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # A flat moment ends in the error below; scipy would warn of it as well.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = root_scalar(lambda t: solved_at(t).value, x0=start, x1=start + 100 * step)
    if not found.converged or not math.isfinite(found.root):
        raise EstimationError(
            f"no root of the moment was found from start {start:g}; try a start nearer to the "
            "answer, or check that the moment changes sign."
        )
    theta = float(found.root)
    step = 1e-5 * max(abs(theta), float(np.std(y)), 1e-8)
    slope = (solved_at(theta + step).value - solved_at(theta - step).value) / (2.0 * step)
    if slope == 0.0 or not math.isfinite(slope):
        raise EstimationError(
            f"the moment does not change around its root {theta:g}, so its error is undefined; "
            "use a smooth moment (for quantiles there is an estimand of their own)."
        )
    solved = solved_at(theta)
    return build(
        "moment",
        theta,
        solved.influence.scaled(-1.0 / slope),
        setting,
        rule=lambda v: TRule(theta, v, setting.design),
        rounding=solved.rounding / slope**2,
        alike=float(np.ptp(y)) == 0.0,
    )
