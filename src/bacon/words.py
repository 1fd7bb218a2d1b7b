"""Names in sentences, as a terminal can show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["escaped", "listed", "shown"]


def escaped(text: str) -> str:
    """Return the text with everything that is not to be seen as escapes."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def shown(text: str, most: int) -> str:
    """Return the text escaped and cut to at most `most` characters."""
    text = escaped(text)
    return text if len(text) <= most else text[: most - 3] + "..."


def listed(names: Iterable[str], most: int = 5, longest: int = 40) -> str:
    """Return names with commas between them, those beyond `most` as a number."""
    every = list(names)
    told = ", ".join(shown(name, longest) for name in every[:most])
    return told + (f" and {len(every) - most:,} more" if len(every) > most else "")
