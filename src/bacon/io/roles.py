"""From what a user names (columns, globs, lists) to columns."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from bacon.errors import InputError

__all__ = ["as_list", "group_runs", "nearest", "resolve_column", "resolve_columns"]

Names = str | Sequence[str]
"""A name, a glob, several with commas between them, or a list of these."""

UNCERTAINTY = re.compile(
    r"(?P<scored>.+)__"
    r"(?P<kind>entropy|logppl|expected|logprob|status|model|prompt|version)"
)
"""Columns that tell how sure a judge was, or what it was; a glob never takes them for scores."""

RUN = re.compile(r"(?P<judge>.+)_run(?P<number>\d+)")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a half-sentence with the known name most like `name`, or nothing."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[close[0]]}?)" if close else ""


def as_list(names: Names, columns: Collection[str] = ()) -> list[str]:
    """Split names at commas, but for a column whose own name has one."""
    if isinstance(names, str):
        names = [names] if names in columns else names.split(",")
    return [name if name in columns else name.strip() for name in names if name.strip()]


def _listing(columns: Sequence[str], most: int = 20) -> str:
    """Return the columns for a message, shortened."""
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _is_glob(name: str) -> bool:
    return any(sign in name for sign in "*?[")


def resolve_column(name: str, columns: Sequence[str], *, role: str, source: str) -> str:
    """Return `name` if it is a column.

    Parameters
    ----------
    name : str
        Column asked for.
    columns : sequence of str
        Columns there are.
    role, source : str
        What the column is for and where it was looked for, for the message.
    """
    if name in columns:
        return name
    raise InputError(
        f"{source} has no column {name} for the {role}{nearest(name, columns)}; "
        f"its columns are {_listing(columns)}."
    )


def resolve_columns(
    names: Names,
    columns: Sequence[str],
    *,
    role: str,
    source: str,
    taken: Collection[str] = (),
) -> list[str]:
    """Return the columns that `names` stands for, in the order given, each once.

    Parameters
    ----------
    names : str or sequence of str
        Names and globs; a string may hold several with commas between them.
    columns : sequence of str
        Columns there are.
    role, source : str
        What the columns are for and where they were looked for, for messages.
    taken : collection of str
        Columns a glob leaves alone because they have another role. Columns of a judge's
        uncertainty are left alone as well.

    Raises
    ------
    InputError
        If a name is no column, a glob takes none, or nothing is named.
    """
    found: dict[str, None] = {}
    wanted = as_list(names, columns)
    if not wanted:
        raise InputError(f"No column is named for the {role}; {source} has {_listing(columns)}.")
    for name in wanted:
        runs = [c for c in columns if name not in columns and _run_of(c) == name]
        if runs and role == "judges":
            found.update(dict.fromkeys(runs))
            continue
        if name in columns or not _is_glob(name):
            found[resolve_column(name, columns, role=role, source=source)] = None
            continue
        matched = [column for column in columns if fnmatchcase(column, name)]
        free = [c for c in matched if c not in taken and not UNCERTAINTY.fullmatch(c)]
        if matched and not free:
            raise InputError(
                f"In {source}, {name!r} for the {role} matches only columns with another role "
                f"({_listing(matched, 5)}); name a column in full to take it all the same."
            )
        if not free:
            raise InputError(
                f"In {source}, no column matches {name!r} for the {role}"
                f"{nearest(re.sub('[][*?]', '', name), columns)}; its columns are "
                f"{_listing(columns)}."
            )
        found.update(dict.fromkeys(free))
    return list(found)


def _run_of(column: str) -> str | None:
    """Return the judge whose run a column is, None where it is none."""
    matched = RUN.fullmatch(column)
    return None if matched is None else matched["judge"]


def group_runs(columns: Sequence[str], source: str) -> dict[str, list[str]]:
    """Return the columns of each judge: ``<judge>_run<k>`` are runs of one, nothing else.

    Raises
    ------
    InputError
        If a judge has both a column of its own name and runs.
    """
    runs: dict[str, list[tuple[int, str]]] = {}
    for column in columns:
        match = RUN.fullmatch(column)
        judge, number = (match["judge"], int(match["number"])) if match else (column, -1)
        runs.setdefault(judge, []).append((number, column))
    for judge, members in runs.items():
        members.sort()
        if len(members) > 1 and members[0][0] < 0:
            raise InputError(
                f"{source} has {judge} and its runs {members[1][1]} ...: is {judge} their mean or "
                f"one more run? Name the runs alone (such as {judge}_run*), or {judge} alone."
            )
    return {judge: [column for _, column in members] for judge, members in runs.items()}
