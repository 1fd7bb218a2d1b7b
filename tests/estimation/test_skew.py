"""Skew-corrected intervals: by hand, by loops, beside a bootstrap, and what leaves them alone."""

from __future__ import annotations

from math import exp, isnan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.estimation.cases import DESIGNS, N_ITEMS, PSU, draw, estimate, labelled, outcomes

import bacon
from bacon.estimation.skew import predicted_variance, skew_arms

Z_975 = 1.9599639845400545


def arms(a: float, df: float, z: float = Z_975) -> tuple[float, float]:
    """Return the arms at 95 % from their formula."""
    t = stats.t.ppf(0.975, df)
    a *= (df - 1) / sqrt(df * (df + 1))
    b, width = 0.75 * a * z, t * (1 + a * a / (1 + 2 * a * a))
    return width * (1 - exp(-b)) / b, width * (exp(b) - 1) / b


def test_labels_alone_by_hand() -> None:
    # Residuals -1, -1, -1, 3 and four of 0, n = 8 of 80: s^2 = 12/7, sum of cubes 24,
    # skewness 8/(7*6) * 24 / (12/7)^1.5 = 2.0367, over sqrt(8): a = 0.72008.
    y = np.r_[2.0, 2.0, 2.0, 6.0, 3.0, 3.0, 3.0, 3.0, np.full(72, np.nan)]
    est = bacon.aee(y, np.zeros(80))
    assert est.value == 3.0
    a = 8 / 42 * 24 / (12 / 7) ** 1.5 / sqrt(8)
    assert a == pytest.approx(0.72008, abs=1e-5)
    assert est.variances.skew_of("pool") == pytest.approx(a)
    lower, upper = arms(a, 7)
    se = sqrt(0.9 * 12 / 7 / 8)
    interval = est.interval()
    assert tuple(interval) == pytest.approx((3 - lower * se, 3 + upper * se))
    assert interval.method == "skew-corrected t"
    assert tuple(est.interval(method="skew")) == tuple(interval)
    # For the population the labels alone are a sample of independent items: no factor 0.9.
    assert est.variances.skew_of("population") == pytest.approx(a)
    se = sqrt(12 / 7 / 8)
    expected = (3 - lower * se, 3 + upper * se)
    assert tuple(est.interval(target="population")) == pytest.approx(expected)


def test_other_methods_by_hand() -> None:
    y = np.r_[2.0, 2.0, 2.0, 6.0, 3.0, 3.0, 3.0, 3.0, np.full(72, np.nan)]
    est = bacon.aee(y, np.zeros(80))
    for method, quantile in (("t", stats.t.ppf(0.95, 7)), ("z", stats.norm.ppf(0.95))):
        half = quantile * sqrt(0.9 * 12 / 7 / 8)
        assert tuple(est.interval(0.9, method=method)) == pytest.approx((3 - half, 3 + half))
    assert est.interval(method="z").method == "normal"


def units_of(design: str, est: Any) -> list[tuple[int, float, list[int]]]:
    """Return stratum, inclusion probability and rows of the drawn units."""
    found = est.design
    if design == "clusters":
        drawn = np.unique(found.psu)
        share = len(drawn) / found.n_psu
        return [(0, share, np.flatnonzero(found.psu == c).tolist()) for c in drawn]
    strata = np.zeros(est.n_labels, dtype=int) if found.stratum is None else found.stratum
    return [(int(strata[k]), float(found.pi[k]), [k]) for k in range(est.n_labels)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_by_loops(design: str, seed: int) -> None:
    est = estimate(design, seed=seed)
    w = 1 / est.design.pi
    r = est.influence_values.residual
    g = est.influence_values.prediction(est.design.rows)
    units = units_of(design, est)

    def centred(values: np.ndarray) -> list[float]:
        totals = [sum(w[k] * values[k] for k in rows) / w.sum() for _, _, rows in units]
        found = []
        for (stratum, _, _), total in zip(units, totals, strict=True):
            peers = [x for (h, _, _), x in zip(units, totals, strict=True) if h == stratum]
            found.append(total - sum(peers) / len(peers))
        return found

    def third(values: np.ndarray, power: float) -> float:
        total = 0.0
        for (stratum, pi, _), z in zip(units, centred(values), strict=True):
            n_h = sum(h == stratum for h, _, _ in units)
            if n_h > 2:
                total += n_h**2 / ((n_h - 1) * (n_h - 2)) * (1 - pi) ** power * z**3
        return total

    spread = est.variances
    a = third(r, 1.5) / est.se() ** 3
    assert spread.skew_of("pool") == pytest.approx(np.clip(a, -1, 1))
    # A labelled item of more items like them has its own prediction beside its residual.
    a = third(r + est.design.pi * g, 0.0) / est.se("population") ** 3
    assert spread.skew_of("population") == pytest.approx(np.clip(a, -1, 1))
    parts = []
    for (stratum, pi, _), z in zip(units, centred(r), strict=True):
        n_h = sum(h == stratum for h, _, _ in units)
        parts.append(n_h / (n_h - 1) * (1 - pi) * z**2)
    x = np.array(centred(g))
    slope = x @ np.array(parts) / (x @ x)
    change = -slope * (w @ g) / w.sum() / sum(parts)
    change = min(change, 1.0) if change > 0 else max(change / 2, -0.25)
    assert spread.predicted_of("pool") == pytest.approx(sum(parts) * (1 + change))
    added = spread.predicted_of("population") - est.se("population") ** 2
    assert added == pytest.approx(sum(parts) * change)
    df = est.df
    if design == "clusters":
        shares = np.array([w[rows].sum() for _, _, rows in units]) / w.sum()
        df = (shares**1.5).sum() ** 2 / (shares**3).sum() - 1
        assert 1 < df < est.df
    lower, upper = arms(spread.skew_of("pool"), df)
    se = sqrt(spread.predicted_of("pool"))
    expected = (est.value - lower * se, est.value + upper * se)
    assert tuple(est.interval()) == pytest.approx(expected)
    assert est.interval().df == pytest.approx(df)
    assert est.interval(method="t").df == est.df


def test_a_sample_of_low_predictions_is_taken_to_have_too_small_residuals() -> None:
    # Residuals grow with the prediction: -1, 1 at f = 1, -2, 2 at f = 3. Labelled f have mean 2,
    # the pool 2.5: parts q = (1, 1, 4, 4) c, slope 3c / 2 a unit of f, V times 1 + 0.75 / 2.5.
    f = np.r_[1.0, 1.0, 3.0, 3.0, 1.0, 3.0, 4.0, 4.0]
    y = np.r_[0.0, 2.0, 1.0, 5.0, np.full(4, np.nan)]
    est = bacon.aee(y, f)
    assert est.influence_values.residual == pytest.approx([-1, 1, -2, 2])
    assert est.variances.predicted_of("pool") == pytest.approx(1.3 * est.se() ** 2)
    assert est.variances.predicted_of("population") == pytest.approx(
        est.se("population") ** 2 + 0.3 * est.se() ** 2
    )
    # The same residuals where the pool's predictions have mean 1.5: half of 0.75 / 2.5 less.
    low = bacon.aee(y, np.r_[f[:4], 1.0, 1.0, 1.0, 1.0])
    assert low.variances.predicted_of("pool") == pytest.approx(0.85 * low.se() ** 2)


@pytest.mark.parametrize(("shift", "factor"), [(50.0, 2.0), (-50.0, 0.75)])
def test_what_predictions_say_of_the_variance_is_bounded(shift: float, factor: float) -> None:
    r = np.array([-1.0, 1.0, -2.0, 2.0])
    design = bacon.aee(np.r_[r, np.full(36, np.nan)], np.zeros(40)).design
    g = np.array([-1.0, -1.0, 1.0, 1.0]) - shift
    v = predicted_variance(r, np.zeros(4), design)
    assert predicted_variance(r, g, design) == pytest.approx(factor * v)


@pytest.mark.parametrize("design", DESIGNS)
def test_constant_predictions_say_nothing_of_the_variance(design: str) -> None:
    for constant in (0.0, 0.1, 7e9):
        y, _, _ = outcomes()
        s, how = draw(design)
        est = bacon.aee(labelled(y, s), np.full(N_ITEMS, constant), **how)
        assert est.variances.predicted_of("pool") == pytest.approx(est.se() ** 2, rel=1e-12)


def test_two_units_a_stratum_show_no_skewness() -> None:
    strata = np.repeat(np.arange(5), 4)
    y = np.full(20, np.nan)
    y[::2] = [0, 1, 0, 9, 2, 3, 1, 1, 0, 40]
    est = bacon.aee(y, np.zeros(20), design="stratified", strata=strata)
    assert est.variances.skew_of("pool") == 0.0
    assert tuple(est.interval()) == tuple(est.interval(method="t"))


def test_a_stratum_of_a_single_labelled_item_shows_no_skewness() -> None:
    y = np.array([9.0, 1.0, 2.0, 4.0, np.nan, np.nan])
    strata = np.array([0, 1, 1, 1, 1, 1])
    found = bacon.aee(y, np.zeros(6), design="stratified", strata=strata)
    assert found.variances.skew_of("pool") == pytest.approx(
        bacon.aee(y[1:], np.zeros(5)).variances.skew_of("pool")
    )


def test_symmetric_residuals_have_students_interval() -> None:
    y = np.r_[1.0, 5.0, 2.0, 4.0, 3.0, -3.0, 9.0, np.full(33, np.nan)]
    est = bacon.aee(y, np.zeros(40))
    for level in (0.5, 0.95, 0.999):
        assert tuple(est.interval(level)) == pytest.approx(tuple(est.interval(level, method="t")))


@pytest.mark.parametrize("estimand", ["mean", "variance"])
@pytest.mark.parametrize("design", DESIGNS)
def test_a_new_unit_of_measurement_changes_the_unit_alone(design: str, estimand: str) -> None:
    y, _, f = outcomes()
    s, how = draw(design)
    own = bacon.aee(labelled(y, s), f, estimand=estimand, **how)
    for scale in (1e-4, 30.0):
        new = bacon.aee(labelled(scale * y - 7, s), scale * f - 7, estimand=estimand, **how)
        for target in ("pool", "population"):
            ends = np.array(tuple(own.interval(target=target)))
            ends = ends * scale**2 if estimand == "variance" else ends * scale - 7
            assert tuple(new.interval(target=target)) == pytest.approx(tuple(ends), rel=1e-7)
    if estimand == "mean":
        turned = bacon.aee(labelled(-y, s), -f, **how).interval()
        low, high = own.interval()
        assert tuple(turned) == pytest.approx((-high, -low))


@given(
    a=st.floats(-1, 1),
    levels=st.lists(st.floats(0.01, 0.99999), min_size=2, max_size=2, unique=True),
    df=st.integers(1, 500),
)
def test_an_interval_lies_inside_those_of_higher_levels(
    a: float, levels: list[float], df: int
) -> None:
    inner, outer = (skew_arms(a, p, df) for p in sorted(levels))
    assert 0.0 < inner[0] <= outer[0]
    assert 0.0 < inner[1] <= outer[1]


@given(a=st.floats(-1, 1), level=st.floats(0.5, 0.999))
def test_the_longer_arm_is_on_the_side_of_the_skewness(a: float, level: float) -> None:
    lower, upper = skew_arms(a, level, 20.0)
    assert (upper - lower) * a >= 0.0
    assert skew_arms(-a, level, 20.0) == pytest.approx((upper, lower))
    # Never less than Student's interval in total: (sinh b) / b and 1 + w are 1 or more.
    assert lower + upper >= 2.0 * stats.t.ppf((1 + level) / 2, 20) - 1e-12


def test_two_labels_show_no_skewness() -> None:
    assert skew_arms(0.9, 0.95, 1.0) == pytest.approx((12.7062047, 12.7062047))


def test_arms_from_any_number_of_labels() -> None:
    lower, upper = skew_arms(0.3, 0.95, float("inf"))
    assert (lower, upper) == pytest.approx(skew_arms(0.3, 0.95, 1e9))
    b, width = 0.75 * 0.3 * Z_975, Z_975 * (1 + 0.09 / 1.18)
    assert upper == pytest.approx(width * (exp(b) - 1) / b)


def bootstrap_t(sample: np.ndarray, resamples: int) -> tuple[float, float]:
    """Return the arms of the bootstrap-t interval at 95 % in standard errors."""
    rng = np.random.default_rng(1)
    n = len(sample)
    drawn = sample[rng.integers(n, size=(resamples, n))]
    t = (drawn.mean(axis=1) - sample.mean()) / (drawn.std(axis=1, ddof=1) / sqrt(n))
    low, high = np.quantile(t, [0.025, 0.975])
    return float(high), float(-low)


@pytest.mark.parametrize(
    ("shape", "n", "within"), [(2.0, 60, 0.06), (0.7, 60, 0.06), (0.7, 150, 0.06), (20.0, 40, 0.06)]
)
def test_the_arms_are_those_of_the_bootstrap_t(shape: float, n: int, within: float) -> None:
    sample = stats.gamma(shape).ppf((np.arange(n) + 0.5) / n)
    sample = np.random.default_rng(0).permutation(sample)
    y = np.r_[sample, np.full(100_000, np.nan)]
    est = bacon.aee(y, np.zeros(len(y)))
    found = np.array(tuple(est.interval())) - est.value
    lower, upper = bootstrap_t(sample, 40_000)
    assert -found[0] / est.se() == pytest.approx(lower, rel=within)
    assert found[1] / est.se() == pytest.approx(upper, rel=within)
    # Student's arms are farther off on a side, unless the sample is hardly skewed.
    if shape < 10:
        t = stats.t.ppf(0.975, n - 1)
        assert abs(upper / t - 1) > 0.1


def test_a_difference_has_the_skewness_of_the_difference() -> None:
    y, second, f = outcomes()
    s, how = draw("simple")
    a = bacon.aee(labelled(y, s), f, **how)
    b = bacon.aee(labelled(second, s), f, **how)
    direct = bacon.aee(labelled(y - second, s), np.zeros(N_ITEMS), **how)
    found = bacon.contrast(a, b, pools="same")
    assert found.value == pytest.approx(direct.value)
    for target in ("pool", "population"):
        assert tuple(found.interval(target=target)) == pytest.approx(
            tuple(direct.interval(target=target))
        )
    assert found.interval().method == "skew-corrected t"


def test_third_moments_of_disjoint_pools_add() -> None:
    a, b = estimate("simple", seed=0), estimate("stratified", seed=1)
    found = bacon.contrast(a, b, kind="ratio", pools="disjoint")
    weights = 1 / b.value, -a.value / b.value**2
    for target in ("pool", "population"):
        thirds = [
            w**3 * one.variances.skew_of(target) * one.se(target) ** 3
            for w, one in zip(weights, (a, b), strict=True)
        ]
        expected = sum(thirds) / found.se(target) ** 3
        assert found.variances.skew_of(target) == pytest.approx(expected)
    added = [
        w**2 * one.variances.predicted_of("pool") for w, one in zip(weights, (a, b), strict=True)
    ]
    assert found.variances.predicted_of("pool") == pytest.approx(sum(added))
    assert found.interval(method="t").method == "t"
    with pytest.raises(bacon.errors.InputError, match="method must be one of auto, skew, t, z"):
        found.interval(method="wald")


def codes(est: Any) -> set[str]:
    return {notice.code for notice in est.notices}


def test_labels_that_carry_most_of_the_error_are_told() -> None:
    y = np.r_[np.tile([0.0, 1.0], 10), 30.0, np.full(79, np.nan)]
    for estimand in ("mean", "variance", "sd"):
        est = bacon.aee(y, np.zeros(100), estimand=estimand)
        assert "very_skewed" in codes(est)
        assert len([notice for notice in est.notices if notice.code == "very_skewed"]) == 1
    assert "very large values" in bacon.aee(y, np.zeros(100)).notices[0].message
    assert "very small values" in bacon.aee(-y, np.zeros(100)).notices[0].message
    # Nor of few labels, of which one is often far out, nor of shares and quantiles.
    assert "very_skewed" not in codes(bacon.aee(np.r_[y[14:21], y[21:]], np.zeros(86)))
    event = np.where(np.isnan(y), y, y == 30.0)
    assert "very_skewed" not in codes(bacon.aee(event, np.zeros(100), estimand="proportion"))


@pytest.mark.parametrize("design", DESIGNS)
def test_labels_all_alike_show_no_error_whatever_was_predicted(design: str) -> None:
    # How the predictions differ is no measure of how labels do.
    s, how = draw(design)
    f = outcomes()[2]
    y = labelled(np.full(N_ITEMS, 2.0), s)
    est = bacon.aee(y, f, **how)
    assert isnan(est.se())
    assert isnan(est.interval().low)
    assert isnan(est.interval(method="t").low)
    n = len(np.unique(PSU[s])) if design == "clusters" else None
    on_scale = bacon.aee(y, f, scale=(-20, 20), **how)
    low, high = on_scale.interval()
    assert on_scale.interval().method == "range"
    if n is not None:
        assert high - low > (1 - 0.05 ** (1 / n)) * 40
    assert low < on_scale.value < high
    other = estimate(design)
    same = bacon.contrast(other, est, pools="same")
    assert isnan(same.interval().low)


def test_a_census_of_labels_all_alike_is_sure() -> None:
    est = bacon.aee(np.full(40, 2.0), np.linspace(0, 1, 40))
    assert est.se() == 0.0
    assert tuple(est.interval()) == pytest.approx((2.0, 2.0))


def test_a_judge_that_was_right_on_few_labels_may_still_surprise() -> None:
    # Four labels as predicted: as if of n + 2 = 6 items one were off, V = 1 / (4 * 6).
    y = np.r_[0.0, 1.0, 1.0, 0.0, np.full(96, np.nan)]
    phi = np.r_[0.01, 0.99, 0.99, 0.01, np.tile([0.01, 0.99], 48)]
    est = bacon.aee(y, phi, estimand="proportion")
    n_eff = 0.25 / (1 / 24)
    low = stats.beta.ppf(0.025, 0.5 * n_eff, 0.5 * n_eff + 1)
    high = stats.beta.ppf(0.975, 0.5 * n_eff + 1, 0.5 * n_eff)
    assert est.value == pytest.approx(0.5)
    assert tuple(est.interval(target="population")) == pytest.approx((low, high))
    shrink = sqrt(0.96)
    expected = (0.5 - shrink * (0.5 - low), 0.5 + shrink * (high - 0.5))
    assert tuple(est.interval()) == pytest.approx(expected)
    assert est.interval().high - est.interval().low > 0.7
    assert est.interval(method="t").high - est.interval(method="t").low < 0.05


def test_surprises_in_one_direction_make_the_arm_on_their_side_longer() -> None:
    # 3 of 60 labels have an event that was given 1 %: more skewed than a count of share p.
    verdict = np.tile([True, False, False], 200)
    y = np.full(600, np.nan)
    y[:60] = verdict[:60]
    y[[1, 7, 22]] = 1.0
    est = bacon.aee(y, np.where(verdict, 0.99, 0.01), estimand="proportion")
    p, v = est.value, est.se() ** 2 / 0.9
    n_eff = p * (1 - p) / v
    low, high = stats.beta.ppf(
        [0.025, 0.975], [p * n_eff, p * n_eff + 1], [(1 - p) * n_eff + 1, (1 - p) * n_eff]
    )
    d = 59.0

    def upper(a: float) -> float:
        b = 0.75 * a * Z_975
        return (exp(b) - 1) / b

    a = est.variances.skew_of("pool") * (d - 1) / sqrt(d * (d + 1))
    natural = (1 - 2 * p) * sqrt(v) / (p * (1 - p))
    assert a > 3 * natural > 0
    longer = upper(a) / upper(natural)
    assert longer > 1.2
    found = est.interval()
    assert found.low == pytest.approx(p - sqrt(0.9) * (p - low))
    assert found.high == pytest.approx(p + sqrt(0.9) * (high - p) * longer)
    # The mirror image has the mirrored interval.
    mirrored = bacon.aee(1 - y, np.where(verdict, 0.01, 0.99), estimand="proportion").interval()
    assert tuple(mirrored) == pytest.approx((1 - found.high, 1 - found.low))
