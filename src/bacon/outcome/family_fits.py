"""Models of outcomes with a shape: two values, a bounded range, from 0 up, a spike at 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.outcome.glm_fit import GlmFit, fit_glm
from bacon.outcome.items import Discrete, Hurdle, Location, Scaled
from bacon.outcome.ridge_fit import RidgeFit, fit_ridge

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = [
    "BoundedFit",
    "HurdleFit",
    "LogLinkFit",
    "LogisticFit",
    "fit_bounded",
    "fit_hurdle",
    "fit_log_link",
    "fit_logistic",
]

TAIL = 0.02
"""Features of models with a log link are cut at this quantile of the training rows and the
one as far from the other end: an exponential makes too much of an extreme judge."""


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Logistic regression of an outcome with two values.

    Parameters
    ----------
    model : GlmFit
        Probability of the higher value.
    low, high : float
        The two values; equal where the labels are all alike.
    held_out_ : (n,) float64
        Leave-one-out means.
    """

    model: GlmFit
    low: float
    high: float
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return np.asarray(self.low + (self.high - self.low) * self.model.predict(x))

    def distribution(self, x: FloatArray) -> Discrete:
        """Return both values with their probabilities."""
        p = self.model.predict(x)
        return Discrete(np.array([self.low, self.high]), np.column_stack([1.0 - p, p]))


def fit_logistic(x: FloatArray, y: FloatArray, factors: FloatArray) -> LogisticFit:
    """Fit to an outcome (n,) with at most two values; `factors` (p,) as in :func:`fit_glm`."""
    low, high = float(y.min()), float(y.max())
    model = fit_glm(x, (y == high).astype(np.float64), "logit", factors)
    return LogisticFit(model, low, high, low + (high - low) * model.held_out_)


@dataclass(frozen=True, eq=False)
class BoundedFit:
    """Fractional logistic regression of an outcome on a stated range.

    Parameters
    ----------
    model : GlmFit
        Mean as a share of the range.
    low, high : float
        The range.
    residual_ : (n,) float64
        Leave-one-out residuals, ascending and centred.
    held_out_ : (n,) float64
        Leave-one-out means.
    """

    model: GlmFit
    low: float
    high: float
    residual_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return np.asarray(self.low + (self.high - self.low) * self.model.predict(x))

    def distribution(self, x: FloatArray) -> Location:
        """Return a location plus residual, cut to the range, whose mean is the prediction."""
        mean = self.predict(x)
        points = Location(mean, self.residual_).points
        # The mean after the cut is linear in the location but where a residual meets an end.
        corners = np.sort(np.concatenate([self.low - points, self.high - points]))
        at_corners = Location(corners, points, self.low, self.high).mean
        location = np.interp(mean, np.maximum.accumulate(at_corners), corners)
        return Location(location, self.residual_, self.low, self.high)


def fit_bounded(
    x: FloatArray, y: FloatArray, factors: FloatArray, scale: tuple[float, float]
) -> BoundedFit:
    """Fit to an outcome (n,) on `scale`; quasi-likelihood of Papke and Wooldridge (1996)."""
    low, high = scale
    model = fit_glm(x, (y - low) / (high - low), "logit", factors)
    held_out = low + (high - low) * model.held_out_
    residual = y - held_out
    return BoundedFit(model, low, high, np.sort(residual - residual.mean()), held_out)


@dataclass(frozen=True, eq=False)
class LogLinkFit:
    """Log-link regression of an outcome from 0 up.

    Parameters
    ----------
    model : GlmFit
        Mean of the outcome.
    low, high : (p,) float64
        Features are cut to these.
    ratio_ : (n,) float64
        Labels over leave-one-out means, ascending, with mean 1.
    held_out_ : (n,) float64
        Leave-one-out means.
    """

    model: GlmFit
    low: FloatArray
    high: FloatArray
    ratio_: FloatArray
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p)."""
        return self.model.predict(np.clip(x, self.low, self.high))

    def distribution(self, x: FloatArray) -> Scaled:
        """Return prediction times ratio."""
        return Scaled(self.predict(x), self.ratio_)


def fit_log_link(x: FloatArray, y: FloatArray, factors: FloatArray) -> LogLinkFit:
    """Fit a quasi-Poisson regression to an outcome (n,) from 0 up, not all 0."""
    low, high = np.quantile(x, [TAIL, 1.0 - TAIL], axis=0)
    # An indicator that is seldom set would be cut away whole.
    ordered = np.sort(x, axis=0)
    few = (ordered[1:] != ordered[:-1]).sum(axis=0) < 3
    low, high = np.where(few, -np.inf, low), np.where(few, np.inf, high)
    model = fit_glm(np.clip(x, low, high), y, "log", factors)
    ratio = np.sort(y / np.maximum(model.held_out_, 1e-300))
    return LogLinkFit(model, low, high, ratio / ratio.mean(), model.held_out_)


@dataclass(frozen=True, eq=False)
class HurdleFit:
    """A logistic gate for 0 or more, and an amount where there is more.

    Parameters
    ----------
    gate : GlmFit
        Probability that the outcome is not 0.
    amount : LogLinkFit or RidgeFit
        The outcome where it is not 0.
    held_out_ : (n,) float64
        Leave-one-out means.
    """

    gate: GlmFit
    amount: LogLinkFit | RidgeFit
    held_out_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean (k,) of features (k, p), never below 0."""
        return self.distribution(x).mean

    def distribution(self, x: FloatArray) -> Hurdle:
        """Return 0 with the closed gate's probability, else the amount."""
        return Hurdle(self.gate.predict(x), _amounts(self.amount, x))


def _amounts(amount: LogLinkFit | RidgeFit, x: FloatArray) -> Location | Scaled:
    """Return the amounts, those of a ridge cut at 0."""
    found = amount.distribution(x)
    return (
        Location(found.location, found.residual, low=0.0) if isinstance(found, Location) else found
    )


def fit_hurdle(
    x: FloatArray, y: FloatArray, factors: FloatArray, blocks: IntArray, *, amount: str = "log"
) -> HurdleFit:
    """Fit to an outcome (n,) from 0 up.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n,) float64
        Outcomes, at least two of them above 0.
    factors : (p,) float64
        What each column is multiplied by before the penalty; see :func:`fit_glm`.
    blocks : (p,) int64
        Penalty blocks of a ridge amount; see :func:`fit_ridge`.
    amount : {"log", "ridge"}
        Log link, for heavy tails, or ridge (the paper's).
    """
    more = y > 0.0
    gate = fit_glm(x, more.astype(np.float64), "logit", factors)
    fitted = (
        fit_log_link(x[more], y[more], factors)
        if amount == "log"
        else fit_ridge(x[more], y[more], blocks)
    )
    said = _amounts(fitted, x).mean.copy()
    said[more] = np.maximum(fitted.held_out_, 0.0)
    return HurdleFit(gate, fitted, gate.held_out_ * said)
