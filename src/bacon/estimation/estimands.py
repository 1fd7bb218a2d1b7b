"""Means, shares and variances through the one augmented equation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import EstimationError, TooFewLabelsError
from bacon.estimation.augmented import AugmentedMean, augmented_mean
from bacon.estimation.designs import is_census
from bacon.estimation.results import Estimate, IntervalRule
from bacon.estimation.rules import AtLeastZero, ProportionRule, RootRule, TRule
from bacon.estimation.sandwich import Variances, centring, variances
from bacon.estimation.skew import LARGE_SKEW

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IdArray, IntArray
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.influence import Influence

__all__ = [
    "Setting",
    "mean_estimate",
    "proportion_estimate",
    "sd_estimate",
    "variance_estimate",
]

FEW_LABELS = 5

ENOUGH_FOR_SKEW = 10
"""Labels below which any set of residuals looks skewed."""

LARGEST_TO_FOURTH = 1e70
"""The variance of a variance takes values to the fourth power."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What every estimate of one pool and sample shares.

    Parameters
    ----------
    design : SurveyDesign
        How the labelled rows were drawn.
    cluster : (N,) int64 or None
        Codes of the units that items share, for the population target.
    scale : (float, float) or None
        Lowest and highest possible label.
    pool_key : str or None
        Identity of the pool; estimates with equal keys can be contrasted.
    ids : (N,) or None
        Item ids, to tell disjoint pools.
    """

    design: SurveyDesign
    cluster: IntArray | None = None
    scale: tuple[float, float] | None = None
    pool_key: str | None = None
    ids: IdArray | None = None


def check_enough(design: SurveyDesign) -> tuple[Notice, ...]:
    """Refuse fewer than two labels (a census excepted); tell when there are under five."""
    n_units = design.n_labels if design.psu is None else int(design.psu.max()) + 1
    what = "labels" if design.psu is None else "labelled clusters"
    if n_units < 2 and not (design.n_labels == design.n_items and n_units > 0):
        raise TooFewLabelsError(
            f"{n_units} {what.rstrip('s') if n_units == 1 else what} cannot show its own error: "
            f"an estimate needs at least 2 {what}, and 30 make a useful one."
        )
    if n_units < FEW_LABELS:
        return (
            Notice(
                "few_labels",
                f"Only {n_units} {what}: the interval rests on normal residuals.",
            ),
        )
    return ()


def build(
    name: str,
    value: float,
    influence: Influence,
    setting: Setting,
    *,
    rule: Callable[[Variances], IntervalRule],
    notices: tuple[Notice, ...] = (),
    rounding: float = 0.0,
    alike: bool = False,
) -> Estimate:
    """Put an estimate together from its value and influence values; `alike` as of `Variances`."""
    found = check_enough(setting.design)
    spread = variances(influence, setting.design, setting.cluster, rounding=rounding)
    spread = replace(spread, alike=alike and not is_census(setting.design))
    made = rule(spread)
    if isinstance(made, TRule | AtLeastZero):
        notices = notices + skew_notice(setting.design, spread)
    return Estimate(
        name=name,
        value=value,
        n_items=setting.design.n_items,
        n_labels=setting.design.n_labels,
        design=setting.design,
        variances=spread,
        rule=made,
        influence_values=influence,
        pool_key=setting.pool_key,
        ids=setting.ids,
        cluster=setting.cluster,
        notices=found + spread.notices + notices,
    )


def skew_notice(design: SurveyDesign, spread: Variances) -> tuple[Notice, ...]:
    """Tell when a few labels carry most of the error, so that it is hardly known."""
    n_units = len(np.unique(design.psu)) if design.psu is not None else design.n_labels
    skew = spread.skew_of("pool")
    if n_units < ENOUGH_FOR_SKEW or abs(skew) <= LARGE_SKEW:
        return ()
    side = "large" if skew > 0.0 else "small"
    text = (
        f"A few very {side} values carry most of the error. The interval is longer on that side, "
        "but what such labels have not shown yet no interval can know: it may hold less often than "
        "its level. Label more items."
    )
    return (Notice("very_skewed", text),)


def _within(value: float, scale: tuple[float, float] | None) -> tuple[float, tuple[Notice, ...]]:
    """Return the estimate within its scale, told where it had to be moved."""
    if scale is None or scale[0] <= value <= scale[1]:
        return value, ()
    moved = min(max(value, scale[0]), scale[1])
    if abs(moved - value) <= 1e-9 * (scale[1] - scale[0]):
        return moved, ()
    text = (
        f"The estimate came out as {value:.4g}, outside {scale[0]:g} to {scale[1]:g}, and is "
        f"reported as {moved:g}."
    )
    return moved, (Notice("estimate_cut_to_scale", text),)


def mean_estimate(y: FloatArray, f: FloatArray, setting: Setting) -> Estimate:
    """Estimate the mean outcome (paper, section 2.3).

    Parameters
    ----------
    y : (m,) float64
        Outcome at the labelled rows.
    f : (N,) float64
        Prediction E[Y | X] of every item, out of fold at the labelled ones.
    setting : Setting
        Design and what goes with it.
    """
    solved = augmented_mean(y, f, setting.design)
    value, told = _within(solved.value, setting.scale)
    return build(
        "mean",
        value,
        solved.influence,
        setting,
        rule=lambda v: TRule(value, v, setting.design, setting.scale),
        notices=told,
        rounding=solved.rounding,
        alike=float(np.ptp(y)) == 0.0,
    )


def proportion_estimate(
    name: str,
    event: FloatArray,
    phi: FloatArray,
    setting: Setting,
    *,
    moved_to: float | None = None,
) -> Estimate:
    """Estimate the share of items with a property.

    Parameters
    ----------
    name : str
        Name of the estimand.
    event : (m,) float64
        1 where the labelled item has the property, else 0.
    phi : (N,) float64
        Predicted probability of the property.
    setting : Setting
        Design and what goes with it.
    moved_to : float, optional
        Share to report instead of the solution, where shares that sum to one were moved
        together; whoever moved them tells of it.
    """
    solved = augmented_mean(event, phi, setting.design)
    told: tuple[Notice, ...] = ()
    if moved_to is None:
        value, told = _within(solved.value, (0.0, 1.0))
    else:
        value = moved_to
    labels_alone = setting.design.kind == "simple" and float(np.ptp(phi)) == 0.0
    count = round(float(event.sum())) if labels_alone else None
    return build(
        name,
        value,
        solved.influence,
        setting,
        rule=lambda v: ProportionRule(
            value, v, setting.design, count, all_alike=float(np.ptp(event)) == 0.0
        ),
        notices=told,
        rounding=solved.rounding,
    )


def _centred_second_moment(
    y: FloatArray, f: FloatArray, spread: FloatArray, setting: Setting
) -> tuple[AugmentedMean, AugmentedMean]:
    """Return the mean, and the augmented mean of (Y - mean)^2.

    Predictions enter with their mean error corrected, so that a constant added to `f`
    changes nothing and a biased judge still predicts the spread.
    """
    largest = max(float(np.abs(y).max()), float(f.max()), -float(f.min()))
    if largest > LARGEST_TO_FOURTH:
        raise EstimationError(
            f"the variance of values as large as {largest:.1e} overflows; divide labels and "
            "predictions by a power of ten."
        )
    mean = augmented_mean(y, f, setting.design)
    predicted = spread + (f + (mean.correction - mean.value)) ** 2
    return mean, augmented_mean((y - mean.value) ** 2, predicted, setting.design)


def variance_estimate(
    y: FloatArray, f: FloatArray, spread: FloatArray, setting: Setting
) -> Estimate:
    """Estimate the variance of the outcome over the pool (divisor N - 1).

    N/(N-1) [AEE((Y - mean)^2) + what centring at the estimated mean takes off]: without bias
    over draws. With a constant prediction under a simple draw this is the sample variance.

    Parameters
    ----------
    y, f, setting
        As for :func:`mean_estimate`.
    spread : (N,) float64
        Predicted variance of Y given X.
    """
    mean, second = _centred_second_moment(y, f, spread, setting)
    design = setting.design
    taken = centring(mean.influence.prediction(design.rows), mean.influence.residual, design)
    factor = design.n_items / (design.n_items - 1.0)
    value = factor * (second.value + taken)
    notices: tuple[Notice, ...] = ()
    if value < 0.0:
        notices = (
            Notice(
                "negative_variance",
                f"The estimated variance was {value:.4g}, below 0: the labels are too few to "
                "correct the predictions' spread. It is reported as it is.",
            ),
        )
    return build(
        "variance",
        value,
        second.influence.scaled(factor),
        setting,
        rule=lambda v: AtLeastZero(TRule(value, v, setting.design)),
        notices=notices,
        rounding=second.rounding,
        alike=float(np.ptp(y)) == 0.0,
    )


def sd_estimate(y: FloatArray, f: FloatArray, spread: FloatArray, setting: Setting) -> Estimate:
    """Estimate the standard deviation; arguments as for :func:`variance_estimate`."""
    variance = variance_estimate(y, f, spread, setting)
    if variance.value <= 0.0:
        raise EstimationError(
            f"the estimated variance is {variance.value:.4g}, so the standard deviation has no "
            "value: the labels do not differ, or are too few to correct the predictions' spread."
        )
    value = math.sqrt(variance.value)
    return build(
        "sd",
        value,
        variance.influence_values.scaled(0.5 / value),
        setting,
        rule=lambda _: RootRule(variance.rule),
        notices=variance.notices,
        rounding=variance.variances.rounding * (0.5 / value) ** 2,
        alike=variance.variances.alike,
    )
