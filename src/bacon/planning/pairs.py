"""What the error of every difference between two systems is made of.

V_first(m) + V_second(m), V_g(m) = S_g^2 (1/m - 1/N_g), with degrees of freedom by Welch and
Satterthwaite. Where whole clusters are drawn, systems share them, and the pilot's own variance
of each difference is scaled instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.calibration.groups import group_estimates
from bacon.errors import InputError
from bacon.estimation.compare import contrast
from bacon.estimation.comparisons import pairs_of

if TYPE_CHECKING:
    from bacon.data.notice import Notice
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate
    from bacon.planning.plan import Plan
    from bacon.planning.spread import Spread

__all__ = ["Pair", "assumed_pairs", "pilot_pairs"]


@dataclass(frozen=True, slots=True)
class Pair:
    """What the error of one difference is made of.

    Parameters
    ----------
    first, second : str
        The systems.
    units : (float, float)
        Residual variance S_g^2 of each.
    sizes : (int, int)
        Items N_g of each.
    between : float
        What the population's variance has beyond the pool's.
    shared : float or None
        Of whole clusters drawn: the variance of the difference times labels per system, before
        the finite-pool factor; None where systems are labelled independently.
    df_share : float
        Degrees of freedom per label, where clusters are drawn.
    """

    first: str
    second: str
    units: tuple[float, float]
    sizes: tuple[int, int]
    between: float
    shared: float | None = None
    df_share: float = 1.0

    def error(self, m: int, target: Target, factor: float) -> tuple[float, float]:
        """Return variance and degrees of freedom of the difference at m labels per system."""
        extra = self.between if target == "population" else 0.0
        if self.shared is not None:
            size = min(self.sizes)
            rest = max(1.0 / m - 1.0 / size, 0.0)
            return self.shared * factor * rest + extra, max(self.df_share * m - 1.0, 1.0)
        parts = [
            unit * factor * max(1.0 / m - 1.0 / size, 0.0)
            for unit, size in zip(self.units, self.sizes, strict=True)
        ]
        total = sum(parts)
        freedom = [max(min(m, size) - 1.0, 1.0) for size in self.sizes]
        spent = sum(part**2 / df for part, df in zip(parts, freedom, strict=True))
        return total + extra, total**2 / spent if spent > 0.0 else math.inf


def assumed_pairs(
    plan: Plan, n_systems: int | None, by: str | None, baseline: str | None
) -> tuple[dict[str, int], list[Pair], list[Pair]]:
    """Return the pairs of systems that are alike and have equally many items."""
    if by is not None or baseline is not None:
        raise InputError(
            "an assumption knows no column of systems; say how many there are (systems=, "
            "--systems), or give a pilot."
        )
    if n_systems is None or isinstance(n_systems, bool) or n_systems < 2:
        raise InputError(
            f"say how many systems are compared (systems=, --systems), 2 or more; got {n_systems}."
        )
    size = plan.n_items // n_systems
    if size < 2:
        raise InputError(
            f"{plan.n_items:,} items are too few for {n_systems:,} systems: each needs 2 at least."
        )
    names = [f"system {k + 1}" for k in range(n_systems)]

    def alike(side: Spread) -> list[Pair]:
        between = 2.0 * side.between * plan.n_items / size
        units = (side.unit, side.unit)
        pairs = pairs_of(names, None)
        return [Pair(a, b, units, (size, size), between) for a, b in pairs]

    return dict.fromkeys(names, size), alike(plan.with_judges), alike(plan.alone)


def pilot_pairs(
    plan: Plan, column: str, baseline: str | None, *, labels_alone: bool
) -> tuple[dict[str, int], list[Pair], tuple[Notice, ...]]:
    """Return the pairs of systems as the pilot shows them."""
    if plan.pilot is None:
        raise InputError("there is no pilot.")
    found = group_estimates(plan.pilot, plan.estimand, column, labels_alone=labels_alone)
    if len(found) < 2:
        raise InputError(
            f"fewer than two groups of {column} have 2 labels in the pilot, so there is nothing to "
            "compare; label items of more of them."
        )
    pairs = [_pair(found[a], found[b], (a, b)) for a, b in pairs_of(list(found), baseline)]
    if not all(math.isfinite(pair.units[0] + pair.units[1] + pair.between) for pair in pairs):
        raise InputError(
            f"the labels of a group of {column} show no spread; label more items of it."
        )
    return {name: one.n_items for name, one in found.items()}, pairs, found.notices


def _pair(a: Estimate, b: Estimate, names: tuple[str, str]) -> Pair:
    """Return what the pilot says of one difference."""
    both = contrast(a, b)
    units = tuple(_unit(one) for one in (a, b))
    between = max(both.variances.population - both.variances.pool, 0.0)
    shared, df_share = None, 1.0
    if a.design.psu is not None:
        m = (a.n_labels + b.n_labels) / 2.0
        size = min(a.n_items, b.n_items)
        shared = both.variances.pool / max(1.0 / m - 1.0 / size, 1e-12)
        df_share = (both.df + 1.0) / m
    return Pair(*names, (units[0], units[1]), (a.n_items, b.n_items), between, shared, df_share)


def _unit(one: Estimate) -> float:
    """Return the residual variance of a group."""
    n, size = one.n_labels, one.n_items
    if n < size:
        return one.variances.pool / (1.0 / n - 1.0 / size)
    residual = one.influence_values.residual
    return float(residual @ residual) / (n - 1.0)
