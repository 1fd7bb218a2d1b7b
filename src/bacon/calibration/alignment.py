"""Pool, labels and sample put together: which rows are labelled, and how they were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.calibration.nonresponse import Drawn
from bacon.calibration.randomness import describe_difference, randomness_notice
from bacon.calibration.staged import answered_stages, everyones_chance, staged_design
from bacon.data.notice import Notice
from bacon.data.survey_design import SurveyDesign
from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.estimation.designs import (
    cluster_design,
    merged_strata,
    probability_design,
    simple_design,
    stratified_design,
)
from bacon.io.labels import match_ids, match_labels
from bacon.sampling.columns import categories, is_known
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.strata import strata_codes, strata_rule

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample, StrataRule
    from bacon.data.survey_design import DesignKind

__all__ = ["Aligned", "align"]


@dataclass(frozen=True, eq=False)
class Aligned:
    """The labelled rows of a pool with the design they came by.

    Parameters
    ----------
    y : (m,) float64
        Labels used, in the order of ``design.rows``.
    design : SurveyDesign
        Rows and how they were drawn.
    kind : str
        Name of the design for people.
    assumed : bool
        Whether the design was assumed and not recorded; a census assumes nothing.
    n_drawn : int
        Items drawn; `design.n_labels` of them were answered.
    stratum, psu : (N,) int64 or None
        Stratum and drawn unit of every item.
    notices : tuple of Notice
        What was set aside, assumed or noticed.
    drawn : Drawn or None
        The draw, where some of it has no label.
    pi : (N,) float64 or None
        Chance of every item to be labelled, where items had chances of their own and the pool
        still holds them.
    order : (d,) int64 or None
        Pool rows of the drawn items in drawn order, where every first part of them is itself a
        simple random sample.
    n_first : int or None
        Items of the first draw, where there is an `order`; fewer than `n_drawn` where the sheet
        was made longer.
    """

    y: FloatArray
    design: SurveyDesign
    kind: str
    assumed: bool
    n_drawn: int
    stratum: IntArray | None
    psu: IntArray | None
    notices: tuple[Notice, ...]
    drawn: Drawn | None = None
    pi: FloatArray | None = None
    order: IntArray | None = None
    n_first: int | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "y", "pi", "order")


def align(
    pool: Pool,
    labels: Labels,
    outcome: str,
    *,
    sample: Sample | None = None,
    strata: str | None = None,
) -> Aligned:
    """Match labels to the pool and settle the design.

    With a sample, labels outside the draw are set aside and told, and the answered items are
    taken as if they were the draw, for others to weigh. Without one, inclusion probabilities of
    the pool decide, then `strata`, and else the labelled items are assumed to be a simple
    random sample.
    """
    rows, y, _ = match_labels(pool, labels, outcome)
    if len(rows) == 0:
        raise TooFewLabelsError(
            f"{labels.source}: column {outcome} has no label for any item of {pool.source}; "
            "at least 2 are needed."
        )
    if sample is not None:
        return _from_sample(pool, sample, rows, y)
    if pool.pi is not None:
        design, told = probability_design("poisson", pool.pi, rows)
        return Aligned(y, design, "probability", False, len(rows), None, None, told, pi=pool.pi)
    if strata is not None:
        rule = strata_rule(pool, strata)
        codes = strata_codes(pool, rule)
        design, told = stratified_design(codes, rows, rule.names)
        kind = f"stratified by {rule.column}"
        stratum: IntArray | None = codes
    else:
        design, told, kind, stratum = simple_design(rows, pool.n_items), (), "simple", None
    told = (
        *_assumed(kind, len(rows), pool.n_items),
        *told,
        *randomness_notice(pool, design, stratum),
    )
    assumed = len(rows) < pool.n_items
    return Aligned(y, design, kind, assumed, len(rows), stratum, None, told)


def _assumed(kind: str, m: int, n_items: int) -> tuple[Notice, ...]:
    """Say first that the draw is an assumption."""
    if m == n_items:
        return ()
    how = "a simple random sample" if kind == "simple" else f"a random sample {kind}"
    return (
        Notice(
            "assumed_sample",
            f"No sample file given: the {m:,} labelled rows are taken as {how}.",
        ),
    )


def _from_sample(pool: Pool, sample: Sample, rows: IntArray, y: FloatArray) -> Aligned:
    """Keep the labels inside the draw and make its design."""
    if sample.pool_fingerprint != pool.fingerprint:
        raise DesignError(
            f"the sample was drawn from another pool ({sample.n_items:,} items) than "
            f"{pool.source} ({pool.n_items:,} items): their ids differ. Give the pool it was "
            "drawn from."
        )
    drawn = match_ids(pool, sample.ids, whose="drawn items")
    position = np.full(pool.n_items, -1, dtype=np.int64)
    position[drawn] = np.arange(len(drawn))
    inside = position[rows] >= 0
    notices = [*sample.notices, *_volunteers(pool, sample, rows, inside)]
    rows, y = rows[inside], y[inside]
    if len(rows) == 0:
        raise DesignError(
            f"none of the {len(inside):,} labels belongs to the {sample.n_drawn:,} drawn items; "
            "give the sheet that these labels were filled in."
        )
    sample, unanswered = answered_stages(sample, position[rows])
    drawn = drawn[: sample.n_drawn]
    notices += unanswered
    design, stratum, psu, told = _drawn_design(pool, sample, rows, position[rows])
    if sample.kind == "clusters" and psu is not None:
        _check_clusters(pool, sample, psu, drawn)
    drawn_part = None
    if len(rows) < sample.n_drawn:
        drawn_part = _partly_answered(pool, sample, drawn, position[rows], stratum)
        if drawn_part.is_prefix:
            notices.append(_prefix_notice(len(rows), sample.n_drawn))
    return Aligned(
        y,
        design,
        sample.kind,
        False,
        sample.n_drawn,
        stratum,
        psu,
        (*notices, *told),
        drawn_part,
        _everyones_chance(pool, sample, drawn, position[rows]),
        drawn if sample.kind in ("uniform", "bernoulli") else None,
        sample.n_first,
    )


def _everyones_chance(
    pool: Pool, sample: Sample, drawn: IntArray, positions: IntArray
) -> FloatArray | None:
    """Return the chance (N,) of every item to be drawn and answered, where it can be known.

    The design file has the chances of the drawn items, and the name of the column that they and
    the others came from; that of a draw in stages has the chances of all.
    """
    if sample.stages is not None:
        return everyones_chance(pool, sample, sample.stages, drawn, positions)
    name, n = sample.parameters.get("pi"), sample.parameters.get("n")
    if sample.kind not in ("poisson", "systematic") or not isinstance(name, str):
        return None
    if not is_known(pool, name):
        return None
    design = ProbabilityDesign(name, n if isinstance(n, int) else None, sample.kind)
    try:
        pi = design.chances(pool)[0]
    except InputError:
        # The column may hold something else by now; the claim does not need it.
        return None
    if not np.allclose(pi[drawn], sample.pi, rtol=1e-9):
        return None
    return pi * (len(positions) / sample.n_drawn)


def _drawn_design(
    pool: Pool, sample: Sample, rows: IntArray, positions: IntArray
) -> tuple[SurveyDesign, IntArray | None, IntArray | None, tuple[Notice, ...]]:
    """Return the design of `rows` of a draw taken as all of it, strata and units of all items.

    `positions` (m,) are those of the rows among the drawn items.
    """
    if sample.stages is not None:
        return staged_design(pool, sample, sample.stages, rows, positions), None, None, ()
    if sample.kind == "stratified" and sample.strata is not None:
        stratum = strata_codes(pool, sample.strata)
        design, told = stratified_design(stratum, rows, sample.strata.names)
        return design, stratum, None, told
    if sample.kind == "clusters" and sample.cluster_column is not None:
        psu = categories(pool, sample.cluster_column, role="the drawn clusters")[0]
        return cluster_design(psu, rows, whole=False), None, psu, ()
    if sample.kind in ("poisson", "systematic"):
        # With every item labelled it is a census, whatever the probabilities were.
        census = len(rows) == pool.n_items
        share = len(rows) / sample.n_drawn
        pi = np.ones(len(rows)) if census else sample.pi[positions] * share
        kind: DesignKind = "poisson" if sample.kind == "poisson" else "fixed"
        return SurveyDesign(kind, pool.n_items, rows, pi), None, None, ()
    return simple_design(rows, pool.n_items), None, None, ()


def _partly_answered(
    pool: Pool, sample: Sample, drawn: IntArray, positions: IntArray, stratum: IntArray | None
) -> Drawn:
    """Return the draw with which of it was answered; `positions` (m,) are those in its order."""
    done = np.zeros(sample.n_drawn, dtype=bool)
    done[positions] = True
    order = np.argsort(drawn)
    rows, answered = drawn[order], done[order]
    design = _drawn_design(pool, sample, rows, order)[0]
    cell, cells = np.zeros(len(rows), dtype=np.int64), "strata"
    if stratum is not None:
        cell = merged_strata(stratum, rows[answered])[stratum[rows]]
    if sample.stages is not None:
        cell, cells = sample.stages.stage[order], "stages"
    where = _by_stratum(pool, sample.strata, rows[~answered])
    where += describe_difference(pool, rows[~answered], rows[answered])
    prefix = sample.kind == "uniform" and bool(done[: len(positions)].all())
    return Drawn(design, answered, cell, prefix, where, cells)


def _prefix_notice(n_answered: int, n_drawn: int) -> Notice:
    """Tell that the finished part of a uniform sheet is itself a sample."""
    return Notice(
        "finished_prefix",
        f"The first {n_answered:,} of {n_drawn:,} drawn items are labelled. The sheet is in "
        "random order, so they are themselves a simple random sample.",
    )


def _check_clusters(pool: Pool, sample: Sample, psu: IntArray, drawn: IntArray) -> None:
    """Refuse a cluster column that is not the one drawn by."""
    chosen = np.unique(psu[drawn])
    whole = int(np.isin(psu, chosen).sum()) == len(drawn)
    if (len(chosen), int(psu.max()) + 1, whole) == (
        sample.n_clusters,
        sample.n_clusters_pool,
        True,
    ):
        return
    raise DesignError(
        f"{pool.source}, column {sample.cluster_column}: it has {int(psu.max()) + 1:,} clusters, "
        f"and the drawn items are of {len(chosen):,}; the draw took {sample.n_clusters:,} whole "
        f"clusters of {sample.n_clusters_pool:,}. Give the pool as it was drawn from."
    )


def _by_stratum(pool: Pool, rule: StrataRule | None, rows: IntArray) -> str:
    """Say which strata `rows` come from, largest first."""
    if rule is None:
        return ""
    counts = np.bincount(strata_codes(pool, rule)[rows], minlength=len(rule.names))
    top = [h for h in np.argsort(-counts, kind="stable")[:4] if counts[h] > 0]
    return " From " + ", ".join(f"{rule.names[h]}: {counts[h]:,}" for h in top) + "."


def _volunteers(
    pool: Pool, sample: Sample, rows: IntArray, inside: BoolArray
) -> tuple[Notice, ...]:
    """Tell of labels outside the draw."""
    outside = rows[~inside]
    if len(outside) == 0:
        return ()
    differ = describe_difference(pool, outside, rows[inside])
    return (
        Notice(
            "labels_outside_sample",
            f"{len(outside):,} labels are not of drawn items and were set aside: how they came "
            f"about is unknown, so they cannot support the claim."
            f"{_by_stratum(pool, sample.strata, outside)}{differ}",
        ),
    )
