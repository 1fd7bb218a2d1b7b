"""A small forest of extremely randomised trees, with out-of-bag predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bacon.arrays import blocks
from bacon.outcome.items import Location

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["ForestFit", "fit_forest", "single_precision"]

N_TREES = 50
LABELS_PER_LEAF = 3
ANY_DEPTH = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, eq=False)
class ForestFit:
    """A fitted forest.

    Parameters
    ----------
    trees_ : tuple
        scikit-learn's fitted trees.
    mean_, scale_ : float
        Mean and SD of the labels, in units of which the trees predict.
    residual_ : (n,) float64
        Out-of-bag residuals, ascending and centred.
    held_out_ : (n,) float64
        Mean over the trees that did not draw the row; the labels' mean where all did.
    """

    trees_: tuple[Any, ...]
    mean_: float
    scale_: float
    residual_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        total = np.zeros(len(x))
        for rows in blocks(len(x)):
            block = single_precision(x[rows])
            for tree in self.trees_:
                total[rows] += tree.predict(block)[:, 0]
        return self.mean_ + self.scale_ * total / len(self.trees_)

    def distribution(self, x: FloatArray) -> Location:
        """Return prediction plus out-of-bag residual for each row."""
        return Location(self.predict(x), self.residual_)


def single_precision(x: FloatArray) -> npt.NDArray[np.float32]:
    """Return features as the trees read them: rounding of the last digits moves no item."""
    return np.round(x, 6).astype(np.float32)


def fit_forest(x: FloatArray, y: FloatArray, seed: int) -> ForestFit:
    """Fit extremely randomised trees (Geurts, Ernst and Wehenkel 2006) to bootstrap samples.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n,) float64
        Outcomes.
    seed : int
        Seed of the trees.
    """
    narrow, n = single_precision(x), len(y)
    # Sums of squares of labels of 1e12 would swamp the trees' arithmetic. Rounded, or labels in
    # another unit would decide between equal splits another way.
    mean, scale = float(y.mean()), float(y.std()) or 1.0
    target = np.round((y - mean) / scale, 9)[:, None]
    rng = np.random.default_rng(seed)
    # scikit-learn's trees take no other generator; a new one for each would cost as much as a tree.
    state = np.random.RandomState(0)
    total, count = np.zeros(n), np.zeros(n)
    trees = []
    for _ in range(N_TREES):
        times = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        state.seed(int(rng.integers(2**31)))
        trees.append(grow_tree(narrow, target, times, state))
        out = times == 0.0
        if out.any():
            total[out] += trees[-1].predict(narrow[out])[:, 0]
            count[out] += 1.0
    held_out = mean + scale * total / np.maximum(count, 1.0)
    residual = y - held_out
    return ForestFit(tuple(trees), mean, scale, np.sort(residual - residual.mean()), held_out)


def grow_tree(
    x: npt.NDArray[np.float32],
    y: FloatArray,
    times: FloatArray,
    state: np.random.RandomState,
) -> Any:
    """Return the tree that scikit-learn's ExtraTreeRegressor fits.

    Parameters
    ----------
    x : (n, p) float32
        Features, finite.
    y : (n, 1) float64
        Outcomes.
    times : (n,) float64
        How often each row counts.
    state : RandomState
        Where the tree draws its thresholds from.

    Notes
    -----
    These classes are what ``ExtraTreeRegressor.fit`` calls after its checks, which take ten
    times as long as a tree of a hundred labels. They are not part of scikit-learn's public
    interface, so the versions allowed in pyproject.toml are those where the trees are the same.
    """
    from sklearn.tree._criterion import MSE
    from sklearn.tree._splitter import RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    n, n_features = x.shape
    splitter = RandomSplitter(MSE(1, n), max(1, n_features), LABELS_PER_LEAF, 0.0, state, None)
    tree = Tree(n_features, np.ones(1, dtype=np.intp), 1)
    builder = DepthFirstTreeBuilder(
        splitter, 2 * LABELS_PER_LEAF, LABELS_PER_LEAF, 0.0, ANY_DEPTH, 0.0
    )
    builder.build(tree, x, y, times)
    return tree
