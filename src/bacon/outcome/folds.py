"""Which fold each item belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import IntArray

__all__ = ["label_folds", "n_folds", "unit_folds"]


def n_folds(n_units: int, folds: int | str) -> int:
    """Return K: 10 with 100 labelled units or fewer, else 5, and never more than units."""
    if folds == "auto":
        wanted = 10 if n_units <= 100 else 5
    elif isinstance(folds, int) and not isinstance(folds, bool) and folds >= 2:
        wanted = folds
    else:
        raise InputError(f'folds must be "auto" or a whole number from 2 up; got {folds!r}.')
    return min(wanted, n_units)


def label_folds(
    units: IntArray, stratum: IntArray | None, k: int, rng: np.random.Generator
) -> IntArray:
    """Deal labelled units into k folds of equal size, within strata.

    Parameters
    ----------
    units : (m,) int64
        Unit code of each labelled row (its own position, or its drawn cluster).
    stratum : (m,) int64 or None
        Stratum of each labelled row.
    k : int
        Number of folds.
    rng : numpy.random.Generator
        Source of the dealing order.

    Returns
    -------
    (m,) int64
        Fold of each labelled row.
    """
    codes, first = np.unique(units, return_index=True)
    shuffled = rng.permutation(len(codes))
    if stratum is not None:
        shuffled = shuffled[np.argsort(stratum[first][shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[shuffled] = np.arange(len(codes)) % k
    return fold[np.searchsorted(codes, units)]


def unit_folds(units: IntArray, labelled: IntArray, k: int, rng: np.random.Generator) -> IntArray:
    """Deal all units of the pool into k folds, whether they hold labels or not.

    The folds then say nothing about which items were labelled, as is needed when items of a
    cluster or unequal probabilities are involved. Dealt again in the rare case that one fold
    would hold every label.

    Parameters
    ----------
    units : (N,) int64
        Unit code 0, 1, ... of every item.
    labelled : (m,) int64
        Labelled rows.
    k : int
        Number of folds.
    rng : numpy.random.Generator
        Source of the dealing order.

    Returns
    -------
    (N,) int64
        Fold of every item.
    """
    n_units = int(units.max()) + 1
    while True:
        fold = np.empty(n_units, dtype=np.int64)
        fold[rng.permutation(n_units)] = np.arange(n_units) % k
        if len(np.unique(fold[units[labelled]])) > 1 or len(np.unique(units[labelled])) < 2:
            return fold[units]
