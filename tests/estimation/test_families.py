"""Mean and variance of every family are derivatives of its cumulant."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.estimation.families import DAVIDSON, FAMILIES, Family

ALL = [*FAMILIES.values(), DAVIDSON]


def at(family: Family) -> np.ndarray:
    columns = 2 if family is DAVIDSON else 1
    return np.random.default_rng(1).normal(size=(6, columns))


@pytest.mark.parametrize("family", ALL, ids=lambda family: family.name)
def test_moments_are_the_derivatives_of_the_cumulant(family: Family) -> None:
    eta, step = at(family), 1e-5
    mean, covariance = family.moments(eta)
    for c in range(eta.shape[1]):
        moved = np.zeros_like(eta)
        moved[:, c] = step
        slope = (family.cumulant(eta + moved) - family.cumulant(eta - moved)) / (2 * step)
        np.testing.assert_allclose(mean[:, c], slope, atol=1e-9)
        curve = (family.mean(eta + moved) - family.mean(eta - moved)) / (2 * step)
        np.testing.assert_allclose(covariance[:, :, c], curve, atol=1e-9)


def test_davidson_by_hand() -> None:
    # Strengths e^0.5 and e^-0.5 apart, nu = 2: chances e^.5, e^-.5 and 2 of their sum.
    (lead, tie), total = DAVIDSON.mean(np.array([[1.0, np.log(2.0)]]))[0], 2 * np.cosh(0.5) + 2
    assert tie == pytest.approx(2.0 / total)
    assert lead == pytest.approx(np.sinh(0.5) / total)


def test_davidson_without_ties_is_bradley_terry() -> None:
    logistic = FAMILIES["logistic"]
    eta = np.array([[0.7, -60.0]])
    assert DAVIDSON.mean(eta)[0, 0] + 0.5 == pytest.approx(logistic.mean(eta[:, :1])[0, 0])
