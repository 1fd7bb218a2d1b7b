"""Whether a number, a number word or a label stands where a score stands."""

from __future__ import annotations

import re

__all__ = ["hedged", "stands_as_score"]

_NEAR = 80
"""Characters before a candidate that are looked at."""

_OPENING = r"[\s\"'(\[{<|.]*"

# What follows a colon is the score whatever comes then.
_MARKED = re.compile(rf"[:=]{_OPENING}$")
_START = re.compile(r"(?:^|\n)[\s\"'(\[{<|>.-]*$")
# After these it is the score only if no noun follows: "is a 4", not "is 4 paragraphs long".
_SCORE = re.compile(
    rf"\b(?:(?:score|rating|answer|verdict|mark|evaluation|assessment)s?(?:\s+an?)?|"
    rf"(?:score|rating|grade|mark|points?|answer|result|verdict|evaluation|assessment|rank|level)s?"
    rf"\s+(?:is|of|as|at|be|was|would be|equals)(?:\s+an?)?){_OPENING}(?:[>-]{_OPENING})?$",
    re.IGNORECASE,
)
_VERB = re.compile(
    rf"\b(?:is|be|was|it|this|essay|as|at|say|choose|chose|select|pick|give|given|gave|assign|"
    rf"assigned|rate|rated|award|awarded|deserves?|earns?|gets?|receives?|merits?|scores?|scored|"
    rf"an?|eine?|une?|una|uma|um|about|around|roughly|approximately){_OPENING}$",
    re.IGNORECASE,
)
_END = (
    r"\s*(?:$|\n|[.,;:!?)\]}\"'|=<>(/]|-\s|(?:out of|of\s\d|points?|stars?)\b|[\u5206\u70b9\uc810])"
)
_NO_NOUN = re.compile(
    rf"{_END}|\s+\d|\s+(?:because|since|due|for|as|based|overall|and|but|with|given|in|on|here|from)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\s+[^\W\d_a-z]")
_STOPS = re.compile(_END, re.IGNORECASE)

# A level by name with its number behind it, and nothing else: "Above average (4)".
_NAMED = re.compile(r"\n\s*[^\W\d][\w ,-]{0,30}\(\s*$")
_NAMED_END = re.compile(r"\s*\)\W*$")

_TAG = re.compile(r"<\w{1,20}>\s*$")
_HEDGE = re.compile(
    r"(?:[<>≤≥]|\b(?:than|at least|at most|above|below|over|under|beyond|almost|nearly|close to|"
    r"short of|minimum of|maximum of|up to|instead of|(?:could|might|would|should) have been)\b"
    r"(?:\s+(?:an?|the))?)[\s\"'(\[]*$"
    r"|(?:\b(?:not|never|hardly|barely|cannot|no|isn|neither|nor)\b|n't\b)[^.,;:!?\n]{0,40}$",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"[+-](?:\s|$)|\s{0,3}(?:or (?:so|more|less|higher|lower|better|worse|above|below)|"
    r"at (?:best|most|least)|and (?:above|up|below)|minimum|maximum|plus|minus|if|unless)\b",
    re.IGNORECASE,
)


def stands_as_score(clean: str, start: int, end: int, *, word: bool = False) -> bool:
    """Whether characters `start` to `end` of cleaned text stand where a score stands.

    Parameters
    ----------
    clean : str
        Cleaned text.
    start, end : int
        Place of the candidate.
    word : bool
        Whether it is a word, which at the start of a line may be plain prose ("One of ...").
    """
    before = _before(clean, start)
    after = clean[end : end + _NEAR]
    stops = _STOPS.match(after) is not None
    if _MARKED.search(before):
        return stops or not word
    no_noun = stops if word else _NO_NOUN.match(after) is not None
    if _START.search(before):
        return no_noun or (not word and _CAPITAL.match(after) is not None)
    if _NAMED.match(before):
        return _NAMED_END.match(after) is not None
    return no_noun and (_SCORE.search(before) or _VERB.search(before)) is not None


def hedged(clean: str, start: int, end: int) -> bool:
    """Whether the candidate is denied or made a bound: "not a 4", "at least 4", "4 or more"."""
    if _BOUND.match(clean[end : end + _NEAR]):
        return True
    # "<4>" is a placeholder filled in, not a bound.
    before = _TAG.sub("", _before(clean, start))
    return clean[end : end + 1] != ">" and _HEDGE.search(before) is not None


def _before(clean: str, start: int) -> str:
    """Return what stands just before, with a line break first where the text begins there."""
    return clean[start - _NEAR : start] if start > _NEAR else "\n" + clean[:start]
