"""Variances of an estimate from its influence values and the design."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.data.notice import Notice
from bacon.estimation.augmented import weighted_mean
from bacon.estimation.designs import is_census
from bacon.estimation.influence import Influence, cluster_sums, pool_sums
from bacon.estimation.skew import predicted_variance, skewness
from bacon.estimation.units import drawn_units, pool_variance, variance_parts

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.intervals import Target

__all__ = [
    "Variances",
    "centring",
    "degrees_of_freedom",
    "pool_variance",
    "population_part",
    "shows_no_spread",
    "simple_factor",
    "variance_parts",
    "variances",
]


@dataclass(frozen=True)
class Variances:
    """Variances of one estimate for both targets.

    Parameters
    ----------
    pool : float
        Design variance for "these N items"; 0 at a census.
    population : float
        Variance for "more items like them".
    unit : float
        Variance S^2 of the full-data influence values h over the pool.
    df : float
        Degrees of freedom.
    notices : tuple of Notice
        A negative part that was set to 0.
    rounding : float
        Variances up to this are rounding: the labels show no spread.
    df_uneven : float or None
        Degrees of freedom of skew-corrected intervals where drawn clusters weigh unequally;
        None where they are `df`.
    predicted : float or None
        V_pool with squared residuals regressed on the predictions, for skew-corrected
        intervals; None where it is V_pool.
    skew_pool, skew_population : float
        Standardised third moments of the estimate.
    alike : bool
        The labels are all alike: their residuals show how the predictions differ, and nothing
        of the error.
    is_moderated : bool
        V_pool rests on the residuals of other groups as well, which is why intervals are not
        corrected for the group's own skewness.
    """

    pool: float
    population: float
    unit: float
    df: float
    notices: tuple[Notice, ...] = ()
    rounding: float = 0.0
    df_uneven: float | None = None
    predicted: float | None = None
    skew_pool: float = 0.0
    skew_population: float = 0.0
    alike: bool = False
    is_moderated: bool = False

    def of(self, target: Target) -> float:
        """Return the variance for `target`."""
        return self.pool if target == "pool" else self.population

    @property
    def df_corrected(self) -> float:
        """Degrees of freedom of skew-corrected intervals."""
        return self.df if self.df_uneven is None else self.df_uneven

    def predicted_of(self, target: Target) -> float:
        """Return the variance for `target` with what the predictions say of V_pool."""
        gain = 0.0 if self.predicted is None else self.predicted - self.pool
        return self.of(target) + gain

    def skew_of(self, target: Target) -> float:
        """Return the standardised third moment of the estimate for `target`."""
        return self.skew_pool if target == "pool" else self.skew_population


def degrees_of_freedom(design: SurveyDesign) -> float:
    """Return the degrees of freedom of V_pool.

    m - 1; m less the number of strata; drawn clusters less 1; for unequal weights
    Satterthwaite's (sum a)^2 / sum a^2 - 1 with a = (1 - pi) w^2, which takes the residuals
    as equally spread, at most m - 1 and at least 1.
    """
    m = design.n_labels
    if design.psu is not None:
        return float(design.psu.max())
    if design.kind == "stratified" and design.stratum is not None:
        return float(max(m - len(np.unique(design.stratum)), 1))
    if design.kind in ("poisson", "fixed"):
        a = design.unseen / design.pi**2
        if a.max() <= 0.0:
            return float(m - 1)
        a = a / a.max()
        return float(min(m - 1.0, max(a.sum() ** 2 / (a @ a) - 1.0, 1.0)))
    return float(m - 1)


def uneven_degrees_of_freedom(design: SurveyDesign) -> float | None:
    """Return Satterthwaite's degrees of freedom of drawn clusters; None for other designs.

    (sum q)^2 / sum q^2 - 1 with q = p^(3/2), p the shares of all weight, at least 1: a few large
    clusters settle the error, and c - 1 claims too much. The variance of a cluster total lies
    between p (independent items) and p^2 (items that are alike).
    """
    if design.psu is None:
        return None
    q = drawn_units(design).totals(np.ones(design.n_labels)) ** 1.5
    return max(float(q.sum()) ** 2 / float(q @ q) - 1.0, 1.0)


def centring(g: FloatArray, residual: FloatArray, design: SurveyDesign) -> float:
    """Return what centring at the estimate takes off the augmented mean of h^2, on average.

    V_pool of the labels alone less V_pool of their predictions: the residuals are centred at
    their own mean, the predictions at the pool's. It is V_pool of the estimate where the
    prediction is constant; may be negative. `g` and `residual` are those of labelled rows.
    """
    g = g - weighted_mean(g, 1.0 / design.pi)
    return pool_variance(residual + g, design) - pool_variance(g, design)


def unit_variance(influence: Influence, design: SurveyDesign) -> float:
    """Return S^2, the variance of the full-data influence values h over the pool.

    S^2 = N/(N-1) [AEE(h^2) + V(h) - V(g)]: h^2 is known at labelled rows and predicted by g^2,
    and the rest undoes the centring at the estimate. Exactly unbiased under a simple draw,
    and the sample variance when the prediction is constant. May be negative.
    """
    n_items = design.n_items
    g = influence.prediction(design.rows)
    r = influence.residual
    squares = pool_sums(influence).squares / n_items
    second = squares + weighted_mean(2.0 * g * r + r * r, 1.0 / design.pi)
    return n_items / (n_items - 1.0) * (second + centring(g, r, design))


def _squares(values: FloatArray, *codes: IntArray) -> FloatArray:
    """Return the squared sum of `values` in each cell of crossed `codes`, by the last code."""
    cells = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    sums = np.bincount(cells[1].ravel(), weights=values)
    squares = np.bincount(cells[0][:, -1], weights=sums**2, minlength=int(codes[-1].max()) + 1)
    return np.asarray(squares, dtype=np.float64)


def _pair_sum(r: FloatArray, design: SurveyDesign, cluster: IntArray) -> float:
    """Return the sum of r_i r_j / pi_ij over pairs i != j labelled in the same cluster.

    1/pi_ij = k / (pi_i pi_j): k is 1 for independent draws (and taken so for unequal draws of
    fixed size) and across strata; S(S-1)/(n(n-1)) (n/S)^2 for n of S drawn simply, within a
    stratum or across drawn clusters; and the drawn share of clusters within one of them.
    """
    z = r / design.pi
    own = float(z @ z)
    everyone = float(_squares(z, cluster).sum())
    if design.psu is not None and design.n_psu is not None:
        c, n_psu = float(design.psu.max() + 1), float(design.n_psu)
        within = float(_squares(z, cluster, design.psu).sum())
        k = simple_factor(c, n_psu)
        return float(k * (everyone - within) + c / n_psu * (within - own))
    if design.kind not in ("simple", "stratified"):
        return everyone - own
    stratum = np.zeros(len(r), dtype=np.int64) if design.stratum is None else design.stratum
    n = np.bincount(stratum).astype(np.float64)
    factor = simple_factor(n, np.bincount(stratum, weights=1.0 / design.pi))
    cells = _squares(z, cluster, stratum)
    within_pairs = cells - np.bincount(stratum, weights=z**2)
    return everyone - float(cells.sum()) + float(factor @ within_pairs)


def simple_factor(n: Any, size: Any) -> Any:
    """Return S(S-1)/(n(n-1)) (n/S)^2, 1 where a single unit makes no pair."""
    return np.where(n > 1, (size - 1.0) * n / (size * np.maximum(n - 1.0, 1.0)), 1.0)


def cluster_term(influence: Influence, design: SurveyDesign, cluster: IntArray) -> float:
    """Return C/(C-1) sum_c T_c^2 / N^2, what items sharing clusters add for the population.

    T_c is the sum of h in cluster c. Its square is estimated from the predictions of all
    items, the residuals of the labelled ones, and pairs labelled in the same cluster,
    weighted by 1 / pi_ij; NaN where all items share one cluster, which shows nothing of how
    clusters differ. The squared cluster sizes times what centring takes away undo it at the
    estimate, so that clusters of one item each change nothing. May be negative.
    """
    n_clusters = int(cluster.max()) + 1
    if n_clusters < 2:
        return math.nan
    sums = cluster_sums(influence, cluster, n_clusters)
    r, w = influence.residual, 1.0 / design.pi
    labelled = cluster[design.rows]
    sizes = np.bincount(cluster, minlength=n_clusters).astype(np.float64)
    taken = centring(influence.prediction(design.rows), r, design)
    total = float(sums @ sums) + taken * float(sizes @ sizes)
    total += float(w @ (2.0 * r * sums[labelled] + r * r))
    total += _pair_sum(r, design, labelled)
    return n_clusters / (n_clusters - 1.0) * total / design.n_items**2


def shows_no_spread(spread: Variances, design: SurveyDesign, target: Target) -> bool:
    """Whether the labels leave nothing to judge an error by though there is one.

    They or their residuals are alike up to rounding, in every stratum or between all clusters,
    or one item has more than half of all weight, and its residual is its own centre. A census
    has no error for the pool.
    """
    if is_census(design):
        return target == "population" and spread.population <= spread.rounding
    weights = 1.0 / design.pi
    outweighed = design.n_labels > 2 and float(weights.max()) > 0.5 * float(weights.sum())
    return spread.alike or spread.pool <= spread.rounding or outweighed


def population_part(
    influence: Influence, design: SurveyDesign, cluster: IntArray | None = None
) -> float:
    """Return what V_population has beyond V_pool: S^2 / N, or the cluster term. May be negative."""
    if cluster is not None:
        return cluster_term(influence, design, cluster)
    return unit_variance(influence, design) / design.n_items


def variances(
    influence: Influence,
    design: SurveyDesign,
    cluster: IntArray | None = None,
    *,
    rounding: float = 0.0,
) -> Variances:
    """Return V_pool, V_population, S^2 and the degrees of freedom.

    V_population = V_pool + S^2 / N, or V_pool plus the cluster term where `cluster` gives
    the code of each pool item. A negative second part is set to 0 and told.
    """
    v_pool = pool_variance(influence.residual, design)
    extra = population_part(influence, design, cluster)
    unit = extra * design.n_items if cluster is None else unit_variance(influence, design)
    notices: tuple[Notice, ...] = ()
    if extra < 0.0:
        notices = (
            Notice(
                "negative_population_part",
                "The estimated spread between items was negative and was set to 0, so the "
                "population interval is the pool interval; more labels would settle it.",
            ),
        )
    r, g = influence.residual, influence.prediction(design.rows)
    v_population = v_pool + (extra if math.isnan(extra) else max(extra, 0.0))
    return Variances(
        pool=v_pool,
        population=v_population,
        unit=max(unit, 0.0),
        df=degrees_of_freedom(design),
        df_uneven=uneven_degrees_of_freedom(design),
        notices=notices,
        rounding=rounding,
        predicted=predicted_variance(r, g, design),
        skew_pool=skewness(r, v_pool, design, unseen=True),
        # Of more items like them, a labelled item shows its own prediction as well.
        skew_population=skewness(r + design.pi * g, v_population, design, unseen=False),
    )
