"""Class probabilities from several models, weighted by what each says of labels held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.outcome.multinomial_fit import constant_shares, fit_multinomial, one_hot
from bacon.outcome.ridge_fit import fit_ridge
from bacon.outcome.stack import combine
from bacon.simplex import onto_simplex

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.outcome.stack import StackFit

__all__ = ["LinearShares", "fit_class_stack", "fit_constant_shares"]

STRENGTH = 10.0
"""Labels' worth of evidence that the prior weights count for."""

PRIOR = {"judge average": 0.5, "ridge": 0.25, "multinomial": 0.25}
"""Prior weights where the judges answer with the classes or score in numbers."""

LEAST_LABELS = 3
"""Labels below which the shares are taken to be the same for all items."""


@dataclass(frozen=True, eq=False)
class LinearShares:
    """Class probabilities that are linear in the features, moved to the nearest shares.

    Parameters
    ----------
    coef_ : (p, C) float64
        Coefficients.
    intercept_ : (C,) float64
        Intercepts.
    held_out_ : (n, C) float64
        Probabilities of each training row by the model without it.
    """

    coef_: FloatArray
    intercept_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the class probabilities (N, C) of each row; rows sum to one."""
        return onto_simplex(x @ self.coef_ + self.intercept_)


def fit_class_stack(
    x: FloatArray,
    codes: IntArray,
    n_classes: int,
    blocks: IntArray,
    *,
    votes: FloatArray | None = None,
    average: FloatArray | None = None,
) -> StackFit:
    """Fit every member and weigh them by the Brier score of their held-out probabilities.

    Members: the overall shares, the judges' average class shares, a ridge for each class on all
    features, and a multinomial logit on all features. The weights are shrunk to `PRIOR`.

    Parameters
    ----------
    x : (n, p) float64
        Features, centred over the pool.
    codes : (n,) int64
        Class 0..C-1 of each row; not every class needs a label.
    n_classes : int
        Number of classes C.
    blocks : (p,) int64
        Penalty block of each column.
    votes : (p, C) float64, optional
        ``x @ votes`` is the average over the judges of the share of their runs that answered
        each class, less its pool mean. None where no judge answers with the classes.
    average : (p,) float64, optional
        ``x @ average`` is the average of the judges that score in numbers.

    Returns
    -------
    StackFit
        Its predictions are (N, C) probabilities.
    """
    y = one_hot(codes, n_classes)
    members: dict[str, Any] = {"overall shares": fit_constant_shares(y, x.shape[1])}
    if len(y) >= LEAST_LABELS and len(np.unique(codes)) > 1:
        summary = [part for part in (votes, average) if part is not None]
        if summary:
            columns = np.column_stack(summary)
            members["judge average"] = fit_judge_average(x, y, columns, votes)
        ridge, factors = fit_class_ridge(x, y, blocks)
        members["ridge"] = ridge
        members["multinomial"] = fit_multinomial(x, codes, n_classes, blocks, factors=factors)
    prior = np.array([PRIOR.get(name, 0.0) for name in members])
    if not prior.any():
        prior[0] = 1.0
    # A label is a row of C values here, whose squared errors add up to its Brier score.
    return combine(y, members, prior / prior.sum(), STRENGTH * n_classes)


def fit_constant_shares(y: FloatArray, n_columns: int) -> LinearShares:
    """Fit the overall shares to classes (n, C)."""
    shares, held_out = constant_shares(y)
    return LinearShares(np.zeros((n_columns, len(shares))), shares, held_out)


def fit_judge_average(
    x: FloatArray, y: FloatArray, columns: FloatArray, votes: FloatArray | None
) -> LinearShares:
    """Recalibrate the judges' average answer by a map from their classes to people's.

    First one slope for all classes: the shares move with the votes, p = ybar + b (v - vbar).
    Then a ridge for each class on the average answers takes up what that leaves, which is the
    map that says which classes the judges confuse, shrunk to the single slope.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n, C) float64
        One in the column of each row's class.
    columns : (p, k) float64
        ``x @ columns`` are the average answers that the ridges read.
    votes : (p, C) float64 or None
        Those of `columns` that belong to the classes.
    """
    coef = np.zeros((x.shape[1], y.shape[1]))
    intercept, held_out = y.mean(axis=0), _left_out_mean(y)
    if votes is not None:
        v = x @ votes
        slope, held_out = fit_slope(v, y)
        coef = slope * votes
        intercept = intercept - slope * v.mean(axis=0)
    seen, block = x @ columns, np.zeros(columns.shape[1], dtype=np.int64)
    rest = [fit_ridge(seen, values, block) for values in (y - held_out).T]
    coef = coef + columns @ np.column_stack([one.coef_ for one in rest])
    intercept = intercept + np.array([one.intercept_ for one in rest])
    held_out = held_out + np.column_stack([one.held_out_ for one in rest])
    return LinearShares(coef, intercept, onto_simplex(held_out))


def _left_out_mean(y: FloatArray) -> FloatArray:
    """Return the mean of the other rows, (n, C)."""
    return np.asarray((y.sum(axis=0) - y) / (len(y) - 1.0))


def fit_slope(v: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """Return the slope b >= 0 of y on v, common to all columns, and leave-one-out values (n, C).

    b = sum vc . yc / sum |vc|^2 over centred rows. Without row i both sums lose n / (n - 1)
    times its part.
    """
    n = len(y)
    vc, yc, factor = v - v.mean(axis=0), y - y.mean(axis=0), n / (n - 1.0)
    products, squares = np.sum(vc * yc, axis=1), np.sum(vc * vc, axis=1)
    least = 1e-10 * max(float(squares.sum()), 1e-300)
    left = np.maximum(squares.sum() - factor * squares, least)
    slopes = np.maximum((products.sum() - factor * products) / left, 0.0)
    held_out = _left_out_mean(y) + slopes[:, None] * factor * vc
    return max(float(products.sum()) / max(float(squares.sum()), least), 0.0), held_out


def fit_class_ridge(
    x: FloatArray, y: FloatArray, blocks: IntArray
) -> tuple[LinearShares, FloatArray]:
    """Fit a ridge to each class; return with them how far the columns are to be trusted (p,)."""
    fits = [fit_ridge(x, values, blocks) for values in y.T]
    shares = LinearShares(
        np.column_stack([one.coef_ for one in fits]),
        np.array([one.intercept_ for one in fits]),
        onto_simplex(np.column_stack([one.held_out_ for one in fits])),
    )
    return shares, np.mean([one.factors_ for one in fits], axis=0)
