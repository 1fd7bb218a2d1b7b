"""Ranks and Spearman's correlation, with ties and weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bacon.calibration.ranks import Ranked, mid_ranks, spearman, spearman_with_influence

NAN = float("nan")


def test_mid_ranks_by_hand():
    # Ranks 2, 3.5, 3.5, 1 of 4, each less 1/2, over 4, less 1/2.
    found = mid_ranks(np.array([5.0, 7.0, 7.0, 1.0]))
    np.testing.assert_allclose(found, (np.array([2, 3.5, 3.5, 1]) - 0.5) / 4 - 0.5)


def test_weights_count_as_copies():
    values, weights = np.array([3.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 1.0])
    copied = mid_ranks(np.repeat(values, weights.astype(int)))
    np.testing.assert_allclose(np.repeat(mid_ranks(values, weights), [1, 2, 3, 1]), copied)
    np.testing.assert_allclose(mid_ranks(values, 10.0 * weights), mid_ranks(values, weights))


def test_centred_ranks_have_mean_zero():
    rng = np.random.default_rng(1)
    values, weights = rng.integers(0, 5, 40).astype(float), rng.uniform(0.1, 9.0, 40)
    assert abs(weights @ mid_ranks(values, weights)) < 1e-12


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3], [1, 1, 2], np.sqrt(3) / 2),
        ([1, 2, 3, NAN, 5], [2, 1, 3, 9, NAN], 0.5),
        ([1, 2], [1, 2], NAN),
        ([1, 1, 1], [1, 2, 3], NAN),
        ([1, NAN, NAN, 2], [1, 2, 3, 4], NAN),
        ([0.1] * 7, [1, 2, 3, 4, 5, 6, 7], NAN),
    ],
)
def test_spearman_by_hand(a, b, value):
    found = spearman(np.array(a, dtype=float), np.array(b, dtype=float))
    np.testing.assert_allclose(found, value)


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=30).filter(
        lambda pairs: all(len({p[k] for p in pairs}) > 1 for k in (0, 1))
    )
)
def test_spearman_is_scipys(pairs):
    a, b = np.array(pairs, dtype=float).T
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b)[0], abs=1e-12)


def test_weighted_spearman_is_that_of_copies():
    a, b = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 3])
    copies = [1, 3, 2, 1, 4]
    expected = stats.spearmanr(np.repeat(a, copies), np.repeat(b, copies))[0]
    assert spearman(a, b, np.array(copies, dtype=float)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_influence_is_the_derivative_towards_each_pair(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 6, 30).astype(float)
    b = a + np.round(rng.normal(size=30))
    weights = rng.uniform(0.5, 3.0, 30)
    value, influence = spearman_with_influence(Ranked.of(a), Ranked.of(b), weights)
    assert value == pytest.approx(spearman(a, b, weights), abs=1e-14)
    assert influence is not None
    step = 1e-6
    for i in range(30):
        moved = (1.0 - step) * weights / weights.sum()
        moved[i] += step
        slope = (spearman(a, b, moved) - value) / step
        assert influence[i] == pytest.approx(slope, abs=1e-4)
    assert weights @ influence == pytest.approx(0.0, abs=1e-10)


def test_no_correlation_has_no_influence():
    alike = Ranked.of(np.ones(5))
    value, influence = spearman_with_influence(alike, Ranked.of(np.arange(5.0)), np.ones(5))
    assert math.isnan(value)
    assert influence is None
