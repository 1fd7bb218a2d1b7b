"""How well predictions follow all labels, and the error their estimate has by design."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.ranks import spearman

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.experiments.answers import FoldModels

__all__ = ["Fit", "design_variance", "fit_to_truth", "unequal_variance"]

SHOWN = 500
"""Most items that each fold model is asked about: the models of a trial together then predict
about as many items as the trial itself does, and the mean over trials loses nothing."""


@dataclass(frozen=True)
class Fit:
    """How well predictions follow the truth; NaN where undefined."""

    r2: float = math.nan
    rmse: float = math.nan
    spearman: float = math.nan


def fit_to_truth(f: FloatArray, y: FloatArray) -> Fit:
    """Return R2, RMSE and Spearman's correlation of predictions with the labels of all items.

    Parameters
    ----------
    f : (N,) float64
        Predictions, NaN where an item has none (left out).
    y : (N,) float64
        Label of every item.
    """
    known = ~np.isnan(f)
    if not known.any():
        return Fit()
    error = y[known] - f[known]
    spread = float(np.sum((y[known] - y[known].mean()) ** 2))
    r2 = 1.0 - float(error @ error) / spread if spread > 0.0 else math.nan
    return Fit(r2, math.sqrt(float(error @ error) / len(error)), spearman(f, y))


def design_variance(
    y: FloatArray,
    rows: IntArray,
    f: FloatArray,
    models: FoldModels | None,
    rng: np.random.Generator,
) -> float:
    """Return the variance that a cross-fitted mean has over simple draws, from all labels.

    With r_k = y - f_k the error of the estimate is exactly

        (1 - n/N) sum_k (n_k / n) (mean of r_k over fold k - mean of r_k over unlabelled items),

    and given the labels that f_k was trained on, the n_k labels of the fold are a simple draw
    from the items it has not seen. Taking the means over folds and over unlabelled items as
    independent given the models,

        V = (1 - n/N)^2 [sum_k n_k S2_k / n^2 + S2_mix / (N - n)],

    with S2_k the variance of r_k over items the model has not seen (a random `SHOWN` of them,
    where they are more) and S2_mix that of y - f over unlabelled items. Its mean over draws is
    the mean squared error but for products between folds, and it varies far less from draw to
    draw than squared errors do. For a constant prediction it is (1 - n/N) S2_y / n, as known.

    Parameters
    ----------
    y : (N,) float64
        Label of every item.
    rows : (n,) int64
        Labelled rows.
    f : (N,) float64
        Prediction of every item.
    models : FoldModels or None
        The fold models behind `f`. Without them S2 is the variance of y - f over unlabelled
        items, as if there were one fold.
    rng : numpy.random.Generator
        Picks the items shown to a model.

    Returns
    -------
    float
        0 at a census; NaN where an item has no prediction, where a single item is unlabelled,
        and where unlabelled items carry no mixture of the fold models: under a refit, and with
        folds of all items.
    """
    n_items, n = len(y), len(rows)
    if n_items < 2 or np.isnan(f).any():
        return math.nan
    if float(np.ptp(f)) == 0.0:
        return (1.0 - n / n_items) * float(np.var(y, ddof=1)) / n
    if n_items - n < 2:
        return 0.0 if n == n_items else math.nan
    unlabelled = np.setdiff1d(np.arange(n_items), rows, assume_unique=True)
    if models is None:
        return (1.0 - n / n_items) * float(np.var((y - f)[unlabelled], ddof=1)) / n
    fold = models.fold[rows]
    if models.n_models != len(np.unique(fold)) or (models.fold[unlabelled] >= 0).any():
        return math.nan
    total = float(np.var((y - f)[unlabelled], ddof=1)) / len(unlabelled)
    for k in range(models.n_models):
        held = rows[fold == k]
        unseen = np.concatenate([unlabelled, held])
        shown = unseen if len(unseen) <= SHOWN else rng.choice(unseen, SHOWN, replace=False)
        spread = float(np.var(y[shown] - models.predict(k, shown), ddof=1))
        total += len(held) * spread / n**2
    return (1.0 - n / n_items) ** 2 * total


def unequal_variance(
    y: FloatArray,
    f: FloatArray,
    models: FoldModels | None,
    e: FloatArray,
    *,
    fixed: bool = False,
) -> float:
    """Return the variance that a weighted cross-fitted mean has over draws by chances `e`.

    With r = y - f and u = r - mean(r) it is that of a weighted mean over independent draws,

        V = sum (1 - e) / e u^2 / N^2,

    and of a fixed number of draws (Hajek 1964)

        V = sum e (1 - e) (u / e - R)^2 / N^2,   R = sum (1 - e) u / sum e (1 - e).

    It is the first order: what a weighted mean has beyond it, and the noise in the weights of a
    small pilot, are left out.

    Parameters
    ----------
    y : (N,) float64
        Label of every item.
    f : (N,) float64
        Prediction of every item.
    models : FoldModels or None
        The fold models behind `f`: every item has to carry the model of its own fold.
    e : (N,) float64
        Chance of every item to be labelled.
    fixed : bool
        Whether the number of labels is fixed.

    Returns
    -------
    float
        NaN where an item has no prediction, or carries a mixture of models that differs from
        what it would carry if it were labelled.
    """
    n_items = len(y)
    if np.isnan(f).any():
        return math.nan
    if float(np.ptp(f)) > 0.0 and models is not None and (models.fold < 0).any():
        return math.nan
    residual = y - f
    u = residual - residual.mean()
    if not fixed:
        return float(np.sum((1.0 - e) / e * u**2)) / n_items**2
    spread = e * (1.0 - e)
    centre = float(np.sum((1.0 - e) * u) / np.sum(spread))
    return float(np.sum(spread * (u / e - centre) ** 2)) / n_items**2
