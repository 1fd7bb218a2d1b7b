"""Chances that spend a budget exactly, within floors and caps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.sampling.budget import Bounds, joint_probabilities, second_stage


@given(
    seed=st.integers(0, 10_000),
    spread=st.floats(0.0, 5.0),
    pilot=st.floats(0.01, 0.3),
    more=st.floats(0.01, 0.6),
    floor=st.sampled_from([0.0, 0.2, 1.0]),
)
def test_the_budget_is_met_and_the_bounds_hold(seed, spread, pilot, more, floor):
    hard = np.exp(spread * np.random.default_rng(seed).normal(size=300))
    rate = pilot + more
    e = joint_probabilities(hard, rate=rate, pilot=pilot, bounds=Bounds(floor=floor))
    average = (rate - pilot) / (1.0 - pilot)
    low = pilot + (1.0 - pilot) * floor * average
    assert abs(e.mean() - rate) < 1e-12
    assert e.min() >= low * (1.0 - 1e-12)
    assert e.max() <= 1.0 + 1e-12
    # Between the bounds chances are proportional to the hardness, with one factor for all.
    free = (e > low * (1.0 + 1e-9)) & (e < 1.0 - 1e-9)
    factors = e[free] / hard[free]
    assert np.allclose(factors, factors[:1], rtol=1e-9)


def test_by_hand():
    # 4 items, a budget of 1.6: of the hard one 0.8 and 0.4; both easy ones 0.2, above the pilot.
    e = joint_probabilities(np.array([1.0, 1.0, 2.0, 4.0]), rate=0.4, pilot=0.1)
    assert e == pytest.approx([0.2, 0.2, 0.4, 0.8])
    # With a pilot of 0.25 the easy ones keep that, and the others share 1.1 as 1 : 2.
    e = joint_probabilities(np.array([1.0, 1.0, 2.0, 4.0]), rate=0.4, pilot=0.25)
    assert e == pytest.approx([0.25, 0.25, 1.1 / 3, 2.2 / 3])
    sigma = [0.0, 0.0, (1.1 / 3 - 0.25) / 0.75, (2.2 / 3 - 0.25) / 0.75]
    assert second_stage(e, 0.25) == pytest.approx(sigma)


def test_the_chances_are_the_best_for_their_hardness():
    """No other chances of the same mean and bounds have a smaller sum of h^2 / e."""
    rng = np.random.default_rng(3)
    hard = np.exp(rng.normal(size=40))
    e = joint_probabilities(hard, rate=0.3, pilot=0.1)
    best = float((hard**2 / e).sum())
    for _ in range(300):
        i, j = rng.choice(40, 2, replace=False)
        move = min(0.01 * rng.random(), e[i] - 0.1, 1.0 - e[j])
        other = e.copy()
        other[i] -= move
        other[j] += move
        assert float((hard**2 / other).sum()) >= best - 1e-12


def test_the_unit_of_hardness_does_not_matter():
    hard = np.exp(np.random.default_rng(1).normal(size=50))
    one = joint_probabilities(hard, rate=0.3, pilot=0.1)
    assert joint_probabilities(1e-200 * hard, rate=0.3, pilot=0.1) == pytest.approx(one, rel=1e-12)


def test_no_group_starves():
    hard = np.array([1.0] * 50 + [100.0] * 50)
    groups = np.repeat([0, 1], 50)
    free = joint_probabilities(hard, rate=0.3, pilot=0.05)
    assert free[:50].mean() < 0.06
    kept = joint_probabilities(hard, rate=0.3, pilot=0.05, bounds=Bounds(groups=groups, least=0.5))
    assert kept[:50].mean() == pytest.approx(0.15)
    assert kept.mean() == pytest.approx(0.3)


def test_groups_that_have_enough_change_nothing():
    hard = np.exp(np.random.default_rng(1).normal(size=60))
    groups = np.arange(60) % 3
    free = joint_probabilities(hard, rate=0.3, pilot=0.1)
    kept = joint_probabilities(hard, rate=0.3, pilot=0.1, bounds=Bounds(groups=groups, least=0.3))
    assert np.array_equal(free, kept)


def test_bounds_that_cannot_spend_the_budget_are_refused():
    with pytest.raises(InputError, match=r"cap = 0\.1"):
        joint_probabilities(np.ones(4), rate=0.4, pilot=0.1, bounds=Bounds(cap=0.1))
    with pytest.raises(InputError, match="at most 1"):
        joint_probabilities(
            np.ones(4), rate=0.4, pilot=0.1, bounds=Bounds(groups=np.arange(4), least=1.5)
        )
