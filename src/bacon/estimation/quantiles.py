"""Quantiles by inverting the augmented distribution function.

F(theta) is the augmented mean of 1{Y <= theta}, predicted by phi(x; theta) = P(Y <= theta | x)
(paper, section 2.3, the moment for the tau-th quantile). It is looked up at label values only,
made monotone and clipped to [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.designs import is_census
from bacon.estimation.estimands import Setting, build
from bacon.estimation.influence import Influence
from bacon.estimation.intervals import Interval, Target, no_interval, t_quantile
from bacon.estimation.rules import check_method
from bacon.estimation.sandwich import degrees_of_freedom, pool_variance, variances

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.estimation.distributions import DistributionFunction
    from bacon.estimation.results import Estimate

__all__ = ["quantile_estimate"]


@dataclass(frozen=True, eq=False)
class Curve:
    """F at ascending label values, with its standard errors; the search adds points to it."""

    y: FloatArray
    distribution: DistributionFunction
    setting: Setting
    values: FloatArray
    design_effect: float
    df: float
    points: dict[int, tuple[float, float, float]]

    def look_up(self, positions: FloatArray) -> None:
        """Add F and both standard errors at the `positions` of `values` not known yet."""
        new = np.array([int(p) for p in np.unique(positions) if int(p) not in self.points])
        if len(new) == 0:
            return
        thetas = self.values[new]
        design = self.setting.design
        weights = 1.0 / design.pi
        residual = (self.y[:, None] <= thetas[None, :]) - self.distribution.labelled(thetas)
        correction = weights @ residual / weights.sum()
        share = np.clip(self.distribution.pool_mean(thetas) + correction, 0.0, 1.0)
        n_items = design.n_items
        for k, position in enumerate(new):
            v_pool = pool_variance(residual[:, k] - correction[k], design)
            unit = n_items / (n_items - 1.0) * (share[k] * (1.0 - share[k]) + v_pool)
            v_population = v_pool + self.design_effect * unit / n_items
            self.points[int(position)] = (
                float(share[k]),
                math.sqrt(v_pool),
                math.sqrt(v_population),
            )

    def shares(self, shift: float, target: Target) -> tuple[FloatArray, FloatArray]:
        """Return known positions and the monotone F + shift * se at them."""
        column = 1 if target == "pool" else 2
        positions = np.array(sorted(self.points))
        table = np.array([self.points[int(p)] for p in positions])
        share = np.maximum.accumulate(table[:, 0])
        return positions, share + shift * table[:, column]

    def first_at_or_above(self, tau: float, shift: float, target: Target) -> int | None:
        """Return the first position with F + shift * se >= tau, refining until it is exact."""
        last = len(self.values) - 1
        while True:
            positions, shares = self.shares(shift, target)
            reached = np.flatnonzero(shares >= tau - 1e-12)
            if len(reached) == 0:
                return None
            k = int(reached[0])
            high = int(positions[k])
            low = int(positions[k - 1]) if k > 0 else -1
            if high - low <= 1:
                return min(high, last)
            self.look_up(np.unique(np.linspace(low + 1, high, self.distribution.grid).round()))


@dataclass(frozen=True, eq=False)
class QuantileRule:
    """Score interval: every label value that the augmented distribution does not contradict.

    The pool quantile q has F(q) >= tau and F just below q < tau. A label value stays in
    the interval unless F at it is too far below tau, or F at the next lower label value too
    far above tau, by more than t standard errors.
    """

    curve: Curve
    tau: float
    scale: tuple[float, float] | None

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        check_method(method)
        curve, df = self.curve, self.curve.df
        if target == "pool" and is_census(curve.setting.design):
            value = float(curve.values[curve.first_at_or_above(self.tau, 0.0, "pool") or 0])
            return Interval(value, value, level, target, df, "census")
        if len(curve.values) == 1:
            return no_interval(
                level, target, df, "all labels are alike, so they bound no quantile but their own"
            )
        t = t_quantile(level, df)
        low = curve.first_at_or_above(self.tau, t, target)
        # The first label value at which F is clearly above tau is the last one that can stay.
        high = curve.first_at_or_above(self.tau + 2e-12, -t, target)
        last = len(curve.values) - 1
        at_edge = low in (None, 0) or high is None
        ends = (
            float(curve.values[last if low is None else low]),
            float(curve.values[last if high is None else high]),
        )
        if high is None and self.scale is not None:
            ends = (ends[0], self.scale[1])
        if low == 0 and self.scale is not None and curve.points[0][0] > self.tau:
            ends = (self.scale[0], ends[1])
        reason = "an end is the smallest or largest label" if at_edge else None
        return Interval(*ends, level, target, df, "score", reason)


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
    design = setting.design
    values = np.unique(y)
    curve = Curve(y, distribution, setting, values, 1.0, degrees_of_freedom(design), {})
    curve.look_up(np.linspace(0, len(values) - 1, distribution.grid).round())
    found = curve.first_at_or_above(tau, 0.0, "pool")
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
    phi = distribution.everywhere(value)
    residual = (y <= value) - phi[design.rows]
    correction = float((1.0 / design.pi) @ residual / (1.0 / design.pi).sum())
    share = Influence(residual - correction, ((1.0, phi),), -float(phi.mean()))
    if setting.cluster is not None:
        clustered = variances(share, design, setting.cluster)
        alone = variances(share, design)
        spread = alone.population - alone.pool
        effect = (clustered.population - clustered.pool) / spread if spread > 0.0 else 1.0
        curve = Curve(y, distribution, setting, values, effect, curve.df, curve.points)
        curve.points.clear()
        curve.look_up(np.linspace(0, len(values) - 1, distribution.grid).round())
    rule = QuantileRule(curve, tau, setting.scale)
    return build(
        f"quantile:{tau:g}",
        value,
        share.scaled(-1.0 / _density(rule)),
        setting,
        rule=lambda _: rule,
        notices=notices,
    )


def _density(rule: QuantileRule) -> float:
    """Return the density of the outcome at the quantile, from the slope across its interval.

    NaN where the interval is a single point or missing: a standard error then has no meaning.
    """
    interval = rule.interval(0.95, "population", "auto")
    width = interval.high - interval.low
    if not width > 0.0:
        return math.nan
    curve = rule.curve
    ends = [int(np.searchsorted(curve.values, end)) for end in interval]
    ends = [min(end, len(curve.values) - 1) for end in ends]
    curve.look_up(np.array(ends))
    rise = curve.points[ends[1]][0] - curve.points[ends[0]][0]
    return max(rise, 1e-12) / width
