"""The one number of an answer, with words around it or without."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from bacon.judges.parsers.cleaning import STRANGE
from bacon.judges.parsers.places import hedged, stands_as_score
from bacon.judges.parsers.refusal import refusal
from bacon.judges.parsers.rules import EMPTY, REFUSED, Failure, Found, Rules, quoted

__all__ = ["NO_SCORE", "SEVERAL", "amount", "lone_number", "read_number"]

NO_SCORE = "unreadable: no score"
SEVERAL = "unreadable: several scores"
OTHER_SCALE = "unreadable: another scale"

MOST = 100
"""An answer with more numbers names no one score."""

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ANY_WORD = "|".join(_WORDS)
_DIGITS = re.compile(r"(?:(?<![\w.)\]])[+-])?\d+(?:[.,]\d+)*")
_WORD = re.compile(rf"(?<![\w-])(?:{_ANY_WORD})(?![\w-])", re.IGNORECASE)
_MINUS = re.compile(r"(?:minus|negative)\s+$", re.IGNORECASE)
_JOIN = r"(?:or|to|and|through|[/-])"
_JOINED_BEFORE = re.compile(rf"(?:\d|\b(?:{_ANY_WORD}))\s*{_JOIN}\s*$", re.IGNORECASE)
_JOINED_AFTER = re.compile(rf"\s*{_JOIN}\s*(?:\d|(?:{_ANY_WORD})\b)", re.IGNORECASE)
_OUT_OF = re.compile(
    rf"\s*[(\[]?\s*(?:/|out of|of(?: the)?)\s*(?P<top>-?\d+(?:[.,]\d+)*|(?:{_ANY_WORD})\b)",
    re.IGNORECASE,
)
_POINTS = "\u5206\u70b9\uc810"
_ATTACHED = (STRANGE, "%", "$", "\u20ac")
_NUMBER_IN_FULL = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


MOST_WORDS = 1000
"""Number words that are looked at, so that no answer takes long."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A number in an answer; value None where it is no plain number ("4th", "1.2.3")."""

    value: float | None
    start: int
    end: int
    word: bool = False


def amount(text: str) -> float | None:
    """Return the value of a plain number such as 4, -2, 4.0 or 4,5; None for any other text.

    Examples
    --------
    >>> amount("4.0"), amount("1,000"), amount("4,5"), amount("1.2.3")
    (4.0, 1000.0, 4.5, None)
    """
    if len(text) > 18:
        return None
    if re.fullmatch(r"[+-]?\d{1,3}(?:,\d{3})+", text):
        return float(text.replace(",", ""))
    return float(text.replace(",", ".")) if _NUMBER_IN_FULL.fullmatch(text) else None


def lone_number(clean: str) -> float | None:
    """Return the value of cleaned text that is a number, in digits or as a word, and no more."""
    told = clean.strip().lower()
    return float(_WORDS.index(told)) if told in _WORDS else amount(told)


def read_number(clean: str, rules: Rules) -> Found | Failure:
    """Return the one score that cleaned text holds, or why there is none.

    Every number of the text has to be that score: two different ones are a contradiction,
    wherever they stand. Only the scale itself ("on a scale of 1 to 6", "4/6") may be named.
    """
    told = clean.strip()
    if not told:
        return Failure(EMPTY)
    if told.isdigit() and len(told) < 10:
        # The usual answer, read without further ado.
        start = clean.index(told)
        value = float(told)
        return rules.misfit(value) or Found(value, start, start + len(told))
    return _among_words(clean, rules)


def _among_words(clean: str, rules: Rules) -> Found | Failure:
    """Return the one score that text holds among words and signs."""
    text = _without_scale(clean, rules)
    candidates = _numbers(text)
    if len(candidates) > MOST:
        return Failure(SEVERAL, f"more than {MOST} numbers")
    declined = refusal(text)
    if declined is not None and (not candidates or declined < candidates[0].start):
        return Failure(REFUSED, quoted(clean[declined:]))
    other = _on_another_scale(text, candidates, rules)
    if other:
        return other
    ends = _same_out_of(text, candidates, rules)
    candidates = [each for each in candidates if each.start not in ends]
    if not candidates:
        return Failure(NO_SCORE, quoted(clean))
    return _one_of(text, candidates, rules)


def _one_of(text: str, candidates: list[_Candidate], rules: Rules) -> Found | Failure:
    """Return the score on which all candidates agree and one of which stands as one."""
    values = {each.value for each in candidates}
    first = candidates[0]
    if len(values) > 1:
        last = next(each for each in candidates if each.value != first.value)
        several = f"{text[first.start : first.end][:20]} and {text[last.start : last.end][:20]}"
        return Failure(SEVERAL, several)
    if first.value is None:
        return Failure("unreadable: no plain number", quoted(text[first.start : first.end + 3]))
    misfit = rules.misfit(first.value)
    if misfit:
        return misfit
    if any(hedged(text, each.start, each.end) for each in candidates):
        return Failure("unreadable: no plain score", quoted(text[max(first.start - 15, 0) :]))
    for each in candidates:
        if stands_as_score(text, each.start, each.end, word=each.word):
            return Found(first.value, each.start, each.end)
    return Failure(NO_SCORE, f"{first.value:g} stands among words: {quoted(text)}")


def _numbers(text: str) -> list[_Candidate]:
    """Return the numbers of the text in order, with those words that stand for a score."""
    found = [_of_digits(text, match) for match in islice(_DIGITS.finditer(text), MOST + 1)]
    found += [
        _of_word(text, match)
        for match in islice(_WORD.finditer(text), MOST_WORDS)
        if _counts(text, match.start(), match.end())
    ]
    return sorted(found, key=lambda each: each.start)


def _of_digits(text: str, match: re.Match[str]) -> _Candidate:
    """Return the number that digits make; none where letters, % or the like are attached."""
    start, end = match.span()
    digits = match[0].lstrip("+-")
    first = end - len(digits)
    neighbours = (text[first - 1 : first] if first else "") + text[end : end + 1]
    attached = any(
        (sign.isalpha() and sign not in _POINTS) or sign in _ATTACHED for sign in neighbours
    )
    attached = attached or text[first - 1 : first] in (".", ",")
    value = None if attached else amount(match[0])
    if value is not None and first == start:
        value, start = _signed(text, start, value)
    return _Candidate(value, start, end)


def _of_word(text: str, match: re.Match[str]) -> _Candidate:
    """Return the number that a word names."""
    value, start = _signed(text, match.start(), float(_WORDS.index(match[0].lower())))
    return _Candidate(value, start, match.end(), word=True)


def _signed(text: str, start: int, value: float) -> tuple[float, int]:
    """Return the value, negative after the word minus, and where it begins."""
    near = max(start - 12, 0)
    minus = _MINUS.search(text[near:start])
    return (-value, near + minus.start()) if minus else (value, start)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether a number word is a score, or is joined to another number ("4 or five")."""
    before = text[max(start - 24, 0) : start]
    signed = _MINUS.search(before)
    return (
        stands_as_score(text, start - (len(signed[0]) if signed else 0), end, word=True)
        or _JOINED_BEFORE.search(before) is not None
        or _JOINED_AFTER.match(text[end : end + 24]) is not None
    )


def _without_scale(clean: str, rules: Rules) -> str:
    """Return the text with mentions of the whole scale turned into spaces."""
    if not (rules.low == int(rules.low) and rules.high == int(rules.high)):
        return clean
    low, high = int(rules.low), int(rules.high)
    gap = r"\s{0,3}"
    ends = rf"{low}{gap}(?:-|to|through|and|\.\.\.?){gap}\+?{high}(?![\w.,]*\d)"
    mention = re.compile(
        rf"\b(?:scale|range){gap}(?:of|from|is|between|:)?{gap}(?:from|between)?{gap}"
        rf"[(\[]?{ends}[)\]]?|(?<![\w-]){ends}{gap}(?:scale|range)\b|\bfrom{gap}{ends}"
        rf"|[(\[]{gap}(?:scale:?{gap})?{ends}{gap}[)\]]|\({gap}(?:out of|/){gap}{high}{gap}\)",
        re.IGNORECASE,
    )
    return mention.sub(lambda match: " " * len(match[0]), clean)


def _top(match: re.Match[str]) -> float | None:
    """Return the number after "out of"."""
    top = match["top"].lower()
    return float(_WORDS.index(top)) if top in _WORDS else amount(top)


def _on_another_scale(text: str, candidates: list[_Candidate], rules: Rules) -> Failure | None:
    """Refuse "4/5" where the scale ends at 6."""
    for each in candidates:
        match = _OUT_OF.match(text[each.end : each.end + 40])
        if match and _top(match) != rules.high:
            told = text[each.start : each.end + match.end()]
            return Failure(OTHER_SCALE, f"{quoted(told)}, where the scale ends at {rules.high:g}")
    return None


def _same_out_of(text: str, candidates: list[_Candidate], rules: Rules) -> set[int]:
    """Return where the 6 of "4/6" stands, which is no second score."""
    ends = set()
    for each in candidates:
        match = _OUT_OF.match(text[each.end : each.end + 40])
        if match and _top(match) == rules.high:
            ends.add(each.end + match.start("top"))
    return ends
