"""The survey design of labelled rows from what is known of every item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.data.survey_design import SurveyDesign
from bacon.errors import DesignError

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.survey_design import DesignKind

__all__ = [
    "cluster_design",
    "independent_labels",
    "is_census",
    "merged_strata",
    "probability_design",
    "simple_design",
    "stratified_design",
]


def simple_design(rows: IntArray, n_items: int) -> SurveyDesign:
    """Return the design of exactly m of N items drawn at random."""
    m = len(rows)
    return SurveyDesign("simple", n_items, rows, np.full(m, m / n_items))


def is_census(design: SurveyDesign) -> bool:
    """Whether every item is labelled and was certain to be."""
    return design.n_labels == design.n_items and bool(np.all(design.pi == 1.0))


def independent_labels(design: SurveyDesign) -> float:
    """Return how many simply drawn labels the design is worth where labels show no spread.

    The number of drawn clusters, since a cluster may be alike throughout; else Kish's
    (sum w)^2 / sum w^2.
    """
    if design.psu is not None:
        return float(design.psu.max()) + 1.0
    weights = 1.0 / design.pi
    return float(weights.sum() ** 2 / (weights @ weights))


def probability_design(
    kind: DesignKind, pi: FloatArray, rows: IntArray
) -> tuple[SurveyDesign, tuple[Notice, ...]]:
    """Return the design of a draw with given probabilities, poisson or fixed.

    With every item labelled it is a census whatever the probabilities were.

    Parameters
    ----------
    kind : str
        poisson or fixed.
    pi : (N,) float64
        Inclusion probability of every item, in (0, 1].
    rows : (m,) int64
        Labelled rows.
    """
    if len(rows) == len(pi):
        return SurveyDesign(kind, len(pi), rows, np.ones(len(pi))), ()
    certain = pi == 1.0
    certain[rows] = False
    if certain.any():
        raise DesignError(
            f"item number {int(np.argmax(certain))} (counted from 0) had probability 1 of being "
            f"drawn but has no label ({int(certain.sum()):,} such items); label it, or give the "
            "probabilities of the draw that was made."
        )
    design = SurveyDesign(kind, len(pi), rows, pi[rows])
    return design, probability_notices(pi, len(rows))


def probability_notices(pi: FloatArray, n_labels: int) -> tuple[Notice, ...]:
    """Tell when the probabilities (N,) expect a number of labels far from the one there is."""
    expected = float(pi.sum())
    spread = math.sqrt(float(pi @ (1.0 - pi)))
    if abs(n_labels - expected) <= 4.0 * spread + 1.0:
        return ()
    return (
        Notice(
            "probabilities_do_not_fit",
            f"The inclusion probabilities sum to {expected:,.1f}, but {n_labels:,} items are "
            "labelled: they may belong to another draw or be off by a factor.",
        ),
    )


def _merged(sizes: IntArray, labelled: IntArray) -> IntArray:
    """Return the group of each stratum: neighbours joined until each group has two labels."""
    group = np.zeros(len(sizes), dtype=np.int64)
    current, size, n = 0, 0, 0
    for h in range(len(sizes)):
        group[h] = current
        size, n = size + int(sizes[h]), n + int(labelled[h])
        if n >= 2 or n == size:
            current, size, n = current + 1, 0, 0
    while size > 0 and current > 0:
        # What is left over joins the groups before it, which may be single labelled items.
        group[group == current] = current - 1
        current -= 1
        size = 0 if labelled[group == current].sum() >= 2 else size
    return group


def merged_strata(stratum: IntArray, rows: IntArray) -> IntArray:
    """Return the group (H,) of each stratum of items (N,), joined until two `rows` are in it."""
    sizes = np.bincount(stratum)
    return _merged(sizes, np.bincount(stratum[rows], minlength=len(sizes)))


def stratified_design(
    stratum: IntArray, rows: IntArray, names: tuple[str, ...] | None = None
) -> tuple[SurveyDesign, tuple[Notice, ...]]:
    """Return the design of a simple draw within strata.

    Strata with fewer than two labels (and not labelled whole) are joined with their
    neighbours and told; the items of a stratum without labels are then spoken for by the
    stratum it was joined with.

    Parameters
    ----------
    stratum : (N,) int64
        Stratum code of every item.
    rows : (m,) int64
        Labelled rows.
    names : tuple of str, optional
        Names of the strata, for the notice.
    """
    sizes = np.bincount(stratum)
    labelled = np.bincount(stratum[rows], minlength=len(sizes))
    group = merged_strata(stratum, rows)
    own = stratum[rows]
    weights = sizes[own] / labelled[own]
    in_group = group[own]
    group_sizes = np.bincount(group, weights=sizes)
    scale = group_sizes / np.maximum(np.bincount(in_group, weights=weights), 1e-300)
    design = SurveyDesign(
        "stratified",
        len(stratum),
        rows,
        np.minimum(1.0 / (weights * scale[in_group]), 1.0),
        stratum=in_group,
        stratum_sizes=group_sizes.astype(np.int64),
    )
    joined = [h for h in range(len(sizes)) if np.count_nonzero(group == group[h]) > 1]
    if not joined:
        return design, ()
    shown = [names[h] if names else str(h) for h in joined[:6]]
    empty = int(np.count_nonzero(labelled == 0))
    notice = Notice(
        "strata_merged",
        f"{len(joined)} strata were joined with a neighbour because one of them has fewer than "
        f"two labels ({empty} have none): {', '.join(shown)}{', ...' if len(joined) > 6 else ''}.",
    )
    return design, (notice,)


def cluster_design(psu: IntArray, rows: IntArray, *, whole: bool = True) -> SurveyDesign:
    """Return the design of whole clusters drawn simply.

    Parameters
    ----------
    psu : (N,) int64
        Cluster code 0..C-1 of every item.
    rows : (m,) int64
        Labelled rows.
    whole : bool
        Refuse a cluster that is labelled in part. Otherwise its labelled items speak for the
        rest of it.
    """
    sizes = np.bincount(psu)
    if len(sizes) < 2:
        raise DesignError(
            "every item is in the same cluster, so nothing was drawn; treat the items as drawn "
            "singly."
        )
    labelled = np.bincount(psu[rows], minlength=len(sizes))
    partial = np.flatnonzero((labelled > 0) & (labelled < sizes))
    if whole and len(partial):
        code = int(partial[0])
        raise DesignError(
            f"a draw of whole clusters needs every item of a drawn cluster labelled; cluster "
            f"number {code} has {labelled[code]} of {sizes[code]} labelled "
            f"({len(partial)} such clusters). Label the rest, or treat the items as drawn singly."
        )
    n_psu = len(sizes)
    drawn = np.flatnonzero(labelled)
    codes = np.searchsorted(drawn, psu[rows])
    pi = len(drawn) / n_psu * (labelled / sizes)[psu[rows]]
    return SurveyDesign("clusters", len(psu), rows, pi, psu=codes, n_psu=n_psu)
