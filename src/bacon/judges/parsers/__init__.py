"""Parsers: the score of an answer, or why there is none. They never raise and never guess."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from bacon.judges.parsers.cleaning import cleaned
from bacon.judges.parsers.json_answer import locate_json, read_json
from bacon.judges.parsers.label import label_value, read_label
from bacon.judges.parsers.lines import read_lines
from bacon.judges.parsers.mqm import read_errors
from bacon.judges.parsers.numbers import lone_number, read_number
from bacon.judges.parsers.rules import CUT_OFF, EMPTY, LONGEST, Failure, Found, Rules
from bacon.judges.records import Parsed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PARSERS", "Rules", "locate", "parse", "token_value"]


def _one(read: Callable[[str, Rules], Found | Failure]) -> Callable[[str, Rules], Parsed]:
    """Return a parser of whole answers from one that reads cleaned text for one score."""

    def parser(text: str, rules: Rules) -> Parsed:
        found = read(cleaned(text), rules)
        return Parsed((found.value,)) if isinstance(found, Found) else rules.missing(found)

    return parser


PARSERS: dict[str, Callable[[str, Rules], Parsed]] = {
    "digit": _one(read_number),
    "number": _one(read_number),
    "label": _one(read_label),
    "lines": lambda text, rules: read_lines(cleaned(text), rules),
    "json": read_json,
    "mqm": read_errors,
}


def parse(text: str, *, parser: str, rules: Rules) -> Parsed:
    """Return the scores of an answer, or why one is missing.

    Parameters
    ----------
    text : str
        What the judge wrote; nothing in it is trusted.
    parser : str
        A name of PARSERS.
    rules : Rules
        The rules of the prompt.

    Examples
    --------
    >>> essay = Rules(("score",), 1.0, 6.0)
    >>> parse("Score: 4/6", parser="digit", rules=essay).scores
    (4.0,)
    >>> parse("4 or 5", parser="digit", rules=essay)
    Parsed(scores=(None,), reason='unreadable: several scores', notes=('4 and 5',))
    """
    if not text.strip():
        return rules.missing(Failure(EMPTY))
    if len(text) > LONGEST:
        return rules.missing(Failure("unreadable: too long", f"{len(text):,} characters"))
    parsed = PARSERS[parser](text, rules)
    if parsed.reason == EMPTY:
        # What there was were thoughts alone: the answer would have come after them.
        return rules.missing(Failure(CUT_OFF, "nothing after the thoughts"))
    return parsed


def locate(text: str, *, parser: str, rules: Rules) -> tuple[int, int] | None:
    """Return where the one score of an answer stands in it; None where there is no one place."""
    if parser == "json":
        return locate_json(text, rules)
    if parser in ("digit", "number", "label") and len(text) <= LONGEST:
        found = (read_label if parser == "label" else read_number)(cleaned(text), rules)
        return (found.start, found.end) if isinstance(found, Found) else None
    return None


@lru_cache(maxsize=4096)
def token_value(token: str, rules: Rules) -> float | None:
    """Return the score that a token is, all by itself; None where it is none.

    Examples
    --------
    >>> essay = Rules(("score",), 1.0, 6.0)
    >>> token_value("four", essay), token_value("7", essay), token_value("4th", essay)
    (4.0, None, None)
    """
    if rules.levels:
        return label_value(token, rules.levels)
    value = lone_number(cleaned(token))
    return None if value is None or rules.misfit(value) else value
