"""What kind of outcome the labels are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["OUTCOMES", "OutcomeKind", "outcome_kind"]

OUTCOMES = ("real", "bounded", "zero-inflated", "ordinal", "categorical", "binary")

MOST_ORDINAL_LEVELS = 11
SPIKE = 0.2


@dataclass(frozen=True, slots=True)
class OutcomeKind:
    """Kind of the outcome and why it was taken so.

    Parameters
    ----------
    kind : str
        One of `OUTCOMES`.
    reason : str
        What in the labels, or the user's word, decided.
    """

    kind: str
    reason: str


def outcome_kind(
    y: FloatArray,
    levels: tuple[str, ...] | None,
    outcome: str,
    scale: tuple[float, float] | None,
) -> OutcomeKind:
    """Return the kind of outcome from labels (m,), or as stated.

    Raises
    ------
    InputError
        The stated kind is unknown or contradicts the labels.
    """
    if outcome not in ("auto", *OUTCOMES):
        raise InputError(f"outcome must be auto or one of {', '.join(OUTCOMES)}; got {outcome!r}.")
    if levels is not None:
        if outcome not in ("auto", "categorical"):
            raise InputError(f"the labels are words, so the outcome is categorical, not {outcome}.")
        return OutcomeKind("categorical", "the labels are words")
    values = np.unique(y)
    if outcome == "binary" and len(values) > 2:
        raise InputError(
            f"a binary outcome has two values; the labels have {len(values)}, the first "
            f"{values[0]:g}, {values[1]:g}, {values[2]:g}."
        )
    if outcome == "zero-inflated" and values[0] < 0.0:
        raise InputError(
            f"a zero-inflated outcome is 0 or above; the smallest label is {values[0]:g}."
        )
    if outcome == "ordinal" and not np.all(values == np.round(values)):
        odd = values[values != np.round(values)][0]
        raise InputError(
            f"an ordinal outcome has whole values; a label is {odd:g} (raters averaged?). Say "
            "real or bounded."
        )
    if outcome == "bounded" and scale is None:
        raise InputError("a bounded outcome needs its scale: --scale LO:HI (scale=(lo, hi)).")
    if outcome == "categorical":
        raise InputError("a categorical outcome has labels in words; these are numbers.")
    if outcome != "auto":
        return OutcomeKind(outcome, "as stated")
    return _detected(y, values, scale)


def _detected(y: FloatArray, values: FloatArray, scale: tuple[float, float] | None) -> OutcomeKind:
    """Return the kind that the labels (m,) with different `values` look like."""
    whole = bool(np.all(values == np.round(values)))
    zeros = float(np.mean(y == 0.0))
    if len(values) <= 2 and np.isin(values, (0.0, 1.0)).all():
        return OutcomeKind("binary", "the labels are 0 and 1")
    if whole and len(values) <= MOST_ORDINAL_LEVELS:
        return OutcomeKind("ordinal", f"the labels take {len(values)} whole values")
    if zeros >= SPIKE and values[0] >= 0.0:
        return OutcomeKind("zero-inflated", f"{zeros:.0%} of the labels are 0, none is below")
    if scale is not None:
        return OutcomeKind("bounded", f"the scale {scale[0]:g} to {scale[1]:g} was stated")
    return OutcomeKind("real", "the labels are numbers without a stated scale")
