"""`bacon plan`: how many labels to buy, and where money is best spent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bacon.cli.calibrating import Reading, with_pilot
from bacon.cli.next_draw import next_lines
from bacon.cli.options import AsJson, ConfidenceLevel, TargetOption
from bacon.cli.output import say, say_json
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.estimation.intervals import Target
    from bacon.planning.budget import BudgetPlan
    from bacon.planning.differences import DifferencePlan
    from bacon.planning.plan import Plan
    from bacon.planning.strata import StrataPlan
    from bacon.planning.two_stage import TwoStagePlan
    from bacon.planning.widths import WidthPlan

    Found = WidthPlan | DifferencePlan | StrataPlan | BudgetPlan | TwoStagePlan

__all__ = ["plan_command"]


@with_pilot
def plan_command(
    read: Reading | None,
    width: Annotated[
        float | None, typer.Option("--width", help="Full width wanted of the interval.")
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option("--difference", help="Difference between systems (--group) to be found."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="System that the others are compared with.")
    ] = None,
    power: Annotated[
        float, typer.Option("--power", help="Chance with which the difference is found.")
    ] = 0.8,
    per_stratum: Annotated[
        str | None,
        typer.Option("--per-stratum", help="Labels for each value of a column (COL:k: quantiles)."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="Money for labels, raters, judges and runs.")
    ] = None,
    label_cost: Annotated[
        float | None, typer.Option("--label-cost", help="Price of an item's first rating.")
    ] = None,
    rater_cost: Annotated[
        float | None, typer.Option("--rater-cost", help="Price of each further rating of an item.")
    ] = None,
    judge_cost: Annotated[
        list[str] | None,
        typer.Option("--judge-cost", help="JUDGE=PRICE of one score; repeat."),
    ] = None,
    rater_sd: Annotated[
        float | None,
        typer.Option("--rater-sd", help="SD of ratings about their item's mean, where unknown."),
    ] = None,
    two_stage: Annotated[
        int | None,
        typer.Option("--two-stage", help="Labels in all: the best pilot of a two-stage draw."),
    ] = None,
    r2: Annotated[
        float | None, typer.Option("--r2", help="Without a pilot: R2 of judges, out of fold.")
    ] = None,
    sd: Annotated[float | None, typer.Option("--sd", help="Without a pilot: SD of labels.")] = None,
    items: Annotated[
        int | None, typer.Option("--items", help="Without a pilot: number of items.")
    ] = None,
    systems: Annotated[
        int | None, typer.Option("--systems", help="Without a pilot: number of systems.")
    ] = None,
    estimand: Annotated[
        str | None, typer.Option("--estimand", help="mean, or a share: proportion:ge:4.")
    ] = None,
    target: TargetOption = "pool",
    level: ConfidenceLevel = 0.95,
    out: Annotated[
        Path | None, typer.Option("--out", help="Figure of width against labels: .svg or .png.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the figure.")] = False,
    as_json: AsJson = False,
) -> None:
    """Plan labels from a pilot or from an assumption: for a width, a difference, a budget."""
    from bacon.planning.figure import check_figure, save_figure
    from bacon.planning.record import plan_record
    from bacon.planning.start import plan as make_plan

    prices = _prices(judge_cost)
    _check_use(budget=budget, per_stratum=per_stratum, width=width, label_cost=label_cost)
    if out is not None:
        if read is not None:
            read.refuse_to_replace(out)
        check_figure(out, overwrite=force)
    calibrated = None if read is None else read()
    plan = make_plan(
        None if calibrated is None else calibrated.cal,
        r2=r2,
        sd=sd,
        n_items=items,
        estimand=estimand,
        level=level,
        target=cast("Target", target),
    )
    found: dict[str, Found] = {}
    if width is not None:
        found |= _for_width(plan, width, per_stratum, label_cost)
    if difference is not None:
        found["difference"] = plan.for_difference(
            difference, baseline=baseline, systems=systems, power=power, label_cost=label_cost
        )
    if budget is not None and label_cost is not None:
        found["budget"] = plan.for_budget(
            budget,
            label_cost=label_cost,
            rater_cost=rater_cost,
            judge_costs=prices,
            rater_sd=rater_sd,
        )
    if two_stage is not None:
        found["two_stage"] = plan.two_stage(two_stage)
    if out is not None:
        save_figure(plan, out, width=width, overwrite=force)
    if as_json:
        own = {name: one.to_dict() for name, one in found.items()}
        say_json(plan_record(plan) | own | ({} if out is None else {"figure": str(out)}))
    else:
        say(_text(plan, found, out))
        say("\n".join(next_lines(read, plan, next(iter(found.values()), None))))
    if calibrated is not None:
        calibrated.tell()


def _for_width(
    plan: Plan, width: float, per_stratum: str | None, label_cost: float | None
) -> dict[str, Found]:
    """Return the labels for a width, in all or per stratum."""
    if per_stratum is not None:
        return {"strata": plan.by_stratum(width, per_stratum)}
    return {"width": plan.for_width(width, label_cost=label_cost)}


def _text(plan: Plan, found: dict[str, Found], out: Path | None) -> str:
    """Return what was found, what has to be known of it, and where the figure is."""
    from bacon.planning.text import notice_lines, plan_lines

    parts = [one.summary() for one in found.values()] or ["\n".join(plan_lines(plan))]
    notices = dict.fromkeys(plan.notices)
    for one in found.values():
        notices |= dict.fromkeys(getattr(one, "notices", ()))
    written = [] if out is None else [f"Written: {out}"]
    return "\n".join(["\n\n".join(parts), *notice_lines(list(notices)), *written])


def _check_use(
    *,
    budget: float | None,
    per_stratum: str | None,
    width: float | None,
    label_cost: float | None,
) -> None:
    """Refuse options that lack the one they go with."""
    if budget is not None and label_cost is None:
        raise InputError("--budget needs the price of a label: --label-cost.")
    if per_stratum is not None and width is None:
        raise InputError("--per-stratum goes with --width, the width wanted for all items.")


def _prices(given: list[str] | None) -> dict[str, float]:
    """Return the prices of ``JUDGE=PRICE``."""
    found = {}
    for text in given or ():
        name, equals, value = text.rpartition("=")
        try:
            price = float(value)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise InputError(f"--judge-cost must be JUDGE=PRICE, such as gpt=0.002; got {text!r}.")
        found[name] = price
    return found
