"""Diagnostics in plain sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.calibration.diagnostics.tables import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.diagnostics.curve import Bin, Curve
    from bacon.calibration.diagnostics.driver_tests import DriverTest, GroupError
    from bacon.calibration.diagnostics.fits import Fit
    from bacon.calibration.diagnostics.gain import Gain
    from bacon.calibration.diagnostics.measures import Measure

__all__ = [
    "SURE",
    "best_sentence",
    "curve_is_off",
    "curve_sentences",
    "driver_sentence",
    "gain_sentence",
    "significant",
]

SURE = 0.05
"""Largest adjusted p-value of what is said to be so."""

PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth"}


def gain_sentence(gain: Gain, *, with_worth: bool = True) -> str:
    """Say how much narrower the judges make the interval, and how many labels that is worth."""
    n, ratio = f"{gain.n_labels:,} labels", gain.ratio
    if gain.verdict == "none":
        return f"The {n} speak alone; the judges are ignored."
    if gain.verdict == "unknown":
        return f"What the judges gain cannot be told: {gain.reason}."
    if gain.verdict == "gain":
        ends = f"{_percent(1.0 - ratio.high)} to {_percent(1.0 - ratio.low)} %"
        text = (
            f"The judges make the margin of error {_percent(1.0 - ratio.value)} % smaller than "
            f"that of the labels alone ({ends})"
        )
        if math.isnan(gain.worth.low) or not with_worth:
            return f"{text}."
        low, high = f"{gain.worth.low:,.0f}", f"{gain.worth.high:,.0f}"
        return f"{text}: your {n} worked like {gain.worth.value:,.0f} ({low} to {high})."
    if gain.verdict == "loss":
        ends = f"{_percent(ratio.low - 1.0)} to {_percent(ratio.high - 1.0)} %"
        return (
            f"The judges make the margin of error {_percent(ratio.value - 1.0)} % larger than that "
            f"of the labels alone ({ends}): leave them out."
        )
    seen = f"The margin of error is {_change(ratio.value)}"
    span = ""
    if not math.isnan(ratio.low):
        span = f", and anything from {_change(ratio.high)} to {_change(ratio.low)} fits"
    return f"{n} do not show that the judges help. {seen} with them{span}."


def _percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{100.0 * share:.0f}"


def _change(ratio: float) -> str:
    """Say how a ratio differs from 1."""
    percent = round(100.0 * abs(ratio - 1.0))
    if percent == 0:
        return "the same"
    return f"{percent} % {'larger' if ratio > 1.0 else 'smaller'}"


def best_sentence(fits: Sequence[Fit]) -> str | None:
    """Name the judge that follows the labels best, if any does beyond chance."""
    judges = [fit for fit in fits if fit.kind in ("judge", "text judge") and not math.isnan(fit.p)]
    if not judges:
        return None
    sure = [fit for fit in judges if fit.p_adjusted <= SURE]
    if not sure:
        if len(judges) == 1:
            return f"{judges[0].name} does not follow the labels beyond chance."
        return f"None of the {len(judges)} judges follows the labels beyond chance."
    of_words = any(fit.agreement.is_known for fit in sure)
    best = max(sure, key=lambda fit: fit.kappa.value if of_words else fit.r2_recalibrated.value)
    who = best.name if len(judges) == 1 else f"The best judge, {best.name},"
    if of_words:
        return (
            f"{who} gives the people's class in "
            f"{_percent(best.agreement.value)} % of its answers with kappa {shown(best.kappa)}."
        )
    alone = f"R2 {shown(best.r2_recalibrated)} once recalibrated on its own"
    rank = f", rank correlation {shown(best.spearman.value)}" if best.spearman.is_known else ""
    return f"{who} follows the labels with {alone}{rank}."


def curve_is_off(curve: Curve) -> bool:
    """Whether predictions are not right on average all along their range, beyond chance."""
    return curve.p <= SURE


def curve_sentences(curve: Curve, n_labels: int) -> list[str]:
    """Say where predictions are too high or too low, or that they are right."""
    part = PARTS.get(len(curve.bins), "part")
    what = "Predicted chances of a class" if curve.of_classes else "Predictions"
    if not curve_is_off(curve):
        reach = max((b.gap.high - b.gap.low) / 2.0 for b in curve.bins)
        within = "" if math.isnan(reach) else f" (each to within {shown(reach)})"
        return [
            f"{what} are right on average in every {part} of their range, as far as "
            f"{n_labels:,} labels can tell{within}."
        ]
    told = [_of_bin(what, curve.bins, k) for k, b in enumerate(curve.bins) if b.p_adjusted <= SURE]
    if curve.p_slope_adjusted <= SURE:
        how = "too widely" if curve.slope.value < 1.0 else "too narrowly"
        told.append(
            f"{what} are spread {how}: labels rise {shown(curve.slope)} for each 1 that "
            "predictions rise."
        )
    if not told:
        told.append(f"{what} are not right on average in every {part} of their range.")
    return told


def _of_bin(what: str, bins: Sequence[Bin], k: int) -> str:
    """Say how far off the predictions of one bin are."""
    bottom = None if k == 0 else (bins[k - 1].high + bins[k].low) / 2.0
    top = None if k == len(bins) - 1 else (bins[k].high + bins[k + 1].low) / 2.0
    if bottom is None:
        where = "" if top is None else f" below {shown(top)}"
    else:
        where = f" above {shown(bottom)}" if top is None else f" {shown(bottom)} to {shown(top)}"
    gap = bins[k].gap
    return (
        f"{what}{where} are {shown(_size(gap))} too {'high' if gap.value > 0.0 else 'low'} "
        "on average."
    )


def _size(measure: Measure) -> Measure:
    """Return a figure turned to be above 0."""
    return measure.times(-1.0) if measure.value < 0.0 else measure


def significant(tests: Sequence[DriverTest]) -> list[DriverTest]:
    """Return what errors go with beyond chance, the surest first."""
    sure = [test for test in tests if test.p_adjusted <= SURE]
    return sorted(sure, key=lambda test: test.p)


def driver_sentence(test: DriverTest) -> str:
    """Say how one judge's error goes with one driver."""
    if math.isnan(test.step):
        return _of_groups(test)
    change = abs(test.slope.value) * test.step
    points = "points" if test.error != "disagreement" else "percentage points"
    change = 100.0 * change if test.error == "disagreement" else change
    step = f"{_step(test.step)} {test.unit}".strip()
    by = f"({shown(change)} {points} per {step})"
    grows = "grows" if test.slope.value > 0.0 else "falls"
    if test.of_size:
        return f"The size of {_whose(test)} error {grows} with {test.words} {by}."
    if test.error == "recalibrated":
        # The error is prediction less label: where it grows, labels fall.
        opposite = "fall" if test.slope.value > 0.0 else "rise"
        return f"For the same answer of {test.judge}, labels {opposite} with {test.words} {by}."
    if test.error == "disagreement":
        who = "The model" if test.of_model else test.judge
        return f"{who} disagrees with people {_more(test)} as {test.words} grows {by}."
    return f"{_whose(test, first=True)} excess over the labels {grows} with {test.words} {by}."


def _whose(test: DriverTest, *, first: bool = False) -> str:
    """Return the judge's name or the model in the genitive."""
    model = "The model's" if first else "the model's"
    return model if test.of_model else f"{test.judge}'s"


def _more(test: DriverTest) -> str:
    return "more often" if test.slope.value > 0.0 else "less often"


def _step(step: float) -> str:
    """Return a round number as people write it."""
    return f"{step:,.0f}" if 1.0 <= step < 1e6 else f"{step:g}"


def _of_groups(test: DriverTest) -> str:
    """Say how the error differs between groups."""
    if test.error == "recalibrated":
        begin = f"For the same answer of {test.judge}, labels differ by {test.words}"
    elif test.error == "disagreement":
        who = "the model" if test.of_model else test.judge
        begin = f"How often {who} disagrees with people differs by {test.words}"
    else:
        begin = f"{_whose(test, first=True)} excess over the labels differs by {test.words}"
    if test.lowest is None or test.highest is None:
        return f"{begin}."
    ends = [test.lowest, test.highest]
    if test.error == "recalibrated":
        return f"{begin} ({_group(ends[1], -1.0)}, {_group(ends[0], -1.0)} against the mean)."
    return f"{begin} ({_group(ends[0])}, {_group(ends[1])} against the mean)."


def _group(one: GroupError, sign: float = 1.0) -> str:
    """Return a group with its deviation."""
    return f"{one.group} {sign * one.error.value:+.2g}"
