"""The JSON value of an answer, with words or a fence around it and trailing commas or without."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from bacon.judges.parsers.cleaning import THOUGHTS, cleaned
from bacon.judges.parsers.refusal import refusal
from bacon.judges.parsers.rules import CUT_OFF, EMPTY, REFUSED, Failure, quoted

__all__ = ["Value", "find_json", "whole_json"]

DEEPEST = 32
"""Values nested deeper are not read."""

MOST = 1000
"""Answers with more values in brackets are not read."""

NOT_JSON = "unreadable: not JSON"
_OPENING = re.compile(r"[{\[]")
_BRACKETS = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*"?', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*"|[\[{,]\s{0,200},)|,(?=\s{0,200}[\]}])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value (an object or a list) and what had to be overlooked to read it."""

    value: dict[str, Any] | list[Any]
    notes: tuple[str, ...] = ()


class _ContradictionError(ValueError):
    """A key of an object stands there twice, with different values."""


def whole_json(text: str) -> Value | Failure:
    """Return the value of a text that is JSON and nothing else."""
    text = text.strip()
    if not text:
        return Failure(EMPTY)
    spans, closed = _spans(text)
    if spans is None:
        return Failure(NOT_JSON, f"nested deeper than {DEEPEST}")
    if not closed:
        return Failure(CUT_OFF, quoted(text[-30:]))
    if spans != [(0, len(text))]:
        return _no_json(text)
    return _loaded(text)


def find_json(text: str) -> Value | Failure:
    """Return the one object or list of objects in a text, or why there is none.

    Words and code fences around it are passed over, trailing commas accepted. Two values that
    differ are a contradiction.
    """
    if not text.strip():
        return Failure(EMPTY)
    # Thoughts before the answer may hold drafts of it.
    thoughts = THOUGHTS.match(text)
    text = text[thoughts.end() :] if thoughts else text
    if not text.strip():
        return Failure(CUT_OFF, "nothing after the thoughts")
    spans, closed = _spans(text)
    if spans is None:
        return Failure(NOT_JSON, f"nested deeper than {DEEPEST}")
    if len(spans) > MOST:
        return Failure(NOT_JSON, f"more than {MOST} values in brackets")
    found: list[Value] = []
    for start, end in spans:
        value = _loaded(text[start:end])
        if isinstance(value, Value) and _is_answer(value.value):
            found.append(value)
        elif isinstance(value, Failure) and _meant_as_json(text[start:end]):
            return value
    return _only(found, text, closed=closed)


def _only(found: list[Value], text: str, *, closed: bool) -> Value | Failure:
    """Return the value on which all found ones agree, or why there is none."""
    if not closed:
        return Failure(CUT_OFF, quoted(text[-30:]))
    if any(value.value != found[0].value for value in found[1:]):
        return Failure("unreadable: several answers", f"{len(found)} different JSON values")
    return found[0] if found else _no_json(text)


def _no_json(text: str) -> Failure:
    """Return why a text without JSON gives no score."""
    clean = cleaned(text)
    declined = refusal(clean)
    if declined is None:
        return Failure(NOT_JSON, quoted(clean))
    return Failure(REFUSED, quoted(clean[declined:]))


def _spans(text: str) -> tuple[list[tuple[int, int]] | None, bool]:
    """Return where outermost brackets open and close, and whether all are closed.

    One pass, so that no answer takes long; None where brackets are nested too deeply.
    """
    spans: list[tuple[int, int]] = []
    opening = _OPENING.search(text)
    while opening:
        depth = 0
        # Quotes count inside brackets only: outside they are prose.
        for match in _BRACKETS.finditer(text, opening.start()):
            if match[0] in ("{", "["):
                depth += 1
            elif match[0] in ("}", "]"):
                depth -= 1
            if depth > DEEPEST:
                return None, False
            if depth == 0:
                spans.append((opening.start(), match.end()))
                break
        else:
            return spans, False
        opening = _OPENING.search(text, spans[-1][1])
    return spans, True


def _is_answer(value: object) -> bool:
    """Whether a value is an object or a list of objects, perhaps empty; not a mark like [1]."""
    return isinstance(value, dict) or (
        isinstance(value, list) and (not value or any(isinstance(each, dict) for each in value))
    )


def _meant_as_json(text: str) -> bool:
    """Whether text between brackets was meant as JSON: ``{"``, ``[{``, unlike ``[Note]``."""
    return re.match(r"\{\s*[\"'}]|\[\s*\{|\{\s*\w+\s*:", text) is not None


def _loaded(text: str) -> Value | Failure:
    """Return the value of a bracketed text, trailing commas accepted."""
    plain = _COMMA.sub(lambda match: match[1] or "", text)
    notes = () if plain == text else ("trailing commas",)
    try:
        value = json.loads(
            plain,
            object_pairs_hook=_object,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_no_number,
            strict=False,
        )
    except _ContradictionError as error:
        return Failure("unreadable: several scores", str(error))
    except ValueError:
        return Failure(NOT_JSON, quoted(text))
    return Value(value, notes)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, refusing a key that comes twice with different values."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise _ContradictionError(f"{quoted(key)} stands there twice")
        made[key] = value
    return made


def _number(text: str) -> float:
    """Return a number of reasonable length as a float."""
    if len(text) > 40:
        raise ValueError(text[:40])
    return float(text)


def _no_number(text: str) -> float:
    """Refuse NaN and infinities, which are no JSON."""
    raise ValueError(text)
