"""Ratings of web pages on six scales, with their screenshots."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted, read_table
from bacon.replication.published.items import Check, Items, find_file, need_columns, read_tabs
from bacon.words import listed

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "OUTCOMES", "read_items"]

FILES = ("ratings.avg.unis.txt", "ratings.avg.unis.csv", "ratings.csv")
WHERE = "Harvard Dataverse, doi:10.7910/DVN/9FKSQI"
OUTCOMES = ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")
IMAGES = (".jpg", ".jpeg", ".png", ".webp")
ID = "stimulusId"


def read_items(folder: Path) -> Items:
    """Read the pages of universities with their mean ratings and the paths of screenshots.

    Ratings are means of z-scores. Screenshots stand anywhere below the folder, under the id of
    their page; pages without one are left out and told.

    Raises
    ------
    InputError
        A file is missing or not as published, or a rating is no number.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    frame = read_table(path).frame if path.suffix == ".csv" else read_tabs(path)
    need_columns(frame, (ID, *OUTCOMES), path)
    ids = frame[ID].str.strip_chars()
    repeated = ids.filter(ids.is_duplicated())
    if len(repeated):
        raise InputError(f"{path}, column {ID}: {quoted(repeated[0])} stands there twice.")
    ratings = [_numbers(frame, name, path) for name in OUTCOMES]
    found = _screenshots(folder)
    images = [found.get(_stem(one)) for one in ids.to_list()]
    table = pl.DataFrame(
        [ids.alias("item_id"), *ratings, pl.Series("screenshot", images, dtype=pl.String)]
    )
    lacking = table.filter(pl.col("screenshot").is_null())["item_id"].to_list()
    if len(lacking) == table.height:
        raise InputError(
            f"{folder} holds no screenshot of any page, such as {_stem(ids[0])}.jpg; they are in "
            f"universities.part*.zip of {WHERE}. Unpack them below this folder."
        )
    notices: tuple[Notice, ...] = ()
    if lacking:
        text = f"{len(lacking):,} pages without a screenshot are left out: {listed(lacking)}."
        notices = (Notice("pages_left_out", text),)
        table = table.filter(pl.col("screenshot").is_not_null())
    means = [abs(float(table[name].to_numpy().mean())) for name in OUTCOMES]
    checks = (Check("largest mean of a rating (z-scores)", max(means), 0.0, 0.25),)
    return Items("webdesign", table.sort("item_id"), OUTCOMES, checks, notices)


def _numbers(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Return a column of ratings, refusing what is no number."""
    import polars as pl

    values = frame[name].str.strip_chars().cast(pl.Float64, strict=False)
    wrong = values.is_null() | ~values.is_finite()
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise InputError(
            f"{path} row {row + 1:,}, column {name}: {quoted(frame[name][row])} is no number; "
            "fetch the file anew."
        )
    return values


def _screenshots(folder: Path) -> dict[str, str]:
    """Return the path of every image below the folder, by the name of the page."""
    paths = sorted(
        path for path in folder.rglob("*") if path.suffix.lower() in IMAGES and path.is_file()
    )
    return {path.stem: os.fspath(path.resolve()) for path in reversed(paths)}


def _stem(name: str) -> str:
    """Return the name of a page without the ending of an image."""
    lower = name.lower()
    ending = next((one for one in IMAGES if lower.endswith(one)), "")
    return name.removesuffix(name[len(name) - len(ending) :]) if ending else name
