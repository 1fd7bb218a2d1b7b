"""Tables in Markdown: text from files as text, and figures with their Monte Carlo intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["in_markdown", "markdown_table", "number", "told"]

SIGNS = "\\`*_[]<>|#!"
"""What Markdown would take for a command."""


def in_markdown(text: str) -> str:
    r"""Return text from a file as Markdown shows it.

    Examples
    --------
    >>> print(in_markdown("<b>a|b"))
    \<b\>a\|b
    """
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in escaped(text))


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; its cells are Markdown already."""
    return [
        f"| {' | '.join(head)} |",
        "|" + "---|" * len(head),
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many decimals, a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def told(row: Mapping[str, Any], name: str) -> str:
    """Return a figure with its 99 % Monte Carlo interval, a dash where there is none."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if value is None:
        return "-"
    return number(value) if low is None else f"{value:.3f} ({low:.3f}-{high:.3f})"
