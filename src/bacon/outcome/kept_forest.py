"""A forest as plain arrays, for files that hold no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.forest_fit import single_precision
from bacon.outcome.items import Location

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.outcome.forest_fit import ForestFit

__all__ = ["KeptForest", "keep_forest"]


@dataclass(frozen=True, eq=False)
class KeptForest:
    """The nodes of all trees in a row.

    Parameters
    ----------
    root : (t,) int64
        First node of each tree.
    feature : (d,) int64
        Feature that a node asks about, -1 at a leaf.
    threshold : (d,) float64
        Rows up to it go left.
    left, right : (d,) int64
        Children; always further on in the arrays.
    value : (d,) float64
        Prediction of a leaf.
    residual_ : (n,) float64
        Out-of-bag residuals, ascending and centred.
    n_features : int
        Number of features.
    """

    root: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray
    residual_: FloatArray
    n_features: int

    def __post_init__(self) -> None:
        """Refuse arrays that are no trees: a walk through them must end at a leaf."""
        whole = (self.root, self.feature, self.left, self.right)
        nodes = (self.feature, self.threshold, self.left, self.right, self.value)
        n, here = len(self.feature), np.arange(len(self.feature))
        inner = self.feature >= 0
        if (
            any(a.ndim != 1 or a.dtype != np.int64 for a in whole)
            or any(a.shape != (n,) for a in nodes)
            or not np.isfinite(self.threshold).all()
            or not np.isfinite(self.value).all()
            or not len(self.root)
            or self.root.min() < 0
            or self.root.max() >= n
            or self.feature.max() >= self.n_features
            or np.any(inner & ~((self.left > here) & (self.left < n)))
            or np.any(inner & ~((self.right > here) & (self.right < n)))
        ):
            raise ValueError("the arrays are no forest")

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        if x.shape[1] != self.n_features:
            raise ValueError(f"a forest of {self.n_features} features cannot read {x.shape[1]}")
        narrow = single_precision(x)
        total, rows = np.zeros(len(x)), np.arange(len(x))
        for root in self.root:
            node = np.full(len(x), root)
            while True:
                inner = self.feature[node] >= 0
                if not inner.any():
                    break
                at = node[inner]
                goes_left = narrow[rows[inner], self.feature[at]] <= self.threshold[at]
                node[inner] = np.where(goes_left, self.left[at], self.right[at])
            total += self.value[node]
        return total / len(self.root)

    def distribution(self, x: FloatArray) -> Location:
        """Return prediction plus out-of-bag residual for each row."""
        return Location(self.predict(x), self.residual_)


def keep_forest(forest: ForestFit) -> KeptForest:
    """Return the arrays of a fitted forest."""
    trees = forest.trees_
    sizes = [tree.node_count for tree in trees]
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    leaf = np.concatenate([tree.children_left < 0 for tree in trees])

    def joined(name: str) -> IntArray:
        parts = [getattr(tree, name) + start for tree, start in zip(trees, root, strict=True)]
        return np.where(leaf, -1, np.concatenate(parts))

    value = np.concatenate([tree.value[:, 0, 0] for tree in trees])
    return KeptForest(
        root=root,
        feature=np.where(leaf, -1, np.concatenate([tree.feature for tree in trees])),
        threshold=np.concatenate([tree.threshold for tree in trees]),
        left=joined("children_left"),
        right=joined("children_right"),
        value=forest.mean_ + forest.scale_ * value,
        residual_=forest.residual_,
        n_features=int(trees[0].n_features),
    )
