"""Answers in which the judge declines to judge."""

from __future__ import annotations

import re

__all__ = ["refusal"]

_DEEDS = (
    "access|answer|assess|assign|assist|comply|continue|determine|do (?:that|this)|engage|evaluate|"
    "fulfil|fulfill|give|grade|help|judge|process|produce|provide|rate|read|respond|review|score|"
    "see|support|view"
)
_GAP = r"\s{1,9}"
# The judge itself declines: "the author cannot support the claim" is no refusal.
_WHO = (
    rf"(?:\b(?:I|we)(?:'m|'re|'d|{_GAP}(?:am|are|was|would|must|have to))?{_GAP}|(?:^|\n)\W{{0,9}})"
)
_NOT = (
    "can ?not|can't|could not|couldn't|won't|will not|would not|wouldn't|unable to|not able to|"
    "not comfortable|decline to|refuse to|not going to|do not|don't"
)
_HOW = "ethically|responsibly|fairly|currently|actually|really|directly|in good conscience"
_ENGLISH = (
    rf"{_WHO}(?:{_NOT})(?:{_GAP}(?:{_HOW}))?{_GAP}(?:to{_GAP})?"
    rf"(?:{_DEEDS}|{_DEEDS.replace('|', 'ing|')}ing|grading|rating|scoring|judging|giving)\b"
)
_OTHER = (
    r"\bI (?:cannot|can't|can not)\s{0,9}(?:[.,!]|$)|\bas an ai\b",
    r"\b(?:I'm|I am|we are)\s{1,9}(?:very |so |truly )?sorry\b|(?:^|\n)\W{0,9}sorry\b",
    r"\bit(?:'s| is| would)\s{1,9}not (?:be )?(?:possible|appropriate)\b",
    r"\bI (?:apologi[sz]e|decline|refuse)\b",
    r"\bes tut mir leid\b|\bich kann (?:das|dies|diesen|diese|hier|leider)\b",
    r"\bje ne peux pas\b|\bje suis désolée?\b|\blo siento\b|\bno puedo\b",
    r"\bnon posso\b|\bnão posso\b",
    # Russian, Chinese, Japanese, Korean, Arabic, Hindi.
    r"не могу\b|извините\b",
    r"抱歉|对不起|我无法|我不能|無法|申し訳|できません|죄송",
    r"عذرا|لا أستطيع|क्षमा करें|मैं नहीं",
)
_REFUSAL = re.compile("|".join((_ENGLISH, *_OTHER)), re.IGNORECASE)


def refusal(clean: str) -> int | None:
    """Return where a refusal begins in cleaned text; None where there is none.

    Examples
    --------
    >>> refusal("I cannot rate this essay.")
    0
    >>> refusal("I cannot find a single fault: 6") is None
    True
    """
    match = _REFUSAL.search(clean)
    return match.start() if match else None
