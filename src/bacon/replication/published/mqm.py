"""WMT 2020 English-German: translation errors that people marked, as a penalty by segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted
from bacon.judges.parsers.mqm import error_weight
from bacon.replication.published.items import Check, Items, find_file, need_columns, read_tabs

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "read_items"]

FILES = ("mqm_newstest2020_ende.tsv",)
WHERE = "google/wmt-mqm-human-evaluation on GitHub, newstest2020/ende/mqm_newstest2020_ende.tsv"
COLUMNS = (
    *("system", "doc", "seg_id", "rater"),
    *("source", "target", "category", "severity"),
)
MARKS = r"</?v>"
"""Tags around the words that an error is about."""


def read_items(folder: Path) -> Items:
    """Read the segments with their penalty: weights summed by rater, then averaged over raters.

    Every row is one error, or says that there is none. Major 5, minor 1, minor punctuation 0.1,
    neutral 0, non-translation 25. Lower is better.

    Raises
    ------
    InputError
        The file is missing or not as published, or an error has an unknown severity.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    frame = read_tabs(path)
    need_columns(frame, COLUMNS, path)
    frame = frame.with_columns(pl.col("system", "seg_id", "rater").str.strip_chars())
    for name in ("system", "seg_id", "rater", "category", "severity"):
        _refuse_empty(frame, name, path)
    weighed = frame.with_columns(weight=_weights(frame, path))
    by_rater = weighed.group_by("system", "seg_id", "rater").agg(
        pl.col("weight").sum().round(6), pl.col("doc", "source", "target").first()
    )
    table = (
        by_rater.sort("system", "seg_id", "rater")
        .group_by("system", "seg_id", maintain_order=True)
        .agg(
            pl.col("weight").mean().alias("human"),
            pl.len().alias("n_raters"),
            pl.col("doc").first(),
            pl.col("source", "target").first().str.replace_all(MARKS, ""),
        )
        .select(
            pl.format("{}:{}", "system", "seg_id").alias("item_id"),
            *("human", "system", "seg_id", "doc", "n_raters", "source", "target"),
        )
        .sort("item_id")
    )
    return Items("mqm", table, ("human",), _checks(table), _uneven(table))


def _refuse_empty(frame: pl.DataFrame, name: str, path: Path) -> None:
    """Refuse a row without one of the columns that say whose error it is and which."""
    empty = frame[name].fill_null("").str.strip_chars().eq("")
    if empty.any():
        row = int(empty.arg_true()[0]) + 1
        raise InputError(f"{path} row {row:,}, column {name}: it is empty; fetch the file anew.")


def _weights(frame: pl.DataFrame, path: Path) -> pl.Series:
    """Return the weight of every row, refusing a severity that nobody knows."""
    kinds = frame.select("category", "severity").unique(maintain_order=True)
    weights = [error_weight(category, severity) for category, severity in kinds.iter_rows()]
    if None in weights:
        category, severity = kinds.row(weights.index(None))
        unknown = (frame["category"] == category) & (frame["severity"] == severity)
        row = int(unknown.arg_true()[0]) + 1
        raise InputError(
            f"{path} row {row:,}, column severity: {quoted(severity)} (category "
            f"{quoted(category)}) has no weight in the MQM scheme; it is never counted as 0. Mend "
            "the row, or fetch the file anew."
        )
    known = kinds.with_columns(weight=_floats(weights))
    return frame.join(known, on=["category", "severity"], maintain_order="left")["weight"]


def _floats(values: list[float | None]) -> pl.Series:
    import polars as pl

    return pl.Series(values, dtype=pl.Float64)


def _checks(table: pl.DataFrame) -> tuple[Check, ...]:
    """Return what is known of the published file."""
    human = table["human"].to_numpy()
    return (
        Check("segments scored", table.height, 14_180),
        Check("systems", table["system"].n_unique(), 10),
        Check("mean penalty", round(float(human.mean()), 2), 1.99, 0.01),
        Check("share of segments without error", round(float((human == 0).mean()), 2), 0.13, 0.01),
        Check("largest penalty", float(human.max()), 25.0),
    )


def _uneven(table: pl.DataFrame) -> tuple[Notice, ...]:
    """Tell of systems that lack segments which others have."""
    sizes = table["system"].value_counts()["count"].to_list()
    least, most = min(sizes), max(sizes)
    if least == most:
        return ()
    text = f"Systems have from {least:,} to {most:,} segments, not the same number."
    return (Notice("uneven_systems", text),)
