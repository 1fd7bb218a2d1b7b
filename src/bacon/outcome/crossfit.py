"""The one fold loop: cross-fitted predictions of every item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from bacon.data.predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray

__all__ = ["CrossFit", "FoldPlan", "crossfit"]

CrossFitMode = Literal["ensemble", "refit"]


class Model(Protocol):
    """A fitted model."""

    @property
    def residual_(self) -> FloatArray:
        """Ascending centred leave-one-out residuals."""
        ...

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the predicted mean (N,) of each row."""
        ...


@dataclass(frozen=True, eq=False)
class FoldPlan:
    """Folds of the items and how unlabelled ones combine the fold models.

    Parameters
    ----------
    k : int
        Number of folds.
    fold : (N,) int64
        Fold of each item whose model must not have seen its fold; -1 where the item takes
        the mixture of all fold models (unlabelled items when only labels were dealt).
    stratum : (N,) int64 or None
        Stratum of every item; the mixture weights are n_hk / n_h within it.
    unit : (m,) int64 or None
        Drawn cluster of each labelled row; weights then count clusters and not items.
    """

    k: int
    fold: IntArray
    stratum: IntArray | None = None
    unit: IntArray | None = None


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Fitted models and their predictions.

    Parameters
    ----------
    models : tuple
        The K fold models, and the refit on all labels last in mode refit.
    predictions : Predictions
        What they say of every item.
    """

    models: tuple[Any, ...]
    predictions: Predictions


def _mixture_weights(plan: FoldPlan, rows: IntArray, n_strata: int) -> FloatArray:
    """Return n_hk / n_h (H, K); the overall shares in a stratum without labels."""
    fold = plan.fold[rows]
    stratum = np.zeros(len(rows), dtype=np.int64) if plan.stratum is None else plan.stratum[rows]
    if plan.unit is not None:
        first = np.unique(plan.unit, return_index=True)[1]
        fold, stratum = fold[first], stratum[first]
    counts = np.zeros((n_strata, plan.k))
    np.add.at(counts, (stratum, fold), 1.0)
    counts[counts.sum(axis=1) == 0.0] = counts.sum(axis=0)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def crossfit(
    x: FloatArray,
    y: FloatArray,
    rows: IntArray,
    fit_model: Callable[[FloatArray, FloatArray], Model],
    plan: FoldPlan,
    *,
    mode: CrossFitMode = "ensemble",
) -> CrossFit:
    """Fit a model without each fold and predict every item.

    Labelled items carry the prediction of the model that did not see their fold. Unlabelled
    ones carry the mixture of the fold models weighted n_k / n ("ensemble": the estimate is
    then exactly unbiased under simple draws) or one model refitted on all labels ("refit",
    the paper's text). Where every pool item has a fold, each takes the model without it.

    Parameters
    ----------
    x : (N, p) float64
        Features of every item.
    y : (m,) float64
        Labels of `rows`.
    rows : (m,) int64
        Labelled rows.
    fit_model : callable
        ``fit_model(x, y)`` returns a fitted model with ``predict(x)`` and ``residual_``, its
        ascending centred leave-one-out residuals.
    plan : FoldPlan
        The folds.
    mode : {"ensemble", "refit"}
        What unlabelled items carry.
    """
    n_items = len(x)
    labelled_fold = plan.fold[rows]
    models = []
    for k in range(plan.k):
        train = labelled_fold != k
        models.append(fit_model(x[rows[train]], y[train]))
    fold, stratum = plan.fold, plan.stratum
    if mode == "refit":
        models.append(fit_model(x[rows], y))
        fold = np.full(n_items, -1, dtype=np.int64)
        fold[rows] = labelled_fold
        stratum = None
    codes = np.zeros(n_items, dtype=np.int64) if stratum is None else stratum
    n_strata = int(codes.max()) + 1
    if mode == "refit":
        weights = np.zeros((1, plan.k + 1))
        weights[0, -1] = 1.0
    else:
        weights = _mixture_weights(plan, rows, n_strata)
    by_model = np.column_stack([model.predict(x) for model in models])
    mean = np.einsum("ij,ij->i", by_model, weights[codes])
    own = np.flatnonzero(fold >= 0)
    mean[own] = by_model[own, fold[own]]
    predictions = Predictions(
        mean=mean,
        by_model=by_model,
        residuals=tuple(model.residual_ for model in models),
        fold=fold,
        stratum=codes,
        weights=weights,
    )
    return CrossFit(tuple(models), predictions)
