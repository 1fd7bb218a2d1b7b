"""Slopes and tests of errors, against scipy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.association import rank_slope, score_test
from bacon.calibration.diagnostics.controls import Controls
from bacon.calibration.diagnostics.observations import Observations
from bacon.calibration.ranks import mid_ranks


def centred(values):
    return values - values.mean(axis=0)


def dummies(codes):
    return centred((np.asarray(codes)[:, None] == np.unique(codes)).astype(float))


def test_one_direction_is_students_test_of_the_products():
    rng = np.random.default_rng(1)
    e, d = centred(rng.normal(size=50)), centred(rng.normal(size=50))
    test = score_test(e, d[:, None], items(50))
    assert test is not None
    # F(1, n - 2) of (n - 2) / (n - 1) t^2, t of the products' mean.
    t = stats.ttest_1samp(e * d, 0.0).statistic
    expected = stats.f.sf(t**2 * 48 / 49, 1, 48)
    assert test.p == pytest.approx(expected, rel=1e-10)


def test_with_equal_spread_it_is_the_test_of_a_correlation():
    # Signs, so that every product has the same size.
    rng = np.random.default_rng(2)
    e = rng.permutation(np.repeat([-1.0, 1.0], 40))
    d = rng.permutation(np.repeat([-1.0, 1.0], 40))
    test = score_test(e, d[:, None], items(80))
    assert test is not None
    assert test.p == pytest.approx(stats.pearsonr(e, d).pvalue, rel=1e-9)


@pytest.mark.parametrize("effect", [0.0, 0.1, 0.5])
def test_groups_with_equal_spread_are_those_of_the_f_test(effect):
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(4), 500)
    e = centred(rng.normal(size=2000) + effect * codes)
    test = score_test(e, dummies(codes), items(2000))
    assert test is not None
    expected = stats.f_oneway(*(e[codes == k] for k in range(4))).pvalue
    assert math.log(test.p) == pytest.approx(math.log(expected), rel=0.05, abs=0.05)


def test_two_groups_agree_with_welch():
    rng = np.random.default_rng(4)
    codes = np.repeat([0, 1], [300, 100])
    e = centred(rng.normal(size=400) * np.where(codes == 0, 1.0, 4.0) + codes)
    test = score_test(e, dummies(codes), items(400))
    welch = stats.ttest_ind(e[codes == 0], e[codes == 1], equal_var=False).pvalue
    pooled = stats.ttest_ind(e[codes == 0], e[codes == 1]).pvalue
    assert test is not None
    assert 0.001 < welch < 0.9
    assert math.log(test.p) == pytest.approx(math.log(welch), abs=0.1)
    assert math.log(pooled) != pytest.approx(math.log(welch), abs=0.2)


@given(st.floats(-5, 5), st.integers(-4, 4), st.integers(-4, 4))
def test_units_and_signs_do_not_matter(shift, power, other):
    rng = np.random.default_rng(5)
    e, codes = rng.normal(size=40), rng.integers(0, 3, 40)
    base = score_test(centred(e), dummies(codes), items(40))
    moved = score_test(centred(-(10.0**power) * e + shift), 10.0**other * dummies(codes), items(40))
    assert base is not None
    assert moved is not None
    assert moved.p == pytest.approx(base.p, rel=1e-6)


def test_copies_in_a_cluster_are_no_evidence():
    rng = np.random.default_rng(6)
    e, d = centred(rng.normal(size=30)), centred(rng.normal(size=30))
    once = score_test(e, d[:, None], items(30))
    clusters = Observations(np.ones(90), np.repeat(np.arange(30), 3))
    thrice = score_test(np.repeat(e, 3), np.repeat(d, 3)[:, None], clusters)
    assert once is not None
    assert thrice is not None
    assert thrice.p == pytest.approx(once.p, rel=1e-10)


def test_what_cannot_be_tested_is_none():
    e, d = np.zeros(10), np.arange(10.0)[:, None]
    assert score_test(e, d, items(10)) is None
    assert score_test(np.arange(10.0), np.zeros((10, 2)), items(10)) is None
    assert score_test(np.arange(2.0) - 0.5, np.array([[-0.5], [0.5]]), items(2)) is None
    # Three clusters cannot tell three groups apart: no degree of freedom is left.
    codes = np.repeat([0, 1, 2], 10)
    rng = np.random.default_rng(7)
    three = Observations(np.ones(30), codes)
    assert score_test(centred(rng.normal(size=30)), dummies(codes), three) is None


def slope_of(e, x, controls=None, obs=None):
    obs = items(len(e)) if obs is None else obs
    controls = Controls.constant(obs) if controls is None else controls
    ranks = mid_ranks(x, obs.weights)
    return rank_slope(e, x, ranks, controls=controls, obs=obs, level=0.95)


def test_the_slope_by_hand():
    # Ranks -1.5, -.5, .5, 1.5: (1.5 * 9 + .5 * 3) / (1.5 * 3 + .5 * 1).
    found, _ = slope_of(np.array([0.0, 1.0, 4.0, 9.0]), np.array([0.0, 1.0, 2.0, 3.0]))
    assert found.value == pytest.approx(15.0 / 5.0)


def test_an_exact_line_has_its_slope_whatever_the_lengths():
    x = np.exp(np.linspace(0.0, 6.0, 40))
    found, test = slope_of(3.0 - 0.02 * x, x)
    assert found.value == pytest.approx(-0.02, rel=1e-12)
    assert test is not None
    assert test.p < 0.001


def test_one_endless_text_does_not_decide():
    rng = np.random.default_rng(8)
    x = rng.uniform(100.0, 900.0, 60)
    e = 0.002 * x + 0.1 * rng.normal(size=60)
    x[0], e[0] = 1e6, 0.0
    ordinary = np.polyfit(x, e, 1)[0]
    found, test = slope_of(e, x)
    assert test is not None
    assert ordinary < 0.0 < found.value
    assert test.p < 0.001


def test_the_slope_beside_a_judge_is_that_of_two_regressors():
    # Where ranks are the numbers themselves, it is the coefficient of least squares.
    rng = np.random.default_rng(9)
    x = rng.permutation(np.arange(50.0))
    score = 0.05 * x + rng.normal(size=50)
    e = 2.0 + score + 0.3 * x + rng.normal(size=50)
    controls = Controls.of(score[:, None], items(50))
    found, _ = slope_of(e, x, controls)
    design = np.column_stack([np.ones(50), score, x])
    coef, *_ = np.linalg.lstsq(design, e, rcond=None)
    assert found.value == pytest.approx(coef[2], rel=1e-10)
    # Heteroscedasticity-consistent: the textbook's HC sandwich, times n / (n - 1).
    inverse = np.linalg.inv(design.T @ design)
    left = e - design @ coef
    sandwich = inverse @ (design.T * left**2) @ design @ inverse
    assert found.se == pytest.approx(math.sqrt(sandwich[2, 2] * 50 / 49), rel=1e-9)


def test_a_number_that_does_not_vary_has_no_slope():
    found, test = slope_of(np.arange(5.0), np.full(5, 7.0))
    assert not found.is_known
    assert test is None


def test_huge_numbers_stay_finite():
    x, e = np.linspace(1.0, 2.0, 30) * 1e150, np.linspace(0.0, 1.0, 30) * 1e149
    found, test = slope_of(e, x)
    assert found.value == pytest.approx(0.1, rel=1e-9)
    assert test is not None
