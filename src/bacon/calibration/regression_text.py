"""Regression coefficients as a person reads them, and as they stand in the JSON result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.calibration.figures import intervals, number
from bacon.calibration.text import aligned, decimals, ends_text

if TYPE_CHECKING:
    from bacon.estimation.intervals import Target
    from bacon.estimation.vector import Estimates

__all__ = ["regression_lines", "regression_record"]

OF = {
    "linear": "change of the mean label by one unit of a column",
    "logistic": "change of the log odds by one unit of a column",
    "poisson": "change of the log mean by one unit of a column",
}


def regression_lines(
    found: Estimates, outcome: str, *, family: str, level: float, target: Target
) -> list[str]:
    """Return the table of coefficients and the notes that belong to it."""
    cells: list[tuple[str, ...]] = [
        (found.kind, "estimate", f"{level * 100:g} %", f"{level * 100:g} % (all together)")
    ]
    joint = found.simultaneous(level, target)
    for name, estimate in found.items():
        own = estimate.interval(level, target)
        digits = decimals(own.half_width if own.half_width > 0.0 else estimate.value)
        cells.append(
            (
                name,
                f"{estimate.value:.{digits}f}",
                ends_text(own, digits),
                ends_text(joint[name], digits),
            )
        )
    items = "these items" if target == "pool" else "items like these"
    head = f"Regression of {outcome} over {items} ({family}: {OF[family]}):"
    return [head, *aligned(cells), *(f"Note: {one.message}" for one in found.notices)]


def regression_record(
    found: Estimates, *, family: str, level: float, target: Target
) -> dict[str, Any]:
    """Return `regression` of the JSON result."""
    joint = found.simultaneous(level, target)
    return {
        "family": family,
        "coefficients": [
            {
                "coefficient": name,
                "estimate": number(estimate.value),
                "intervals": intervals(estimate, level),
                "ci_simultaneous": [number(end) for end in joint[name]],
            }
            for name, estimate in found.items()
        ],
        "warnings": [{"code": one.code, "message": one.message} for one in found.notices],
    }
