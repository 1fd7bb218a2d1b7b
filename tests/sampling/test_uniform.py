from __future__ import annotations

import numpy as np
import pytest
from tests.factories import make_pool

import bacon
from bacon.errors import DesignError, InputError
from bacon.sampling.uniform import (
    BernoulliDesign,
    UniformDesign,
    draw_independent,
    draw_without_replacement,
)


def within_band(hits: np.ndarray, chance: np.ndarray | float, trials: int) -> bool:
    """Whether every count lies within 4.5 binomial standard deviations of its mean."""
    chance = np.broadcast_to(chance, hits.shape)
    width = 4.5 * np.sqrt(trials * chance * (1 - chance)) + 1e-9
    return bool((np.abs(hits - trials * chance) <= width).all())


def test_exactly_n_different_positions() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 7, 30):
        drawn = draw_without_replacement(30, n, rng)
        assert len(set(drawn.tolist())) == n
        assert set(drawn.tolist()) <= set(range(30))


def test_every_position_and_every_pair_equally_often() -> None:
    rng = np.random.default_rng(1)
    trials, n_items, n = 4000, 10, 4
    hits = np.zeros((n_items, n_items))
    for _ in range(trials):
        drawn = draw_without_replacement(n_items, n, rng)
        hits[np.ix_(drawn, drawn)] += 1
    assert within_band(np.diag(hits), n / n_items, trials)
    pairs = hits[np.triu_indices(n_items, 1)]
    assert within_band(pairs, n * (n - 1) / (n_items * (n_items - 1)), trials)


def test_any_first_part_is_itself_a_simple_sample() -> None:
    rng = np.random.default_rng(2)
    trials = 4000
    firsts = np.zeros((2, 8))
    for _ in range(trials):
        drawn = draw_without_replacement(8, 5, rng)
        firsts[0, drawn[0]] += 1
        firsts[1, drawn[:3]] += 1
    assert within_band(firsts[0], 1 / 8, trials)
    assert within_band(firsts[1], 3 / 8, trials)


def test_independent_draws_keep_their_chances_and_come_in_random_order() -> None:
    rng = np.random.default_rng(3)
    pi = np.array([0.1, 0.5, 0.9, 1.0])
    trials = 4000
    hits, firsts = np.zeros(4), np.zeros(4)
    both = 0
    for _ in range(trials):
        drawn = draw_independent(pi, rng)
        hits[drawn] += 1
        both += {0, 1} <= set(drawn.tolist())
        if len(drawn) == 4:
            firsts[drawn[0]] += 1
    assert hits[3] == trials
    assert within_band(hits, pi, trials)
    assert within_band(np.array([both]), 0.1 * 0.5, trials)
    assert within_band(firsts, 0.25, int(firsts.sum()))


def test_uniform_probabilities_are_n_over_items() -> None:
    sample = UniformDesign(n=7).draw(make_pool(50), seed=1)
    assert sample.kind == "uniform"
    assert sample.n_drawn == 7
    assert sample.pi.tolist() == [7 / 50] * 7
    assert dict(sample.parameters) == {"n": 7, "rate": None}
    assert sample.notices == ()


def test_a_rate_becomes_a_whole_number() -> None:
    sample = UniformDesign(rate=0.33).draw(make_pool(10), seed=1)
    assert sample.n_drawn == 3
    assert sample.pi.tolist() == [0.3] * 3
    assert dict(sample.parameters) == {"n": 3, "rate": 0.33}


def test_a_census() -> None:
    sample = UniformDesign(n=10).draw(make_pool(10), seed=1)
    assert sorted(sample.ids.tolist()) == list(range(1, 11))
    assert sample.pi.tolist() == [1.0] * 10
    assert BernoulliDesign(rate=1).draw(make_pool(10), seed=1).n_drawn == 10


def test_bernoulli_sizes_vary_about_their_mean() -> None:
    pool = make_pool(40)
    drawn = [BernoulliDesign(rate=0.3).draw(pool, seed=seed) for seed in range(200)]
    counts = np.array([sample.n_drawn for sample in drawn])
    assert counts.min() < 12 < counts.max()
    assert abs(counts.mean() - 12) < 4.5 * np.sqrt(40 * 0.3 * 0.7 / 200)
    assert all((sample.pi == 0.3).all() for sample in drawn)


def test_numpy_whole_numbers_are_whole_numbers() -> None:
    assert UniformDesign(n=np.int64(5)).draw(make_pool(9), seed=np.int64(1)).parameters["n"] == 5


@pytest.mark.parametrize("n", [0, -3, 2.0, 2.5, "5", True, float("nan")])
def test_n_that_is_no_count_is_refused(n: object) -> None:
    with pytest.raises(InputError, match=r"n must be a whole number from 1 up; got"):
        UniformDesign(n=n)


@pytest.mark.parametrize("rate", [0.0, -0.1, 1.01, float("nan"), "0.5", True])
def test_a_rate_outside_its_range_is_refused(rate: object) -> None:
    with pytest.raises(InputError, match=r"rate must lie above 0 and at most at 1"):
        UniformDesign(rate=rate)
    with pytest.raises(InputError, match=r"rate must lie above 0 and at most at 1"):
        BernoulliDesign(rate=rate)


def test_one_of_n_and_rate() -> None:
    for arguments in ({}, {"n": 5, "rate": 0.5}):
        with pytest.raises(InputError, match="either n"):
            UniformDesign(**arguments)


def test_more_than_the_pool_is_refused() -> None:
    with pytest.raises(InputError, match=r"n = 11 is more than the 10 items of the pool"):
        UniformDesign(n=11).draw(make_pool(10))


def test_a_rate_that_comes_to_nothing_is_refused() -> None:
    with pytest.raises(InputError, match=r"rate = 0\.01 of 10 items is less than one"):
        UniformDesign(rate=0.01).draw(make_pool(10))


def test_an_empty_draw_is_refused() -> None:
    with pytest.raises(InputError, match=r"seed 1 draws no item at all"):
        BernoulliDesign(rate=1e-9).draw(make_pool(10), seed=1)


def test_a_longer_draw_is_a_simple_random_sample_in_random_order() -> None:
    pool = make_pool(9)
    trials = 3000
    pairs, firsts, lasts = np.zeros((9, 9)), np.zeros(9), np.zeros(9)
    for seed in range(trials):
        first = UniformDesign(n=2).draw(pool, seed=seed)
        longer = UniformDesign(n=4).extend(first, pool)
        assert longer.ids[:2].tolist() == first.ids.tolist()
        rows = longer.ids - pool.ids.min()
        pairs[np.ix_(rows, rows)] += 1
        firsts[rows[0]] += 1
        lasts[rows[3]] += 1
    assert within_band(np.diag(pairs), 4 / 9, trials)
    assert within_band(pairs[np.triu_indices(9, 1)], 4 * 3 / (9 * 8), trials)
    assert within_band(firsts, 1 / 9, trials)
    assert within_band(lasts, 1 / 9, trials)


def test_a_longer_draw_does_not_depend_on_the_order_of_rows() -> None:
    table = make_pool(30).table
    pools = [bacon.read_pool(one) for one in (table, table.reverse())]
    draws = [UniformDesign(n=15).extend(UniformDesign(n=8).draw(one, seed=3), one) for one in pools]
    assert draws[0].ids.tolist() == draws[1].ids.tolist()
    assert draws[0].n_first == 8
    assert draws[0].parameters["drawn"] == "8+7"


def test_a_draw_of_another_pool_is_not_made_longer() -> None:
    first = UniformDesign(n=5).draw(make_pool(30), seed=1)
    with pytest.raises(DesignError, match="drawn from another pool"):
        UniformDesign(n=9).extend(first, make_pool(31))
    with pytest.raises(InputError, match="a draw of kind bernoulli is not made longer"):
        UniformDesign(n=29).extend(BernoulliDesign(0.5).draw(make_pool(30), seed=1), make_pool(30))
