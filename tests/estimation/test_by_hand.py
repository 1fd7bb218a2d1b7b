"""Six items, every number worked out on paper. f is 2, 3, 5, 4, 3, 1 throughout: mean 3."""

from __future__ import annotations

from math import sqrt

import pytest
from tests.estimation.cases import NAN

import bacon

F = [2.0, 3.0, 5.0, 4.0, 3.0, 1.0]
T_975 = {1: 12.706204736, 2: 4.302652730}
"""Two-sided 95 % points of Student's t from the tables."""


def test_simple() -> None:
    # Residuals 1, 0, 1 of n = 3: mean 2/3, s^2 = (1/9 + 4/9 + 1/9) / 2 = 1/3.
    # V_pool = (1 - 3/6) (1/3) / 3 = 1/18.
    # g = f - 3 = -1, 0, 2, 1, 0, -2: mean square 10/6. r = 1/3, -2/3, 1/3 at g = -1, 2, 0:
    # mean of 2 g r + r^2 = (-5/9 - 20/9 + 1/9) / 3 = -8/9.
    # Centring takes off V of the labels 3, 5, 4 less V of g = -1, 2, 0:
    # (1 - 3/6) (1 - 7/3) / 3 = -2/9.
    # S^2 = 6/5 (10/6 - 8/9 - 2/9) = 2/3, so V_population = 1/18 + 1/9 = 1/6.
    est = bacon.aee([3, NAN, 5, NAN, 4, NAN], F)
    assert est.value == pytest.approx(3 + 2 / 3)
    assert est.se() ** 2 == pytest.approx(1 / 18)
    assert est.se("population") ** 2 == pytest.approx(1 / 6)
    assert est.df == 2
    half = T_975[2] * sqrt(1 / 18)
    assert tuple(est.interval(method="t")) == pytest.approx((11 / 3 - half, 11 / 3 + half))
    half = T_975[2] * sqrt(1 / 6)
    assert tuple(est.interval(target="population", method="t")) == pytest.approx(
        (11 / 3 - half, 11 / 3 + half)
    )
    # Labels alone with the same error: 1 / ((1/18) / (2/3) + 1/6) = 4, and (2/3) / (1/6) = 4.
    assert est.effective_labels() == pytest.approx(4)
    assert est.effective_labels("population") == pytest.approx(4)


def test_stratified_with_one_stratum_labelled_whole() -> None:
    # a: items 0-3, two labelled, w = 2, residuals 1, 0; b: items 4-5, w = 1, residuals 1, 1.
    # rbar = (2 + 0 + 1 + 1) / 6 = 2/3. V_pool = 4^2 (1 - 2/4) (1/2) / 2 / 6^2 = 1/18; b adds 0.
    # 2 g r + r^2 = -5/9, -20/9, 1/9, -11/9 with weights 2, 2, 1, 1: -60/9 / 6 = -10/9.
    # Centring: labels 3, 5 of a have s^2 = 2, g = -1, 2 has 9/2: 16 (1/2) (2 - 9/2) / 2 / 36
    # = -5/18. S^2 = 6/5 (10/6 - 10/9 - 5/18) = 1/3, V_population = 1/18 + 1/18.
    est = bacon.aee(
        [3, NAN, 5, NAN, 4, 2], F, design="stratified", strata=["a", "a", "a", "a", "b", "b"]
    )
    assert est.value == pytest.approx(11 / 3)
    assert est.se() ** 2 == pytest.approx(1 / 18)
    assert est.se("population") ** 2 == pytest.approx(1 / 9)
    assert est.df == 4 - 2
    half = T_975[2] * sqrt(1 / 18)
    assert tuple(est.interval(method="t")) == pytest.approx((11 / 3 - half, 11 / 3 + half))


def test_poisson() -> None:
    # w = 2, 4, 2, 2: rbar = (2 + 0 + 2 + 2) / 10 = 0.6, w r = 0.8, -2.4, 0.8, 0.8.
    # V_pool = 4/3 (0.5 * 0.64 + 0.75 * 5.76 + 0.5 * 0.64 + 0.5 * 0.64) / 100 = 0.0704.
    # a = (1 - pi) w^2 = 2, 12, 2, 2: df = 18^2 / 156 - 1.
    # 2 g r + r^2 = -0.64, -2.04, 0.16, -1.44: weighted mean -12 / 10.
    # Centring: g about its weighted mean 0.2 is -1.2, 1.8, -0.2, -2.2; with r added
    # -0.8, 1.2, 0.2, -1.8: 4/3 ((1.28 + 17.28 + 0.08 + 6.48) - (2.88 + 38.88 + 0.08 + 9.68)) / 100
    # = -0.352. S^2 = 6/5 (10/6 - 1.2 - 0.352) = 0.1376.
    est = bacon.aee([3, NAN, 5, NAN, 4, 2], F, design="poisson", pi=[0.5, 0.9, 0.25, 0.6, 0.5, 0.5])
    assert est.value == pytest.approx(3.6)
    assert est.se() ** 2 == pytest.approx(0.0704)
    assert est.se("population") ** 2 == pytest.approx(0.0704 + 0.1376 / 6)
    assert est.df == pytest.approx(324 / 156 - 1)


def test_fixed_size_names_its_approximation() -> None:
    pi = [0.5, 0.9, 0.25, 0.6, 0.5, 0.5]
    poisson, fixed = (
        bacon.aee([3, NAN, 5, NAN, 4, 2], F, design=design, pi=pi)
        for design in ("poisson", "fixed")
    )
    assert fixed.interval().method == "skew-corrected t, Brewer approximation"
    assert fixed.interval(method="t").method == "t, Brewer approximation"
    assert tuple(fixed.interval()) == tuple(poisson.interval())


def test_clusters_of_unequal_size() -> None:
    # Clusters {0}, {1, 2}, {3, 4, 5}; first and last drawn, pi = 2/3.
    # Residuals 1; 2, 1, 1: rbar = 5/4, r = -1/4; 3/4, -1/4, -1/4: cluster sums -1/4, 1/4.
    # z = -1/16, 1/16: V_pool = 2/1 (1 - 2/3) (2 / 256) = 1/192.
    # Centring: g = -1; 1, 0, -2 about its mean has cluster sums -1/2, 1/2, with r -3/4, 3/4; V is
    # a sum squared over 12: (9/16 - 1/4) / 12 = 5/192.
    # S^2 = 6/5 (10/6 + (0.5625 + 2.0625 + 0.0625 + 1.0625) / 4 + 5/192) = 3.15625.
    y = [3, NAN, NAN, 6, 4, 2]
    psu = [0, 1, 1, 2, 2, 2]
    est = bacon.aee(y, F, design="clusters", psu=psu)
    assert est.value == pytest.approx(4.25)
    assert est.se() ** 2 == pytest.approx(1 / 192)
    assert est.df == 1
    assert est.se("population") ** 2 == pytest.approx(1 / 192 + 3.15625 / 6)
    half = T_975[1] * sqrt(1 / 192)
    assert tuple(est.interval(method="t")) == pytest.approx((4.25 - half, 4.25 + half))
    # Items share the clusters: G = -1, 2, -1, sum of squares 6; centring 5/192 times 1 + 4 + 9;
    # w (2 r G + r^2) = 1.5 (0.5625 - 0.9375 + 0.5625 + 0.5625) = 1.125;
    # pairs of the last cluster: 2 * 1.5 (-3/16 - 3/16 + 1/16) = -0.9375.
    total = 6 + 14 * 5 / 192 + 1.125 - 0.9375
    shared = bacon.aee(y, F, design="clusters", psu=psu, cluster=psu)
    assert shared.se() == est.se()
    assert shared.se("population") ** 2 == pytest.approx(1 / 192 + 3 / 2 * total / 36)


def test_simple_draw_of_items_that_share_prompts() -> None:
    # As in test_simple, prompts {0, 1}, {2, 3}, {4, 5}: G = -1, 3, -2, sum of squares 14;
    # centring -2/9 times 12; w = 2: 2 (2 r G + r^2) over r = 1/3, -2/3, 1/3
    # = 2 (-5/9 - 32/9 - 11/9) = -96/9; no two labels share a prompt.
    total = 14 - 24 / 9 - 96 / 9
    est = bacon.aee([3, NAN, 5, NAN, 4, NAN], F, cluster=[0, 0, 1, 1, 2, 2])
    assert est.se() ** 2 == pytest.approx(1 / 18)
    assert est.se("population") ** 2 == pytest.approx(1 / 18 + 3 / 2 * total / 36)


def test_two_labels_in_one_prompt() -> None:
    # Labels at 0, 1, 4: residuals 1, -1, 1, rbar = 1/3, r = 2/3, -4/3, 2/3,
    # s^2 = (4 + 16 + 4) / 9 / 2 = 4/3, V_pool = 1/2 * 4/9 = 2/9.
    # Centring: g = -1, 0, 0 has s^2 = 1/3, the labels 3, 2, 4 have 1: (1/2) (1 - 1/3) / 3 = 1/9.
    # G as before; 2 (2 r G + r^2) = 2 (-8/9 + 40/9 - 20/9) = 24/9;
    # one pair: pi_ij = (3 * 2) / (6 * 5) = 1/5: 2 * 5 * (2/3)(-4/3) = -80/9.
    total = 14 + 12 / 9 + 24 / 9 - 80 / 9
    est = bacon.aee([3, 2, NAN, NAN, 4, NAN], F, cluster=[0, 0, 1, 1, 2, 2])
    assert est.se("population") ** 2 == pytest.approx(2 / 9 + 3 / 2 * total / 36)


def test_share() -> None:
    # phi has mean 0.5; residuals 0.5, -0.25, 0.25 of n = 3: rbar = 1/6, share 2/3.
    # r = 1/3, -5/12, 1/12: s^2 = (16 + 25 + 1) / 144 / 2 = 42/288, V_pool = 1/2 * s^2 / 3 = 7/288.
    est = bacon.aee(
        [1, NAN, 0, NAN, 1, NAN], [0.5, 0.5, 0.25, 0.25, 0.75, 0.75], estimand="proportion"
    )
    assert est.value == pytest.approx(2 / 3)
    assert est.se() ** 2 == pytest.approx(7 / 288)


def test_variance() -> None:
    # Mean as in test_simple, 11/3. (y - mean)^2 = 4/9, 16/9, 1/9; predicted
    # (f - mean f)^2 = 1, 4, 0 there and 1, 0, 4, 1, 0, 4 over the pool: mean 10/6.
    # Mean residual (-5/9 - 20/9 + 1/9) / 3 = -8/9. Centring takes off the variance of the
    # mean of 3, 5, 4 less that of 2, 5, 3: (1 - 3/6) (1 - 7/3) / 3 = -2/9.
    # Altogether 6/5 (10/6 - 8/9 - 2/9) = 2/3.
    y = [3, NAN, 5, NAN, 4, NAN]
    est = bacon.aee(y, F, estimand="variance")
    assert est.value == pytest.approx(2 / 3)
    # Residuals around their mean are 3/9, -12/9, 9/9, so s^2 = (9 + 144 + 81) / 81 / 2 = 117/81;
    # the error's square is that times (6/5)^2 (1 - 1/2) / 3 = 0.24.
    assert est.se() ** 2 == pytest.approx(0.24 * 117 / 81)
    sd = bacon.aee(y, F, estimand="sd")
    assert sd.value == pytest.approx(sqrt(2 / 3))
    assert sd.se() == pytest.approx(est.se() / 2 / sqrt(2 / 3))
    low, high = est.interval(0.3)
    assert low > 0.0
    assert tuple(sd.interval(0.3)) == pytest.approx((sqrt(low), sqrt(high)))
