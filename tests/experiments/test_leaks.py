"""Labels that would be known beforehand are refused, or told."""

from __future__ import annotations

import polars as pl
import pytest
from tests.experiments.cases import N, essays, table

import bacon
from bacon.errors import InputError
from bacon.experiments.full_pool import full_pool
from bacon.experiments.plan import Plan


@pytest.mark.parametrize("role", ["group", "cluster", "text"])
def test_the_labels_are_no_group_cluster_or_text(role: str) -> None:
    rows = table().with_columns(grade=pl.col("human").round().cast(pl.String))
    pool = bacon.read_pool(rows, **{role: "grade"})
    with pytest.raises(InputError, match=f"column grade is named as a label and as the {role}"):
        full_pool(pool, rows, label="grade")


def test_no_draw_is_by_the_labels() -> None:
    with pytest.raises(InputError, match="would know the labels beforehand"):
        Plan(essays(), [bacon.StratifiedDesign(n=20, strata="human")], ["human-only"])


def copies(rows: pl.DataFrame, **columns: object) -> list[str]:
    """What is told of columns that equal the labels."""
    pool = full_pool(bacon.read_pool(rows, label="human", **columns), rows, label="human").pool
    return [one.message for one in pool.notices if one.code == "columns_copy_labels"]


def test_columns_that_equal_the_labels_are_told() -> None:
    rows = table().with_columns(judge_c=pl.col("human"), known=pl.col("human"))
    assert copies(table()) == []
    (told,) = copies(rows, features=["known"])
    assert told.startswith("judge_c, known: equal to the label of every item.")
    nearly = rows.with_columns(judge_c=pl.col("human") + (pl.int_range(N) == 3).cast(pl.Float64))
    assert copies(nearly) == []


def test_a_judge_in_the_words_of_the_labels_is_told() -> None:
    words = pl.Series(["yes", "no", "open"] * (N // 3))
    rows = table().with_columns(human=words, judge_w=words)
    (told,) = copies(rows)
    assert told.startswith("judge_w: equal")
    other = rows.with_columns(judge_w=words.replace("yes", "never"))
    assert copies(other) == []


def test_a_level_of_a_quantile_is_checked() -> None:
    with pytest.raises(InputError, match="quantile:2: a quantile needs a level between 0 and 1"):
        essays().truth("quantile:2")
