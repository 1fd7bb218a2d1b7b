"""Tipping points and worst cases: exact shifts, by hand and against filled-in labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bacon.data.survey_design import SurveyDesign
from bacon.estimation.designs import simple_design, stratified_design
from bacon.estimation.estimands import Setting, mean_estimate, proportion_estimate
from bacon.estimation.intervals import Interval
from bacon.estimation.unanswered import bounds, shift_to_flip, tipping_point

Array = npt.NDArray[np.float64]

N = 60
STRATUM = np.repeat([0, 1, 2], 20)


def case(kind: str) -> tuple[Array, Array, SurveyDesign, npt.NDArray[np.bool_], SurveyDesign]:
    """Return y, f, the drawn design, who answered, and the design used for those."""
    rng = np.random.default_rng(4)
    f = rng.normal(3.0, 1.0, N)
    y = f + rng.normal(0.3, 0.6, N)
    rows = np.sort(rng.permutation(N)[:24])
    answered = rng.random(24) < 0.6
    if kind == "simple":
        return y, f, simple_design(rows, N), answered, simple_design(rows[answered], N)
    if kind == "stratified":
        drawn = stratified_design(STRATUM, rows)[0]
        return y, f, drawn, answered, stratified_design(STRATUM, rows[answered])[0]
    pi = rng.uniform(0.2, 0.7, N)
    drawn = SurveyDesign("poisson", N, rows, pi[rows])
    used = SurveyDesign(
        "poisson", N, rows[answered], pi[rows[answered]] * rng.uniform(0.3, 1.0, answered.sum())
    )
    return y, f, drawn, answered, used


def test_by_hand() -> None:
    # Four drawn of eight, three answered: 2, 4, 6; f is 0, so that the estimate is 4.
    y = np.array([2.0, 4.0, 6.0])
    drawn = simple_design(np.array([0, 1, 2, 3]), 8)
    answered = np.array([True, True, True, False])
    estimate = mean_estimate(y, np.zeros(8), Setting(simple_design(np.array([0, 1, 2]), 8)))
    tip = tipping_point(estimate, y, drawn, answered, Interval(3.5, 4.75, 0.95, "pool", 2, "t"))
    assert (tip.share, tip.assumed, tip.answered) == (0.25, 4.0, 4.0)
    assert tip.sd == pytest.approx(math.sqrt(8.0 / 3.0))
    assert (tip.down, tip.up) == (-2.0, 3.0)
    assert tip.in_sds(tip.up) == pytest.approx(3.0 / math.sqrt(8.0 / 3.0))


@pytest.mark.parametrize("kind", ["simple", "stratified", "poisson"])
def test_the_shift_is_what_would_have_moved_the_estimate(kind: str) -> None:
    y, f, drawn, answered, used = case(kind)
    estimate = mean_estimate(y[used.rows], f, Setting(used))
    interval = estimate.interval()
    tip = tipping_point(estimate, y[used.rows], drawn, answered, interval)
    # Give every unanswered item its assumed mean plus the shift, by the weights of the draw.
    for shift, end in ((0.0, estimate.value), (tip.up, interval.high), (tip.down, interval.low)):
        filled = np.full(24, tip.assumed + shift)
        filled[answered] = y[used.rows]
        whole = mean_estimate(filled, f, Setting(drawn))
        assert whole.value == pytest.approx(end, abs=1e-9)


def test_a_share_of_events() -> None:
    y, f, drawn, answered, used = case("simple")
    event = (y[used.rows] > 3.0).astype(np.float64)
    phi = np.clip((f - 1.0) / 4.0, 0.0, 1.0)
    estimate = proportion_estimate("proportion:ge:3", event, phi, Setting(used))
    tip = tipping_point(estimate, event, drawn, answered, estimate.interval())
    assert 0.0 < tip.assumed < 1.0
    assert tip.down < 0.0 < tip.up


def test_labels_all_alike_have_no_sds() -> None:
    drawn = simple_design(np.arange(4), 9)
    answered = np.array([True, True, True, False])
    setting = Setting(simple_design(np.arange(3), 9))
    estimate = mean_estimate(np.full(3, 2.0), np.zeros(9), setting)
    tip = tipping_point(estimate, np.full(3, 2.0), drawn, answered, estimate.interval())
    assert math.isnan(tip.in_sds(1.0))
    assert math.isnan(tip.down)


@pytest.mark.parametrize(
    ("low", "high", "relation", "value", "shift"),
    [
        (3.0, 4.0, "ge", 2.5, -2.0),  # yes: until the lower end comes down to 2.5
        (3.0, 4.0, "ge", 4.5, 2.0),  # no: until the upper end comes up to 4.5
        (3.0, 4.0, "le", 4.5, 2.0),  # yes
        (3.0, 4.0, "le", 2.0, -4.0),  # no
        (3.0, 4.0, "ge", 3.0, 0.0),  # yes, at the edge
        (3.0, 4.0, "ge", 4.0, None),  # open: the upper end may meet it
        (3.0, 4.0, "le", 4.0, 0.0),  # yes, at the edge
        (3.0, 4.0, "le", 3.5, None),
        (-math.inf, 4.0, "ge", 4.5, 2.0),
        (math.nan, math.nan, "ge", 1.0, None),
    ],
)
def test_shift_to_flip(
    low: float, high: float, relation: str, value: float, shift: float | None
) -> None:
    interval = Interval(low, high, 0.95, "pool", 9, "t")
    found = shift_to_flip(interval, relation, value, 0.25)
    assert found == (None if shift is None else pytest.approx(shift))


@pytest.mark.parametrize("kind", ["simple", "stratified", "poisson"])
def test_bounds_are_the_estimates_from_filled_labels(kind: str) -> None:
    y, f, drawn, answered, used = case(kind)
    y = np.clip(y, 1.0, 6.0)
    setting = Setting(drawn, scale=(1.0, 6.0))

    def build(values: Array) -> Any:
        return mean_estimate(values, f, setting)

    found = bounds(y[used.rows], answered, (1.0, 6.0), build, level=0.9, target="pool")
    base = 1.0 / drawn.pi
    share = base[~answered].sum() / base.sum()
    # The range is as wide as the scale times the weight that is missing, whatever f says.
    assert found.high - found.low == pytest.approx(5.0 * share)
    whole = mean_estimate(y[drawn.rows], f, setting).value
    assert found.low <= whole <= found.high
    low, high = found.interval
    assert 1.0 <= low < found.low < found.high < high <= 6.0
    assert found.interval.method.startswith("worst cases, each by ")
