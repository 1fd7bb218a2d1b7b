"""What the judges gain over the labels alone, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.measures import UNKNOWN, Measure
from bacon.estimation.intervals import t_quantile
from bacon.estimation.units import variance_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate

__all__ = ["Gain", "gain_over_labels"]

MATERIAL = 0.99
"""A gain is called one if the ratio is surely below this, a loss if surely above its inverse."""

LEAST = 5


@dataclass(frozen=True, slots=True)
class Gain:
    """The standard error with the judges beside that of the labels alone.

    Parameters
    ----------
    estimand : str
        Of which estimate.
    target : str
        pool or population.
    n_labels : int
        Labels used.
    verdict : str
        gain: the whole interval of the ratio lies below 0.99. loss: it lies above 1.01. open:
        the labels do not show either. none: no judge is used. unknown: `reason` says why.
    ratio : Measure
        Standard error with the judges over that of the labels alone: below 1 is a gain.
    worth : Measure
        How many simply drawn labels alone would have had the standard error with the judges;
        its interval follows from that of `ratio`.
    reason : str or None
        Why nothing can be said.
    """

    estimand: str
    target: Target
    n_labels: int
    verdict: str
    ratio: Measure = UNKNOWN
    worth: Measure = UNKNOWN
    reason: str | None = None


def gain_over_labels(
    estimates: Sequence[Estimate],
    alone: Sequence[Estimate],
    *,
    name: str,
    target: Target,
    level: float,
) -> Gain:
    """Compare estimates with those of the labels alone, by the sum of their variances.

    Parameters
    ----------
    estimates, alone : sequence of Estimate
        With the judges, and without, of the same labels: one each, or the shares of all
        classes. Those whose error the labels do not show are left out.
    name : str
        The estimand.
    target : {"pool", "population"}
        Whose standard error.
    level : float
        Level of the interval of the ratio.

    Notes
    -----
    V = sum_c q_c + D, where q_c is what drawn unit c adds to the design variance and D what
    pool items add for the population. log(V / V_alone) has the influence
    q_c / V - q'_c / V_alone, which gives its standard error over units: the same errors of the
    same labels stand in both, so that the ratio is known better than either.
    """
    first = estimates[0]
    n = first.n_labels

    def unknown(reason: str) -> Gain:
        return Gain(name, target, n, "unknown", reason=reason)

    pairs = [
        (ours, theirs)
        for ours, theirs in zip(estimates, alone, strict=True)
        if ours.se(target) > 0.0 and theirs.se(target) > 0.0
    ]
    if n == first.n_items and target == "pool":
        return unknown("every item is labelled, and nothing is left to estimate for these items")
    if not pairs:
        return unknown("the labels do not show how much the items differ")
    if n < LEAST:
        return unknown(f"{n} labels are too few to compare two standard errors")
    with_judges = sum(ours.se(target) ** 2 for ours, _ in pairs)
    without = sum(theirs.se(target) ** 2 for _, theirs in pairs)
    parts = _parts([ours for ours, _ in pairs]) / with_judges
    parts -= _parts([theirs for _, theirs in pairs]) / without
    c = len(parts)
    if c < 2 or np.isnan(parts).any():
        return unknown("the drawn units are too few to compare two standard errors")
    se = math.sqrt(c / (c - 1.0) * float(np.sum((parts - parts.mean()) ** 2)))
    log_ratio, half = math.log(with_judges / without), t_quantile(level, first.df) * se
    value, low, high = (math.exp(0.5 * (log_ratio + side * half)) for side in (0.0, -1.0, 1.0))
    ratio = Measure(value, 0.5 * value * se, low, high) if se > 0.0 else Measure(value)
    verdict = "open"
    if ratio.high < MATERIAL:
        verdict = "gain"
    elif ratio.low > 1.0 / MATERIAL:
        verdict = "loss"
    unit = sum(ours.variances.unit for ours, _ in pairs)
    return Gain(name, target, n, verdict, ratio, _worth(with_judges, unit, ratio, first, target))


def _parts(estimates: Sequence[Estimate]) -> FloatArray:
    """Return what each drawn unit (c,) adds to the summed design variances."""
    parts = [variance_parts(one.influence_values.residual, one.design) for one in estimates]
    return np.asarray(np.sum(parts, axis=0), dtype=np.float64)


def _worth(
    variance: float, unit: float, ratio: Measure, estimate: Estimate, target: Target
) -> Measure:
    """Return the effective number of labels, with the interval that the ratio's gives it."""
    if not unit > 0.0:
        return UNKNOWN
    # For the pool 1 / n_eff = V / S^2 + 1 / N, for the population V / S^2.
    rest = 1.0 / estimate.n_items if target == "pool" else 0.0
    share = variance / unit

    def labels(side: float) -> float:
        return 1.0 / (share * (side / ratio.value) ** 2 + rest)

    value = labels(ratio.value)
    if math.isnan(ratio.low):
        return Measure(value)
    return Measure(value, math.nan, labels(ratio.high), labels(ratio.low))
