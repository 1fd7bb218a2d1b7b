"""Array types and the read-only rule shared by every frozen value."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
IdArray = npt.NDArray[Any]
"""Item ids: int64, or object holding str."""

_A = TypeVar("_A", bound=npt.NDArray[Any])


def read_only(array: _A) -> _A:
    """Return a view of `array` that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view
