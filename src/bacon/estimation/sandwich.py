"""Variances of an estimate from its influence values and the design.

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
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.data.notice import Notice
from bacon.estimation.augmented import weighted_mean
from bacon.estimation.designs import is_census
from bacon.estimation.influence import Influence, cluster_sums, pool_sums

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.intervals import Target

__all__ = [
    "Variances",
    "centring",
    "degrees_of_freedom",
    "pool_variance",
    "shows_no_spread",
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
    """

    pool: float
    population: float
    unit: float
    df: float
    notices: tuple[Notice, ...] = ()
    rounding: float = 0.0


def _units(design: SurveyDesign) -> tuple[IntArray, IntArray, FloatArray]:
    """Return unit of each row, and stratum and inclusion probability of each unit."""
    m = design.n_labels
    if design.psu is not None:
        n_units = int(design.psu.max()) + 1
        share = n_units / (design.n_psu or n_units)
        if design.pi.min() < share * (1.0 - 1e-9):
            # Clusters labelled in part vary within as well: leaving the factor out covers that.
            share = 0.0
        return design.psu, np.zeros(n_units, dtype=np.int64), np.full(n_units, share)
    stratum = np.zeros(m, dtype=np.int64) if design.stratum is None else design.stratum
    return np.arange(m), stratum, design.pi


def pool_variance(residual: FloatArray, design: SurveyDesign) -> float:
    """Return V_pool of centred residuals (m,); NaN if a stratum has a single unit.

    A unit drawn with certainty adds nothing, so the variance of a census is exactly 0.
    """
    if is_census(design):
        return 0.0
    weights = 1.0 / design.pi
    unit, stratum, pi = _units(design)
    z = np.bincount(unit, weights=weights * residual / weights.sum())
    n_h = np.bincount(stratum)
    used = n_h > 0
    z_mean = np.zeros(len(n_h))
    z_mean[used] = np.bincount(stratum, weights=z)[used] / n_h[used]
    squares = np.bincount(stratum, weights=(1.0 - pi) * (z - z_mean[stratum]) ** 2)
    if np.any((n_h == 1) & (np.bincount(stratum, weights=1.0 - pi) > 0)):
        return float("nan")
    factor = np.where(n_h > 1, n_h / np.maximum(n_h - 1, 1), 1.0)
    return float(factor @ squares)


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
        a = (1.0 - design.pi) / design.pi**2
        if a.max() <= 0.0:
            return float(m - 1)
        a = a / a.max()
        return float(min(m - 1.0, max(a.sum() ** 2 / (a @ a) - 1.0, 1.0)))
    return float(m - 1)


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
        k = _simple_factor(c, n_psu)
        return float(k * (everyone - within) + c / n_psu * (within - own))
    if design.kind not in ("simple", "stratified"):
        return everyone - own
    stratum = np.zeros(len(r), dtype=np.int64) if design.stratum is None else design.stratum
    n = np.bincount(stratum).astype(np.float64)
    factor = _simple_factor(n, np.bincount(stratum, weights=1.0 / design.pi))
    cells = _squares(z, cluster, stratum)
    within_pairs = cells - np.bincount(stratum, weights=z**2)
    return everyone - float(cells.sum()) + float(factor @ within_pairs)


def _simple_factor(n: Any, size: Any) -> Any:
    """Return S(S-1)/(n(n-1)) (n/S)^2, 1 where a single unit makes no pair."""
    return np.where(n > 1, (size - 1.0) * n / (size * np.maximum(n - 1.0, 1.0)), 1.0)


def cluster_term(influence: Influence, design: SurveyDesign, cluster: IntArray) -> float:
    """Return C/(C-1) sum_c T_c^2 / N^2, what items sharing clusters add for the population.

    T_c is the sum of h in cluster c. Its square is estimated from the predictions of all
    items, the residuals of the labelled ones, and pairs labelled in the same cluster,
    weighted by 1 / pi_ij; the squared cluster sizes times what centring takes away undo it at the
    estimate, so that clusters of one item each change nothing. May be negative.
    """
    n_clusters = int(cluster.max()) + 1
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

    Their residuals are alike up to rounding, in every stratum or between all clusters, or one
    item has more than half of all weight, and its residual is its own centre. A census has no
    error for the pool.
    """
    if is_census(design):
        return target == "population" and spread.population <= spread.rounding
    weights = 1.0 / design.pi
    outweighed = design.n_labels > 2 and float(weights.max()) > 0.5 * float(weights.sum())
    return spread.pool <= spread.rounding or outweighed


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
    unit = unit_variance(influence, design)
    extra = unit / design.n_items if cluster is None else cluster_term(influence, design, cluster)
    notices: tuple[Notice, ...] = ()
    if extra < 0.0:
        notices = (
            Notice(
                "negative_population_part",
                "The estimated spread between items was negative and was set to 0, so the "
                "population interval is the pool interval; more labels would settle it.",
            ),
        )
    return Variances(
        pool=v_pool,
        population=v_pool + max(extra, 0.0),
        unit=max(unit, 0.0),
        df=degrees_of_freedom(design),
        notices=notices,
        rounding=rounding,
    )
