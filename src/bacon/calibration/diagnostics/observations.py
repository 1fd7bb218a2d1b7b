"""Labelled items as weighted observations, some of which stand or fall together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.data.survey_design import SurveyDesign
from bacon.estimation.sandwich import degrees_of_freedom

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.alignment import Aligned
    from bacon.data.pool import Pool

__all__ = ["Observations", "labelled_observations"]


@dataclass(frozen=True, eq=False)
class Observations:
    """Weights of labelled items, and the independent units that they belong to.

    A statement about a judge is one about more items like these: it has no finite-pool
    factor, so that it keeps its error when every item is labelled, and items that share a
    cluster, or were drawn with one, count as one unit. Strata enter by their weights.

    Parameters
    ----------
    weights : (m,) float64
        1 / pi.
    unit : (m,) int64
        Code of the unit of each item, the same in every part of the labelled items.
    """

    weights: FloatArray
    unit: IntArray

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "weights", "unit")

    @cached_property
    def share(self) -> FloatArray:
        """Weights (m,) that sum to one."""
        return np.asarray(self.weights / self.weights.sum(), dtype=np.float64)

    @cached_property
    def _units(self) -> tuple[IntArray, IntArray]:
        """Codes (c,) of the units present, and the position of each item's (m,) among them."""
        codes, place = np.unique(self.unit, return_inverse=True)
        return codes, place

    @property
    def units(self) -> IntArray:
        """Codes (c,) of the units present, ascending."""
        return self._units[0]

    @property
    def n_units(self) -> int:
        """Number c of units."""
        return len(self.units)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom: c - 1; for items with unequal weights Satterthwaite's."""
        if self.n_units < len(self.unit):
            return self.n_units - 1.0
        rows = np.arange(len(self.unit))
        # Far below any probability, so that no finite-pool factor is left.
        pi = 1e-12 * self.weights.min() / self.weights
        return degrees_of_freedom(SurveyDesign("fixed", len(rows), rows, pi))

    @property
    def n_independent(self) -> float:
        """How many simply drawn items the units are worth where items show no spread.

        The number of clusters; for single items Kish's (sum w)^2 / sum w^2.
        """
        if self.n_units < len(self.unit):
            return float(self.n_units)
        return float(1.0 / (self.share @ self.share))

    def where(self, known: BoolArray) -> Observations:
        """Return the items `known` (m,)."""
        if known.all():
            return self
        return replace(self, weights=self.weights[known], unit=self.unit[known])

    def mean(self, values: FloatArray) -> float:
        """Return the weighted mean of `values` (m,)."""
        return float(self.share @ values)

    def parts(self, influence: FloatArray) -> FloatArray:
        """Return what each unit adds to the weighted mean of `influence` (m, ...): (c, ...)."""
        parts = (self.share * influence.T).T
        sums = np.zeros((self.n_units, *parts.shape[1:]))
        if self.n_units == len(self.unit):
            sums[self._units[1]] = parts
        else:
            np.add.at(sums, self._units[1], parts)
        return sums

    def variance(self, influence: FloatArray) -> float:
        """Return the variance of a figure from its influence values (m,): c/(c-1) sum z_c^2."""
        z = self.parts(influence)
        if len(z) < 2:
            return float("nan")
        z = z - z.sum() / len(z)
        return float(len(z) / (len(z) - 1.0) * (z @ z))


def labelled_observations(pool: Pool, aligned: Aligned) -> Observations:
    """Return the labelled items with their units: clusters named, else drawn, else items."""
    design = aligned.design
    codes = design.psu if pool.cluster is None else pool.cluster.codes[design.rows]
    unit = np.arange(design.n_labels, dtype=np.int64) if codes is None else codes
    return Observations(1.0 / design.pi, np.unique(unit, return_inverse=True)[1].astype(np.int64))
