"""Chance that a drawn item is answered, from what is known of it without its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.glm_fit import fit_glm

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray

__all__ = ["ResponseFit", "fit_response", "response_columns", "response_p_value"]

FOLDS = 10

PENALTY = 1.0
"""On |coef|^2 / 2 of standardised columns: a normal prior of SD 1 for each log odds ratio."""

FLOOR = 0.2
"""Probabilities below this part of the mean response are raised to it."""


@dataclass(frozen=True, eq=False)
class ResponseFit:
    """Chance that each drawn item is answered.

    Parameters
    ----------
    probability : (n,) float64
        Cross-fitted, above 0 and at most 1.
    n_floored : int
        How many were raised to the floor.
    """

    probability: FloatArray
    n_floored: int


def response_columns(candidates: FloatArray, cell: IntArray, most: int) -> FloatArray:
    """Return what the response model reads: few columns, uncorrelated, of mean 0 and SD 1.

    Parameters
    ----------
    candidates : (n, c) float64
        What may be read of the drawn items, the most telling first. Each is taken less what
        those before it say, and left out if nothing remains.
    cell : (n,) int64
        Cells within which answered items speak for the others (strata): columns are centred
        there.
    most : int
        Largest number of columns.

    Returns
    -------
    (n, k) float64
        k from 0 to `most`.
    """
    sizes = np.maximum(np.bincount(cell), 1)
    kept: list[FloatArray] = []
    for column in candidates.T:
        if len(kept) == most:
            break
        left = column - (np.bincount(cell, weights=column) / sizes)[cell]
        for other in kept:
            left = left - other * (float(other @ left) / len(left))
        size = float(left @ left)
        # What remains of a column that the others say already is rounding.
        if size > 1e-6 * float(column @ column) > 0.0:
            kept.append(left * np.sqrt(len(left) / size))
    return np.column_stack(kept) if kept else np.zeros((len(cell), 0))


def response_p_value(columns: FloatArray, answered: BoolArray, cell: IntArray) -> float:
    """Return the p value of "who answers has nothing to do with these columns", NaN without any.

    Parameters
    ----------
    columns : (n, k) float64
        Columns centred within cells.
    answered : (n,) bool
        Which drawn items are answered.
    cell : (n,) int64
        Cells within which answers may be dealt at random.

    Notes
    -----
    Score test of a logistic model, with the covariance over random deals of the answers within
    cells: S'V^-1 S against chi-squared on k degrees of freedom.
    """
    from scipy.special import chdtrc

    if columns.shape[1] == 0:
        return float("nan")
    sizes = np.bincount(cell).astype(np.float64)
    rate = np.bincount(cell, weights=answered) / np.maximum(sizes, 1.0)
    score = columns.T @ (answered - rate[cell])
    factor = sizes / np.maximum(sizes - 1.0, 1.0) * rate * (1.0 - rate)
    spread = (columns * factor[cell][:, None]).T @ columns
    statistic = float(score @ np.linalg.lstsq(spread, score)[0])
    return float(chdtrc(columns.shape[1], statistic))


def fit_response(
    columns: FloatArray,
    answered: BoolArray,
    weights: FloatArray,
    cell: IntArray,
    rng: np.random.Generator,
) -> ResponseFit:
    """Cross-fit a penalised logistic model of who answers.

    Every item gets the chance that the model fitted without its fold gives it. In each cell
    the log odds are then moved together until the answered items, weighted by the inverse of
    their chances, stand for all drawn ones: sum of w/rho over them = sum of w over all.

    Parameters
    ----------
    columns : (n, k) float64
        What the model reads, standardised.
    answered : (n,) bool
        Which drawn items are answered; two at least in every cell.
    weights : (n,) float64
        Weights w of the draw, 1/pi.
    cell : (n,) int64
        Cells within which the answered speak for the others.
    rng : numpy.random.Generator
        Deals the folds.
    """
    n, k = columns.shape
    fold = np.empty(n, dtype=np.int64)
    # Answered and unanswered items are dealt apart, so that every fold has its part of both.
    order = rng.permutation(n)
    order = order[np.argsort(answered[order], kind="stable")]
    fold[order] = np.arange(n) % FOLDS
    chance = np.empty(n)
    for number in range(FOLDS):
        train = fold != number
        said = answered[train].astype(np.float64)
        fitted = fit_glm(columns[train], said, "logit", np.ones(k), PENALTY)
        chance[~train] = fitted.predict(columns[~train])
    log_odds = np.log(chance) - np.log1p(-chance)
    n_floored = 0
    for code in np.unique(cell):
        at = cell == code
        chance[at], floored = _calibrated(log_odds[at], answered[at], weights[at])
        n_floored += floored
    return ResponseFit(chance, n_floored)


def _calibrated(
    log_odds: FloatArray, answered: BoolArray, weights: FloatArray
) -> tuple[FloatArray, int]:
    """Move log odds until the answered stand for all; return chances and how many hit the floor."""
    from scipy.optimize import brentq
    from scipy.special import expit

    if answered.all():
        return np.ones(len(answered)), 0
    total = float(weights.sum())
    floor = FLOOR * float(weights[answered].sum()) / total

    def excess(shift: float) -> float:
        chance = np.maximum(expit(log_odds[answered] + shift), floor)
        return float(np.sum(weights[answered] / chance)) - total

    # Far down every chance is at the floor and the sum is too large; far up every chance is 1.
    reach = 50.0 + float(np.abs(log_odds).max())
    chance = expit(log_odds + brentq(excess, -reach, reach))
    return np.maximum(chance, floor), int(np.sum(chance < floor))
