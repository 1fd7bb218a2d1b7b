"""Families of outcomes whose likelihood has a cumulant: linear, logistic, Poisson, Davidson.

For C linear predictors eta of an item the log-likelihood is y'eta - K(eta), so that the mean of
the C sufficient statistics y is the gradient of the cumulant K, and their covariance its Hessian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray

__all__ = ["DAVIDSON", "FAMILIES", "LINEAR", "LOGISTIC", "POISSON", "Family"]


@dataclass(frozen=True)
class Family:
    """One family with its canonical link.

    Parameters
    ----------
    name : str
        As users type it.
    cumulant : callable
        K of linear predictors (n, C), as (n,).
    moments : callable
        Mean (n, C) and covariance (n, C, C) of the sufficient statistics.
    """

    name: str
    cumulant: Callable[[FloatArray], FloatArray]
    moments: Callable[[FloatArray], tuple[FloatArray, FloatArray]]

    def mean(self, eta: FloatArray) -> FloatArray:
        """Return the mean (n, C) of the sufficient statistics."""
        return self.moments(eta)[0]


def _linear(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    return eta, np.ones((len(eta), 1, 1))


def _logistic(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    from scipy.special import expit

    mean = np.asarray(expit(eta), dtype=np.float64)
    return mean, (mean * expit(-eta))[:, :, None]


def _poisson(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean = np.exp(eta)
    return mean, mean[:, :, None]


def _outcomes(eta: FloatArray) -> FloatArray:
    """Return the logits (n, 3), up to a constant, of: the first wins, the second wins, a tie."""
    half = eta[:, 0] / 2.0
    return np.column_stack([half, -half, eta[:, 1]])


def _davidson_cumulant(eta: FloatArray) -> FloatArray:
    from scipy.special import logsumexp

    return np.asarray(logsumexp(_outcomes(eta), axis=1), dtype=np.float64)


def _davidson(eta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the moments of (won - lost) / 2 and of a tie (Davidson 1970, equation 2.3)."""
    from scipy.special import softmax

    won, lost, tie = softmax(_outcomes(eta), axis=1).T
    lead = (won - lost) / 2.0
    covariance = np.empty((len(eta), 2, 2))
    covariance[:, 0, 0] = (won + lost) / 4.0 - lead**2
    covariance[:, 0, 1] = covariance[:, 1, 0] = -lead * tie
    covariance[:, 1, 1] = tie * (1.0 - tie)
    return np.column_stack([lead, tie]), covariance


LINEAR = Family("linear", lambda eta: eta[:, 0] ** 2 / 2.0, _linear)
LOGISTIC = Family("logistic", lambda eta: np.logaddexp(0.0, eta[:, 0]), _logistic)
POISSON = Family("poisson", lambda eta: np.exp(eta[:, 0]), _poisson)
DAVIDSON = Family("davidson", _davidson_cumulant, _davidson)

FAMILIES = {family.name: family for family in (LINEAR, LOGISTIC, POISSON)}
"""Families of regressions by name."""
