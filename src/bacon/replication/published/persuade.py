"""PERSUADE 2.0: essays of pupils with a holistic score from 1 to 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.tables import quoted, read_table
from bacon.replication.published.items import Check, Items, find_file, need_columns, refuse_empty

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

__all__ = ["FILES", "WHERE", "read_items"]

FILES = (
    "persuade_2.0_human_scores_demo_id_github.csv",
    "persuade_corpus_2.0_train.csv",
    "persuade_corpus_2.0.csv",
)
WHERE = "the PERSUADE corpus 2.0 (scrosseye/PERSUADE_corpus_2.0 on GitHub)"
COLUMNS = ("essay_id_comp", "holistic_essay_score", "full_text", "prompt_name", "grade_level")
SPLIT = "competition_set"
"""Column of the training and the test part, where a file has both; the paper takes the first."""

GRADE = 10
ESSAYS = 4_600
"""About as many essays of grade 10 as the paper has: 5 % are roughly 230."""

SD = 1.098
"""SD of their scores: the RMSE of the paper's intercept alone (Table 2)."""


def read_items(folder: Path) -> Items:
    """Read the essays of grade 10 in the training part with their scores.

    The training file has several rows an essay, one for each piece of its discourse, with the
    same score and text in all; one is taken.

    Raises
    ------
    InputError
        The file is missing or not as published, a score is none of 1 to 6, or the rows of an
        essay contradict each other.
    """
    import polars as pl

    path = find_file(folder, FILES, WHERE)
    read = read_table(path)
    need_columns(read.frame, COLUMNS, path)
    frame = read.frame.with_row_index("row", offset=1)
    frame = frame.with_columns(pl.col("essay_id_comp").str.strip_chars())
    notices = list(read.notices)
    if SPLIT in frame.columns:
        frame = _training(frame, notices)
    grade = pl.col("grade_level").str.strip_chars().cast(pl.Float64, strict=False)
    unread = int(frame.select(grade.is_null().sum()).item())
    if unread:
        text = f"{unread:,} rows have no number in the column grade_level, and are left out."
        notices.append(Notice("essays_left_out", text))
    essay = pl.col("essay_id_comp")
    # An essay with another grade in one of its rows is refused below, and not read in part.
    tenth = frame.filter(
        (grade == GRADE).fill_null(value=False).any().over(essay) & grade.is_not_null()
    )
    if tenth.height == 0:
        raise InputError(
            f"{path}, column grade_level: no essay is of grade {GRADE}; fetch the file anew."
        )
    refuse_empty(tenth, "essay_id_comp", path)
    tenth = tenth.with_columns(human=_scores(tenth, path))
    tenth = tenth.with_columns(grade_level=grade)
    for name in ("grade_level", "human", "full_text", "prompt_name"):
        _refuse_contradiction(tenth, name, path)
    essays = tenth.unique("essay_id_comp", keep="first", maintain_order=True)
    blank = essays["full_text"].fill_null("").str.strip_chars().eq("")
    if blank.any():
        text = f"{int(blank.sum()):,} essays without a text are left out."
        notices.append(Notice("essays_left_out", text))
        essays = essays.filter(~blank)
    if essays.height == 0:
        raise InputError(f"{path}, column full_text: no essay of grade {GRADE} has a text.")
    table = essays.select(
        pl.col("essay_id_comp").alias("item_id"),
        "human",
        pl.col("prompt_name").alias("assignment"),
        pl.col("full_text").alias("text"),
    ).sort("item_id")
    return Items("persuade", table, ("human",), _checks(table), tuple(notices))


def _training(frame: pl.DataFrame, notices: list[Notice]) -> pl.DataFrame:
    """Return the rows of the training part, and tell of the others."""
    import polars as pl

    train = frame.filter(pl.col(SPLIT).str.strip_chars().str.to_lowercase() == "train")
    others = frame.height - train.height
    # A file without any training row is another part by itself: its counts will tell.
    if not others or not train.height:
        return frame
    text = f"{others:,} rows are not of the training part, as in the paper, and are left out."
    notices.append(Notice("essays_left_out", text))
    return train


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


def _refuse_contradiction(essays: pl.DataFrame, name: str, path: Path) -> None:
    """Refuse an essay whose rows do not say the same."""
    import polars as pl

    several = essays.filter(pl.col(name).n_unique().over("essay_id_comp") > 1)
    if several.height:
        essay = several["essay_id_comp"][0]
        first, other = several.filter(essay_id_comp=essay).unique(name, maintain_order=True)["row"][
            :2
        ]
        column = "holistic_essay_score" if name == "human" else name
        raise InputError(
            f"{path}, column {column}: rows {first:,} and {other:,} say different things of the "
            f"essay {quoted(essay)}; fetch the file anew."
        )


def _checks(table: pl.DataFrame) -> tuple[Check, ...]:
    """Return what is known of the published file."""
    human = table["human"].to_numpy()
    return (
        Check("essays of grade 10", table.height, ESSAYS, 100),
        Check("lowest score", float(human.min()), 1),
        Check("highest score", float(human.max()), 6),
        Check("SD of the scores", round(float(human.std()), 3), SD, 0.01),
    )
