"""The tests of a shift: overall, in each group and for each judge, with one error rate.

The overall test has `OVERALL` of alpha = 1 - level, groups and judges together the rest in
equal parts, and each group or judge an equal part of that (Bonferroni). Without groups or
judges to be tested their part goes to the overall test.

The margin is two standard errors of the calibration's mean error (the 1 - 0.05/G t quantile, if
larger, for G groups or judges) and the tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.estimation.intervals import t_quantile
from bacon.monitor.evidence import Expected, Shift, shift_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.monitor.state import Settings, Stream

__all__ = ["Shifts", "Watched", "find_shifts"]

OVERALL = 0.9
"""Share of alpha for the overall test, where groups or judges are tested as well."""

LEAST_BEFORE = 10
"""Labels at the calibration below which a group cannot be held against it."""

TWO = 2.0


@dataclass(frozen=True)
class Watched:
    """One test with its name and what it was held against."""

    name: str
    expected: Expected
    shift: Shift

    @property
    def alarms(self) -> bool:
        """Whether a shift beyond the margin was found."""
        return self.shift.alarm_at is not None


@dataclass(frozen=True)
class Shifts:
    """All tests of one stream.

    Parameters
    ----------
    overall : Watched
        Of all labels.
    groups, judges : tuple of Watched
        Of each group, and of each judge alone.
    new_groups : tuple of str
        Groups of the stream that the calibration did not have.
    thin_groups : tuple of str
        Groups that had too few labels at the calibration.
    """

    overall: Watched
    groups: tuple[Watched, ...]
    judges: tuple[Watched, ...]
    new_groups: tuple[str, ...]
    thin_groups: tuple[str, ...]

    @property
    def every(self) -> tuple[Watched, ...]:
        """Return all of them, the overall test first."""
        return (self.overall, *self.groups, *self.judges)


def expected_of(
    error: Mapping[str, Any], tolerance: float, alpha: float, *, claims: int, least_sd: float = 0.0
) -> Expected:
    """Return what a stream is held against.

    Parameters
    ----------
    error : mapping
        Count, mean, SD and standard error at the calibration.
    tolerance : float
        In the units of the labels.
    alpha : float
        Of this test.
    claims : int
        Groups or judges whose calibrations all have to lie within their part of the margin.
    least_sd : float
        SD that the errors are taken to have at least: a few labels hardly know theirs.
    """
    n = int(error["n_labels"])
    sd, se = float(error["sd"]), float(error["se"])
    if sd < least_sd:
        se *= least_sd / sd if sd > 0.0 else 0.0
        sd, se = least_sd, se or least_sd / math.sqrt(n)
    times = max(TWO, t_quantile(1.0 - 0.05 / claims, n - 1))
    return Expected(float(error["mean"]), sd, se, n, times * se + tolerance, alpha)


def find_shifts(stream: Stream, record: Mapping[str, Any], settings: Settings) -> Shifts:
    """Return what a stream says, held against what a calibration kept.

    Parameters
    ----------
    stream : Stream
        The fresh labels so far.
    record : mapping
        The calibration's baseline.
    settings : Settings
        Tolerance and level.
    """
    error = record["error"]
    tolerance = settings.tolerance * float(error["sd"])
    named = {name for name in stream.groups if name is not None}
    before = {one["name"]: one["error"] for one in (record["groups"] or {"levels": []})["levels"]}
    kept = {
        name: about
        for name, about in before.items()
        if about is not None and about["n_labels"] >= LEAST_BEFORE
    }
    judges = {one["name"]: one["alone"] for one in record["judges"] if one["alone"] is not None}
    # What is tested is settled by the calibration, not by what has come: the parts stay the same.
    families = [family for family in (kept, judges) if len(family) > 1]
    alpha = 1.0 - settings.level
    part = alpha * (1.0 - OVERALL) / len(families) if families else 0.0
    overall = expected_of(error, tolerance, alpha - part * len(families), claims=1)
    found_groups = []
    if len(kept) > 1:
        for name, about in sorted(kept.items()):
            own = expected_of(
                about, tolerance, part / len(kept), claims=len(kept), least_sd=error["sd"]
            )
            found_groups.append(Watched(name, own, shift_of(stream.errors_of_group(name), own)))
    found_judges = []
    if len(judges) > 1:
        for name, alone in judges.items():
            own = expected_of(alone["error"], tolerance, part / len(judges), claims=len(judges))
            found_judges.append(Watched(name, own, shift_of(stream.errors_of_judge(name), own)))
    return Shifts(
        overall=Watched("overall", overall, shift_of(np.array(stream.errors), overall)),
        groups=tuple(found_groups),
        judges=tuple(found_judges),
        new_groups=tuple(sorted(named - before.keys())) if before else (),
        thin_groups=tuple(sorted(named & before.keys() - kept.keys())),
    )
