"""Ratings of web pages on six scales, with their screenshots."""

from __future__ import annotations

import filecmp
import os
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted, read_table
from bacon.replication.published.items import (
    Check,
    Items,
    find_file,
    need_columns,
    read_tabs,
    refuse_empty,
)
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "OUTCOMES", "WHERE", "read_items"]

FILES = ("ratings.avg.unis.txt", "ratings.avg.unis.csv", "ratings.csv")
WHERE = (
    "Harvard Dataverse: universities doi:10.7910/DVN/XOI0HI (the paper's scripts name "
    "doi:10.7910/DVN/9FKSQI, shops by the same authors)"
)
OUTCOMES = ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")
IMAGES = (".jpg", ".jpeg", ".png", ".webp")
ID = "stimulusId"
MISSING = ("", "NA", "NaN", "nan")
"""How the ratings say that a page has none."""

SD = 0.699
"""Average SD of the ratings: the RMSE of the paper's intercept alone (Table 5)."""


def read_items(folder: Path) -> Items:
    """Read the pages of universities with their mean ratings and the paths of screenshots.

    Ratings are means of z-scores. Screenshots stand anywhere below the folder, under the id of
    their page (``u12.jpg``); their paths are absolute. Pages that lack one of the ratings, as
    in the paper, or a screenshot are left out and told.

    Raises
    ------
    InputError
        A file is missing or not as published, a rating is no number, or a page stands there
        twice with different ratings.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    frame = read_table(path).frame if path.suffix == ".csv" else _bare(read_tabs(path))
    need_columns(frame, (ID, *OUTCOMES), path)
    frame = frame.select(pl.col(ID, *OUTCOMES).str.strip_chars())
    refuse_empty(frame, ID, path)
    notices: list[Notice] = []
    ratings = pl.DataFrame([frame[ID], *(_numbers(frame, name, path) for name in OUTCOMES)])
    pages = _once(ratings, path, notices)
    pages = _left_out(pages, pages.drop_nulls(), "one of the six ratings", notices)
    found, several = _screenshots(folder)
    shown = pl.Series("screenshot", [found.get(_stem(one)) for one in pages[ID]], dtype=pl.String)
    pages = pages.with_columns(shown)
    kept = _left_out(pages, pages.drop_nulls("screenshot"), "a screenshot", notices)
    if kept.height == 0:
        raise InputError(
            f"{folder} holds no screenshot of any page, such as {_stem(frame[ID][0])}.jpg; they "
            f"are in universities.part*.zip of {WHERE}. Unpack them below this folder."
        )
    twice = [one for one in kept[ID] if _stem(one) in several]
    if twice:
        text = (
            f"{len(twice):,} pages have different images of their name below {folder}, such as "
            f"{twice[0]}; the first by path is taken."
        )
        notices.append(Notice("screenshots_several", text))
    table = kept.rename({ID: "item_id"}).sort("item_id")
    return Items("webdesign", table, OUTCOMES, _checks(table), tuple(notices))


def _bare(frame: pl.DataFrame) -> pl.DataFrame:
    """Return cells and names without the quotes that R puts around them."""
    import polars as pl

    return frame.rename({name: name.strip('"') for name in frame.columns}).with_columns(
        pl.all().str.strip_chars('"')
    )


def _numbers(frame: pl.DataFrame, name: str, path: Path) -> pl.Series:
    """Return a column of ratings, null where there is none, refusing what is no number."""
    import polars as pl

    raw = frame[name].fill_null("")
    values = raw.cast(pl.Float64, strict=False)
    missing = raw.is_in(MISSING)
    wrong = ~missing & (values.is_null() | ~values.is_finite())
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise InputError(
            f"{path} row {row + 1:,}, column {name}: {quoted(raw[row])} is no number; fetch the "
            "file anew."
        )
    return pl.select(pl.when(~missing).then(values).alias(name)).to_series()


def _once(ratings: pl.DataFrame, path: Path, notices: list[Notice]) -> pl.DataFrame:
    """Return every page once, refusing one with two ratings; the same row again is told."""
    pages = ratings.unique(maintain_order=True)
    twice = pages[ID].filter(pages[ID].is_duplicated())
    if len(twice):
        rows = [row + 1 for row in (ratings[ID] == twice[0]).arg_true()]
        raise InputError(
            f"{path}, column {ID}: {quoted(twice[0])} stands in rows {rows[0]:,} and "
            f"{rows[-1]:,} with different ratings; fetch the file anew."
        )
    if pages.height < ratings.height:
        text = f"{ratings.height - pages.height:,} rows stand there twice, and count once."
        notices.append(Notice("pages_repeated", text))
    return pages


def _left_out(
    pages: pl.DataFrame, kept: pl.DataFrame, lacking: str, notices: list[Notice]
) -> pl.DataFrame:
    """Return the pages kept, and tell of the others."""
    names = pages.join(kept, on=ID, how="anti")[ID].sort().to_list()
    if names:
        text = f"{len(names):,} pages without {lacking} are left out: {listed(names)}."
        notices.append(Notice("pages_left_out", text))
    return kept


def _screenshots(folder: Path) -> tuple[dict[str, str], set[str]]:
    """Return the path of every image below the folder by its name, and names of different ones.

    Of several images the first by path is taken, those in ``universities.part*`` before any other.
    """
    paths = [path for path in folder.rglob("*") if path.suffix.lower() in IMAGES and path.is_file()]
    paths.sort(key=lambda path: (not path.parent.name.startswith("universities"), path))
    found: dict[str, str] = {}
    several: set[str] = set()
    for path in paths:
        if path.stem not in found:
            found[path.stem] = os.fspath(path.resolve())
        elif not filecmp.cmp(found[path.stem], path, shallow=False):
            several.add(path.stem)
    return found, several


def _stem(name: str) -> str:
    """Return the name of a page without the ending of an image."""
    ending = next((one for one in IMAGES if name.lower().endswith(one)), "")
    return name[: len(name) - len(ending)]


def _checks(table: pl.DataFrame) -> tuple[Check, ...]:
    """Return what is known of the published file."""
    columns: Sequence[pl.Series] = [table[name] for name in OUTCOMES]
    means = [abs(float(column.to_numpy().mean())) for column in columns]
    sds = [float(column.to_numpy().std()) for column in columns]
    return (
        Check("largest mean of a rating (z-scores)", round(max(means), 3), 0.0, 0.25),
        Check("average SD of the ratings", round(sum(sds) / len(sds), 3), SD, 0.03),
    )
