"""The best split of a sum of money between labels, raters of an item, judges and their runs.

Every combination is priced and its interval predicted: N items are scored by the chosen judges
so many times, and what is left buys labels of so many raters each,

    n = (money - N runs sum_j cost_j) / (label + (raters - 1) rater),

    S_r^2(judges, runs, raters) = S_r^2 share(judges, runs) + sigma^2 (1/raters - 1/raters_0)

with sigma^2 the variance of ratings about their item's mean and raters_0 those behind a label of
the pilot. A small table of choices, no solver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.estimand import parse_estimand
from bacon.checks import is_number
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.planning.judges import Choice, choose_judges
from bacon.planning.widths import check_cost, check_positive

if TYPE_CHECKING:
    from bacon.calibration.raters import RowRatings
    from bacon.planning.plan import Plan
    from bacon.planning.spread import Spread

__all__ = ["BudgetPlan", "Option", "Prices", "RaterNoise", "plan_budget", "rater_noise"]

MOST_RATERS = 20


@dataclass(frozen=True, slots=True)
class Prices:
    """What things cost.

    Parameters
    ----------
    label : float
        First rating of an item.
    rater : float or None
        Every further one; None for the same.
    judges : dict of str to float
        One score of a judge; judges not named are free.
    """

    label: float
    rater: float | None = None
    judges: dict[str, float] = field(default_factory=dict)

    def item(self, raters: int) -> float:
        """Return the price of an item's label from so many raters."""
        more = self.label if self.rater is None else self.rater
        return self.label + (raters - 1) * more


@dataclass(frozen=True, slots=True)
class RaterNoise:
    """How far ratings of one item differ.

    Parameters
    ----------
    variance : float
        Variance sigma^2 of ratings about their item's mean.
    inverse : float
        Mean of 1 / raters over the pilot's labels.
    """

    variance: float
    inverse: float = 1.0


@dataclass(frozen=True, slots=True)
class Option:
    """One way to spend the money.

    Parameters
    ----------
    judges : tuple of str
        Judges kept.
    runs, raters, labels : int
        Runs of a judge, raters of an item, items labelled.
    judge_money, label_money : float
        What they cost.
    width : float
        Full width of the interval.
    """

    judges: tuple[str, ...]
    runs: int
    raters: int
    labels: int
    judge_money: float
    label_money: float
    width: float


@dataclass(frozen=True, eq=False)
class BudgetPlan:
    """The best split of a sum of money; made by :meth:`Plan.for_budget`.

    Parameters
    ----------
    money : float
        What can be spent.
    best : Option
        The split with the narrowest interval; of equal ones the cheapest.
    options : tuple of Option
        All that the money allows, narrowest first.
    raters_known : bool
        Whether the value of further raters is known.
    notices : tuple of Notice
        What it rests on.
    """

    plan: Plan = field(repr=False)
    money: float
    best: Option
    options: tuple[Option, ...] = field(repr=False)
    raters_known: bool
    notices: tuple[Notice, ...] = ()

    def shown(self) -> list[Option]:
        """Return the best split, and the best for each other number of raters, runs and judges."""
        found = [self.best]
        for key in ("raters", "runs", "judges"):
            seen = {getattr(self.best, key)}
            for option in self.options:
                if getattr(option, key) not in seen:
                    seen.add(getattr(option, key))
                    found.append(option)
        return list(dict.fromkeys(found))

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw what is planned."""
        return ["-n", str(self.best.labels)]

    def summary(self) -> str:
        """Return the plan as the command prints it."""
        from bacon.planning.text import budget_lines

        return "\n".join(budget_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as the JSON of ``bacon plan --json`` has it under ``budget``."""
        from bacon.planning.record import budget_record

        return budget_record(self)

    __str__ = summary
    __repr__ = summary


def plan_budget(
    plan: Plan, money: float, prices: Prices, rater_sd: float | None, most_raters: int
) -> BudgetPlan:
    """Return the best split of a sum of money; see :meth:`Plan.for_budget`."""
    check_positive("money", money)
    _check_prices(plan, prices)
    if isinstance(most_raters, bool) or not 1 <= most_raters <= MOST_RATERS:
        raise InputError(f"most_raters must be from 1 to {MOST_RATERS}; got {most_raters!r}.")
    noise = _noise(plan, rater_sd)
    options: list[Option] = []
    for choice, side in _sides(plan):
        n_scores = plan.n_items * choice.runs
        spent = sum(n_scores * prices.judges.get(name, 0.0) for name in choice.judges)
        for raters in range(1, (most_raters if noise is not None else 1) + 1):
            option = _option(plan, side, choice, (money, spent), prices.item(raters), raters, noise)
            if option is not None:
                options.append(option)
    if not options:
        raise InputError(
            f"{money:g} is too little: two labels cost {2 * prices.label:g} without any judge; "
            "give more money."
        )
    options.sort(key=lambda one: (one.width, one.judge_money + one.label_money, len(one.judges)))
    return BudgetPlan(
        plan, money, options[0], tuple(options), noise is not None, _told(plan, prices, noise)
    )


def _option(
    plan: Plan,
    side: Spread,
    choice: Choice,
    money: tuple[float, float],
    price: float,
    raters: int,
    noise: RaterNoise | None,
) -> Option | None:
    """Return what the money left over buys; None where it is no two labels."""
    left = money[0] - money[1]
    if left < 0.0:
        return None
    labels = plan.n_items if price == 0.0 else min(math.floor(left / price + 1e-9), plan.n_items)
    if labels < 2:
        return None
    if noise is not None:
        own = min(noise.variance * noise.inverse, side.unit)
        side = replace(side, unit=side.unit - own + noise.variance / raters)
    width = side.width(labels, plan.level, plan.target)
    return Option(choice.judges, choice.runs, raters, labels, money[1], labels * price, width)


def _sides(plan: Plan) -> list[tuple[Choice, Spread]]:
    """Return every choice of judges and runs with its error."""
    cal = plan.pilot
    nobody = Choice((), 1, 1.0), plan.alone
    if cal is None:
        return [nobody, (Choice(("judges",), 1, 1.0), plan.with_judges)]
    if cal.fitter.plan is None or not cal.pool.judges:
        return [nobody]
    y = parse_estimand(plan.estimand, cal.levels)
    values = cal.aligned.y if y.kind == "mean" else y.event(cal.aligned.y, cal.levels)
    found = [nobody]
    others = any(column.kind in ("feature", "length", "component") for column in _columns(cal))
    found += [
        (choice, plan.with_judges.scaled(choice.share))
        for choice in choose_judges(cal, values)
        if choice.judges or others
    ]
    return found


def _columns(cal: Any) -> Any:
    """Return the columns of the features."""
    return cal.feature_map.columns


def _noise(plan: Plan, rater_sd: float | None) -> RaterNoise | None:
    """Return how far raters differ: as stated, or as the pilot's ratings show."""
    ratings = None if plan.pilot is None else plan.pilot.ratings
    if plan.estimand != "mean":
        if rater_sd is not None:
            raise InputError(
                "raters are planned for a mean; leave --rater-sd (rater_sd=) out for a share."
            )
        return None
    found = None if ratings is None else rater_noise(ratings)
    if rater_sd is None:
        return found
    check_positive("rater_sd", rater_sd)
    return RaterNoise(rater_sd**2, 1.0 if found is None else found.inverse)


def rater_noise(ratings: RowRatings) -> RaterNoise | None:
    """Return the variance of ratings about their item's mean; None where no item has two.

    Pooled over items: sum (y_ij - ybar_i)^2 / sum (r_i - 1).
    """
    count = np.bincount(ratings.item)
    count = np.where(count > 0, count, 1)
    mean = np.bincount(ratings.item, weights=ratings.values) / count
    spare = float((count - 1).sum())
    if spare < 1.0:
        return None
    residual = ratings.values - mean[ratings.item]
    return RaterNoise(float(residual @ residual) / spare, float((1.0 / count).mean()))


def _check_prices(plan: Plan, prices: Prices) -> None:
    """Refuse negative prices, and judges that are not there."""
    if prices.label is None:
        raise InputError("a budget needs the price of a label (label_cost=, --label-cost).")
    check_cost("--label-cost (label_cost=)", prices.label)
    check_cost("--rater-cost (rater_cost=)", prices.rater)
    known = ["judges"] if plan.pilot is None else [one.name for one in plan.pilot.pool.judges]
    for name, cost in prices.judges.items():
        if name not in known:
            raise InputError(
                f"--judge-cost (judge_costs=): no judge is called {name!r}; the prices there can "
                f"be are those of {', '.join(known[:10])}."
            )
        if not is_number(cost):
            raise InputError(f"the price of {name} must be a number; got {cost!r}.")
        check_cost(f"the price of {name}", cost)


def _told(plan: Plan, prices: Prices, noise: RaterNoise | None) -> tuple[Notice, ...]:
    """Return what the split rests on."""
    known = [] if plan.pilot is None else [one.name for one in plan.pilot.pool.judges]
    free = [name for name in known if name not in prices.judges]
    notices = []
    if free and plan.pilot is not None:
        text = (
            f"{len(free)} of {len(known)} judges have no price and count as free, as scores that "
            "are there already."
        )
        notices.append(Notice("judges_free", text))
    if noise is None and plan.estimand == "mean":
        text = (
            "No item of the pilot has two raters, so that what a second one is worth is unknown "
            "and one rates each item; give --rater-sd (rater_sd=) to weigh it."
        )
        notices.append(Notice("raters_unknown", text))
    return tuple(notices)
