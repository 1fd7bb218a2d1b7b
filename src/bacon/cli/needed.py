"""What a command needs to be told before it can calibrate."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NoReturn

from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.io.tables import Table

__all__ = ["has_judges", "need_roles", "one_design", "refuse_unnamed_judges"]


def one_design(**given: object) -> None:
    """Refuse two words on how the labels were drawn."""
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} each say how the labels were drawn; give one.")


def has_judges(table: Table) -> bool:
    """Whether columns have the usual name of judges."""
    return any(column.startswith("judge_") for column in table.frame.columns)


def need_roles(table: Table, *, judges: list[str] | None, model: str, has_labels: bool) -> None:
    """Refuse a missing role, naming the column that looks like it."""
    from bacon.inspection.roles import likely

    if not has_labels:
        found = likely(table, "label")
        hint = f": column {found} looks like them, add --label {found}" if found else ""
        raise InputError(
            f"{table.source}: no labels named; give --label COLUMN, --labels FILE or --sample "
            f"SHEET{hint}."
        )
    if not judges and model != "human-only" and not has_judges(table):
        refuse_unnamed_judges(table, likely(table, "judges"))


def refuse_unnamed_judges(table: Table, found: str | None) -> NoReturn:
    """Refuse a table without a column called judge_*; `found` look like judges."""
    hint = f"; these look like judges, add --judges {shlex.quote(found)}" if found else ""
    raise InputError(
        f"{table.source}: no column is called judge_*, so name the judges: --judges GLOB{hint}."
    )
