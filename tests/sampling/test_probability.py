from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import make_pool

from bacon.errors import InputError
from bacon.sampling.probability import ProbabilityDesign, draw_systematic, scale_to_size


def test_scaling_by_hand() -> None:
    # 4 * (5, 2, 2, 1) / 10 = 2, .8, .8, .4: the first is certain, 3 left for 2 : 2 : 1 = 1.2, 1.2,
    # .6: two more are certain, and 1 is left for the last.
    pi, certain = scale_to_size(np.array([5.0, 2.0, 2.0, 1.0]), 4)
    assert pi.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert certain.tolist() == [True, True, True, False]
    pi, certain = scale_to_size(np.array([5.0, 2.0, 2.0, 1.0]), 2)
    assert pi.tolist() == pytest.approx([1.0, 0.4, 0.4, 0.2])
    assert not certain.any()


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=30).flatmap(
        lambda sizes: st.tuples(st.just(sizes), st.integers(1, len(sizes)))
    )
)
def test_scaled_probabilities_sum_to_n(problem: tuple[list[float], int]) -> None:
    sizes, n = np.array(problem[0]), problem[1]
    pi, certain = scale_to_size(sizes, n)
    assert pi.sum() == pytest.approx(n)
    assert ((pi > 0) & (pi <= 1)).all()
    assert (pi[certain] == 1).all()
    rest = pi[~certain] / sizes[~certain]
    assert rest == pytest.approx(np.full(len(rest), rest[:1].sum()), rel=1e-6)


@given(
    st.lists(st.floats(1e-4, 1.0), min_size=1, max_size=40),
    st.integers(0, 2**32 - 1),
)
def test_systematic_size_is_the_sum_or_next_to_it(pi: list[float], seed: int) -> None:
    drawn = draw_systematic(np.array(pi), np.random.default_rng(seed))
    total = sum(pi)
    assert np.floor(total - 1e-9) <= len(drawn) <= np.ceil(total + 1e-9)
    assert len(set(drawn.tolist())) == len(drawn)


@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_systematic_size_is_exact_where_the_sum_is_whole(n: int, more: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pi, _ = scale_to_size(rng.uniform(0.01, 1.0, size=n + more), n)
    assert len(draw_systematic(pi, rng)) == n


def test_systematic_chances_are_kept() -> None:
    pi, _ = scale_to_size(np.array([0.9, 0.5, 0.3, 0.2, 0.2, 0.1, 0.8]), 3)
    rng = np.random.default_rng(4)
    trials = 4000
    hits, firsts, pairs = np.zeros(7), np.zeros(7), np.zeros((7, 7))
    for _ in range(trials):
        drawn = draw_systematic(pi, rng)
        hits[drawn] += 1
        firsts[drawn[0]] += 1
        pairs[np.ix_(drawn, drawn)] += 1
    assert (np.abs(hits - trials * pi) <= 4.5 * np.sqrt(trials * pi * (1 - pi))).all()
    # In random order, each drawn item is first a third of the times it is drawn.
    assert (np.abs(firsts - trials * pi / 3) <= 4.5 * np.sqrt(trials * pi / 3)).all()
    # The list is in random order, so every pair can be drawn together.
    assert (pairs[np.triu_indices(7, 1)] > 0).all()


def test_certain_items_are_always_drawn() -> None:
    pi = np.array([1.0, 0.25, 0.25, 1.0, 0.5])
    for seed in range(200):
        drawn = draw_systematic(pi, np.random.default_rng(seed))
        assert len(drawn) == 3
        assert {0, 3} <= set(drawn.tolist())


def test_a_column_as_it_is() -> None:
    chances = [0.5, 0.25, 0.25, 0.5, 0.75, 0.75]
    pool = make_pool(6, columns={"chance": chances})
    sample = ProbabilityDesign(pi="chance").draw(pool, seed=1)
    assert sample.kind == "systematic"
    assert sample.n_drawn == 3
    assert sample.pi.tolist() == [chances[identifier - 1] for identifier in sample.ids]
    assert dict(sample.parameters) == {"pi": "chance", "n": None, "method": "systematic"}
    assert "chance" in sample.hidden
    assert sample.notices == ()


def test_the_probabilities_the_pool_was_read_with() -> None:
    pool = make_pool(4, pi=[0.5, 0.5, 0.5, 0.5])
    sample = ProbabilityDesign().draw(pool, seed=1)
    assert sample.n_drawn == 2
    assert sample.parameters["pi"] == "pi"


def test_an_array_with_poisson() -> None:
    pool = make_pool(6)
    array = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 0.5])
    sample = ProbabilityDesign(pi=array, method="poisson").draw(pool, seed=1)
    assert sample.kind == "poisson"
    assert {1, 2, 3} <= set(sample.ids.tolist())
    assert sample.pi.tolist() == array[sample.ids - 1].tolist()
    assert sample.parameters["pi"] == "array"


def test_scaling_and_certain_items_are_told() -> None:
    pool = make_pool(5, columns={"size": [1.0, 0.1, 0.1, 0.1, 0.1]})
    sample = ProbabilityDesign(pi="size", n=3).draw(pool, seed=2)
    assert sample.n_drawn == 3
    assert 1 in sample.ids
    assert sorted(sample.pi.tolist()) == pytest.approx([0.5, 0.5, 1.0])
    (notice,) = sample.notices
    assert notice.code == "probabilities_scaled"
    assert notice.message == (
        "The probabilities summed to 1.4 and were scaled to sum to 3; "
        "what came out above 1 was set to 1, drawn for certain (1 of 5)."
    )


def test_nothing_is_told_where_nothing_is_scaled() -> None:
    pool = make_pool(4, pi=[0.5, 0.5, 0.25, 0.75])
    assert ProbabilityDesign(n=2).draw(pool, seed=2).notices == ()


def test_a_size_that_may_vary_is_told() -> None:
    pool = make_pool(4, pi=[0.5, 0.5, 0.5, 0.75])
    sample = ProbabilityDesign().draw(pool, seed=2)
    assert sample.n_drawn in (2, 3)
    (notice,) = sample.notices
    assert notice.code == "size_not_whole"
    assert "has 2 or 3 items" in notice.message


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (0.0, r"0, so the item can never be drawn.*drop it from the pool or give it a chance"),
        (1.7, r"1\.7, but a chance of being drawn lies above 0 and at most at 1"),
        (-0.2, r"-0\.2, but a chance"),
        (None, r"missing; every item needs its chance"),
        (float("nan"), r"missing; every item needs its chance"),
    ],
)
@pytest.mark.parametrize("n", [None, 2])
def test_an_improper_probability_is_refused(value: float | None, rule: str, n: int | None) -> None:
    pool = make_pool(4, columns={"chance": [0.5, 0.5, value, 0.5]})
    with pytest.raises(
        InputError, match=rf"pool\.csv row 3, column chance: the probability is {rule}"
    ):
        ProbabilityDesign(pi="chance", n=n).draw(pool)


def test_infinite_and_text_probabilities_are_refused() -> None:
    pool = make_pool(
        3, columns={"chance": [0.5, float("inf"), 0.5], "word": ["0.5", "0.5", "high"]}
    )
    with pytest.raises(InputError, match=r"pool\.csv row 2, column chance: inf cannot be used"):
        ProbabilityDesign(pi="chance").draw(pool)
    with pytest.raises(InputError, match=r"pool\.csv row 3, column word: 'high' is not a number"):
        ProbabilityDesign(pi="word").draw(pool)


def test_arrays_that_do_not_fit_are_refused() -> None:
    pool = make_pool(3)
    with pytest.raises(InputError, match=r"pi must have 3 values"):
        ProbabilityDesign(pi=[0.5, 0.5]).draw(pool)
    with pytest.raises(InputError, match=r"pi must be a vector"):
        ProbabilityDesign(pi=np.full((3, 1), 0.5)).draw(pool)
    with pytest.raises(InputError, match=r"row 2, column pi: the probability is missing"):
        ProbabilityDesign(pi=[0.5, float("nan"), 0.5]).draw(pool)


def test_unknown_and_absent_columns_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"read without inclusion probabilities.*name their column"
    ):
        ProbabilityDesign().draw(make_pool(3))
    with pytest.raises(InputError, match=r"no column 'chanse' .* did you mean chance\?"):
        ProbabilityDesign(pi="chanse").draw(make_pool(3, columns={"chance": [0.5] * 3}))


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match=r'method must be "systematic" or "poisson"'):
        ProbabilityDesign(method="pareto")
    with pytest.raises(InputError, match=r"n must be a whole number"):
        ProbabilityDesign(n=2.5)
    with pytest.raises(InputError, match=r"n = 4 is more than the 3 items"):
        ProbabilityDesign(pi=[0.5] * 3, n=4).draw(make_pool(3))
