from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.sampling.allocation import equal, neyman, proportional


def sizes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_proportional_shares_that_are_whole() -> None:
    assert proportional(20, sizes(50, 30, 20)).counts.tolist() == [10, 6, 4]


def test_proportional_rounds_by_largest_remainders() -> None:
    # 10 * (47, 16, 37) / 100 = 4.7, 1.6, 3.7; the floor of 2 leaves 8 for 47 : 37 = 4.48, 3.52.
    assert proportional(10, sizes(47, 16, 37)).counts.tolist() == [4, 2, 4]
    # 11 * (50, 27, 23) / 100 = 5.5, 2.97, 2.53: the two left over go to 0.97 and 0.53.
    assert proportional(11, sizes(50, 27, 23)).counts.tolist() == [5, 3, 3]


def test_equal_remainders_go_to_the_larger_stratum() -> None:
    # 5 * (30, 30) / 60 = 2.5, 2.5: equal sizes, so the first; with 31 : 31 : 62 the largest.
    assert proportional(5, sizes(30, 30)).counts.tolist() == [3, 2]
    assert equal(9, sizes(30, 62)).counts.tolist() == [4, 5]


def test_small_strata_are_raised_to_two_and_told() -> None:
    result = proportional(20, sizes(980, 15, 4, 1))
    assert result.counts.tolist() == [15, 2, 2, 1]
    assert result.raised.tolist() == [False, True, True, True]
    assert not result.capped.any()


def test_neyman_by_hand() -> None:
    # N S = 100, 300, 200: shares 10, 30, 20 of 60.
    result = neyman(60, sizes(100, 100, 200), np.array([1.0, 3.0, 1.0]))
    assert result.counts.tolist() == [10, 30, 20]
    assert not result.raised.any()
    assert not result.capped.any()


def test_neyman_draws_a_stratum_whole_and_shares_the_rest_again() -> None:
    # N S = 100, 900, 100: 60 * 900 / 1100 = 49 is above 9, so 51 are left for 1 : 1.
    result = neyman(60, sizes(100, 9, 100), np.array([1.0, 100.0, 1.0]))
    assert result.counts.tolist() == [26, 9, 25]
    assert result.capped.tolist() == [False, True, False]


def test_neyman_caps_in_turn() -> None:
    # First pass caps only the last; the rest, shared again, then caps the second too.
    result = neyman(50, sizes(100, 15, 5), np.array([1.0, 10.0, 100.0]))
    # N S = 100, 150, 500: 6.7, 10, 33 -> 5; 45 left for 100 : 150 = 18, 27 -> 15; 30 left.
    assert result.counts.tolist() == [30, 15, 5]


def test_neyman_without_spread_somewhere() -> None:
    result = neyman(30, sizes(50, 50), np.array([0.0, 1.0]))
    assert result.counts.tolist() == [2, 28]
    assert result.raised.tolist() == [True, False]


def test_neyman_that_needs_more_than_the_spread_strata_hold() -> None:
    # The one stratum with spread is drawn whole, the others share 30 by size.
    result = neyman(40, sizes(10, 100, 50), np.array([1.0, 0.0, 0.0]))
    assert result.counts.tolist() == [10, 20, 10]
    assert result.capped.tolist() == [True, False, False]


def test_neyman_without_any_spread_is_proportional() -> None:
    n_items = sizes(70, 30)
    assert neyman(10, n_items, np.zeros(2)).counts.tolist() == [7, 3]


def test_equal_is_capped_by_small_strata() -> None:
    result = equal(30, sizes(100, 100, 4))
    assert result.counts.tolist() == [13, 13, 4]
    assert result.capped.tolist() == [False, False, True]


def test_too_few_for_the_floors_is_refused_with_the_mend() -> None:
    with pytest.raises(
        InputError, match=r"n = 4 .* 3 strata.* 5 together.*fewer strata or a larger"
    ):
        proportional(4, sizes(10, 10, 1))
    assert proportional(5, sizes(10, 10, 1)).counts.tolist() == [2, 2, 1]


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, np.ndarray, np.ndarray]:
    n_items = draw(st.lists(st.integers(1, 60), min_size=1, max_size=8))
    floors = sum(min(2, size) for size in n_items)
    n = draw(st.integers(floors, sum(n_items)))
    spreads = draw(
        st.lists(
            st.one_of(st.just(0.0), st.floats(1e-6, 1e6)),
            min_size=len(n_items),
            max_size=len(n_items),
        )
    )
    return n, np.array(n_items, dtype=np.int64), np.array(spreads)


@given(problems())
def test_every_allocation_keeps_its_promises(problem: tuple[int, np.ndarray, np.ndarray]) -> None:
    n, n_items, spreads = problem
    for result in (proportional(n, n_items), neyman(n, n_items, spreads), equal(n, n_items)):
        assert result.counts.sum() == n
        assert (result.counts >= np.minimum(2, n_items)).all()
        assert (result.counts <= n_items).all()


@given(problems(), st.floats(1e-3, 1e3))
def test_only_ratios_of_spreads_matter(
    problem: tuple[int, np.ndarray, np.ndarray], factor: float
) -> None:
    n, n_items, spreads = problem
    once, scaled = neyman(n, n_items, spreads), neyman(n, n_items, spreads * factor)
    assert np.abs(once.counts - scaled.counts).max() <= 1


@given(problems())
def test_a_free_stratum_with_more_weight_never_gets_fewer(
    problem: tuple[int, np.ndarray, np.ndarray],
) -> None:
    n, _, spreads = problem
    n_items = np.full(len(spreads), max(2, n), dtype=np.int64)
    if n < 2 * len(spreads):
        return
    counts = neyman(n, n_items, spreads).counts
    ranked = counts[np.argsort(spreads, kind="stable")]
    distinct = np.diff(np.sort(spreads)) > 0
    assert (np.diff(ranked)[distinct] >= 0).all()
