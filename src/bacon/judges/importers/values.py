"""From whatever stands in a log to a score, an id, a run: what is none says why, and is never 0."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from bacon.checks import LARGEST
from bacon.judges.importers.samples import Score
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.judges.importers.samples import Choices

__all__ = [
    "NO_SCORE",
    "TRUTH",
    "failed",
    "item_id",
    "model_name",
    "money",
    "read_score",
    "run_number",
]

NO_SCORE = "no score"
NOT_A_NUMBER = "not a number"
NAN = "score is NaN"
OUT_OF_RANGE = "score out of range"
OFF_THE_SCALE = "off the scale"
SEVERAL = "several values in one score"

TRUTH = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Words for whether something holds."""

LONGEST_ID = 1_000
MOST_RUNS = 10_000

_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,4})?"
)


def failed(reason: str, told: object = "") -> Score:
    """Return a score that is missing for a reason, with what stood there."""
    return Score((None,), reason, shown(str(told)[:200], 60) if told != "" else "")


def read_score(
    value: Any, choices: Choices, words: Mapping[str, float | None] | None = None
) -> Score:
    """Return the score that a value of a log is.

    Parameters
    ----------
    value : object
        As it came out of JSON, or a cell of a CSV.
    choices : Choices
        With the words that stand for numbers, and the scale.
    words : mapping, optional
        Further words that stand for numbers in this format.
    """
    if value is None:
        return failed(NO_SCORE)
    if isinstance(value, str):
        return _read_text(value.strip(), choices, words or {})
    if isinstance(value, list | dict):
        return failed(SEVERAL)
    if not isinstance(value, int | float):
        return failed(NOT_A_NUMBER)
    try:
        return _checked(float(value), choices)
    except OverflowError:
        return failed(OUT_OF_RANGE)


def _read_text(text: str, choices: Choices, words: Mapping[str, float | None]) -> Score:
    """Return the score that a text is."""
    for known in (choices.levels, words):
        if text in known:
            meant = known[text]
            return Score((meant,)) if meant is not None else failed(f'"{text}" means no score')
    if not text:
        return failed(NO_SCORE)
    if text.lower().lstrip("+-") == "nan":
        return failed(NAN)
    if not _NUMBER.fullmatch(text):
        return failed(NOT_A_NUMBER, f'"{text[:100]}"')
    return _checked(float(text), choices)


def _checked(number: float, choices: Choices) -> Score:
    """Return a number as a score, unless it cannot be one."""
    if math.isnan(number):
        return failed(NAN)
    if not abs(number) <= LARGEST:
        return failed(OUT_OF_RANGE, number)
    if choices.scale is not None and not choices.scale[0] <= number <= choices.scale[1]:
        return failed(OFF_THE_SCALE, f"{number:g}")
    return Score((number,))


def item_id(value: Any) -> str | None:
    """Return an id as text; None where it can be none.

    Examples
    --------
    >>> item_id(7), item_id("007"), item_id(7.0), item_id(7.5), item_id(True)
    ('7', '007', '7', None, None)
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        text = str(value)
    except ValueError:
        # Python writes no numbers of more than 4,300 digits.
        return None
    return text if text.strip() and len(text) <= LONGEST_ID else None


def run_number(value: Any) -> int | None:
    """Return the number of a run, from 1; None where it is none."""
    if isinstance(value, str) and re.fullmatch(r"\s{0,9}[0-9]{1,6}\s{0,9}", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_RUNS:
        return None
    return value


def money(value: Any) -> float | None:
    """Return an amount of money; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1e12 else None


def model_name(value: Any) -> str | None:
    """Return the name of a model; None where it is none."""
    return value[:200] if isinstance(value, str) and value else None
