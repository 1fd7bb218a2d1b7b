"""Numbers and cells as a terminal can show them."""

from __future__ import annotations

import math
import textwrap

from bacon.words import escaped

__all__ = ["count_of", "counted", "number", "range_of", "wrapped"]


def number(value: float) -> str:
    """Return a number in few digits."""
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    if abs(value) >= 100 or value == round(value):
        # Adding zero makes -0 plain 0.
        return f"{round(value) + 0.0:,.0f}"
    return f"{value:.3g}"


def range_of(low: float, high: float) -> str:
    """Return a range, with the word "to" where a dash could be a minus."""
    if math.isnan(low):
        return "no values"
    if low == high:
        return f"always {number(low)}"
    # An end nearer to 0 than a thousandth of the span is 0.
    digits = 3 - math.floor(math.log10(high - low))
    low, high = round(low, digits), round(high, digits)
    return f"{number(low)}{'-' if low >= 0 else ' to '}{number(high)}"


def counted(n: int, what: str) -> str:
    """Return a number with its noun, such as "1 column" or "2 columns"."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def count_of(part: int, whole: int, what: str) -> str:
    """Return a count with its share, such as "112 missing (2.2 %)"."""
    return f"{part:,} {what} ({100 * part / whole:.1f} %)"


def wrapped(text: str, width: int, *, begin: str = "", hanging: str = "") -> list[str]:
    """Return the text escaped, in lines of at most `width`, a percent sign kept by its number."""
    lines = textwrap.wrap(
        escaped(text).replace(" %", "\0%"),
        width,
        initial_indent=begin,
        subsequent_indent=hanging,
        break_on_hyphens=False,
    )
    return [line.replace("\0%", " %") for line in lines] or [begin.rstrip()]
