"""Pools made of some of the items of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import IdArray, IntArray, read_only
from bacon.data.pool import Categories
from bacon.fingerprint import fingerprint_ids

if TYPE_CHECKING:
    from bacon.data.pool import Pool

__all__ = ["categories_of_rows", "items_alone", "pool_of_rows"]


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
    if ids is None:
        ids, order = pool.ids[rows], np.argsort(pool.rank[rows], kind="stable")
    else:
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
        group=categories_of_rows(pool.group, rows),
        cluster=categories_of_rows(pool.cluster, rows),
        embeddings=None if pool.embeddings is None else read_only(pool.embeddings[rows]),
        pi=None if pool.pi is None else read_only(pool.pi[rows]),
    )


def items_alone(pool: Pool) -> Pool:
    """Return the pool as if nothing were known of its items but their groups and clusters."""
    import polars as pl

    # Ids that are the numbers of the rows stand in no column.
    there = pool.id_name in pool.table.columns
    ids = pool.table.select(pool.id_name) if there else pl.DataFrame({pool.id_name: pool.ids})
    return replace(
        pool,
        judges=(),
        features=np.zeros((pool.n_items, 0)),
        feature_names=(),
        text=None,
        embeddings=None,
        table=ids,
    )


def categories_of_rows(column: Categories | None, rows: IntArray) -> Categories | None:
    """Return the categories of `rows`, numbered anew so that every level occurs."""
    if column is None:
        return None
    kept, codes = np.unique(column.codes[rows], return_inverse=True)
    levels = tuple(column.levels[code] for code in kept)
    return Categories(column.name, read_only(codes.astype(np.int64)), levels)
