"""Planned widths against hand arithmetic, and against what estimates print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats
from tests.planning.cases import N, pilot

import bacon
from bacon.estimation.intervals import t_quantile
from bacon.planning.curve import Curve, fitted_curve
from bacon.planning.spread import Spread, fewest


def textbook(sd: float, n_items: int, width: float) -> int:
    """Smallest n with 2 t_{n-1} sd sqrt((1 - n/N) / n) <= width, one n at a time."""
    for n in range(2, n_items + 1):
        t = stats.t.ppf(0.975, n - 1)
        if 2.0 * t * sd * math.sqrt(max(1.0 - n / n_items, 0.0) / n) <= width:
            return n
    raise AssertionError


@pytest.mark.parametrize(
    ("sd", "n_items", "width"), [(1.0, 1000, 0.2), (2.5, 400, 1.0), (0.3, 50, 0.2), (1.0, 90, 0.05)]
)
def test_a_constant_prediction_has_the_textbook_sample_size(sd, n_items, width):
    plan = bacon.plan(r2=0.0, sd=sd, n_items=n_items)
    assert plan.for_width(width).n_labels == textbook(sd, n_items, width)
    assert plan.for_width(width).n_alone == plan.for_width(width).n_labels


def test_an_r2_counts_as_a_smaller_sd():
    plan = bacon.plan(r2=0.75, sd=2.0, n_items=3000)
    assert plan.for_width(0.2).n_labels == textbook(1.0, 3000, 0.2)
    assert plan.for_width(0.2).n_alone == textbook(2.0, 3000, 0.2)


def test_the_population_formula_is_that_of_the_design_page():
    side = Spread(2000, 0.5, 1.2 / 2000)
    found = fewest(side, 0.3, 0.95, "population")

    def gap(n):
        half = 0.15 / stats.t.ppf(0.975, n - 1)
        return 0.5 * (1.0 / n - 1.0 / 2000) + 1.2 / 2000 - half**2

    assert found == math.ceil(optimize.brentq(gap, 3, 2000))


def test_the_pool_formula_is_that_of_the_design_page():
    side = Spread(2000, 0.5, 1.2 / 2000)
    n = fewest(side, 0.1, 0.95, "pool")
    t = t_quantile(0.95, n - 1)
    assert n == math.ceil(1.0 / ((0.1 / (2.0 * t)) ** 2 / 0.5 + 1.0 / 2000))


@given(st.floats(0.01, 5.0), st.integers(30, 5000), st.floats(0.0, 3.0), st.floats(0.0, 20.0))
def test_the_width_falls_with_more_labels(unit, n_items, skewness, slope):
    side = Spread(n_items, unit, unit / n_items, skewness, Curve(slope, n_pilot=30))
    grid = np.unique(np.linspace(5, n_items, 40).astype(int))
    for target in ("pool", "population"):
        widths = np.array([side.width(int(n), 0.95, target) for n in grid])
        # The folds change from ten to five after 100 labels, which costs a little training.
        assert np.all(np.diff(widths) <= 1e-12 + 0.02 * widths[:-1])


def test_a_census_has_no_width_for_these_items_and_a_floor_for_more():
    side = Spread(500, 1.0, 1.0 / 500)
    assert side.width(500, 0.95, "pool") == 0.0
    floor = 2.0 * stats.t.ppf(0.975, 499) / math.sqrt(500)
    assert side.width(500, 0.95, "population") == pytest.approx(floor)
    assert fewest(side, 0.999 * floor, 0.95, "population") is None
    assert fewest(side, 1.001 * floor, 0.95, "population") is not None


@pytest.mark.parametrize("design", ["simple", "stratified", "clusters"])
@pytest.mark.parametrize("target", ["pool", "population"])
def test_at_the_pilots_own_size_the_plan_is_the_interval_it_has(design, target):
    cal = pilot(90, design=design)
    plan = bacon.plan(cal, target=target)
    low, high = cal.mean().interval(target=target)
    # The middle of what the variance could be lies above what a skewed pilot shows.
    middle = math.sqrt(1.0 + plan.with_judges.error**2)
    exact = Spread(
        N,
        plan.with_judges.unit / middle,
        plan.with_judges.between,
        plan.with_judges.skewness,
        plan.with_judges.curve,
        plan.with_judges.units,
        plan.with_judges.lost,
    )
    tolerance = 1e-9 if target == "pool" else 0.01
    assert exact.width(cal.n_labels, 0.95, target) == pytest.approx(high - low, rel=tolerance)


def test_the_relative_error_is_that_of_a_sample_variance():
    cal = pilot(90, model="human-only")
    z = cal.aligned.y - cal.aligned.y.mean()
    kurtosis = np.mean(z**4) / np.mean(z**2) ** 2
    wanted = math.sqrt((kurtosis - 1.0) / 90 + 2.0 / (90 * 89))
    assert bacon.plan(cal).alone.error == pytest.approx(wanted)


def test_a_share_is_planned_by_its_own_rule():
    cal = pilot(90)
    plan = bacon.plan(cal, estimand="proportion:ge:3")
    low, high = cal.proportion(ge=3).interval()
    assert plan.width(90) == pytest.approx(high - low, rel=0.03)
    found = plan.for_width(0.1)
    assert 90 < found.n_labels < found.n_alone < N
    assert found.judges.low < found.n_labels < found.judges.high


def test_classes_in_words_are_planned_for():
    y = np.where(np.arange(60) % 3 == 0, "bad", "good")
    table = {
        "item_id": np.arange(300),
        "judge_a": [("bad", "good")[k % 3 > 0 or k % 7 == 0] for k in range(300)],
        "human": [*y.tolist(), *[None] * 240],
    }
    items = bacon.read_pool(table, label="human")
    cal = bacon.calibrate(items, bacon.read_labels(table, value="human"))
    plan = bacon.plan(cal, estimand="proportion:eq:bad")
    assert plan.for_width(0.1).n_labels < plan.for_width(0.1).n_alone
    with pytest.raises(bacon.BaconError, match="words"):
        bacon.plan(cal)


def test_half_of_a_learning_curve_is_believed():
    m = np.array([30.0, 45.0, 54.0])
    curve = fitted_curve(m, 2.0 * (1.0 + 6.0 / m), 60)
    # In units of the value at 54: slope 6 / (1 + 6/54), half of it believed.
    slope = 0.5 * 6.0 / (1.0 + 6.0 / 54.0)
    assert curve.at(60) == pytest.approx(1.0)
    assert curve.at(300) == pytest.approx(1.0 + slope * (1.0 / 240.0 - 1.0 / 54.0))


def test_a_curve_that_rises_with_labels_is_flat():
    m = np.array([30.0, 45.0, 54.0])
    assert fitted_curve(m, np.array([1.0, 1.1, 1.2]), 60).at(1000) == 1.0


def test_the_labels_alone_learn_nothing():
    plan = bacon.plan(pilot(90, model="human-only"))
    assert plan.with_judges.curve.at(500) == 1.0
    assert plan.for_width(0.2).n_labels == plan.for_width(0.2).n_alone


def test_the_same_pilot_gives_the_same_plan():
    first, second = bacon.plan(pilot(90)), bacon.plan(pilot(90))
    assert first.with_judges == second.with_judges


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (bacon.plan, "--r2 and --sd and --items"),
        (lambda: bacon.plan(r2=0.5, sd=1.0), "n_items"),
        (lambda: bacon.plan(pilot(90), r2=0.5), "not both"),
        (lambda: bacon.plan(r2=1.0, sd=1.0, n_items=10), "below 1"),
        (lambda: bacon.plan(r2=0.5, sd=0.0, n_items=10), "above 0"),
        (lambda: bacon.plan(r2=0.5, sd=1.0, n_items=2), "from 3 up"),
        (lambda: bacon.plan(r2=0.5, sd=1.0, n_items=50, level=1.0), "level"),
        (lambda: bacon.plan(3.0), "a pilot is a calibration"),
        (lambda: bacon.plan(pilot(90), estimand="sd"), "means and shares"),
        (lambda: bacon.plan(pilot(9)), "too few to plan by"),
        (lambda: bacon.plan(pilot(90)).for_width(0.0), "width must be a number above 0"),
        (lambda: bacon.plan(pilot(90)).for_width(math.nan), "width must be"),
        (lambda: bacon.plan(pilot(90)).for_width(0.1, label_cost=-1.0), "price from 0 up"),
        (lambda: bacon.plan(pilot(90)).width(901), "the pool has 900"),
        (lambda: bacon.plan(pilot(90)).width(1), "from 2 up"),
        (lambda: bacon.plan(pilot(90), target="population").for_width(0.05), "still is 0.1"),
    ],
)
def test_what_cannot_be_planned_is_refused(call, words):
    with pytest.raises(bacon.BaconError, match=words) as caught:
        call()
    assert str(caught.value).endswith(".")


def test_labels_that_are_alike_show_nothing_to_plan_by():
    table = {"item_id": list(range(40)), "judge_a": [k % 5 for k in range(40)]}
    items = bacon.read_pool(table)
    labels = bacon.read_labels({"item_id": list(range(20)), "human": [3.0] * 20}, value="human")
    cal = bacon.calibrate(items, labels, model="human-only")
    with pytest.raises(bacon.BaconError, match="all alike"):
        bacon.plan(cal)


def test_a_census_is_a_pilot_too():
    items = bacon.read_pool({"item_id": np.arange(40)}, judges=())
    y = np.random.default_rng(0).normal(size=40)
    labels = bacon.read_labels({"item_id": np.arange(40), "human": y}, value="human")
    plan = bacon.plan(bacon.calibrate(items, labels, model="human-only"))
    z = y - y.mean()
    kurtosis = np.mean(z**4) / np.mean(z**2) ** 2
    error = math.sqrt((kurtosis - 1.0) / 40 + 2.0 / (40 * 39))
    assert plan.alone.error == pytest.approx(error)
    assert plan.alone.unit == pytest.approx(y.var(ddof=1) * math.sqrt(1.0 + error**2))
    assert plan.width(40) == 0.0
