"""The augmented estimating equation: the only place where it stands.

theta solves mean_i m_i = 0 with

    m_i = s_i (y_i - f_i) / pi_i + f_i - theta,

Hajek-normalised: the weights s_i / pi_i are scaled to sum to one (paper, section 2.3, the
augmented moment for the mean). Any other estimand hands over its own moment in place of y
and the prediction of that moment in place of f.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import blocks
from bacon.estimation.influence import Influence

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.survey_design import SurveyDesign

__all__ = ["AugmentedMean", "augmented_mean", "corrected_mean", "pool_mean", "weighted_mean"]


@dataclass(frozen=True, eq=False)
class AugmentedMean:
    """Solution of the equation for one moment.

    Parameters
    ----------
    value : float
        theta.
    correction : float
        Design-weighted mean residual rbar that is added to the mean prediction.
    influence : Influence
        r_i - rbar and g_i = f_i + rbar - theta.
    rounding : float
        Variance that rounding of the labelled values could show where there is none.
    """

    value: float
    correction: float
    influence: Influence
    rounding: float


def weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    """Return sum(w v) / sum(w)."""
    return float(weights @ values / weights.sum())


def pool_mean(f: FloatArray) -> float:
    """Return the mean of `f` as numpy does, in blocks, so that no copy is made."""
    total = 0.0
    for rows in blocks(len(f)):
        total += float(np.sum(f[rows]))
    return total / len(f)


def corrected_mean(
    y: FloatArray, own: FloatArray, f_mean: float, design: SurveyDesign
) -> tuple[float, FloatArray]:
    """Return theta and the centred residuals (m,).

    Parameters
    ----------
    y, own : (m,) float64
        The moment and its prediction at the labelled rows.
    f_mean : float
        Mean prediction over the pool.
    design : SurveyDesign
        How the labelled rows were drawn.
    """
    residual = y - own
    correction = weighted_mean(residual, 1.0 / design.pi)
    return f_mean + correction, residual - correction


def augmented_mean(y: FloatArray, f: FloatArray, design: SurveyDesign) -> AugmentedMean:
    """Solve the augmented estimating equation for a moment.

    Parameters
    ----------
    y : (m,) float64
        The moment at the labelled rows.
    f : (N,) float64
        Its prediction at every item, out of fold at the labelled ones.
    design : SurveyDesign
        How the labelled rows were drawn.

    Returns
    -------
    AugmentedMean
    """
    own = f[design.rows]
    f_mean = pool_mean(f)
    value, residual = corrected_mean(y, own, f_mean, design)
    influence = Influence(residual, ((1.0, f),), -f_mean)
    largest = max(float(np.abs(y).max()), float(np.abs(own).max()))
    return AugmentedMean(value, value - f_mean, influence, (1e-14 * largest) ** 2)
