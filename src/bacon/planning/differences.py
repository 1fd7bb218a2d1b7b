"""Labels per system that show a difference between systems with a wanted chance.

With m labels in each system, a difference D is found with chance `power` where

    (t_{1 - a/2} + t_{power}) sqrt(V_first(m) + V_second(m)) <= D,

a one less the level, divided by the number of comparisons (Bonferroni), V as of
:mod:`bacon.planning.pairs`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bacon.calibration.comparing import group_column
from bacon.checks import is_number
from bacon.errors import InputError
from bacon.estimation.intervals import family_level, t_quantile
from bacon.planning.pairs import assumed_pairs, pilot_pairs
from bacon.planning.widths import check_cost, check_positive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bacon.data.notice import Notice
    from bacon.planning.pairs import Pair
    from bacon.planning.plan import Plan

__all__ = ["DifferencePlan", "plan_difference", "reach"]


@dataclass(frozen=True, eq=False)
class DifferencePlan:
    """Labels per system for a detectable difference; made by :meth:`Plan.for_difference`.

    Parameters
    ----------
    difference : float
        The difference.
    power : float
        Chance of finding it.
    by : str
        Column of the systems, or "system" for an assumption.
    baseline : str or None
        System that the others are compared with.
    systems : mapping of str to int
        Items of each system.
    n_comparisons : int
        Comparisons that hold together.
    per_system, per_system_alone : int
        Labels in each system, with the judges and without.
    hardest : (str, str)
        The pair that takes the most labels.
    saved : float or None
        Money that the judges save.
    """

    plan: Plan = field(repr=False)
    difference: float
    power: float
    by: str
    baseline: str | None
    systems: Mapping[str, int]
    n_comparisons: int
    per_system: int
    per_system_alone: int
    hardest: tuple[str, str]
    label_cost: float | None
    notices: tuple[Notice, ...] = ()

    @property
    def n_labels(self) -> int:
        """Labels in all with the judges: a system smaller than the plan is labelled whole."""
        return sum(min(self.per_system, size) for size in self.systems.values())

    @property
    def n_alone(self) -> int:
        """Labels in all without the judges."""
        return sum(min(self.per_system_alone, size) for size in self.systems.values())

    @property
    def saved(self) -> float | None:
        """Money that the judges save, where labels have a price."""
        return None if self.label_cost is None else self.label_cost * (self.n_alone - self.n_labels)

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw what is planned."""
        return ["-n", str(self.n_labels), "--strata", self.by, "--allocation", "equal"]

    def summary(self) -> str:
        """Return the plan as the command prints it."""
        from bacon.planning.text import difference_lines

        return "\n".join(difference_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as the JSON of ``bacon plan --json`` has it under ``difference``."""
        from bacon.planning.record import difference_record

        return difference_record(self)

    __str__ = summary
    __repr__ = summary


Factor = Callable[[int], float]
"""Residual variance at so many labels per system, over the pilot's."""


def plan_difference(
    plan: Plan,
    difference: float,
    who: tuple[str | None, str | None, int | None],
    *,
    power: float,
    label_cost: float | None,
) -> DifferencePlan:
    """Return labels per system for a difference; see :meth:`Plan.for_difference`."""
    check_positive("difference", difference)
    check_cost("label_cost", label_cost)
    if not is_number(power) or not 0.5 <= power < 1.0:
        raise InputError(f"power must lie from 0.5 to below 1, such as 0.8; got {power!r}.")
    by, baseline, n_systems = who
    notices: tuple[Notice, ...] = ()
    if plan.pilot is None:
        names, judged, human = assumed_pairs(plan, n_systems, by, baseline)
        column = "system"
    else:
        if n_systems is not None:
            raise InputError("the pilot shows how many systems there are; leave systems out.")
        column = group_column(plan.pilot, by)
        names, judged, notices = pilot_pairs(plan, column, baseline, labels_alone=False)
        human = pilot_pairs(plan, column, baseline, labels_alone=True)[1]
    asked = (difference, power)
    n_systems = len(names)
    curve = plan.with_judges.curve
    per_system, hardest = _solve(plan, judged, asked, lambda m: curve.at(m * n_systems))
    alone, _ = _solve(plan, human, asked, lambda _: 1.0)
    return DifferencePlan(
        plan,
        difference,
        power,
        column,
        baseline,
        names,
        len(judged),
        per_system,
        alone,
        (hardest.first, hardest.second),
        label_cost,
        notices,
    )


def reach(pair: Pair, m: int, plan: Plan, n_claims: int, *, power: float, factor: float) -> float:
    """Return the difference that m labels per system find with chance `power`."""
    variance, df = pair.error(m, plan.target, factor)
    level = family_level(plan.level, n_claims)
    return (t_quantile(level, df) + t_quantile(2.0 * power - 1.0, df)) * math.sqrt(variance)


def _solve(
    plan: Plan, pairs: Sequence[Pair], asked: tuple[float, float], factor: Factor
) -> tuple[int, Pair]:
    """Return the fewest labels per system at which every pair is told apart, and the hardest."""
    difference, power = asked

    def hardest(m: int) -> tuple[float, Pair]:
        found = [
            (reach(pair, m, plan, len(pairs), power=power, factor=factor(m)), k)
            for k, pair in enumerate(pairs)
        ]
        value, k = max(found)
        return value, pairs[k]

    low, high = 2, max(size for pair in pairs for size in pair.sizes)
    least = hardest(high)[0]
    if least > difference:
        raise InputError(
            f"a difference of {difference:g} cannot be shown for more systems' answers like these: "
            f"with all items labelled one of {least:.3g} can; ask for these items (--target "
            "pool), for a larger difference, or score more items."
        )
    while low < high:
        middle = (low + high) // 2
        if hardest(middle)[0] <= difference:
            high = middle
        else:
            low = middle + 1
    # The pair that the last label was needed for.
    return low, hardest(max(low - 1, 2))[1]
