"""WMT 2020 English-German: translation errors that people marked, as a penalty by segment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted
from bacon.judges.parsers.mqm import CATEGORIES, error_weight
from bacon.replication.published.items import (
    Check,
    Items,
    find_file,
    need_columns,
    read_tabs,
    refuse_empty,
)

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "MEANS", "WHERE", "read_items"]

FILES = ("mqm_newstest2020_ende.tsv",)
WHERE = "google/wmt-mqm-human-evaluation on GitHub, newstest2020/ende/mqm_newstest2020_ende.tsv"
COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")
TEXTS = ("doc", "source", "target")

MARKS = r"</?v>"
"""Tags around the words that an error is about, in the translation or in the source."""

KNOWN = re.compile(rf"({'|'.join(CATEGORIES)}|non-translation|source error|no[- ]error)\b")
"""How the categories of the published file begin, in lower case."""

QUOTED_CELL = r'^"(?:[^"]|"")*"$'
MOSTLY = 0.9

MEANS = {
    "Human-B.0": 0.75,
    "Human-A.0": 0.91,
    "Human-P.0": 1.41,
    "Tohoku-AIP-NTT.890": 2.02,
    "OPPO.1535": 2.25,
    "eTranslation.737": 2.33,
    "Tencent_Translation.1520": 2.35,
    "Huoshan_Translate.832": 2.45,
    "Online-B.1590": 2.48,
    "Online-A.1574": 2.99,
}
"""Mean penalty of each system as the publishers' README has it, to two digits."""


def read_items(folder: Path) -> Items:
    """Read the segments with their penalty: weights summed by rater, then averaged over raters.

    Every row is one error, or says that there is none. Major 5, minor 1, minor punctuation 0.1,
    neutral 0, non-translation 25, errors of the source 0: the weights by which judges' answers
    are read (:func:`bacon.judges.parsers.mqm.error_weight`). Lower is better.

    Raises
    ------
    InputError
        The file is missing or not as published, or an error has a severity or a category that
        the scheme does not know.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    frame = read_tabs(path)
    need_columns(frame, COLUMNS, path)
    frame = frame.with_columns(pl.col("system", "seg_id", "rater").str.strip_chars())
    for name in ("system", "seg_id", "rater", "category", "severity"):
        refuse_empty(frame, name, path)
    frame, notices = _plain_texts(frame, path)
    weighed = frame.with_columns(_weights(frame, path).alias("weight"), pl.col("doc").fill_null(""))
    # Weights are tenths: rounding makes sums the same in whatever order the rows stand.
    by_rater = weighed.group_by("system", "seg_id", "rater").agg(pl.col("weight").sum().round(6))
    penalties = (
        by_rater.sort("system", "seg_id", "rater")
        .group_by("system", "seg_id")
        .agg(pl.col("weight").mean().alias("human"), pl.len().alias("n_raters"))
    )
    texts = weighed.group_by("system", "seg_id").agg(
        *(pl.col(name).mode().sort().first() for name in TEXTS),
        differs=pl.any_horizontal(pl.col(name).n_unique() > 1 for name in TEXTS),
    )
    table = (
        penalties.join(texts, on=["system", "seg_id"])
        .with_columns(pl.format("{}:{}", "system", "seg_id").alias("item_id"))
        .sort("item_id")
    )
    notices += [*_differing(table), *_uneven(table)]
    table = table.select(
        "item_id", "human", "system", "seg_id", "doc", "n_raters", "source", "target"
    )
    return Items("mqm", table, ("human",), _checks(table), tuple(notices))


def _plain_texts(frame: pl.DataFrame, path: Path) -> tuple[pl.DataFrame, list[Notice]]:
    """Return the texts without marks, and without the quotes of a CSV writer where it put them.

    Quotes are signs of the text like others, unless nearly every text that holds one is in
    quotes from end to end with those inside doubled, as the publishers' file of source errors
    is: texts that people wrote are not like that.
    """
    import polars as pl

    texts = pl.col("source", "target")
    # Marks may stand between two quotes that belong together.
    frame = frame.with_columns(texts.fill_null("").str.replace_all(MARKS, ""))
    cells = pl.concat([frame["source"], frame["target"]])
    cells = cells.filter(cells.str.contains('"', literal=True))
    written = cells.str.contains(QUOTED_CELL).sum() >= MOSTLY * len(cells)
    if not (written and cells.str.contains('""', literal=True).any()):
        return frame, []
    bare = texts.str.slice(1).str.head(-1).str.replace_all('""', '"', literal=True)
    frame = frame.with_columns(pl.when(texts.str.contains(QUOTED_CELL)).then(bare).otherwise(texts))
    text = f"{path.name} has quotes around texts, as CSV writers put them; they are taken off."
    return frame, [Notice("published_quotes", text)]


def _weights(frame: pl.DataFrame, path: Path) -> pl.Series:
    """Return the weight of every row, refusing what the scheme does not know."""
    import polars as pl

    kinds = frame.select("category", "severity").unique(maintain_order=True)
    weights = []
    for category, severity in kinds.iter_rows():
        weight, wrong = _weight(category, severity)
        if weight is None:
            same = (frame["category"] == category) & (frame["severity"] == severity)
            row = int(same.arg_true()[0]) + 1
            raise InputError(
                f"{path} row {row:,}, column {wrong}; it is never counted as 0. Mend the row, or "
                "fetch the file anew."
            )
        weights.append(weight)
    known = kinds.with_columns(pl.Series("weight", weights, dtype=pl.Float64))
    return frame.join(known, on=["category", "severity"], maintain_order="left")["weight"]


def _weight(category: str, severity: str) -> tuple[float | None, str]:
    """Return the weight of an error; None with the column and what is wrong where it has none."""
    begins = KNOWN.match(category.strip().lower())
    if begins is None:
        return None, f"category: {quoted(category)} is no category of the MQM scheme"
    weight = error_weight(category, severity)
    if weight is None:
        return None, (
            f"severity: {quoted(severity)} (category {quoted(category)}) has no weight in the MQM "
            "scheme"
        )
    if begins[1] in ("no-error", "no error") and weight > 0.0:
        return None, f"severity: {quoted(severity)} stands beside the category {quoted(category)}"
    return weight, ""


def _checks(table: pl.DataFrame) -> tuple[Check, ...]:
    """Return what is known of the published file."""
    import polars as pl

    human = table["human"].to_numpy()
    means = dict(table.group_by("system").agg(pl.col("human").mean()).iter_rows())
    agreeing = sum(round(means.get(name, -1.0), 2) == mean for name, mean in MEANS.items())
    return (
        Check("segments scored", table.height, 14_180),
        Check("systems", table["system"].n_unique(), 10),
        Check("systems whose mean is the published one", agreeing, 10),
        Check("mean penalty", round(float(human.mean()), 2), 1.99),
        Check("share of segments without error", round(float((human == 0).mean()), 2), 0.13),
        Check("largest penalty", float(human.max()), 25.0),
    )


def _differing(table: pl.DataFrame) -> list[Notice]:
    """Tell of segments whose rows do not have the same texts."""
    differing = table.filter("differs")["item_id"]
    if not len(differing):
        return []
    text = (
        f"{len(differing):,} segments have rows with different texts, such as {differing[0]}; the "
        "text that most of a segment's rows have is taken."
    )
    return [Notice("segment_texts_differ", text)]


def _uneven(table: pl.DataFrame) -> list[Notice]:
    """Tell of systems that lack segments which others have."""
    sizes = table["system"].value_counts()["count"].to_list()
    least, most = min(sizes), max(sizes)
    if least == most:
        return []
    text = f"Systems have from {least:,} to {most:,} segments, not the same number."
    return [Notice("uneven_systems", text)]
