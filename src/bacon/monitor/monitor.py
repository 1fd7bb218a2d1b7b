"""Watching a saved calibration on later pools and a trickle of fresh labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.judge_summary import versions_of
from bacon.calibration.saved import SavedCalibration
from bacon.checks import check_level
from bacon.data.notice import Notice
from bacon.data.pool import Pool
from bacon.errors import InputError
from bacon.files import check_can_write
from bacon.monitor.evidence import labels_to_find
from bacon.monitor.fresh import check_sample, fresh_labels
from bacon.monitor.report import MonitorReport, Plan, Prediction
from bacon.monitor.scores import compare_judges, drift_bound
from bacon.monitor.shifts import find_shifts
from bacon.monitor.state import Settings, Stream, read_state, write_state
from bacon.monitor.versions import version_notices
from bacon.words import listed

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.labels import Labels
    from bacon.data.sample import Sample
    from bacon.monitor.shifts import Shifts

__all__ = ["Monitor"]

POWER = 0.9
"""Probability with which a shift of the stated size is to be found."""

NORMAL_95 = 1.959963984540054


@dataclass
class Monitor:
    """Holds a saved calibration against later judge scores and fresh labels.

    Parameters
    ----------
    calibration : SavedCalibration
        From :func:`bacon.load_calibration`.
    state : str or Path, optional
        File that keeps the labels seen, so that checking weekly keeps one error rate; it is made
        when there is none. Without it this object keeps them.
    tolerance : float
        Shift that does not matter, in SDs of the calibration's errors. The margin is two
        standard errors of the calibration's mean error and this.
    level : float
        One minus the probability of a false alarm: over all labels that may ever come for the
        tests of labels, and as much again over all pools for the scores of judges.
    detect : float
        Shift, in the same SDs, that should be found: with fewer labels than find it in nine runs
        of ten the verdict is open.

    Raises
    ------
    InputError
        An argument is wrong, or the state is damaged, of another calibration or begun with
        other settings.

    Examples
    --------
    ``bacon.Monitor(bacon.load_calibration("cal"), state="monitor.json").check(pool, labels)``
    """

    calibration: SavedCalibration
    state: str | Path | None = None
    tolerance: float = 0.2
    level: float = 0.95
    detect: float = 0.7

    def __post_init__(self) -> None:
        """Check the arguments and read the state."""
        if not isinstance(self.calibration, SavedCalibration):
            raise InputError(
                f"Monitor takes a saved calibration, not a {type(self.calibration).__name__}: "
                'cal.save("cal"), then bacon.load_calibration("cal").'
            )
        check_level(self.level)
        for name, value in (("tolerance", self.tolerance), ("detect", self.detect)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{name} must be a number of SDs; got {value!r}.")
            if not 0.0 <= value < np.inf:
                raise InputError(f"{name} must be 0 or more SDs; got {value!r}.")
        if self.detect <= self.tolerance:
            raise InputError(
                f"detect = {self.detect:g} SDs is no larger than tolerance = {self.tolerance:g}, a "
                "shift that does not matter, so no number of labels would find it; raise detect or "
                "lower tolerance."
            )
        if self.calibration.monitoring["error"] is None:
            raise InputError(
                f"{self.calibration.source}: all labels of the calibration share one cluster, so "
                "its error is not known and nothing can be held against it; calibrate on more "
                "clusters."
            )
        self._settings = Settings(float(self.tolerance), float(self.level), float(self.detect))
        self._stream = Stream()
        if self.state is not None:
            self.state = Path(self.state)
            check_can_write(self.state, overwrite=True)
            self._stream = read_state(self.state, self._settings, self.calibration.digest)

    def check(
        self, pool: Pool, labels: Labels | None = None, *, sample: Sample | None = None
    ) -> MonitorReport:
        """Return what a pool of later items, and fresh labels of some of them, say.

        Parameters
        ----------
        pool : Pool
            Later items with the judges and features of the calibration.
        labels : Labels, optional
            Human labels, earlier ones among them or not: each item counts once. Without a sample
            they are taken as a random draw of the pool.
        sample : Sample, optional
            The draw they answer: uniform, or any with equal probabilities of single items.

        Raises
        ------
        InputError
            The pool lacks a judge or ids, or a label cannot be used.
        DesignError
            Labels, sample and pool do not fit together.
        """
        if not isinstance(pool, Pool):
            raise InputError(f"check takes a Pool (bacon.read_pool); got {type(pool).__name__}.")
        if sample is not None and labels is None:
            raise InputError("a sample goes with the labels that answer it; give labels as well.")
        record = self.calibration.monitoring
        score = self.calibration.scores(pool)
        stream = self._stream.with_pool(pool.fingerprint)
        group, notices = self._groups(pool)
        before = stream.n_labels
        if labels is not None:
            if sample is not None:
                check_sample(pool, sample)
                notices += sample.notices
            new, told = fresh_labels(self.calibration, pool, labels, sample, stream, group)
            stream = stream.with_labels(new)
            notices += told
        k = stream.pools.index(pool.fingerprint) + 1
        judges, left_out = compare_judges(
            pool, record["judges"], bound=drift_bound(1.0 - self.level, k)
        )
        shifts = find_shifts(stream, record, self._settings)
        notices += (
            *_left_out(left_out),
            *_new_groups(shifts),
            *version_notices(record["versions"], versions_of(pool)),
        )
        if self.state is not None:
            write_state(Path(self.state), stream, self._settings, self.calibration.digest)
        self._stream = stream
        return MonitorReport(
            calibration=self.calibration.source,
            pool=pool.source,
            n_items=pool.n_items,
            settings=self._settings,
            n_new=stream.n_labels - before,
            error_sd=float(record["error"]["sd"]),
            n_calibration=int(record["error"]["n_labels"]),
            group_column=None if group is None else record["roles"]["group"],
            shifts=shifts,
            judges=judges,
            n_pools=len(stream.pools),
            prediction=_prediction(score, record["prediction"]),
            plan=_plan(shifts, stream, self._settings, float(record["error"]["sd"])),
            notices=tuple(dict.fromkeys((*notices, *pool.notices))),
        )

    def _groups(self, pool: Pool) -> tuple[IntArray | None, tuple[Notice, ...]]:
        """Return the group of each item, refusing another column than the calibration's."""
        column = self.calibration.monitoring["roles"]["group"]
        if pool.group is None:
            if column is None:
                return None, ()
            message = (
                f"{pool.source} names no group, so the groups of {column} are not watched; give "
                f"--group {column}."
            )
            return None, (Notice("groups_not_watched", message),)
        if pool.group.name != column:
            kept = "no group" if column is None else f"the groups of {column}"
            raise InputError(
                f"{self.calibration.source} was calibrated with {kept}, and nothing is known of "
                f"errors by {pool.group.name}; leave --group {pool.group.name} out, or calibrate "
                "again with it."
            )
        return pool.group.codes, ()


def _left_out(names: tuple[str, ...]) -> tuple[Notice, ...]:
    """Tell of judges whose scores cannot be compared."""
    if not names:
        return ()
    message = (
        f"Scores not compared: {listed(names)}, absent here or answering in words on one side "
        "and in numbers on the other; the calibration does not use them."
    )
    return (Notice("judges_not_compared", message),)


def _new_groups(shifts: Shifts) -> tuple[Notice, ...]:
    """Tell of groups that cannot be held against the calibration."""
    notices = []
    if shifts.new_groups:
        message = (
            f"Groups that the calibration did not have: {listed(shifts.new_groups)}. Their labels "
            "count in the overall test alone; whether it holds for them is not known."
        )
        notices.append(Notice("groups_new", message))
    if shifts.thin_groups:
        message = (
            f"Groups with too few labels at the calibration to be held against it: "
            f"{listed(shifts.thin_groups)}. Their labels count in the overall test alone."
        )
        notices.append(Notice("groups_not_watched", message))
    return tuple(notices)


def _prediction(score: FloatArray, old: dict[str, float]) -> Prediction:
    """Return how the calibrated mean of the pool moved."""
    mean = float(score.mean())
    sd = float(score.std())
    se = (old["sd"] ** 2 / max(old["effective"], 1.0) + sd**2 / len(score)) ** 0.5
    return Prediction(old["mean"], mean, se)


def _plan(shifts: Shifts, stream: Stream, settings: Settings, sd: float) -> Plan:
    """Return how many labels find the stated shift, and how many a new calibration takes."""
    expected = shifts.overall.expected
    wanted = labels_to_find(expected, settings.detect * sd, POWER)
    now = float(np.std(stream.errors, ddof=1)) if stream.n_labels > 1 else expected.sd
    as_before = round((now / expected.se) ** 2) if expected.se > 0.0 else expected.n
    half = settings.tolerance * expected.sd
    to_tolerance = None
    if half > 0.0:
        to_tolerance = int(np.ceil((NORMAL_95 * now / half) ** 2))
    return Plan(wanted, POWER, max(as_before, 2), to_tolerance)
