"""What each judge's error goes with, tested over all judges and drivers together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.association import rank_slope, score_test
from bacon.calibration.diagnostics.drivers import LEAST
from bacon.calibration.diagnostics.measures import UNKNOWN, Measure, mean_measure
from bacon.calibration.diagnostics.together import sign_flips
from bacon.calibration.ranks import correlation_of, mid_ranks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.arrays import BoolArray, FloatArray
    from bacon.calibration.diagnostics.association import ScoreTest
    from bacon.calibration.diagnostics.drivers import Driver
    from bacon.calibration.diagnostics.errors import ErrorKind, Errors

__all__ = ["DriverTest", "GroupError", "driver_tests", "natural_step"]

LEAST_IN_GROUP = 5
"""Labels from which a group is named as the one with the highest or lowest error."""


@dataclass(frozen=True, slots=True)
class GroupError:
    """The error of one group.

    Parameters
    ----------
    group : str
        The group.
    n : int
        Labels of it.
    error : Measure
        Its mean error less that over all items.
    """

    group: str
    n: int
    error: Measure


@dataclass(frozen=True, slots=True)
class DriverTest:
    """One judge's error against one driver.

    Parameters
    ----------
    judge : str
        The judge, or the model.
    driver, kind, words, unit : str
        Column of the driver; length, group, feature, uncertainty or runs; what it is in a
        sentence; unit of a number.
    of_model : bool
        Whether it is the model's error, and no judge's.
    error : str
        What the error is: excess, recalibrated or disagreement.
    of_size : bool
        Whether the size of the error is tested, and not its direction.
    n : int
        Labelled items with both.
    rank_correlation : float
        Spearman's correlation of error and number, NaN for groups.
    slope : Measure
        Change of the mean error per unit of the number, unknown for groups.
    step : float
        A round number of units near the distance between the quartiles; NaN for groups.
    lowest, highest : GroupError or None
        Groups with the lowest and highest mean error, of those with 5 labels or more.
    p, p_adjusted : float
        p-value of no relation, alone and over all judges and drivers together (sign flips).
    """

    judge: str
    driver: str
    kind: str
    words: str
    unit: str
    of_model: bool
    error: ErrorKind
    of_size: bool
    n: int
    rank_correlation: float = math.nan
    slope: Measure = UNKNOWN
    step: float = math.nan
    lowest: GroupError | None = None
    highest: GroupError | None = None
    p: float = math.nan
    p_adjusted: float = math.nan


def driver_tests(
    pairs: Iterable[tuple[Errors, tuple[Driver, ...]]], *, level: float, rng: np.random.Generator
) -> tuple[DriverTest, ...]:
    """Test each judge's errors against its drivers; the p-values are adjusted together.

    Parameters
    ----------
    pairs : iterable of (Errors, tuple of Driver)
        Each judge's errors with what they may go with. Against a judge's own doubt the size
        of the error is tested as well as its direction.
    level : float
        Level of the intervals.
    rng : numpy.random.Generator
        For the sign flips that the adjustment draws.
    """
    kept: dict[tuple[str, bytes], tuple[FloatArray, float]] = {}
    found: list[tuple[DriverTest, ScoreTest | None]] = []
    for errors, drivers in pairs:
        for driver in drivers:
            both = errors.known & ~np.isnan(driver.values)
            if both.sum() < LEAST or np.ptp(driver.values[both]) == 0.0:
                continue
            shared = errors.where(both)
            if driver.groups:
                found.append(_of_groups(shared, driver, both, level))
                continue
            key = (driver.name, both.tobytes())
            if key not in kept:
                values = driver.values[both]
                kept[key] = mid_ranks(values, shared.obs.weights), natural_step(values)
            found.append(_of_number(shared, driver, both, *kept[key], level=level))
            if driver.kind in ("uncertainty", "runs"):
                size, test = _of_number(shared.sizes, driver, both, *kept[key], level=level)
                found.append((replace(size, of_size=True), test))
    adjusted = sign_flips([test for _, test in found], rng)
    return tuple(
        one if test is None else replace(one, p=test.p, p_adjusted=float(p))
        for (one, test), p in zip(found, adjusted, strict=True)
    )


def _of_number(
    errors: Errors,
    driver: Driver,
    items: BoolArray,
    ranks: FloatArray,
    step: float,
    *,
    level: float,
) -> tuple[DriverTest, ScoreTest | None]:
    """Hold errors against a number with its ranks."""
    slope, test = rank_slope(
        errors.values,
        driver.values[items],
        ranks,
        controls=errors.controls,
        obs=errors.obs,
        level=level,
    )
    own = mid_ranks(errors.left, errors.obs.weights)
    correlation = correlation_of(own, ranks, errors.obs.weights)
    return _described(errors, driver, correlation=correlation, slope=slope, step=step), test


def _of_groups(
    errors: Errors, driver: Driver, items: BoolArray, level: float
) -> tuple[DriverTest, ScoreTest | None]:
    """Hold errors against groups."""
    codes, place = np.unique(driver.values[items].astype(np.int64), return_inverse=True)
    inside = (place[:, np.newaxis] == np.arange(len(codes))).astype(np.float64)
    test = score_test(errors.left, errors.controls.residuals(inside), errors.obs)
    counts = np.bincount(place)
    mean = (errors.obs.share * errors.left) @ inside / (errors.obs.share @ inside)
    named = np.flatnonzero(counts >= LEAST_IN_GROUP)
    if len(named) < 2:
        return _described(errors, driver), test

    def one(k: int) -> GroupError:
        of_group = place == k
        error = mean_measure(errors.left[of_group], errors.obs.where(of_group), level)
        return GroupError(driver.groups[codes[k]], int(counts[k]), error)

    by_error = named[np.argsort(mean[named], kind="stable")]
    lowest, highest = (one(int(by_error[end])) for end in (0, -1))
    return _described(errors, driver, lowest=lowest, highest=highest), test


def _described(
    errors: Errors,
    driver: Driver,
    *,
    correlation: float = math.nan,
    slope: Measure = UNKNOWN,
    step: float = math.nan,
    lowest: GroupError | None = None,
    highest: GroupError | None = None,
) -> DriverTest:
    """Return what was found of an error and a driver, before the p-values."""
    return DriverTest(
        judge=errors.name,
        driver=driver.name,
        kind=driver.kind,
        words=driver.words,
        unit=driver.unit,
        of_model=errors.of_model,
        error=errors.kind,
        of_size=False,
        n=len(errors.values),
        rank_correlation=correlation,
        slope=slope,
        step=step,
        lowest=lowest,
        highest=highest,
    )


def natural_step(values: FloatArray) -> float:
    """Return 1, 2 or 5 times a power of ten, near the distance between the quartiles.

    Near the whole range where the quartiles are one value; 1 where all values are.
    """
    quartiles = np.quantile(values, (0.25, 0.75))
    width = float(quartiles[1] - quartiles[0]) or float(np.ptp(values))
    if not width > 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return min((1.0, 2.0, 5.0, 10.0), key=lambda m: abs(math.log(width / (m * power)))) * power
