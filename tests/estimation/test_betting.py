"""Betting confidence sequences against scalar code, and over every order of a small pool."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.estimation.betting import POINTS, TRUNCATION, betting_sequence
from bacon.estimation.pool_stream import pool_betting, pool_stream

LEVEL = 0.95


def stakes(values, width, slopes, best_at, alpha):
    """Return the bets before truncation: predictable plug-ins, one value at a time."""
    found = []
    squares = clock = total = 0.0
    for t, (slope, value) in enumerate(zip(slopes, values, strict=True), start=1):
        clock += slope**2
        s2 = (width**2 / 16.0 + squares) / t
        found.append(slope * math.sqrt(2.0 * math.log(2.0 / alpha) / (s2 * max(clock, best_at))))
        total += value - values[0]
        squares += (value - values[0] - total / (t + 1)) ** 2
    return found


def survivors(values, candidates, bets, mean_of, low, high):
    """Return the candidates left after each value: neither gambler ever had 2 / alpha."""
    limit = 2.0 / (1.0 - LEVEL)
    alive, found = dict.fromkeys(candidates, (1.0, 1.0)), []
    for t, (value, bet) in enumerate(zip(values, bets, strict=True)):
        kept = {}
        for m, (more, less) in alive.items():
            mu = mean_of(t, m)
            if mu < low - 1e-9 or mu > high + 1e-9:
                continue
            up = min(bet, TRUNCATION / max(mu - low, 1e-12))
            down = min(bet, TRUNCATION / max(high - mu, 1e-12))
            now = (
                more * (1.0 + max(up * (value - mu), -TRUNCATION)),
                less * (1.0 + max(-down * (value - mu), -TRUNCATION)),
            )
            if max(now) < limit:
                kept[m] = now
        alive = kept
        found.append(list(alive))
    return found


def test_with_replacement_as_written_by_hand():
    z = np.random.default_rng(5).beta(2.0, 3.0, size=60)
    lower, upper = betting_sequence(z, low=0.0, high=1.0, scale=(0.0, 1.0), best_at=40)
    candidates = np.linspace(0.0, 1.0, POINTS + 1).tolist()
    bets = stakes(z, 1.0, np.ones(60), 40, 1.0 - LEVEL)
    left = survivors(z, candidates, bets, lambda _, m: m, 0.0, 1.0)
    for t in (0, 9, 29, 59):
        assert lower[t] == pytest.approx(max(min(left[t]) - 1.0 / POINTS, 0.0))
        assert upper[t] == pytest.approx(min(max(left[t]) + 1.0 / POINTS, 1.0))


def test_without_replacement_as_written_by_hand():
    n_items, n = 80, 50
    rng = np.random.default_rng(6)
    y = rng.binomial(1, 0.3, size=n_items).astype(float)[:n]
    stream = pool_stream(y, np.arange(n), n_items, None)
    lower, upper = pool_betting(stream, (0.0, 1.0), level=LEVEL, best_at=30)
    size = [n_items - t for t in range(n)]
    slopes = [n_items / one for one in size]
    best_at = sum(one**2 for one in slopes[:30])

    def mean_of(t, m):
        return (n_items * m - float(y[:t].sum())) / size[t]

    candidates = np.linspace(0.0, 1.0, POINTS + 1).tolist()
    left = survivors(y, candidates, stakes(y, 1.0, slopes, best_at, 0.05), mean_of, 0.0, 1.0)
    for t in (0, 19, 49):
        assert lower[t] == pytest.approx(max(min(left[t]) - 1.0 / POINTS, 0.0))
        assert upper[t] == pytest.approx(min(max(left[t]) + 1.0 / POINTS, 1.0))


@pytest.mark.parametrize("predicts", [False, True])
def test_over_every_order_of_a_pool_the_level_holds_exactly(predicts):
    pool = np.array([0.0, 0.1, 0.9, 1.0, 1.0, 0.2])
    judge = np.array([0.1, 0.0, 0.7, 0.9, 0.6, 0.3])
    truth, alpha = float(pool.mean()), 0.4
    left = 0
    orders = list(permutations(range(len(pool))))
    for order in orders:
        rows = np.array(order)
        y = pool[rows]

        def predict(k, y=y, rows=rows):
            return judge + float(np.mean(y[:k] - judge[rows[:k]]))

        stream = pool_stream(y, rows, len(pool), predict if predicts else None, times=[1, 2, 4])
        # The last label settles the mean by itself.
        low, high = pool_betting(stream, (0.0, 1.0), level=1.0 - alpha, best_at=3)
        away = (low[:-1] > truth) | (high[:-1] < truth) | np.isnan(low[:-1])
        left += bool(away.any())
    assert 0 < left <= alpha * len(orders)


@given(st.integers(1, 39))
def test_later_values_change_nothing_before_them(t):
    z = np.random.default_rng(t).uniform(size=40)
    bounds = {"low": 0.0, "high": 1.0, "scale": (0.0, 1.0), "best_at": 20.0}
    for whole, part in zip(
        betting_sequence(z, **bounds), betting_sequence(z[:t], **bounds), strict=True
    ):
        np.testing.assert_array_equal(whole[:t], part)


def test_turned_values_turn_the_bounds():
    z = np.random.default_rng(2).beta(1.0, 4.0, size=70)
    bounds = {"low": 0.0, "high": 1.0, "scale": (0.0, 1.0), "best_at": 50.0}
    lower, upper = betting_sequence(z, **bounds)
    turned_lower, turned_upper = betting_sequence(1.0 - z, **bounds)
    np.testing.assert_allclose(turned_lower, 1.0 - upper)
    np.testing.assert_allclose(turned_upper, 1.0 - lower)


def test_values_no_mean_could_give_leave_nothing():
    # Means that move by 1 while the values do not.
    intercept = np.where(np.arange(200) < 100, 0.0, 0.8)
    z = np.full(200, 0.1)
    lower, upper = betting_sequence(
        z, low=0.0, high=1.0, scale=(0.0, 1.0), best_at=100, intercept=intercept
    )
    gone = np.isnan(lower)
    assert not gone[:100].any()
    assert gone[-1]
    assert np.isnan(upper[gone]).all()


def test_an_empty_stream_and_an_unknown_level():
    lower, upper = betting_sequence(np.zeros(0), low=0, high=1, scale=(0, 1), best_at=10)
    assert len(lower) == len(upper) == 0
    with pytest.raises(InputError, match="level"):
        betting_sequence(np.zeros(3), low=0, high=1, scale=(0, 1), best_at=10, level=0.0)
