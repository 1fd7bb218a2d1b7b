from __future__ import annotations

import numpy as np
import pytest
from tests.factories import make_pool

from bacon.errors import InputError
from bacon.sampling.cluster import ClusterDesign, draw_clusters


def test_whole_clusters_are_drawn() -> None:
    pool = make_pool(30)
    sample = ClusterDesign(n_clusters=4, column="prompt_id").draw(pool, seed=2)
    assert sample.kind == "clusters"
    assert (sample.cluster_column, sample.n_clusters, sample.n_clusters_pool) == (
        "prompt_id",
        4,
        10,
    )
    assert sample.n_drawn == 12
    assert sample.pi.tolist() == [0.4] * 12
    prompts = (sample.ids - 1) // 3
    assert np.unique(prompts, return_counts=True)[1].tolist() == [3, 3, 3, 3]
    assert sample.notices == ()


def test_every_cluster_and_pair_equally_often_whatever_its_size() -> None:
    codes = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3])
    rng = np.random.default_rng(0)
    trials = 4000
    hits = np.zeros((4, 4))
    for _ in range(trials):
        drawn = np.unique(codes[draw_clusters(codes, 2, 4, rng)])
        hits[np.ix_(drawn, drawn)] += 1
    assert (np.abs(np.diag(hits) - trials / 2) <= 4.5 * np.sqrt(trials / 4)).all()
    pairs = hits[np.triu_indices(4, 1)]
    assert (np.abs(pairs - trials / 6) <= 4.5 * np.sqrt(trials * 5 / 36)).all()


def test_numbers_may_name_clusters() -> None:
    pool = make_pool(6, columns={"query": [10, 2, 10, 2, 7, 7]})
    sample = ClusterDesign(n_clusters=3, column="query").draw(pool, seed=0)
    assert sorted(sample.ids.tolist()) == [1, 2, 3, 4, 5, 6]
    assert sample.pi.tolist() == [1.0] * 6


def test_one_cluster_is_told() -> None:
    (notice,) = ClusterDesign(n_clusters=1, column="prompt_id").draw(make_pool(30), seed=0).notices
    assert notice.code == "one_cluster"


def test_the_drawn_column_stays_visible_unless_it_is_the_group() -> None:
    pool = make_pool(30)
    assert "prompt_id" not in ClusterDesign(n_clusters=2, column="prompt_id").draw(pool).hidden
    assert "system" in ClusterDesign(n_clusters=2, column="system").draw(pool).hidden


def test_bad_columns_and_counts_are_refused() -> None:
    pool = make_pool(6, columns={"doc": ["a", "b", None, "a", "", "b"], "vector": [[1.0]] * 6})
    with pytest.raises(
        InputError, match=r"pool\.csv row 3, column doc: the value is missing \(2 in"
    ):
        ClusterDesign(n_clusters=1, column="doc").draw(pool)
    with pytest.raises(
        InputError, match=r"has no column 'docs' for the clusters; did you mean doc\?"
    ):
        ClusterDesign(n_clusters=1, column="docs").draw(pool)
    with pytest.raises(InputError, match=r"column vector: it holds List"):
        ClusterDesign(n_clusters=1, column="vector").draw(pool)
    with pytest.raises(
        InputError, match=r"n_clusters = 3 is more than the 2 different values of prom"
    ):
        ClusterDesign(n_clusters=3, column="prompt_id").draw(pool)
    with pytest.raises(InputError, match=r"n_clusters must be a whole number from 1 up; got 0"):
        ClusterDesign(n_clusters=0, column="prompt_id")
