"""Variances of groups, moderated by what all groups say of the size of residuals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.estimation.moderated import fit_squares, moderated


def test_the_model_of_squares_keeps_their_mean_and_grows_with_the_prediction() -> None:
    rng = np.random.default_rng(0)
    f = rng.normal(size=400)
    squares = np.exp(0.5 + 0.8 * f)
    found = fit_squares(f, squares, f)
    assert found.mean() == pytest.approx(squares.mean(), rel=1e-12)
    low, high = fit_squares(f, squares, np.array([-1.0, 1.0]))
    assert np.log(high / low) == pytest.approx(1.6, abs=0.02)


def test_predictions_beyond_the_labelled_ones_are_taken_at_the_nearest() -> None:
    f, squares = np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 5.0])
    inside, beyond = fit_squares(f, squares, np.array([2.0, 50.0]))
    assert inside == beyond


def test_constant_predictions_have_the_mean_square() -> None:
    assert fit_squares(np.ones(4), np.array([0.0, 1.0, 2.0, 5.0]), np.ones(2)).tolist() == [
        2.0,
        2.0,
    ]
    assert fit_squares(np.arange(3.0), np.zeros(3), np.arange(2.0)).tolist() == [0.0, 0.0]


@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6))
def test_units_of_labels_do_not_matter(unit: float, shift: float) -> None:
    rng = np.random.default_rng(1)
    f, squares = rng.normal(size=30), rng.chisquare(1, size=30)
    plain = fit_squares(f, squares, f)
    moved = fit_squares(unit * f + shift, unit**2 * squares, unit * f + shift)
    # A shift a million times the spread takes six of sixteen digits.
    assert moved == pytest.approx(unit**2 * plain, rel=1e-6 * max(1.0, abs(shift) / unit))


def test_weights_by_hand() -> None:
    """Two groups of 3 and 5 labels.

    Residuals over sqrt(m): 1, -1, 2 and 1/2, -1, 0, 3/2, -1/2. Sums of squares 6 + 3.75, of
    fourth powers 18 + 6.1875: kurtosis (24.1875 / 8) / (9.75 / 8)^2 = 2.035503. Errors
    1.035503 / 3 + 1/3 = 0.678501 and 1.035503 / 5 + 1/10 = 0.307101. Ratios 3 and 1/2, their mean
    (9 + 2.5) / 8 = 1.4375: (3 / 1.4375 - 1)^2 + (0.5 / 1.4375 - 1)^2 = 1.606805, so that
    B = 1.606805 - 0.492801 = 1.114004. Weights 1.114004 / 1.792505 and 1.114004 / 1.421105.
    """
    residual = np.array([1.0, -1.0, 2.0, 1.0, -2.0, 0.0, 3.0, -1.0])
    group = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    found = moderated(residual, group, np.array([1.0, 4.0]), np.array([3.0, 2.0]))
    assert found.weight == pytest.approx([0.621479, 0.783900], abs=1e-6)
    assert found.variance == pytest.approx([2.242958, 2.432200], abs=1e-6)
    assert found.df == pytest.approx([2.609065, 4.551345], abs=1e-6)


def test_groups_alike_rest_on_the_model_and_groups_apart_on_themselves() -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(10), 40)

    def weights(sd: np.ndarray) -> np.ndarray:
        residual = rng.normal(size=400) * sd[group]
        own = np.array([residual[group == g].var(ddof=1) for g in range(10)])
        return moderated(residual, group, np.full(10, own.mean()), own).weight

    assert weights(np.ones(10)).mean() < 0.5
    assert weights(np.repeat([1.0, 4.0], 5)).min() > 0.8


def test_nothing_is_known_where_all_residuals_are_nought() -> None:
    found = moderated(np.zeros(4), np.array([0, 0, 1, 1]), np.zeros(2), np.zeros(2))
    assert found.variance.tolist() == [0.0, 0.0]
    assert found.df.tolist() == [1.0, 1.0]
