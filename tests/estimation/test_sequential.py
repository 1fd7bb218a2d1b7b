"""Asymptotic confidence sequences against the published formulas, written again as scalars."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from bacon.errors import InputError
from bacon.estimation.sequential import (
    LEAST,
    asymptotic_sequence,
    corrected_arms,
    running_intersection,
    tightest,
)
from bacon.estimation.skew import asymmetry

ALPHA = 0.05


def two_sided(variance, rho):
    """Return the numerator of the two-sided boundary, theorem 2.5."""
    scaled = variance * rho**2 + 1.0
    return math.sqrt(2.0 * scaled / rho**2 * math.log(math.sqrt(scaled) / ALPHA))


def one_sided(variance, rho):
    """Return the numerator of the one-sided boundary, proposition B.1."""
    scaled = variance * rho**2 + 1.0
    return math.sqrt(2.0 * scaled / rho**2 * math.log(1.0 + math.sqrt(scaled) / (2.0 * ALPHA)))


def best_rho(boundary, variance):
    """Return the rho at which a boundary is least, by search."""
    found = optimize.minimize_scalar(
        lambda log_rho: boundary(variance, math.exp(log_rho)), bounds=(-8, 8), method="bounded"
    )
    return math.exp(found.x)


@pytest.fixture(name="z")
def _z():
    return np.random.default_rng(3).gamma(2.0, 1.5, size=80)


def test_the_published_formula_with_equal_weights(z):
    best_at = 60
    lower, upper = asymptotic_sequence(z, best_at=best_at)
    first = statistics.variance(z[:LEAST])
    rho = best_rho(two_sided, best_at * first)
    for t in (30, 31, 45, 80):
        mean, s2 = statistics.fmean(z[:t]), statistics.variance(z[:t])
        root = math.sqrt(t * s2 * rho**2 + 1.0)
        radius = math.sqrt(2.0 * (t * s2 * rho**2 + 1.0) / (t**2 * rho**2) * math.log(root / ALPHA))
        assert lower[t - 1] == pytest.approx(mean - radius, rel=1e-6)
        assert upper[t - 1] == pytest.approx(mean + radius, rel=1e-6)
    assert np.isnan(lower[: LEAST - 1]).all()
    assert np.isnan(upper[: LEAST - 1]).all()


def test_the_weighted_form_is_the_same_boundary_of_a_weighted_sum(z):
    w = np.random.default_rng(4).uniform(0.5, 3.0, size=80)
    lower, upper = asymptotic_sequence(z, best_at=50, weights=w)

    def parts(t):
        total = sum(w[:t])
        mean = sum(a * b for a, b in zip(w[:t], z[:t], strict=True)) / total
        spread = sum((a * (b - mean)) ** 2 for a, b in zip(w[:t], z[:t], strict=True))
        return mean, total, spread * t / (t - 1)

    rho = best_rho(two_sided, parts(LEAST)[2] * 50 / LEAST)
    for t in (30, 47, 80):
        mean, total, variance = parts(t)
        assert lower[t - 1] == pytest.approx(mean - two_sided(variance, rho) / total, rel=1e-6)
        assert upper[t - 1] == pytest.approx(mean + two_sided(variance, rho) / total, rel=1e-6)


def test_running_variances_may_be_given(z):
    count = np.arange(1, 81)
    s2 = np.array([np.var(z[:t], ddof=1) if t > 1 else 0.0 for t in count])
    given_ends = asymptotic_sequence(z, s2, best_at=60)
    for found, own in zip(given_ends, asymptotic_sequence(z, best_at=60), strict=True):
        np.testing.assert_allclose(found, own, rtol=1e-9)


def test_one_side_is_the_published_one_and_nearer(z):
    lower, upper = asymptotic_sequence(z, best_at=60, side="lower")
    variance = statistics.variance(z[:LEAST]) * LEAST
    rho = math.sqrt(tightest(ALPHA, "lower") / (variance * 60 / LEAST))
    expected = statistics.fmean(z[:LEAST]) - one_sided(variance, rho) / LEAST
    assert lower[LEAST - 1] == pytest.approx(expected, rel=1e-9)
    assert np.isposinf(upper[LEAST - 1 :]).all()
    assert (lower[LEAST - 1 :] > asymptotic_sequence(z, best_at=60)[0][LEAST - 1 :]).all()
    mirrored = asymptotic_sequence(-z, best_at=60, side="upper")[1]
    np.testing.assert_allclose(mirrored, -lower)


def test_rho_is_the_tightest_one():
    for side, boundary, off in (("both", two_sided, 1e-4), ("lower", one_sided, 0.1)):
        assert tightest(ALPHA, side) == pytest.approx(best_rho(boundary, 1.0) ** 2, rel=off)


def test_alike_values_and_short_streams_have_no_interval():
    for values in (np.full(60, 1e6 + 0.1), np.arange(29.0), np.zeros(0)):
        lower, upper = asymptotic_sequence(values, best_at=40)
        assert np.isnan(lower).all()
        assert np.isnan(upper).all()
    late = np.concatenate([np.zeros(40), [1.0], np.zeros(9)])
    lower, _ = asymptotic_sequence(late, best_at=40)
    assert np.isnan(lower[:40]).all()
    assert np.isfinite(lower[40:]).all()


def test_it_starts_where_asked_and_never_before_thirty(z):
    for start, first in ((10, LEAST), (30, LEAST), (44, 44)):
        lower, _ = asymptotic_sequence(z, best_at=60, start=start)
        assert int(np.argmax(~np.isnan(lower))) + 1 == first


def test_corrections_widen_for_few_values_and_for_the_long_tail():
    z, none = np.array([3.2]), np.array([0.0])
    low, high = corrected_arms(z, none, np.array([29.0]))
    student = stats.t.isf(stats.norm.sf(3.2), 29)
    assert (low[0], high[0]) == pytest.approx((student, student), rel=1e-6)
    assert corrected_arms(z, none, np.array([1e9]))[0][0] == pytest.approx(3.2, rel=1e-6)
    low, high = corrected_arms(z, np.array([0.4]), np.array([1e9]))
    level = float(2.0 * stats.norm.cdf(3.2) - 1.0)
    below, above = asymmetry(0.4, level)
    wide = 3.2 * (1.0 + 0.16 / 1.32)
    assert low[0] == pytest.approx(wide * below, rel=1e-6)
    assert high[0] == pytest.approx(wide * above, rel=1e-6)
    assert low[0] < 3.2 < high[0]


def test_skewed_values_get_a_longer_arm_towards_their_tail():
    z = np.random.default_rng(8).lognormal(sigma=1.0, size=60)
    plain, widened = (asymptotic_sequence(z, best_at=60, corrected=c) for c in (False, True))
    mean = z.mean()
    assert widened[1][-1] - mean > mean - widened[0][-1]
    assert widened[1][-1] - mean > plain[1][-1] - mean


@given(st.integers(30, 79), st.booleans())
def test_later_values_change_nothing_before_them(t, corrected):
    rng = np.random.default_rng(t)
    z, w = rng.normal(size=80), rng.uniform(1.0, 2.0, size=80)
    whole = asymptotic_sequence(z, best_at=50, weights=w, corrected=corrected)
    part = asymptotic_sequence(z[:t], best_at=50, weights=w[:t], corrected=corrected)
    for ends, early in zip(whole, part, strict=True):
        np.testing.assert_allclose(ends[:t], early, rtol=1e-7)


@given(st.floats(-1e3, 1e3), st.floats(0.01, 100.0))
def test_it_moves_with_the_units(shift, factor):
    z = np.random.default_rng(1).normal(size=40)
    plain = asymptotic_sequence(z, best_at=40)
    moved = asymptotic_sequence(shift + factor * z, best_at=40)
    for ends, own in zip(moved, plain, strict=True):
        np.testing.assert_allclose(ends[29:], shift + factor * own[29:], rtol=1e-5, atol=1e-6)


def test_an_unknown_level_is_refused(z):
    with pytest.raises(InputError, match="level"):
        asymptotic_sequence(z, best_at=10, level=1.0)


def test_intersections_never_grow_and_say_when_they_are_empty():
    nan = math.nan
    low, high, empty = running_intersection(
        np.array([nan, 1.0, 0.0, 2.0]), np.array([nan, 5.0, 4.0, 6.0])
    )
    np.testing.assert_array_equal(low, [nan, 1.0, 1.0, 2.0])
    np.testing.assert_array_equal(high, [nan, 5.0, 4.0, 4.0])
    assert empty is None
    low, high, empty = running_intersection(np.array([0.0, 3.0, 0.0]), np.array([1.0, 4.0, 1.0]))
    assert empty == 1
    np.testing.assert_array_equal(low, [0.0, nan, nan])
    np.testing.assert_array_equal(high, [1.0, nan, nan])


def test_ends_that_meet_up_to_rounding_contradict_nothing():
    low, high, empty = running_intersection(np.array([0.1 + 0.2]), np.array([0.3]))
    assert empty is None
    assert low[0] == high[0] == 0.3
