"""Chances of being labelled in two stages, which spend a budget exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.sampling.allocation import bounded_shares

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Bounds", "joint_probabilities", "second_stage"]


@dataclass(frozen=True, eq=False)
class Bounds:
    """What chances of the second stage have to respect.

    Parameters
    ----------
    floor : float
        Least chance of an item in the second stage, as a share of the average one.
    cap : float
        Largest chance of an item in the second stage.
    groups : (N,) int64 or None
        Group of every item.
    least : float
        Least average chance of a group to be labelled, as a share of the budget.
    """

    floor: float = 0.0
    cap: float = 1.0
    groups: IntArray | None = None
    least: float = 0.0


def joint_probabilities(
    hardness: FloatArray, *, rate: float, pilot: float, bounds: Bounds | None = None
) -> FloatArray:
    """Return the chance of every item to be labelled in either stage.

    Parameters
    ----------
    hardness : (N,) float64
        Positive; only ratios matter. The variance is least in proportion to
        ``sqrt(E[(y - f)^2 | x])``.
    rate : float
        Mean of the chances: the budget as a share of the pool.
    pilot : float
        Chance of every item to be in the pilot, below `rate`.
    bounds : Bounds, optional
        Floors and caps.

    Returns
    -------
    (N,) float64
        e = pilot + (1 - pilot) sigma, proportional to the hardness where no bound holds; its
        mean is `rate` but for rounding.

    Raises
    ------
    InputError
        The bounds leave no chances that spend the budget.

    Notes
    -----
    e proportional to the root of the conditional squared error makes the variance least under a
    mean budget: the paper, appendix D.2.

    Examples
    --------
    >>> import numpy as np
    >>> e = joint_probabilities(np.array([1.0, 1.0, 2.0, 4.0]), rate=0.4, pilot=0.1)
    >>> e.round(3).tolist()
    [0.2, 0.2, 0.4, 0.8]
    """
    bounds = Bounds() if bounds is None else bounds
    n_items = len(hardness)
    average = (rate - pilot) / (1.0 - pilot)
    if bounds.floor > 1.0 or bounds.cap < average:
        raise InputError(
            f"no chances between floor and cap spend the budget: the average chance of the second "
            f"stage is {average:.4g}, and floor = {bounds.floor:g} (at most 1, as a share of it) "
            f"and cap = {bounds.cap:g} (at least {average:.4g}) leave none; widen them."
        )
    low = np.full(n_items, pilot + (1.0 - pilot) * bounds.floor * average)
    high = np.full(n_items, pilot + (1.0 - pilot) * bounds.cap)
    if bounds.groups is None or bounds.least <= 0.0:
        return bounded_shares(rate * n_items, hardness, low, high)
    return _with_least(hardness, rate, bounds.groups, bounds.least * rate, low, high)


def _with_least(
    hardness: FloatArray,
    rate: float,
    groups: IntArray,
    least: float,
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Return chances of which every group has `least` on average.

    A group that would have less gets exactly that; the others share the rest, until all hold.
    """
    if least > rate:
        raise InputError(
            f"every group is to have {least / rate:.4g} of the average chance, which is more than "
            "there is; give least at most 1."
        )
    sizes = np.bincount(groups)
    e = np.empty(len(hardness))
    raised: BoolArray = np.zeros(len(sizes), dtype=bool)
    while True:
        rest = ~raised[groups]
        left = rate * len(hardness) - e[~rest].sum()
        e[rest] = bounded_shares(left, hardness[rest], low[rest], high[rest])
        means = np.bincount(groups, weights=e) / np.maximum(sizes, 1)
        short = ~raised & (means < least * (1.0 - 1e-12)) & (sizes > 0)
        if not short.any():
            return e
        raised |= short
        for group in np.flatnonzero(short):
            own = groups == group
            e[own] = bounded_shares(least * sizes[group], hardness[own], low[own], high[own])


def second_stage(e: FloatArray, pilot: float) -> FloatArray:
    """Return sigma of e = pilot + (1 - pilot) sigma: the chance, given not being in the pilot."""
    return np.clip((e - pilot) / (1.0 - pilot), 0.0, 1.0)
