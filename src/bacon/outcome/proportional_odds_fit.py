"""Penalised proportional-odds model of ordered outcomes, tuned by leave-one-out log score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import EstimationError, InputError
from bacon.outcome.items import Discrete
from bacon.outcome.proportional_odds_left_out import left_out_predictors
from bacon.outcome.proportional_odds_newton import (
    NO_FIT,
    Expansion,
    LevelRows,
    expand,
    minimise,
)
from bacon.outcome.ridge_fit import fit_ridge

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["ProportionalOddsFit", "fit_proportional_odds"]

PENALTIES = np.array([3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001])
"""Penalties tried, strongest first, in units of the number of labels."""

LEAST_TRIED = 4
"""Penalties tried before the search may end."""

PATIENCE = 2
"""The search ends when this many penalties in turn were no better than the best."""

SHARE_OF_EQUAL = 1e-3
"""Weight of equal probabilities in the log score, so that one surprise costs at most 7 + log L."""

MOST_LEVELS = 500
"""Labels with more different values are refused: the thresholds' Hessian is a full matrix."""

LEAST_CURVATURE = 1e-6
"""Curvature below which a direction without penalty counts as separated; 0.25 is the most."""

ROUGH, FINE, EXACT = 1e-3, 1e-5, 1e-13
"""What a Newton step promises, see :func:`minimise`: up to `ROUGH` it is the last at a penalty
that is tried; in the final fit it keeps the Hessian up to `FINE` and is the last up to `EXACT`."""


@dataclass(frozen=True, eq=False)
class ProportionalOddsFit:
    """A fitted proportional-odds model, P(Y <= level_l | x) = s(threshold_l - x'coef).

    Parameters
    ----------
    level_ : (L,) float64
        Values of the labels, ascending.
    threshold_ : (L - 1,) float64
        Thresholds, ascending; s is the logistic function.
    coef_ : (p,) float64
        Coefficients: a larger x'coef means a larger outcome.
    penalty_ : float
        Chosen penalty on |coef / factor|^2 / 2; infinite for the same shares everywhere.
    factors_ : (p,) float64
        What each column was multiplied by before the common penalty; 0 leaves it out.
    held_out_ : (n,) float64
        Mean of each training row by the fit without it, to one Newton step.
    held_out_probability_ : (n, L) float64
        Probability of each level by the same fit.
    """

    level_: FloatArray
    threshold_: FloatArray
    coef_: FloatArray
    penalty_: float
    factors_: FloatArray
    held_out_: FloatArray
    held_out_probability_: FloatArray

    def predict(self, x: FloatArray) -> FloatArray:
        """Return the mean E[Y | x] (k,) of features (k, p)."""
        from scipy.special import expit

        eta = x @ self.coef_
        mean = np.full(len(x), self.level_[0])
        for threshold, step in zip(self.threshold_, np.diff(self.level_), strict=True):
            mean += step * expit(eta - threshold)
        return mean

    def distribution(self, x: FloatArray) -> Discrete:
        """Return the probabilities of the levels for each row of features (k, p)."""
        predictors = self.threshold_ - (x @ self.coef_)[:, None]
        return Discrete(self.level_, _probability(predictors))


def _probability(predictors: FloatArray) -> FloatArray:
    """Return P(Y = level) (k, L) from predictors a_l - x'b (k, L - 1) in order."""
    from scipy.special import expit

    # Neighbours a rounding apart may come out in the wrong order.
    shares = np.diff(expit(predictors), axis=1, prepend=0.0, append=1.0)
    return np.asarray(np.maximum(shares, 0.0))


def fit_proportional_odds(
    x: FloatArray,
    y: FloatArray,
    blocks: IntArray,
    *,
    factors: FloatArray | None = None,
    penalty: float | None = None,
) -> ProportionalOddsFit:
    """Fit by penalised maximum likelihood, the thresholds free of penalty.

    With every level seen at least once and a penalty above 0 the fit is finite and its
    thresholds are in order, whatever the features. The same shares everywhere are among the
    candidates: features that do not help are not used.

    Parameters
    ----------
    x : (n, p) float64
        Features.
    y : (n,) float64
        Outcomes; their different values are the levels.
    blocks : (p,) int64
        Penalty block of each column; see :func:`bacon.outcome.ridge_fit.fit_ridge`, whose
        factors are taken.
    factors : (p,) float64, optional
        What each column is multiplied by before the common penalty, where they are known.
    penalty : float, optional
        Penalty on |coef / factor|^2 / 2; by default the one with the best leave-one-out log score.
        0 gives maximum likelihood.

    Raises
    ------
    InputError
        When there are more than `MOST_LEVELS` levels, or the penalty is below 0.
    EstimationError
        When the penalty is 0 and the features separate the levels perfectly.

    Notes
    -----
    The log score and not the squared error of the mean chooses: with 30 or 50 labels the mean
    it leads to is the more accurate, and one Newton step from a weak penalty is misleading
    about squared errors. Source: McCullagh 1980, Journal of the Royal Statistical Society B
    42, 109-142.
    """
    n, p = x.shape
    level, code = np.unique(y, return_inverse=True)
    if len(level) > MOST_LEVELS:
        raise InputError(
            f"A proportional-odds model takes labels with at most {MOST_LEVELS} different "
            f"values, got {len(level):,}: round them, or use another model."
        )
    if penalty is not None and not penalty >= 0.0:
        raise InputError(f"The penalty must be 0 or more; got {penalty!r}.")
    if factors is None:
        factors = fit_ridge(x, y, blocks).factors_ if blocks.any() else np.ones(p)
    if len(level) == 1:
        none, share = np.zeros(0), np.ones((n, 1))
        return ProportionalOddsFit(level, none, np.zeros(p), np.inf, factors, y.copy(), share)
    order, used = np.argsort(code, kind="stable"), np.flatnonzero(factors)
    x_mean = x.mean(axis=0)
    scaled = x[order] if len(used) == p else x[order][:, used]
    scaled -= x_mean[used]
    if np.any(factors != 1.0):
        scaled *= factors[used]
    z, back = _basis(scaled, exact=penalty == 0.0)
    fit = _fitted(LevelRows(z, code[order]), penalty)
    probability = np.empty((n, len(level)))
    probability[order] = fit.held_out()
    coef = np.zeros(p)
    coef[used] = factors[used] * (back[:, : len(fit.at.coef)] @ fit.at.coef)
    return ProportionalOddsFit(
        level,
        fit.at.threshold + float(x_mean @ coef),
        coef,
        fit.penalty,
        factors,
        probability @ level,
        probability,
    )


def _basis(centred: FloatArray, exact: bool) -> tuple[FloatArray, FloatArray]:
    """Return features z (n, q) with q at most n - 1, and the matrix (p, q) that leads back.

    A penalty on |b|^2 does not notice a rotation, and what has no singular value has no
    coefficient; with fewer columns than rows a penalty sees to that, and `exact` tells that
    there is none.
    """
    if not exact and len(centred) > centred.shape[1]:
        return centred, np.eye(centred.shape[1])
    u, d, vt = np.linalg.svd(centred, full_matrices=False)
    keep = d > 1e-10 * max(float(d.max(initial=0.0)), 1e-300)
    return u[:, keep] * d[keep], vt[keep].T


@dataclass(frozen=True, eq=False)
class _Candidate:
    """The fit at one penalty; with an infinite one the rows have no features."""

    penalty: float
    rows: LevelRows
    at: Expansion

    def left_out(self) -> FloatArray:
        """Return a_l - z'b (n, L - 1) of each row by the fit without it."""
        penalty = self.penalty if np.isfinite(self.penalty) else 0.0
        return left_out_predictors(self.at, self.rows, penalty)

    def held_out(self) -> FloatArray:
        """Return the leave-one-out probability of each level, (n, L)."""
        if np.isinf(self.penalty):
            own = np.eye(len(self.rows.count))[self.rows.level]
            return np.asarray((self.rows.count - own) / (len(own) - 1))
        return _probability(np.maximum.accumulate(self.left_out(), axis=1))

    def score(self) -> float:
        """Return the leave-one-out log score; the fewer the better.

        A level seen once is unknown without its row, which is scored as either neighbour.
        """
        from scipy.special import expit

        level, n_levels = self.rows.level, len(self.rows.count)
        below = np.pad(expit(self.left_out()), ((0, 0), (1, 1)), constant_values=(0.0, 1.0))
        reach = (self.rows.count == 1)[level]
        at, upper = np.arange(len(level)), np.minimum(level + 1 + reach, n_levels)
        own = below[at, upper] - below[at, np.maximum(level - reach, 0)]
        mixed = (1.0 - SHARE_OF_EQUAL) * np.maximum(own, 0.0) + SHARE_OF_EQUAL / n_levels
        return -float(np.log(mixed).sum())


def _fitted(rows: LevelRows, penalty: float | None) -> _Candidate:
    """Return the fit at a penalty, or the best one from strong to weak."""
    below = np.cumsum(rows.count)[:-1] / len(rows.level)
    threshold = np.log(below / (1.0 - below))
    if penalty is not None and np.isfinite(penalty):
        start = expand(threshold, np.zeros(rows.z.shape[1]), rows)
    else:
        alone = LevelRows(rows.z[:, :0], rows.level)
        best = _Candidate(np.inf, alone, expand(threshold, np.zeros(0), alone))
        if penalty is None:
            best = _best_of_path(best, rows)
        if np.isinf(best.penalty):
            return best
        # The way there ended before the minimum, with a Hessian that was kept.
        penalty, start = best.penalty, expand(best.at.threshold, best.at.coef, rows)
    at = minimise(start, rows, penalty, small=FINE, tolerance=EXACT)
    if penalty == 0.0:
        _check_not_separated(at, rows)
    return _Candidate(penalty, rows, at)


def _best_of_path(constant: _Candidate, rows: LevelRows) -> _Candidate:
    """Return the candidate with the best leave-one-out score, each started from the one before."""
    best, least, worse = constant, constant.score(), 0
    at = expand(constant.at.threshold, np.zeros(rows.z.shape[1]), rows)
    for tried, penalty in enumerate(PENALTIES * len(rows.level), start=1):
        at = minimise(at, rows, float(penalty), small=ROUGH, tolerance=ROUGH)
        candidate = _Candidate(float(penalty), rows, at)
        score = candidate.score()
        worse += 1
        if score < least:
            best, least, worse = candidate, score, 0
        if tried >= LEAST_TRIED and worse >= PATIENCE:
            break
    return best


def _check_not_separated(at: Expansion, rows: LevelRows) -> None:
    """Refuse a maximum at infinity, where some direction of the features has no curvature left."""
    k, length = len(at.threshold), np.linalg.norm(rows.z, axis=0)
    spread = np.linalg.inv(at.hessian)[k:, k:] * np.outer(length, length)
    if not np.linalg.eigvalsh(spread).max(initial=0.0) < 1.0 / LEAST_CURVATURE:
        raise EstimationError(NO_FIT.format(0.0))
