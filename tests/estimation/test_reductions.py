"""What the estimator must turn into when there is nothing to gain: known formulas."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from tests.estimation.cases import (
    DESIGNS,
    N_ITEMS,
    NAN,
    PROMPT,
    PSU,
    STRATA,
    chances,
    draw,
    estimate,
    labelled,
    numbers,
    outcomes,
)

import bacon

SEEDS = (0, 1, 2)
EXACT = {"rel": 1e-12, "abs": 1e-12}
ESTIMANDS = {
    "mean": {},
    "variance": {"estimand": "variance"},
    "sd": {"estimand": "sd"},
    "median": {"estimand": "quantile", "tau": 0.5},
    "top": {"estimand": "quantile", "tau": 0.8},
}


def human_only(design: str, seed: int) -> tuple[float, float, float]:
    """Return the textbook mean, its design variance and degrees of freedom, labels alone."""
    y = outcomes(seed)[0]
    s = draw(design, seed)[0]
    n = int(s.sum())
    if design == "simple":
        return y[s].mean(), (1 - n / N_ITEMS) * y[s].var(ddof=1) / n, n - 1
    if design == "stratified":
        mean = variance = 0.0
        for stratum in ("low", "mid", "top"):
            inside = stratum == STRATA
            own, size = y[s & inside], inside.sum()
            mean += size / N_ITEMS * own.mean()
            spread = (1 - len(own) / size) * own.var(ddof=1) / len(own)
            variance += (size / N_ITEMS) ** 2 * spread
        return mean, variance, n - 3
    if design == "clusters":
        drawn = np.unique(PSU[s])
        c = len(drawn)
        sizes = np.array([np.sum(k == PSU) for k in drawn])
        totals = np.array([y[k == PSU].sum() for k in drawn])
        mean = totals.sum() / sizes.sum()
        spread = np.var(totals - mean * sizes, ddof=1)
        return mean, (1 - c / 10) * spread / c / sizes.mean() ** 2, c - 1
    pi = chances(seed)[s]
    w = 1 / pi
    mean = (w @ y[s]) / w.sum()
    variance = n / (n - 1) * np.sum((1 - pi) * (w * (y[s] - mean)) ** 2) / w.sum() ** 2
    a = (1 - pi) * w**2
    return mean, variance, min(a.sum() ** 2 / (a @ a) - 1, n - 1)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_constant_prediction_is_the_textbook_estimate(design: str, seed: int) -> None:
    mean, variance, df = human_only(design, seed)
    half = stats.t.ppf(0.975, df) * sqrt(variance)
    for constant in (0.0, 2.5, -40.0):
        est = estimate(design, seed=seed, f=np.full(N_ITEMS, constant))
        assert est.value == pytest.approx(mean, rel=1e-12)
        assert est.se() ** 2 == pytest.approx(variance, rel=1e-10)
        assert est.df == pytest.approx(df, rel=1e-12)
        student = est.interval(method="t")
        assert tuple(student) == pytest.approx((mean - half, mean + half), rel=1e-10)


@pytest.mark.parametrize("what", ESTIMANDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_no_constant_prediction_differs_from_another(design: str, what: str) -> None:
    zero, other = (
        estimate(design, f=np.full(N_ITEMS, constant), cluster=PROMPT, **ESTIMANDS[what])
        for constant in (0.0, 7.3)
    )
    assert numbers(other) == pytest.approx(numbers(zero), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
def test_no_constant_probability_differs_from_another(design: str) -> None:
    zero, other = (
        estimate(design, f=np.full(N_ITEMS, p), estimand="proportion", cut=("ge", 3.2))
        for p in (0.0, 0.7)
    )
    assert 0.0 < zero.value < 1.0
    assert numbers(other) == pytest.approx(numbers(zero), **EXACT)


def test_simple_labels_alone_are_the_sample_statistics() -> None:
    y = outcomes()[0]
    s = draw("simple")[0]
    own, flat = y[s], np.zeros(N_ITEMS)
    n = len(own)
    assert estimate("simple", f=flat).se("population") == pytest.approx(own.std(ddof=1) / sqrt(n))
    variance = estimate("simple", f=flat, estimand="variance")
    assert variance.value == pytest.approx(own.var(ddof=1))
    assert estimate("simple", f=flat, estimand="sd").value == pytest.approx(own.std(ddof=1))
    # (y - mean)^2 as the outcome, times N / (N - 1).
    square = np.var((own - own.mean()) ** 2, ddof=1)
    expected = sqrt((1 - n / N_ITEMS) * square / n) * N_ITEMS / (N_ITEMS - 1)
    assert variance.se() == pytest.approx(expected)
    share = estimate("simple", f=flat, estimand="proportion", cut=("le", 3.0))
    assert share.value == pytest.approx(np.mean(own <= 3.0))
    for tau in (0.2, 0.5, 0.9):
        quantile = estimate("simple", f=flat, estimand="quantile", tau=tau)
        assert quantile.value == np.quantile(own, tau, method="inverted_cdf")


def test_labels_alone_have_their_own_number_as_effective_labels() -> None:
    est = estimate("simple", f=np.zeros(N_ITEMS))
    assert est.effective_labels("pool") == pytest.approx(14)
    assert est.effective_labels("population") == pytest.approx(14)


@pytest.mark.parametrize("design", DESIGNS)
def test_everything_labelled(design: str) -> None:
    y, _, f = outcomes()
    how = draw(design)[1]
    est = bacon.aee(y, f, **how)
    assert est.value == pytest.approx(y.mean(), rel=1e-14)
    assert est.se() == 0.0
    assert tuple(est.interval()) == (est.value, est.value)
    assert est.interval().method == "census"
    assert est.se("population") ** 2 == pytest.approx(y.var(ddof=1) / N_ITEMS)
    assert np.isnan(est.effective_labels())
    assert np.isnan(est.effective_labels("population"))
    shared = bacon.aee(y, f, cluster=PROMPT, **how)
    totals = np.bincount(PROMPT, weights=y - y.mean())
    expected = 10 / 9 * (totals @ totals) / N_ITEMS**2
    assert shared.se("population") ** 2 == pytest.approx(expected)


@pytest.mark.parametrize("design", DESIGNS)
def test_everything_labelled_for_other_estimands(design: str) -> None:
    y, _, f = outcomes()
    how = draw(design)[1]
    variance = bacon.aee(y, f, estimand="variance", **how)
    assert variance.value == pytest.approx(y.var(ddof=1))
    assert tuple(variance.interval()) == (variance.value, variance.value)
    sd = bacon.aee(y, f, estimand="sd", **how)
    assert tuple(sd.interval()) == pytest.approx((y.std(ddof=1),) * 2)
    share = bacon.aee(y, np.full(N_ITEMS, 0.3), estimand="proportion", cut=("ge", 3.5), **how)
    assert tuple(share.interval()) == pytest.approx((np.mean(y >= 3.5),) * 2)
    low, high = share.interval(target="population")
    assert low < share.value < high
    for tau in (0.1, 0.5, 0.75):
        quantile = bacon.aee(y, f, estimand="quantile", tau=tau, **how)
        expected = np.quantile(y, tau, method="inverted_cdf")
        assert quantile.value == expected
        assert tuple(quantile.interval()) == (expected, expected)
        assert quantile.se() == 0.0


@pytest.mark.parametrize("what", ESTIMANDS)
def test_one_stratum_is_a_simple_draw(what: str) -> None:
    y, _, f = outcomes()
    y = labelled(y, draw("simple")[0])
    options = {**ESTIMANDS[what], "cluster": PROMPT}
    simple = bacon.aee(y, f, **options)
    one = bacon.aee(y, f, design="stratified", strata=["all"] * N_ITEMS, **options)
    assert numbers(one) == pytest.approx(numbers(simple), **EXACT)


@pytest.mark.parametrize("what", ESTIMANDS)
def test_clusters_of_one_item_are_a_simple_draw(what: str) -> None:
    y, _, f = outcomes()
    y = labelled(y, draw("simple")[0])
    simple = bacon.aee(y, f, **ESTIMANDS[what])
    single = bacon.aee(y, f, design="clusters", psu=np.arange(N_ITEMS), **ESTIMANDS[what])
    shared = bacon.aee(
        y, f, design="clusters", psu=np.arange(N_ITEMS), cluster=PROMPT, **ESTIMANDS[what]
    )
    items_shared = bacon.aee(y, f, cluster=PROMPT, **ESTIMANDS[what])
    assert numbers(single) == pytest.approx(numbers(simple), **EXACT)
    assert numbers(shared) == pytest.approx(numbers(items_shared), **EXACT)


@pytest.mark.parametrize("what", ESTIMANDS)
@pytest.mark.parametrize("design", ["simple", "stratified"])
def test_sharing_units_of_one_item_changes_nothing(design: str, what: str) -> None:
    # Exactly so where the weights sum to N; elsewhere up to how far they are from it.
    alone = estimate(design, **ESTIMANDS[what])
    single = estimate(design, cluster=np.arange(N_ITEMS)[::-1], **ESTIMANDS[what])
    assert numbers(single) == pytest.approx(numbers(alone), rel=1e-10, abs=1e-12)


def test_sharing_units_do_change_the_population_part_alone() -> None:
    alone, shared = estimate("simple"), estimate("simple", cluster=PROMPT)
    assert shared.se() == alone.se()
    assert shared.se("population") > 1.1 * alone.se("population")


@pytest.mark.parametrize("what", ESTIMANDS)
@pytest.mark.parametrize("design", DESIGNS)
def test_a_constant_added_to_the_prediction_changes_nothing(design: str, what: str) -> None:
    f = outcomes()[2]
    plain, moved = (
        estimate(design, f=f + shift, cluster=PROMPT, **ESTIMANDS[what]) for shift in (0.0, -11.7)
    )
    assert numbers(moved) == pytest.approx(numbers(plain), rel=1e-9, abs=1e-9)


def test_a_constant_added_to_a_probability_changes_nothing() -> None:
    phi = np.linspace(0.1, 0.5, N_ITEMS)
    plain, moved = (
        estimate("poisson", f=phi + shift, estimand="proportion", cut=3.0) for shift in (0.0, 0.4)
    )
    assert numbers(moved) == pytest.approx(numbers(plain), rel=1e-9)


def test_the_same_inclusion_probability_for_all_is_nearly_a_simple_draw() -> None:
    # Same centred residuals: n/(n-1) sum (1 - pi) r^2 / n^2 with pi = n/N is (1 - n/N) s^2 / n.
    y, _, f = outcomes()
    y = labelled(y, draw("simple")[0])
    simple = bacon.aee(y, f)
    equal = bacon.aee(y, f, design="fixed", pi=np.full(N_ITEMS, 14 / N_ITEMS))
    assert numbers(equal) == pytest.approx(numbers(simple), **EXACT)


def test_good_predictions_help() -> None:
    alone = estimate("simple", f=np.zeros(N_ITEMS))
    helped = estimate("simple")
    assert helped.se() < 0.8 * alone.se()
    assert helped.effective_labels() > 1.4 * 14
    assert NAN not in numbers(helped)
