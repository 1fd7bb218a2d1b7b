"""Labels for a wanted width: with the judges, without them, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.checks import is_number
from bacon.errors import InputError
from bacon.estimation.intervals import t_quantile
from bacon.planning.spread import Spread, fewest

if TYPE_CHECKING:
    import polars as pl

    from bacon.data.notice import Notice
    from bacon.planning.plan import Plan

__all__ = [
    "Need",
    "WidthPlan",
    "check_cost",
    "check_labels",
    "check_positive",
    "likely_factors",
    "needed",
    "plan_width",
    "width_table",
]

TABLE = (25, 50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000)
"""Numbers of labels in the table of widths."""


@dataclass(frozen=True, slots=True)
class Need:
    """Labels that a claim takes.

    Parameters
    ----------
    labels : int
        The plan.
    low, high : int or None
        What it could be after all, at the plan's level: the pilot knows the spread of the
        labels only so far. None for an assumption.
    """

    labels: int
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, eq=False)
class WidthPlan:
    """Labels for an interval of a wanted width; made by :meth:`Plan.for_width`.

    Parameters
    ----------
    width : float
        Full width wanted.
    judges, alone : Need
        With the judges, and with the labels alone.
    saved : float or None
        Money that the judges save, where labels have a price.
    table : polars.DataFrame
        labels, width, lower, upper (where its expectation could lie; null for an assumption)
        and width_alone.
    """

    plan: Plan = field(repr=False)
    width: float
    judges: Need
    alone: Need
    label_cost: float | None
    saved: float | None
    table: pl.DataFrame = field(repr=False)

    @property
    def n_labels(self) -> int:
        """Labels with the judges."""
        return self.judges.labels

    @property
    def n_alone(self) -> int:
        """Labels without them."""
        return self.alone.labels

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader must know."""
        return self.plan.notices

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw what is planned."""
        return ["-n", str(self.n_labels)]

    def summary(self) -> str:
        """Return the table and plain sentences, as the command prints them."""
        from bacon.planning.text import width_lines

        return "\n".join(width_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as the JSON of ``bacon plan --json`` has it under ``width``."""
        from bacon.planning.record import width_record

        return width_record(self)

    def __str__(self) -> str:
        """Return the plan in a sentence."""
        from bacon.planning.text import width_sentence

        return width_sentence(self)

    __repr__ = __str__


def plan_width(plan: Plan, width: float, label_cost: float | None) -> WidthPlan:
    """Return the labels for a wanted width; see :meth:`Plan.for_width`."""
    check_positive("width", width)
    check_cost("label_cost", label_cost)
    judges = needed(plan, plan.with_judges, width)
    alone = needed(plan, plan.alone, width)
    saved = None if label_cost is None else label_cost * (alone.labels - judges.labels)
    table = width_table(plan, (judges.labels, alone.labels))
    return WidthPlan(plan, width, judges, alone, label_cost, saved, table)


def needed(plan: Plan, side: Spread, width: float) -> Need:
    """Return the labels of one side, refusing a width beyond reach."""
    labels = fewest(side, width, plan.level, plan.target)
    if labels is None:
        floor = side.width(side.n_items, plan.level, plan.target)
        raise InputError(
            f"no interval for more items like these can be {width:g} wide: with all "
            f"{side.n_items:,} items labelled it still is {floor:.3g} wide, since these items are "
            f"themselves a sample; ask for a width above that, for these items (--target pool), or "
            "score a larger pool."
        )
    if math.isnan(side.error):
        return Need(labels)
    low, high = (
        fewest(side.scaled(factor), width, plan.level, plan.target)
        for factor in likely_factors(side, labels, plan.level)
    )
    return Need(labels, low or labels, side.n_items if high is None else high)


def likely_factors(side: Spread, n: int, level: float) -> tuple[float, float]:
    """Return what the residual variance at n labels could be, over what is planned with.

    exp(-/+ z e), e^2 the squared relative errors of the pilot's variance and of its learning
    curve, which may be off by as much as it takes off.
    """
    e = math.hypot(side.doubt, math.log(side.curve.at(n)))
    reach = t_quantile(level, math.inf) * e
    return math.exp(-reach), math.exp(reach)


def width_table(plan: Plan, extra: tuple[int, ...] = ()) -> pl.DataFrame:
    """Return widths at round numbers of labels, and at `extra` ones, ascending."""
    import polars as pl

    most = max([*(2 * n for n in extra), 4 * plan.n_pilot, 1_000 if not extra else 0])
    wanted = {n for n in TABLE if n <= most} | set(extra)
    if plan.n_items < TABLE[0]:
        wanted |= {2, *range(5, plan.n_items, 5)}
    rows = [width_row(plan, n) for n in sorted(wanted) if 2 <= n <= plan.n_items]
    schema = dict.fromkeys(("width", "lower", "upper", "width_alone"), pl.Float64)
    return pl.DataFrame(rows, schema={"labels": pl.Int64, **schema})


def width_row(plan: Plan, n: int) -> dict[str, Any]:
    """Return the widths that n labels would give."""
    side = plan.with_judges
    ends: tuple[float | None, float | None] = (None, None)
    if not math.isnan(side.error):
        low, high = (
            side.scaled(factor).width(n, plan.level, plan.target)
            for factor in likely_factors(side, n, plan.level)
        )
        ends = low, high
    return {
        "labels": n,
        "width": side.width(n, plan.level, plan.target),
        "lower": ends[0],
        "upper": ends[1],
        "width_alone": plan.alone.width(n, plan.level, plan.target),
    }


def check_labels(n: int, n_items: int) -> None:
    """Refuse what is no number of labels of N items."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise InputError(f"a number of labels is a whole number from 2 up; got {n!r}.")
    if n > n_items:
        raise InputError(
            f"{n:,} labels are more than there are items: the pool has {n_items:,}; ask for at "
            "most as many."
        )


def check_positive(name: str, value: object) -> None:
    """Refuse what is no finite number above 0."""
    if not is_number(value) or not 0.0 < value < math.inf:
        raise InputError(f"{name} must be a number above 0; got {value!r}.")


def check_cost(name: str, value: object) -> None:
    """Refuse a price below 0; None is no price."""
    if value is not None and (not is_number(value) or not 0.0 <= value < math.inf):
        raise InputError(f"{name} must be a price from 0 up; got {value!r}.")
