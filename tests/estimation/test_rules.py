"""The rule that turns an estimate into an interval, above all where nothing varies."""

from __future__ import annotations

from math import exp, isnan, sqrt

import numpy as np
import pytest
from scipy import stats
from tests.estimation.cases import DESIGNS, N_ITEMS, PSU, draw, estimate, labelled, outcomes

import bacon
from bacon.errors import InputError
from bacon.estimation.intervals import clopper_pearson, hypergeometric_interval
from bacon.estimation.rules import NO_ERROR

CONSTANTS = (0.0, 0.1, 0.3, 0.7, 50.0, 1e8)


def worth(design: str) -> float:
    """Return the number of simply drawn labels that labels all alike are worth."""
    s, how = draw(design)
    if design == "clusters":
        return float(len(np.unique(PSU[s])))
    if design == "simple":
        return float(s.sum())
    weights = 1.0 / estimate(design).design.pi if design == "stratified" else 1.0 / how["pi"][s]
    return float(weights.sum() ** 2 / (weights @ weights))


@pytest.mark.parametrize("label", [0.0, 3.0, -0.1])
@pytest.mark.parametrize("design", DESIGNS)
def test_identical_labels_have_no_interval_without_a_scale(design: str, label: float) -> None:
    s, how = draw(design)
    y = labelled(np.full(N_ITEMS, label), s)
    for constant in CONSTANTS:
        est = bacon.aee(y, np.full(N_ITEMS, constant), **how)
        assert est.value == pytest.approx(label, abs=1e-7)
        for target in ("pool", "population"):
            interval = est.interval(target=target)
            assert isnan(interval.low), constant
            assert isnan(interval.high)
            assert interval.method == "none"
            assert interval.reason.startswith(NO_ERROR)
        assert "no valid interval" in str(est)
        assert NO_ERROR in est._repr_html_()


@pytest.mark.parametrize("design", DESIGNS)
def test_identical_labels_on_a_scale_leave_room_for_what_went_unseen(design: str) -> None:
    # Up to 1 - 0.05^(1/n) of the items could lie at the other end of the scale.
    s, how = draw(design)
    y = labelled(np.full(N_ITEMS, 2.0), s)
    est = bacon.aee(y, np.full(N_ITEMS, 0.3), scale=(1, 6), **how)
    slack = (1 - 0.05 ** (1 / worth(design))) * 5
    for target in ("pool", "population"):
        interval = est.interval(target=target)
        assert tuple(interval) == pytest.approx((max(2 - slack, 1), min(2 + slack, 6)))
        assert interval.method == "range"


def test_a_prediction_that_is_right_on_every_label_is_no_proof() -> None:
    y, _, _ = outcomes()
    s, _ = draw("simple")
    est = bacon.aee(labelled(y, s), y + 4.0)
    assert isnan(est.interval().low)
    assert isnan(bacon.aee(labelled(y, s), y, scale=(-9, 9), estimand="sd").interval().low)


def test_labels_alike_within_every_stratum_have_no_interval() -> None:
    strata = np.repeat([0, 1], 20)
    y = labelled(np.where(strata == 0, 2.0, 5.0), np.arange(40) % 4 == 0)
    for f in (0.0, 0.1):
        est = bacon.aee(y, np.full(40, f), design="stratified", strata=strata)
        assert est.value == pytest.approx(3.5)
        assert isnan(est.interval().low)
        assert isnan(est.interval(target="population").low)


def test_clusters_with_the_same_mean_have_no_interval() -> None:
    psu = np.repeat(np.arange(20), 2)
    y = labelled(np.tile([1.0, 3.0], 20), psu < 6)
    est = bacon.aee(y, np.zeros(40), design="clusters", psu=psu)
    assert isnan(est.interval().low)
    assert isnan(est.interval(target="population").low)


@pytest.mark.parametrize("estimand", ["variance", "sd"])
def test_half_zeros_half_ones_say_nothing_of_the_error_of_their_spread(estimand: str) -> None:
    y = np.full(40, np.nan)
    y[:10] = np.tile([0.0, 1.0], 5)
    est = bacon.aee(y, np.zeros(40), estimand=estimand)
    interval = est.interval()
    assert isnan(interval.low)
    assert interval.method == "none"
    assert interval.reason.startswith(NO_ERROR)


def test_certain_items_alone_say_nothing_of_the_others() -> None:
    pi = np.r_[np.ones(5), np.full(35, 0.01)]
    y = np.r_[[1.0, 2.0, 4.0, 4.0, 3.0], np.full(35, np.nan)]
    est = bacon.aee(y, np.zeros(40), design="poisson", pi=pi)
    assert isnan(est.se())
    assert isnan(est.interval().low)


def test_a_census_of_identical_labels_is_sure_of_the_pool_alone() -> None:
    est = bacon.aee(np.full(40, 3.0), np.linspace(0, 1, 40), scale=(1, 6))
    assert tuple(est.interval()) == (est.value, est.value)
    assert est.value == pytest.approx(3.0)
    low, high = est.interval(target="population")
    slack = (1 - 0.05 ** (1 / 40)) * 5
    assert (low, high) == pytest.approx((3 - slack, 3 + slack))
    without = bacon.aee(np.full(40, 3.0), np.linspace(0, 1, 40))
    assert isnan(without.interval(target="population").low)


@pytest.mark.parametrize("event", [0.0, 1.0])
@pytest.mark.parametrize("design", DESIGNS)
def test_identical_labels_have_the_exact_interval_of_a_share(design: str, event: float) -> None:
    s, how = draw(design)
    n, worth_ = int(s.sum()), worth(design)
    y = labelled(np.full(N_ITEMS, event), s)
    low, high = clopper_pearson(event * worth_, worth_, 0.95)
    shrink = sqrt(1 - n / N_ITEMS)
    for p in (0.0, 0.1, 0.3, 0.7):
        est = bacon.aee(y, np.full(N_ITEMS, p), estimand="proportion", **how)
        population = est.interval(target="population")
        assert tuple(population) == pytest.approx((low, high), abs=1e-12)
        if design == "simple":
            expected = hypergeometric_interval(int(event * n), n, N_ITEMS, 0.95)
        else:
            expected = (event - shrink * (event - low), event + shrink * (high - event))
        assert tuple(est.interval()) == pytest.approx(expected, abs=1e-12)
        assert est.interval().reason is None


def test_identical_labels_count_for_their_number_whatever_was_predicted() -> None:
    # None of 12 has the property: how the probabilities differ is no measure of the error.
    y = np.full(40, np.nan)
    y[:12] = 0.0
    est = bacon.aee(y, np.linspace(0.1, 0.3, 40), estimand="proportion")
    p, shrink = est.value, sqrt(1 - 12 / 40)
    assert 0.0 < p < 0.1
    low, high = clopper_pearson(12 * p, 12.0, 0.95)
    expected = (p - shrink * (p - low), p + shrink * (high - p))
    assert tuple(est.interval()) == pytest.approx(expected)
    assert tuple(est.interval(target="population")) == pytest.approx((low, high))
    assert high > 0.3


def stretch(p: float, v: float, skew: float, df: float) -> tuple[float, float]:
    """Return by how much residuals more skewed than a binomial count lengthen the arms."""
    a = skew * (df - 1) / sqrt(df * (df + 1))
    side = 1 if a > 0 else -1
    own, natural = (
        side * (exp(side * b) - 1) / b
        for b in (0.75 * 1.959963985 * x for x in (a, (1 - 2 * p) * sqrt(v) / (p * (1 - p))))
    )
    longer = max(own / natural, 1.0)
    return (1.0, longer) if a > 0 else (longer, 1.0)


@pytest.mark.parametrize("design", ["stratified", "poisson"])
def test_the_interval_of_a_share_by_its_formula(design: str) -> None:
    phi = np.linspace(0.2, 0.9, N_ITEMS)
    est = estimate(design, f=phi, estimand="proportion", cut=3.0)
    n, df, p = est.n_labels, est.df, est.value
    for target, unseen in (("pool", 1 - n / N_ITEMS), ("population", 1.0)):
        v = est.se(target) ** 2 / unseen
        n_eff = p * (1 - p) / v
        n_eff *= (stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, df)) ** 2
        low, high = clopper_pearson(p * n_eff, n_eff, 0.95)
        lower, upper = stretch(p, v, est.variances.skew_of(target), df)
        expected = (
            p - sqrt(unseen) * (p - low) * lower,
            p + sqrt(unseen) * (high - p) * upper,
        )
        interval = est.interval(target=target)
        assert tuple(interval) == pytest.approx(np.clip(expected, 0, 1), rel=1e-8)
        assert interval.method == "Korn-Graubard"


def test_labels_alone_have_the_exact_interval_of_a_simple_draw() -> None:
    est = estimate("simple", f=np.full(N_ITEMS, 0.4), estimand="proportion", cut=3.0)
    count = round(est.value * est.n_labels)
    expected = hypergeometric_interval(count, est.n_labels, N_ITEMS, 0.9)
    assert tuple(est.interval(0.9)) == expected
    assert est.interval().method == "hypergeometric"


def test_a_share_outside_its_range_is_cut_and_told() -> None:
    # Mean probability 0.1, mean residual (0 - 0.9) * 2 / 3: an estimate below 0.
    phi = np.r_[0.9, 0.9, 0.0, np.zeros(17)]
    y = np.r_[0.0, 0.0, 0.0, np.full(17, np.nan)]
    est = bacon.aee(y, phi, estimand="proportion")
    assert est.value == 0.0
    assert "estimate_cut_to_scale" in {notice.code for notice in est.notices}
    for target in ("pool", "population"):
        interval = est.interval(target=target)
        assert 0.0 <= interval.low <= interval.high <= 1.0
        assert interval.high > 0.3


def test_t_for_a_share_stays_in_its_range() -> None:
    phi = np.linspace(0.2, 0.9, N_ITEMS)
    est = estimate("poisson", f=phi, estimand="proportion", cut=5.0)
    half = stats.t.ppf(0.995, est.df) * est.se()
    interval = est.interval(0.99, method="t")
    assert tuple(interval) == pytest.approx((max(est.value - half, 0), min(est.value + half, 1)))
    assert interval.method == "t"


def test_an_interval_is_cut_to_the_scale_and_told() -> None:
    y = labelled(np.r_[np.tile([1.0, 1.0, 1.0, 4.0], 10)], np.arange(40) < 12)
    free = bacon.aee(y, np.zeros(40))
    cut = bacon.aee(y, np.zeros(40), scale=(1, 6))
    assert free.interval(0.999).low < 1.0
    assert cut.interval(0.999).low == 1.0
    assert cut.interval(0.999).high == free.interval(0.999).high
    assert cut.interval(0.999).reason == "cut to the scale"
    assert cut.interval(0.5).reason is None
    assert tuple(cut.interval(0.5)) == tuple(free.interval(0.5))


def test_an_estimate_off_the_scale_keeps_an_interval_on_it() -> None:
    # Labels 1 where 3 was predicted, 1 predicted elsewhere: the estimate is about -0.4.
    y = np.r_[1.0, 1.2, 1.0, np.full(17, np.nan)]
    f = np.r_[3.0, 3.0, 3.1, np.full(17, 1.0)]
    est = bacon.aee(y, f, scale=(1, 6))
    assert est.value == 1.0
    assert "estimate_cut_to_scale" in {notice.code for notice in est.notices}
    low, high = est.interval()
    assert 1.0 == low < high <= 6.0


def test_what_is_asked_of_an_interval_is_checked() -> None:
    est = estimate("simple")
    for level in (0.0, 1.0, 95.0, float("nan")):
        with pytest.raises(InputError, match=r"level must lie between 0 and 1, such as 0.95"):
            est.interval(level)
    for asked in (est.interval, est.se, est.effective_labels):
        with pytest.raises(InputError, match=r"target must be \"pool\""):
            asked(target="everything")
    for other in ({}, {"estimand": "sd"}, {"estimand": "quantile", "tau": 0.5}):
        with pytest.raises(InputError, match=r"method must be one of auto, .*, z; got 'normal'"):
            estimate("simple", **other).interval(method="normal")
    share = estimate("simple", f=np.full(N_ITEMS, 0.5), estimand="proportion", cut=3.0)
    with pytest.raises(InputError, match="method must be one of auto, skew, t, z"):
        share.interval(method="wald")


def test_the_text_of_an_estimate() -> None:
    est = estimate("simple")
    low, high = est.interval()
    text = f"{est.value:.4g} ({low:.4g}, {high:.4g})  pool of 40, 14 labels"
    assert str(est) == repr(est) == text
    page = est._repr_html_()
    assert f"{low:.4g} &ndash; {high:.4g}" in page
    assert page.count("<tr>") == 3
