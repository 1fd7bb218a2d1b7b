"""Array types and the read-only rule shared by every frozen value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
IdArray = npt.NDArray[Any]
"""Item ids: int64, or object holding str."""

BLOCK = 1 << 16
"""Rows handled at once: small enough for the processor's cache."""

_A = TypeVar("_A", bound=npt.NDArray[Any])


def read_only(array: _A) -> _A:
    """Return a view of `array` that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view


def freeze(value: object, *names: str) -> None:
    """Make arrays of a frozen dataclass read-only; for its ``__post_init__``."""
    for name in names:
        array = getattr(value, name)
        if array is not None:
            object.__setattr__(value, name, read_only(array))


def blocks(n_items: int) -> Iterator[slice]:
    """Yield slices of at most `BLOCK` rows that cover 0..n_items."""
    for start in range(0, n_items, BLOCK):
        yield slice(start, min(start + BLOCK, n_items))


def sum_of_squares(block: FloatArray) -> float:
    """Return the sum of squares; einsum stays on one thread where BLAS would wake them all."""
    return float(np.einsum("i,i->", block, block))


def representatives(values: FloatArray, count: int) -> FloatArray:
    """Return at most `count` ascending values that stand for ascending `values`.

    Each is the mean of an equal share of them, so that the mean of all is kept.
    """
    n = len(values)
    if n <= count:
        return values
    sums = np.interp(
        np.linspace(0, n, count + 1), np.arange(n + 1), np.concatenate([[0.0], np.cumsum(values)])
    )
    return np.asarray(np.maximum.accumulate(np.diff(sums) * (count / n)))
