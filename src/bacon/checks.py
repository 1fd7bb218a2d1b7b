"""Validation at the public edge: the argument, the rule, the value got and the mend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from bacon.arrays import blocks, sum_of_squares
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray

__all__ = [
    "check_level",
    "check_on_scale",
    "check_probabilities",
    "check_scale",
    "check_seed",
    "check_target",
    "check_vector",
    "first_row",
    "is_number",
]

LEAST_PROBABILITY = 1e-6
"""Inclusion probabilities below this are taken for mistakes."""

LARGEST = 1e150
"""Values beyond this overflow when squared."""


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not is_number(level) or not 0.0 < level < 1.0:
        raise InputError(f"level must lie between 0 and 1, such as 0.95; got {level!r}.")


def check_target(target: str) -> None:
    """Refuse a target other than pool and population."""
    if target not in ("pool", "population"):
        raise InputError(
            f'target must be "pool" (these items) or "population" (more items like them); '
            f"got {target!r}."
        )


def is_number(value: object) -> TypeGuard[float]:
    """Whether `value` is a number and no truth value."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def check_seed(seed: int) -> int:
    """Return `seed` as an int, refusing what is not a whole number from 0 up."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number from 0 up; got {seed!r}.")
    return int(seed)


def check_scale(scale: tuple[float, float] | None) -> None:
    """Refuse a scale that is not two finite numbers, the lower first."""
    if scale is None:
        return
    two = isinstance(scale, tuple | list) and len(scale) == 2 and all(map(is_number, scale))
    if not two or not all(map(math.isfinite, scale)) or not scale[0] < scale[1]:
        raise InputError(
            f"scale must be two numbers, the lower first, such as (1, 6); got {scale!r}."
        )


def check_on_scale(
    y: FloatArray, rows: npt.NDArray[np.int64], scale: tuple[float, float] | None
) -> None:
    """Refuse a label outside the stated scale; `rows` (m,) are the positions of `y` (m,)."""
    if scale is None:
        return
    outside = (y < scale[0]) | (y > scale[1])
    if outside.any():
        k = first_row(outside)
        raise InputError(
            f"y[{int(rows[k])}] = {y[k]:g} lies outside the scale {scale[0]:g} to {scale[1]:g} "
            f"({int(outside.sum())} such labels); mend the labels or the scale."
        )


def first_row(bad: BoolArray) -> int:
    """Return the first position where `bad` holds."""
    return int(np.argmax(bad))


def check_vector(
    name: str, values: npt.ArrayLike, *, length: int | None = None, missing: bool = False
) -> FloatArray:
    """Return `values` as a float64 vector, refusing what is not one.

    Parameters
    ----------
    name : str
        Argument named in messages.
    values : array_like
        Candidate, one value an item.
    length : int, optional
        Required number of items.
    missing : bool
        Whether NaN is allowed.
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array: npt.NDArray[Any] = np.asarray(values)
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a vector with one value an item; got an array of shape "
            f"{array.shape} (use .ravel() if it holds one column)."
        )
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold numbers; got values of type {array.dtype}.")
    if length is not None and len(array) != length:
        raise InputError(f"{name} must have {length:,} values, one an item; got {len(array):,}.")
    array = array.astype(np.float64, copy=False)
    _check_finite(name, array, missing=missing)
    return array


def _check_finite(name: str, array: FloatArray, *, missing: bool) -> None:
    """Refuse infinities, numbers that would overflow and, unless allowed, NaN."""
    for rows in blocks(len(array)):
        block = array[rows]
        if missing:
            block = block[~np.isnan(block)]
        # A modest sum of squares clears the block without a mask of its own.
        with np.errstate(over="ignore", invalid="ignore"):
            if sum_of_squares(block) <= LARGEST**2:
                continue
        _refuse_row(name, array, missing=missing)
        return


def _refuse_row(name: str, array: FloatArray, *, missing: bool) -> None:
    """Refuse the first value that is not usable, if there is one."""
    bad = np.isinf(array) | (np.abs(array) > LARGEST)
    if not missing:
        bad |= np.isnan(array)
    if bad.any():
        row = first_row(bad)
        what = "is missing" if math.isnan(array[row]) else "is not a usable number"
        raise InputError(
            f"{name}[{row}] = {array[row]!s} {what}; every value must be finite and at most "
            f"{LARGEST:g} in size. Mend or drop that item."
        )


def check_probabilities(name: str, pi: FloatArray) -> None:
    """Refuse inclusion probabilities outside (0, 1]."""
    bad = ~((pi >= LEAST_PROBABILITY) & (pi <= 1.0))
    if not bad.any():
        return
    row = first_row(bad)
    value = float(pi[row])
    if value == 0.0:
        why = "an item that can never be drawn is covered by no claim; drop it or give it a chance"
    elif 0.0 < value < LEAST_PROBABILITY:
        why = (
            f"a chance under {LEAST_PROBABILITY:g} would let one item outweigh all others; mend "
            "the probability or leave the item out of the pool"
        )
    elif math.isnan(value):
        why = "every item needs its probability of being drawn"
    else:
        why = "a probability of being drawn lies above 0 and at most at 1"
    raise InputError(f"{name}[{row}] = {value:g}: {why}.")
