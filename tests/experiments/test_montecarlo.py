"""Monte Carlo intervals by hand, and that they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bacon.experiments.montecarlo import (
    Z99,
    mean_figure,
    paired,
    rmse_figure,
    sd_figure,
    wilson,
)


def test_wilson_is_scipys() -> None:
    for hits, m in ((0, 25), (93, 100), (100, 100), (1890, 2000)):
        expected = stats.binomtest(hits, m).proportion_ci(0.99, method="wilson")
        found = wilson(hits, m)
        assert found == pytest.approx((hits / m, expected.low, expected.high), abs=1e-9)
    assert math.isnan(wilson(0, 0).value)


def test_by_hand() -> None:
    values = np.array([1.0, 3.0])
    assert mean_figure(values) == pytest.approx((2.0, 2.0 - Z99, 2.0 + Z99))
    # Mean square 5, SD of the squares 4 sqrt 2, of their mean 4, of the root 4 / (2 sqrt 5).
    assert rmse_figure(values) == pytest.approx(
        (math.sqrt(5.0), math.sqrt(5.0) - Z99 * 2 / math.sqrt(5), math.sqrt(5.0) + Z99 * 2 / 5**0.5)
    )
    # Both squares are 1 around the mean: no spread of squares to see.
    assert sd_figure(values) == pytest.approx((math.sqrt(2.0),) * 3)
    ratio = paired(np.array([2.0, 4.0]), np.array([1.0, 1.0]), power=1.0)
    # a / A is 2/3 and 4/3, with SD sqrt(2)/3, of the mean 1/3.
    assert ratio == pytest.approx((3.0, 3.0 * math.exp(-Z99 / 3), 3.0 * math.exp(Z99 / 3)))
    root = paired(np.array([2.0, 4.0]), np.array([1.0, 1.0]), power=0.5)
    assert root == pytest.approx(tuple(math.sqrt(x) for x in ratio))


def test_what_pairs_with_what() -> None:
    ours = np.array([2.0, np.nan, 4.0, 9.0])
    base = np.array([1.0, 1.0, 1.0])
    assert paired(ours, base, power=1.0).value == 3.0
    assert paired(np.array([2.0, np.inf, 4.0]), base, power=1.0).value == 3.0
    assert math.isnan(paired(ours, None, power=1.0).value)
    assert math.isnan(paired(np.zeros(3), base, power=1.0).value)
    assert math.isnan(mean_figure(np.array([1.0])).low)


def test_the_paired_interval_holds() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(500):
        base = rng.normal(size=400)
        ours = 0.8 * (0.9 * base + math.sqrt(1 - 0.81) * rng.normal(size=400))
        found = paired(ours**2, base**2, power=0.5)
        hits += found.low <= 0.8 <= found.high
    assert hits >= 485  # 495 expected; fewer has a chance of 1e-4
    assert hits < 500


def test_the_rmse_and_sd_intervals_hold() -> None:
    rng = np.random.default_rng(3)
    hits = np.zeros(2)
    for _ in range(500):
        errors = rng.normal(size=400)
        for k, found in enumerate((rmse_figure(errors), sd_figure(errors))):
            hits[k] += found.low <= 1.0 <= found.high
    assert np.all(hits >= 485)


def test_the_interval_of_a_mean_stays_where_its_values_can_be() -> None:
    value, low, high = mean_figure(np.array([1.0, 1.0, 0.4]), least=-1.0, most=1.0)
    assert (value, high) == (pytest.approx(0.8), 1.0)
    assert low == pytest.approx(0.8 - 2.5758293 * np.std([1.0, 1.0, 0.4], ddof=1) / np.sqrt(3))
