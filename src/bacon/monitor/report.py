"""What a check of a calibration found: verdict, tests, drift of scores, and what to do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.data.notice import Notice
    from bacon.monitor.scores import JudgeScores
    from bacon.monitor.shifts import Shifts, Watched
    from bacon.monitor.state import Settings

__all__ = ["MonitorReport", "Plan", "Prediction"]

EXIT_CODES = {"quiet": 0, "drift": 3, "open": 4}


@dataclass(frozen=True)
class Prediction:
    """Mean calibrated score of the calibration's pool and of this one, and the difference's SE."""

    old: float
    new: float
    se: float


@dataclass(frozen=True)
class Plan:
    """How many fresh labels are needed.

    Parameters
    ----------
    to_find : int or None
        To find a shift of the stated size; None where this calibration is too uncertain for it.
    power : float
        Probability with which they find it.
    to_recalibrate : int
        For a calibration whose mean error is as certain as the old one's.
    to_tolerance : int or None
        To know the mean error to within the tolerance (95 %); None without one.
    """

    to_find: int | None
    power: float
    to_recalibrate: int
    to_tolerance: int | None


@dataclass(frozen=True)
class MonitorReport:
    """The result of :meth:`bacon.Monitor.check`.

    Parameters
    ----------
    calibration, pool : str
        File names.
    n_items : int
        Items of the pool.
    settings : Settings
        Tolerance, level and the shift to be found.
    n_new : int
        Labels that were not seen before.
    error_sd : float
        SD of the calibration's errors, `n_calibration` labels.
    group_column : str or None
        Column of the groups that are watched.
    shifts : Shifts
        Tests of the labels, overall, by group and judge.
    judges : tuple of JudgeScores
        Scores of the judges, against those at the calibration.
    n_pools : int
        Pools looked at so far.
    prediction : Prediction
        The mean calibrated score, then and now.
    plan : Plan
        Labels needed.
    notices : tuple of Notice
        Everything a reader must know.
    """

    calibration: str
    pool: str
    n_items: int
    settings: Settings
    n_new: int
    error_sd: float
    n_calibration: int
    group_column: str | None
    shifts: Shifts
    judges: tuple[JudgeScores, ...]
    n_pools: int
    prediction: Prediction
    plan: Plan
    notices: tuple[Notice, ...] = field(default=())

    @property
    def n_labels(self) -> int:
        """Fresh labels so far."""
        return self.shifts.overall.shift.n

    @property
    def shifted(self) -> tuple[Watched, ...]:
        """Tests that found a shift beyond the margin."""
        return tuple(one for one in self.shifts.every if one.alarms)

    @property
    def drifted(self) -> tuple[JudgeScores, ...]:
        """Judges whose scores, or missing scores, drifted in this pool."""
        return tuple(one for one in self.judges if one.drifts or one.missing_drifts)

    @property
    def enough(self) -> bool:
        """Whether there are labels enough to have found a shift of the stated size."""
        return self.plan.to_find is not None and self.n_labels >= self.plan.to_find

    @property
    def verdict(self) -> str:
        """Return "drift", "quiet" or "open" (not enough labels yet)."""
        if self.shifted or self.drifted:
            return "drift"
        return "quiet" if self.enough else "open"

    @property
    def exit_code(self) -> int:
        """0 quiet, 3 drift, 4 not enough evidence."""
        return EXIT_CODES[self.verdict]

    def summary(self) -> str:
        """Return the report as the command prints it."""
        from bacon.monitor.text import report_text

        return report_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as the JSON object of ``bacon monitor --json``."""
        plan = self.plan
        return {
            "schema": "bacon-monitoring",
            "version": 1,
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "calibration": self.calibration,
            "pool": self.pool,
            "n_items": self.n_items,
            "n_labels": self.n_labels,
            "n_new_labels": self.n_new,
            "n_pools": self.n_pools,
            "level": self.settings.level,
            "tolerance": self.settings.tolerance,
            "detect": self.settings.detect,
            "error_sd": self.error_sd,
            "n_calibration_labels": self.n_calibration,
            "shift": _watched(self.shifts.overall),
            "group_column": self.group_column,
            "groups": [_watched(one) for one in self.shifts.groups],
            "judges": list(self._judge_records()),
            "prediction": {
                "calibration": self.prediction.old,
                "pool": self.prediction.new,
                "se": self.prediction.se,
            },
            "recalibrate": {
                "advised": self.verdict == "drift",
                "labels": plan.to_recalibrate,
                "labels_for_tolerance": plan.to_tolerance,
            },
            "labels_to_detect": plan.to_find,
            "labels_to_detect_reason": None
            if plan.to_find is not None
            else "margin and error of the calibration leave no shift of that size to be found",
            "warnings": [{"code": one.code, "message": one.message} for one in self.notices],
        }

    def _judge_records(self) -> Iterator[dict[str, Any]]:
        """Yield for each judge its own test and its scores, either null where there is none."""
        alone = {one.name: one for one in self.shifts.judges}
        scores = {one.name: one for one in self.judges}
        for name in dict.fromkeys((*scores, *alone)):
            yield {
                "name": name,
                "shift": None if name not in alone else _watched(alone[name]),
                "scores": None if name not in scores else _scores(scores[name]),
            }

    def _repr_html_(self) -> str:
        """Return the summary for a notebook."""
        import html

        return f"<pre>{html.escape(self.summary())}</pre>"


def _number(value: float) -> float | None:
    """Return a finite number, None for any other."""
    return float(value) if math.isfinite(value) else None


def _watched(one: Watched) -> dict[str, Any]:
    """Return a test as plain values."""
    shift = one.shift
    low, high = shift.interval
    reason = None
    if math.isnan(low):
        reason = "no labels yet" if shift.n == 0 else "fewer than 30 labels, or no spread"
    return {
        "name": one.name,
        "n_labels": shift.n,
        "estimate": _number(shift.value),
        "ci": None if math.isnan(low) else [_number(low), _number(high)],
        "reason": reason,
        "margin": one.expected.margin,
        "alpha": one.expected.alpha,
        "drift": one.alarms,
        "found_at_label": shift.alarm_at,
    }


def _scores(one: JudgeScores) -> dict[str, Any]:
    """Return how a judge's scores moved as plain values."""
    return {
        "where": one.where,
        "share_calibration": _number(one.old),
        "share_pool": _number(one.new),
        "p": one.p,
        "drift": one.drifts,
        "missing_calibration": _number(one.missing_old),
        "missing_pool": _number(one.missing_new),
        "p_missing": one.p_missing,
        "missing_drift": one.missing_drifts,
    }
