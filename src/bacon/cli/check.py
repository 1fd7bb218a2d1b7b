"""`bacon check`: reads any results file and says what to run next."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from bacon.cli.output import say, say_json

__all__ = ["check_command"]


def check_command(
    pool: Annotated[Path, typer.Argument(help="Any results file.", show_default=False)],
    label: Annotated[
        str | None, typer.Option(help="Column of the human labels, if not the one found.")
    ] = None,
    na: Annotated[list[str] | None, typer.Option(help="Values that mean missing; repeat.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Read a results file: roles of its columns, what they say, the command to run next."""
    from bacon.cli.label_options import SCORE
    from bacon.data.design_file import design_path
    from bacon.inspection.findings import find
    from bacon.inspection.record import check_record
    from bacon.inspection.report import check_text
    from bacon.inspection.roles import infer_roles
    from bacon.inspection.suggestion import suggest
    from bacon.io.tables import read_table

    table = read_table(pool)
    if label is None and design_path(pool).exists() and SCORE in table.frame.columns:
        label = SCORE  # of a labelling sheet it holds what people say, and no judge's scores
    roles = infer_roles(table, label=label, na=tuple(na or ()))
    findings = find(table, roles)
    suggestion = suggest(pool, roles, findings)
    if as_json:
        say_json(check_record(table.source, roles, findings, suggestion))
        return
    # Lines of less than 80 characters waste a screen, longer ones than 120 are hard to read.
    width = min(max(shutil.get_terminal_size().columns, 80), 120)
    say(check_text(table.source, roles, findings, suggestion, width=width))
