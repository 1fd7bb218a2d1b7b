"""How many items each stratum gives to the sample: pure functions on stratum sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from bacon.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Allocation", "bounded_shares", "equal", "neyman", "proportional"]

SMALLEST = 2
"""Items a stratum needs at least, so that its spread can be estimated."""


@dataclass(frozen=True, eq=False, slots=True)
class Allocation:
    """Sample sizes of the strata.

    Parameters
    ----------
    counts : (H,) int64
        Items to draw from each stratum; their sum is n.
    raised : (H,) bool
        Strata that got more than their share, to have two items (one where there is one).
    capped : (H,) bool
        Strata that are drawn whole although their share is larger still.
    """

    counts: IntArray
    raised: BoolArray
    capped: BoolArray


def proportional(n: int, sizes: IntArray) -> Allocation:
    """Allocate in proportion to stratum sizes.

    Parameters
    ----------
    n : int
        Items to draw in total, at most the sum of `sizes`.
    sizes : (H,) int64
        Pool items in each stratum, all at least 1.

    Returns
    -------
    Allocation
        Whole numbers by largest remainders; at least two a stratum, at most all of it.

    Raises
    ------
    InputError
        `n` is too small to give every stratum its two items.

    Examples
    --------
    >>> import numpy as np
    >>> proportional(10, np.array([50, 30, 20])).counts.tolist()
    [5, 3, 2]
    """
    return _allocate(n, sizes, sizes.astype(np.float64))


def neyman(n: int, sizes: IntArray, spreads: FloatArray) -> Allocation:
    """Allocate in proportion to size times spread, which makes the variance smallest.

    Parameters
    ----------
    n : int
        Items to draw in total, at most the sum of `sizes`.
    sizes : (H,) int64
        Pool items in each stratum, all at least 1.
    spreads : (H,) float64
        Standard deviation in each stratum of what is to be estimated, or of a stand-in.
        Only their ratios matter. Where all are zero, the sizes decide.

    Returns
    -------
    Allocation
        Whole numbers by largest remainders; at least two a stratum, at most all of it.

    Raises
    ------
    InputError
        `n` is too small to give every stratum its two items.

    Notes
    -----
    n_h proportional to N_h S_h: Neyman (1934); Cochran, Sampling Techniques (1977), eq. 5.26.

    Examples
    --------
    >>> import numpy as np
    >>> neyman(12, np.array([50, 50]), np.array([1.0, 2.0])).counts.tolist()
    [4, 8]
    """
    return _allocate(n, sizes, sizes * spreads)


def equal(n: int, sizes: IntArray) -> Allocation:
    """Allocate the same number to every stratum, as far as the small ones reach.

    Parameters
    ----------
    n : int
        Items to draw in total, at most the sum of `sizes`.
    sizes : (H,) int64
        Pool items in each stratum, all at least 1.

    Returns
    -------
    Allocation
        Whole numbers by largest remainders; at least two a stratum, at most all of it.

    Raises
    ------
    InputError
        `n` is too small to give every stratum its two items.

    Examples
    --------
    >>> import numpy as np
    >>> equal(12, np.array([50, 50, 3])).counts.tolist()
    [5, 4, 3]
    """
    return _allocate(n, sizes, np.ones(len(sizes)))


def _allocate(n: int, sizes: IntArray, weights: FloatArray) -> Allocation:
    """Share out `n` in proportion to `weights`, between two items and the whole stratum."""
    floors = np.minimum(SMALLEST, sizes)
    if n < floors.sum():
        raise InputError(
            f"n = {n:,} cannot cover {len(sizes):,} strata: each needs {SMALLEST} labels (all of "
            f"it where it is smaller), {floors.sum():,} together; use fewer strata or a larger n."
        )
    weighted = weights > 0.0
    reach = sizes[weighted].sum() + floors[~weighted].sum()
    if n <= reach:
        shares = bounded_shares(n, weights, floors, sizes)
    else:
        # Every stratum with weight is drawn whole; the others share the rest by their sizes.
        rest = np.where(weighted, 0.0, sizes.astype(np.float64))
        shares = bounded_shares(n, rest, np.where(weighted, sizes, floors), sizes)
    counts = _largest_remainders(n, shares, sizes)
    unbounded = n * weights / weights.sum() if weighted.any() else shares
    return Allocation(
        counts=counts,
        raised=(shares <= floors) & (unbounded < floors),
        capped=(shares >= sizes) & (unbounded > sizes),
    )


def bounded_shares(
    total: float, weights: FloatArray, low: npt.NDArray[Any], high: npt.NDArray[Any]
) -> FloatArray:
    """Return t * weights held between `low` and `high`, with the t that makes the sum `total`."""
    shares = low.astype(np.float64)
    free = weights > 0.0
    # A share outside its bounds is put on the bound and the rest is shared out again. Only
    # the side that takes more is fixed at once: fixing both could overshoot.
    while free.any():
        left = total - shares[~free].sum()
        shares[free] = left * weights[free] / weights[free].sum()
        lacking = np.where(free, np.maximum(low - shares, 0.0), 0.0)
        excess = np.where(free, np.maximum(shares - high, 0.0), 0.0)
        if lacking.sum() == 0.0 and excess.sum() == 0.0:
            break
        if lacking.sum() >= excess.sum():
            bound, bounds = lacking > 0.0, low
        else:
            bound, bounds = excess > 0.0, high
        shares[bound] = bounds[bound]
        free &= ~bound
    return shares


def _largest_remainders(n: int, shares: FloatArray, sizes: IntArray) -> IntArray:
    """Round `shares` to whole numbers with sum `n`; ties go to the larger stratum."""
    # Nine decimals keep rounding noise from deciding a tie.
    rounded = np.round(shares, 9)
    counts = np.floor(rounded).astype(np.int64)
    order = np.lexsort((np.arange(len(sizes)), -sizes, -np.round(rounded - counts, 9)))
    counts[order[: n - int(counts.sum())]] += 1
    return counts
