"""Items of a published study, and how its files are found and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.io.tables import repeated_name
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from bacon.data.notice import Notice

__all__ = ["Check", "Items", "find_file", "need_columns", "read_tabs", "refuse_empty"]


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
        None is there, or several of the same name are below it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; give the one with the published files (--data).")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    for name in names:
        below = sorted(path for path in folder.rglob(name) if path.is_file())
        if len(below) > 1:
            raise InputError(
                f"{folder} holds {name} {len(below)} times ({below[0]} and {below[1]}); name the "
                "folder of the one to read with --data."
            )
        if below:
            return below[0]
    raise InputError(
        f"{folder} holds no {' and no '.join(names)}; it is published in {where}. Put it there, or "
        "name its folder with --data."
    )


def read_tabs(path: Path) -> pl.DataFrame:
    """Read a file with tabs between cells, all as text; quotes in it are signs like others.

    Blanks around the names of columns do not count; empty cells are null.

    Raises
    ------
    InputError
        It is no UTF-8 text, has no rows, or a row has more or fewer cells than the header.
    """
    import polars as pl

    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start + 1:,}); fetch it anew, or save it as UTF-8."
        ) from None
    text = text if "\n" in text else text.replace("\r", "\n")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    header, *rows = [line.split("\t") for line in lines if line] or [[""]]
    names = [name.strip() for name in header]
    if len(set(names)) < len(names):
        raise repeated_name(names, str(path))
    if not rows:
        raise InputError(f"{path} has no rows below a header; fetch it anew.")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise InputError(
                f"{path} row {number:,} has {len(row)} cells between tabs where the header has "
                f"{len(names)}; mend the row, or fetch the file anew."
            )
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return frame.with_columns(pl.all().replace("", None))


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


def refuse_empty(frame: pl.DataFrame, name: str, path: Path) -> None:
    """Refuse a row without a value that nothing can be said of it without.

    Raises
    ------
    InputError
        A cell of the column `name` is empty.
    """
    empty = frame[name].fill_null("").str.strip_chars().eq("")
    if empty.any():
        row = int(empty.arg_true()[0])
        number = frame["row"][row] if "row" in frame.columns else row + 1
        raise InputError(f"{path} row {number:,}, column {name}: it is empty; fetch the file anew.")
