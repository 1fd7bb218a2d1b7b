"""Pools drawn anew from the items of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import IntArray, read_only
from bacon.data.pool import Categories
from bacon.data.subpool import pool_of_rows

if TYPE_CHECKING:
    from bacon.data.pool import Pool

__all__ = ["resampled"]


def resampled(pool: Pool, rng: np.random.Generator) -> tuple[Pool, IntArray]:
    """Return a pool drawn with replacement from `pool`, and the rows it is made of.

    As many clusters are drawn as there are, each with all of its items, and one that is drawn
    twice becomes two clusters; without clusters items are drawn. Ids count from 0.
    """
    if pool.cluster is None:
        rows = rng.integers(pool.n_items, size=pool.n_items)
        return pool_of_rows(pool, rows, ids=np.arange(len(rows))), rows
    codes = pool.cluster.codes
    n_clusters = len(pool.cluster.levels)
    by_cluster = np.argsort(codes, kind="stable")
    start = np.searchsorted(codes[by_cluster], np.arange(n_clusters + 1))
    drawn = rng.integers(n_clusters, size=n_clusters)
    rows = np.concatenate([by_cluster[start[c] : start[c + 1]] for c in drawn])
    anew = np.repeat(np.arange(n_clusters), np.diff(start)[drawn])
    cluster = Categories(
        pool.cluster.name, read_only(anew), tuple(str(number) for number in range(n_clusters))
    )
    return replace(pool_of_rows(pool, rows, ids=np.arange(len(rows))), cluster=cluster), rows
