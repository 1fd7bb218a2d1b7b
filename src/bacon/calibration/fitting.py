"""The outcome model fitted across folds, for the outcome itself or an event of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.predictions import Predictions
from bacon.errors import InputError
from bacon.outcome.crossfit import CrossFit, CrossFitMode, FoldPlan, crossfit
from bacon.outcome.folds import label_folds, n_folds, unit_folds
from bacon.outcome.ridge_fit import RidgeFit, fit_ridge
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.alignment import Aligned
    from bacon.data.pool import Pool

__all__ = ["MODELS", "Fitter", "fold_plan"]

MODELS = ("ridge", "human-only")


@dataclass(frozen=True, eq=False)
class Fitter:
    """Everything a cross-fit needs but the labels.

    Parameters
    ----------
    x : (N, p) float64
        Features of every item.
    blocks : (p,) int64
        Penalty block of each feature.
    rows : (m,) int64
        Labelled rows.
    plan : FoldPlan or None
        The folds; None where no model is fitted.
    model : str
        One of `MODELS`.
    mode : str
        ensemble or refit.
    """

    x: FloatArray
    blocks: IntArray
    rows: IntArray
    plan: FoldPlan | None
    model: str
    mode: CrossFitMode

    def fit(self, y: FloatArray) -> CrossFit:
        """Cross-fit the model to values (m,) of the labelled rows."""
        if self.plan is None:
            return CrossFit((), _constant(y, len(self.x)))
        if self.x.shape[1] == 0:
            raise InputError(
                "no judge and no feature differs between the items, so there is nothing to "
                'calibrate; use --model human-only (model="human-only" in Python).'
            )
        block_one = self.blocks == 1

        def fit_model(x: FloatArray, values: FloatArray) -> RidgeFit:
            return fit_ridge(x, values, block_one)

        return crossfit(self.x, y, self.rows, fit_model, self.plan, mode=self.mode)


def _constant(y: FloatArray, n_items: int) -> Predictions:
    """Return the labels' mean for every item: ignoring the judges."""
    zeros = np.zeros(n_items, dtype=np.int64)
    mean = np.full(n_items, float(y.mean()))
    residual = np.sort(y - y.mean())
    return Predictions(mean, mean[:, None], (residual,), zeros - 1, zeros, np.ones((1, 1)))


def fold_plan(pool: Pool, aligned: Aligned, folds: int | str, seed: int) -> FoldPlan:
    """Deal the folds that suit the design, in the order of sorted ids.

    Simple and stratified draws: the labelled items, within strata. Whole clusters: the drawn
    clusters. Items that share clusters, and unequal probabilities: every unit of the pool, so
    that folds say nothing about which items were drawn.
    """
    rng = stream(seed, "folds")
    rank = np.empty(pool.n_items, dtype=np.int64)
    rank[pool.order] = np.arange(pool.n_items)
    design = aligned.design
    if aligned.psu is not None and design.psu is not None:
        k = _at_least_two(n_folds(len(np.unique(design.psu)), folds))
        units = aligned.psu[design.rows]
        return FoldPlan(k, _spread(pool, design.rows, label_folds(units, None, k, rng)), unit=units)
    if pool.cluster is not None or design.kind in ("poisson", "fixed"):
        units = rank if pool.cluster is None else pool.cluster.codes
        k = _at_least_two(n_folds(len(np.unique(units[design.rows])), folds))
        return FoldPlan(k, unit_folds(units, design.rows, k, rng))
    k = _at_least_two(n_folds(design.n_labels, folds))
    dealt = label_folds(rank[design.rows], design.stratum, k, rng)
    return FoldPlan(k, _spread(pool, design.rows, dealt), stratum=aligned.stratum)


def _spread(pool: Pool, rows: IntArray, fold: IntArray) -> IntArray:
    """Return the folds (N,) of labelled rows, -1 elsewhere."""
    everywhere = np.full(pool.n_items, -1, dtype=np.int64)
    everywhere[rows] = fold
    return everywhere


def _at_least_two(k: int) -> int:
    """Refuse a single fold: nothing could be held out."""
    if k < 2:
        raise InputError(
            "all labels share one cluster, so no model can be fitted without a label's own "
            "cluster; label items of another cluster, or use --model human-only "
            '(model="human-only" in Python).'
        )
    return k
