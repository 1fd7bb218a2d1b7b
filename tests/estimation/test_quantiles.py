"""Quantiles: small data worked out by hand, and a slow search over every label as a second way."""

from __future__ import annotations

from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.estimation.cases import (
    DESIGNS,
    NAN,
    PROMPT,
    draw,
    estimate,
    labelled,
    outcomes,
)

import bacon
from bacon.errors import InputError
from bacon.estimation.designs import independent_labels
from bacon.estimation.distributions import FunctionDistribution, ResidualDistribution
from bacon.estimation.sandwich import pool_variance


def median(y: Any, f: Any, tau: float = 0.5, **options: Any) -> bacon.Estimate:
    return bacon.aee(y, f, estimand="quantile", tau=tau, **options)


def table(values: dict[float, list[float]]) -> Any:
    """Return phi that looks theta up."""
    return lambda theta: np.array(values[theta])


@pytest.mark.parametrize(
    ("tau", "expected"), [(0.1, 1), (0.2, 1), (0.21, 2), (0.6, 2), (0.61, 5), (0.8, 5), (0.81, 9)]
)
def test_labels_alone(tau: float, expected: float) -> None:
    # F = 1/5 at 1, 3/5 at 2, 4/5 at 5, 1 at 9: the smallest label with F >= tau.
    y = [5, NAN, 2, 1, NAN, 2, NAN, 9, NAN, NAN]
    assert median(y, np.zeros(10), tau).value == expected


@pytest.mark.parametrize(("tau", "expected"), [(0.5, 1.0), (0.51, 3.0), (0.75, 3.0)])
def test_with_predictions_by_hand(tau: float, expected: float) -> None:
    # phi = 1{f <= theta}, f = 2, 2, 3, 4; items 0 and 2 labelled 1 and 3.
    # F(1) = 0/4 + ((1 - 0) + (0 - 0)) / 2 = 1/2; F(3) = 3/4 + ((1 - 1) + (1 - 1)) / 2 = 3/4.
    f = np.array([2.0, 2.0, 3.0, 4.0])
    est = median([1, NAN, 3, NAN], f, tau, phi=lambda theta: (f <= theta).astype(float))
    assert est.value == expected


def test_a_level_that_no_label_reaches() -> None:
    f = np.array([2.0, 2.0, 3.0, 4.0])
    est = median([1, NAN, 3, NAN], f, 0.8, phi=lambda theta: (f <= theta).astype(float))
    assert est.value == 3.0
    assert "quantile_beyond_labels" in [notice.code for notice in est.notices]


def test_default_distribution_by_hand() -> None:
    # Residuals 1, -1 of items 0 and 2: P(Y <= theta) = share of f + 1, f - 1 up to theta.
    # theta = 2: f + 1 = 2, 3, 4, 5 and f - 1 = 0, 1, 2, 3: phi = 1, 1/2, 1/2, 0.
    # F(2) = 1/2 + ((1 - 1) + (1 - 1/2)) / 2 = 3/4; labels are both 2.
    distribution = ResidualDistribution.of(
        np.array([2.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0])
    )
    assert distribution.everywhere(2.0).tolist() == [1.0, 0.5, 0.5, 0.0]
    assert distribution.pool_mean(np.array([2.0, 3.0])).tolist() == [0.5, 0.75]
    assert distribution.labelled(np.array([2.0])).tolist() == [[1.0], [0.5]]


def test_a_distribution_that_falls_is_read_as_its_running_maximum() -> None:
    # Labels 1, 2, 3 of six items. Mean phi 0.2, 0.6, 0.9; mean residual of the labelled
    # 1/3 - 0, 2/3 - 1, 1 - 0.8: F = 0.533, 0.267, 1.1, read as 0.533, 0.533, 1.
    phi = table(
        {
            1.0: [0.0, 0.0, 0.0, 0.4, 0.4, 0.4],
            2.0: [1.0, 1.0, 1.0, 0.2, 0.2, 0.2],
            3.0: [0.8, 0.8, 0.8, 1.0, 1.0, 1.0],
        }
    )
    y = [1.0, 2.0, 3.0, NAN, NAN, NAN]
    for tau, expected in ((0.3, 1.0), (0.53, 1.0), (0.54, 3.0), (0.99, 3.0)):
        est = median(y, np.zeros(6), tau, phi=phi)
        assert est.value == expected
        assert not any(notice.code == "quantile_beyond_labels" for notice in est.notices)


def test_interval_of_labels_alone_by_hand() -> None:
    # n = 8 of 80 labels 1..8: F = k/8, V = (1 - 0.1) F (1 - F) / 7, so that n_eff = 7, count 3.5.
    # Clopper-Pearson limits of 3.5 in 7 at 80 %: 0.2221 and 0.7779, arms times sqrt(0.9): 0.2363
    # and 0.7637. F reaches 0.2363 at 2 (0.25), and 0.7637 at 7 (0.875).
    y = np.r_[np.arange(1.0, 9.0), np.full(72, NAN)]
    est = median(y, np.zeros(80))
    assert est.value == 4.0
    assert tuple(est.interval(0.8)) == (2.0, 7.0)
    assert est.interval(0.8).method == "score, Korn-Graubard"
    assert est.interval(0.8).reason is None
    assert tuple(est.interval(0.8, "population")) == (2.0, 7.0)


def test_student_interval_of_labels_alone_by_hand() -> None:
    # se^2 = (1 - 0.1) F (1 - F) / 7; t(0.9, df 7) = 1.414924.
    # F + t se: 1/8 -> 0.292, 2/8 -> 0.470, 3/8 -> 0.621: the lower end is 3.
    # F - t se: 5/8 -> 0.379, 6/8 -> 0.530: the upper end is 6.
    y = np.r_[np.arange(1.0, 9.0), np.full(72, NAN)]
    found = median(y, np.zeros(80)).interval(0.8, method="t")
    assert tuple(found) == (3.0, 6.0)
    assert found.method == "score, t"
    # Population: se^2 = F (1 - F) / 7 exactly, t se a little wider: still 3 and 6.
    assert tuple(median(y, np.zeros(80)).interval(0.8, "population", "t")) == (3.0, 6.0)
    # z(0.9) = 1.281552: 2/8 -> 0.449, 3/8 -> 0.598; 6/8 -> 0.551.
    assert tuple(median(y, np.zeros(80)).interval(0.8, method="z")) == (3.0, 6.0)


def test_a_quantile_has_no_skew_corrected_interval() -> None:
    est = estimate("simple", estimand="quantile", tau=0.5)
    with pytest.raises(InputError, match="method must be one of auto, t, z; got 'skew'"):
        est.interval(method="skew")


def limits(
    tau: float, share: float, variance: float, *, design: Any, level: float, df: float
) -> Any:
    """Return the limits about tau by Korn and Graubard, from the beta distribution."""
    n = len(design.rows)
    unseen = 1 - n / design.n_items
    n_eff = n_worth = independent_labels(design)
    if 0 < share < 1:
        n_eff = share * (1 - share) / max(variance / unseen, 1 / (n_worth * (n_worth + 2)))
        n_eff *= (stats.t.ppf((1 + level) / 2, n - 1) / stats.t.ppf((1 + level) / 2, df)) ** 2
    low = stats.beta.ppf((1 - level) / 2, tau * n_eff, (1 - tau) * n_eff + 1)
    high = stats.beta.ppf((1 + level) / 2, tau * n_eff + 1, (1 - tau) * n_eff)
    return tau + sqrt(unseen) * (low - tau), tau + sqrt(unseen) * (high - tau)


def brute(
    y: np.ndarray, phi: Any, design: Any, *, tau: float, level: float, df: float
) -> tuple[tuple[float, float, float], tuple[float, float]]:
    """Return quantile, pool interval and Student's from F and its error at every label value."""
    own = y[design.rows]
    values = np.unique(own)
    w = 1 / design.pi
    best, shares, errors = 0.0, [], []
    for theta in values:
        p = phi(theta)
        residual = (own <= theta) - p[design.rows]
        rbar = w @ residual / w.sum()
        best = max(best, min(max(p.mean() + rbar, 0.0), 1.0))
        shares.append(best)
        errors.append(sqrt(pool_variance(residual - rbar, design)))
    t = stats.t.ppf((1 + level) / 2, df)
    above = [k for k, share in enumerate(shares) if share >= tau - 1e-12]
    bounds = [
        limits(tau, share, error**2, design=design, level=level, df=df)
        for share, error in zip(shares, errors, strict=True)
    ]
    low = [k for k, share in enumerate(shares) if share >= bounds[k][0] - 1e-12]
    high = [k for k, share in enumerate(shares) if share >= bounds[k][1]]
    t_low = [k for k, share in enumerate(shares) if share + t * errors[k] >= tau - 1e-12]
    t_high = [k for k, share in enumerate(shares) if share - t * errors[k] > tau]

    def first(positions: list[int]) -> float:
        return float(values[positions[0] if positions else -1])

    return (first(above), first(low), first(high)), (first(t_low), first(t_high))


@pytest.mark.parametrize("rounded", [None, 0], ids=["continuous", "ties"])
@pytest.mark.parametrize("design", DESIGNS)
def test_search_finds_what_looking_at_every_label_finds(design: str, rounded: int | None) -> None:
    for seed in range(8):
        y, _, f = outcomes(seed)
        y = y if rounded is None else y.round(rounded)
        s, how = draw(design, seed)

        def phi(theta: float, f: np.ndarray = f) -> np.ndarray:
            return (f <= theta).astype(float)

        for tau in (0.25, 0.5, 0.8):
            est = median(labelled(y, s), f, tau, phi=phi, **how)
            (value, *ends), student = brute(y, phi, est.design, tau=tau, level=0.9, df=est.df)
            assert est.value == value, (seed, tau)
            for method, (low, high) in (("auto", ends), ("t", student)):
                found = est.interval(0.9, method=method)
                # Few labels leave an end of an outer quantile open.
                assert found.low == low or (found.low == -np.inf and tau < 0.5), (seed, tau)
                assert found.high == high or (found.high == np.inf and tau > 0.5), (seed, tau)
                assert (found.reason is None) == np.isfinite([*found]).all()


def test_search_is_exact_with_more_labels_than_are_looked_up_at_once() -> None:
    rng = np.random.default_rng(0)
    n_items = 1_500
    f = rng.normal(size=n_items)
    y = f + 0.3 * rng.normal(size=n_items)
    y[rng.choice(n_items, 900, replace=False)] = NAN
    est = median(y, f, 0.3)
    distribution = ResidualDistribution.of(y[~np.isnan(y)], f, f[~np.isnan(y)])
    expected = brute(y, distribution.everywhere, est.design, tau=0.3, level=0.95, df=est.df)
    assert (est.value, *est.interval()) == expected[0]
    assert tuple(est.interval(method="t")) == expected[1]


def test_the_users_own_distribution_is_the_default_when_it_is_the_same_function() -> None:
    y, _, f = outcomes()
    for design in DESIGNS:
        s, how = draw(design)
        residual = np.sort((y - f)[s])
        slack = 1e-12 * max(np.abs(y[s]).max(), np.abs(f[s]).max())

        def phi(theta: float, residual: np.ndarray = residual, slack: float = slack) -> Any:
            return np.searchsorted(residual, theta + slack - f, side="right") / len(residual)

        for tau in (0.2, 0.5, 0.9):
            default = median(labelled(y, s), f, tau, cluster=PROMPT, **how)
            own = median(labelled(y, s), f, tau, phi=phi, cluster=PROMPT, **how)
            assert own.value == default.value
            assert own.se("population") == pytest.approx(default.se("population"), rel=1e-9)
            for target in ("pool", "population"):
                assert tuple(own.interval(0.9, target)) == tuple(default.interval(0.9, target))


def test_ends_on_an_ordinal_scale_are_points_of_it() -> None:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=600)
    y = np.clip(np.round(3.5 + 1.2 * quality), 1, 6)
    f = 3.2 + quality
    kept = np.arange(600) % 6 == 0
    est = median(labelled(y, kept), f, scale=(1, 6))
    ends = {*est.interval(), *est.interval(target="population"), est.value}
    assert ends <= {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
    assert est.interval().low <= np.median(y) <= est.interval().high


def test_large_ties() -> None:
    # 90 of 100 labels are 3: F(2) = 0.04 and F(3) = 0.94 are far from one half.
    own = np.r_[np.full(4, 2.0), np.full(90, 3.0), np.full(6, 4.0)]
    y = np.r_[own, np.full(900, NAN)]
    est = median(y, np.zeros(1_000))
    assert est.value == 3.0
    assert tuple(est.interval()) == (3.0, 3.0)
    # A single point has no density to take a standard error from.
    assert isnan(est.se())
    assert np.isnan(est.influence()[:100]).all()


def test_predictions_that_tie_with_labels_count_the_same_everywhere() -> None:
    # f in tenths and whole labels: f + (y - f') meets theta in many pairs, up to rounding.
    rng = np.random.default_rng(2)
    for _ in range(50):
        f = rng.uniform(1, 6, size=200).round(1)
        own = f[:10].round()
        distribution = ResidualDistribution.of(own, f, f[:10])
        thetas = np.unique(own)
        everywhere = np.column_stack([distribution.everywhere(theta) for theta in thetas])
        assert distribution.pool_mean(thetas) == pytest.approx(everywhere.mean(axis=0), abs=1e-12)
        assert distribution.labelled(thetas) == pytest.approx(everywhere[:10], abs=1e-12)


def test_many_residuals_are_thinned() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=1_000)
    distribution = ResidualDistribution.of(y, np.zeros(5), np.zeros(1_000))
    assert len(distribution.residual) == 100
    assert np.diff(distribution.residual).min() >= 0
    assert distribution.everywhere(0.3) == pytest.approx(np.mean(y <= 0.3), abs=0.011)


def test_identical_labels_bound_no_quantile() -> None:
    y = np.r_[np.full(10, 3.0), np.full(30, NAN)]
    est = median(y, np.linspace(0, 1, 40), scale=(1, 6))
    for target in ("pool", "population"):
        interval = est.interval(target=target)
        assert isnan(interval.low)
        assert interval.reason == "all labels are alike, so they bound no quantile but their own"


def test_an_end_at_the_edge_of_the_labels_is_told() -> None:
    y = np.r_[np.arange(1.0, 9.0), np.full(72, NAN)]
    low = median(y, np.zeros(80), 0.1)
    assert low.value == 1.0
    # None of 8 labels is lower, which a share of 1 - 0.025^(1/8) = 0.37 of the items may be.
    assert low.interval().low == -np.inf
    assert low.interval().high == 5.0
    assert low.interval().reason == "the labels are too few to bound a quantile this near to an end"
    assert np.isfinite([*median(y, np.zeros(80), 0.5).interval()]).all()


def test_a_lower_end_below_the_labels_is_the_end_of_the_scale() -> None:
    # The lowest label already holds 3 in 10, more than the level asked for.
    y = np.r_[np.full(3, 2.0), np.full(7, 4.0), np.full(30, NAN)]
    free = median(y, np.zeros(40), 0.1)
    scaled = median(y, np.zeros(40), 0.1, scale=(1, 6))
    assert free.interval().low == -np.inf
    assert scaled.interval().low == 1.0
    assert scaled.interval().high == free.interval().high


def test_a_missing_upper_end_is_the_end_of_the_scale() -> None:
    # F(2) = 3.8/8 + (0 + 0.2 + 0 + 0.4) / 4 = 0.625 with an error of 0.07, t = 3.18: no label
    # is clearly above the level, as the predictions have half the items score higher.
    phi = table({1.0: [0.2] * 8, 2.0: [1.0, 0.8, 1.0, 0.6, 0.1, 0.1, 0.1, 0.1]})
    y = [1.0, 2.0, 2.0, 2.0, *[NAN] * 4]
    free = median(y, np.zeros(8), 0.5, phi=phi)
    scaled = median(y, np.zeros(8), 0.5, phi=phi, scale=(0, 5))
    assert free.interval().high == np.inf
    assert scaled.interval().high == 5.0


def test_shared_items_widen_the_population_interval_alone() -> None:
    rng = np.random.default_rng(4)
    prompt = np.repeat(np.arange(60), 10)
    y = rng.normal(size=60)[prompt] * 2 + 0.3 * rng.normal(size=600)
    y = labelled(y, rng.random(600) < 0.3)
    f = np.zeros(600)
    alone, shared = median(y, f), median(y, f, cluster=prompt)
    assert tuple(shared.interval()) == tuple(alone.interval())
    assert shared.interval(target="population").half_width > 1.5 * (
        alone.interval(target="population").half_width
    )


def test_standard_error_from_the_slope_of_the_distribution() -> None:
    # A uniform outcome on 0..100 has density 1/100; se = sqrt(0.25 / n) * 100.
    rng = np.random.default_rng(5)
    y = np.full(100_000, NAN)
    y[:2_000] = rng.uniform(0, 100, size=2_000)
    est = median(y, np.zeros(100_000))
    assert est.se("population") == pytest.approx(100 * sqrt(0.25 / 2_000), rel=0.15)
    low, high = est.interval(target="population")
    assert (high - low) / 2 == pytest.approx(1.96 * est.se("population"), rel=0.05)


@pytest.mark.parametrize("tau", [0.0, 1.0, -0.1, float("nan"), 50])
def test_a_level_outside_its_range_is_refused(tau: float) -> None:
    with pytest.raises(InputError, match=r"a quantile needs a level between 0 and 1"):
        estimate("simple", estimand="quantile", tau=tau)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full(39, 0.5), r"must give 40 probabilities, one an item; it gave .* \(39,\)"),
        (np.full((40, 1), 0.5), r"must give 40 probabilities, one an item; it gave .* \(40, 1\)"),
        (0.5, r"must give 40 probabilities"),
        (np.full(40, 1.7), r"\[0\] = 1.7: phi must give the probability"),
        (np.r_[np.full(39, 0.5), NAN], r"\[39\] = nan: phi must give the probability"),
        (np.r_[0.5, -0.1, np.full(38, 0.5)], r"\[1\] = -0.1: phi must give the probability"),
    ],
)
def test_what_phi_gives_is_checked(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimate("simple", estimand="quantile", tau=0.5, phi=lambda _: values)


def test_a_huge_pool_asks_for_few_values_of_phi_at_once() -> None:
    def half(_: float) -> Any:
        return np.full(3, 0.5)

    rows = np.arange(2)
    assert FunctionDistribution(half, rows, 1_000).grid == 256
    assert FunctionDistribution(half, rows, 1_000_000).grid == 67
    assert FunctionDistribution(half, rows, 10_000_000).grid == 8


@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=12),
    st.floats(0.05, 0.95),
    st.integers(0, 10_000),
)
def test_quantiles_rise_with_their_level_and_are_labels(
    own: list[int], tau: float, seed: int
) -> None:
    f = np.random.default_rng(seed).normal(3, 2, size=len(own) + 9)
    y = np.r_[np.array(own, dtype=float), np.full(9, NAN)]
    lower, upper = median(y, f, tau * 0.9), median(y, f, tau)
    assert lower.value <= upper.value
    assert upper.value in own
    low, high = upper.interval()
    assert isnan(low) or low <= upper.value <= high


def test_an_interval_does_not_depend_on_which_were_asked_for_before() -> None:
    rng = np.random.default_rng(3)
    n = 3000
    f = rng.normal(size=n)
    y = np.full(n, np.nan)
    rows = rng.choice(n, 900, replace=False)
    y[rows] = rng.normal(size=900)

    def wavy(theta: float) -> np.ndarray:
        return np.clip(0.5 + 0.4 * np.sin(40.0 * theta) * np.sign(f), 0.0, 1.0)

    fresh = bacon.aee(y, f, estimand="quantile", tau=0.5, phi=wavy)
    used = bacon.aee(y, f, estimand="quantile", tau=0.5, phi=wavy)
    for level in (0.99, 0.9, 0.8):
        used.interval(level)
    assert tuple(used.interval(0.5)) == tuple(fresh.interval(0.5))
