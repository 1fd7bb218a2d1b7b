"""Designs from what is known of every item: strata joined, weights, effective numbers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.estimation.cases import DESIGNS, N_ITEMS, NAN, PSU, STRATA, chances, draw, estimate

import bacon
from bacon.data.survey_design import SurveyDesign
from bacon.errors import DesignError
from bacon.estimation.designs import (
    cluster_design,
    independent_labels,
    is_census,
    probability_design,
    probability_notices,
    simple_design,
    stratified_design,
)
from bacon.estimation.sandwich import degrees_of_freedom, pool_variance


def rows_of(*rows: int) -> np.ndarray:
    return np.array(rows, dtype=np.int64)


def stratified(stratum: list[int], *rows: int, names: tuple[str, ...] | None = None):
    return stratified_design(np.array(stratum, dtype=np.int64), rows_of(*rows), names)


@pytest.mark.parametrize("design", ["simple", "stratified", "clusters"])
def test_weights_sum_to_the_pool(design: str) -> None:
    weights = 1 / estimate(design).design.pi
    if design == "clusters":
        drawn = np.unique(PSU[draw(design)[0]])
        sizes = np.isin(PSU, drawn).sum()
        assert weights.sum() == pytest.approx(10 / len(drawn) * sizes)
    else:
        assert weights.sum() == pytest.approx(N_ITEMS)


def test_strata_with_two_labels_stay_as_they_are() -> None:
    design, told = stratified([0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 0, 2, 4, 5, 9)
    assert told == ()
    assert design.pi.tolist() == pytest.approx([2 / 4, 2 / 4, 3 / 6, 3 / 6, 3 / 6])
    assert design.stratum is not None
    assert design.stratum.tolist() == [0, 0, 1, 1, 1]
    assert design.stratum_sizes is not None
    assert design.stratum_sizes.tolist() == [4, 6]
    assert degrees_of_freedom(design) == 5 - 2


def test_a_stratum_with_one_label_joins_its_neighbour() -> None:
    # Sizes 4, 2, 6 with 2, 1, 3 labels: the second joins the third and each keeps its weight.
    design, told = stratified([0] * 4 + [1] * 2 + [2] * 6, 0, 1, 4, 6, 7, 8, names=("a", "b", "c"))
    assert design.stratum.tolist() == [0, 0, 1, 1, 1, 1]
    assert design.stratum_sizes.tolist() == [4, 8]
    assert (1 / design.pi).tolist() == pytest.approx([2, 2, 2, 2, 2, 2])
    assert [notice.code for notice in told] == ["strata_merged"]
    assert told[0].message == (
        "2 strata were joined with a neighbour because one of them has fewer than two labels "
        "(0 have none): b, c."
    )
    assert degrees_of_freedom(design) == 6 - 2


def test_the_last_stratum_joins_the_one_before() -> None:
    design, told = stratified([0] * 4 + [1] * 4 + [2] * 3, 0, 1, 4, 5, 8)
    assert design.stratum.tolist() == [0, 0, 1, 1, 1]
    assert design.stratum_sizes.tolist() == [4, 7]
    assert "1, 2" in told[0].message


def test_a_stratum_without_labels_is_spoken_for_by_its_neighbour() -> None:
    # Sizes 4, 6, 10 with 2, 0, 3 labels: the last one's labels stand for 16 items.
    design, told = stratified([0] * 4 + [1] * 6 + [2] * 10, 0, 1, 10, 11, 12)
    assert (1 / design.pi).tolist() == pytest.approx([2, 2, 16 / 3, 16 / 3, 16 / 3])
    assert "(1 have none): 1, 2." in told[0].message


def test_a_stratum_of_one_item_that_is_labelled_stays_alone() -> None:
    design, told = stratified([0, 1, 1, 1, 1], 0, 1, 2)
    assert told == ()
    assert design.pi.tolist() == pytest.approx([1.0, 0.5, 0.5])
    # It has no error of its own: V is that of the other stratum, 4^2 (1 - 1/2) s^2 / 2 / 5^2.
    variance = pool_variance(np.array([9.0, 1.0, 3.0]), design)
    assert variance == pytest.approx(16 * 0.5 * 2 / 2 / 25)


def test_many_joined_strata_are_named_in_short() -> None:
    stratum = np.repeat(np.arange(10), 5)
    design, told = stratified_design(stratum, np.arange(0, 50, 5))
    assert np.bincount(design.stratum).tolist() == [2] * 5
    assert told[0].message.endswith(": 0, 1, 2, 3, 4, 5, ....")
    assert told[0].message.startswith("10 strata were joined")
    assert (1 / design.pi).sum() == pytest.approx(50)


def test_joined_strata_are_told_by_the_estimate() -> None:
    y = [1.0, NAN, 2.0, 4.0, NAN, NAN, 3.0, NAN]
    est = bacon.aee(y, np.zeros(8), design="stratified", strata=list("aabbbccc"))
    assert "strata_merged" in {notice.code for notice in est.notices}
    assert est.value == pytest.approx((2 * 1 + 3 * 3 + 3 * 3) / 8)


def test_joining_never_leaves_a_stratum_with_one_label() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        n_items = int(rng.integers(4, 40))
        stratum = np.unique(rng.integers(0, 8, size=n_items), return_inverse=True)[1]
        rows = np.sort(rng.choice(n_items, int(rng.integers(2, n_items + 1)), replace=False))
        design, _ = stratified_design(stratum, rows)
        n_h = np.bincount(design.stratum, minlength=len(design.stratum_sizes))
        assert ((n_h >= 2) | (n_h == design.stratum_sizes)).all()
        assert design.stratum_sizes.sum() == n_items
        assert (1 / design.pi).sum() == pytest.approx(n_items)
        assert not np.isnan(pool_variance(rng.normal(size=len(rows)), design))


def test_whole_clusters() -> None:
    psu = np.array([0, 0, 1, 2, 2, 2, 3])
    design = cluster_design(psu, rows_of(0, 1, 6))
    assert design.pi.tolist() == [0.5, 0.5, 0.5]
    assert design.psu.tolist() == [0, 0, 1]
    assert design.n_psu == 4
    assert degrees_of_freedom(design) == 1
    with pytest.raises(DesignError, match=r"cluster number 2 has 2 of 3 labelled \(1 such"):
        cluster_design(psu, rows_of(0, 1, 3, 4))


def test_clusters_answered_in_part_speak_for_the_rest_of_themselves() -> None:
    psu = np.array([0, 0, 1, 2, 2, 2, 3])
    design = cluster_design(psu, rows_of(0, 3, 4, 6), whole=False)
    # 3 of 4 clusters; 1 of 2, 2 of 3 and 1 of 1 of their items.
    assert design.pi.tolist() == pytest.approx([3 / 4 / 2, 3 / 4 * 2 / 3, 3 / 4 * 2 / 3, 3 / 4])


def test_census() -> None:
    assert is_census(simple_design(np.arange(5), 5))
    assert not is_census(simple_design(np.arange(4), 5))
    certain = SurveyDesign("poisson", 5, np.arange(3), np.ones(3))
    assert not is_census(certain)


def test_labels_that_the_design_is_worth() -> None:
    assert independent_labels(simple_design(np.arange(7), 30)) == pytest.approx(7)
    # (1 + 1 + 4)^2 / (1 + 1 + 16) = 2.
    uneven = SurveyDesign("poisson", 6, np.arange(3), np.array([1.0, 1.0, 0.25]))
    assert independent_labels(uneven) == pytest.approx(2.0)
    assert independent_labels(cluster_design(PSU, np.flatnonzero(PSU < 3))) == 3.0


def test_probability_designs() -> None:
    pi = np.array([0.2, 0.4, 1.0, 0.9])
    design, told = probability_design("poisson", pi, rows_of(2, 3))
    assert design.pi.tolist() == [1.0, 0.9]
    assert told == ()
    with pytest.raises(DesignError, match=r"item number 2 .* has no label \(1 such items\)"):
        probability_design("fixed", pi, rows_of(1, 3))
    everything, _ = probability_design("fixed", pi, np.arange(4))
    assert is_census(everything)


def test_probabilities_that_expect_another_number() -> None:
    # 50 expected, spread sqrt(100 / 4) = 5: told beyond 50 -/+ (4 * 5 + 1).
    pi = np.full(100, 0.5)
    for n, is_told in ((29, False), (28, True), (71, False), (72, True)):
        told = probability_notices(pi, n)
        assert bool(told) == is_told
    assert "sum to 50.0, but 72 items are labelled" in told[0].message


@pytest.mark.parametrize("design", DESIGNS)
def test_degrees_of_freedom(design: str) -> None:
    s, _ = draw(design)
    n = int(s.sum())
    df = estimate(design).df
    if design == "simple":
        assert df == n - 1
    elif design == "stratified":
        assert df == n - len(np.unique(STRATA))
    elif design == "clusters":
        assert df == len(np.unique(PSU[s])) - 1
    else:
        a = (1 - chances()[s]) / chances()[s] ** 2
        assert df == pytest.approx(a.sum() ** 2 / (a @ a) - 1)
        assert 1 < df < n - 1


def test_degrees_of_freedom_of_unequal_weights_stay_in_their_range() -> None:
    def df(*pi: float) -> float:
        return degrees_of_freedom(SurveyDesign("poisson", 99, np.arange(len(pi)), np.array(pi)))

    assert df(0.5, 0.5, 0.5, 0.5) == pytest.approx(3)
    assert df(0.9, 0.9, 0.9, 0.001) == 1.0
    assert df(1.0, 1.0, 0.5, 0.5) == pytest.approx(1)
    assert df(1.0, 1.0, 1.0, 1.0) == 3
    # Probabilities far apart in size do not overflow.
    assert df(1e-150, 1e-150, 0.5) == pytest.approx(1)


def test_a_certain_unit_adds_nothing() -> None:
    design = SurveyDesign("poisson", 9, np.arange(4), np.array([1.0, 0.5, 0.5, 0.5]))
    base = pool_variance(np.array([0.0, 1.0, -1.0, 0.0]), design)
    # Its residual moves only the mean of z, which stays at 0 when the others make up for it.
    assert base == pytest.approx(4 / 3 * (0.5 * 4 + 0.5 * 4) / 7**2)


def test_a_single_unit_in_a_stratum_has_no_variance() -> None:
    design = SurveyDesign(
        "stratified",
        9,
        np.arange(3),
        np.array([0.5, 0.5, 0.25]),
        stratum=np.array([0, 0, 1]),
        stratum_sizes=np.array([5, 4]),
    )
    assert np.isnan(pool_variance(np.array([1.0, -1.0, 0.0]), design))
