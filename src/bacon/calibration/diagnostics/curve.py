"""Whether predictions are right on average all along their range."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.association import rank_slope
from bacon.calibration.diagnostics.controls import Controls
from bacon.calibration.diagnostics.gaps import gap_measure, scatter
from bacon.calibration.diagnostics.measures import UNKNOWN, Measure, mean_measure
from bacon.calibration.diagnostics.observations import Observations
from bacon.calibration.diagnostics.together import holm
from bacon.calibration.ranks import mid_ranks

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["LEAST", "Bin", "Curve", "calibration_curve", "class_curve"]

LEAST = 30
"""Labels from which there is a curve."""

LEAST_IN_BIN = 15
MOST_BINS = 5


@dataclass(frozen=True, slots=True)
class Bin:
    """Labelled items whose predictions lie next to each other.

    Parameters
    ----------
    low, high : float
        Smallest and largest prediction.
    n : int
        Labels.
    prediction, label : float
        Mean prediction and mean label.
    gap : Measure
        Prediction less label: above 0 where predictions are too high.
    p_adjusted : float
        p-value of no gap, over all bins and the slope together (Holm).
    """

    low: float
    high: float
    n: int
    prediction: float
    label: float
    gap: Measure
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Labels against out-of-fold predictions.

    Parameters
    ----------
    bins : tuple of Bin
        From the lowest predictions to the highest, about as many labels in each.
    gap : Measure
        Mean prediction less mean label.
    slope : Measure
        By how much labels rise per point of prediction: 1 if predictions are spread rightly,
        below 1 if too widely, above 1 if too little.
    p_slope_adjusted : float
        p-value of a slope of 1, over slope and bins together (Holm).
    p : float
        p-value of predictions that are right on average all along their range: the smallest
        adjusted one of slope and bins.
    of_classes : bool
        Whether predictions are chances of the classes of labels in words, all classes together.
    """

    bins: tuple[Bin, ...]
    gap: Measure
    slope: Measure
    p_slope_adjusted: float
    p: float
    of_classes: bool = False


def calibration_curve(
    y: FloatArray, f: FloatArray, obs: Observations, *, ends: tuple[float, float], level: float
) -> Curve | None:
    """Return the curve of labels `y` (m,) against predictions `f` (m,).

    None with fewer than 30 labels, or where all predictions or all labels are alike.

    Parameters
    ----------
    y, f : (m,) float64
        Labels, and predictions of models that did not see them.
    obs : Observations
        Weights and independent obs.
    ends : (float, float)
        Lowest and highest possible label.
    level : float
        Level of the intervals, each for itself.

    Notes
    -----
    Bins are quantiles of the predictions, two to five of at least 15 labels. Tests are of
    means, so that skewed labels around a right mean raise no alarm; the slope is that of labels
    on predictions with ranks as instruments.
    """
    if len(y) < LEAST or np.ptp(y) == 0.0 or not np.ptp(f) > 1e-9 * max(np.ptp(y), np.abs(f).max()):
        return None
    ranks = mid_ranks(f, obs.weights)
    n_bins = min(MOST_BINS, len(y) // LEAST_IN_BIN)
    place = np.minimum(np.floor((ranks + 0.5) * n_bins), n_bins - 1)
    place = np.unique(place, return_inverse=True)[1]
    mean = Controls.constant(obs)
    change, test = rank_slope(f - y, f, ranks, controls=mean, obs=obs, level=level)
    slope = UNKNOWN
    if change.is_known:
        slope = Measure(1.0 - change.value, change.se, 1.0 - change.high, 1.0 - change.low)
    parts = [place == k for k in range(int(place.max()) + 1)]
    spread = scatter(y, f, obs, ends)
    gaps = [gap_measure((f - y)[part], spread[part], obs.where(part), level) for part in parts]
    p_slope = math.nan if test is None else test.p
    adjusted = holm(np.array([p_slope, *(p for _, p in gaps)]))
    bins = tuple(
        _bin(y[part], f[part], obs.where(part), gap, float(p))
        for part, (gap, _), p in zip(parts, gaps, adjusted[1:], strict=True)
    )
    smallest = math.nan if np.isnan(adjusted).all() else float(np.nanmin(adjusted))
    whole = mean_measure(f - y, obs, level)
    return Curve(bins, whole, slope, float(adjusted[0]), smallest)


def _bin(y: FloatArray, f: FloatArray, obs: Observations, gap: Measure, p_adjusted: float) -> Bin:
    """Return a bin of labels `y` (k,) and predictions `f` (k,)."""
    ends = float(f.min()), float(f.max())
    return Bin(*ends, len(y), obs.mean(f), obs.mean(y), gap, p_adjusted)


def class_curve(
    y: FloatArray, chances: FloatArray, obs: Observations, *, level: float
) -> Curve | None:
    """Return the curve of classes `y` (m,) against their predicted chances (m, C).

    Each item counts once for every class, with its chance and whether people gave it, and
    all of its counts stand or fall together.
    """
    n_classes = chances.shape[1]
    given = (y[:, np.newaxis] == np.arange(n_classes)).astype(np.float64)
    every = Observations(np.repeat(obs.weights, n_classes), np.repeat(obs.unit, n_classes))
    curve = calibration_curve(given.ravel(), chances.ravel(), every, ends=(0.0, 1.0), level=level)
    return None if curve is None else replace(curve, of_classes=True)
