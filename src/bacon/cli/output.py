"""What a command prints: text from files never reaches the terminal as a command to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import typer

from bacon.words import escaped

__all__ = ["say", "say_json"]


def say(text: str, *, err: bool = False) -> None:
    """Print lines of text, with signs that are not to be seen as escapes."""
    typer.echo("\n".join(escaped(line) for line in text.split("\n")), err=err)


def say_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object on one line, with signs that are not to be seen as JSON escapes."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    typer.echo("".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text))
