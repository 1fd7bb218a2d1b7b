"""Conformal selection: p values, a literal second implementation, and its rate by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from bacon.items.conformal import selection_weights
from bacon.items.flags import conformal_selection, smallest_share

scores = st.integers(0, 6).map(float)
weight = st.sampled_from([0.25, 1.0, 1.5, 4.0])
test_items = st.lists(st.tuples(scores, weight), min_size=1, max_size=10)
calibration = st.lists(st.tuples(scores, weight, st.booleans()), min_size=1, max_size=15)
coins = st.sampled_from([0.05, 0.3, 0.7, 0.99])
rates = st.sampled_from([0.1, 0.3, 0.6])


def rejected(p_values: np.ndarray, fdr: float) -> int:
    """How many p values Benjamini and Hochberg reject."""
    ranked = np.sort(p_values)
    below = ranked <= fdr * np.arange(1, len(ranked) + 1) / len(ranked) + 1e-9
    return int(np.flatnonzero(below).max()) + 1 if below.any() else 0


def literal(score, own, known, weights, is_null, fdr, coin):
    """Algorithm 1 of Jin and Candes (2023) item by item, ties counted in full."""
    n_items = len(score)
    null = np.where(is_null, known, np.inf)
    sizes = np.zeros(n_items)
    passes = np.zeros(n_items, dtype=bool)
    for j in range(n_items):
        p_values = np.zeros(n_items)
        for other in range(n_items):
            if other != j:
                mass = weights[null <= score[other]].sum() + own[j] * (score[j] <= score[other])
                p_values[other] = mass / (weights.sum() + own[j])
        sizes[j] = max(rejected(p_values, fdr), 1)
        p = (weights[null <= score[j]].sum() + own[j]) / (weights.sum() + own[j])
        passes[j] = p <= fdr * sizes[j] / n_items + 1e-9
    shrunk = coin * sizes[passes]
    most = max((r for r in range(1, n_items + 1) if np.sum(shrunk <= r) >= r), default=0)
    return passes & (coin * sizes <= most), passes


def test_p_values_by_hand():
    # Labelled: 1 (beyond the cut), 2, 2, 3; of weights 1, 2, 1, 4.
    known, weights = np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0, 4.0])
    is_null = np.array([False, True, True, True])
    found = conformal_selection(
        np.array([1.0, 2.0, 9.0]),
        np.array([2.0, 1.0, 2.0]),
        known,
        weights,
        is_null,
        fdr=0.1,
        coin=0.5,
    )
    assert found.p_value.tolist() == [2.0 / 10.0, 4.0 / 9.0, 9.0 / 10.0]


@given(test_items, calibration, rates, coins)
@settings(max_examples=200)
def test_flags_are_those_of_the_algorithm_word_by_word(items, labelled, fdr, coin):
    score, own = (np.array(one) for one in zip(*items, strict=True))
    known, weights, is_null = (np.array(one) for one in zip(*labelled, strict=True))
    found = conformal_selection(score, own, known, weights, is_null, fdr=fdr, coin=coin)
    kept, passes = literal(score, own, known, weights, is_null, fdr, coin)
    assert found.flagged.tolist() == kept.tolist()
    assert found.n_pruned == int(passes.sum() - kept.sum())


@given(
    st.lists(scores, min_size=1, max_size=12),
    st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=25),
    rates,
    coins,
)
def test_equal_weights_give_the_flags_of_benjamini_and_hochberg(score, labelled, fdr, coin):
    known, is_null = (np.array(one) for one in zip(*labelled, strict=True))
    given_ = np.array(score), np.ones(len(score)), known, np.ones(len(known)), is_null
    found = conformal_selection(*given_, fdr=fdr, coin=coin)
    adjusted = false_discovery_control(found.p_value, method="bh")
    assert found.flagged.tolist() == (adjusted <= fdr + 1e-9).tolist()
    assert found.n_pruned == 0


@pytest.mark.parametrize("fdr", [0.3, 0.5])
@pytest.mark.parametrize("seed", range(2))
def test_independent_draws_keep_the_rate(seed, fdr):
    rng = np.random.default_rng(seed)
    n_items, grid = 8, (np.arange(10) + 0.5) / 10
    beyond = np.arange(n_items) < 4
    score = np.where(beyond, 0.0, 0.8) + rng.uniform(size=n_items)
    pi = rng.uniform(0.3, 0.95, size=n_items)
    weights = selection_weights(pi)
    rate = power = 0.0
    for chosen in product([False, True], repeat=n_items):
        drawn = np.array(chosen)
        if drawn.all() or not drawn.any():
            continue
        chance = float(np.prod(np.where(drawn, pi, 1.0 - pi)))
        for coin in grid:
            flagged = conformal_selection(
                score[~drawn],
                weights[~drawn],
                score[drawn],
                weights[drawn],
                ~beyond[drawn],
                fdr=fdr,
                coin=coin,
            ).flagged
            if flagged.any():
                rate += chance / len(grid) * float(np.mean(~beyond[~drawn][flagged]))
                power += chance / len(grid)
    assert power > 0.05
    assert rate <= fdr


def test_the_smallest_share_that_can_be_flagged():
    own, total = np.array([1.0, 3.0]), 17.0
    low, high = smallest_share(own, total, 0.1)
    assert low == pytest.approx(1.0 / 1.8)
    assert high == pytest.approx(3.0 / 2.0)
    assert smallest_share(np.ones(9), 200.0, 0.1)[0] == pytest.approx(1.0 / (201 * 0.1))


def test_it_is_what_the_selection_needs():
    # 19 labels at fdr 0.5: a share of 1 / (20 * 0.5) = 0.1 of the items, one of ten.
    known = np.arange(10.0, 29.0)
    labelled = known, np.ones(19), np.ones(19, dtype=bool)
    for n_items, count in ((10, 1), (11, 0)):
        score = np.array([0.0] + [50.0] * (n_items - 1))
        found = conformal_selection(score, np.ones(n_items), *labelled, fdr=0.5, coin=0.5)
        assert int(found.flagged.sum()) == count
