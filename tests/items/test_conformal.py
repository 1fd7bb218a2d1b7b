"""Bounds of errors: by hand, against a second implementation, and exact by enumeration."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.items.conformal import (
    bounds_by_group,
    error_bounds,
    interval_ends,
    selection_weights,
    spread_scale,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

sizes = st.floats(0.0, 10.0).map(lambda value: round(value, 2))
odds = st.floats(0.01, 20.0)
labelled = st.lists(st.tuples(sizes, odds), min_size=1, max_size=12)


def by_definition(scores: np.ndarray, weights: np.ndarray, own: float, level: float) -> float:
    """The smallest score whose mass, the unknown score at infinity, reaches the level."""
    for size in sorted(scores):
        if weights[scores <= size].sum() / (weights.sum() + own) >= level - 1e-9:
            return float(size)
    return np.inf


def test_nine_labels_of_equal_weight_bound_at_the_largest_and_eight_at_nothing():
    scores = np.array([3.0, 1.0, 9.0, 2.0, 8.0, 4.0, 7.0, 5.0, 6.0])
    one = np.ones(1)
    assert error_bounds(scores, np.ones(9), one, 0.9).tolist() == [9.0]
    assert error_bounds(scores, np.ones(9), one, 0.8).tolist() == [8.0]
    assert error_bounds(scores[1:], np.ones(8), one, 0.9).tolist() == [np.inf]
    assert error_bounds(np.empty(0), np.empty(0), one, 0.9).tolist() == [np.inf]


def test_rounding_of_weights_does_not_move_the_bound():
    # 9 of 10 equal weights are 90 %, whatever the odds come to in binary.
    for n_items in range(10, 400, 7):
        weights = selection_weights(np.full(9, 9 / n_items))
        found = error_bounds(np.arange(9.0), weights, weights[:1], 0.9)
        assert found.tolist() == [8.0 if n_items > 9 else np.inf]


def test_certain_items_say_nothing_of_those_left_out():
    weights = selection_weights(np.array([1.0, 0.5, 0.5, 0.5]))
    assert weights.tolist() == [0.0, 1.0, 1.0, 1.0]
    scores = np.array([100.0, 1.0, 2.0, 3.0])
    assert error_bounds(scores, weights, np.ones(1), 0.75).tolist() == [3.0]


@given(labelled, odds, st.floats(0.05, 0.99))
def test_the_bound_is_the_weighted_quantile_of_its_definition(pairs, own, level):
    scores, weights = (np.array(one) for one in zip(*pairs, strict=True))
    found = error_bounds(scores, weights, np.array([own]), level)
    near = weights[:, None] * (scores[:, None] <= scores[None, :])
    shares = near.sum(axis=0) / (weights.sum() + own)
    if np.abs(shares - level).min() > 1e-8:
        assert found[0] == by_definition(scores, weights, own, level)


@given(labelled, odds, st.floats(0.05, 0.99), st.floats(0.1, 10.0), st.randoms())
def test_units_of_weight_and_order_of_labels_do_not_matter(pairs, own, level, unit, shuffler):
    scores, weights = (np.array(one) for one in zip(*pairs, strict=True))
    shares = np.cumsum(weights[np.argsort(scores)]) / (weights.sum() + own)
    if np.abs(shares - level).min() < 1e-8:
        return
    order = np.array(shuffler.sample(range(len(scores)), len(scores)))
    found = error_bounds(scores, weights, np.array([own]), level)
    other = error_bounds(scores[order], unit * weights[order], np.array([unit * own]), level)
    assert found.tolist() == other.tolist()


@given(labelled, odds, odds, st.floats(0.05, 0.98))
def test_a_heavier_item_and_a_higher_level_never_have_a_smaller_bound(pairs, own, more, level):
    scores, weights = (np.array(one) for one in zip(*pairs, strict=True))
    light, heavy = error_bounds(scores, weights, np.array([own, own + more]), level)
    assert light <= heavy
    assert error_bounds(scores, weights, np.array([own]), min(level + 0.01, 0.99))[0] >= light


def independent_draws(pi: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """Every set of drawn items with its probability."""
    for drawn in product([False, True], repeat=len(pi)):
        chosen = np.array(drawn)
        yield chosen, float(np.prod(np.where(chosen, pi, 1.0 - pi)))


def coverage(scores: np.ndarray, pi: np.ndarray, level: float, *, odds: bool) -> float:
    """Share of items without a label whose score is within its bound, over all draws."""
    held = missed = 0.0
    for drawn, chance in independent_draws(pi):
        weights = selection_weights(pi) if odds else 1.0 / pi
        bound = error_bounds(scores[drawn], weights[drawn], weights[~drawn], level)
        inside = int(np.sum(scores[~drawn] <= bound))
        held += chance * inside
        missed += chance * (len(bound) - inside)
    return held / (held + missed)


@pytest.mark.parametrize("level", [0.5, 0.7, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_independent_draws_keep_the_level_exactly(seed, level):
    rng = np.random.default_rng(seed)
    scores, pi = rng.exponential(size=9), rng.uniform(0.1, 0.95, size=9)
    # Hard items are drawn more often, so that the labelled ones are no picture of the others.
    pi[np.argsort(scores)] = np.sort(pi)
    found = coverage(scores, pi, level, odds=True)
    assert found >= level - 1e-9
    # The inverse of the chance stands for the whole pool, and keeps more than was asked for.
    assert coverage(scores, pi, level, odds=False) >= found


def test_simple_draws_hold_with_exactly_the_share_that_ranks_allow():
    scores = np.random.default_rng(0).exponential(size=9)
    held = total = 0
    for drawn in combinations(range(9), 5):
        rest = np.setdiff1d(np.arange(9), drawn)
        bound = error_bounds(scores[list(drawn)], np.ones(5), np.ones(4), 0.6)
        held += int(np.sum(scores[rest] <= bound))
        total += 4
    # ceil(0.6 * 6) = 4 of 6 ranks.
    assert held / total == pytest.approx(4 / 6)


def test_drawn_clusters_keep_the_level_when_an_item_weighs_as_much_as_its_cluster():
    rng = np.random.default_rng(1)
    sizes = np.array([1, 4, 2, 3, 2, 1])
    cluster = np.repeat(np.arange(6), sizes)
    scores = rng.exponential(size=6)[cluster] + 0.01 * rng.exponential(size=len(cluster))
    held = {"cluster": 0, "item": 0}
    total = 0
    for drawn in combinations(range(6), 3):
        inside = np.isin(cluster, drawn)
        own = {"cluster": sizes[cluster[~inside]].astype(float), "item": np.ones(np.sum(~inside))}
        total += int(np.sum(~inside))
        for how, weight in own.items():
            bound = error_bounds(scores[inside], np.ones(np.sum(inside)), weight, 0.6)
            held[how] += int(np.sum(scores[~inside] <= bound))
    assert held["cluster"] / total >= 0.6
    assert held["item"] < held["cluster"]


def test_groups_are_bounded_by_their_own_labels():
    scores = np.array([1.0, 2.0, 3.0, 10.0, 20.0, 30.0])
    group, own_group = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 0, 2])
    found = bounds_by_group(scores, np.ones(6), np.ones(3), 0.75, group=group, own_group=own_group)
    assert found.tolist() == [30.0, 3.0, np.inf]


def test_usual_errors_are_the_items_own_and_half_of_the_pools():
    assert spread_scale(np.array([1.0, 7.0])).tolist() == [2.0, np.sqrt(7.0) + 1.0]
    assert spread_scale(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
    assert spread_scale(np.empty(0)).tolist() == []


def test_intervals_stay_on_the_scale():
    lower, upper = interval_ends(np.array([1.5, 5.0]), np.array([1.0, np.inf]), (1.0, 6.0))
    assert lower.tolist() == [1.0, 1.0]
    assert upper.tolist() == [2.5, 6.0]
