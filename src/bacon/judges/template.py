"""User templates: text with ``{field}`` names, filled once and never read again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Template"]

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Template:
    """A template in pieces: plain text and names of fields by turns, plain text first and last.

    Examples
    --------
    >>> template = Template.of("Essay: {text} ({{sic}})", where="prompt")
    >>> template.fields
    ('text',)
    >>> template.filled({"text": "a {text} {0.__class__}"})
    'Essay: a {text} {0.__class__} ({sic})'
    """

    pieces: tuple[str, ...]

    @classmethod
    def of(cls, text: str, *, where: str) -> Template:
        """Return the template that `text` writes.

        Raises
        ------
        InputError
            A brace that names no field; `where` says whose template it is.
        """
        pieces = [""]
        end = 0
        for match in _PIECE.finditer(text):
            pieces[-1] += text[end : match.start()]
            end = match.end()
            if match[0] in ("{{", "}}"):
                pieces[-1] += match[0][0]
            elif match[1] is not None and _NAME.fullmatch(match[1]):
                pieces += [match[1], ""]
            else:
                raise InputError(
                    f"{where}: {shown(match[0], 40)!r} in the user template names no field; write "
                    "{name} for a field of the item, and {{ or }} for a brace."
                )
        pieces[-1] += text[end:]
        return cls(tuple(pieces))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields, each once, in order of appearance."""
        return tuple(dict.fromkeys(self.pieces[1::2]))

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with values in the fields' places, braces in values left alone."""
        pieces = list(self.pieces)
        pieces[1::2] = [values[name] for name in self.pieces[1::2]]
        return "".join(pieces)
