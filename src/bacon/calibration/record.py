"""The result as one JSON object: the contract that programs read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from bacon.calibration.raw_judges import spearman
from bacon.estimation.intervals import Interval, Target
from bacon.features.feature_map import run_mean
from bacon.version import __version__

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.results import Estimate

__all__ = ["SCHEMA", "result_record"]

SCHEMA = "bacon-result/1"


def number(value: float | None) -> float | None:
    """Return a finite float, None for what is undefined or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


def _interval(interval: Interval, se: float) -> dict[str, Any]:
    """Return one interval; a missing or special one carries its reason."""
    found: dict[str, Any] = {
        "se": number(se),
        "ci": [number(interval.low), number(interval.high)],
        "df": number(interval.df),
        "method": interval.method,
    }
    if interval.reason is not None:
        found["reason"] = interval.reason
    elif found["se"] is None:
        found["reason"] = "the labels show no spread, which leaves the standard error undefined"
    return found


def intervals(estimate: Estimate, level: float) -> dict[str, Any]:
    """Return the intervals of both targets."""
    return {
        target: _interval(estimate.interval(level, target), estimate.se(target))
        for target in get_args(Target)
    }


def no_worth(estimate: Estimate) -> str:
    """Say why there is no number of labels alone that would do as well."""
    if estimate.n_labels == estimate.n_items:
        return "every item is labelled, and nothing is left to estimate for these items"
    return "the labels do not show how much the items differ"


def _worth(estimate: Estimate, target: Target) -> dict[str, Any]:
    """Return the effective number of labels, or why there is none."""
    worth = number(estimate.effective_labels(target))
    if worth is None:
        return {"effective_labels": None, "effective_labels_reason": no_worth(estimate)}
    return {"effective_labels": worth}


def _estimand(cal: Calibration, name: str, level: float, target: Target) -> dict[str, Any]:
    """Return everything that belongs to one estimand."""
    estimate = cal.estimate(name)
    alone = cal.estimate(name, labels_alone=True)
    from bacon.calibration.estimand import parse_estimand

    raw = cal.raw.estimate(parse_estimand(name, cal.levels))
    both = intervals(estimate, level)
    return {
        "estimand": name,
        "estimate": number(estimate.value),
        "se": both[target]["se"],
        "ci": both[target]["ci"],
        "intervals": both,
        "human_only": {"estimate": number(alone.value), "intervals": intervals(alone, level)},
        "raw_judges": {"estimate": number(raw), "reason": cal.raw.reason},
        **_worth(estimate, target),
        "warnings": [
            {"code": notice.code, "message": notice.message} for notice in estimate.notices
        ],
    }


def _design(cal: Calibration) -> dict[str, Any]:
    """Return the design of the labels."""
    aligned = cal.aligned
    weights = 1.0 / aligned.design.pi
    return {
        "kind": aligned.kind,
        "assumed": aligned.assumed,
        "n_drawn": aligned.n_drawn,
        "n_answered": aligned.design.n_labels,
        "ess": number(weights.sum() ** 2 / (weights @ weights)),
        "max_weight": number(weights.max()),
    }


def _no_rank(levels: tuple[str, ...] | None) -> str:
    """Say why a judge has no rank correlation with the labels."""
    if levels is not None:
        return "answers in words have no ranks"
    return "fewer than three labelled items have a score, or scores or labels are all alike"


def _fit(cal: Calibration) -> dict[str, Any]:
    """Return the out-of-fold R2, or why there is none."""
    r2 = number(cal.r2)
    if r2 is not None:
        return {"r2": r2}
    reason = "the labels are words" if cal.levels is not None else "the labels are all alike"
    return {"r2": None, "r2_reason": reason}


def _judges(cal: Calibration) -> list[dict[str, Any]]:
    """Return mean, missing scores and rank correlation with the labels of each judge."""
    rows, y = cal.aligned.design.rows, cal.aligned.y
    found = []
    for judge in cal.pool.judges:
        missing = int(np.isnan(judge.scores).sum())
        entry: dict[str, Any] = {
            "name": judge.name,
            "runs": len(judge.runs),
            "mean": None,
            "missing": missing,
            "spearman": None,
        }
        if judge.levels is None:
            score = run_mean(judge)
            entry["mean"] = number(float(np.nanmean(score)))
            if cal.levels is None:
                entry["spearman"] = number(spearman(score[rows], y))
        if entry["spearman"] is None:
            entry["reason"] = _no_rank(judge.levels or cal.levels)
        found.append(entry)
    return found


def result_record(
    cal: Calibration, estimands: tuple[str, ...], *, level: float, target: Target
) -> dict[str, Any]:
    """Return the JSON object of the contract; the first estimand fills its top level.

    Undefined and infinite values are None with a reason beside them, never NaN.
    """
    asked = [_estimand(cal, name, level, target) for name in estimands or cal.default_estimands()]
    first = dict(asked[0])
    own = first.pop("warnings")
    record = {
        "schema": SCHEMA,
        "version": __version__,
        **first,
        "target": target,
        "level": level,
        "n_items": cal.pool.n_items,
        "n_labels": cal.n_labels,
        "outcome": cal.kind.kind,
        "outcome_name": cal.outcome,
        "outcome_reason": cal.kind.reason,
        "model": cal.model,
        "model_weights": {cal.model: 1.0},
        "better": cal.better,
        "scale": None if cal.scale is None else [float(end) for end in cal.scale],
        "design": _design(cal),
        "seed": cal.seed,
        "judges": _judges(cal),
        **_fit(cal),
        "warnings": [
            *({"code": notice.code, "message": notice.message} for notice in cal.notices),
            *own,
        ],
    }
    if len(asked) > 1:
        record["estimates"] = asked
    return record
