"""Weights of labels that were drawn in three stages or more.

Pilot and second stage are the first batch, with the chance to be in either. A later batch b draws
item i, if it was not drawn before, with a chance sigma_i^b that may rest on all labels so far.
Given these, the sum over past labels plus that over the remaining items, the drawn ones weighted by
1 / sigma, is an unbiased estimate of the pool's sum. The estimates of all batches are added with
shares lambda_b that sum to one: a label of batch b has the weight

    w_i = lambda_b / sigma_i^b + sum_{b' > b} lambda_b',

since later batches know it for certain. No weight rests on the item's own label. Errors of
different batches are uncorrelated, and the variance is the sum over labels of
lambda_b^2 (1 - sigma) / sigma^2 r^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["batch_weights"]


def batch_weights(
    stage: IntArray, chance: FloatArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weights of labels drawn in batches, and what of them is left to chance.

    Parameters
    ----------
    stage : (m,) int64
        Batch 0..B-1 of each label.
    chance : (m,) float64
        Chance sigma in (0, 1] with which its batch drew it, had none before.
    shares : (B,) float64
        Shares lambda of the batches; they sum to one.

    Returns
    -------
    weight : (m,) float64
        w, whose expectation over all draws is 1 for every item of the pool.
    unseen : (m,) float64
        lambda^2 (1 - sigma) / (sigma w)^2: the share of w^2 that enters the variance, in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> shares = np.array([0.4, 0.6])
    >>> weight, unseen = batch_weights(np.array([0, 1]), np.array([0.5, 0.25]), shares)
    >>> weight.tolist(), unseen.round(4).tolist()
    ([1.4, 2.4], [0.1633, 0.75])
    """
    own = shares[stage] / chance
    later = (shares.sum() - np.cumsum(shares))[stage]
    weight = own + later
    return weight, (1.0 - chance) * (own / weight) ** 2
