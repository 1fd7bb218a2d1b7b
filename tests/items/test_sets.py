"""Prediction sets: classes above a threshold, and possible values within an interval."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bacon.items.conformal import error_bounds
from bacon.items.sets import class_scores, class_sets, grid_ends, grid_size


def test_classes_are_kept_down_to_the_probability_that_the_bound_allows():
    probability = np.array([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2], [0.4, 0.3, 0.3]])
    found = class_sets(probability, np.array([0.7, 0.8, np.inf]))
    assert found.tolist() == [[True, True, False], [True, True, True], [True, True, True]]


def test_no_set_is_empty():
    found = class_sets(np.array([[0.5, 0.3, 0.2]]), np.array([0.1]))
    assert found.tolist() == [[True, False, False]]


def test_sets_of_a_simple_draw_keep_the_level_exactly():
    rng = np.random.default_rng(3)
    probability, codes = rng.dirichlet(np.ones(3), size=8), rng.integers(3, size=8)
    held = total = 0
    for drawn in combinations(range(8), 4):
        inside = np.isin(np.arange(8), drawn)
        scores = class_scores(probability[inside], codes[inside])
        bound = error_bounds(scores, np.ones(4), np.ones(4), 0.8)
        sets = class_sets(probability[~inside], bound)
        held += int(sets[np.arange(4), codes[~inside]].sum())
        total += 4
    # 4 of 5 ranks, and sometimes the most likely class besides.
    assert held / total >= 0.8


whole = st.integers(-5, 5).map(float)


@given(
    st.floats(-10.0, 10.0),
    st.floats(0.0, 5.0),
    whole,
    st.sampled_from([0.5, 1.0, 3.0]),
)
def test_the_same_possible_values_lie_inside_before_and_after(f, reach, origin, step):
    lower, upper = np.array([f - reach]), np.array([f + reach])
    low, high = grid_ends(lower, upper, np.array([f]), (origin, step))
    values = origin + step * np.arange(-200, 201)
    slack = 1e-8 * step
    before = values[(values >= lower - slack) & (values <= upper + slack)]
    after = values[(values >= low - slack) & (values <= high + slack)]
    if len(before):
        assert after.tolist() == before.tolist()
    else:
        assert len(after) == 1
        assert abs(after[0] - f) <= step / 2 + slack
    assert grid_size(low, high, (origin, step)).tolist() == [len(after)]


def test_intervals_without_an_end_stay_so():
    ends = np.array([-np.inf]), np.array([np.inf]), np.array([2.3])
    low, high = grid_ends(*ends, (0.0, 1.0))
    assert (low[0], high[0]) == (-np.inf, np.inf)
    assert grid_size(low, high, (0.0, 1.0)).tolist() == [np.inf]
