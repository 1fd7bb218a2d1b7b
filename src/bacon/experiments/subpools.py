"""Pools made of rows of another: one group of it, or items drawn from it anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import IdArray, IntArray, read_only
from bacon.data.pool import Categories
from bacon.fingerprint import fingerprint_ids

if TYPE_CHECKING:
    from bacon.data.pool import Pool

__all__ = ["pool_of_rows", "resampled"]


def pool_of_rows(pool: Pool, rows: IntArray, *, ids: IdArray | None = None) -> Pool:
    """Return the pool that holds only `rows`, in their order.

    Parameters
    ----------
    pool : Pool
        The items.
    rows : (k,) int64
        Rows to keep; a row may be there more than once if `ids` are given.
    ids : (k,) int64, optional
        New ids, all different.
    """
    ids = pool.ids[rows] if ids is None else ids
    order = np.argsort(ids, kind="stable")
    return replace(
        pool,
        ids=read_only(ids),
        order=read_only(order),
        fingerprint=fingerprint_ids(ids[order]),
        judges=tuple(
            replace(
                judge,
                scores=read_only(judge.scores[rows]),
                uncertainty=tuple(
                    replace(one, values=read_only(one.values[rows])) for one in judge.uncertainty
                ),
            )
            for judge in pool.judges
        ),
        features=read_only(pool.features[rows]),
        table=pool.table[rows],
        group=_part(pool.group, rows),
        cluster=_part(pool.cluster, rows),
        embeddings=None if pool.embeddings is None else read_only(pool.embeddings[rows]),
        pi=None if pool.pi is None else read_only(pool.pi[rows]),
    )


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


def _part(column: Categories | None, rows: IntArray) -> Categories | None:
    """Return the categories of `rows`, numbered anew so that every level occurs."""
    if column is None:
        return None
    kept, codes = np.unique(column.codes[rows], return_inverse=True)
    levels = tuple(column.levels[code] for code in kept)
    return Categories(column.name, read_only(codes.astype(np.int64)), levels)
