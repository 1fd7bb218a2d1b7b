"""Folds: sizes, strata, units, and that they depend on the seed alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.errors import InputError
from bacon.outcome.folds import label_folds, n_folds, unit_folds


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("n", "asked", "k"),
    [
        (100, "auto", 10),
        (101, "auto", 5),
        (7, "auto", 7),
        (1, "auto", 1),
        (50, 2, 2),
        (50, 50, 50),
        (3, 10, 3),
    ],
)
def test_number_of_folds(n: int, asked: int | str, k: int) -> None:
    assert n_folds(n, asked) == k


@pytest.mark.parametrize("asked", [1, 0, -2, 2.0, "five", True, None])
def test_a_number_of_folds_that_is_none(asked: object) -> None:
    with pytest.raises(InputError, match=r'folds must be "auto" or a whole number from 2 up; got'):
        n_folds(50, asked)


def test_labels_are_dealt_evenly_and_in_random_order() -> None:
    fold = label_folds(np.arange(23), None, 5, rng())
    assert sorted(np.bincount(fold).tolist()) == [4, 4, 5, 5, 5]
    assert fold.tolist() != label_folds(np.arange(23), None, 5, rng(1)).tolist()
    assert fold.tolist() == label_folds(np.arange(23), None, 5, rng()).tolist()


def test_every_stratum_is_dealt_evenly() -> None:
    stratum = np.repeat([0, 1, 2], [11, 3, 26])
    fold = label_folds(np.arange(40), stratum, 5, rng())
    assert np.ptp(np.bincount(fold, minlength=5)) <= 1
    for h in range(3):
        assert np.ptp(np.bincount(fold[stratum == h], minlength=5)) <= 1


def test_items_of_a_drawn_cluster_share_a_fold() -> None:
    units = np.array([7, 7, 3, 3, 3, 9, 5, 5])
    fold = label_folds(units, None, 3, rng())
    for unit in np.unique(units):
        assert len(np.unique(fold[units == unit])) == 1
    assert len(np.unique(fold)) == 3


def test_folds_go_by_the_unit_and_not_by_the_row() -> None:
    units = np.array([4, 1, 3, 0, 2])
    order = np.array([3, 1, 4, 2, 0])
    fold = label_folds(units, None, 2, rng())
    assert label_folds(units[order], None, 2, rng()).tolist() == fold[order].tolist()


def test_every_pair_of_labels_shares_a_fold_equally_often() -> None:
    # 6 labels in 3 folds of 2: any two share one with probability 1/5.
    together = np.zeros((6, 6))
    draws = rng()
    for _ in range(4_000):
        fold = label_folds(np.arange(6), None, 3, draws)
        together += fold[:, None] == fold[None, :]
    pairs = together[np.triu_indices(6, 1)] / 4_000
    assert np.abs(pairs - 0.2).max() < 4.5 * np.sqrt(0.2 * 0.8 / 4_000)


def test_every_unit_of_the_pool_has_a_fold() -> None:
    units = np.repeat(np.arange(17), 3)
    fold = unit_folds(units, np.array([0, 10, 40]), 5, rng())
    assert len(fold) == 51
    per_unit = fold.reshape(17, 3)
    assert (per_unit == per_unit[:, :1]).all()
    assert sorted(np.bincount(per_unit[:, 0]).tolist()) == [3, 3, 3, 4, 4]


@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 1_000))
def test_no_fold_of_the_pool_holds_every_label(n_units: int, k: int, seed: int) -> None:
    # Dealt again until training always has a label left.
    units = np.repeat(np.arange(n_units), 2)
    labelled = np.array([0, 2])
    fold = unit_folds(units, labelled, min(k, n_units), rng(seed))
    assert fold[0] != fold[2]


def test_one_labelled_unit_is_dealt_once_and_left_to_the_caller() -> None:
    assert len(unit_folds(np.arange(6), np.array([2]), 2, rng())) == 6
