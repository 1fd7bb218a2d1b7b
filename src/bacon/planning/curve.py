"""How the residual variance of a model falls with more labels, from the pilot's own labels.

The variance of out-of-fold residuals is taken at several training sizes m: cross-fits of the
pilot in 2, 4 and K folds, all on the same labels, so that their ratios vary little. To it

    S_r^2(m) = S^2 (1 + c / m)

is fitted by least squares (the excess error of a model with a fixed number of parameters), and
half of the slope is believed: few labels hardly show it, and what is promised too much is worse
than what is promised too little.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.fitting import fold_plan
from bacon.errors import InputError
from bacon.outcome.crossfit import FoldPlan, crossfit
from bacon.outcome.folds import n_folds
from bacon.outcome.models import fit_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration

__all__ = ["FLAT", "Curve", "learning_curve"]

BELIEVED = 0.5
"""Share of the fitted slope that is believed."""

SPLITS = ((2, 3), (4, 2))
"""Numbers of folds beside the calibration's own, and how often each is dealt."""

MOST_EXCESS = 0.5
"""Most of the pilot's residual variance that more labels may be thought to take away."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Residual variance at n labels as a share of the one at the pilot's.

    Parameters
    ----------
    slope : float
        c' in 1 + c' (1/m(n) - 1/m(n_0)), in training labels; 0 for no learning.
    n_pilot : int
        Labels n_0 of the pilot.
    folds : int or None
        Number of folds, where it does not follow the usual rule.
    points : tuple of (float, float)
        Training labels, and the residual variance there as a share of the pilot's.
    """

    slope: float = 0.0
    n_pilot: int = 2
    folds: int | None = None
    points: tuple[tuple[float, float], ...] = ()

    def at(self, n: float) -> float:
        """Return the residual variance at n labels over the one at the pilot's."""
        if self.slope == 0.0:
            return 1.0
        return 1.0 + self.slope * (1.0 / self._training(n) - 1.0 / self._training(self.n_pilot))

    def _training(self, n: float) -> float:
        """Return the labels that a fold's model of n labels sees."""
        k = n_folds(max(int(n), 2), "auto") if self.folds is None else self.folds
        return n * (1.0 - 1.0 / k)


FLAT = Curve()
"""No learning: the labels alone, or an assumption."""


def learning_curve(
    cal: Calibration,
    y: FloatArray,
    predict: Callable[[Calibration, FloatArray, FoldPlan], FloatArray] | None = None,
) -> Curve:
    """Return the learning curve of a calibration's model.

    Parameters
    ----------
    cal : Calibration
        The pilot.
    y : (m,) float64
        What is averaged at the labelled rows: labels, or whether each has a property.
    predict : callable, optional
        ``predict(cal, y, plan)`` returns out-of-fold predictions (m,) of `y`; by default the
        calibration's own model of the labels.
    """
    plan = cal.fitter.plan
    if plan is None:
        return FLAT
    predict = out_of_fold if predict is None else predict
    weights = 1.0 / cal.aligned.design.pi
    m = len(y)
    sizes, values = [], []
    for k, repeats in (*SPLITS, (plan.k, 1)):
        for repeat in range(repeats):
            dealt = _folds(cal, k, repeat)
            if dealt is None:
                continue
            sizes.append(m * (1.0 - 1.0 / dealt.k))
            values.append(_variance(y - predict(cal, y, dealt), weights))
    usual = n_folds(m, "auto")
    return fitted_curve(
        np.array(sizes), np.array(values), m, folds=None if plan.k == usual else plan.k
    )


def fitted_curve(
    sizes: FloatArray, values: FloatArray, n_pilot: int, *, folds: int | None = None
) -> Curve:
    """Fit 1 + c/m to residual variances `values` at training sizes `sizes`, and shrink it.

    Examples
    --------
    >>> import numpy as np
    >>> m = np.array([40.0, 60.0, 72.0])
    >>> curve = fitted_curve(m, 1.0 + 10.0 / m, 80)
    >>> round(curve.at(80), 3), round(curve.at(320), 3)
    (1.0, 0.956)
    """
    own = values[sizes == sizes.max()].mean() if len(values) else 0.0
    if not own > 0.0 or len(np.unique(sizes)) < 2:
        return Curve(n_pilot=n_pilot, folds=folds)
    x, share = 1.0 / sizes, values / own
    slope = float(np.polyfit(x, share, 1)[0])
    limit = MOST_EXCESS * float(sizes.max())
    slope = BELIEVED * min(max(slope, 0.0), limit)
    points = tuple(
        (float(size), float(share[sizes == size].mean())) for size in np.unique(sizes).tolist()
    )
    return Curve(slope, n_pilot, folds, points)


def out_of_fold(cal: Calibration, y: FloatArray, plan: FoldPlan) -> FloatArray:
    """Return what models without each fold say of the labelled rows, (m,) or (m, C)."""
    fitter = cal.fitter
    own = FoldPlan(plan.k, plan.fold[fitter.rows])
    return crossfit(
        fitter.x[fitter.rows],
        y,
        np.arange(len(y)),
        lambda x, values: fit_named(fitter.model, x, values, fitter.task),
        own,
        order=fitter.order,
    ).predictions.mean


def _folds(cal: Calibration, k: int, repeat: int) -> FoldPlan | None:
    """Deal the labels anew; None where there are fewer units than folds."""
    try:
        plan = fold_plan(cal.pool, cal.aligned, k, cal.seed + 7919 * (repeat + 1))
    except InputError:
        return None
    return plan if plan.k == k else None


def _variance(residual: FloatArray, weights: FloatArray) -> float:
    """Return the weighted variance of residuals."""
    centred = residual - weights @ residual / weights.sum()
    return float(weights @ centred**2 / weights.sum())
