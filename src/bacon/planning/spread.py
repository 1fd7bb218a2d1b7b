"""What an interval of n labels would be, from what a pilot showed or what is assumed.

For these N items (a draw like the pilot's), and for more items like them:

    V_pool(n) = S_r^2(n) (1/n - 1/N),    V_population(n) = V_pool(n) + S_y^2 / N

with S_r^2(n) the residual variance at n labels (:mod:`bacon.planning.curve`). The interval is
the one that an estimate would print: Student's t at the degrees of freedom of n labels,
corrected for the skewness of the residuals, or Korn and Graubard's of a share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import EstimationError
from bacon.estimation.designs import simple_design
from bacon.estimation.rules import ProportionRule
from bacon.estimation.sandwich import Variances, variance_parts
from bacon.estimation.skew import skew_arms
from bacon.planning.curve import FLAT, Curve

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate

__all__ = ["Spread", "fewest", "spread_of"]

TAILS = 2.0
"""What the excess kurtosis of a pilot counts, where it is asked how far off its variance may be."""


@dataclass(frozen=True, slots=True)
class Spread:
    """What the error of an estimate from n labels is made of.

    Parameters
    ----------
    n_items : int
        Items N of the pool.
    unit : float
        S_r^2 at the pilot's labels: V_pool over (1/n - 1/N), the middle of what it could be.
    between : float
        What V_population has beyond V_pool.
    skewness : float
        Standardised third moment of one residual.
    curve : Curve
        How S_r^2 falls with more labels.
    units : float
        Independent units a label counts for: drawn clusters over labels, fewer than labels under
        unequal chances too, else 1.
    lost : float
        Degrees of freedom that centring takes: the number of strata, else 1.
    error : float
        Relative standard error of `unit`; NaN for an assumption.
    doubt : float
        The same with `TAILS` times the excess kurtosis, of which few labels show too little.
    share : float or None
        The estimated share, where a share is estimated.
    clustered : bool
        Whether the units are clusters.
    """

    n_items: int
    unit: float
    between: float
    skewness: float = 0.0
    curve: Curve = FLAT
    units: float = 1.0
    lost: float = 1.0
    error: float = math.nan
    doubt: float = math.nan
    share: float | None = None
    clustered: bool = False

    def df(self, n: float) -> float:
        """Return the degrees of freedom at n labels."""
        return max(self.units * n - self.lost, 1.0)

    def variance(self, n: float, target: Target) -> float:
        """Return the variance of the estimate from n labels."""
        pool = self.unit * self.curve.at(n) * max(1.0 / n - 1.0 / self.n_items, 0.0)
        return pool if target == "pool" else pool + self.between

    def width(self, n: int, level: float, target: Target) -> float:
        """Return the full width of the interval at `level` from n labels."""
        if n >= self.n_items and target == "pool":
            return 0.0
        if self.share is not None:
            low, high = self._share_rule(n, self.share).interval(level, target, "auto")
            return high - low
        arms = skew_arms(self._skew(n, target), level, self.df(n))
        return float((arms[0] + arms[1]) * math.sqrt(self.variance(n, target)))

    def scaled(self, factor: float) -> Spread:
        """Return the same with `factor` times the residual variance."""
        return replace(self, unit=self.unit * factor)

    def _skew(self, n: float, target: Target) -> float:
        """Return the standardised third moment of the estimate from n labels."""
        skew = min(max(self.skewness / math.sqrt(n), -1.0), 1.0)
        if target == "pool" or skew == 0.0 or self.variance(n, target) == 0.0:
            return skew
        return float(skew * (self.variance(n, "pool") / self.variance(n, target)) ** 1.5)

    def _share_rule(self, n: int, share: float) -> ProportionRule:
        """Return the rule of a share's interval from n labels."""
        found = Variances(
            pool=self.variance(n, "pool"),
            population=self.variance(n, "population"),
            unit=share * (1.0 - share),
            df=self.df(n),
            skew_pool=self._skew(n, "pool"),
            skew_population=self._skew(n, "population"),
        )
        design = simple_design(np.arange(n), self.n_items)
        if self.clustered and self.units < 1.0:
            # As many clusters as there are independent units: how many the interval goes by.
            count = max(round(self.units * n), 2)
            design = replace(design, psu=np.arange(n) * count // n)
        return ProportionRule(share, found, design)


def spread_of(estimate: Estimate, curve: Curve, *, share: float | None = None) -> Spread:
    """Return what the estimate of a pilot says of one from more labels.

    Parameters
    ----------
    estimate : Estimate
        A mean or a share.
    curve : Curve
        Learning curve of its model.
    share : float, optional
        The share, where one is estimated.

    Raises
    ------
    EstimationError
        The pilot's labels show no spread.
    """
    design, found = estimate.design, estimate.variances
    n, n_items = estimate.n_labels, estimate.n_items
    residual = estimate.influence_values.residual
    if n == n_items:
        unit = float(residual @ residual) / (n - 1.0)
    else:
        pool = found.predicted_of("pool") if share is None else found.pool
        unit = pool / (1.0 / n - 1.0 / n_items)
    if not unit > 0.0 or unit <= found.rounding * n or found.alike:
        raise EstimationError(
            f"the {n:,} labels of the pilot are all alike, or the model hits every one, so they "
            "show no error to plan by; label more items, or assume one (--r2 and --sd, r2= and "
            "sd= in Python)."
        )
    units = 1.0
    if design.psu is not None or design.kind in ("poisson", "fixed"):
        units = min((found.df_corrected + 1.0) / n, 1.0)
    lost = n - found.df if design.kind == "stratified" else 1.0
    # A census has no error, and its residuals are all there is to know of their variance.
    parts = residual**2 if n == n_items else variance_parts(residual, design)
    parts = parts[np.isfinite(parts)]
    error = _relative_error(parts)
    # A variance from a few skewed residuals is more often too small than too large: as that of a
    # lognormal, its median lies sqrt(1 + e^2) below the mean.
    return Spread(
        n_items,
        unit * math.sqrt(1.0 + error**2),
        max(found.population - found.pool, 0.0),
        found.skew_pool * math.sqrt(n),
        curve,
        units,
        lost,
        error,
        _relative_error(parts, TAILS),
        share,
        clustered=design.psu is not None,
    )


def _relative_error(parts: FloatArray, tails: float = 1.0) -> float:
    """Return the relative standard error of a variance that is the sum of `parts` (c,).

    sqrt((kurtosis - 1) / c + 2 / (c (c - 1))), which is that of s^2 under a simple draw; an
    excess of the kurtosis over 3 counts `tails` times.
    """
    c = len(parts)
    total = float(parts.sum())
    if c < 2 or not total > 0.0:
        return 1.0
    kurtosis = c * float(parts @ parts) / total**2
    kurtosis += (tails - 1.0) * max(kurtosis - 3.0, 0.0)
    return math.sqrt((kurtosis - 1.0) / c + 2.0 / (c * (c - 1.0)))


def fewest(spread: Spread, width: float, level: float, target: Target) -> int | None:
    """Return the fewest labels whose interval is at most `width` wide; None where N do not.

    Solves ``n = 1 / ((w / 2t)^2 / S_r^2 + 1/N)`` for these items and ``V_pool + S_y^2/N =
    (w / 2t)^2`` for more items like them, with t and S_r^2 at the planned n, by bisection: the
    width falls with n.

    Examples
    --------
    A textbook sample size: S = 1, N = 1,000, half-width 0.1.

    >>> fewest(Spread(1000, 1.0, 0.001), 0.2, 0.95, "pool")
    280
    """
    low, high = 2, spread.n_items
    if spread.width(high, level, target) > width:
        return None
    while low < high:
        middle = (low + high) // 2
        if spread.width(middle, level, target) <= width:
            high = middle
        else:
            low = middle + 1
    return low
