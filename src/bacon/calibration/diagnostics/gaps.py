"""How far mean prediction and mean label are apart, by labels that may be rare or all alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from bacon.calibration.diagnostics.measures import Measure
from bacon.estimation.intervals import t_quantile

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.diagnostics.observations import Observations

__all__ = ["gap_measure", "scatter"]


def scatter(
    y: FloatArray, f: FloatArray, obs: Observations, ends: tuple[float, float]
) -> FloatArray:
    """Return how much labels scatter about predictions: most midway between the ends, not at them.

    Parameters
    ----------
    y, f : (m,) float64
        Labels and predictions.
    obs : Observations
        Their weights.
    ends : (float, float)
        Lowest and highest possible label.

    Returns
    -------
    (m,) float64
        Variances c (f - low) (high - f), with c such that they are right on average; 0 for
        predictions at or beyond an end. Exact for labels of two values.
    """
    low, high = ends
    room = np.clip((f - low) / (high - low), 0.0, 1.0) * np.clip(
        (high - f) / (high - low), 0.0, 1.0
    )
    total = obs.mean(room)
    return room * (obs.mean((y - f) ** 2) / total) if total > 0.0 else room


def gap_measure(
    error: FloatArray, spread: FloatArray, obs: Observations, level: float
) -> tuple[Measure, float]:
    """Return the mean of prediction less label, and the p-value of no gap.

    Student's, with the larger of two variances: that of these errors, and that of the labels'
    scatter elsewhere. Among few labels of a rare event, or labels that are all alike, the errors
    themselves do not show what could have been.

    Parameters
    ----------
    error : (k,) float64
        Prediction less label.
    spread : (k,) float64
        Variances of the labels by :func:`scatter`.
    obs : Observations
        Weights and independent units.
    level : float
        Level of the interval.
    """
    value = obs.mean(error)
    own = obs.variance(error - value)
    variance = max(0.0 if math.isnan(own) else own, float(obs.share**2 @ spread))
    if not variance > 0.0 or obs.df < 1.0:
        return Measure(value), math.nan
    se = math.sqrt(variance)
    half = t_quantile(level, obs.df) * se
    p = 2.0 * float(special.stdtr(obs.df, -abs(value) / se))
    return Measure(value, se, value - half, value + half), p
