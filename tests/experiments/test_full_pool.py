"""Pools with all labels: what is revealed, what is held back, and what tells two apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.experiments.cases import N, by_id, essays, table

import bacon
from bacon.errors import InputError
from bacon.experiments.full_pool import full_pool


def test_the_truth_is_that_of_all_labels() -> None:
    full = essays()
    y = table()["human"].to_numpy()
    assert full.truth("mean") == pytest.approx(y.mean(), abs=1e-12)
    assert full.truth("sd") == pytest.approx(y.std(ddof=1), abs=1e-12)
    assert full.truth("proportion:ge:4") == np.mean(y >= 4.0)
    assert full.truth("quantile:0.5") == np.sort(y)[N // 2 - 1]


def test_only_labels_of_the_draw_are_revealed() -> None:
    full = essays()
    sample = bacon.UniformDesign(n=7).draw(full.pool, seed=3)
    rows = full.rows_of(sample)
    labels = full.labels(rows)
    assert sorted(labels.ids.tolist()) == sorted(sample.ids.tolist())
    assert labels.values.shape == (7, 1)
    known = by_id(full)
    assert labels.values[:, 0].tolist() == [known[one] for one in labels.ids.tolist()]
    assert np.all(np.diff(rows) > 0)


def test_labels_follow_ids_and_not_rows() -> None:
    rows = table()
    pool = bacon.read_pool(rows, label="human")
    turned = full_pool(pool, rows.select("item_id", "human").reverse(), label="human")
    assert turned.y.tolist() == rows["human"].to_list()


def test_a_missing_label_is_refused() -> None:
    rows = table().with_columns(
        human=pl.when(pl.col("item_id") == "e003").then(None).otherwise(pl.col("human"))
    )
    pool = bacon.read_pool(rows, label="human")
    with pytest.raises(InputError, match="column human: 1 of 120 items have no label"):
        full_pool(pool, rows, label="human")


def test_words_have_shares_and_no_mean() -> None:
    rows = table().with_columns(human=pl.Series(["yes", "no", "None"] * (N // 3)))
    full = full_pool(bacon.read_pool(rows, label="human"), rows, label="human")
    assert full.truth("proportion:eq:None") == pytest.approx(1 / 3, abs=1e-15)
    assert full.default_estimands() == (
        "proportion:eq:None",
        "proportion:eq:no",
        "proportion:eq:yes",
    )
    with pytest.raises(InputError, match="words, which have no mean"):
        full.truth("mean")


def test_judges_that_fall_with_the_labels() -> None:
    def falls(column: pl.Expr) -> bool:
        rows = table().select("item_id", "human", judge_a=column)
        return full_pool(bacon.read_pool(rows, label="human"), rows, label="human").judges_fall

    assert not falls(pl.col("judge_a"))
    assert falls(-pl.col("judge_a"))
    assert not falls(pl.lit(3.0))


def test_groups_are_pools_of_their_own() -> None:
    full = essays()
    y = table()["human"].to_numpy()
    assert list(full.groups) == ["atlas", "borealis", "cygnus"]
    for k, (rows, part) in enumerate(full.groups.values()):
        assert rows.tolist() == list(range(k, N, 3))
        assert part.truth("mean") == pytest.approx(y[k::3].mean(), abs=1e-12)
        assert part.pool.n_items == N // 3
        assert part.labels(np.array([0])).ids.tolist() == [full.pool.ids[k]]


def test_the_digest_knows_labels_scores_and_uncertainty() -> None:
    def digest(rows: pl.DataFrame) -> str:
        pool = bacon.read_pool(rows, label="human", group="system")
        return full_pool(pool, rows, label="human").digest

    rows = table()
    first = digest(rows)
    assert digest(rows.sample(N, shuffle=True, seed=1)) == first
    for column in ("human", "judge_a", "judge_b__entropy"):
        assert digest(rows.with_columns(pl.col(column) + 0.01)) != first
    assert digest(rows.with_columns(system=pl.col("system").reverse())) != first
    assert digest(rows.rename({"judge_a": "judge_c"})) != first
