"""Whole clusters: prompts, documents or topics of which every item is labelled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.random import stream
from bacon.sampling.assemble import check_count, check_fits, make_sample, settled_seed
from bacon.sampling.columns import categories
from bacon.sampling.uniform import draw_without_replacement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import IntArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["ClusterDesign", "draw_clusters"]


def draw_clusters(
    codes: IntArray, n_clusters: int, n_clusters_pool: int, rng: np.random.Generator
) -> IntArray:
    """Return the positions whose cluster is among `n_clusters` drawn ones.

    Those of a cluster stand together, so that who labels reads its document once; clusters, and
    positions within each, are in random order.

    Parameters
    ----------
    codes : (N,) int64
        Cluster 0..n_clusters_pool-1 of each position.
    n_clusters, n_clusters_pool : int
        Clusters to draw, and clusters there are.
    rng : Generator
        Source of chance.
    """
    place = np.full(n_clusters_pool, -1, dtype=np.int64)
    place[draw_without_replacement(n_clusters_pool, n_clusters, rng)] = np.arange(n_clusters)
    positions = rng.permutation(np.flatnonzero(place[codes] >= 0))
    return positions[np.argsort(place[codes[positions]], kind="stable")]


@dataclass(frozen=True)
class ClusterDesign:
    """Simple random sampling of whole clusters: every item of a drawn cluster is labelled.

    Parameters
    ----------
    n_clusters : int
        Number of clusters to draw.
    column : str
        Column whose different values are the clusters.

    Raises
    ------
    InputError
        `n_clusters` is not a whole number from 1 up.

    Examples
    --------
    >>> import bacon
    >>> pool = bacon.read_pool(
    ...     {"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0], "doc": ["a", "a", "b", "c"]}
    ... )
    >>> sample = ClusterDesign(n_clusters=2, column="doc").draw(pool, seed=0)
    >>> sample.n_clusters, sample.n_clusters_pool
    (2, 3)
    """

    n_clusters: int
    column: str

    def __post_init__(self) -> None:
        check_count("n_clusters", self.n_clusters)

    def draw(self, pool: Pool, *, seed: int | None = None, hide: Sequence[str] = ()) -> Sample:
        """Draw a sample.

        Parameters
        ----------
        pool : Pool
            The items to draw from.
        seed : int, optional
            Seed; taken from the system and recorded where none is given.
        hide : sequence of str
            Columns raters must not see, beside the judges', the group and the probabilities.

        Returns
        -------
        Sample
            All items of the drawn clusters, cluster by cluster in random order, each with
            probability `n_clusters` over the number of clusters in the pool.

        Raises
        ------
        InputError
            No such column, a missing value, or more clusters asked for than there are.
        """
        seed = settled_seed(seed)
        codes, levels = categories(pool, self.column, role="the clusters")
        n_clusters, n_pool = int(self.n_clusters), len(levels)
        check_fits("n_clusters", n_clusters, n_pool, f"different values of {self.column}")
        positions = draw_clusters(codes[pool.order], n_clusters, n_pool, stream(seed, "clusters"))
        sample = make_sample(
            pool,
            pool.order[positions],
            np.full(len(positions), n_clusters / n_pool),
            kind="clusters",
            parameters={"n_clusters": n_clusters, "column": self.column},
            seed=seed,
            hide=hide,
            notices=_notices(n_clusters, n_pool),
        )
        return replace(
            sample, cluster_column=self.column, n_clusters=n_clusters, n_clusters_pool=n_pool
        )


def _notices(n_clusters: int, n_pool: int) -> tuple[Notice, ...]:
    if n_clusters > 1 or n_pool == 1:
        return ()
    message = "One cluster was drawn: no interval can be computed from it; draw two or more."
    return (Notice("one_cluster", message),)
