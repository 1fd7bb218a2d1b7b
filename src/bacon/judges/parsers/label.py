"""One label of a list."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from bacon.judges.parsers.cleaning import cleaned
from bacon.judges.parsers.numbers import MOST, NO_SCORE, SEVERAL
from bacon.judges.parsers.places import hedged, stands_as_score
from bacon.judges.parsers.refusal import refusal
from bacon.judges.parsers.rules import EMPTY, REFUSED, Failure, Found, Rules, quoted

__all__ = ["label_key", "label_value", "read_label"]


def label_key(text: str) -> str:
    """Return a label as labels are compared: without marks, case or doubled spaces."""
    return " ".join(cleaned(text).split()).casefold()


def label_value(text: str, levels: tuple[tuple[str, float], ...]) -> float | None:
    """Return the score of a text that is a label and nothing else.

    Examples
    --------
    >>> label_value(" **Good** ", (("bad", 1.0), ("good", 2.0)))
    2.0
    """
    key = label_key(text.strip(" \t\r\n.\"'*`"))
    return next((value for label, value in levels if label_key(label) == key), None)


def read_label(clean: str, rules: Rules) -> Found | Failure:
    """Return the one label that cleaned text names, or why there is none."""
    if not clean.strip():
        return Failure(EMPTY)
    keys = {label_key(label): value for label, value in rules.levels}
    found = islice(_pattern(rules.levels).finditer(clean), MOST + 1)
    matches = [(label_key(match[0]), match.span()) for match in found]
    if len(matches) > MOST:
        return Failure(SEVERAL, f"more than {MOST} labels")
    declined = refusal(clean)
    if declined is not None and (not matches or declined < matches[0][1][0]):
        return Failure(REFUSED, quoted(clean[declined:]))
    return _one_of(clean, matches, keys) if matches else Failure(NO_SCORE, quoted(clean))


def _one_of(
    clean: str, matches: list[tuple[str, tuple[int, int]]], keys: dict[str, float]
) -> Found | Failure:
    """Return the label on which all matches agree and one of which stands as an answer."""
    if len({key for key, _ in matches}) > 1:
        first = matches[0][0]
        other = next(key for key, _ in matches if key != first)
        return Failure(SEVERAL, f"{quoted(first)} and {quoted(other)}")
    if any(hedged(clean, *span) for _, span in matches):
        return Failure("unreadable: no plain score", quoted(clean))
    for key, span in matches:
        if stands_as_score(clean, *span, word=True):
            return Found(keys[key], *span)
    return Failure(NO_SCORE, f"{quoted(matches[0][0])} stands among words: {quoted(clean)}")


@lru_cache(maxsize=64)
def _pattern(levels: tuple[tuple[str, float], ...]) -> re.Pattern[str]:
    """Return what finds any label, the longest first, as whole words."""
    ordered = sorted((label for label, _ in levels), key=len, reverse=True)
    each = [r"\s{1,3}".join(map(re.escape, cleaned(label).split())) for label in ordered]
    return re.compile(rf"(?<!\w)(?:{'|'.join(each)})(?!\w)", re.IGNORECASE)
