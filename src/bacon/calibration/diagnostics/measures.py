"""Figures of how well scores follow labels, each with its standard error and interval.

Every figure is a function of weighted means. Its influence values give the standard error
(:class:`~bacon.calibration.diagnostics.obs.Observations`), and the interval is Student's on the
scale where the figure is least skewed: the logarithm of an error or of a share of errors, and
Fisher's z of a correlation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.ranks import Ranked, spearman_with_influence
from bacon.estimation.intervals import t_quantile

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.diagnostics.observations import Observations

__all__ = [
    "UNKNOWN",
    "Measure",
    "agreement_measures",
    "mean_measure",
    "r2_measure",
    "rmse_measure",
    "spearman_measure",
    "weighted_r2",
]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure with its standard error and interval.

    Parameters
    ----------
    value : float
        The figure, NaN where it is undefined.
    se : float
        Its standard error, NaN where the labels do not show it.
    low, high : float
        Ends of the interval, NaN where there is none.
    """

    value: float
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan

    @property
    def is_known(self) -> bool:
        """Whether the figure is defined."""
        return not math.isnan(self.value)

    def times(self, factor: float) -> Measure:
        """Return the figure in other units; a negative factor turns it round."""
        ends = sorted((self.low * factor, self.high * factor))
        return Measure(self.value * factor, self.se * abs(factor), *ends)


UNKNOWN = Measure(math.nan)


def mean_measure(values: FloatArray, obs: Observations, level: float) -> Measure:
    """Return the weighted mean of `values` (m,) with Student's interval."""
    value = obs.mean(values)
    if np.ptp(values) == 0.0:
        return Measure(value)
    return with_interval(value, values - value, obs, level)


def with_interval(value: float, influence: FloatArray, obs: Observations, level: float) -> Measure:
    """Return a figure with value -/+ t se, from its influence values (m,)."""
    se = math.sqrt(obs.variance(influence))
    if not se > 0.0:
        return Measure(value)
    half = t_quantile(level, obs.df) * se
    return Measure(value, se, value - half, value + half)


def weighted_r2(y: FloatArray, f: FloatArray, weights: FloatArray) -> float:
    """Return 1 - sum w (y - f)^2 / sum w (y - mean)^2; NaN where the labels are alike."""
    if np.ptp(y) == 0.0:
        return math.nan
    centred = y - weights @ y / weights.sum()
    unit = float(np.abs(centred).max())
    # In units of the largest deviation, so that the squares of huge labels stay finite.
    total = weights @ (centred / unit) ** 2
    return 1.0 - float(weights @ ((y - f) / unit) ** 2 / total)


def r2_measure(y: FloatArray, f: FloatArray, obs: Observations, level: float) -> Measure:
    """Return R2 of predictions `f` (m,) of labels `y` (m,), unknown where the labels are alike."""
    if len(y) == 0 or np.ptp(y) == 0.0:
        return UNKNOWN
    centred = y - obs.mean(y)
    unit = float(np.abs(centred).max())
    return _one_minus_ratio(((y - f) / unit) ** 2, (centred / unit) ** 2, obs, level)


def _one_minus_ratio(
    part: FloatArray, whole: FloatArray, obs: Observations, level: float
) -> Measure:
    """Return 1 - mean(part) / mean(whole), with Student's interval for the log of the ratio."""
    top, bottom = obs.mean(part), obs.mean(whole)
    if not bottom > 0.0:
        return UNKNOWN
    ratio = top / bottom
    value = 1.0 - ratio
    if not ratio > 0.0:
        return Measure(value)
    se = math.sqrt(obs.variance(part / top - whole / bottom))
    if not se > 0.0:
        return Measure(value)
    reach = math.exp(t_quantile(level, obs.df) * se)
    return Measure(value, ratio * se, 1.0 - ratio * reach, 1.0 - ratio / reach)


def rmse_measure(y: FloatArray, f: FloatArray, obs: Observations, level: float) -> Measure:
    """Return the root mean squared error of predictions `f` (m,) of labels `y` (m,)."""
    error = y - f
    unit = float(np.abs(error).max(initial=0.0))
    if unit == 0.0:
        return Measure(0.0 if len(y) else math.nan)
    squares = (error / unit) ** 2
    mean = obs.mean(squares)
    value = unit * math.sqrt(mean)
    # The log of the root is half the log of the mean.
    se = 0.5 * math.sqrt(obs.variance(squares / mean - 1.0))
    if not se > 0.0:
        return Measure(value)
    reach = math.exp(t_quantile(level, obs.df) * se)
    return Measure(value, value * se, value / reach, value * reach)


def spearman_measure(y: FloatArray, score: FloatArray, obs: Observations, level: float) -> Measure:
    """Return Spearman's correlation of `score` (m,) with labels `y` (m,), with Fisher's z."""
    value, influence = spearman_with_influence(Ranked.of(y), Ranked.of(score), obs.weights)
    if influence is None:
        return UNKNOWN
    se = math.sqrt(obs.variance(influence))
    if not se > 0.0 or abs(value) >= 1.0:
        return Measure(value)
    half = t_quantile(level, obs.df) * se / (1.0 - value**2)
    z = math.atanh(value)
    return Measure(value, se, math.tanh(z - half), math.tanh(z + half))


def agreement_measures(
    people: FloatArray, answers: FloatArray, obs: Observations, level: float
) -> tuple[Measure, Measure]:
    """Return the share of answers that are the people's class, and Cohen's kappa.

    Parameters
    ----------
    people : (m, C) float64
        1 in the column of the class that people gave.
    answers : (m, C) float64
        Share of the judge's runs that answered each class; what is no class of the people
        stands in no column.
    obs : Observations
        Weights and obs.
    level : float
        Level of the intervals.

    Notes
    -----
    kappa = 1 - D / D_chance, with D the share of answers that differ and D_chance the share
    that would differ if judge and people answered independently, each as often as it does
    (Cohen 1960).
    """
    agree = (people * answers).sum(axis=1)
    p, q = obs.share @ people, obs.share @ answers
    expected = float(p @ q)
    # Linear in the two shares: its mean is 1 - E, and its deviations are the influence of 1 - E.
    differ_by_chance = 1.0 + expected - answers @ p - people @ q
    kappa = _one_minus_ratio(1.0 - agree, differ_by_chance, obs, level)
    return _share_measure(agree, obs, level), kappa


def _share_measure(values: FloatArray, obs: Observations, level: float) -> Measure:
    """Return the mean of values in [0, 1] with Student's interval for its logit."""
    value = obs.mean(values)
    se = math.sqrt(obs.variance(values - value))
    if np.ptp(values) == 0.0 or not se > 0.0:
        return Measure(value)
    half = t_quantile(level, obs.df) * se / (value * (1.0 - value))
    logit = math.log(value / (1.0 - value))
    low, high = (1.0 / (1.0 + math.exp(-(logit + side * half))) for side in (-1.0, 1.0))
    return Measure(value, se, low, high)
