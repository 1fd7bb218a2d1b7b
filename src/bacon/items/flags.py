"""Conformal selection: items flagged as below a cut, few of them wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.items.conformal import ROUNDING

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray

__all__ = ["Selection", "conformal_selection", "smallest_share"]


@dataclass(frozen=True, eq=False)
class Selection:
    """Which items are flagged.

    Parameters
    ----------
    p_value : (T,) float64
        Conformal p value of "this item is not beyond the cut": (weight of the labelled null items
        with a score at most the item's, and its own) / (weight of all labelled items, and its
        own). Equation (5) of Jin and Candes (2023, weighted) with the score that is infinite for
        labels beyond the cut, ties counted in full.
    flagged : (T,) bool
        The items flagged.
    n_pruned : int
        Items that passed the first step and were left out by the pruning.
    """

    p_value: FloatArray
    flagged: BoolArray
    n_pruned: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "p_value", "flagged")


def _mass_of_null(
    score: FloatArray, known: FloatArray, weights: FloatArray, is_null: BoolArray
) -> FloatArray:
    """Return the weight (T,) of the labelled null items whose score is at most each score."""
    order = np.argsort(known[is_null], kind="stable")
    heaped = np.concatenate([[0.0], np.cumsum(weights[is_null][order])])
    return np.asarray(heaped[np.searchsorted(known[is_null][order], score, side="right")])


def conformal_selection(
    score: FloatArray,
    own: FloatArray,
    known: FloatArray,
    weights: FloatArray,
    is_null: BoolArray,
    *,
    fdr: float,
    coin: float,
) -> Selection:
    """Flag items so that on average a share of at most `fdr` of the flags is false.

    Parameters
    ----------
    score : (T,) float64
        Scores of the items without a label; small ones speak for the flag.
    own : (T,) float64
        Their weights.
    known : (m,) float64
        Scores of labelled items.
    weights : (m,) float64
        Their weights.
    is_null : (m,) bool
        Whether the label is not beyond the cut: a flag would be false.
    fdr : float
        False-discovery rate.
    coin : float
        A number drawn uniformly from (0, 1), which decides how far the flags are pruned where
        weights differ.

    Notes
    -----
    Weighted conformal selection with homogeneous pruning (Jin and Candes 2023, algorithm 1).
    Item j passes the first step if its p value is at most fdr R_j / T, where R_j counts what
    Benjamini and Hochberg would reject if every item had j's weight: the p values p_l^(j) of
    their equation (8), ties counted, are then in the order of the scores, so that R_j is the
    number of items with scores up to one cut, and j passes exactly if its score is among them.
    Of the items that pass, those with coin R_j <= r* stay, r* the largest r such that at least r
    of them have coin R_j <= r. With equal weights all R_j are the number of items that pass,
    nothing is pruned, and the flags are those of Benjamini and Hochberg (1995).

    Examples
    --------
    >>> import numpy as np
    >>> known = np.arange(20.0)
    >>> found = conformal_selection(
    ...     np.array([0.5, 1.5, 30.0]),
    ...     np.ones(3),
    ...     known,
    ...     np.ones(20),
    ...     known > 5.0,
    ...     fdr=0.1,
    ...     coin=0.5,
    ... )
    >>> found.flagged.tolist()
    [True, True, False]
    """
    n_items = len(score)
    mass = _mass_of_null(score, known, weights, is_null)
    p_value = (mass + own) / (weights.sum() + own)
    cuts, first = np.unique(score, return_index=True)
    upto = np.searchsorted(np.sort(score), cuts, side="right")
    share = fdr * upto / n_items
    # Scores up to cut g are rejected by the weight w if mass + w <= share (total + w).
    heaviest = (share * weights.sum() - mass[first] + ROUNDING * weights.sum()) / (1.0 - share)
    # Beyond cut g, the heaviest weight that any later cut allows.
    later = np.maximum.accumulate(heaviest[::-1])[::-1]
    last = np.searchsorted(-later, -own, side="right") - 1
    passes = (last >= 0) & (score <= cuts[np.maximum(last, 0)])
    rejected = upto[np.maximum(last, 0)]
    sizes = np.sort(coin * rejected[passes])
    enough = np.arange(1, len(sizes) + 1)
    # At least r sizes are at most r exactly if the r-th smallest is.
    found = enough[sizes <= enough]
    kept = passes & (coin * rejected <= (found.max() if len(found) else 0.0))
    return Selection(p_value, kept, int(passes.sum() - kept.sum()))


def smallest_share(own: FloatArray, total: float, fdr: float) -> tuple[float, float]:
    """Return the smallest share of the items that can be flagged, of the lightest and the heaviest.

    Parameters
    ----------
    own : (T,) float64
        Weights of the items without a label.
    total : float
        Weight of all labelled items.
    fdr : float
        False-discovery rate.

    Returns
    -------
    (float, float)
        w / ((total + w) fdr); with equal weights both are 1 / ((m + 1) fdr). Above 1 no item can
        be flagged.

    Examples
    --------
    >>> import numpy as np
    >>> [round(share, 6) for share in smallest_share(np.ones(4), 199.0, 0.1)]
    [0.05, 0.05]
    """
    ends = [float(end / ((total + end) * fdr)) for end in (own.min(), own.max())]
    return ends[0], ends[1]
