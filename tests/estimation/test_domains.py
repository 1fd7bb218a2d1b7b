"""Groups of one pool: the design inside each, and what two of them share."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bacon.data.survey_design import SurveyDesign
from bacon.estimation.designs import cluster_design, simple_design, stratified_design
from bacon.estimation.domains import Domain, covariance_parts, domain_design
from bacon.estimation.estimands import Setting, mean_estimate

if TYPE_CHECKING:
    from bacon.estimation.results import Estimate

N = 40
SEGMENT = np.arange(N) // 2
SYSTEM = np.arange(N) % 2
"""Two systems translate the same twenty segments."""


def outcomes(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=20)[SEGMENT]
    y = 3.0 + shared + 0.5 * SYSTEM + 0.4 * rng.normal(size=N)
    return y, 2.5 + 0.6 * shared + 0.2 * rng.normal(size=N)


def of_group(
    g: int, y: np.ndarray, f: np.ndarray, design: SurveyDesign, psu: np.ndarray | None
) -> Estimate:
    """Return the estimate of a group with its domain; segments are the clusters."""
    rows = np.flatnonzero(g == SYSTEM)
    own, inside, _ = domain_design(design, rows, psu=psu)
    setting = Setting(own, cluster=SEGMENT[rows] - SEGMENT[rows].min())
    found = mean_estimate(y[design.rows[inside]], f[rows], setting)
    drawn = None if design.psu is None else design.psu[inside]
    n_drawn = 0 if design.psu is None else int(design.psu.max()) + 1
    return replace(
        found, domain=Domain("pool", "draw", "system", str(g), SEGMENT[rows], drawn, 20, n_drawn)
    )


def test_a_simple_draw_is_one_inside_given_its_count() -> None:
    rows = np.flatnonzero(SYSTEM == 1)
    design = simple_design(np.array([1, 2, 3, 8, 9, 15]), N)
    own, inside, told = domain_design(design, rows)
    assert (own.kind, own.n_items, own.rows.tolist()) == ("simple", 20, [0, 1, 4, 7])
    assert inside.tolist() == [0, 2, 4, 5]
    assert own.pi.tolist() == [0.2] * 4
    assert told == ()


def test_strata_that_are_the_groups_leave_simple_draws() -> None:
    labelled = np.array([0, 2, 4, 5, 11])
    design, _ = stratified_design(SYSTEM, labelled)
    own, inside, _ = domain_design(design, np.flatnonzero(SYSTEM == 1), stratum=SYSTEM)
    assert (own.kind, own.n_labels, inside.tolist()) == ("simple", 2, [3, 4])


def test_strata_across_groups_stay_strata() -> None:
    half = (np.arange(N) >= 20).astype(np.int64)
    labelled = np.array([0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 26])
    design, _ = stratified_design(half, labelled)
    own, _, _ = domain_design(design, np.flatnonzero(SYSTEM == 0), stratum=half)
    assert own.kind == "stratified"
    assert own.pi.tolist() == pytest.approx([0.2, 0.2, 0.4, 0.4, 0.4, 0.4])


def test_own_probabilities_are_kept_and_a_group_labelled_whole_is_a_census() -> None:
    pi = np.linspace(0.2, 0.9, N)
    labelled = np.array([1, 2, 3, 7])
    design = SurveyDesign("poisson", N, labelled, pi[labelled])
    own, _, _ = domain_design(design, np.flatnonzero(SYSTEM == 1))
    assert own.pi.tolist() == pi[[1, 3, 7]].tolist()
    whole, _, _ = domain_design(design, np.array([1, 3]))
    assert whole.pi.tolist() == [1.0, 1.0]


def test_whole_segments_join_the_groups_as_the_pool_says() -> None:
    """The pool's mean is half the sum of the systems' means: so must its variances be."""
    y, f = outcomes()
    drawn = np.array([0, 3, 4, 8, 11, 12, 17])
    rows = np.flatnonzero(np.isin(SEGMENT, drawn))
    design = cluster_design(SEGMENT, rows)
    whole = mean_estimate(y[rows], f, Setting(design, cluster=SEGMENT))
    a, b = (of_group(g, y, f, design, SEGMENT) for g in (0, 1))
    assert (a.value + b.value) / 2.0 == pytest.approx(whole.value, rel=1e-12)
    shared, more = covariance_parts(a, b)
    assert shared != 0.0
    pool = (a.variances.pool + b.variances.pool + 2.0 * shared) / 4.0
    assert pool == pytest.approx(whole.variances.pool, rel=1e-10)
    extra = [one.variances.population - one.variances.pool for one in (a, b, whole)]
    assert (extra[0] + extra[1] + 2.0 * more) / 4.0 == pytest.approx(extra[2], rel=1e-10)


def test_items_drawn_singly_share_nothing_of_the_pool_but_segments_of_the_population() -> None:
    y, f = outcomes()
    labelled = np.sort(np.random.default_rng(1).choice(N, 20, replace=False))
    design, _ = stratified_design(SYSTEM, labelled)
    a, b = (of_group(g, y, f, design, None) for g in (0, 1))
    shared, more = covariance_parts(a, b)
    assert shared == 0.0
    assert more > 0.0


def test_a_census_shows_the_covariance_of_segment_sums() -> None:
    y, _ = outcomes()
    design = simple_design(np.arange(N), N)
    a, b = (of_group(g, y, y, design, None) for g in (0, 1))
    first, second = (y[g == SYSTEM] - y[g == SYSTEM].mean() for g in (0, 1))
    assert covariance_parts(a, b)[1] == pytest.approx(20 / 19 * float(first @ second) / 400)


def test_the_covariance_is_unbiased_over_all_draws() -> None:
    """Three segments of six drawn: every draw counted, f fixed."""
    rng = np.random.default_rng(3)
    segment, system = np.arange(12) // 2, np.arange(12) % 2
    y, f = rng.normal(size=12), rng.normal(size=12)
    values, covariances = [], []
    for drawn in combinations(range(6), 3):
        rows = np.flatnonzero(np.isin(segment, drawn))
        design = cluster_design(segment, rows)
        pair = []
        for g in (0, 1):
            own_rows = np.flatnonzero(system == g)
            own, inside, _ = domain_design(design, own_rows, psu=segment)
            one = mean_estimate(y[rows[inside]], f[own_rows], Setting(own))
            domain = Domain("p", "draw", "system", str(g), None, design.psu[inside], 0, 3)
            pair.append(replace(one, domain=domain))
        values.append([one.value for one in pair])
        covariances.append(covariance_parts(*pair)[0])
    true = np.cov(np.array(values).T, bias=True)[0, 1]
    assert np.mean(covariances) == pytest.approx(true, rel=1e-10)
