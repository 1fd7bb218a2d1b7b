"""Plans as JSON: undefined is null with a reason, never NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.calibration.figures import number
from bacon.planning.widths import width_table
from bacon.version import __version__

if TYPE_CHECKING:
    from bacon.planning.budget import BudgetPlan, Option
    from bacon.planning.differences import DifferencePlan
    from bacon.planning.plan import Plan
    from bacon.planning.spread import Spread
    from bacon.planning.strata import StrataPlan
    from bacon.planning.two_stage import TwoStagePlan
    from bacon.planning.widths import Need, WidthPlan

__all__ = [
    "SCHEMA",
    "budget_record",
    "difference_record",
    "plan_record",
    "strata_record",
    "two_stage_record",
    "width_record",
]

SCHEMA = "bacon-plan/1"

ASSUMED = "assumed, not measured"


def plan_record(plan: Plan) -> dict[str, Any]:
    """Return what every plan starts from."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "source": "assumption" if plan.pilot is None else "pilot",
        "estimand": plan.estimand,
        "level": plan.level,
        "target": plan.target,
        "n_items": plan.n_items,
        "n_pilot": plan.n_pilot,
        "r2": number(1.0 - plan.with_judges.unit / plan.alone.unit),
        "with_judges": _side(plan.with_judges),
        "labels_alone": _side(plan.alone),
        "table": width_table(plan).to_dicts(),
        "warnings": [{"code": one.code, "message": one.message} for one in plan.notices],
    }


def _side(side: Spread) -> dict[str, Any]:
    """Return what the error of one side is made of."""
    error = number(side.error)
    found: dict[str, Any] = {
        "residual_variance": number(side.unit),
        "relative_error": error,
        "skewness": number(side.skewness),
        "population_part": number(side.between),
        "learning": [{"training_labels": m, "share": share} for m, share in side.curve.points],
    }
    if error is None:
        found["relative_error_reason"] = ASSUMED
    return found


def _need(need: Need) -> dict[str, Any]:
    """Return labels, and what they could be."""
    found: dict[str, Any] = {"labels": need.labels, "could_be": [need.low, need.high]}
    if need.low is None:
        found["could_be_reason"] = ASSUMED
    return found


def width_record(found: WidthPlan) -> dict[str, Any]:
    """Return the labels for a width."""
    return {
        "width": found.width,
        "with_judges": _need(found.judges),
        "labels_alone": _need(found.alone),
        "label_cost": found.label_cost,
        "saved": number(found.saved),
        "table": found.table.to_dicts(),
    }


def difference_record(found: DifferencePlan) -> dict[str, Any]:
    """Return the labels for a difference."""
    return {
        "difference": found.difference,
        "power": found.power,
        "by": found.by,
        "baseline": found.baseline,
        "n_comparisons": found.n_comparisons,
        "per_system": found.per_system,
        "per_system_alone": found.per_system_alone,
        "labels": found.n_labels,
        "labels_alone": found.n_alone,
        "hardest": list(found.hardest),
        "systems": [{"system": name, "items": size} for name, size in found.systems.items()],
        "label_cost": found.label_cost,
        "saved": number(found.saved),
        "warnings": [{"code": one.code, "message": one.message} for one in found.notices],
    }


def strata_record(found: StrataPlan) -> dict[str, Any]:
    """Return the labels per stratum."""
    totals = ("proportional", "neyman", "alone_proportional", "alone_neyman")
    return {
        "width": found.width,
        "by": found.strata,
        "labels": {name: found.total(name) for name in totals},
        "strata": found.table.to_dicts(),
    }


def budget_record(found: BudgetPlan) -> dict[str, Any]:
    """Return the best split of a budget and the others that were shown."""
    return {
        "money": found.money,
        "best": _option(found.best),
        "options": [_option(one) for one in found.shown()],
        "raters_known": found.raters_known,
        "warnings": [{"code": one.code, "message": one.message} for one in found.notices],
    }


def _option(one: Option) -> dict[str, Any]:
    """Return one split."""
    return {
        "judges": list(one.judges),
        "runs": one.runs,
        "raters": one.raters,
        "labels": one.labels,
        "judge_money": one.judge_money,
        "label_money": one.label_money,
        "width": number(one.width),
    }


def two_stage_record(found: TwoStagePlan) -> dict[str, Any]:
    """Return the best pilot."""
    return {
        "labels": found.n_labels,
        "pilot": found.pilot if found.worth_it else None,
        "hardness": found.model,
        "uniform_share": found.uniform_share,
        "grid": [
            {"share": share, "variance_ratio": ratio}
            for share, ratio in zip(found.shares.tolist(), found.ratio.tolist(), strict=True)
        ],
        **(
            {}
            if found.worth_it
            else {"pilot_reason": "two stages are not predicted to do better than one"}
        ),
    }
