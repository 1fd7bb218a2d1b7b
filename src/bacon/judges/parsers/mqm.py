"""Translation errors with categories and severities, weighed and summed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bacon.judges.parsers.lenient import find_json, whole_json
from bacon.judges.parsers.rules import Failure, Rules, quoted
from bacon.judges.records import Parsed

__all__ = ["CATEGORIES", "MOST_ERRORS", "error_weight", "read_errors"]

MOST_ERRORS = 5
"""Errors of a segment that count; the worst if there are more."""

CATEGORIES = ("accuracy", "fluency", "terminology", "style", "locale", "other")
_PARTS = (
    *CATEGORIES, "addition", "awkward", "character encoding", "display", "grammar",
    "inappropriate", "inconsisten", "mistranslation", "omission", "punctuation", "register",
    "spelling", "untranslated",
)  # fmt: skip

# Weights in tenths, so that sums are exact.
_TENTHS = {"critical": 50, "major": 50, "minor": 10, "neutral": 0}
_MINOR_PUNCTUATION = 1
_NON_TRANSLATION = 250
_NON_TRANSLATION_NAME = re.compile(r"\bnon[\s_-]?translation\b", re.IGNORECASE)
_NOT_THERE = ("no error", "none", "no errors")


@dataclass(frozen=True, slots=True)
class _Error:
    """One error; weight in tenths, None for an entry that says there is none."""

    tenths: int | None
    source: bool = False
    whole: bool = False
    note: str = ""


def read_errors(text: str, rules: Rules) -> Parsed:
    """Return the penalty of the errors listed, or why there is none.

    Weights: major 5, minor 1, minor punctuation 0.1, neutral 0, and 25 for a text that is no
    translation, which stands alone. "No error" has to be said: an empty list.
    """
    found = whole_json(text) if rules.exact else find_json(text)
    if isinstance(found, Failure):
        return rules.missing(found)
    entries = _entries(found.value)
    if isinstance(entries, Failure):
        return rules.missing(entries)
    errors = [_error(entry) for entry in entries]
    for error in errors:
        if isinstance(error, Failure):
            return rules.missing(error)
    return _summed([each for each in errors if isinstance(each, _Error)], found.notes, rules)


def error_weight(category: str, severity: str) -> float | None:
    """Return the weight of one error as people annotate it, by the same rules.

    0 for "no error" and for errors of the source; None where the severity is unknown.

    Examples
    --------
    >>> error_weight("Fluency/Punctuation", "Minor"), error_weight("No-error", "no-error")
    (0.1, 0.0)
    >>> error_weight("Non-translation!", "Major"), error_weight("Accuracy/Omission", "huge")
    (25.0, None)
    """
    error = _error({"category": category, "severity": severity})
    return None if isinstance(error, Failure) else (error.tenths or 0) / 10


def _entries(value: dict[str, Any] | list[Any]) -> list[Any] | Failure:
    """Return the list of errors, bare or under ``errors``."""
    if isinstance(value, list):
        return value
    named = [each for key, each in value.items() if key.strip().casefold() == "errors"]
    if len(named) == 1 and isinstance(named[0], list):
        return named[0]
    if not named and {"category", "severity"} <= {key.strip().casefold() for key in value}:
        return [value]
    return Failure("unreadable: no list of errors", quoted(str(sorted(value))))


def _error(entry: object) -> _Error | Failure:
    """Return one error with its weight, or why it cannot be weighed."""
    if not isinstance(entry, dict):
        return Failure("unreadable: an error that is no object", quoted(str(entry)))
    fields = {str(key).strip().casefold(): value for key, value in entry.items()}
    category = _text(fields.get("category"), fields.get("subcategory"))
    severity = _text(fields.get("severity"))
    if not category:
        return Failure("unreadable: an error without a category", quoted(str(entry)))
    if category in _NOT_THERE and (severity in (*_NOT_THERE, "neutral") or not severity):
        return _Error(None)
    if not severity:
        return Failure("unreadable: an error without a severity", quoted(category))
    if severity not in _TENTHS:
        return Failure("unreadable: unknown severity", quoted(severity))
    return _weighed(category, severity)


def _weighed(category: str, severity: str) -> _Error:
    """Return the weight of an error and what to tell of it."""
    if re.match(r"source\b", category):
        return _Error(0, source=True)
    if _NON_TRANSLATION_NAME.search(category):
        note = "" if severity in ("major", "critical") else f"non-translation called {severity}"
        return _Error(_NON_TRANSLATION, whole=True, note=note)
    note = "critical weighs as major" if severity == "critical" else ""
    if not category.startswith(_PARTS):
        note = note or f"unknown category {quoted(category)}, weighed by its severity"
    if severity == "minor" and re.search(r"\bpunctuation\b", category):
        return _Error(_MINOR_PUNCTUATION, note=note)
    return _Error(_TENTHS[severity], note=note)


def _summed(errors: list[_Error], notes: tuple[str, ...], rules: Rules) -> Parsed:
    """Return the sum over the worst errors, with what was overlooked."""
    absent = [error for error in errors if error.tenths is None]
    if absent and len(errors) > len(absent):
        return rules.missing(
            Failure("unreadable: errors beside no error", f"{len(errors)} entries")
        )
    told = list(dict.fromkeys([*notes, *(error.note for error in errors if error.note)]))
    source = sum(error.source for error in errors)
    if source:
        told.append(f"{source} source error(s), which weigh nothing")
    weights = sorted((error.tenths or 0 for error in errors if not error.source), reverse=True)
    if any(error.whole for error in errors):
        if len(weights) > 1:
            told.append("non-translation stands alone; other errors not counted")
        weights = [_NON_TRANSLATION]
    elif len(weights) > MOST_ERRORS:
        told.append(f"{len(weights)} errors, of which the worst {MOST_ERRORS} count")
    return Parsed((sum(weights[:MOST_ERRORS]) / 10,), None, tuple(told[:8]))


def _text(*values: object) -> str:
    """Return texts joined, in lower case with single spaces."""
    parts = [
        " ".join(re.split(r"[\s_]+", value.strip())) for value in values if isinstance(value, str)
    ]
    return " / ".join(part for part in parts if part).lower().replace("no-error", "no error")
