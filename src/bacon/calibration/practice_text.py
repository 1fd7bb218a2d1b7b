"""Sentences on unanswered items and on raters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.calibration.estimand import Estimand, parse_estimand
from bacon.calibration.practice import Unanswered, agreement, raters_beside, unanswered
from bacon.estimation.unanswered import TippingPoint, shift_to_flip

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.intervals import Interval, Target
    from bacon.estimation.raters import RaterSpread
    from bacon.estimation.results import Estimate

__all__ = ["flip_sentence", "practice_lines"]


def practice_lines(
    cal: Calibration,
    asked: Estimand,
    estimate: Estimate,
    *,
    level: float,
    target: Target,
    digits: int,
) -> list[str]:
    """Return the sentences on unanswered items and on raters, where there is something to say."""
    lines = []
    found = unanswered(cal, asked, level=level, target=target)
    if found is not None:
        ends = cal.scale if asked.kind == "mean" else (0.0, 1.0)
        lines += _unanswered_lines(found, ends, level, digits)
    beside = raters_beside(cal, asked, estimate)
    if beside is not None and cal.ratings is not None:
        spread, other = beside
        lines.append(_raters_line(cal, spread, other.interval(level, target), digits))
    return lines


def _unanswered_lines(
    found: Unanswered, ends: tuple[float, float] | None, level: float, digits: int
) -> list[str]:
    """Say how far unanswered items would have to differ, and what they could do at worst."""
    tip = found.tipping
    share = f"{tip.share * 100:.0f} % of the weight"
    begin = (
        f"The {found.n_unanswered:,} unanswered items ({share}) are taken to average "
        f"{tip.assumed:.{digits}f}"
    )
    if math.isnan(tip.down):
        lines = [f"{begin}."]
    else:
        down, up = (_shift(tip, shift, ends, digits) for shift in (tip.down, tip.up))
        lines = [f"{begin}; the estimate would leave its interval if they averaged {down} or {up}."]
    if found.bounds is not None and ends is not None:
        worst = found.bounds
        low, high = worst.interval
        lines.append(
            f"Were all of them at {ends[0]:g}, or all at {ends[1]:g}, it would be "
            f"{worst.low:.{digits}f} or {worst.high:.{digits}f}; {level * 100:g} % interval of all "
            f"that lies between: {low:.{digits}f} to {high:.{digits}f}."
        )
    return lines


def _shift(tip: TippingPoint, shift: float, ends: tuple[float, float] | None, digits: int) -> str:
    """Say a shift of unanswered items, in units of the labels and in SDs."""
    word = "less" if shift < 0.0 else "more"
    sds = tip.in_sds(abs(shift))
    told = f"{abs(shift):.{digits}f} {word}" + (f" ({sds:.1f} SD)" if math.isfinite(sds) else "")
    moved = tip.assumed + shift
    if ends is not None and not ends[0] <= moved <= ends[1]:
        return f"{told}, which is off the scale,"
    return told


def _raters_line(cal: Calibration, spread: RaterSpread, interval: Interval, digits: int) -> str:
    """Say how far raters differ, and what follows for the claim that was not asked for."""
    correlation, pairs = agreement(cal)
    agree = ""
    if pairs:
        agree = f", who agree by a mean correlation of {correlation:.2f} ({pairs:,} pairs),"
    how = "no more than chance makes them"
    if not spread.is_floored:
        share = f"{spread.share * 100:.0f} % of their ratings' variance about the predictions"
        how = f"SD {spread.sd:.{digits}f}, which is {share}"
    text = f"The {spread.n_raters} raters{agree} differ in their means by {how}."
    if math.isnan(interval.low):
        return text
    ends = f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"
    if interval.method.endswith("with raters"):
        return f"{text} For other raters like them: {ends}."
    return f"{text} For these raters alone: {ends}."


def flip_sentence(
    cal: Calibration, name: str, relation: str, value: float, interval: Interval
) -> str | None:
    """Say how far unanswered items would have to lie from what is assumed to undo a verdict.

    None where nothing is unanswered, or nothing was decided.
    """
    asked = parse_estimand(name, cal.levels)
    found = unanswered(cal, asked, level=interval.level, target=interval.target)
    if found is None or math.isnan(interval.low):
        return None
    shift = shift_to_flip(interval, relation, value, found.tipping.share)
    if shift is None:
        return None
    ends = cal.scale if asked.kind == "mean" else (0.0, 1.0)
    told = _shift(found.tipping, shift, ends, 3).rstrip(",")
    return (
        f"This would no longer hold if the {found.n_unanswered:,} unanswered items averaged {told} "
        f"than the {found.tipping.assumed:.3f} assumed."
    )
