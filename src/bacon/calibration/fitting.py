"""The outcome model fitted across folds, for the outcome itself or an event of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.data.predictions import Predictions
from bacon.errors import InputError
from bacon.outcome.crossfit import CrossFit, CrossFitMode, FoldPlan, crossfit
from bacon.outcome.folds import label_folds, n_folds, unit_folds
from bacon.outcome.models import Task, fit_named
from bacon.outcome.stack import StackFit
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.alignment import Aligned
    from bacon.data.pool import Pool

__all__ = ["Fitter", "fold_plan", "model_weights"]

FOR_EVENTS = ("ordinal", "multinomial", "hurdle", "hurdle-ridge", "bounded", "log-link")
"""Models of an outcome's shape; its events have two values and take the logistic model."""


@dataclass(frozen=True, eq=False)
class Fitter:
    """Everything a cross-fit needs but the labels.

    Parameters
    ----------
    x : (N, p) float64
        Features of every item.
    rows : (m,) int64
        Labelled rows.
    plan : FoldPlan or None
        The folds; None where no model is fitted.
    model : str or object
        A name of :data:`bacon.outcome.models.MODELS`, or a scikit-learn regressor.
    mode : str
        ensemble or refit.
    task : Task
        What the columns are, and the kind of outcome.
    order : (m,) int64
        Positions that sort the labelled rows by id, so that the order of rows never matters.
    """

    x: FloatArray
    rows: IntArray
    plan: FoldPlan | None
    model: Any
    mode: CrossFitMode
    task: Task
    order: IntArray

    def fit(self, y: FloatArray) -> CrossFit:
        """Cross-fit the model to values (m,) of the labelled rows."""
        if self.plan is None:
            return self._constant(y)
        if self.x.shape[1] == 0:
            raise InputError(
                "no judge and no feature differs between the items, so there is nothing to "
                'calibrate; use --model human-only (model="human-only" in Python).'
            )

        def fit_model(x: FloatArray, values: FloatArray) -> Any:
            return fit_named(self.model, x, values, self.task)

        return crossfit(
            self.x, y, self.rows, fit_model, self.plan, mode=self.mode, order=self.order
        )

    def fit_event(self, event: FloatArray) -> CrossFit:
        """Cross-fit a model of an event, 0 or 1 at the labelled rows (m,)."""
        return self.for_event().fit(event)

    def for_event(self) -> Fitter:
        """Return what cross-fits a model of an event instead of the outcome."""
        model = "logistic" if self.model in FOR_EVENTS else self.model
        task = replace(self.task, kind="binary", scale=(0.0, 1.0))
        return replace(self, model=model, task=task)

    def _constant(self, y: FloatArray) -> CrossFit:
        """Return the labels' mean, or their class shares, for every item: ignoring the judges."""
        zeros = np.zeros(len(self.x), dtype=np.int64)
        model = fit_named("human-only", self.x[self.rows], y, self.task)
        predictions = Predictions(model.predict(self.x), zeros - 1, zeros, np.ones((1, 1)))
        return CrossFit((model,), predictions)


def model_weights(fitted: CrossFit, name: str) -> dict[str, float]:
    """Return the weight of each member in the pool's predictions, by falling weight.

    A model that is no stack has all of it. Fold models count by how many items take them.
    """
    if not isinstance(fitted.models[0], StackFit):
        return {name: 1.0}
    total: dict[str, float] = {}
    for k, model in enumerate(fitted.models):
        share = float(fitted.predictions.shares(k)[1].sum()) / len(fitted.predictions.mean)
        for member, weight in zip(model.names, model.weights_, strict=True):
            total[member] = total.get(member, 0.0) + share * float(weight)
    used = {member: weight for member, weight in total.items() if weight > 0.0}
    return dict(sorted(used.items(), key=lambda item: (-item[1], item[0])))


def fold_plan(pool: Pool, aligned: Aligned, folds: int | str, seed: int) -> FoldPlan:
    """Deal the folds that suit the design, in the order of sorted ids.

    Simple and stratified draws: the labelled items, within strata. Whole clusters: the drawn
    clusters. Items that share clusters, and unequal probabilities: every unit of the pool, so
    that folds say nothing about which items were drawn.
    """
    rng = stream(seed, "folds")
    rank = pool.rank
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
