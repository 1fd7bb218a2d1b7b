"""Groups of one pool: the design inside a group, and what two groups' estimates share.

Given how many of its labels fell into it, a group is a pool of its own: (1 - n_g/N_g) s_g^2 / n_g
under a simple draw. Errors of two groups go together in two ways. Where whole clusters were drawn
(all systems' output of a segment), the drawn units are the same, and with the centred weighted
totals z of each group over the c drawn of C clusters

    Cov_pool = c/(c-1) (1 - c/C) sum_c z_ac z_bc.

Where groups share clusters, more items like them share them too, which adds for the population

    C/(C-1) sum_c T_ac T_bc / (N_a N_b),   T_c = G_c + R_c the cluster sum of h,

estimated by sum_c G_ac G_bc, what labelled residuals add to either sum, and their pairs by 1/pi_ij.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from bacon.arrays import freeze
from bacon.data.survey_design import SurveyDesign
from bacon.estimation.designs import cluster_design, simple_design, stratified_design
from bacon.estimation.influence import cluster_sums
from bacon.estimation.sandwich import simple_factor
from bacon.estimation.units import drawn_units, pool_variance

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.notice import Notice
    from bacon.estimation.influence import Influence
    from bacon.estimation.results import Estimate
    from bacon.estimation.units import Units

__all__ = ["Domain", "covariance_parts", "domain_design"]


@dataclass(frozen=True, eq=False)
class Domain:
    """The group that an estimate is of, and what its items share with other groups.

    Parameters
    ----------
    pool : str
        Identity of the pool that the group is of.
    key : str
        The pool and the labelled rows that the groups are of, and how these were drawn; equal keys
        can be compared.
    by : str
        Column of the groups.
    name : str
        The group.
    cluster : (N_g,) int64 or None
        Code, over the whole pool, of the unit that each item shares.
    psu : (m_g,) int64 or None
        Code, over the whole draw, of the drawn cluster of each labelled row.
    n_clusters : int
        Clusters of the whole pool.
    n_drawn : int
        Drawn clusters of the whole draw.
    """

    pool: str
    key: str
    by: str
    name: str
    cluster: IntArray | None = None
    psu: IntArray | None = None
    n_clusters: int = 0
    n_drawn: int = 0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "cluster", "psu")


def domain_design(
    design: SurveyDesign,
    rows: IntArray,
    *,
    stratum: IntArray | None = None,
    psu: IntArray | None = None,
) -> tuple[SurveyDesign, IntArray, tuple[Notice, ...]]:
    """Return the design of the labels inside a group, given their number.

    Parameters
    ----------
    design : SurveyDesign
        Design of the whole pool's labels.
    rows : (N_g,) int64
        Pool rows of the group, ascending.
    stratum, psu : (N,) int64, optional
        Stratum and drawn unit of every item of the pool.

    Returns
    -------
    design : SurveyDesign
        Rows count within the group.
    inside : (m_g,) int64
        Positions of the group's labels among those of the pool.
    notices : tuple of Notice
        Strata that had to be joined.
    """
    inside = np.flatnonzero(np.isin(design.rows, rows))
    local = np.searchsorted(rows, design.rows[inside])
    n_items = len(rows)
    if design.kind == "simple" or len(local) == 0:
        return simple_design(local, n_items), inside, ()
    if design.kind == "stratified" and stratum is not None:
        codes = np.unique(stratum[rows], return_inverse=True)[1]
        if codes.max() == 0:
            return simple_design(local, n_items), inside, ()
        made, told = stratified_design(codes, local)
        return made, inside, told
    if design.psu is not None and psu is not None:
        units = np.unique(psu[rows], return_inverse=True)[1]
        if units.max() == 0:
            # Inside one cluster nothing was drawn: its items are labelled whole, or not at all.
            return simple_design(local, n_items), inside, ()
        return cluster_design(units, local, whole=False), inside, ()
    # With every item labelled it is a census, whatever the probabilities were.
    census = len(local) == n_items
    unseen = None if census or design.batch_unseen is None else design.batch_unseen[inside]
    pi = np.ones(n_items) if census else design.pi[inside]
    return SurveyDesign(design.kind, n_items, local, pi, batch_unseen=unseen), inside, ()


def covariance_parts(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Return Cov_pool of two groups' estimates, and what the population adds to it.

    Parameters
    ----------
    a, b : Estimate
        Of two groups of one pool; their domains say what they share.
    """
    if a.domain is None or b.domain is None:
        raise ValueError("the estimates are not of groups")
    first, second = _part(a, a.domain), _part(b, b.domain)
    shared = _shared_draw(first, second)
    if shared != 0.0:
        # Where the variances were moderated, the correlation stays.
        own = first.own_variance * second.own_variance
        shared *= math.sqrt(a.variances.pool * b.variances.pool / own)
    return shared, _shared_clusters(first, second)


@dataclass(frozen=True, eq=False)
class Part:
    """A group's estimate with its labelled rows at hand.

    Parameters
    ----------
    influence : Influence
        Of the estimate.
    design : SurveyDesign
        Inside the group.
    domain : Domain
        The group.
    units : Units
        Drawn units inside the group.
    """

    influence: Influence
    design: SurveyDesign
    domain: Domain
    units: Units

    @property
    def psu(self) -> IntArray | None:
        """Drawn cluster of each labelled row, None where items were drawn singly."""
        return self.domain.psu if self.domain.n_drawn > 1 and self.design.psu is not None else None

    def totals(self, values: FloatArray) -> FloatArray:
        """Return the centred weighted totals (c,) of labelled values over the drawn clusters."""
        codes = np.zeros(0, dtype=np.int64) if self.domain.psu is None else self.domain.psu
        weighted = self.units.weights * values
        found = np.bincount(codes, weights=weighted, minlength=self.domain.n_drawn)
        return np.asarray(found - found.mean())

    @property
    def drawn_share(self) -> float:
        """Share of the clusters that was drawn; 0 where some were labelled in part."""
        return float(self.units.pi[0])

    @cached_property
    def own_variance(self) -> float:
        """V_pool of the group's own residuals, moderated or not."""
        return pool_variance(self.influence.residual, self.design)

    @cached_property
    def clusters(self) -> _Clusters | None:
        """What is known of the clusters of the pool from this group; None where there are none."""
        codes = self.domain.cluster
        if codes is None:
            return None
        n = self.domain.n_clusters
        return _Clusters(
            sums=cluster_sums(self.influence, codes, n),
            sizes=np.bincount(codes, minlength=n),
            labelled=codes[self.design.rows],
            z=self.influence.residual / self.design.pi,
        )


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Sums of the prediction part and sizes (C,), and of the labelled rows cluster and r / pi."""

    sums: FloatArray
    sizes: IntArray
    labelled: IntArray
    z: FloatArray


_parts: WeakKeyDictionary[Estimate, Part] = WeakKeyDictionary()
"""Each group is compared with all others: what is made of it alone is made once."""


def _part(estimate: Estimate, domain: Domain) -> Part:
    """Return the part of an estimate."""
    if estimate not in _parts:
        design = estimate.design
        _parts[estimate] = Part(estimate.influence_values, design, domain, drawn_units(design))
    return _parts[estimate]


def _of_totals(a: Part, b: Part, of_a: FloatArray, of_b: FloatArray) -> float:
    """Return the covariance of the means of labelled values over shared drawn clusters."""
    c = a.domain.n_drawn
    unseen = math.sqrt((1.0 - a.drawn_share) * (1.0 - b.drawn_share))
    return c / (c - 1.0) * unseen * float(a.totals(of_a) @ b.totals(of_b))


def _shared_draw(a: Part, b: Part) -> float:
    """Return Cov_pool: 0 where items were drawn singly."""
    if a.psu is None or b.psu is None:
        return 0.0
    return _of_totals(a, b, a.influence.residual, b.influence.residual)


def _shared_clusters(a: Part, b: Part) -> float:
    """Return what the population adds to the covariance: 0 where groups share no cluster."""
    of_a, of_b = a.clusters, b.clusters
    if of_a is None or of_b is None:
        return 0.0
    n = a.domain.n_clusters
    total = float(of_a.sums @ of_b.sums)
    total += float(of_a.z @ of_b.sums[of_a.labelled]) + float(of_b.z @ of_a.sums[of_b.labelled])
    total += _pairs(a, b, of_a, of_b)
    total += _taken_by_centring(a, b) * float(of_a.sizes @ of_b.sizes)
    return n / (n - 1.0) * total / (a.design.n_items * b.design.n_items)


def _pairs(a: Part, b: Part, of_a: _Clusters, of_b: _Clusters) -> float:
    """Return the sum of r_i r_j / pi_ij over labelled pairs of a cluster, one of either group."""

    def products(codes_a: IntArray, codes_b: IntArray) -> float:
        cells, found = np.unique(np.concatenate([codes_a, codes_b]), return_inverse=True)
        m = len(codes_a)
        first = np.bincount(found[:m], weights=of_a.z, minlength=len(cells))
        return float(first @ np.bincount(found[m:], weights=of_b.z, minlength=len(cells)))

    everyone = products(of_a.labelled, of_b.labelled)
    if a.psu is None or b.psu is None:
        return everyone
    c, share = a.domain.n_drawn, math.sqrt(float(a.design.pi.max()) * float(b.design.pi.max()))
    within = products(of_a.labelled * c + a.psu, of_b.labelled * c + b.psu)
    return float(simple_factor(c, c / share)) * (everyone - within) + share * within


def _taken_by_centring(a: Part, b: Part) -> float:
    """Return what centring at the estimates takes off a product of cluster sums, on average.

    As :func:`bacon.estimation.sandwich.centring`, of two groups.
    """
    if a.psu is None or b.psu is None:
        return 0.0
    centred = []
    for one in (a, b):
        g = one.influence.prediction(one.design.rows)
        centred.append(g - float(one.units.weights @ g))
    labels = [one.influence.residual + g for one, g in zip((a, b), centred, strict=True)]
    return _of_totals(a, b, *labels) - _of_totals(a, b, *centred)
