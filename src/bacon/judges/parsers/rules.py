"""What a parser must know of a prompt, and what it finds or fails to find."""

from __future__ import annotations

from dataclasses import dataclass

from bacon.judges.records import Parsed
from bacon.words import shown

__all__ = [
    "CUT_OFF",
    "EMPTY",
    "LONGEST",
    "OFF_SCALE",
    "REFUSED",
    "Failure",
    "Found",
    "Rules",
    "quoted",
]

EMPTY = "empty answer"
CUT_OFF = "cut off"
REFUSED = "refused"
OFF_SCALE = "off the scale"

LONGEST = 100_000
"""Answers of more characters are not read."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of reading, fixed by the prompt: nothing in an answer changes them.

    Parameters
    ----------
    outcomes : tuple of str
        Names of the scores, in order.
    low, high : float
        Ends of the scale, both legal.
    whole : bool
        Whether scores are whole numbers.
    levels : tuple of (str, float)
        Labels with their scores, where the answer is a label.
    exact : bool
        Whether the answer must be JSON with nothing around it, as an endpoint that was given a
        schema has to write it.
    """

    outcomes: tuple[str, ...]
    low: float
    high: float
    whole: bool = True
    levels: tuple[tuple[str, float], ...] = ()
    exact: bool = False

    def misfit(self, value: float) -> Failure | None:
        """Why `value` is no score; None where it is one."""
        if not self.low <= value <= self.high:
            scale = f"{self.low:g} to {self.high:g}"
            return Failure(OFF_SCALE, f"{value:g} is not on the scale {scale}")
        if self.whole and value != int(value):
            return Failure("unreadable: no whole number", f"{value:g} is no whole number")
        return None

    def missing(self, failure: Failure) -> Parsed:
        """Return no score for any outcome, with the reason."""
        notes = (failure.note,) if failure.note else ()
        return Parsed((None,) * len(self.outcomes), failure.reason, notes)


@dataclass(frozen=True, slots=True)
class Found:
    """A score and where it stands in the text: characters `start` to `end`."""

    value: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no score: a reason from a short list, to be counted, and a note with details."""

    reason: str
    note: str = ""


def quoted(text: str, most: int = 40) -> str:
    """Return a piece of an answer as a note may show it."""
    return f'"{shown(text.strip(), most)}"'
