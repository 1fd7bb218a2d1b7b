"""Whether errors go with something: slopes, differences between groups, and their tests.

With weights that sum to one, errors e and directions d (both with mean 0), z_i = w_i e_i d_i and
U = sum z. For one direction the test is Student's of the mean of z over independent units: it
asks whether the *mean* error changes, and holds when its spread changes as well. A number is
taken by its ranks, so that a few long texts do not decide. For several directions (one for
each group) the between-group sum of squares Q = U' A U is compared with what it is when
nothing goes with the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from bacon.arrays import freeze
from bacon.calibration.diagnostics.measures import UNKNOWN, Measure, with_interval

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.diagnostics.controls import Controls
    from bacon.calibration.diagnostics.observations import Observations

__all__ = ["MOST_BLOCKS", "ScoreTest", "rank_slope", "score_test"]


MOST_BLOCKS = 2000
"""Units kept each for itself."""


@dataclass(frozen=True, eq=False)
class ScoreTest:
    """A test that errors do not go with some directions.

    Parameters
    ----------
    units : (b,) int64
        Codes of the units, below `MOST_BLOCKS`.
    parts : (b, q) float64
        z of each unit; where there are more units, those of one remainder together.
    inverse : (q, q) float64
        A.
    scale, df, rest : float
        d / tr(A V), d and nu - d: see :func:`score_test`.
    """

    units: IntArray
    parts: FloatArray
    inverse: FloatArray
    scale: float
    df: float
    rest: float

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "units", "parts", "inverse")

    @cached_property
    def p(self) -> float:
        """The p-value."""
        return float(self.p_values(self.parts.sum(axis=0)[np.newaxis])[0])

    def p_values(self, totals: FloatArray) -> FloatArray:
        """Return the p-values (B,) of B totals U (B, q)."""
        t = self.scale * np.einsum("bi,bi->b", totals @ self.inverse, totals)
        seen = np.minimum(t / (self.df + self.rest), 1.0)
        # P(F(d, nu - d) >= x) is a beta distribution of 1 - T / nu, exact far into the tail.
        p: FloatArray = special.betainc(self.rest / 2.0, self.df / 2.0, 1.0 - seen)
        return p


def score_test(errors: FloatArray, directions: FloatArray, obs: Observations) -> ScoreTest | None:
    """Test whether errors go with the directions; None where the units are too few to tell.

    Parameters
    ----------
    errors : (m,) float64
        Errors, centred or free of what else explains them.
    directions : (m, q) float64
        What they may go with, treated alike: `q` columns, one for a number.
    obs : Observations
        Weights and independent units.

    Notes
    -----
    Q = U' A U, A the inverse of the directions' weighted covariance, has mean tr(A V) and by
    Satterthwaite's match d = tr(A V)^2 / tr(A V A V) degrees of freedom under the null, where
    V = c/(c-1) sum z z' over the c units (Rao and Scott 1984, second order; the ANOVA-type
    statistic of Brunner, Dette and Munk 1997). V is taken under the null and so holds what
    the groups explain; with T = d Q / tr(A V) and nu degrees of freedom of the units,
    (T / d) / ((nu - T) / (nu - d)) is compared with F(d, nu - d): Student's test of mean z for
    one direction, and the F-test where errors are equally spread.
    """
    size = float(np.abs(errors).max(initial=0.0))
    spread = np.abs(directions).max(axis=0, initial=0.0)
    if size == 0.0 or not spread.max(initial=0.0) > 0.0 or obs.n_units < 3:
        return None
    d = directions[:, spread > 1e-9 * spread.max()] / spread.max()
    z = obs.parts((errors / size)[:, np.newaxis] * d)
    v = obs.n_units / (obs.n_units - 1.0) * (z.T @ z)
    covariance = (d.T * obs.share) @ d
    # A single direction needs no decomposition to be turned round.
    inverse = 1.0 / covariance
    if len(covariance) > 1:
        inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)
    av = inverse @ v
    trace, squares = float(np.trace(av)), float(np.einsum("ij,ji->", av, av))
    if not trace > 0.0:
        return None
    df = trace**2 / squares
    if obs.df - df < 1.0:
        return None
    return ScoreTest(*_in_blocks(obs.units, z), inverse, df / trace, df, obs.df - df)


def _in_blocks(units: IntArray, z: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return codes and parts with at most `MOST_BLOCKS` of them, adding up those beyond."""
    if units[-1] < MOST_BLOCKS:
        return units, z
    blocks, place = np.unique(units % MOST_BLOCKS, return_inverse=True)
    sums = np.zeros((len(blocks), z.shape[1]))
    np.add.at(sums, place, z)
    return blocks, sums


def rank_slope(
    errors: FloatArray,
    driver: FloatArray,
    ranks: FloatArray,
    *,
    controls: Controls,
    obs: Observations,
    level: float,
) -> tuple[Measure, ScoreTest | None]:
    """Return how much errors change per unit of a number, and the test of no change.

    Parameters
    ----------
    errors : (m,) float64
        Errors.
    driver, ranks : (m,) float64
        The number and its ranks.
    controls : Controls
        What the errors are free of already.
    obs : Observations
        Weights and independent units.
    level : float
        Level of the interval.

    Notes
    -----
    slope = cov(error, rank of the number) / cov(number, rank of the number): the line that
    ranks as instruments give (Durbin 1954). It has the sign of the test, and one very long
    text weighs no more than the next longest.
    """
    ranks = controls.residuals(ranks)
    # In units of the largest number, so that no product overflows.
    largest = float(np.abs(driver).max(initial=0.0))
    moved = obs.mean(ranks * driver / largest) if largest > 0.0 else 0.0
    if not moved > 1e-12:
        return UNKNOWN, None
    left = controls.residuals(errors)
    slope = obs.mean(left * ranks) / moved
    beyond = left - slope * controls.residuals(driver / largest)
    measure = with_interval(slope, beyond * ranks / moved, obs, level)
    return measure.times(1.0 / largest), score_test(left, ranks[:, np.newaxis], obs)
