"""Scores as one JSON object: ``{"score": 4}``."""

from __future__ import annotations

import re
from typing import Any

from bacon.judges.parsers.cleaning import cleaned
from bacon.judges.parsers.label import label_value
from bacon.judges.parsers.lenient import Value, find_json, whole_json
from bacon.judges.parsers.lines import NOTHING
from bacon.judges.parsers.numbers import read_number
from bacon.judges.parsers.rules import Failure, Found, Rules, quoted
from bacon.judges.records import Parsed

__all__ = ["locate_json", "read_json"]


def read_json(text: str, rules: Rules) -> Parsed:
    """Return the score of every outcome of an object, or why one is missing."""
    found = whole_json(text) if rules.exact else find_json(text)
    if isinstance(found, Failure):
        return rules.missing(found)
    answer = _one_object(found)
    if isinstance(answer, Failure):
        return rules.missing(answer)
    given = dict(answer) if rules.exact else {key.strip().casefold(): answer[key] for key in answer}
    if len(given) < len(answer):
        return rules.missing(Failure("unreadable: several scores", "a name stands there twice"))
    if rules.exact and set(given) - set(rules.outcomes):
        return rules.missing(Failure("unreadable: unknown fields", quoted(", ".join(given))))
    scores: list[float | None] = []
    notes = list(found.notes)
    reason = None
    for name in rules.outcomes:
        result = _score(given, name if rules.exact else name.strip().casefold(), rules)
        if isinstance(result, Failure):
            reason = reason or result.reason
            notes.append(f"{name}: {result.note or result.reason}")
            scores.append(None)
        else:
            scores.append(result)
    return Parsed(tuple(scores), reason, tuple(notes))


def _one_object(found: Value) -> dict[str, Any] | Failure:
    """Return the object itself, or the one object of a list."""
    value = found.value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0]
    if isinstance(value, dict):
        return value
    return Failure("unreadable: not one JSON object", f"a list of {len(value)}")


def _score(given: dict[str, Any], name: str, rules: Rules) -> float | Failure:
    """Return the score under a name, a number or a label; text holding a number is accepted."""
    if name not in given or given[name] is None:
        return NOTHING
    value = given[name]
    if rules.levels:
        score = label_value(value, rules.levels) if isinstance(value, str) else None
        return Failure("unreadable: unknown label", quoted(str(value))) if score is None else score
    if isinstance(value, float):
        return rules.misfit(value) or value
    if isinstance(value, str) and not rules.exact:
        result = read_number(cleaned(value), rules) if value.strip() else NOTHING
        return result.value if isinstance(result, Found) else result
    return Failure("unreadable: no number", f"a {_KINDS.get(type(value), 'value')}")


_KINDS = {bool: "truth value", str: "text", list: "list", dict: "object"}


def locate_json(text: str, rules: Rules) -> tuple[int, int] | None:
    """Return where the score of the only outcome stands; None where that is not clear."""
    name = re.escape(rules.outcomes[0])
    found = re.findall(rf'"\s{{0,3}}{name}\s{{0,3}}"\s{{0,9}}:\s{{0,9}}', text, re.IGNORECASE)
    if len(rules.outcomes) != 1 or len(found) != 1:
        return None
    start = text.index(found[0]) + len(found[0])
    value = re.compile(r'"?([^",}\n]{1,80}?)"?\s{0,9}[,}\n]').match(text, start)
    return value.span(1) if value else None
