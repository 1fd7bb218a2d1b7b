"""How each estimand's interval is made, with the cases where t alone would claim too much."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.estimation.designs import independent_labels, is_census
from bacon.estimation.intervals import (
    Interval,
    Target,
    hypergeometric_interval,
    korn_graubard,
    no_interval,
    surprise_variance,
    t_quantile,
    unseen_share_bound,
)
from bacon.estimation.sandwich import shows_no_spread
from bacon.estimation.skew import asymmetry, counted, skew_arms

if TYPE_CHECKING:
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.results import IntervalRule
    from bacon.estimation.sandwich import Variances

__all__ = ["AtLeastZero", "ProportionRule", "RootRule", "TRule"]

NO_ERROR = (
    "the labels or their residuals are all alike, or one item outweighs them, so no error can be "
    "computed"
)
"""Why labels that show no spread have no interval."""

ONE_CLUSTER = "all items share one cluster, which shows nothing of how clusters differ"
"""Why there is no interval for more items like them."""

ROUNDING = 1e-12
"""Shares that differ from 0 or 1 by less than this are 0 or 1."""

METHODS = ("auto", "skew", "t", "z")
"""Names of interval methods; auto follows the rule stated for the estimand."""

NAMES = {"t": "t", "z": "normal"}
"""Names of uncorrected intervals."""


def method_name(base: str, design: SurveyDesign) -> str:
    """Return the name of an interval method, with the approximation behind its variance."""
    return f"{base}, Brewer approximation" if design.kind == "fixed" else base


def check_method(method: str, known: tuple[str, ...] = METHODS) -> None:
    """Refuse an unknown interval method."""
    if method not in known:
        raise InputError(f"method must be one of {', '.join(known)}; got {method!r}.")


def plain_interval(
    value: float, variances: Variances, level: float, target: Target, method: str
) -> Interval:
    """Return the interval of `method` from the value and its variances alone.

    Parameters
    ----------
    value : float
        The estimate.
    variances : Variances
        For both targets.
    level, target
        Of the interval.
    method : str
        z: the normal quantile (the paper's interval); t: Student's; auto or skew: Student's
        corrected for skewed residuals, which one of a moderated variance is not.
    """
    df = variances.df
    if method in NAMES or variances.is_moderated:
        quantile = t_quantile(level, math.inf if method == "z" else df)
        lower = upper = quantile * math.sqrt(variances.of(target))
    else:
        df = variances.df_corrected
        se = math.sqrt(variances.predicted_of(target))
        arms = skew_arms(variances.skew_of(target), level, df)
        lower, upper = arms[0] * se, arms[1] * se
    name = NAMES.get(method, "t, moderated" if variances.is_moderated else "skew-corrected t")
    return Interval(value - lower, value + upper, level, target, df, name)


@dataclass(frozen=True, eq=False)
class TRule:
    """Student's t corrected for skewed residuals, cut to the scale where one is given.

    Where the labelled residuals show no spread though not every item is labelled, up to
    1 - (1 - level)^(1/n) of the items could still be off by the width of the scale, and the
    interval says so; without a scale there is no valid interval.

    Parameters
    ----------
    value : float
        The estimate.
    variances : Variances
        For both targets.
    design : SurveyDesign
        Names the approximation used and the effective number of labels.
    scale : (float, float) or None
        Range the estimand cannot leave.
    """

    value: float
    variances: Variances
    design: SurveyDesign
    scale: tuple[float, float] | None = None

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method)
        df = self.variances.df
        if target == "pool" and is_census(self.design):
            return Interval(self.value, self.value, level, target, df, "census")
        if math.isnan(self.variances.of(target)):
            return no_interval(level, target, df, ONE_CLUSTER)
        no_spread = shows_no_spread(self.variances, self.design, target)
        if no_spread and self.scale is None:
            return no_interval(
                level,
                target,
                df,
                f"{NO_ERROR}; add labels, or for a mean state the scale",
            )
        interval = plain_interval(self.value, self.variances, level, target, method)
        interval = replace(interval, method=method_name(interval.method, self.design))
        if no_spread and self.scale is not None:
            n = independent_labels(self.design)
            slack = unseen_share_bound(n, level) * (self.scale[1] - self.scale[0])
            interval = replace(
                interval, low=interval.low - slack, high=interval.high + slack, method="range"
            )
        if self.scale is None or math.isnan(interval.low):
            return interval
        low, high = self.scale
        cut = interval.low < low or interval.high > high
        return replace(
            interval,
            low=min(max(interval.low, low), high),
            high=max(min(interval.high, high), low),
            reason="cut to the scale" if cut else None,
        )


@dataclass(frozen=True, eq=False)
class ProportionRule:
    """Korn-Graubard intervals of a share, which hold near 0 and 1.

    The pool interval takes the effective number of labels from the variance without the
    finite-population factor and shrinks its arms by sqrt(1 - n/N). Labels alone under a
    simple draw have the exact hypergeometric interval. However good the predictions were on n
    labels, the next item may surprise them: the variance is at least `surprise_variance`.

    Parameters
    ----------
    value : float
        The estimated share.
    variances : Variances
        For both targets.
    design : SurveyDesign
        The design of the labelled rows.
    exact_count : int or None
        Labelled items with the property, where the prediction is constant and the draw is
        simple.
    all_alike : bool
        All labelled items have the property, or none. Their residuals then show how the
        predictions differ and nothing of the events that went unseen, so that the labels
        count for no more than their number.
    """

    value: float
    variances: Variances
    design: SurveyDesign
    exact_count: int | None = None
    all_alike: bool = False

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method)
        if method != "auto":
            rule = TRule(self.value, self.variances, self.design, (0.0, 1.0))
            return rule.interval(level, target, method)
        n, n_items, df = self.design.n_labels, self.design.n_items, self.variances.df
        if math.isnan(self.variances.of(target)):
            return no_interval(level, target, df, ONE_CLUSTER)
        share = min(max(self.value, 0.0), 1.0)
        is_cut = abs(share - self.value) > ROUNDING
        reason = "the estimate was cut to the range of a share" if is_cut else None
        if min(share, 1.0 - share) <= ROUNDING:
            share = float(round(share))
        if target == "pool" and is_census(self.design):
            return Interval(self.value, self.value, level, target, df, "census")
        if target == "pool" and self.exact_count is not None:
            low, high = hypergeometric_interval(self.exact_count, n, n_items, level)
            return Interval(low, high, level, target, df, "hypergeometric", reason)
        unseen = 1.0 - n / n_items if target == "pool" else 1.0
        variance = self.variances.of(target) / unseen
        n_independent = independent_labels(self.design)
        if shows_no_spread(self.variances, self.design, target):
            variance = 0.0
        least = surprise_variance(n_independent)
        if self.all_alike:
            least = share * (1.0 - share) / n_independent
        found, variance = variance, max(variance, least)
        low, high = korn_graubard(
            share, variance, n=n, n_independent=n_independent, df=df, level=level
        )
        lower, upper = share - low, high - share
        if 0.0 < share < 1.0 and not self.all_alike:
            skew = self.variances.skew_of(target) * (found / variance) ** 1.5
            natural = (1.0 - 2.0 * share) * math.sqrt(variance) / (share * (1.0 - share))
            natural = min(max(natural, -1.0), 1.0)
            lower, upper = stretched(lower, upper, counted(skew, df), natural, level)
        shrink = math.sqrt(unseen)
        return Interval(
            max(share - shrink * lower, 0.0),
            min(share + shrink * upper, 1.0),
            level,
            target,
            df,
            method_name("Korn-Graubard", self.design),
            reason,
        )


def stretched(
    lower: float, upper: float, skew: float, natural: float, level: float
) -> tuple[float, float]:
    """Return the arms of a share's interval, the one on the side of the skewness made longer.

    Clopper-Pearson arms are those of a binomial count, of standardised third moment `natural`.
    A few surprises to a near-perfect judge, all in one direction, are more skewed than that.
    """
    own, binomial = asymmetry(skew, level), asymmetry(natural, level)
    if skew > 0.0:
        return lower, upper * max(own[1] / binomial[1], 1.0)
    return lower * max(own[0] / binomial[0], 1.0), upper


@dataclass(frozen=True, eq=False)
class AtLeastZero:
    """Interval of a variance: another rule's, cut at 0."""

    inner: IntervalRule

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        found = self.inner.interval(level, target, method)
        if not found.low < 0.0:
            return found
        return replace(found, low=0.0, high=max(found.high, 0.0), reason="cut at 0")


@dataclass(frozen=True, eq=False)
class RootRule:
    """Interval of a standard deviation: the square root of the variance's interval."""

    variance_rule: IntervalRule

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        inner = self.variance_rule.interval(level, target, method)
        if math.isnan(inner.low):
            return inner
        low, high = (math.sqrt(end) for end in inner)
        return Interval(
            low, high, level, target, inner.df, f"root of variance {inner.method}", inner.reason
        )
