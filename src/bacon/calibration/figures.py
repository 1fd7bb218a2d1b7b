"""Figures and intervals as they stand in the JSON result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, get_args

from bacon.estimation.intervals import Interval, Target

if TYPE_CHECKING:
    from bacon.estimation.results import Estimate

__all__ = ["interval_record", "intervals", "number"]


def number(value: float | None) -> float | None:
    """Return a finite float, None for what is undefined or infinite."""
    return float(value) if value is not None and math.isfinite(value) else None


def interval_record(interval: Interval, se: float) -> dict[str, Any]:
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
        target: interval_record(estimate.interval(level, target), estimate.se(target))
        for target in get_args(Target)
    }
