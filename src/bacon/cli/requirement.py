"""`--require`: whether an interval meets what is asked of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.cli.output import say
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.intervals import Interval

__all__ = ["VERDICT_NO", "VERDICT_OPEN", "Requirement", "decide", "parse_requirement"]

VERDICT_NO, VERDICT_OPEN = 3, 4
"""Exit codes: the requirement fails, or the interval does not decide it."""


MOST_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Requirement:
    """What ``--require`` asks: estimand at least or at most a value."""

    estimand: str
    relation: str
    value: float


def parse_requirement(text: str) -> Requirement:
    """Return the parts of ``ESTIMAND:ge|le:VALUE``."""
    usage = (
        "--require must be ESTIMAND:ge:VALUE or ESTIMAND:le:VALUE, such as mean:ge:4.0; got "
        f"{text!r}."
    )
    estimand, _, rest = text.rpartition(":")
    name, _, relation = estimand.rpartition(":")
    if not name or relation not in ("ge", "le"):
        raise InputError(usage)
    try:
        value = float(rest)
    except ValueError:
        raise InputError(usage) from None
    if not math.isfinite(value):
        raise InputError(usage)
    return Requirement(name, relation, value)


def decide(cal: Calibration, interval: Interval, wanted: Requirement) -> int:
    """Say whether the interval meets the requirement, and return the exit code."""
    from bacon.calibration.practice_text import flip_sentence

    low, high = interval
    above = low >= wanted.value if wanted.relation == "ge" else high <= wanted.value
    below = high < wanted.value if wanted.relation == "ge" else low > wanted.value
    word = "at least" if wanted.relation == "ge" else "at most"
    asked = f"{wanted.estimand} {word} {wanted.value:g}"
    if math.isnan(low):
        say(
            f"Required: {asked}: not decided, for there is no interval: {interval.reason}.",
            err=True,
        )
        return VERDICT_OPEN
    digits = _digits(low, high, wanted.value)
    ends = f"{interval.level * 100:g} % interval {low:.{digits}f} to {high:.{digits}f}"
    if above or below:
        say(f"Required: {asked}: {'yes' if above else 'no'} ({ends}).", err=True)
        flip = flip_sentence(cal, wanted.estimand, wanted.relation, wanted.value, interval)
        if flip is not None:
            say(flip, err=True)
        return 0 if above else VERDICT_NO
    say(f"Required: {asked}: not decided ({ends}); more labels would tell.", err=True)
    return VERDICT_OPEN


def _digits(low: float, high: float, value: float) -> int:
    """Return decimals for both ends, enough for each to be seen on its side of the value."""
    from bacon.calibration.text import decimals

    digits = decimals(high - low)
    while digits < MOST_DIGITS and any(
        end != value and round(end, digits) == round(value, digits) for end in (low, high)
    ):
        digits += 1
    return digits
