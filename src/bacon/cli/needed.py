"""What a command needs to be told before it can calibrate."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NoReturn

from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.data.notice import Notice
    from bacon.io.tables import Table

__all__ = ["has_judges", "need_roles", "one_design", "refuse_unnamed_judges", "unused_judges"]


def one_design(**given: object) -> None:
    """Refuse two words on how the labels were drawn."""
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(f"{' and '.join(named)} each say how the labels were drawn; give one.")


def has_judges(table: Table) -> bool:
    """Whether columns have the usual name of judges."""
    return any(column.startswith("judge_") for column in table.frame.columns)


def unused_judges(
    table: Table, judges: list[str] | None, taken: Iterable[str]
) -> tuple[Notice, ...]:
    """Tell of columns that look like judges where none are named and judge_* are taken.

    Parameters
    ----------
    table : Table
        The pool's file.
    judges : list of str or None
        Judges as named.
    taken : iterable of str
        Columns named for another role.
    """
    from bacon.inspection.columns import describe
    from bacon.inspection.judges import more_judges, names_a_score

    if judges or not has_judges(table):
        return ()
    others = set(taken)
    named = [one for one in table.frame.columns if names_a_score(one) and one not in others]
    told = more_judges([describe(table, name) for name in named], ())
    return () if told is None else (told,)


def need_roles(table: Table, *, judges: list[str] | None, model: str, has_labels: bool) -> None:
    """Refuse a missing role, naming the column that looks like it."""
    from bacon.inspection.roles import likely

    if not has_labels:
        found = likely(table, "label")
        hint = (
            f": column {found} looks like them, add --label {shlex.quote(found)}" if found else ""
        )
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
