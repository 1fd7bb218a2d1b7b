"""Predictive distributions against a list of every value that an item can take."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.arrays import representatives
from bacon.outcome.items import MOMENT_POINTS, POINTS, Discrete, Hurdle, Location, Mixture, Scaled

Array = npt.NDArray[np.float64]
Values = tuple[Array, Array]
"""Every value (k, A) of k items, and its probability (k, A)."""

K = 3


def values_of(items: Any) -> Values:
    """Write the values of each item out, from the meaning of the parameters alone."""
    if isinstance(items, Location):
        value = np.clip(items.location[:, None] + items.residual, items.low, items.high)
        return value, np.full(value.shape, 1.0 / len(items.residual))
    if isinstance(items, Scaled):
        value = items.mean[:, None] * items.ratio
        return value, np.full(value.shape, 1.0 / len(items.ratio))
    if isinstance(items, Discrete):
        return np.tile(items.support, (len(items.probability), 1)), items.probability
    if isinstance(items, Hurdle):
        value, share = values_of(items.amount)
        closed = 1.0 - items.gate[:, None]
        value = np.hstack([np.zeros((len(value), 1)), value])
        return value, np.hstack([closed, items.gate[:, None] * share])
    parts = [values_of(part) for part in items.parts]
    value = np.hstack([value for value, _ in parts])
    return value, np.hstack([w * share for w, (_, share) in zip(items.weights, parts, strict=True)])


# Quarters and eighths are exact in binary, so that a value is met to the bit.
quarters = st.integers(-12, 12).map(lambda k: k / 4)
positive = st.integers(1, 12).map(lambda k: k / 4)
shares = st.sampled_from([0.0, 0.125, 0.5, 0.875, 1.0])


def lists(values: Any, least: int, most: int) -> Any:
    return st.lists(values, min_size=least, max_size=most).map(np.array)


def several(values: Any) -> Any:
    return lists(values, K, K)


def ascending(values: Any) -> Any:
    return lists(values, 1, 6).map(np.sort)


@st.composite
def locations(draw: Any) -> Location:
    low = draw(st.sampled_from([-np.inf, -1.25, 0.0]))
    high = draw(st.sampled_from([np.inf, 0.25, 2.0]))
    return Location(draw(several(quarters)), draw(ascending(quarters)), low, high)


@st.composite
def scaled(draw: Any) -> Scaled:
    # Of mean 1, as the fits make them; 0 among them.
    ratio = draw(st.sampled_from([[1.0], [0.0, 2.0], [0.5, 0.5, 2.0], [0.0, 0.0, 0.0, 4.0]]))
    return Scaled(draw(several(positive)), np.array(ratio))


@st.composite
def discrete(draw: Any) -> Discrete:
    support = np.array(sorted(draw(st.sets(quarters, min_size=1, max_size=5))))
    counts = np.array(draw(lists(st.integers(0, 4), K * len(support), K * len(support))))
    counts = counts.reshape(K, -1) + np.eye(K, len(support), k=-K + 1) + 0.5
    return Discrete(support, counts / counts.sum(axis=1, keepdims=True))


@st.composite
def hurdles(draw: Any) -> Hurdle:
    return Hurdle(draw(several(shares)), draw(st.one_of(locations(), scaled())))


@st.composite
def mixtures(draw: Any) -> Mixture:
    kinds = st.one_of(locations(), scaled(), discrete(), hurdles())
    parts = draw(st.lists(kinds, min_size=1, max_size=3))
    weights = np.array(draw(lists(st.integers(1, 4), len(parts), len(parts))), dtype=np.float64)
    return Mixture(weights / weights.sum(), tuple(parts))


KINDS = st.one_of(locations(), scaled(), discrete(), hurdles(), mixtures())


def thetas_of(items: Any) -> Array:
    """Return every value, the middles between them, and what lies beyond."""
    met = np.unique(values_of(items)[0])
    middles = (met[1:] + met[:-1]) / 2.0
    return np.sort(np.r_[-np.inf, met.min() - 1.0, met, middles, met.max() + 1.0, np.inf])


@given(KINDS)
def test_cdf_is_the_share_of_values_up_to_theta(items: Any) -> None:
    thetas = thetas_of(items)
    value, share = values_of(items)
    expected = np.sum(share[:, :, None] * (value[:, :, None] <= thetas), axis=1)
    found = items.cdf(thetas)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found[:, 0] == pytest.approx(0.0)
    assert found[:, -1] == pytest.approx(1.0)
    assert (np.diff(found, axis=1) >= -1e-12).all()


@given(KINDS, several(st.sampled_from([0.0, 0.5, 1.0, 3.0])))
def test_total_is_the_weighted_sum_of_the_cdf(items: Any, weight: Array) -> None:
    thetas = thetas_of(items)
    assert items.total(thetas, weight) == pytest.approx(weight @ items.cdf(thetas), abs=1e-12)


@given(KINDS)
def test_mean_is_the_integral_of_the_cdf(items: Any) -> None:
    # E[Y] = top - integral of P(Y <= t) up to the top, and the cdf is a step function.
    met = np.unique(values_of(items)[0])
    area = items.cdf(met[:-1]) @ np.diff(met) if len(met) > 1 else np.zeros(K)
    assert items.mean == pytest.approx(met[-1] - area, abs=1e-12)


@given(KINDS)
def test_moments_are_those_of_the_values(items: Any) -> None:
    value, share = values_of(items)
    mean = np.sum(share * value, axis=1)
    assert items.mean == pytest.approx(mean, abs=1e-12)
    spread = np.sum(share * (value - mean[:, None]) ** 2, axis=1)
    assert items.variance() == pytest.approx(spread, abs=1e-12)
    assert (items.variance() >= 0.0).all()
    for function in (np.square, np.abs, lambda y: np.asarray(y > 0.5, dtype=np.float64)):
        expected = np.sum(share * function(value), axis=1)
        assert items.expectation(function) == pytest.approx(expected, abs=1e-12)


def test_location_by_hand() -> None:
    # 2 and 5 with residuals -1, 0, 1, 4, cut to 1.5 and 6: {1.5, 2, 3, 6} and {4, 5, 6, 6}.
    items = Location(np.array([2.0, 5.0]), np.array([-1.0, 0.0, 1.0, 4.0]), 1.5, 6.0)
    assert items.mean.tolist() == [3.125, 5.25]
    assert items.variance() == pytest.approx([3.046875, 0.6875])
    assert items.cdf(np.array([1.4, 1.5, 3.0, 5.9, 6.0])).tolist() == [
        [0.0, 0.25, 0.75, 0.75, 1.0],
        [0.0, 0.0, 0.0, 0.5, 1.0],
    ]
    assert items.is_cut
    assert not Location(np.zeros(1), np.zeros(1)).is_cut


def test_scaled_by_hand() -> None:
    # A ratio of 0 is an outcome of 0: below every theta from 0 up, above every one below.
    items = Scaled(np.array([1.0, 4.0]), np.array([0.0, 0.5, 2.5]))
    assert items.cdf(np.array([-1e-9, 0.0, 1.0, 2.0, 10.0])).tolist() == [
        [0.0, 1 / 3, 2 / 3, 2 / 3, 1.0],
        [0.0, 1 / 3, 1 / 3, 2 / 3, 1.0],
    ]
    thetas = np.array([-5.0, 0.0, 1.0, 2.0, 10.0])
    assert items.total(thetas, np.ones(2)) == pytest.approx([0.0, 2 / 3, 1.0, 4 / 3, 2.0])
    assert items.variance() == pytest.approx(np.array([1.0, 16.0]) * 3.5 / 3)


def test_hurdle_by_hand() -> None:
    # A quarter of the time 0, else 2 or 6.
    amount = Scaled(np.array([4.0]), np.array([0.5, 1.5]))
    items = Hurdle(np.array([0.75]), amount)
    assert items.mean.tolist() == [3.0]
    assert items.cdf(np.array([-0.1, 0.0, 2.0, 6.0]))[0] == pytest.approx([0.0, 0.25, 0.625, 1.0])
    assert items.variance() == pytest.approx([0.375 * 4 + 0.375 * 36 - 9])
    # Amounts that would fall below 0 count as 0.
    cut = Hurdle(np.array([0.5]), Location(np.array([1.0]), np.array([-3.0, 3.0]), low=0.0))
    assert cut.mean.tolist() == [1.0]
    assert cut.cdf(np.array([-0.1, 0.0, 3.9, 4.0]))[0].tolist() == [0.0, 0.75, 0.75, 1.0]


def test_mixture_by_hand() -> None:
    parts = (
        Discrete(np.array([0.0, 1.0]), np.array([[0.5, 0.5]])),
        Location(np.ones(1), np.zeros(1)),
    )
    items = Mixture(np.array([0.25, 0.75]), parts)
    assert items.mean.tolist() == [0.875]
    assert items.variance() == pytest.approx([0.875 * 0.125])
    assert items.cdf(np.array([0.0, 1.0]))[0].tolist() == [0.125, 1.0]


@pytest.mark.parametrize("low", [-np.inf, -0.5])
def test_many_residuals_are_thinned(low: float) -> None:
    rng = np.random.default_rng(1)
    residual = np.sort(rng.normal(size=5_000))
    residual -= residual.mean()
    items = Location(np.zeros(4), residual, low)
    assert len(items.points) == POINTS
    for theta in (-0.4, 0.0, 0.7):
        assert items.cdf(np.array([theta])) == pytest.approx(np.mean(residual <= theta), abs=0.011)
    cut = np.maximum(residual, low)
    assert items.mean == pytest.approx(cut.mean(), abs=0.001)
    assert items.variance() == pytest.approx(cut.var(), rel=0.01)
    assert items.expectation(np.square) == pytest.approx(np.mean(cut**2), rel=0.02)
    ratio = np.exp(residual)
    many = Scaled(np.full(2, 3.0), ratio / ratio.mean())
    for theta in (1.0, 3.0, 8.0):
        expected = np.mean(3.0 * many.ratio <= theta)
        assert many.cdf(np.array([theta])) == pytest.approx(expected, abs=0.011)
        assert many.total(np.array([theta]), np.ones(2)) == pytest.approx(2 * expected, abs=0.022)


@given(st.lists(quarters, min_size=1, max_size=60).map(np.sort), st.integers(1, 20))
def test_representatives_keep_the_mean_and_the_order(values: Array, count: int) -> None:
    few = representatives(values, count)
    assert len(few) == min(count, len(values))
    assert few.mean() == pytest.approx(values.mean(), abs=1e-12)
    assert (np.diff(few) >= 0.0).all()
    assert values.min() - 1e-9 <= few.min()
    assert few.max() <= values.max() + 1e-9
    # Six values in four groups: 1.5 values to each.
    found = representatives(np.array([0.0, 3.0, 3.0, 6.0, 9.0, 12.0]), 4)
    assert found.tolist() == [1.0, 3.0, 7.0, 11.0]


def test_a_function_is_averaged_over_few_points() -> None:
    residual = np.sort(np.random.default_rng(2).normal(size=400))
    asked = []

    def function(y: Array) -> Array:
        asked.append(y.copy())
        return y

    found = Location(np.array([1.0, 2.0]), residual).expectation(function)
    assert len(asked) == MOMENT_POINTS
    few = representatives(residual, MOMENT_POINTS)
    assert found == pytest.approx(np.array([1.0, 2.0]) + few.mean())


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_variance_does_not_drown_in_the_mean(size: float) -> None:
    residual = size * np.array([-1.0, 0.0, 1.0])
    far = np.array([1e7 * size, -1e7 * size])
    for low in (-np.inf, -1e9 * size):
        items = Location(far, residual, low)
        assert items.variance() == pytest.approx(2 / 3 * size**2, rel=1e-6)
        mixed = Mixture(np.array([0.5, 0.5]), (items, items))
        assert mixed.variance() == pytest.approx(2 / 3 * size**2, rel=1e-6)
    gate = Hurdle(np.ones(1), Location(far[:1], residual, 0.0))
    assert gate.variance() == pytest.approx(2 / 3 * size**2, rel=1e-6)


def test_means_stay_in_the_range() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        low, high = np.sort(rng.normal(size=2)) * 10.0 ** rng.integers(-9, 12)
        location = np.r_[low - abs(high), rng.uniform(low, high, 5), high + abs(high)]
        items = Location(location, np.sort(rng.normal(size=30)) * (high - low), low, high)
        assert items.mean.min() >= low
        assert items.mean.max() <= high
