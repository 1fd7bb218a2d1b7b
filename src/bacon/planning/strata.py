"""Labels of every stratum for one interval of all items.

    V_pool = sum_h (N_h / N)^2 S_h^2 (1/n_h - 1/N_h)

with n_h by the size of the strata (proportional) or by size times spread (Neyman). The spread
of a stratum with few labels is moderated by what all labels say of squared residuals
(:mod:`bacon.estimation.moderated`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.estimand import parse_estimand
from bacon.errors import InputError
from bacon.estimation.moderated import fit_squares, moderated
from bacon.estimation.skew import skew_arms
from bacon.planning.widths import check_positive
from bacon.sampling.allocation import SMALLEST, neyman, proportional
from bacon.sampling.strata import strata_codes, strata_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.arrays import FloatArray, IntArray
    from bacon.planning.plan import Plan
    from bacon.planning.spread import Spread

__all__ = ["StrataPlan", "plan_strata", "stratified_labels", "stratum_variances"]


@dataclass(frozen=True, eq=False)
class StrataPlan:
    """Labels per stratum; made by :meth:`Plan.by_stratum`.

    Parameters
    ----------
    width : float
        Full width wanted, for all items.
    strata : str
        The strata, as asked for.
    table : polars.DataFrame
        stratum, items, pilot (labels it has), sd (of residuals), proportional and neyman
        (labels), alone_proportional and alone_neyman (without the judges).
    """

    plan: Plan = field(repr=False)
    width: float
    strata: str
    table: pl.DataFrame = field(repr=False)

    def total(self, column: str) -> int:
        """Return the labels of all strata: proportional, neyman, alone_..."""
        return int(self.table[column].sum())

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw in proportion to the strata."""
        n = self.total("proportional")
        return ["-n", str(n), "--strata", self.strata, "--allocation", "proportional"]

    def summary(self) -> str:
        """Return the plan as the command prints it."""
        from bacon.planning.text import strata_lines

        return "\n".join(strata_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as the JSON of ``bacon plan --json`` has it under ``strata``."""
        from bacon.planning.record import strata_record

        return strata_record(self)

    __str__ = summary
    __repr__ = summary


def plan_strata(plan: Plan, width: float, strata: str) -> StrataPlan:
    """Return the labels of every stratum; see :meth:`Plan.by_stratum`."""
    import polars as pl

    check_positive("width", width)
    cal = plan.pilot
    if cal is None:
        raise InputError("labels per stratum need a pilot, which shows how strata differ.")
    rule = strata_rule(cal.pool, strata)
    codes = strata_codes(cal.pool, rule)
    sizes = np.asarray(rule.sizes)
    rows = cal.aligned.design.rows
    asked = parse_estimand(plan.estimand, cal.levels)
    columns: dict[str, Any] = {
        "stratum": list(rule.names),
        "items": sizes,
        "pilot": np.bincount(codes[rows], minlength=len(sizes)),
    }
    for alone in (False, True):
        estimate = cal.estimate(asked.name, labels_alone=alone, raters="these")
        side = plan.alone if alone else plan.with_judges
        residual = estimate.influence_values.residual
        variances = stratum_variances(residual, cal.estimate(asked.name), codes, side)
        if not alone:
            columns["sd"] = np.sqrt(variances)
        for name, shares in (("proportional", None), ("neyman", np.sqrt(variances))):
            counts = stratified_labels(plan, side, width, sizes, variances, shares)
            columns[f"alone_{name}" if alone else name] = counts
    return StrataPlan(plan, width, strata, pl.DataFrame(columns))


def stratum_variances(
    residual: FloatArray, estimate: Any, codes: IntArray, side: Spread
) -> FloatArray:
    """Return the residual variance (H,) of every stratum.

    Parameters
    ----------
    residual : (m,) float64
        Centred residuals of the labelled rows.
    estimate : Estimate
        The pilot's estimate with the judges, whose predictions say which items are hard.
    codes : (N,) int64
        Stratum of every item.
    side : Spread
        What all items together show.
    """
    n_strata = int(codes.max()) + 1
    rows = estimate.design.rows
    g = estimate.influence_values.prediction(slice(None))
    of_label = codes[rows]
    n = np.bincount(of_label, minlength=n_strata).astype(np.float64)
    means = np.bincount(of_label, weights=residual, minlength=n_strata) / np.maximum(n, 1.0)
    stretch = np.where(n > 1.0, np.sqrt(n / np.maximum(n - 1.0, 1.0)), 0.0)
    scaled = stretch[of_label] * (residual - means[of_label])
    seen = n > 1.0
    if not seen.any():
        return np.full(n_strata, side.unit)
    inside = seen[of_label]
    expected_items = fit_squares(g[rows][inside], scaled[inside] ** 2, g)
    expected = np.bincount(codes, weights=expected_items) / np.bincount(codes)
    squares = np.bincount(of_label, weights=scaled**2, minlength=n_strata)
    position = np.cumsum(seen) - 1
    found = expected.copy()
    if seen.sum() > 1:
        own = (squares / np.maximum(n, 1.0))[seen]
        made = moderated(scaled[inside], position[of_label[inside]], expected[seen], own)
        found[seen] = made.variance
    return np.maximum(found, 1e-12 * side.unit)


def stratified_labels(
    plan: Plan,
    side: Spread,
    width: float,
    sizes: IntArray,
    variances: FloatArray,
    spreads: FloatArray | None,
) -> IntArray:
    """Return the fewest labels (H,) per stratum for the width, by Neyman or proportional shares.

    Parameters
    ----------
    variances : (H,) float64
        Residual variance of every stratum at the pilot's labels.
    spreads : (H,) float64 or None
        Spreads for Neyman's shares; None for proportional ones.
    """
    n_items = int(sizes.sum())

    def counts(n: int) -> IntArray:
        made = proportional(n, sizes) if spreads is None else neyman(n, sizes, spreads)
        return made.counts

    def wide(n: int) -> float:
        n_h = counts(n)
        pool = float((sizes / n_items) ** 2 * variances @ (1.0 / n_h - 1.0 / sizes))
        pool *= side.curve.at(n)
        total = pool + (side.between if plan.target == "population" else 0.0)
        if total <= 0.0:
            return 0.0
        skew = min(max(side.skewness / math.sqrt(n), -1.0), 1.0) * (pool / total) ** 1.5
        df = max(n - len(sizes), 1.0)
        return sum(skew_arms(skew, plan.level, df)) * math.sqrt(total)

    low = int(np.minimum(SMALLEST, sizes).sum())
    return counts(_least(wide, low, n_items, width))


def _least(wide: Callable[[int], float], low: int, high: int, width: float) -> int:
    """Return the fewest labels from `low` to `high` that reach the width."""
    if wide(high) > width:
        raise InputError(
            f"no interval can be {width:g} wide: with all {high:,} items labelled it still is "
            f"{wide(high):.3g} wide; ask for a larger width, or for these items (--target pool)."
        )
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wide(middle) <= width else (middle + 1, high)
    return low
