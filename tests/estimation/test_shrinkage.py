"""Empirical-Bayes shrinkage of group estimates."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.errors import InputError
from bacon.estimation.shrinkage import shrunken


def test_by_hand() -> None:
    """Equal variances of 1, values 0, 3, 6: Q = 18, tau^2 = (18 - 2) / 2 = 8, kept 8/9."""
    found = shrunken(np.array([0.0, 3.0, 6.0]), np.ones(3))
    assert found == pytest.approx([3 - 3 * 8 / 9, 3.0, 3 + 3 * 8 / 9])


def test_no_more_spread_than_error_is_one_mean() -> None:
    found = shrunken(np.array([1.0, 1.1, 0.9]), np.ones(3))
    assert found == pytest.approx([1.0] * 3)


def test_known_values_stay() -> None:
    assert shrunken(np.array([1.0, 2.0, 9.0]), np.zeros(3)).tolist() == [1.0, 2.0, 9.0]
    found = shrunken(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0, 1.0]))
    assert found[0] == 1.0
    assert 2.0 < found[1] < found[2] < 9.0


def test_the_error_over_all_groups_falls() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(400, 10))
    seen = truth + rng.normal(size=truth.shape)
    moved = np.array([shrunken(row, np.ones(10)) for row in seen])
    assert ((moved - truth) ** 2).mean() < 0.65 * ((seen - truth) ** 2).mean()


def test_two_groups_are_refused() -> None:
    with pytest.raises(InputError, match="three groups"):
        shrunken(np.ones(2), np.ones(2))
