"""Answers in plain characters, every character staying at its place."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["STRANGE", "THOUGHTS", "cleaned"]

STRANGE = "\u00a4"
"""Stands for signs that are numbers but no digits, such as one half or a superscript."""

THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\$?\\boxed\{([^{}]*)\}\$?")


class _Signs(dict[int, str]):
    """Plain character for every code point, worked out when first met."""

    def __missing__(self, point: int) -> str:
        self[point] = _plain(chr(point))
        return self[point]


def _plain(sign: str) -> str:
    """Return the character that a parser reads for `sign`."""
    category = unicodedata.category(sign)
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    if category in ("No", "Nl"):
        return STRANGE
    if "\uff01" <= sign <= "\uff5e":
        return chr(ord(sign) - 0xFEE0)
    # Variation selectors come after the digit of an emoji.
    if (category in _SPACES and sign not in _BREAKS) or "\ufe00" <= sign <= "\ufe0f":
        return " "
    return next((plain for plain, likes in _LIKES if sign in likes), sign)


_SPACES = ("Zs", "Cc", "Cf", "Me")
_BREAKS = "\n\r\x0b\x0c\x85"
_LIKES = (
    ("\n", _BREAKS + "\u2028\u2029"),
    (" ", "*_`#"),
    ("-", "\u2212\u2010\u2011\u2012\u2013\u2014\u2015\ufe63"),
    (":", "\ufe55\ua789"),
    ("'", "\u2018\u2019\u00b4"),
    ('"', "\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d"),
    ("[", "\u3010"),
    ("]", "\u3011"),
    (".", "\u3002"),
    ("/", "\u2044\u2215"),
    (",", "\u3001\u066b"),
)
_SIGNS = _Signs()


def cleaned(text: str) -> str:
    r"""Return `text` with plain digits, spaces and signs, as long as before.

    Decimal digits of every script become ASCII digits; markdown marks, invisible characters and
    a block of thoughts at the start become spaces.

    Examples
    --------
    >>> cleaned("**Score:** \u0664")
    '  Score:   4'
    """
    thoughts = THOUGHTS.match(text)
    if thoughts:
        text = " " * thoughts.end() + text[thoughts.end() :]
    if "\\boxed" in text:
        text = _BOXED.sub(_unboxed, text)
    return text.translate(_SIGNS)


def _unboxed(match: re.Match[str]) -> str:
    """Return what a LaTeX box holds, with spaces where the box was."""
    before = match.start(1) - match.start()
    return " " * before + match[1] + " " * (match.end() - match.end(1))
