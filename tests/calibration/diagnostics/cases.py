"""Observations and drivers made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.diagnostics.drivers import Driver
from bacon.calibration.diagnostics.observations import Observations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray


def items(n: int, weights: Sequence[float] | None = None) -> Observations:
    """Return n items that stand alone."""
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    return Observations(w, np.arange(n))


def length(values: FloatArray) -> Driver:
    """Return the length of a text as a driver."""
    words = "the length of answer"
    return Driver("answer", "length", words, np.asarray(values, dtype=float), "characters")


def feature(values: FloatArray, name: str = "words") -> Driver:
    """Return a feature as a driver."""
    return Driver(name, "feature", name, np.asarray(values, dtype=float))


def groups(codes: Sequence[int], names: Sequence[str] = ("atlas", "borealis", "cygnus")) -> Driver:
    """Return groups as a driver."""
    values = np.asarray(codes, dtype=float)
    return Driver("system", "group", "system", values, groups=tuple(names))
