"""A check of a calibration in a table and plain sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bacon.monitor.report import MonitorReport
    from bacon.monitor.scores import JudgeScores
    from bacon.monitor.shifts import Watched

__all__ = ["report_text"]

LONGEST = 28
"""Signs of a name in the table."""


def report_text(report: MonitorReport) -> str:
    """Return the report as text: numbers first, then sentences, the next step last."""
    lines = [
        *(one.message for one in report.notices if one.code == "assumed_sample"),
        *_table(_rows(report)),
        *_scores_table(report),
        *_verdict(report),
        *_next(report),
        *(f"Note: {one.message}" for one in report.notices if one.code != "assumed_sample"),
    ]
    return "\n".join(lines)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines, every column as wide as its widest cell."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _rows(report: MonitorReport) -> list[list[str]]:
    """Return the tests: overall, groups, judges alone."""
    rows = [["", "labels", "shift", "interval", "margin", ""]]
    rows.append(_row("all labels", report.shifts.overall))
    rows += [_row(f"{report.group_column} {one.name}", one) for one in report.shifts.groups]
    rows += [_row(f"{one.name} alone", one) for one in report.shifts.judges]
    return rows


def _row(name: str, one: Watched) -> list[str]:
    """Return one test as cells."""
    low, high = one.shift.interval
    found = "drift" if one.alarms else ""
    return [
        shown(name, LONGEST),
        f"{one.shift.n:,}",
        "-" if math.isnan(one.shift.value) else f"{one.shift.value:+.3g}",
        "-" if math.isnan(low) else f"{low:.3g} to {high:.3g}",
        f"{one.expected.margin:.3g}",
        found,
    ]


def _scores_table(report: MonitorReport) -> list[str]:
    """Return how the scores of judges moved."""
    if not report.judges:
        return []
    rows = [["scores of", "moved most", "then", "now", "p", "missing then", "now", ""]]
    for one in report.judges:
        drift = one.drifts or one.missing_drifts
        rows.append(
            [
                shown(one.name, LONGEST),
                shown(one.where, LONGEST) or "-",
                _share(one.old),
                _share(one.new),
                f"{one.p:.2g}" if one.p >= 0.001 else "<0.001",
                _share(one.missing_old),
                _share(one.missing_new),
                "drift" if drift else "",
            ]
        )
    return ["", *_table(rows), ""]


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def _verdict(report: MonitorReport) -> Iterator[str]:
    """Yield what was found, in sentences."""
    overall = report.shifts.overall
    shift, margin = overall.shift, overall.expected.margin
    if shift.alarm_at is not None:
        yield (
            f"Drift: people score these items {'higher' if shift.rises else 'lower'} than the "
            f"calibration says, by more than {margin:.3g}, found at label {shift.alarm_at:,} of "
            f"{shift.n:,}; on average over all of them {shift.value:+.3g} "
            f"({_sds(shift.value, report.error_sd)})."
        )
    groups = [one for one in report.shifts.groups if one.alarms]
    if groups:
        yield f"Drift in {report.group_column}: {listed(map(_moved, groups))}."
    yield from _judge_sentences(report)
    for one in report.drifted:
        yield _drift_sentence(one)
    if report.verdict == "quiet":
        yield (
            f"Quiet: {shift.n:,} fresh labels show no shift beyond {margin:.3g} "
            f"({_sds(margin, report.error_sd)}) of what was calibrated."
        )
    if report.verdict == "open":
        yield _open_sentence(report)


def _judge_sentences(report: MonitorReport) -> Iterator[str]:
    """Yield which judges went wrong, by their own lines."""
    wrong = [one for one in report.shifts.judges if one.alarms]
    if not wrong:
        return
    if len(wrong) == len(report.shifts.judges) and len({one.shift.rises for one in wrong}) == 1:
        yield (
            "People's labels moved against every judge alike: the people, the scale or the items "
            "changed rather than one judge."
        )
        return
    yield (
        f"Against people, {listed(map(_moved, wrong))}: with the same score of that judge people "
        "now say something else than at the calibration."
    )


def _moved(one: Watched) -> str:
    """Return the name of a test and which way labels moved."""
    return f"{one.name} ({one.shift.value:+.3g}, {one.shift.n:,} labels)"


def _sds(value: float, sd: float) -> str:
    """Return a value in SDs of the calibration's errors."""
    return f"{value / sd:.2f} SD of its errors" if sd > 0.0 else "its errors had no spread"


def _drift_sentence(one: JudgeScores) -> str:
    """Return how one judge's scores drifted."""
    told = []
    if one.drifts:
        told.append(f"{_share(one.new)} of its scores are {one.where}, {_share(one.old)} before")
    if one.missing_drifts:
        told.append(f"{_share(one.missing_new)} are missing, {_share(one.missing_old)} before")
    return f"Scores drifted: {one.name}: {' and '.join(told)}."


def _open_sentence(report: MonitorReport) -> str:
    """Return why nothing is decided."""
    wanted, size = report.plan.to_find, report.settings.detect
    asked = f"a shift of {size:g} SD ({size * report.error_sd:.3g})"
    if wanted is None:
        return (
            f"Not decided: the calibration rests on {report.n_calibration:,} labels and is too "
            f"uncertain for {asked} to be found; calibrate on more labels, or ask for a larger "
            "shift with --detect."
        )
    return (
        f"Not decided: {report.n_labels:,} fresh labels so far, and finding {asked} nine times in "
        f"ten takes about {wanted:,}."
    )


def _next(report: MonitorReport) -> Iterator[str]:
    """Yield the mean's move and what to do."""
    move = report.prediction.new - report.prediction.old
    yield (
        f"Calibrated scores of these {report.n_items:,} items average {report.prediction.new:.4g}, "
        f"{report.prediction.old:.4g} at the calibration ({move:+.2g} +/- "
        f"{1.96 * report.prediction.se:.2g})."
    )
    plan = report.plan
    if report.shifted:
        within = ""
        if plan.to_tolerance is not None:
            within = f"; {plan.to_tolerance:,} already tell the mean error to within the tolerance"
        yield (
            f"Next: calibrate again on fresh labels of such items: about {plan.to_recalibrate:,} "
            f"give a mean error as certain as before{within}."
        )
    elif report.drifted:
        more = max((plan.to_find or plan.to_recalibrate) - report.n_labels, 0)
        told = f"about {more:,} more fresh labels" if more else "the labels so far"
        yield (
            "Next: only labels tell whether people moved along with the judges: "
            f"{told} would have shown a shift; if in doubt, calibrate again "
            f"(about {plan.to_recalibrate:,} labels)."
        )
    elif report.verdict == "open" and plan.to_find is not None:
        more = max(plan.to_find - report.n_labels, 0)
        yield f"Next: label about {more:,} more of the new items, drawn at random."
