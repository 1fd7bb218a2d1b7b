"""Labels per system against a textbook power calculation and the comparisons of a pilot."""

from __future__ import annotations

import math

import pytest
from statsmodels.stats.power import TTestIndPower
from tests.planning.cases import SYSTEMS, N, pilot

import bacon
from bacon.planning.differences import reach
from bacon.planning.pairs import pilot_pairs

HUGE = 2_000_000


@pytest.mark.parametrize(("difference", "power"), [(0.5, 0.8), (0.3, 0.9), (1.0, 0.8), (0.2, 0.5)])
def test_two_alike_systems_have_the_textbook_size(difference, power):
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=HUGE)
    found = plan.for_difference(difference, systems=2, power=power).per_system
    wanted = TTestIndPower().solve_power(difference, power=power, alpha=0.05)
    # The sum of two t quantiles stands for the noncentral t, as in the smallest difference that
    # a comparison prints: at most two labels apart.
    assert abs(found - math.ceil(wanted)) <= 2


def test_all_pairs_are_a_family():
    plan = bacon.plan(r2=0.0, sd=1.0, n_items=HUGE)
    found = plan.for_difference(0.5, systems=4)
    wanted = TTestIndPower().solve_power(0.5, power=0.8, alpha=0.05 / 6)
    assert found.n_comparisons == 6
    assert abs(found.per_system - wanted) <= 2
    assert found.n_labels == 4 * found.per_system


def test_the_finite_pool_saves_labels():
    small = bacon.plan(r2=0.0, sd=1.0, n_items=200).for_difference(0.5, systems=2)
    large = bacon.plan(r2=0.0, sd=1.0, n_items=HUGE).for_difference(0.5, systems=2)
    # n = n_inf / (1 + n_inf / N_g), but for the degrees of freedom.
    wanted = large.per_system / (1.0 + large.per_system / 100.0)
    assert abs(small.per_system - wanted) <= 1


@pytest.mark.parametrize("design", ["stratified", "clusters"])
@pytest.mark.parametrize("target", ["pool", "population"])
def test_at_the_pilots_own_size_it_finds_what_the_comparison_says(design, target):
    cal = pilot(90, design=design)
    plan = bacon.plan(cal, target=target)
    _, pairs, _ = pilot_pairs(plan, "system", None, labels_alone=False)
    for pair, one in zip(pairs, cal.compare(), strict=True):
        found = reach(pair, 30, plan, 1, power=0.8, factor=1.0)
        assert found == pytest.approx(one.detectable(0.95, target), rel=0.02)


def test_judges_save_labels_and_money():
    plan = bacon.plan(pilot(90, design="stratified"))
    found = plan.for_difference(0.4, label_cost=2.0)
    assert tuple(found.systems) == SYSTEMS
    assert found.per_system < found.per_system_alone
    assert found.n_labels == 3 * found.per_system
    assert found.saved == 2.0 * (found.n_alone - found.n_labels)
    assert found.draw_options() == [
        *("-n", str(found.n_labels), "--strata", "system", "--allocation", "equal"),
    ]


def test_a_baseline_has_fewer_comparisons_and_takes_fewer_labels():
    plan = bacon.plan(pilot(90, design="stratified"))
    found = plan.for_difference(0.4, baseline="atlas")
    assert found.n_comparisons == 2
    assert found.per_system <= plan.for_difference(0.4).per_system
    assert "each against atlas" in found.summary()


def test_small_systems_are_labelled_whole():
    found = bacon.plan(pilot(90, design="stratified")).for_difference(0.001)
    assert found.n_labels <= N
    assert found.per_system <= N // 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p.for_difference(0.0), "difference must be"),
        (lambda p: p.for_difference(0.3, power=0.3), "power must lie"),
        (lambda p: p.for_difference(0.3, baseline="nobody"), "none of the groups"),
        (lambda p: p.for_difference(0.3, by="nothing"), "nothing"),
        (lambda p: p.for_difference(0.3, systems=3), "leave systems out"),
        (lambda p: p.for_difference(0.3, label_cost=-2.0), "price from 0 up"),
    ],
)
def test_a_pilot_refuses_what_it_cannot_plan(make, words):
    with pytest.raises(bacon.BaconError, match=words):
        make(bacon.plan(pilot(90, design="stratified")))


def test_an_assumption_refuses_what_it_cannot_plan():
    plan = bacon.plan(r2=0.5, sd=1.0, n_items=100)
    for given, words in (({}, "how many systems"), ({"by": "system"}, "knows no column")):
        with pytest.raises(bacon.BaconError, match=words):
            plan.for_difference(0.5, **given)
    with pytest.raises(bacon.BaconError, match="too few for 80 systems"):
        plan.for_difference(0.5, systems=80)
    floor = bacon.plan(r2=0.5, sd=1.0, n_items=100, target="population")
    with pytest.raises(bacon.BaconError, match="cannot be shown"):
        floor.for_difference(0.01, systems=2)
