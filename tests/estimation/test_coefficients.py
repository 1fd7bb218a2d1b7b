"""Columns that determine one another, the basis that coefficients are solved in, and names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import TooFewLabelsError
from bacon.estimation.coefficients import basis_of, collinear, need_labels
from bacon.estimation.designs import cluster_design, simple_design
from bacon.estimation.estimands import Setting

RNG = np.random.default_rng(6)
ONES, A, B = np.ones(30), RNG.normal(size=30), RNG.uniform(size=30)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([ONES, A, B], []),
        ([ONES, A, 2.0 * A], [1, 2]),
        ([ONES, A, B, 3.0 - A], [0, 1, 3]),
        ([ONES, A, np.zeros(30)], [2]),
        ([ONES, 1e-9 * A, 1e9 * B], []),
        ([ONES, 1000.0 + 1e-4 * A], []),
        ([ONES[:2], A[:2], B[:2]], [0, 1, 2]),
    ],
)
def test_columns_that_determine_one_another_are_found(columns, expected):
    assert collinear(np.column_stack(columns)) == expected


@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_the_basis_is_orthonormal_and_turns_back(scale, shift):
    x = np.column_stack([ONES, scale * (A + shift), B])
    basis, back = basis_of(x)
    np.testing.assert_allclose(basis.T @ basis / 30, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(x @ back, basis, atol=1e-5)


def test_more_labels_than_coefficients_are_needed():
    with pytest.raises(TooFewLabelsError, match=r"3 labels .* 3 coefficients: at least 4"):
        need_labels(Setting(simple_design(np.arange(3), 9)), 3)
    need_labels(Setting(simple_design(np.arange(4), 9)), 3)
    need_labels(Setting(simple_design(np.arange(3), 3)), 3)
    clusters = np.arange(30) // 10
    design = cluster_design(clusters, np.flatnonzero(clusters < 2), whole=True)
    with pytest.raises(TooFewLabelsError, match="2 labelled clusters"):
        need_labels(Setting(design, clusters), 2)
