"""Strengths of systems from human preferences over pairs of their outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.estimand import parse_estimand
from bacon.calibration.estimating import event_prediction
from bacon.calibration.practice import not_counted
from bacon.checks import is_number
from bacon.errors import InputError
from bacon.estimation.pairwise import check_ties, pairwise_estimates
from bacon.io.frames import to_backend
from bacon.sampling.columns import categories

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.pairwise import Ties
    from bacon.estimation.vector import Estimates

__all__ = ["Wins", "preferences"]

Wins = Mapping[str, str | float | Sequence[str]]
"""What labels mean: keys "first", "second" and "tie"."""

ROLE = "the compared systems"

PARTS = ("first", "second", "tie")

USUAL = {"first": "1", "second": "2", "tie": "tie"}
"""What words mean when nothing is said."""


def preferences(
    cal: Calibration,
    first: str,
    second: str,
    *,
    ties: Ties = "half",
    wins: Wins | None = None,
    order_effect: bool = False,
    adjust: bool = True,
    labels_alone: bool = False,
) -> Estimates:
    """Estimate strengths of systems; see :meth:`Calibration.bradley_terry`."""
    check_ties(ties)
    names, pairs = _pairs(cal, first, second)
    if cal.levels is not None:
        y, f = _of_words(cal, wins)
    else:
        y, f = _of_numbers(cal, wins, ties)
    found = pairwise_estimates(
        names,
        pairs,
        y,
        None if labels_alone else f,
        cal.setting,
        ties=ties,
        order_effect=order_effect,
        adjust=adjust,
    )
    return replace(
        found,
        notices=(*found.notices, *not_counted(cal, "strengths")),
        frame_of=partial(to_backend, backend=cal.pool.backend),
    )


def _pairs(cal: Calibration, first: str, second: str) -> tuple[tuple[str, ...], IntArray]:
    """Return the systems, sorted, and the two of every item (N, 2)."""
    if first == second:
        raise InputError(f"first and second are both column {first}; name the two columns.")
    sides = [categories(cal.pool, name, role=ROLE) for name in (first, second)]
    names = tuple(sorted({level for _, levels in sides for level in levels}))
    place = {name: k for k, name in enumerate(names)}
    columns = [np.array([place[level] for level in levels])[codes] for codes, levels in sides]
    return names, np.column_stack(columns).astype(np.int64)


def _of_words(cal: Calibration, wins: Wins | None) -> tuple[FloatArray, FloatArray]:
    """Return outcomes (m, 3) and predictions (N, 3) of labels in words."""
    levels = cal.levels or ()
    given = {part: word for part, word in USUAL.items() if word in levels} if wins is None else wins
    _check_parts(given, wins)
    part_of: dict[str, int] = {}
    for part, said in given.items():
        for word in [said] if isinstance(said, str | int | float) else list(said):
            if str(word) not in levels:
                raise InputError(
                    f"wins: {word!r} is no class of {cal.outcome}; the classes are "
                    f"{', '.join(levels)}."
                )
            if str(word) in part_of:
                raise InputError(f"wins: {word!r} stands twice; each class means one outcome.")
            part_of[str(word)] = PARTS.index(part)
    left = [word for word in levels if word not in part_of]
    if left:
        raise InputError(
            f"labels of {cal.outcome}: nothing says what {', '.join(left)} means; give "
            'wins={"first": CLASS, "second": CLASS, "tie": CLASS}, several classes as a list.'
        )
    columns = np.zeros((len(levels), 3))
    for word, k in part_of.items():
        columns[levels.index(word), k] = 1.0
    return columns[cal.aligned.y.astype(np.int64)], cal.f @ columns


def _check_parts(given: Wins, wins: Wins | None) -> None:
    """Refuse a meaning that leaves out who won, or has other keys."""
    is_told = isinstance(given, Mapping) and {"first", "second"} <= set(given) <= set(PARTS)
    if not is_told or any(said is None for said in given.values()):
        got = "nothing" if wins is None else repr(wins)
        raise InputError(
            'wins says which labels mean that the first won, the second won, and a tie: {"first": '
            f'"1", "second": "2", "tie": "tie"}}; got {got}.'
        )


def _of_numbers(cal: Calibration, wins: Wins | None, ties: Ties) -> tuple[FloatArray, FloatArray]:
    """Return outcomes (m, 3) and predictions (N, 3) of labels in numbers.

    The number that says the first won is 1, the other 0, half way between is a tie. Other
    shares are points of the first, which only "half" can take.
    """
    if wins is not None:
        _check_parts(wins, wins)
    ends = [1.0, 0.0] if wins is None else [wins["first"], wins["second"]]
    if not all(is_number(end) for end in ends) or ends[0] == ends[1]:
        raise InputError(
            f"the labels of {cal.outcome} are numbers, so wins needs two different numbers, such "
            f'as {{"first": 1, "second": 2}}; got {dict(wins or {})!r}.'
        )
    high, low = (float(end) for end in ends if is_number(end))
    points = (cal.aligned.y - low) / (high - low)
    allowed = (
        np.isin(points, [0.0, 0.5, 1.0]) if ties == "davidson" else np.abs(points - 0.5) <= 0.5
    )
    if not allowed.all():
        k = int(np.argmin(allowed))
        raise InputError(
            f"the label of row {int(cal.aligned.design.rows[k]) + 1:,} is {cal.aligned.y[k]:g} "
            f"({int((~allowed).sum()):,} such labels), but {high:g} says that the first won, "
            f"{low:g} that the second did and {(high + low) / 2.0:g} that they tie; recode the "
            'labels, or say what they mean: wins={"first": 1, "second": 2}.'
        )
    predicted = (cal.f - low) / (high - low)
    if ties == "half":
        tied = np.zeros(len(predicted))
    else:
        tied = event_prediction(cal, parse_estimand(f"proportion:eq:{(high + low) / 2.0}"))
    tie = (points == 0.5).astype(np.float64)
    y = np.column_stack([points - tie / 2.0, 1.0 - points - tie / 2.0, tie])
    return y, np.column_stack([predicted - tied / 2.0, 1.0 - predicted - tied / 2.0, tied])
