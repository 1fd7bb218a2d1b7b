"""The real pools are read with the roles their README names."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bacon.io import read_labels, read_pool
from bacon.io.labels import match_labels

# name, roles, roles of labels, items, judges, runs of the first judge, clusters
FILES = [
    ("wmt20_ende_mqm", {"group": "system", "cluster": "seg_id"}, {}, 14_180, 20, 1, 1_418),
    ("wmt23_ende_mqm", {"group": "system", "cluster": "seg_id"}, {}, 5_980, 42, 1, 460),
    (
        "hanna",
        {"group": "system", "cluster": "prompt_id", "features": "llm_*"},
        {"value": "human_coherence"},
        1_056,
        5,
        4,
        96,
    ),
    ("llmjudge_trecdl23", {"cluster": "query_id", "text": "query"}, {}, 4_423, 33, 1, 25),
    ("rewardbench2_runs", {"cluster": "prompt_id"}, {}, 6_892, 6, 8, 1_723),
    ("css_stance", {"text": "text", "cluster": "item_id"}, {}, 435, 12, 1, 435),
    (
        "pandalm_testset",
        {"cluster": "pair", "levels": "1,2,tie"},
        {"levels": "1,2,tie"},
        999,
        2,
        1,
        None,
    ),
    (
        "summeval",
        {"group": "system", "cluster": "article_id", "text": "text"},
        {"value": "human_*"},
        1_600,
        9,
        1,
        100,
    ),
]


@pytest.mark.parametrize(
    ("name", "roles", "of_labels", "n_items", "n_judges", "n_runs", "n_clusters"),
    FILES,
    ids=[file[0] for file in FILES],
)
def test_shared_file(shared_data, name, roles, of_labels, n_items, n_judges, n_runs, n_clusters):
    path = shared_data / f"{name}.parquet"
    of_labels = {"value": "human", **of_labels}
    pool = read_pool(path, label=of_labels["value"], **roles)
    assert (pool.n_items, pool.n_judges) == (n_items, n_judges)
    assert pool.judges[0].scores.shape == (n_items, n_runs)
    if n_clusters is not None:
        assert len(pool.cluster.levels) == n_clusters
    labels = read_labels(path, **of_labels)
    rows, y, _ = match_labels(pool, labels, labels.outcomes[0])
    frame = pl.read_parquet(path)
    assert labels.n_labels == len(rows) == n_items
    assert pool.ids[rows].tolist() == frame["item_id"].to_list()
    human = frame[labels.outcomes[0]]
    if labels.levels[0] is None:
        np.testing.assert_array_equal(y, human.to_numpy())
    else:
        assert [labels.levels[0][int(code)] for code in y] == human.to_list()


def test_wide_raters_average_to_the_published_mean(shared_data):
    path = shared_data / "hanna.parquet"
    labels = read_labels(path, raters="human_rater*_coherence")
    published = pl.read_parquet(path)["human_coherence"].to_numpy()
    assert labels.n_raters == 3
    np.testing.assert_allclose(labels.values[:, 0], published, atol=1e-6)


@pytest.mark.parametrize("name", ["css_stance", "wmt23_ende_mqm", "rewardbench2_runs"])
def test_the_same_pool_from_csv(shared_data, tmp_path, name):
    path = shared_data / f"{name}.parquet"
    pl.read_parquet(path).write_csv(tmp_path / "pool.csv")
    assert read_pool(tmp_path / "pool.csv").same_as(read_pool(path))
