"""What a command prints: text from files never reaches the terminal as a command to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import typer

from bacon.words import escaped

__all__ = ["INTERRUPTED", "draws_shown", "say", "say_json"]

INTERRUPTED = 130
"""Exit code of what was stopped with Ctrl-C."""


def say(text: str, *, err: bool = False) -> None:
    """Print lines of text, with signs that are not to be seen as escapes."""
    typer.echo("\n".join(escaped(line) for line in text.split("\n")), err=err)


def say_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object on one line, with signs that are not to be seen as JSON escapes."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    typer.echo("".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text))


def draws_shown(done: int, total: int) -> None:
    """Show progress on one line of the terminal."""
    sys.stderr.write(f"\r{done:,} of {total:,} draws" + ("\n" if done >= total else ""))
    sys.stderr.flush()
