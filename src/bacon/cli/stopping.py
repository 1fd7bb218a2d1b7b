"""`--stop-width`: the interval that holds at every look, and whether labelling may stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.calibration.anytime import Anytime
    from bacon.calibration.calibration import Calibration
    from bacon.cli.calibrating import Reading

__all__ = ["FIXED", "check_stop", "longer_sheet", "looks"]

FIXED = (
    "Intervals below are for a number of labels that was fixed beforehand. They do not hold once "
    "labelling stops by looking at them; the one above does."
)


def check_stop(read: Reading, width: float | None, target: str) -> None:
    """Refuse a width to stop at that is none, or that these labels could not have."""
    from bacon.calibration.stopping import check_width

    check_width(width)
    if width is None:
        return
    if read.options.get("sample") is None:
        raise InputError(
            "--stop-width needs the sheet the labels are filled in, which has the order in which "
            "its items were drawn; give it with --sample."
        )
    if target != "pool":
        raise InputError("--stop-width is for the items of the pool; leave out --target.")


def looks(
    cal: Calibration,
    asked: tuple[str, ...],
    required: list[str],
    *,
    level: float,
    width: float | None,
) -> dict[str, Anytime]:
    """Return the intervals that hold at every look: of the first estimand, and required ones.

    Requirements are decided by them too, since labelling stops by looking.
    """
    if width is None:
        return {}
    first = asked[0] if asked else cal.default_estimands()[0]
    return {
        name: cal.anytime(name, level=level, width=width if name == first else None)
        for name in dict.fromkeys((first, *required))
    }


def longer_sheet(read: Reading, cal: Calibration, stop: Anytime) -> list[str]:
    """Return the command that makes the sheet longer, where what is left of it will not do."""
    from bacon.cli.drawing import command
    from bacon.inspection.suggestion import free_sheet

    if not stop.more or stop.n_labels + stop.more <= stop.n_drawn or cal.aligned.kind != "uniform":
        return []
    sheet = read.options["sample"]
    n = min(stop.n_labels + stop.more, stop.n_items)
    options = {**read.for_sample(), "-n": n, "--extend": sheet, "--out": free_sheet(sheet)}
    return [
        "Next, a longer sheet, which keeps the labels there are:",
        f"  {command('sample', read.options['pool'], options)}",
    ]
