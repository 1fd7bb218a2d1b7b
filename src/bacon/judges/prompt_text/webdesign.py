"""A homepage on six dimensions, six lines from -3 to 3."""

from __future__ import annotations

__all__ = ["KINDS", "OUTCOMES", "SYSTEM", "user_text"]

OUTCOMES = ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")

KINDS = {
    "university": "a university or college",
    "bank": "a commercial bank",
    "fashion": "an online fashion shop",
    "homeware": "an online homeware shop",
}
"""Whose homepage it is."""

SYSTEM = """\
You rate the design of homepages from screenshots, as a visitor sees them at first sight. You give
six scores, each a whole number from -3 (not at all) through 0 (neither) to 3 (very much)."""


def user_text(kind: str) -> str:
    """Return what is asked of the homepage of a kind of site."""
    owner = KINDS[kind]
    return f"""\
The screenshot shows the homepage of {owner}. Rate it on these dimensions:

AE, aesthetics: the design as a whole is pleasing to look at.
TRU, trustworthiness: the site seems credible and can be trusted.
TYP, typicality: it looks as one expects the homepage of {owner} to look.
EXMPL, exemplar goodness: it would serve as a good example of the homepage of {owner}.
AVG, family resemblance: it has much in its looks in common with other homepages of its kind.
US, usability: it is easy to understand and to find one's way in.

Answer in exactly six lines, a whole number from -3 to 3 in the place of each n, nothing else:
AE: n
TRU: n
TYP: n
EXMPL: n
AVG: n
US: n"""
