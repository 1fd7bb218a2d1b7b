"""The one fold loop: cross-fitted predictions of every item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bacon.data.predictions import Predictions, taken

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray

__all__ = ["CrossFit", "FoldPlan", "crossfit"]

CrossFitMode = Literal["ensemble", "refit"]


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
    fit_model: Callable[[FloatArray, FloatArray], Any],
    plan: FoldPlan,
    *,
    mode: CrossFitMode = "ensemble",
    order: IntArray | None = None,
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
        ``fit_model(x, y)`` returns a fitted model; its predictions are (N,), or (N, C)
        probabilities of classes.
    plan : FoldPlan
        The folds.
    mode : {"ensemble", "refit"}
        What unlabelled items carry.
    order : (m,) int64, optional
        Positions in `rows` in the order in which models are to see them; a model that draws
        at random depends on it.
    """
    labelled_fold = plan.fold[rows]
    everyone = np.arange(len(rows)) if order is None else order
    models = []
    for k in range(plan.k):
        train = everyone[labelled_fold[everyone] != k]
        models.append(fit_model(x[rows[train]], y[train]))
    fold, stratum = plan.fold, plan.stratum
    if mode == "refit":
        models.append(fit_model(x[rows[everyone]], y[everyone]))
        fold = np.full(len(x), -1, dtype=np.int64)
        fold[rows] = labelled_fold
        stratum = None
    codes = np.zeros(len(x), dtype=np.int64) if stratum is None else stratum
    if mode == "refit":
        weights = np.zeros((1, plan.k + 1))
        weights[0, -1] = 1.0
    else:
        weights = _mixture_weights(plan, rows, int(codes.max()) + 1)
    mean = _combined(models, x, fold, codes, weights)
    return CrossFit(tuple(models), Predictions(mean, fold, codes, weights))


def _combined(
    models: list[Any], x: FloatArray, fold: IntArray, stratum: IntArray, weights: FloatArray
) -> FloatArray:
    """Return every item's prediction, each model asked only about the items that take it."""
    mean: FloatArray | None = None
    for k, model in enumerate(models):
        items, share = taken(fold, stratum, weights, k)
        if not len(items):
            continue
        said = model.predict(x if len(items) == len(x) else x[items])
        if mean is None:
            mean = np.zeros((len(x), *said.shape[1:]))
        mean[items] += share.reshape(-1, *[1] * (said.ndim - 1)) * said
    if mean is None:
        raise ValueError("no model is taken by any item")
    return mean
