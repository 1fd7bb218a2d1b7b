"""Shares of all classes: of labels in words, and of numbers with few values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.estimation.shares import share_estimates
from bacon.io.frames import to_backend
from bacon.outcome.distribution import MOST_LEVELS, label_support

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.vector import Estimates

__all__ = ["class_shares", "share_names"]


def class_shares(cal: Calibration, *, labels_alone: bool = False) -> Estimates:
    """Estimate the share of every class; see :meth:`Calibration.shares`."""
    y = cal.aligned.y
    if cal.levels is not None:
        codes, phi = y.astype(np.int64), cal.f
    else:
        values = _values(cal)
        codes = np.searchsorted(values, y)
        phi = np.empty(0) if labels_alone else _chances(cal, values)
    names = share_names(cal)
    if labels_alone:
        phi = np.full((cal.pool.n_items, len(names)), 1.0 / len(names))
    return share_estimates(
        names, codes, phi, cal.setting, frame_of=partial(to_backend, backend=cal.pool.backend)
    )


def share_names(cal: Calibration) -> tuple[str, ...]:
    """Return the names of the classes: the words, or the numbers in ascending order.

    Raises
    ------
    InputError
        The labels are numbers with too many different values.
    """
    if cal.levels is not None:
        return cal.levels
    return tuple(f"{value:.15g}" for value in _values(cal))


def _values(cal: Calibration) -> FloatArray:
    """Return the values (L,) of numeric labels: all of a whole scale that is stated, else the seen.

    Raises
    ------
    InputError
        There are too many.
    """
    y, scale = cal.aligned.y, cal.scale
    seen = np.unique(y)
    if cal.kind.kind == "ordinal" and scale is not None and scale[1] - scale[0] < MOST_LEVELS:
        whole = np.arange(np.ceil(scale[0]), np.floor(scale[1]) + 1.0)
        if np.isin(seen, whole).all():
            return whole
    few = len(seen) <= MOST_LEVELS and cal.kind.kind in ("ordinal", "binary")
    if not few and label_support(y) is None:
        raise InputError(
            f"shares are of classes, labels in words or at most {MOST_LEVELS} different numbers; "
            f"{cal.outcome} has {len(seen):,} in {len(y):,} labels: ask for quantile:0.5 or "
            "proportion:ge:VALUE."
        )
    return seen


def _chances(cal: Calibration, values: FloatArray) -> FloatArray:
    """Return the predicted probability (N, L) of each of ascending values; rows sum to one."""
    below = np.zeros((cal.pool.n_items, len(values) + 1))
    for k, value in enumerate(values[:-1]):
        below[:, k + 1] = cal.distribution.everywhere(float(value))
    below[:, -1] = 1.0
    return np.diff(below, axis=1)
