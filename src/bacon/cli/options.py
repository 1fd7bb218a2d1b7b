"""Options that several commands share, word for word."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["IdColumn", "JudgeColumn", "Missing", "RunColumn", "TextColumn"]

IdColumn = Annotated[str | None, typer.Option("--id", help="Column of the item ids.")]
TextColumn = Annotated[str | None, typer.Option("--text", help="Column with the item's text.")]
JudgeColumn = Annotated[
    str | None, typer.Option("--judge-column", help="Long file: column that names the judge.")
]
RunColumn = Annotated[
    str | None, typer.Option("--run-column", help="Long file: column that numbers the run.")
]
Missing = Annotated[
    list[str] | None, typer.Option("--na", help="Values that mean missing; repeat.")
]
