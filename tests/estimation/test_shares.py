"""Shares of all classes: by hand, against one share at a time, and at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.estimation.cases import DESIGNS, N_ITEMS, PROMPT, draw, outcomes

from bacon.estimation.arrays_api import _survey_design
from bacon.estimation.designs import simple_design
from bacon.estimation.estimands import Setting, proportion_estimate
from bacon.estimation.shares import share_estimates

Array = npt.NDArray[np.float64]
NAMES = ("low", "mid", "top")


def classes(seed: int = 0) -> tuple[npt.NDArray[np.int64], Array]:
    """Return classes of all items and probabilities that say something of them."""
    y, _, f = outcomes(seed)
    codes = np.digitize(y, [2.6, 3.6]).astype(np.int64)
    scores = -np.abs(f[:, None] - np.array([3.0, 4.0, 5.0]))
    phi = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return codes, phi


def setting(design: str, seed: int = 0, *, cluster: bool = False) -> Setting:
    s, how = draw(design, seed)
    kind = how.pop("design", "simple")
    given_ = {"pi": None, "strata": None, "psu": None} | how
    found = _survey_design(kind, np.flatnonzero(s), N_ITEMS, **given_)[0]
    return Setting(found, cluster=PROMPT if cluster else None)


def shares(design: str = "simple", seed: int = 0, *, cluster: bool = False) -> Any:
    codes, phi = classes(seed)
    chosen = setting(design, seed, cluster=cluster)
    return share_estimates(NAMES, codes[chosen.design.rows], phi, chosen)


def test_by_hand() -> None:
    chosen = Setting(
        _survey_design("simple", np.array([0, 1]), 4, pi=None, strata=None, psu=None)[0]
    )
    phi = np.array([[0.5, 0.5], [0.2, 0.8], [0.7, 0.3], [0.6, 0.4]])
    found = share_estimates(("a", "b"), np.array([0, 1]), phi, chosen)
    # Mean prediction of a: 0.5; mean residual (0.5 - 0.2) / 2 = 0.15.
    assert found["a"].value == pytest.approx(0.65)
    assert found["b"].value == pytest.approx(0.35)
    # Residuals 0.5 and -0.2, so s^2 = 0.245, times (1 - 2/4) / 2.
    assert found["a"].se() ** 2 == pytest.approx(0.245 / 4)
    assert found.covariance() == pytest.approx(0.245 / 4 * np.array([[1, -1], [-1, 1]]))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("cluster", [False, True])
def test_each_is_the_share_alone_and_they_sum_to_one(design: str, *, cluster: bool) -> None:
    for seed in range(3):
        codes, phi = classes(seed)
        chosen = setting(design, seed, cluster=cluster)
        rows = chosen.design.rows
        found = share_estimates(NAMES, codes[rows], phi, chosen)
        assert sum(one.value for one in found.values()) == pytest.approx(1.0, abs=1e-12)
        for c, name in enumerate(NAMES):
            event = (codes[rows] == c).astype(np.float64)
            alone = proportion_estimate(name, event, phi[:, c], chosen)
            assert found[name].value == pytest.approx(alone.value, abs=1e-12)
            for target in ("pool", "population"):
                assert found[name].se(target) == pytest.approx(alone.se(target), rel=1e-12)
                assert list(found[name].interval(target=target)) == pytest.approx(
                    list(alone.interval(target=target)), rel=1e-9
                )


@pytest.mark.parametrize("design", DESIGNS)
def test_covariance_of_shares_that_sum_to_one_has_rows_that_sum_to_zero(design: str) -> None:
    found = shares(design, cluster=True)
    for target in ("pool", "population"):
        matrix = found.covariance(target)
        largest = np.abs(matrix).max()
        assert matrix == pytest.approx(matrix.T)
        assert np.abs(matrix.sum(axis=1)).max() <= 1e-9 * largest
        errors = [one.se(target) ** 2 for one in found.values()]
        assert np.diag(matrix) == pytest.approx(errors, rel=1e-9)


def test_a_share_below_zero_moves_all_and_is_told() -> None:
    codes = np.array([0, 0, 1, 1])
    phi = np.tile([0.45, 0.45, 0.10], (8, 1))
    # The labels say class 2 was predicted too often where they are, so less remains elsewhere.
    phi[:4] = [0.3, 0.3, 0.4]
    found = share_estimates(NAMES, codes, phi, Setting(simple_design(np.arange(4), 8)))
    # Solved: 0.375 + 0.2 = 0.575 twice, and 0.25 - 0.4 = -0.15.
    assert [one.value for one in found.values()] == pytest.approx([0.5, 0.5, 0.0])
    assert [notice.code for notice in found.notices] == ["few_labels", "shares_moved"]
    assert "top -0.15" in found.notices[1].message
    low, high = found["top"].interval()
    assert low == 0.0
    assert high > 0.05


def test_labels_alone_have_the_exact_interval() -> None:
    codes = classes()[0]
    chosen = setting("simple")
    found = share_estimates(NAMES, codes[chosen.design.rows], np.full((N_ITEMS, 3), 1 / 3), chosen)
    assert {one.interval().method for one in found.values()} == {"hypergeometric"}


def test_simultaneous_intervals_split_the_error() -> None:
    found = shares()
    joint = found.simultaneous(0.94, "population")
    for name, one in found.items():
        assert list(joint[name]) == pytest.approx(list(one.interval(0.98, "population")))
        assert (joint[name].level, joint[name].method) == (0.94, "Korn-Graubard, Bonferroni")


def test_two_classes_are_one_claim() -> None:
    codes, phi = classes()
    chosen = setting("simple")
    two = np.column_stack([phi[:, 0], phi[:, 1:].sum(axis=1)])
    found = share_estimates(("a", "b"), np.minimum(codes, 1)[chosen.design.rows], two, chosen)
    assert list(found.simultaneous()["a"]) == list(found["a"].interval())
    low, high = found["a"].interval()
    assert list(found["b"].interval()) == pytest.approx([1.0 - high, 1.0 - low])


def test_census_is_exact() -> None:
    codes, phi = classes()
    full = simple_design(np.arange(N_ITEMS), N_ITEMS)
    found = share_estimates(NAMES, codes, phi, Setting(full))
    expected = np.bincount(codes) / N_ITEMS
    assert [one.value for one in found.values()] == pytest.approx(expected)
    assert not found.covariance().any()
    population = found.covariance("population")
    # The multinomial covariance with N - 1.
    assert population == pytest.approx(
        (np.diag(expected) - np.outer(expected, expected)) / (N_ITEMS - 1)
    )


@given(st.integers(0, 50), st.permutations([0, 1, 2]))
def test_order_of_classes_does_not_matter(seed: int, order: list[int]) -> None:
    codes, phi = classes(seed)
    chosen = setting("simple", seed)
    rows = chosen.design.rows
    found = share_estimates(NAMES, codes[rows], phi, chosen)
    names = tuple(NAMES[c] for c in order)
    position = np.argsort(order)
    other = share_estimates(names, position[codes[rows]], phi[:, order], chosen)
    for name in NAMES:
        assert other[name].value == pytest.approx(found[name].value, abs=1e-12)
        assert list(other[name].interval()) == pytest.approx(list(found[name].interval()))
