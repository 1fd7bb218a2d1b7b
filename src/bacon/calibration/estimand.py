"""Names of estimands as users type them: mean, shares, quantile:0.5, proportion:ge:4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bacon.errors import InputError
from bacon.estimation.events import Cut, check_cut, cut_name, event_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray

__all__ = ["Estimand", "event_asked", "parse_estimand"]

_USAGE = (
    "mean, sd, variance, quantile:0.5, proportion:ge:4, proportion:le:2, "
    "proportion:between:2:4, proportion:eq:3 or shares"
)


@dataclass(frozen=True, slots=True)
class Estimand:
    """What is estimated.

    Parameters
    ----------
    kind : str
        mean, shares, sd, variance, quantile or proportion.
    name : str
        As typed.
    tau : float or None
        Level of a quantile.
    cut : tuple or None
        Event of a proportion of numbers.
    label : str or None
        Class of a proportion of labels in words.
    """

    kind: str
    name: str
    tau: float | None = None
    cut: Cut | None = None
    label: str | None = None

    def event(self, y: FloatArray, levels: tuple[str, ...] | None = None) -> FloatArray:
        """Return 1.0 where `y` (m,) has the property whose share is estimated, else 0.0."""
        if self.label is not None and levels is not None:
            return np.asarray(y == levels.index(self.label), dtype=np.float64)
        if self.cut is None:
            raise InputError(f"estimand {self.name!r} names no event.")
        return event_of(y, self.cut)[1]


def event_asked(given: Mapping[str, Any], levels: tuple[str, ...] | None) -> Estimand:
    """Return the estimand of the one event given by ge, le, between or eq.

    Raises
    ------
    InputError
        None is given, or several are.
    """
    asked = [(kind, value) for kind, value in given.items() if value is not None]
    if len(asked) != 1:
        raise InputError(
            f"proportion takes exactly one of ge, le, between and eq; got {len(asked)}."
        )
    kind, value = asked[0]
    if isinstance(value, str) or levels is not None:
        return parse_estimand(f"proportion:{kind}:{value}", levels)
    numbers = value if isinstance(value, tuple | list) else (value,)
    cut = check_cut(cast("Cut", (kind, *numbers)))
    # Not through the name, which has the numbers in few digits.
    return Estimand("proportion", cut_name(cut), cut=cut)


def _number(text: str, name: str) -> float:
    """Return the number in a part of an estimand's name."""
    try:
        return float(text)
    except ValueError:
        raise InputError(f"estimand {name!r}: {text!r} is not a number; use {_USAGE}.") from None


def parse_estimand(name: str, levels: tuple[str, ...] | None = None) -> Estimand:
    """Return the estimand called `name`; `levels` are the classes of labels in words."""
    if not isinstance(name, str):
        raise InputError(f'an estimand is named in words, such as "mean"; got {name!r}.')
    kind, _, rest = name.partition(":")
    if kind in ("mean", "shares", "sd", "variance") and not rest:
        return Estimand(kind, name)
    if kind == "quantile" and rest:
        return Estimand(kind, name, tau=_number(rest, name))
    if kind == "proportion" and rest:
        relation, _, value = rest.partition(":")
        if levels is not None:
            return _class_share(name, relation, value, levels)
        numbers = tuple(_number(part, name) for part in value.split(":"))
        # How many numbers go with the relation is for check_cut to say.
        return Estimand(kind, name, cut=check_cut(cast("Cut", (relation, *numbers))))
    raise InputError(f"estimand {name!r} is not known; use {_USAGE}.")


def _class_share(name: str, relation: str, value: str, levels: tuple[str, ...]) -> Estimand:
    """Return the share of one class of labels in words."""
    if relation != "eq" or value not in levels:
        raise InputError(
            f"estimand {name!r}: labels in words have shares of a class only, such as "
            f"proportion:eq:{levels[0]}; the classes are {', '.join(levels)}."
        )
    return Estimand("proportion", name, label=value)
