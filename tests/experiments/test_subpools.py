"""Pools made of rows of another."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from tests.experiments.cases import N, table

import bacon
from bacon.data.subpool import pool_of_rows
from bacon.experiments.subpools import resampled


def clustered() -> bacon.Pool:
    """Prompts of three essays, but for the last two, which are one."""
    rows = table().with_columns(prompt_id=pl.col("prompt_id").replace({"p39": "p38"}))
    return bacon.read_pool(rows, label="human", group="system", cluster="prompt_id")


@given(st.lists(st.integers(0, N - 1), min_size=1, max_size=20, unique=True))
def test_rows_keep_what_is_known_of_them(kept: list[int]) -> None:
    pool = clustered()
    rows = np.array(kept)
    part = pool_of_rows(pool, rows)
    same = bacon.read_pool(pool.table[rows], label="human", group="system", cluster="prompt_id")
    assert part.same_as(same)
    assert part.order.tolist() == same.order.tolist()
    for ours, read in ((part.group, same.group), (part.cluster, same.cluster)):
        assert ours is not None
        assert read is not None
        assert ours.levels == read.levels
        assert ours.codes.tolist() == read.codes.tolist()


def test_clusters_are_drawn_whole_and_counted_apart() -> None:
    pool = clustered()
    assert pool.cluster is not None
    drawn, rows = resampled(pool, np.random.default_rng(0))
    assert drawn.cluster is not None
    assert len(drawn.cluster.levels) == len(pool.cluster.levels) == 39
    assert drawn.ids.tolist() == list(range(len(rows)))
    assert np.array_equal(drawn.judges[0].scores, pool.judges[0].scores[rows])
    whole = Counter(pool.cluster.codes.tolist())
    for number in range(39):
        old = pool.cluster.codes[rows[drawn.cluster.codes == number]]
        assert len(set(old.tolist())) == 1
        assert len(old) == whole[old[0]]
    # 39 draws with replacement from 39 leave some out and take some twice.
    assert 15 < len(set(pool.cluster.codes[rows].tolist())) < 35


def test_every_cluster_is_as_likely() -> None:
    pool = clustered()
    assert pool.cluster is not None
    rng = np.random.default_rng(1)
    total = np.zeros(39)
    for _ in range(400):
        drawn, rows = resampled(pool, rng)
        assert drawn.cluster is not None
        first = np.unique(drawn.cluster.codes, return_index=True)[1]
        total += np.bincount(pool.cluster.codes[rows[first]], minlength=39)
    # Each count is binomial with mean 400 and SD 20.
    assert np.abs(total - 400).max() < 80


def test_without_clusters_items_are_drawn() -> None:
    pool = bacon.read_pool(table(), label="human")
    drawn, rows = resampled(pool, np.random.default_rng(0))
    assert len(rows) == drawn.n_items == N
    assert len(set(rows.tolist())) < N
    assert drawn.cluster is None
