"""The drawn units of a design, and what each adds to the variance of an estimate.

One formula serves every design. With z_i = w_i r_i / sum(w) (w = 1/pi, r centred), totals
z_c over sampling units c (the items, or whole clusters), n_h units drawn in stratum h:

    V_pool = sum_h n_h / (n_h - 1) sum_{c in h} (1 - pi_c) (z_c - zbar_h)^2.

A simple draw gives (1 - n/N) s^2 / n, strata give the stratified sum, equal-probability
clusters the variance between cluster totals with the cluster finite-population factor, and
unequal probabilities m/(m-1) sum (1 - pi)(w r)^2 / (sum w)^2: exact for independent draws
but for the factor m/(m-1), and Brewer's approximation for draws of fixed size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.designs import is_census

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.survey_design import SurveyDesign

__all__ = ["Units", "drawn_units", "pool_variance", "variance_parts"]


@dataclass(frozen=True, eq=False)
class Units:
    """The c units that were drawn.

    Parameters
    ----------
    of_row : (m,) int64
        Unit of each labelled row.
    stratum : (c,) int64
        Stratum of each unit.
    pi : (c,) float64
        Inclusion probability of each unit (of items drawn in batches, what plays its part).
    weights : (m,) float64
        w / sum(w) of each labelled row.
    """

    of_row: IntArray
    stratum: IntArray
    pi: FloatArray
    weights: FloatArray

    @property
    def n_in_stratum(self) -> FloatArray:
        """Number of drawn units n_h in the stratum of each unit, (c,)."""
        return np.bincount(self.stratum)[self.stratum].astype(np.float64)

    def totals(self, values: FloatArray) -> FloatArray:
        """Return the weighted total (c,) of `values` (m,) in each unit."""
        return np.bincount(self.of_row, weights=self.weights * values).astype(np.float64)

    def centred(self, totals: FloatArray) -> FloatArray:
        """Return totals (c,) less their mean in the stratum."""
        sums = np.bincount(self.stratum, weights=totals)[self.stratum]
        return np.asarray(totals - sums / self.n_in_stratum)


def drawn_units(design: SurveyDesign) -> Units:
    """Return the drawn units of a design."""
    weights = 1.0 / design.pi
    weights = weights / weights.sum()
    if design.psu is not None:
        n_units = int(design.psu.max()) + 1
        share = n_units / (design.n_psu or n_units)
        if design.pi.min() < share * (1.0 - 1e-9):
            # Clusters labelled in part vary within as well: leaving the factor out covers that.
            share = 0.0
        return Units(
            design.psu, np.zeros(n_units, dtype=np.int64), np.full(n_units, share), weights
        )
    m = design.n_labels
    stratum = np.zeros(m, dtype=np.int64) if design.stratum is None else design.stratum
    return Units(np.arange(m), stratum, 1.0 - design.unseen, weights)


def variance_parts(residual: FloatArray, design: SurveyDesign) -> FloatArray:
    """Return what each drawn unit adds to V_pool of centred residuals (m,).

    NaN for the one unit of a stratum, which shows no variance. A unit drawn with certainty
    adds nothing.
    """
    units = drawn_units(design)
    n_h = units.n_in_stratum
    unseen = 1.0 - units.pi
    alone = np.where(unseen > 0.0, np.nan, 1.0)
    factor = np.where(n_h > 1.0, n_h / np.maximum(n_h - 1.0, 1.0), alone)
    return np.asarray(factor * unseen * units.centred(units.totals(residual)) ** 2)


def pool_variance(residual: FloatArray, design: SurveyDesign) -> float:
    """Return V_pool of centred residuals (m,); NaN if a stratum has a single unit.

    The variance of a census is exactly 0.
    """
    return 0.0 if is_census(design) else float(variance_parts(residual, design).sum())
