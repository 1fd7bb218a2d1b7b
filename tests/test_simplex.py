"""The projection onto shares: by its optimality conditions, and row by row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bacon.simplex import onto_simplex

ROWS = arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.integers(1, 6)),
    elements=st.floats(-5.0, 5.0, allow_subnormal=False),
)


@given(ROWS)
def test_projection_meets_the_conditions_of_the_nearest_point(
    rows: npt.NDArray[np.float64],
) -> None:
    found = onto_simplex(rows)
    assert found.min() >= 0.0
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    for row, shares in zip(rows, found, strict=True):
        # What is taken off is the same wherever something is left, and no more than that reaches
        # below 0 elsewhere.
        taken = row - shares
        level = taken[shares > 0.0].max()
        assert taken[shares > 0.0] == pytest.approx(level, abs=1e-12)
        assert np.all(taken[shares == 0.0] <= level + 1e-12)


def test_shares_stay_as_they_are() -> None:
    shares = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    assert onto_simplex(shares) == pytest.approx(shares, abs=1e-15)


def test_by_hand() -> None:
    # 0.6 + 0.5 exceed 1 by 0.1, so each gives half of it; -0.1 stays below.
    assert onto_simplex(np.array([[0.6, 0.5, -0.1]]))[0] == pytest.approx([0.55, 0.45, 0.0])
