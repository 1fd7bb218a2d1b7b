"""Whether the parts of a prompt fit together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.judges.parsers import PARSERS
from bacon.judges.parsers.label import label_key
from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.judges.prompt import Prompt

__all__ = ["check_parts"]


def check_parts(prompt: Prompt) -> None:
    """Refuse a prompt whose parts do not fit together.

    Raises
    ------
    InputError
        With the part and how to mend it.
    """
    _check_parser(prompt)
    _check_levels(prompt)
    _check_scale(prompt)
    _check_fields(prompt)


def _check_parser(prompt: Prompt) -> None:
    """Refuse an unknown parser and outcomes that it cannot read."""
    if prompt.parser not in PARSERS:
        raise InputError(
            f"prompt {prompt.name}: there is no parser {prompt.parser!r}; choose one of "
            f"{', '.join(PARSERS)}."
        )
    names = [label_key(name) for name in prompt.outcomes]
    if not names or not all(names) or len(set(names)) < len(names):
        raise InputError(
            f"prompt {prompt.name}: outcomes must be different names, at least one; got "
            f"{listed(prompt.outcomes) or 'none'}."
        )
    if len(names) > 1 and prompt.parser not in ("lines", "json"):
        raise InputError(
            f"prompt {prompt.name}: the parser {prompt.parser} reads one score, and there are "
            f"{len(names)} outcomes; use the parser lines or json."
        )
    if prompt.max_tokens < 1:
        raise InputError(
            f"prompt {prompt.name}: max_tokens must be 1 or more; got {prompt.max_tokens}."
        )


def _check_scale(prompt: Prompt) -> None:
    """Refuse a scale that is none, or that the parser cannot read."""
    low, high = prompt.limits
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(
            f"prompt {prompt.name}: scale must be two numbers, the lower first, such as [1, 6]; "
            f"got {low:g} and {high:g}."
        )
    if prompt.whole and not prompt.levels and (low != int(low) or high != int(high)):
        raise InputError(
            f"prompt {prompt.name}: a scale of whole numbers has whole ends; got {low:g} and "
            f"{high:g}. Give it whole ends, or use the parser number or json."
        )
    if prompt.parser == "digit" and not (prompt.whole and low >= 0 and high <= 9):
        raise InputError(
            f"prompt {prompt.name}: the parser digit reads one digit, 0 to 9, and the scale runs "
            f"from {low:g} to {high:g}; use the parser number."
        )


def _check_levels(prompt: Prompt) -> None:
    """Refuse levels that are no list of different labels, or where none belong."""
    if prompt.parser == "label" and len(prompt.levels) < 2:
        raise InputError(f"prompt {prompt.name}: the parser label needs two levels or more.")
    if prompt.levels and prompt.parser not in ("label", "json"):
        raise InputError(
            f"prompt {prompt.name}: levels are read by the parsers label and json; this prompt "
            f"has the parser {prompt.parser}."
        )
    keys: Sequence[str] = [label_key(label) for label, _ in prompt.levels]
    for position, key in enumerate(keys):
        if not key or key in keys[:position]:
            raise InputError(
                f"prompt {prompt.name}: level {shown(prompt.levels[position][0], 40)!r} is empty "
                "or reads like another one; case, spaces and * _ ` # make no difference."
            )


def _check_fields(prompt: Prompt) -> None:
    """Refuse item texts in the system message, and templates that show nothing of an item."""
    leaked = [name for name in prompt.fields if "{" + name + "}" in prompt.system]
    if leaked:
        raise InputError(
            f"prompt {prompt.name}: the system message names the field {leaked[0]!r}; texts of "
            "items go into the user template alone, where they are fenced."
        )
    if not prompt.fields and not prompt.images:
        raise InputError(
            f"prompt {prompt.name}: the user template shows nothing of an item; name a field "
            "such as {text}, or set images = true."
        )
