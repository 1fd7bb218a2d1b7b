"""Diagnostics as tables and as JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bacon.calibration.diagnostics.measures import UNKNOWN
from bacon.calibration.diagnostics.tables import Column, Table, measure_record
from bacon.calibration.figures import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.diagnostics.curve import Bin, Curve
    from bacon.calibration.diagnostics.driver_tests import DriverTest, GroupError
    from bacon.calibration.diagnostics.fits import Fit
    from bacon.calibration.diagnostics.gain import Gain
    from bacon.calibration.diagnostics.measures import Measure

__all__ = [
    "curve_record",
    "curve_table",
    "driver_record",
    "driver_table",
    "fit_record",
    "fit_table",
    "gain_record",
]

FIT_MEASURES = {
    "r2": "R2",
    "rmse": "RMSE",
    "spearman": "Spearman",
    "r2_recalibrated": "R2 recalibrated",
    "rmse_recalibrated": "RMSE recalibrated",
    "agreement": "agreement",
    "kappa": "kappa",
}
"""Figures of a fit, with their headings."""


def fit_table(fits: Sequence[Fit], level: float) -> Table:
    """Return model, average and judges, each with its figures."""
    columns = (
        Column("name", ""),
        Column("kind", ""),
        Column("n", "n"),
        *(Column(key, heading) for key, heading in FIT_MEASURES.items()),
        Column("p_adjusted", "p (Holm)"),
    )
    rows = tuple({c.key: getattr(fit, c.key) for c in columns} for fit in fits)
    return Table(f"How well each follows the labels ({level:.0%} intervals)", columns, rows)


def fit_record(fit: Fit) -> dict[str, Any]:
    """Return one fit; figures that do not apply are left out."""
    record: dict[str, Any] = {"name": fit.name, "kind": fit.kind, "n": fit.n}
    record["on_scale"] = fit.on_scale
    for key in FIT_MEASURES:
        measure: Measure = getattr(fit, key)
        if measure.is_known:
            record[key] = measure_record(measure)
    if not math.isnan(fit.p_adjusted):
        record |= {"p": number(fit.p), "p_adjusted": number(fit.p_adjusted)}
    return record


def curve_table(curve: Curve, level: float) -> Table:
    """Return the bins."""
    columns = (
        Column("low", "from"),
        Column("high", "to"),
        Column("n", "n"),
        Column("prediction", "prediction"),
        Column("label", "label"),
        Column("gap", "too high by"),
        Column("p_adjusted", "p (Holm)"),
    )
    rows = tuple({c.key: getattr(one, c.key) for c in columns} for one in curve.bins)
    title = f"Predictions (out of fold) against labels ({level:.0%} intervals)"
    return Table(title, columns, rows)


def curve_record(curve: Curve) -> dict[str, Any]:
    """Return the curve and its tests."""
    return {
        "bins": [_bin_record(one) for one in curve.bins],
        "gap": measure_record(curve.gap),
        "slope": measure_record(curve.slope),
        **_p_values(p_slope_adjusted=curve.p_slope_adjusted, p=curve.p),
    }


def _bin_record(one: Bin) -> dict[str, Any]:
    return {
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "prediction": one.prediction,
        "label": one.label,
        "gap": measure_record(one.gap),
        **_p_values(p_adjusted=one.p_adjusted),
    }


def driver_table(tests: Sequence[DriverTest], level: float) -> Table:
    """Return each test in a row."""
    columns = (
        Column("judge", ""),
        Column("error", "error"),
        Column("driver", "goes with"),
        Column("n", "n"),
        Column("rank_correlation", "rank correlation"),
        Column("slope", "slope"),
        Column("per", "per"),
        Column("lowest", "lowest"),
        Column("lowest_error", ""),
        Column("highest", "highest"),
        Column("highest_error", ""),
        Column("p", "p"),
        Column("p_adjusted", "p (all rows)"),
    )
    title = (
        f"What errors go with (slopes per step; {level:.0%} intervals; p adjusted over all rows)"
    )
    return Table(title, columns, tuple(_driver_row(test) for test in tests))


def _driver_row(test: DriverTest) -> dict[str, str | int | float | Measure]:
    """Return a test by columns; the slope is that over one step."""
    is_number = not math.isnan(test.step)
    return {
        "judge": test.judge,
        "error": f"size of {test.error}" if test.of_size else test.error,
        "driver": test.driver,
        "n": test.n,
        "rank_correlation": test.rank_correlation,
        "slope": test.slope.times(test.step) if is_number else UNKNOWN,
        "per": f"{test.step:g} {test.unit}".strip() if is_number else "",
        "lowest": test.lowest.group if test.lowest else "",
        "lowest_error": test.lowest.error if test.lowest else UNKNOWN,
        "highest": test.highest.group if test.highest else "",
        "highest_error": test.highest.error if test.highest else UNKNOWN,
        "p": test.p,
        "p_adjusted": test.p_adjusted,
    }


def driver_record(test: DriverTest) -> dict[str, Any]:
    """Return one test; a number has a slope, groups have the lowest and the highest."""
    record: dict[str, Any] = {
        "judge": test.judge,
        "of_model": test.of_model,
        "error": test.error,
        "of_size": test.of_size,
        "driver": test.driver,
        "kind": test.kind,
        "n": test.n,
    }
    if not math.isnan(test.step):
        record |= {"unit": test.unit, "step": test.step}
        if test.slope.is_known:
            record["slope"] = measure_record(test.slope)
        if not math.isnan(test.rank_correlation):
            record["rank_correlation"] = number(test.rank_correlation)
    for key, group in (("lowest", test.lowest), ("highest", test.highest)):
        if group is not None:
            record[key] = _group_record(group)
    return record | _p_values(p=test.p, p_adjusted=test.p_adjusted)


def _group_record(one: GroupError) -> dict[str, Any]:
    return {"group": one.group, "n": one.n, "error": measure_record(one.error)}


def _p_values(**values: float) -> dict[str, Any]:
    """Return p-values; without them the reason."""
    record: dict[str, Any] = {name: number(p) for name, p in values.items()}
    if None in record.values():
        record["reason"] = "the labels are too few, or the errors all alike"
    return record


def gain_record(gain: Gain) -> dict[str, Any]:
    """Return the gain; `ratio` and `worth` only where they are known."""
    record: dict[str, Any] = {
        "estimand": gain.estimand,
        "target": gain.target,
        "verdict": gain.verdict,
    }
    if gain.ratio.is_known:
        record["ratio"] = measure_record(gain.ratio)
    if gain.worth.is_known:
        record["worth"] = {
            "value": number(gain.worth.value),
            "ci": [number(gain.worth.low), number(gain.worth.high)],
        }
    if gain.reason is not None:
        record["reason"] = gain.reason
    return record
