"""Labels as they come in practice: what unanswered items and the choice of raters could do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.figures import intervals, number
from bacon.calibration.raters import check_claim, like_them, no_claim
from bacon.data.notice import Notice
from bacon.estimation.estimands import Setting, mean_estimate, proportion_estimate
from bacon.estimation.unanswered import Bounds, TippingPoint, bounds, tipping_point

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.estimand import Estimand
    from bacon.calibration.raters import Claim
    from bacon.estimation.intervals import Target
    from bacon.estimation.raters import RaterSpread
    from bacon.estimation.results import Estimate

__all__ = [
    "Unanswered",
    "agreement",
    "claimed",
    "for_these",
    "not_counted",
    "practice_record",
    "raters_beside",
    "unanswered",
]


@dataclass(frozen=True, eq=False)
class Unanswered:
    """What the drawn items without a label could do to a mean or a share.

    Parameters
    ----------
    name : str
        The estimand.
    n_unanswered, n_drawn : int
        Drawn items without a label, and all drawn items.
    method : {"model", "rate"}
        How the estimate weighs the answered ones for them.
    p_value : float
        Of "who answers has nothing to do with judges and features"; NaN where untested.
    tipping : TippingPoint
        How far they would have to lie from what is assumed for the estimate to leave its
        interval.
    bounds : Bounds or None
        The estimate with all of them at the low and at the high end of the scale; None for a
        mean without a stated scale.
    """

    name: str
    n_unanswered: int
    n_drawn: int
    method: str
    p_value: float
    tipping: TippingPoint
    bounds: Bounds | None


def unanswered(
    cal: Calibration, asked: Estimand, *, level: float, target: Target
) -> Unanswered | None:
    """Return what unanswered items could do; see :meth:`Calibration.unanswered`."""
    response = cal.response
    if response is None or asked.kind not in ("mean", "proportion"):
        return None
    estimate = cal.estimate(asked.name)
    y = cal.aligned.y if asked.kind == "mean" else asked.event(cal.aligned.y, cal.levels)
    interval = estimate.interval(level, target)
    tipping = tipping_point(estimate, y, response.drawn, response.answered, interval)
    ends = cal.scale if asked.kind == "mean" else (0.0, 1.0)
    f = estimate.influence_values.terms[0][1]
    setting = replace(cal.setting, design=response.drawn)

    def filled(values: FloatArray) -> Estimate:
        return _build(asked, values, f, setting)

    worst = None
    if ends is not None:
        worst = bounds(y, response.answered, ends, filled, level=level, target=target)
    return Unanswered(
        asked.name,
        response.n_unanswered,
        len(response.answered),
        response.method,
        response.p_value,
        tipping,
        worst,
    )


def _build(asked: Estimand, values: FloatArray, f: FloatArray, setting: Setting) -> Estimate:
    """Estimate the mean or the share from outcomes or events of all drawn items."""
    if asked.kind == "mean":
        return mean_estimate(values, f, setting)
    return proportion_estimate(asked.name, values, f, setting)


def for_raters(
    cal: Calibration, asked: Estimand, estimate: Estimate, *, with_judges: Estimate
) -> tuple[Estimate, RaterSpread]:
    """Return an estimate for raters like these, and how far these differ.

    Parameters
    ----------
    estimate : Estimate
        For these raters.
    with_judges : Estimate
        The same with its predictions, from which raters' leanings are read: they show them
        more clearly, and labels alone have the same raters.

    Raises
    ------
    InputError
        There is no such claim.
    """
    share = asked.kind == "proportion"
    values = np.zeros(0) if cal.ratings is None else cal.ratings.values
    if share:
        values = asked.event(values, cal.levels)
    predicted = with_judges.influence_values.terms[0][1][cal.aligned.design.rows]
    ends = (0.0, 1.0) if share else cal.scale
    return like_them(estimate, cal.ratings, values, predicted, ends)


def claimed(
    cal: Calibration,
    asked: Estimand,
    estimate: Estimate,
    raters: Claim | None,
    with_judges: Callable[[], Estimate],
) -> Estimate:
    """Return an estimate for the raters asked for, else for those the calibration is made for.

    Parameters
    ----------
    estimate : Estimate
        For these raters.
    raters : {"these", "like-them"} or None
        What is asked for.
    with_judges : callable
        Gives the same estimate with its predictions.

    Raises
    ------
    InputError
        `raters` asks for a claim that cannot be made. Where the calibration asks for it, the
        estimate is for these raters and says so.
    """
    claim = cal.raters if raters is None else raters
    check_claim(claim)
    if claim == "these":
        return estimate
    told = not_counted(cal, asked.name)
    if raters is None and told:
        return estimate.with_notices(told)
    return for_raters(cal, asked, estimate, with_judges=with_judges())[0]


def not_counted(cal: Calibration, name: str) -> tuple[Notice, ...]:
    """Tell that an estimand is for these raters, though the calibration is to be for others."""
    why = no_claim(name, cal.ratings)
    if cal.raters == "these" or why is None:
        return ()
    return (
        Notice("raters_not_counted", f"The interval of {name} is for these raters alone: {why}."),
    )


def for_these(
    cal: Calibration, asked: Estimand, estimate: Estimate, *, labels_alone: bool = False
) -> Estimate:
    """Return an estimate for the raters who labelled, from one that may be for others."""
    if estimate.raters == "these":
        return estimate
    return cal.estimate(asked.name, labels_alone=labels_alone, raters="these")


def raters_beside(
    cal: Calibration, asked: Estimand, estimate: Estimate
) -> tuple[RaterSpread, Estimate] | None:
    """Return how far raters differ, and the estimate for the claim that was not asked for.

    None where one of the claims cannot be made.
    """
    if cal.ratings is None or no_claim(asked.name, cal.ratings) is not None:
        return None
    these = for_these(cal, asked, estimate)
    others, spread = for_raters(cal, asked, these, with_judges=these)
    return spread, others if estimate.raters == "these" else these


def agreement(cal: Calibration) -> tuple[float, int]:
    """Return the mean correlation of raters and its pairs; words have none."""
    if cal.ratings is None or cal.levels is not None:
        return math.nan, 0
    return cal.ratings.agreement()


def practice_record(
    cal: Calibration, asked: Estimand, estimate: Estimate, level: float, target: Target
) -> dict[str, Any]:
    """Return the fields `unanswered` and `raters` of an estimand, where there is something."""
    found: dict[str, Any] = {}
    without = unanswered(cal, asked, level=level, target=target)
    if without is not None:
        found["unanswered"] = _unanswered_record(without)
    if cal.ratings is not None:
        found["raters"] = _raters_record(cal, asked, estimate, level)
    return found


def _unanswered_record(found: Unanswered) -> dict[str, Any]:
    """Return the figures on unanswered items."""
    tip = found.tipping
    record: dict[str, Any] = {
        "n": found.n_unanswered,
        "share": number(tip.share),
        "method": found.method,
        "p_value": number(found.p_value),
        "assumed": number(tip.assumed),
        "answered": number(tip.answered),
        "sd": number(tip.sd),
        "tipping": [number(tip.down), number(tip.up)],
        "bounds": None,
    }
    if found.bounds is None:
        return {**record, "bounds_reason": "no scale was stated"}
    worst = found.bounds
    ends = [number(worst.interval.low), number(worst.interval.high)]
    return {**record, "bounds": [number(worst.low), number(worst.high)], "bounds_ci": ends}


def _raters_record(
    cal: Calibration, asked: Estimand, estimate: Estimate, level: float
) -> dict[str, Any]:
    """Return the figures on raters; the other claim is null with a reason where there is none."""
    ratings = cal.ratings
    correlation, pairs = agreement(cal)
    record: dict[str, Any] = {
        "claim": estimate.raters,
        "n": 0 if ratings is None else ratings.n_raters,
        "correlation": number(correlation),
        "pairs": pairs,
    }
    beside = raters_beside(cal, asked, estimate)
    if beside is None:
        reason = no_claim(asked.name, ratings)
        return {**record, "sd": None, "share": None, "other_claim": None, "reason": reason}
    spread, other = beside
    return {
        **record,
        "sd": number(spread.sd),
        "share": number(spread.share),
        "other_claim": {"raters": other.raters, "intervals": intervals(other, level)},
    }
