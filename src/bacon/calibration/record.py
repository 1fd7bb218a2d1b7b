"""The result as one JSON object: the contract that programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from bacon.calibration.diagnostics.diagnose import diagnose, gain_between
from bacon.calibration.diagnostics.report import gain_notices
from bacon.calibration.diagnostics.views import gain_record
from bacon.calibration.estimand import parse_estimand
from bacon.calibration.figures import intervals, number
from bacon.calibration.practice import for_these, practice_record
from bacon.estimation.intervals import Target
from bacon.judge_scores import numeric_judges
from bacon.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.calibration import Calibration
    from bacon.calibration.diagnostics.fits import Fit
    from bacon.data.notice import Notice
    from bacon.estimation.results import Estimate

__all__ = ["SCHEMA", "result_record"]

SCHEMA = "bacon-result/1"


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
    asked = parse_estimand(name, cal.levels)
    if asked.kind == "shares":
        return _shares(cal, level, target)
    estimate, alone = cal.estimate(name), cal.estimate(name, labels_alone=True)
    these = for_these(cal, asked, estimate), for_these(cal, asked, alone, labels_alone=True)
    gain = gain_between(cal, [these[0]], [these[1]], name=name, level=level, target=target)
    return {
        "estimand": name,
        **_numbers(estimate, alone, level, target),
        **_worth(these[0], target),
        "gain": gain_record(gain),
        "raw_judges": {"estimate": number(cal.raw.estimate(asked)), "reason": cal.raw.reason},
        **practice_record(cal, asked, estimate, level, target),
        "warnings": _warnings((*estimate.notices, *gain_notices(gain))),
    }


def _numbers(estimate: Estimate, alone: Estimate, level: float, target: Target) -> dict[str, Any]:
    """Return an estimate, its intervals, the labels alone beside it, and what labels are worth."""
    both = intervals(estimate, level)
    return {
        "estimate": number(estimate.value),
        "se": both[target]["se"],
        "ci": both[target]["ci"],
        "intervals": both,
        "human_only": {"estimate": number(alone.value), "intervals": intervals(alone, level)},
        **_worth(estimate, target),
    }


def _shares(cal: Calibration, level: float, target: Target) -> dict[str, Any]:
    """Return the shares of all classes; what stands for one number is None, with the reason."""
    found, alone = cal.shares(), cal.shares(labels_alone=True)
    joint = found.simultaneous(level, target)
    members, others = list(found.values()), list(alone.values())
    gain = gain_between(cal, members, others, name="shares", level=level, target=target)
    why = "shares are one number for each class, under classes"
    none = {"se": None, "ci": [None, None], "df": None, "method": "none", "reason": why}
    nothing = dict.fromkeys(get_args(Target), none)
    return {
        "estimand": "shares",
        "estimate": None,
        "estimate_reason": why,
        "se": None,
        "ci": [None, None],
        "intervals": nothing,
        "human_only": {"estimate": None, "intervals": nothing, "reason": why},
        "effective_labels": None,
        "effective_labels_reason": why,
        "gain": gain_record(gain),
        "raw_judges": {"estimate": None, "reason": why},
        "classes": [
            {
                "class": name,
                **_numbers(one, alone[name], level, target),
                "ci_simultaneous": [number(end) for end in joint[name]],
                "raw_judges": {
                    "estimate": number(cal.raw.estimate(parse_estimand(one.name, cal.levels))),
                    "reason": cal.raw.reason,
                },
            }
            for name, one in found.items()
        ],
        "warnings": _warnings((*found.notices, *gain_notices(gain))),
    }


def _warnings(notices: tuple[Notice, ...]) -> list[dict[str, str]]:
    """Return notices as the JSON has them."""
    return [{"code": notice.code, "message": notice.message} for notice in notices]


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


def _judges(cal: Calibration, fits: Sequence[Fit]) -> list[dict[str, Any]]:
    """Return mean, missing scores and rank correlation with the labels of each judge."""
    means = {name: float(np.nanmean(score)) for name, score in numeric_judges(cal.pool)}
    ranks = {fit.name: fit.spearman.value for fit in fits if fit.kind == "judge"}
    found = []
    for judge in cal.pool.judges:
        missing = int(np.isnan(judge.scores).sum())
        entry: dict[str, Any] = {
            "name": judge.name,
            "runs": len(judge.runs),
            "mean": number(means.get(judge.name)),
            "missing": missing,
            "spearman": number(ranks.get(judge.name)),
        }
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
    diagnostics = diagnose(cal, None, level=level)
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
        "model_weights": cal.model_weights,
        "better": cal.better,
        "scale": None if cal.scale is None else [float(end) for end in cal.scale],
        "design": _design(cal),
        "seed": cal.seed,
        "judges": _judges(cal, diagnostics.fits),
        **_fit(cal),
        "diagnostics": diagnostics.to_dict(),
        "warnings": [
            *_warnings(cal.notices),
            *own,
        ],
    }
    if len(asked) > 1:
        record["estimates"] = asked
    return record
