"""What must hold for any data: order, units and the scale of the weights do not matter."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.estimation.cases import (
    DESIGNS,
    N_ITEMS,
    PROMPT,
    chances,
    draw,
    labelled,
    numbers,
    outcomes,
)

import bacon

FEW = settings(max_examples=25)
seeds = st.integers(0, 10_000)
designs = st.sampled_from(DESIGNS)
estimands = st.sampled_from(
    [
        {},
        {"estimand": "variance"},
        {"estimand": "sd"},
        {"estimand": "proportion", "cut": 3.2},
        {"estimand": "quantile", "tau": 0.4},
    ]
)


def arguments(design: str, seed: int, what: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `aee` of a small pool."""
    y, _, f = outcomes(seed)
    s, how = draw(design, seed)
    if what.get("estimand") == "proportion":
        f = 1 / (1 + np.exp(3.7 - f))
    return {"y": labelled(y, s), "f": f, "cluster": PROMPT, **how, **what}


def unless_nothing(call: Any) -> list[float]:
    """Return the numbers of an estimate; NaN where a spread comes out below 0."""
    try:
        return numbers(call())
    except bacon.BaconError as error:
        return [float("nan"), float(len(str(error)) > 0)]


@FEW
@given(designs, seeds, estimands, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(
    design: str, seed: int, what: dict[str, Any], random: Any
) -> None:
    order = list(range(N_ITEMS))
    random.shuffle(order)
    given_ = arguments(design, seed, what)
    moved = {
        key: value[order] if isinstance(value, np.ndarray) else value
        for key, value in given_.items()
    }
    here, there = (unless_nothing(lambda a=a: bacon.aee(**a)) for a in (given_, moved))
    assert there == pytest.approx(here, rel=1e-12, abs=1e-12, nan_ok=True)


def carried(values: list[float], a: float, b: float, what: str) -> list[float]:
    """Return the numbers of the estimate of a + b y from those of y."""
    value, se, se_population, df, *ends = values
    if what == "variance":
        return [b * b * value, b * b * se, b * b * se_population, df, *(b * b * x for x in ends)]
    size, shift = abs(b), a
    if what == "sd":
        return [size * value, size * se, size * se_population, df, *(size * x for x in ends)]
    low, high, low_population, high_population = (shift + b * x for x in ends)
    if b < 0:
        low, high, low_population, high_population = high, low, high_population, low_population
    found = [low, high, low_population, high_population]
    return [shift + b * value, size * se, size * se_population, df, *found]


@FEW
@given(
    designs,
    seeds,
    st.sampled_from(["mean", "variance", "sd", "quantile"]),
    st.floats(-100, 100),
    st.floats(0.01, 100),
    st.booleans(),
)
def test_other_units_of_the_outcome_carry_over(
    design: str, seed: int, what: str, a: float, b: float, turned: bool
) -> None:
    b = -b if turned and what != "quantile" else b
    options: dict[str, Any] = {} if what == "mean" else {"estimand": what}
    if what == "quantile":
        options["tau"] = 0.3
    given_ = arguments(design, seed, options)
    other = {**given_, "y": a + b * given_["y"], "f": a + b * given_["f"]}
    here, there = (unless_nothing(lambda k=k: bacon.aee(**k)) for k in (given_, other))
    if isnan(here[0]):
        assert isnan(there[0])
        return
    size = abs(a) + abs(b)
    expected = carried(here, a, b, what)
    assert there == pytest.approx(expected, rel=1e-7, abs=1e-9 * size * size, nan_ok=True)


@FEW
@given(seeds, st.floats(0.05, 1.1), st.sampled_from(["poisson", "fixed"]))
def test_a_constant_factor_of_the_probabilities_leaves_the_mean(
    seed: int, factor: float, design: str
) -> None:
    y, _, f = outcomes(seed)
    s, how = draw("poisson", seed)
    plain, scaled = (
        bacon.aee(labelled(y, s), f, design=design, pi=pi) for pi in (how["pi"], factor * how["pi"])
    )
    assert scaled.value == pytest.approx(plain.value, rel=1e-12)
    # Fewer items would have been expected: the same labels are then worth less.
    assert (scaled.se() > plain.se()) == (factor < 1) or factor == pytest.approx(1)


@FEW
@given(seeds, designs, st.floats(0.5, 0.9), st.floats(0.91, 0.999))
def test_a_higher_level_never_gives_a_shorter_interval(
    seed: int, design: str, low: float, high: float
) -> None:
    for what in ({}, {"estimand": "proportion", "cut": 3.2}, {"estimand": "quantile", "tau": 0.4}):
        est = bacon.aee(**arguments(design, seed, what))
        for target in ("pool", "population"):
            inner, outer = est.interval(low, target), est.interval(high, target)
            assert outer.low <= inner.low <= inner.high <= outer.high
            assert inner.low - 1e-12 <= est.value <= inner.high + 1e-12


@FEW
@given(seeds, designs)
def test_the_population_is_never_surer_than_the_pool(seed: int, design: str) -> None:
    for what in ({}, {"estimand": "variance"}):
        est = bacon.aee(**arguments(design, seed, what))
        assert est.se("population") >= est.se() >= 0.0
        negative = "negative_population_part" in {notice.code for notice in est.notices}
        assert (est.se("population") > est.se()) != negative


@FEW
@given(seeds, st.lists(st.integers(0, 4), min_size=N_ITEMS, max_size=N_ITEMS))
def test_any_strata_weigh_the_pool_and_no_more(seed: int, strata: list[int]) -> None:
    y, _, f = outcomes(seed)
    y = labelled(y, np.random.default_rng(seed).random(N_ITEMS) < 0.2)
    if np.sum(~np.isnan(y)) < 2:
        return
    est = bacon.aee(y, f, design="stratified", strata=strata)
    weights = 1 / est.design.pi
    assert weights.sum() == pytest.approx(N_ITEMS)
    assert weights.min() >= 1.0 - 1e-12
    own = y[~np.isnan(y)] - f[~np.isnan(y)]
    assert own.min() - 1e-9 <= est.value - f.mean() <= own.max() + 1e-9


def test_the_probabilities_of_the_cases_are_usable() -> None:
    assert chances().min() > 0.0
    assert chances().max() < 1.0
