"""Coefficients through the one augmented equation, whose moment is a likelihood's score.

With statistics y_i, their predictions f_i, rows D_i of the design and mu the family's mean, theta
solves

    mean_i D_i'(f_i - mu(D_i theta)) + sum_i w_i D_i'(y_i - f_i) = 0,   w Hajek weights of labels.

Predictions that miss what the design explains cost more than no predictions at all. So they are
adjusted first: with theta_y and theta_f the labelled rows' own weighted fits to y and to f,

    f_i + mu(D_i theta_y) - mu(D_i theta_f)

takes the place of f_i, which makes the second sum 0. Predictions that say nothing (f constant, or
any function mu(D theta)) then give theta_y exactly, the labels' own regression; a linear family
gives theta_y + (theta of f over all items) - theta_f; and an indicator of a group has the Hajek
estimate within that group. Unadjusted, the equation is ppi-python's for logistic regression at
lambda 1; adjusted, it is ppi-python's for OLS (Angelopoulos et al. 2023, algorithms 2 and 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import TooFewLabelsError
from bacon.estimation.augmented import augmented_mean
from bacon.estimation.designs import is_census
from bacon.estimation.score_equation import NoFiniteRoot, ScoreEquation, find_root

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.survey_design import SurveyDesign

__all__ = ["Solution", "solve"]

FULL_LEVERAGE = 1.0 - 1e-8
"""Leverage of a label that alone settles a coefficient."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients with their influence values.

    Parameters
    ----------
    theta : (q,) float64
        Coefficients.
    residual : (m, q) float64
        Residual part of their influence at the labelled rows, with weighted mean 0.
    prediction : (N, q) float64
        Prediction part, with mean 0.
    largest : (q,) float64
        Size of the largest value a label or its prediction could add, which rounding is a
        share of.
    spreads : tuple of (m, q) float64
        What one standard deviation of a label, as the family has it, would do to the
        coefficients through the C independent parts of its statistics.
    adjusted : bool
        Whether predictions were adjusted by the labels' own fit.
    """

    theta: FloatArray
    residual: FloatArray
    prediction: FloatArray
    largest: FloatArray
    spreads: tuple[FloatArray, ...]
    adjusted: bool


def solve(
    y: FloatArray,
    f: FloatArray | None,
    equation: ScoreEquation,
    design: SurveyDesign,
    *,
    adjust: bool = True,
) -> Solution:
    """Solve the augmented equation for coefficients.

    Parameters
    ----------
    y : (m, C) float64
        Statistics of the labelled rows.
    f : (N, C) float64 or None
        Their predictions for every item, out of fold at the labelled rows; None for the labels
        alone.
    equation : ScoreEquation
        Of all N items.
    design : SurveyDesign
        How the labelled rows were drawn.
    adjust : bool
        Adjust the predictions by the labels' own fit, where that has a finite value.

    Raises
    ------
    NoFiniteRoot
        There are no finite coefficients.
    TooFewLabelsError
        A label settles a coefficient alone.

    Notes
    -----
    The labels' own fit has to be paid for: residuals are divided by 1 - leverage, as if each label
    were left out of it (HC3 of MacKinnon and White 1985), up to the share (m - 1) / m that every
    variance of a mean allows for already.
    """
    rows = design.rows
    labelled = equation.at(rows)
    weights = (1.0 / design.pi) / float((1.0 / design.pi).sum())
    everyone = np.full(design.n_items, 1.0 / design.n_items)
    fits = _own_fits(y, None if f is None else f[rows], labelled, weights, adjust=adjust)
    corrected = np.zeros((design.n_items, 1)) if f is None else f
    if fits is not None:
        corrected = corrected + equation.mean(fits[0])
        if fits[1] is not None:
            corrected = corrected - equation.mean(fits[1])
    score_y, score_f = labelled.score(y), np.asfortranarray(equation.score(corrected))
    target = np.array(
        [
            augmented_mean(score_y[:, k], score_f[:, k], design).value
            for k in range(equation.n_coefficients)
        ]
    )
    theta = find_root(equation, target, everyone, None if fits is None else fits[0])
    inverse = np.asarray(np.linalg.inv(equation.slope_at(theta, everyone)), dtype=np.float64)
    g = (score_f - equation.score(equation.mean(theta))) @ inverse
    if fits is None:
        residual = (score_y - score_f[rows]) @ inverse
    else:
        turned = _Turned(equation, labelled, weights, inverse)
        residual = turned.residual(y, fits[0])
        if f is not None and fits[1] is not None:
            residual = residual - turned.residual(f[rows], fits[1])
        residual = residual * _inflation(labelled.leverage(fits[0], weights), design)[:, None]
    residual = residual - weights @ residual
    reach = np.abs(np.hstack(labelled.designs) @ inverse).max(axis=0)
    largest = reach * max(float(np.abs(y).max()), float(np.abs(corrected).max()))
    spreads = tuple(labelled.score(part) @ inverse for part in _roots(labelled, theta))
    return Solution(theta, residual, g - g.mean(axis=0), largest, spreads, fits is not None)


def _own_fits(
    y: FloatArray,
    f: FloatArray | None,
    labelled: ScoreEquation,
    weights: FloatArray,
    *,
    adjust: bool,
) -> tuple[FloatArray, FloatArray | None] | None:
    """Return the labelled rows' own fits to their labels and to their predictions `f`.

    None where predictions are not to be adjusted, or where a fit has no finite value; without
    predictions the labels' own fit is the answer, and has to have one.
    """
    if f is None:
        return find_root(labelled, labelled.total(y, weights), weights), None
    if not adjust:
        return None
    try:
        own = find_root(labelled, labelled.total(y, weights), weights)
        return own, find_root(labelled, labelled.total(f, weights), weights)
    except NoFiniteRoot:
        return None


@dataclass(frozen=True, eq=False)
class _Turned:
    """What labelled rows are worth to the coefficients through the labels' own fit.

    A^-1 J_N J_n^-1: from a score at a labelled row to the own fit (slope J_n), to the adjusted
    predictions of all items (J_N), to the coefficients (A). Near A^-1, and closer to the error
    of few labels.
    """

    equation: ScoreEquation
    labelled: ScoreEquation
    weights: FloatArray
    inverse: FloatArray

    def residual(self, values: FloatArray, theta: FloatArray) -> FloatArray:
        """Return the residual part (m, q) of a fit `theta` to labelled `values` (m, C)."""
        n_items = len(self.equation.designs[0])
        everyone = np.full(n_items, 1.0 / n_items)
        through = np.linalg.solve(
            self.labelled.slope_at(theta, self.weights),
            self.equation.slope_at(theta, everyone) @ self.inverse,
        )
        return np.asarray(self.labelled.score(values - self.labelled.mean(theta)) @ through)


def _roots(labelled: ScoreEquation, theta: FloatArray) -> list[FloatArray]:
    """Return C arrays (m, C) whose products with themselves sum to the statistics' covariance."""
    covariance = labelled.family.moments(labelled.linear(theta))[1]
    size, direction = np.linalg.eigh(covariance)
    root = direction * np.sqrt(np.maximum(size, 0.0))[:, None, :]
    return [root[:, :, part] for part in range(root.shape[2])]


def _inflation(leverage: FloatArray, design: SurveyDesign) -> FloatArray:
    """Return the factors (m,) of residuals; see the notes of :func:`solve`."""
    m, alone = len(leverage), leverage > FULL_LEVERAGE
    if alone.any() and not is_census(design):
        row = int(design.rows[int(np.argmax(alone))]) + 1
        raise TooFewLabelsError(
            f"the label of row {row:,} settles a coefficient alone: no other labelled item differs "
            "from the rest as it does, so the error cannot be known. Label more items like it, or "
            "leave out the column that sets it apart."
        )
    return np.asarray((m - 1.0) / (m * np.where(alone, 1.0, 1.0 - leverage)))
