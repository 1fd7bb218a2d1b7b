"""Intervals from their definitions: exact ones by enumeration, the rest by the formulas."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, isnan, sqrt
from time import perf_counter

import numpy as np
import pytest
from scipy import stats

from bacon.estimation.intervals import (
    clopper_pearson,
    hypergeometric_interval,
    korn_graubard,
    limits_about,
    no_interval,
    surprise_variance,
    t_quantile,
    unseen_share_bound,
)
from bacon.estimation.rules import plain_interval
from bacon.estimation.sandwich import Variances

HALF_TAIL = {0.5: Fraction(1, 4), 0.9: Fraction(1, 20), 0.95: Fraction(1, 40)}


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("df", [1.0, 1.7, 5.0, 199.0])
def test_t_quantile(level: float, df: float) -> None:
    assert t_quantile(level, df) == pytest.approx(stats.t.ppf((1 + level) / 2, df), rel=1e-10)


def test_t_quantile_of_endless_degrees_of_freedom_is_normal() -> None:
    assert t_quantile(0.95, inf) == pytest.approx(1.959963984540054)


def test_students_and_the_normal_interval() -> None:
    # Table: t(0.975, 4) = 2.776445.
    spread = Variances(pool=4.0, population=9.0, unit=1.0, df=4.0)
    interval = plain_interval(10.0, spread, 0.95, "pool", "t")
    assert tuple(interval) == pytest.approx((10 - 2 * 2.776445105, 10 + 2 * 2.776445105))
    assert interval.half_width == pytest.approx(2 * 2.776445105)
    assert (interval.level, interval.target, interval.df) == (0.95, "pool", 4.0)
    assert (interval.method, interval.reason) == ("t", None)
    # Without skewness, and nothing said by the predictions, the corrected interval is Student's.
    assert tuple(plain_interval(10.0, spread, 0.95, "pool", "auto")) == pytest.approx((*interval,))
    normal = plain_interval(10.0, spread, 0.95, "population", "z")
    assert tuple(normal) == pytest.approx((10 - 3 * 1.95996398, 10 + 3 * 1.95996398))


def test_no_interval_says_why() -> None:
    interval = no_interval(0.9, "population", 3.0, "too few")
    assert isnan(interval.low)
    assert isnan(interval.high)
    assert (interval.method, interval.reason) == ("none", "too few")


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("count", "n"), [(0, 9), (1, 9), (5, 12), (8, 9), (9, 9), (0, 1), (1, 1)])
def test_clopper_pearson(count: int, n: int, level: float) -> None:
    exact = stats.binomtest(count, n).proportion_ci(level, method="exact")
    assert clopper_pearson(count, n, level) == pytest.approx((exact.low, exact.high), rel=1e-8)


def test_clopper_pearson_leaves_its_tails_to_the_beta_law() -> None:
    low, high = clopper_pearson(2.5, 10.25, 0.9)
    assert stats.beta.cdf(low, 2.5, 10.25 - 2.5 + 1) == pytest.approx(0.05)
    assert stats.beta.sf(high, 3.5, 10.25 - 2.5) == pytest.approx(0.05)


def test_clopper_pearson_without_a_hit_is_the_power_of_one_minus_the_share() -> None:
    # (1 - p)^n = 0.025.
    assert clopper_pearson(0, 30, 0.95) == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)))
    assert clopper_pearson(30, 30, 0.95) == pytest.approx((0.025 ** (1 / 30), 1.0))


def test_korn_graubard_by_hand() -> None:
    # n_eff = 0.3 * 0.7 / 0.01 = 21, times (t_39 / t_10)^2 with df 10 in place of 39.
    ratio = stats.t.ppf(0.975, 39) / stats.t.ppf(0.975, 10)
    n_eff = 21 * ratio**2
    x = 0.3 * n_eff
    expected = (
        stats.beta.ppf(0.025, x, n_eff - x + 1),
        stats.beta.ppf(0.975, x + 1, n_eff - x),
    )
    found = korn_graubard(0.3, 0.01, n=40, n_independent=40.0, df=10.0, level=0.95)
    assert found == pytest.approx(expected, rel=1e-8)


def test_korn_graubard_of_a_simple_sample_is_clopper_pearson() -> None:
    # V = p q / n is the variance that makes n_eff = n.
    found = korn_graubard(0.25, 0.25 * 0.75 / 20, n=20, n_independent=20.0, df=19.0, level=0.9)
    assert found == pytest.approx(clopper_pearson(5, 20, 0.9))


@pytest.mark.parametrize(("share", "variance"), [(0.0, 0.0), (0.0, 0.01), (1.0, 0.0), (0.4, 0.0)])
def test_korn_graubard_falls_back_on_the_number_of_labels(share: float, variance: float) -> None:
    found = korn_graubard(share, variance, n=50, n_independent=12.5, df=49.0, level=0.95)
    assert found == pytest.approx(clopper_pearson(share * 12.5, 12.5, 0.95))


def tail(counts: range, n: int, n_items: int, total: int) -> Fraction:
    """Return the exact chance that a simple draw has one of `counts` hits."""
    ways = sum(
        comb(total, k) * comb(n_items - total, n - k)
        for k in counts
        if k <= total and n - k <= n_items - total
    )
    return Fraction(ways, comb(n_items, n))


@pytest.mark.parametrize("level", HALF_TAIL)
def test_hypergeometric_interval_by_enumeration(level: float) -> None:
    limit = HALF_TAIL[level]
    for n_items in (2, 3, 6, 12, 16):
        for n in range(1, n_items + 1):
            for count in range(n + 1):
                possible = range(count, n_items - (n - count) + 1)
                upper = [t for t in possible if tail(range(count, n + 1), n, n_items, t) > limit]
                lower = [t for t in possible if tail(range(count + 1), n, n_items, t) > limit]
                low = 0 if count == 0 else min(upper)
                high = n_items if count == n else max(lower)
                found = hypergeometric_interval(count, n, n_items, level)
                assert found == pytest.approx((low / n_items, high / n_items)), (n_items, n, count)


def test_hypergeometric_interval_covers_every_total() -> None:
    n_items, n = 30, 8
    intervals = [hypergeometric_interval(k, n, n_items, 0.95) for k in range(n + 1)]
    for total in range(n_items + 1):
        hits = [
            k
            for k, (low, high) in enumerate(intervals)
            if low - 1e-12 <= total / n_items <= high + 1e-12
        ]
        assert sum(tail(range(k, k + 1), n, n_items, total) for k in hits) >= Fraction(95, 100)


def test_hypergeometric_interval_of_a_large_pool_is_binomial_and_quick() -> None:
    start = perf_counter()
    low, high = hypergeometric_interval(60, 200, 10_000_000, 0.95)
    nothing = hypergeometric_interval(0, 200, 10_000_000, 0.95)
    whole = hypergeometric_interval(2_000, 2_000, 100_000, 0.95)
    assert perf_counter() - start < 2.0
    assert (low, high) == pytest.approx(clopper_pearson(60, 200, 0.95), abs=1e-5)
    assert nothing == pytest.approx((0.0, 1 - 0.025 ** (1 / 200)), abs=1e-5)
    assert whole[0] == pytest.approx(1 - 1.0 * (1 - 0.025 ** (1 / 2_000)), abs=1e-4)
    assert whole[1] == 1.0


@pytest.mark.parametrize("n", [2.0, 30.0, 12.5])
def test_unseen_share_bound(n: float) -> None:
    # n labels all alike: a share p of other items goes unseen with probability (1 - p)^n.
    assert (1 - unseen_share_bound(n, 0.95)) ** n == pytest.approx(0.05)


def test_wider_levels_hold_narrower_ones() -> None:
    for make in (
        lambda level: clopper_pearson(3, 11, level),
        lambda level: hypergeometric_interval(3, 11, 40, level),
        lambda level: tuple(plain_interval(1.0, Variances(2.0, 2.0, 1.0, 5.0), level, "pool", "t")),
    ):
        ends = [make(level) for level in (0.5, 0.8, 0.95, 0.99)]
        assert np.all(np.diff([low for low, _ in ends]) <= 0)
        assert np.all(np.diff([high for _, high in ends]) >= 0)
        assert ends[0][0] > ends[-1][0]
        assert sqrt(ends[-1][1]) > sqrt(ends[0][1])


def test_limits_about_a_share_are_clopper_pearsons() -> None:
    low, high = limits_about(0.3, np.array([10.0, 20.0, 50.0]), 0.9)
    for k, n in enumerate((10, 20, 50)):
        exact = stats.binomtest(round(0.3 * n), n).proportion_ci(0.9, method="exact")
        assert (low[k], high[k]) == pytest.approx((exact.low, exact.high), rel=1e-8)


def test_one_of_n_plus_two_may_surprise() -> None:
    # A share 1/(n + 2) of errors of size 1, in the mean of n labels.
    assert surprise_variance(8.0) == pytest.approx((1 / 10) / 8)
