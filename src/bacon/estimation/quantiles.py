"""Quantiles by inverting the augmented distribution function.

F(theta) is the augmented mean of 1{Y <= theta}, predicted by phi(x; theta) = P(Y <= theta | x)
(paper, section 2.3, the moment for the tau-th quantile). It is looked up at label values only,
made monotone and clipped to [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.augmented import augmented_mean, corrected_mean
from bacon.estimation.designs import independent_labels, is_census
from bacon.estimation.estimands import Setting, build
from bacon.estimation.intervals import (
    Interval,
    Target,
    df_factor,
    limits_about,
    no_interval,
    surprise_variance,
    t_quantile,
    unseen_share_bound,
)
from bacon.estimation.rules import check_method, method_name
from bacon.estimation.sandwich import centring, degrees_of_freedom, pool_variance, variances

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.estimation.distributions import DistributionFunction
    from bacon.estimation.influence import Influence
    from bacon.estimation.results import Estimate

    # How far F may lie from tau, from F (k,) and its standard errors (k,).
    Arm = Callable[[FloatArray, FloatArray], FloatArray]

__all__ = ["quantile_estimate"]


NAMES = {"auto": "score, Korn-Graubard", "t": "score, t", "z": "score, normal"}
"""Names of interval methods; auto has Korn-Graubard limits."""

Points = dict[int, tuple[float, float, float]]
"""F and its standard errors (pool, population) by position of the label value."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The augmented distribution function F at label values, with its standard errors.

    Every search starts from the same grid and keeps what it looks up to itself, so that an
    interval does not depend on which others were asked for.

    Parameters
    ----------
    y : (m,) float64
        Outcome at the labelled rows.
    distribution : DistributionFunction
        Predicted distribution of the outcome.
    setting : Setting
        Design and what goes with it.
    values : (T,) float64
        Different label values, ascending.
    design_effect : float
        What shared clusters multiply the population part by.
    """

    y: FloatArray
    distribution: DistributionFunction
    setting: Setting
    values: FloatArray
    design_effect: float = 1.0

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard errors."""
        return degrees_of_freedom(self.setting.design)

    @cached_property
    def _grid(self) -> Points:
        """The points every search starts from."""
        last = len(self.values) - 1
        return self.look_up(np.linspace(0, last, self.distribution.grid).round())

    def look_up(self, positions: FloatArray) -> Points:
        """Return F and both standard errors at `positions` of `values`."""
        chosen = np.unique(positions).astype(np.int64)
        design, n_items = self.setting.design, self.setting.design.n_items
        thetas = self.values[chosen]
        event = (self.y[:, None] <= thetas[None, :]).astype(np.float64)
        phi = self.distribution.labelled(thetas)
        mean_phi = self.distribution.pool_mean(thetas)
        points: Points = {}
        for k, position in enumerate(chosen):
            share, residual = corrected_mean(event[:, k], phi[:, k], float(mean_phi[k]), design)
            share = min(max(share, 0.0), 1.0)
            v_pool = pool_variance(residual, design)
            # An indicator's own square is itself, so AEE(h^2) is F (1 - F) here.
            second = share * (1.0 - share) + centring(phi[:, k], residual, design)
            unit = max(n_items / (n_items - 1.0) * second, 0.0)
            v_population = v_pool + self.design_effect * unit / n_items
            points[int(position)] = (share, math.sqrt(v_pool), math.sqrt(v_population))
        return points

    def first_at_or_above(
        self, tau: float, arm: Arm | None = None, target: Target = "pool"
    ) -> int | None:
        """Return the first position with monotone F >= tau + arm, None if there is none."""
        points = dict(self._grid)
        column = 1 if target == "pool" else 2
        while True:
            positions = np.array(sorted(points))
            table = np.array([points[int(p)] for p in positions])
            shares = np.maximum.accumulate(table[:, 0])
            needed = tau if arm is None else tau + arm(shares, table[:, column])
            reached = np.flatnonzero(shares >= needed - 1e-12)
            if len(reached) == 0:
                return None
            k = int(reached[0])
            high = int(positions[k])
            low = int(positions[k - 1]) if k > 0 else -1
            if high - low <= 1:
                return high
            between = np.linspace(low + 1, high - 1, self.distribution.grid).round()
            points |= self.look_up(between)

    def share_at(self, value: float) -> float:
        """Return F at a label value (the nearest one at or above, else the last)."""
        position = min(int(np.searchsorted(self.values, value)), len(self.values) - 1)
        return self.look_up(np.array([position]))[position][0]


@dataclass(frozen=True, eq=False)
class QuantileRule:
    """Score interval: every label value that the augmented distribution does not contradict.

    The pool quantile q has F(q) >= tau and F just below q < tau. A label value stays in
    the interval unless F at it is below the lower limit about tau, or F at the next lower label
    value above the upper one.
    """

    curve: Curve
    tau: float
    scale: tuple[float, float] | None

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method, tuple(NAMES))
        curve, df = self.curve, self.curve.df
        if target == "pool" and is_census(curve.setting.design):
            value = float(curve.values[curve.first_at_or_above(self.tau) or 0])
            return Interval(value, value, level, target, df, "census")
        if len(curve.values) == 1:
            return no_interval(
                level, target, df, "all labels are alike, so they bound no quantile but their own"
            )
        below, above = self._arms(level, target, method)
        low = curve.first_at_or_above(self.tau, below, target)
        # The first label value at which F is clearly above tau is the last one that can stay.
        high = curve.first_at_or_above(self.tau + 2e-12, above, target)
        last = len(curve.values) - 1
        ends = (
            float(curve.values[last if low is None else low]),
            float(curve.values[last if high is None else high]),
        )
        ends, reason = self._beyond_labels(ends, level, target)
        name = method_name(NAMES[method], curve.setting.design)
        return Interval(*ends, level, target, df, name, reason)

    def _arms(self, level: float, target: Target, method: str) -> tuple[Arm, Arm]:
        """Return how far below and above tau F may lie.

        By method auto, to the Clopper-Pearson limits about tau at the effective number of labels
        of F (Korn and Graubard 1998); t and z standard errors otherwise.
        """
        design, df = self.curve.setting.design, self.curve.df
        if method != "auto":
            t = t_quantile(level, df if method == "t" else math.inf)
            return lambda _, se: -t * se, lambda _, se: t * se
        unseen = 1.0 - design.n_labels / design.n_items if target == "pool" else 1.0
        n_independent = independent_labels(design)
        factor = df_factor(design.n_labels, df, level)

        def limits(shares: FloatArray, se: FloatArray) -> tuple[FloatArray, FloatArray]:
            variance = np.maximum(se**2 / unseen, surprise_variance(n_independent))
            spread = shares * (1.0 - shares)
            n_eff = np.where(spread > 0.0, factor * spread / variance, n_independent)
            return limits_about(self.tau, n_eff, level)

        shrink = math.sqrt(unseen)
        return (
            lambda shares, se: shrink * (limits(shares, se)[0] - self.tau),
            lambda shares, se: shrink * (limits(shares, se)[1] - self.tau),
        )

    def _beyond_labels(
        self, ends: tuple[float, float], level: float, target: Target
    ) -> tuple[tuple[float, float], str | None]:
        """Open an end that the labels cannot bound: to the scale's, else to infinity.

        None of the n labels lies beyond the smallest and the largest one, and so at most a
        share 1 - ((1 - level)/2)^(1/n) of the items does. Where tau, or 1 - tau, is no more
        than that, the quantile may lie there.
        """
        design = self.curve.setting.design
        unseen = unseen_share_bound(independent_labels(design), (1.0 + level) / 2.0)
        if target == "pool":
            unseen = min(unseen, 1.0 - design.n_labels / design.n_items)
        low, high = self.scale or (-math.inf, math.inf)
        opened = self.tau <= unseen, 1.0 - self.tau <= unseen
        ends = (low if opened[0] else ends[0], high if opened[1] else ends[1])
        if not any(opened):
            return ends, None
        return ends, "the labels are too few to bound a quantile this near to an end"


def quantile_estimate(
    tau: float, y: FloatArray, distribution: DistributionFunction, setting: Setting
) -> Estimate:
    """Estimate the tau-th quantile of the outcome over the pool.

    The smallest label value with F >= tau. O(N log N + m T) for T looked-up label values.

    Parameters
    ----------
    tau : float
        Level of the quantile in (0, 1).
    y : (m,) float64
        Outcome at the labelled rows.
    distribution : DistributionFunction
        Predicted distribution of the outcome.
    setting : Setting
        Design and what goes with it.
    """
    if not 0.0 < tau < 1.0:
        raise InputError(f"a quantile needs a level between 0 and 1, such as 0.5; got {tau!r}.")
    values = np.unique(y)
    curve = Curve(y, distribution, setting, values)
    found = curve.first_at_or_above(tau)
    position = len(values) - 1 if found is None else found
    value = float(values[position])
    notices: tuple[Notice, ...] = ()
    if found is None:
        notices = (
            Notice(
                "quantile_beyond_labels",
                f"The estimated share at or below the largest label {value:g} is under {tau:g}; "
                "the quantile is reported as that label.",
            ),
        )
    event = (y <= value).astype(np.float64)
    share = augmented_mean(event, distribution.everywhere(value), setting.design).influence
    if setting.cluster is not None:
        curve = replace(curve, design_effect=_design_effect(share, setting))
    rule = QuantileRule(curve, tau, setting.scale)
    return build(
        f"quantile:{tau:g}",
        value,
        share.scaled(-1.0 / _density(rule)),
        setting,
        rule=lambda _: rule,
        notices=notices,
    )


def _design_effect(share: Influence, setting: Setting) -> float:
    """Return what shared clusters multiply the population part of F at the quantile by."""
    alone = variances(share, setting.design)
    spread = alone.population - alone.pool
    if spread <= 0.0:
        return 1.0
    clustered = variances(share, setting.design, setting.cluster)
    return (clustered.population - clustered.pool) / spread


def _density(rule: QuantileRule) -> float:
    """Return the density of the outcome at the quantile, from the slope across its interval.

    NaN where the interval is a single point or missing: a standard error then has no meaning.
    """
    interval = rule.interval(0.95, "population", "auto")
    ends = np.clip(tuple(interval), rule.curve.values[0], rule.curve.values[-1])
    width = float(ends[1] - ends[0])
    if not width > 0.0:
        return math.nan
    low, high = (rule.curve.share_at(float(end)) for end in ends)
    return max(high - low, 1e-12) / width
