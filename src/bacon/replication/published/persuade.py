"""PERSUADE 2.0: essays of pupils with a holistic score from 1 to 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted, read_table
from bacon.replication.published.items import Check, Items, find_file, need_columns

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "read_items"]

FILES = ("persuade_2.0_human_scores_demo_id_github.csv", "persuade_corpus_2.0_train.csv")
WHERE = "the PERSUADE corpus 2.0 (scrosseye/PERSUADE_corpus_2.0 on GitHub)"
COLUMNS = ("essay_id_comp", "holistic_essay_score", "full_text", "prompt_name", "grade_level")
GRADE = 10
ESSAYS = 4_600
"""About as many essays of grade 10 as the paper has."""


def read_items(folder: Path) -> Items:
    """Read the essays of grade 10 with their scores.

    The training file has several rows an essay; the first is taken.

    Raises
    ------
    InputError
        The file is missing or not as published, or a score is none of 1 to 6.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    frame = read_table(path).frame
    need_columns(frame, COLUMNS, path)
    grade = pl.col("grade_level").str.strip_chars().cast(pl.Float64, strict=False)
    tenth = frame.with_row_index("row", offset=1).filter(grade == GRADE)
    if tenth.height == 0:
        raise InputError(f"{path}, column grade_level: no essay is of grade {GRADE}.")
    essays = tenth.unique("essay_id_comp", keep="first", maintain_order=True)
    essays = essays.with_columns(human=_scores(essays, path))
    blank = essays["full_text"].str.strip_chars().fill_null("").eq("")
    notices = []
    if blank.any():
        notices.append(
            Notice("essays_left_out", f"{int(blank.sum()):,} essays without a text are left out.")
        )
        essays = essays.filter(~blank)
    table = essays.select(
        pl.col("essay_id_comp").alias("item_id"),
        "human",
        pl.col("prompt_name").alias("assignment"),
        pl.col("full_text").alias("text"),
    )
    checks = (
        Check("essays of grade 10", table.height, ESSAYS, 100),
        Check("lowest score", float(table["human"].to_numpy().min()), 1),
        Check("highest score", float(table["human"].to_numpy().max()), 6),
    )
    return Items("persuade", table, ("human",), checks, tuple(notices))


def _scores(essays: pl.DataFrame, path: Path) -> pl.Series:
    """Return the scores, refusing what is none."""
    import polars as pl

    raw = essays["holistic_essay_score"].str.strip_chars()
    score = raw.cast(pl.Float64, strict=False)
    wrong = score.is_null() | ~score.is_in([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    if wrong.any():
        first = int(wrong.arg_true()[0])
        raise InputError(
            f"{path} row {essays['row'][first]:,}, column holistic_essay_score: "
            f"{quoted(raw[first])} is no whole score from 1 to 6; fetch the file anew."
        )
    return score.cast(pl.Int64)
