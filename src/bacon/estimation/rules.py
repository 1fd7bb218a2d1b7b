"""How each estimand's interval is made, with the cases where t alone would claim too much."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.estimation.intervals import (
    Interval,
    Target,
    hypergeometric_interval,
    korn_graubard,
    no_interval,
    t_interval,
    unseen_share_bound,
)

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.sandwich import Variances

__all__ = ["ProportionRule", "TRule", "no_spread"]

BREWER = "Brewer approximation"


def no_spread(residual: FloatArray, y: FloatArray) -> bool:
    """Whether residuals are all alike up to rounding, so that they show no spread."""
    return float(np.abs(residual).max()) <= 1e-12 * float(np.abs(y).max())


def check_method(method: str) -> None:
    """Refuse an unknown interval method."""
    if method not in ("auto", "t"):
        raise InputError(f'method must be "auto" or "t"; got {method!r}.')


@dataclass(frozen=True, eq=False)
class TRule:
    """Student's t, cut to the scale where one is given.

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
    degenerate : bool
        The labelled residuals show no spread though not every item is labelled. Up to
        1 - (1 - level)^(1/n) of the items could still be off by the width of the scale, and
        the interval says so; without a scale there is no valid interval.
    """

    value: float
    variances: Variances
    design: SurveyDesign
    scale: tuple[float, float] | None = None
    degenerate: bool = False

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method)
        variance = self.variances.pool if target == "pool" else self.variances.population
        df = self.variances.df
        if self.degenerate and self.scale is None:
            return no_interval(
                level,
                target,
                df,
                "the labels leave no spread to judge the error by; give the scale (its lowest "
                "and highest value) or more labels",
            )
        name = f"t, {BREWER}" if self.design.kind == "fixed" else "t"
        interval = t_interval(self.value, variance, df, level=level, target=target, method=name)
        if self.degenerate and self.scale is not None:
            weights = 1.0 / self.design.pi
            n_eff = weights.sum() ** 2 / (weights @ weights)
            slack = unseen_share_bound(n_eff, level) * (self.scale[1] - self.scale[0])
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
    simple draw have the exact hypergeometric interval.

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
    """

    value: float
    variances: Variances
    design: SurveyDesign
    exact_count: int | None = None

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method)
        if method == "t":
            rule = TRule(self.value, self.variances, self.design, (0.0, 1.0))
            return rule.interval(level, target, "t")
        n, n_items, df = self.design.n_labels, self.design.n_items, self.variances.df
        share = min(max(self.value, 0.0), 1.0)
        reason = None if share == self.value else "the estimate was cut to the range of a share"
        if target == "population":
            low, high = korn_graubard(share, self.variances.population, n=n, df=df, level=level)
            return Interval(low, high, level, target, df, "Korn-Graubard", reason)
        if np.all(self.design.pi == 1.0):
            return Interval(self.value, self.value, level, target, df, "census")
        if self.exact_count is not None:
            low, high = hypergeometric_interval(self.exact_count, n, n_items, level)
            return Interval(low, high, level, target, df, "hypergeometric", reason)
        unseen = 1.0 - n / n_items
        low, high = korn_graubard(share, self.variances.pool / unseen, n=n, df=df, level=level)
        shrink = math.sqrt(unseen)
        return Interval(
            share - shrink * (share - low),
            share + shrink * (high - share),
            level,
            target,
            df,
            "Korn-Graubard",
            reason,
        )
