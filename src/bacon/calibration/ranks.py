"""Ranks and rank correlation of weighted values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Ranked", "correlation_of", "mid_ranks", "spearman", "spearman_with_influence"]


@dataclass(frozen=True, eq=False)
class Ranked:
    """Values as positions among the different values.

    Parameters
    ----------
    place : (m,) int64
        Position of each value.
    n_values : int
        Number of different values.
    """

    place: IntArray
    n_values: int

    @classmethod
    def of(cls, values: FloatArray) -> Ranked:
        """Rank `values` (m,) without NaN."""
        different, place = np.unique(values, return_inverse=True)
        return cls(place, len(different))

    def mass_below(self, mass: FloatArray) -> FloatArray:
        """Return for each value the mass below it and half of the mass at it."""
        at = np.bincount(self.place, weights=mass, minlength=self.n_values)
        return np.asarray((np.cumsum(at) - 0.5 * at)[self.place], dtype=np.float64)


def mid_ranks(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the share of the weight below each value, and half of that at it, less 1/2.

    Parameters
    ----------
    values : (m,) float64
        Values without NaN.
    weights : (m,) float64, optional
        Weights; equal by default.

    Returns
    -------
    (m,) float64
        Between -1/2 and 1/2, with weighted mean 0; equal values share theirs. With equal
        weights it is (rank - 1/2) / m - 1/2.
    """
    weights = np.ones(len(values)) if weights is None else weights
    return Ranked.of(values).mass_below(weights / weights.sum()) - 0.5


def correlation_of(u: FloatArray, v: FloatArray, weights: FloatArray) -> float:
    """Return the correlation of centred ranks `u` and `v` (m,); NaN where one is constant."""
    share = weights / weights.sum()
    spread = float(share @ (u * u)) * float(share @ (v * v))
    # Ranks of values that are all alike are 0 but for rounding.
    if not spread > 1e-24:
        return math.nan
    return float(np.clip(share @ (u * v) / math.sqrt(spread), -1.0, 1.0))


def spearman(a: FloatArray, b: FloatArray, weights: FloatArray | None = None) -> float:
    """Return Spearman's correlation of `a` and `b` where both are known; NaN if undefined.

    Parameters
    ----------
    a, b : (m,) float64
        Values, NaN where missing.
    weights : (m,) float64, optional
        Weights; equal by default.
    """
    known = ~(np.isnan(a) | np.isnan(b))
    w = np.ones(int(known.sum())) if weights is None else weights[known]
    if len(w) < 3:
        return math.nan
    return correlation_of(mid_ranks(a[known], w), mid_ranks(b[known], w), w)


def spearman_with_influence(
    a: Ranked, b: Ranked, weights: FloatArray
) -> tuple[float, FloatArray | None]:
    """Return Spearman's correlation and the influence (m,) of each pair on it.

    NaN and None where it is undefined: fewer than three pairs, or values that are all alike.

    Parameters
    ----------
    a, b : Ranked
        The values.
    weights : (m,) float64
        Weights.

    Notes
    -----
    With u, v the centred mid-ranks and S_ab = E[u v], the derivative of S_ab towards pair i is
    u_i v_i - S_ab + (E[k(a_i, A) v] - S_ab) + (E[k(b_i, B) u] - S_ab), where k(s, t) is 1 for
    s < t and 1/2 for s = t: the pair itself, and its part in the ranks of the others. The
    correlation S_ab / sqrt(S_aa S_bb) follows by the chain rule (Croux and Dehon 2010, for
    values without ties).
    """
    if len(weights) < 3 or a.n_values < 2 or b.n_values < 2:
        return math.nan, None
    share = weights / weights.sum()
    u, v = a.mass_below(share) - 0.5, b.mass_below(share) - 0.5
    ab, aa, bb = (float(share @ product) for product in (u * v, u * u, v * v))
    rho = correlation_of(u, v, weights)
    # E[k(a_i, A) v] = -(mass of v below a_i), because v has mean 0.
    d_ab = u * v - a.mass_below(share * v) - b.mass_below(share * u) - 3.0 * ab
    d_aa = u * u - 2.0 * a.mass_below(share * u) - 3.0 * aa
    d_bb = v * v - 2.0 * b.mass_below(share * v) - 3.0 * bb
    return rho, d_ab / math.sqrt(aa * bb) - 0.5 * rho * (d_aa / aa + d_bb / bb)
