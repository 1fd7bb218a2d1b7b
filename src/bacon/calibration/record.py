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
    return found


def intervals(estimate: Estimate, level: float) -> dict[str, Any]:
    """Return the intervals of both targets."""
    return {
        target: _interval(estimate.interval(level, target), estimate.se(target))
        for target in get_args(Target)
    }


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
        "effective_labels": number(estimate.effective_labels(target)),
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
        "scale": None if cal.scale is None else list(cal.scale),
        "design": _design(cal),
        "seed": cal.seed,
        "judges": _judges(cal),
        "r2": number(cal.r2),
        "warnings": [
            *({"code": notice.code, "message": notice.message} for notice in cal.notices),
            *own,
        ],
    }
    if len(asked) > 1:
        record["estimates"] = asked
    return record
