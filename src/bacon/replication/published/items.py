"""Items of a published study, and how its files are found and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from bacon.data.notice import Notice

__all__ = ["Check", "Items", "find_file", "need_columns", "read_tabs"]


@dataclass(frozen=True)
class Check:
    """A count or figure that is known of the published file.

    Parameters
    ----------
    what : str
        What is counted.
    found : float
        In the file at hand.
    published : float
        As published, or as the paper has it.
    slack : float
        By how much they may differ.
    """

    what: str
    found: float
    published: float
    slack: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether they are the same but for the slack."""
        return abs(self.found - self.published) <= self.slack

    @property
    def text(self) -> str:
        """Return both in words."""
        known = "" if self.agrees else f" (unlike what is published: {self.published:,.6g})"
        return f"{self.what}: {self.found:,.6g}{known}"


@dataclass(frozen=True, eq=False)
class Items:
    """Every item of a study with people's scores.

    Parameters
    ----------
    study : str
        persuade, mqm or webdesign.
    table : polars.DataFrame
        One row an item: `item_id` first, then people's scores and what judges are shown.
    labels : tuple of str
        Columns of people's scores.
    checks : tuple of Check
        What is known of the published file, beside what this one has.
    notices : tuple of Notice
        Rows left out and the like.
    """

    study: str
    table: pl.DataFrame
    labels: tuple[str, ...]
    checks: tuple[Check, ...]
    notices: tuple[Notice, ...] = ()


def find_file(folder: Path, names: Sequence[str], where: str) -> Path:
    """Return the first file of these names in a folder or below it.

    Parameters
    ----------
    folder : Path
        Where the user has put the files.
    names : sequence of str
        Names it is published under.
    where : str
        Where it is published, for messages.

    Raises
    ------
    InputError
        None is there.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; give the one with the published files (--data).")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    for name in names:
        below = sorted(path for path in folder.rglob(name) if path.is_file())
        if below:
            return below[0]
    raise InputError(
        f"{folder} holds no {' and no '.join(names)}; it is published in {where}. Put it there, or "
        "name its folder with --data."
    )


def read_tabs(path: Path) -> pl.DataFrame:
    """Read a file with tabs between cells, all as text; quotes in it are signs like others.

    Raises
    ------
    InputError
        It cannot be read, or a row has too many cells.
    """
    import polars as pl

    try:
        frame = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        why = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read as published ({why}).") from None
    frame = frame.rename({name: name.strip().lstrip("\ufeff") for name in frame.columns})
    if frame.height == 0:
        raise InputError(f"{path} has a header and no rows; fetch it anew.")
    return frame


def need_columns(frame: pl.DataFrame, names: Sequence[str], path: Path) -> None:
    """Refuse a file that lacks one of its columns.

    Raises
    ------
    InputError
        A column is missing.
    """
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise InputError(
            f"{path}: there is no column {lacking[0]}; the published file has {listed(names, 12)}. "
            "Fetch it anew."
        )
