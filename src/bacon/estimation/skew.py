"""Intervals from few labels whose residuals are skewed.

Student's t misses on one side when residuals are skewed: a sample without the long tail has
both a small mean and a small standard error. With the standardised third moment of the estimate

    a = sum_c (1 - pi_c)^(3/2) z_c^3 / V^(3/2)

(skewness / sqrt(n) under a simple draw; z_c the centred totals of drawn units, the cubes of a
stratum times n_h^2 / ((n_h - 1)(n_h - 2))) the t statistic has mean -a/2 and third cumulant -2 a
to first order (Johnson 1978; Hall 1992). Its quantiles give arms of t (1 + w) times

    (exp(b) - 1) / b above and (1 - exp(-b)) / b below,  b = 3/4 a z,  w = a^2 / (1 + 2 a^2),

z the normal quantile of the level. At z near 2 the ratio of the arms is the first-order one,
1 + a (1 + 2 z^2) / (3 z), and w the second-order term, near a^2 and held below one half; the
exponential form keeps both arms above 0 and an interval inside those of higher levels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.intervals import t_quantile
from bacon.estimation.units import drawn_units, variance_parts

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.survey_design import SurveyDesign

__all__ = [
    "LARGE_SKEW",
    "asymmetry",
    "counted",
    "predicted_variance",
    "skew_arms",
    "skewness",
]

LARGE_SKEW = 0.5
"""Standardised third moment of an estimate from which few labels carry most of the error."""


def skewness(values: FloatArray, variance: float, design: SurveyDesign, *, unseen: bool) -> float:
    """Return the standardised third moment of the weighted mean of `values` (m,), in [-1, 1].

    Strata with fewer than three units show no skewness and add nothing.

    Parameters
    ----------
    values : (m,) float64
        Residuals of the labelled rows.
    variance : float
        Variance of the mean; where it is not above 0 there is no skewness.
    design : SurveyDesign
        How the rows were drawn.
    unseen : bool
        Take off what the drawn units settle of a finite pool, by (1 - pi)^(3/2): the ratio then
        hardly depends on the share drawn, as the distribution of t does.
    """
    if not variance > 0.0:
        return 0.0
    units = drawn_units(design)
    n_h = units.n_in_stratum
    divisor = np.maximum(n_h - 1.0, 1.0) * np.maximum(n_h - 2.0, 1.0)
    factor = np.where(n_h > 2.0, n_h**2 / divisor, 0.0)
    if unseen:
        factor = factor * (1.0 - units.pi) ** 1.5
    z = units.centred(units.totals(values)) / math.sqrt(variance)
    return min(max(float(factor @ z**3), -1.0), 1.0)


def predicted_variance(residual: FloatArray, g: FloatArray, design: SurveyDesign) -> float:
    """Return V_pool with squared residuals regressed on the predictions.

    Where errors grow with the prediction, a sample whose predictions are low has too small
    residuals. The parts q_c of V_pool are regressed on the prediction totals x_c within strata,
    slope B, and V_pool - B sum x_c is the regression estimate of the variance: over the pool
    the predictions sum to 0. What it adds counts in full, at most V_pool; what it takes off
    counts half, at most a quarter of V_pool, since too small a variance is the worse error.

    Parameters
    ----------
    residual : (m,) float64
        Centred residuals of the labelled rows.
    g : (m,) float64
        Prediction part of the influence at the labelled rows, of mean 0 over the pool.
    design : SurveyDesign
        How the rows were drawn.
    """
    parts = variance_parts(residual, design)
    v = float(parts.sum())
    if not v > 0.0:
        return v
    units = drawn_units(design)
    totals = units.totals(g) / math.sqrt(v)
    x = units.centred(totals)
    spread = float(x @ x)
    # Predictions that hardly differ beside the residuals are rounding.
    if not spread > 1e-12:
        return v
    change = -float(x @ (parts / v)) / spread * float(totals.sum())
    return v * (1.0 + (min(change, 1.0) if change > 0.0 else max(change, -0.5) / 2.0))


def skew_arms(a: float, level: float, df: float) -> tuple[float, float]:
    """Return the lower and the upper arm of an interval in standard errors.

    Parameters
    ----------
    a : float
        Standardised third moment of the estimate; 0 gives Student's interval. From d degrees of
        freedom it counts (d - 1) / sqrt(d (d + 1)), nothing where there is one: under a simple
        draw this makes of the unbiased skewness the plain one, which varies less.
    level : float
        Confidence level in (0, 1).
    df : float
        Degrees of freedom.
    """
    a = counted(a, df)
    t = t_quantile(level, df) * (1.0 + a * a / (1.0 + 2.0 * a * a))
    lower, upper = asymmetry(a, level)
    return t * lower, t * upper


def counted(a: float, df: float) -> float:
    """Return how much of a standardised third moment counts at `df`; see `skew_arms`."""
    if math.isinf(df):
        return a
    return a * max(df - 1.0, 0.0) / math.sqrt(df * (df + 1.0))


def asymmetry(a: float, level: float) -> tuple[float, float]:
    """Return the factors (1 - exp(-b)) / b and (exp(b) - 1) / b of the arms, b = 3/4 a z."""
    b = 0.75 * a * t_quantile(level, math.inf)
    if abs(b) < 1e-9:
        return 1.0, 1.0
    return -math.expm1(-b) / b, math.expm1(b) / b
