"""Fields of a parsed design file, each checked before it is used."""

from __future__ import annotations

import math
from typing import Any

from bacon.errors import DesignError

__all__ = ["LARGEST", "damaged", "full_list", "is_finite", "object_with", "text", "whole"]

LARGEST = 2**63 - 1
"""Largest whole number that an int64 holds."""


def damaged(source: str, field: str, rule: str, value: object) -> DesignError:
    """Return the error that says `field` breaks `rule`."""
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    return DesignError(
        f"{source}: {field} should be {rule}, not {shown}; the design file is not as it was "
        "written, so take it from a copy or draw again with the same seed."
    )


def object_with(source: str, field: str, value: object, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return `value` as an object with exactly `keys`."""
    if not isinstance(value, dict) or set(value) != set(keys):
        got = sorted(map(str, value)) if isinstance(value, dict) else value
        raise damaged(source, field, f"an object with {', '.join(keys)}", got)
    return value


def full_list(source: str, field: str, value: object) -> list[Any]:
    """Return `value` as a list that is not empty."""
    if not isinstance(value, list) or not value:
        raise damaged(source, field, "a list that is not empty", value)
    return value


def whole(source: str, field: str, value: object, low: int, high: int) -> int:
    """Return `value` as a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise damaged(source, field, "a whole number", value)
    if low <= value <= high:
        return value
    raise damaged(source, field, f"a whole number from {low} to {high}", value)


def text(source: str, field: str, value: object) -> str:
    """Return `value` as a text that is not empty."""
    # A lone surrogate is no character: no file and no screen could take it.
    if not isinstance(value, str) or not value or any("\ud800" <= c <= "\udfff" for c in value):
        raise damaged(source, field, "a text", value)
    return value


def is_finite(value: object) -> bool:
    """Whether `value` is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= LARGEST if isinstance(value, int) else math.isfinite(value)
