"""Events whose share is estimated: at least, at most, between, equal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["Cut", "bounds_of", "check_cut", "cut_name", "event_of"]

Cut = tuple[str, float] | tuple[str, float, float]
_USAGE = '("ge", 4), ("le", 2), ("between", 2, 4) or ("eq", 3)'


def check_cut(cut: Cut | float) -> Cut:
    """Return `cut` in full, a number alone meaning at least that."""
    if isinstance(cut, int | float | np.number) and not isinstance(cut, bool):
        cut = ("ge", float(cut))
    kinds = {"ge": 1, "le": 1, "eq": 1, "between": 2}
    if not isinstance(cut, tuple) or not cut or not isinstance(cut[0], str):
        raise InputError(f"a proportion is given as {_USAGE}; got {cut!r}.")
    numbers = cut[1:]
    if len(numbers) != kinds.get(cut[0]) or not all(map(_is_finite, numbers)):
        raise InputError(f"a proportion is given as {_USAGE}; got {cut!r}.")
    if cut[0] == "between" and numbers[0] > numbers[-1]:
        raise InputError(f"between needs the lower end first; got {cut!r}.")
    return cut


def _is_finite(number: object) -> bool:
    """Whether `number` is one, and finite."""
    return isinstance(number, int | float | np.number) and math.isfinite(number)


def cut_name(cut: Cut) -> str:
    """Return the name of the estimand, such as ``proportion:ge:4``."""
    return ":".join(["proportion", cut[0], *(f"{number:.15g}" for number in cut[1:])])


def bounds_of(cut: Cut) -> tuple[float, float]:
    """Return the closed interval of outcomes that count."""
    if cut[0] == "ge":
        return cut[1], math.inf
    if cut[0] == "le":
        return -math.inf, cut[1]
    return cut[1], cut[-1]


def event_of(y: FloatArray, cut: Cut | float) -> tuple[str, FloatArray]:
    """Return the estimand's name and 1.0 where `y` (m,) is in the event."""
    full = check_cut(cut)
    low, high = bounds_of(full)
    return cut_name(full), ((y >= low) & (y <= high)).astype(np.float64)
