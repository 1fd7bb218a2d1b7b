"""Residual variances of groups, moderated by what all groups say together.

A group with 20 labels of a skewed outcome hardly knows its own variance: where the few large
residuals were not drawn, its interval is far too narrow. All groups together know how squared
residuals grow with the prediction. With s_g^2 the residual variance of group g on n_g labels and
m_g what a model of squared residuals, fitted to all groups, says of its items,

    v_g = w_g s_g^2 + (1 - w_g) m_g,   w_g = max(B / (B + e_g), (n_g - 1) / (n_g - 1 + 100)),

with e_g = (kurtosis - 1) / n_g + 2 / (n_g (n_g - 1)) the error of s_g^2 / m_g and B how much these
ratios differ beyond it: the linear empirical-Bayes weight (Efron and Morris 1973), as moderated
t statistics have it for normal residuals (Smyth 2004), but never less than 100 labels' worth of
faith in the model leave. What the model adds counts half in the degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.estimation.rules import TRule
from bacon.estimation.units import drawn_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.results import Estimate

__all__ = ["Moderated", "fit_squares", "moderate", "moderated"]

PRIOR_LABELS = 100.0
"""Labels that the model of squared residuals is worth at most."""

STEPS = 50


@dataclass(frozen=True, eq=False)
class Moderated:
    """Moderated variances of G groups.

    Parameters
    ----------
    variance : (G,) float64
        Moderated residual variance v_g.
    weight : (G,) float64
        Weight w_g of the group's own variance.
    df : (G,) float64
        Degrees of freedom.
    """

    variance: FloatArray
    weight: FloatArray
    df: FloatArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "variance", "weight", "df")


def fit_squares(f: FloatArray, squares: FloatArray, at: FloatArray) -> FloatArray:
    """Return what is expected of squared residuals at predictions `at` (k,).

    E[r^2 | f] = exp(a + b f), by Poisson quasi-likelihood in units of the mean square, a ridge
    penalty of one label on the slope of the standardised prediction. Scaled so that the mean
    over the labelled items is theirs.

    Parameters
    ----------
    f, squares : (m,) float64
        Prediction and squared residual of the labelled items.
    at : (k,) float64
        Predictions asked about; beyond those of labelled items the nearest of them counts.
    """
    mean, level = float(f.mean()), float(squares.mean())
    spread = float(f.std())
    if not level > 0.0 or not spread > 1e-12 * max(abs(mean), 1e-300):
        return np.full(len(at), level)
    z, target = (f - mean) / spread, squares / level
    a, b = 0.0, 0.0
    for _ in range(STEPS):
        mu = np.exp(np.clip(a + b * z, -30.0, 30.0))
        gap = target - mu
        slope = np.array([gap.sum(), z @ gap - b])
        curve = np.array([[mu.sum(), mu @ z], [mu @ z, mu @ z**2 + 1.0]])
        step = np.linalg.solve(curve, slope)
        step /= max(1.0, float(np.abs(step).max()))
        a, b = a + step[0], b + step[1]
        if float(np.abs(step).max()) < 1e-10:
            break
    asked = (np.clip(at, f.min(), f.max()) - mean) / spread
    return np.asarray(level * np.exp(b * asked) / np.exp(b * z).mean())


def moderated(
    residual: FloatArray, group: IntArray, expected: FloatArray, own: FloatArray
) -> Moderated:
    """Return the moderated residual variances of groups.

    Parameters
    ----------
    residual : (m,) float64
        Residuals of the labelled items, centred in their group and scaled by
        sqrt(n_g / (n_g - 1)).
    group : (m,) int64
        Group 0..G-1 of each.
    expected : (G,) float64
        m_g, the mean over a group's items of what is expected of their squared residuals.
    own : (G,) float64
        s_g^2.
    """
    n = np.bincount(group, minlength=len(own)).astype(np.float64)
    floor = (n - 1.0) / (n - 1.0 + PRIOR_LABELS)
    usable = expected > 0.0
    if not usable.any():
        return Moderated(own, np.ones_like(own), n - 1.0)
    safe = np.where(usable, expected, 1.0)
    z = residual / np.sqrt(safe[group])
    z = z[usable[group]]
    kurtosis = float(np.mean(z**4) / np.mean(z**2) ** 2)
    error = (max(kurtosis, 1.0) - 1.0) / n + 2.0 / (n * np.maximum(n - 1.0, 1.0))
    ratio = own[usable] / safe[usable]
    between = 0.0
    if len(ratio) > 1:
        centre = float(np.average(ratio, weights=n[usable]))
        between = float(np.mean((ratio / centre - 1.0) ** 2)) * len(ratio) / (len(ratio) - 1.0)
        between = max(between - float(error[usable].mean()), 0.0)
    weight = np.where(usable, np.maximum(between / (between + error), floor), 1.0)
    variance = weight * own + (1.0 - weight) * np.where(usable, expected, 0.0)
    df = (n - 1.0) * (1.0 + (1.0 - weight) / weight / 2.0)
    return Moderated(variance, weight, df)


def moderate(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return means of groups with moderated variances, in their order.

    They come back as they are where there is a single group, where another rule than Student's
    makes the intervals, and after a draw of clusters that hold several items of a group: their
    totals, and not single residuals, show the error.

    Parameters
    ----------
    estimates : sequence of Estimate
        Means of groups of one calibration.
    """
    if len(estimates) < 2 or not all(_has_item_errors(one) for one in estimates):
        return list(estimates)
    weights = [drawn_units(one.design).weights for one in estimates]
    sizes = np.array([one.n_labels for one in estimates])
    stretch = np.sqrt(sizes / (sizes - 1.0))
    residuals = [one.influence_values.residual for one in estimates]
    own = np.array(
        [s * s * (w @ r**2) for s, w, r in zip(stretch, weights, residuals, strict=True)]
    )
    f = [one.influence_values.terms[0][1] for one in estimates]
    labelled = np.concatenate([g[one.design.rows] for g, one in zip(f, estimates, strict=True)])
    scaled = np.concatenate([s * r for s, r in zip(stretch, residuals, strict=True)])
    said = fit_squares(labelled, scaled**2, np.concatenate(f))
    starts = np.cumsum([0, *map(len, f)])[:-1]
    expected = np.add.reduceat(said, starts) / np.array([len(g) for g in f])
    group = np.repeat(np.arange(len(estimates)), sizes)
    found = moderated(scaled, group, expected, own)
    return [
        _with_variance(one, float(own[k]), float(found.variance[k]), float(found.df[k]), weights[k])
        for k, one in enumerate(estimates)
    ]


def _has_item_errors(estimate: Estimate) -> bool:
    """Whether single residuals of labelled items show the error of the estimate."""
    psu = estimate.design.psu
    alone = psu is None or len(np.unique(psu)) == len(psu)
    return isinstance(estimate.rule, TRule) and estimate.n_labels > 1 and alone


def _with_variance(
    estimate: Estimate, own: float, variance: float, df: float, weights: FloatArray
) -> Estimate:
    """Return an estimate with a moderated residual variance in place of its own."""
    found, rule = estimate.variances, estimate.rule
    if not isinstance(rule, TRule) or found.pool == 0.0 == variance:
        return estimate
    if own > found.rounding:
        pool = found.pool * variance / own
    else:
        pool = variance * float(estimate.design.unseen @ weights**2)
    changed = replace(
        found,
        pool=pool,
        population=found.population + pool - found.pool,
        df=df,
        df_uneven=None,
        predicted=None,
        skew_pool=0.0,
        skew_population=0.0,
        alike=False,
        is_moderated=True,
    )
    # An interval that rests on all groups is not corrected for the skewness of one.
    told = tuple(notice for notice in estimate.notices if notice.code != "very_skewed")
    rule = replace(rule, variances=changed)
    return replace(estimate, variances=changed, rule=rule, notices=told)
