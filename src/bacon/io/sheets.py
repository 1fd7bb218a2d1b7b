"""The labelling sheets of a draw in stages, read as one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bacon.errors import DesignError
from bacon.io.samples import read_sample
from bacon.io.tables import Table, read_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.data.sample import Sample

__all__ = ["SHEET_BEFORE", "joined", "sheet_paths", "sheets_of"]

SHEET_BEFORE = "sheet_before"
"""Parameter of a sample that names the sheet of the stage before, in the same folder."""

MOST = 30
"""Stages: more are no design of ours, but files that name each other in a circle."""


def sheets_of(path: Path) -> list[Table]:
    """Return the sheet at `path` and those of the stages before it, the first stage first.

    Raises
    ------
    DesignError
        A design is missing or broken, or names a sheet that cannot be one.
    InputError
        A sheet cannot be read.
    """
    found: list[Table] = []
    for one in sheet_paths(path):
        if found and not one.exists():
            raise DesignError(
                f"{one} does not exist: it is the sheet of the stage before {found[-1].source}, "
                "whose labels count as well. Put it and its design there, or give the labels of "
                "all stages with --labels."
            )
        found.append(read_table(one))
    return found[::-1]


def sheet_paths(path: Path) -> Iterator[Path]:
    """Yield the sheet at `path` and those of the stages before it, the last stage first.

    Raises
    ------
    DesignError
        A design is missing or broken, or names a sheet that cannot be one.
    """
    yield path
    n_stages = 1
    while (name := _before(path)) is not None:
        path = path.with_name(name)
        n_stages += 1
        if n_stages > MOST:
            raise DesignError(
                f"{path}: the designs of its stages name each other's sheets in a circle. Give "
                "the labels of all stages with --labels, or draw again."
            )
        yield path


def _before(path: Path) -> str | None:
    """Return the name of the sheet before, a file beside this one."""
    sample: Sample = read_sample(path)
    name = sample.parameters.get(SHEET_BEFORE)
    if name is None:
        return None
    if not isinstance(name, str) or Path(name).name != name or not name.endswith(".csv"):
        raise DesignError(
            f"{path.name}.design.json: {SHEET_BEFORE} should be the name of a sheet beside it, not "
            f"{name!r}; give the labels of all stages with --labels."
        )
    return name


def joined(tables: list[Table]) -> Table:
    """Return sheets one below the other; columns that one of them lacks are empty there.

    Rows keep their number in their own file.
    """
    import polars as pl

    if len(tables) == 1:
        return tables[0]
    frame = pl.concat([table.frame for table in tables], how="diagonal_relaxed")
    numbers = pl.concat([pl.Series(range(table.frame.height), dtype=pl.Int64) for table in tables])
    return Table(
        source=" and ".join(table.source for table in tables),
        frame=frame,
        untyped=all(table.untyped for table in tables),
        rows=pl.DataFrame(dict.fromkeys(frame.columns, numbers)),
        notices=tuple(notice for table in tables for notice in table.notices),
    )
