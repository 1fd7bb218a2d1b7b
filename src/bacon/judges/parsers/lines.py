"""Several scores, each on a line with its name: ``AE: 2``."""

from __future__ import annotations

import re
from functools import lru_cache

from bacon.judges.parsers.cleaning import cleaned
from bacon.judges.parsers.numbers import SEVERAL, read_number
from bacon.judges.parsers.refusal import refusal
from bacon.judges.parsers.rules import EMPTY, REFUSED, Failure, Found, Rules, quoted
from bacon.judges.records import Parsed

__all__ = ["read_lines"]

NOTHING = Failure("unreadable: a name without a score")
MOST = 200
"""An answer with more named lines is not read."""


def read_lines(clean: str, rules: Rules) -> Parsed:
    """Return the score of every name, or why one is missing.

    Lines without one of the names are passed over; a name may come twice only with one score.
    """
    if not clean.strip():
        return rules.missing(Failure(EMPTY))
    matches = list(_names(rules.outcomes, signed=rules.low < 0).finditer(clean))
    if not matches:
        declined = refusal(clean)
        if declined is not None:
            return rules.missing(Failure(REFUSED, quoted(clean[declined:])))
        return rules.missing(Failure("unreadable: no named line", quoted(clean)))
    if len(matches) > MOST:
        return rules.missing(Failure(SEVERAL, f"more than {MOST} named lines"))
    found: dict[str, list[Found | Failure]] = {name: [] for name in rules.outcomes}
    known = {cleaned(name).casefold(): name for name in rules.outcomes}
    ends = [match.start() for match in matches[1:]] + [len(clean)]
    for match, end in zip(matches, ends, strict=True):
        name = known[match["name"].casefold()]
        found[name].append(read_number(_value(clean[match.end() : end]), rules))
    return _together(found)


def _value(segment: str) -> str:
    """Return the first line of a segment that holds anything, without what opens a next name."""
    line = next((line for line in segment.split("\n") if line.strip()), "")
    value = line.strip(" \t,;|{}\"'<>")
    return f": {value}" if value else ""


def _together(found: dict[str, list[Found | Failure]]) -> Parsed:
    """Return one score a name, and the first reason why one is missing."""
    scores: list[float | None] = []
    reason: str | None = None
    notes: list[str] = []
    for name, each in found.items():
        result = _one(each)
        if isinstance(result, Found):
            scores.append(result.value)
            continue
        scores.append(None)
        reason = reason or result.reason
        notes.append(f"{name}: {result.note or result.reason}")
    return Parsed(tuple(scores), reason, tuple(notes))


def _one(each: list[Found | Failure]) -> Found | Failure:
    """Return what the lines of one name agree on."""
    if not each:
        return NOTHING
    for result in each:
        if isinstance(result, Failure):
            return NOTHING if result.reason == EMPTY else result
    values = {result.value for result in each if isinstance(result, Found)}
    if len(values) > 1:
        return Failure(SEVERAL, " and ".join(f"{value:g}" for value in sorted(values)[:2]))
    return each[0]


@lru_cache(maxsize=64)
def _names(outcomes: tuple[str, ...], *, signed: bool) -> re.Pattern[str]:
    """Return what finds a name and the sign after it, up to where its score begins."""
    names = "|".join(re.escape(cleaned(name)) for name in sorted(outcomes, key=len, reverse=True))
    # "AE - 2" may be a minus where the scale has negative scores: it is no separator then.
    dash = "" if signed else r"|-(?=\s)"
    gap = r"[\"'\s]{0,4}"
    return re.compile(
        rf"(?:^|(?<=[\s,;|\"'(\[{{]))(?P<name>{names})\b"
        rf"(?:{gap}(?:\([^()\n]{{0,60}}\))?{gap}(?:[:=|]|->|\u2192{dash})"
        rf"|(?=\s{{1,4}}[+-]?\d))",
        re.IGNORECASE | re.MULTILINE,
    )
