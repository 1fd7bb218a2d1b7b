"""Labels against predictions: bins, slope, gaps where labels show little."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.curve import calibration_curve, class_curve
from bacon.calibration.diagnostics.gaps import gap_measure, scatter
from bacon.calibration.diagnostics.observations import Observations


def curve_of(y, f, obs=None, ends=(1.0, 6.0)):
    return calibration_curve(y, f, items(len(y)) if obs is None else obs, ends=ends, level=0.95)


def test_bins_by_hand():
    # 30 labels make two bins of 15; predictions 0 .. 29, labels one more below, one less above.
    f = np.arange(30.0)
    error = np.tile([1.0, 2.0, 3.0], 10)
    y = np.where(f < 15, f + error, f - error)
    curve = curve_of(y, f, ends=(-100.0, 100.0))
    assert curve is not None
    first, second = curve.bins
    assert (first.low, first.high, first.n) == (0.0, 14.0, 15)
    assert (second.low, second.high, second.n) == (15.0, 29.0, 15)
    assert first.prediction == pytest.approx(7.0)
    assert (first.gap.value, second.gap.value) == pytest.approx((-2.0, 2.0))
    assert first.label == pytest.approx(9.0)
    assert curve.gap.value == pytest.approx(0.0)
    # slope = cov(y, rank) / cov(f, rank), and f are their own ranks.
    slope = np.cov(y, f)[0, 1] / f.var(ddof=1)
    assert curve.slope.value == pytest.approx(slope)
    assert curve.slope.low < slope < curve.slope.high


@pytest.mark.parametrize(("n", "bins"), [(30, 2), (45, 3), (60, 4), (75, 5), (1000, 5)])
def test_at_least_fifteen_labels_make_a_bin(n, bins):
    rng = np.random.default_rng(1)
    f = rng.uniform(1.0, 6.0, n)
    curve = curve_of(f + rng.normal(size=n), f)
    assert curve is not None
    assert len(curve.bins) == bins
    assert sum(one.n for one in curve.bins) == n
    assert min(one.n for one in curve.bins) >= 15


def test_equal_predictions_share_a_bin():
    rng = np.random.default_rng(2)
    f = np.repeat([2.0, 5.0], [30, 70])
    curve = curve_of(f + rng.normal(size=100), f)
    assert curve is not None
    assert [(one.low, one.high, one.n) for one in curve.bins] == [(2.0, 2.0, 30), (5.0, 5.0, 70)]


def test_weights_make_bins_of_equal_weight():
    rng = np.random.default_rng(3)
    f = np.sort(rng.uniform(1.0, 6.0, 100))
    weights = np.where(f < 3.0, 5.0, 1.0)
    curve = curve_of(f + rng.normal(size=100), f, items(100, weights))
    assert curve is not None
    shares = [weights[(f >= one.low) & (f <= one.high)].sum() / weights.sum() for one in curve.bins]
    np.testing.assert_allclose(shares, 0.2, atol=0.03)


def test_too_few_or_alike_give_no_curve():
    rng = np.random.default_rng(4)
    f = rng.uniform(1.0, 6.0, 29)
    assert curve_of(f + 1.0, f) is None
    assert curve_of(rng.normal(size=40), np.full(40, 3.0)) is None
    assert curve_of(np.full(40, 3.0), rng.normal(size=40)) is None


def test_predictions_that_are_spread_too_widely_are_found():
    rng = np.random.default_rng(5)
    quality = rng.normal(size=200)
    y = 3.5 + quality + rng.normal(size=200)
    right = curve_of(y, 3.5 + quality)
    wide = curve_of(y, 3.5 + 2.0 * quality)
    assert right is not None
    assert wide is not None
    assert right.p > 0.05
    assert right.slope.low < 1.0 < right.slope.high
    assert wide.p < 1e-6
    assert wide.p_slope_adjusted < 1e-6
    assert wide.slope.value == pytest.approx(0.5, abs=0.15)
    assert wide.bins[0].gap.high < 0.0 < wide.bins[-1].gap.low


def test_scatter_is_exact_for_two_values_and_right_on_average():
    f = np.array([0.1, 0.5, 0.9, 0.5])
    found = scatter(np.array([0.0, 1.0, 1.0, 0.0]), f, items(4), (0.0, 1.0))
    assert found.mean() == pytest.approx(np.mean([0.1**2, 0.5**2, 0.1**2, 0.5**2]))
    np.testing.assert_allclose(found / found[1], [0.36, 1.0, 0.36, 1.0])
    beyond = scatter(np.array([0.0, 1.0]), np.array([-0.2, 1.3]), items(2), (0.0, 1.0))
    np.testing.assert_array_equal(beyond, [0.0, 0.0])


def test_a_gap_is_students_where_labels_show_their_spread():
    error = np.array([0.5, -1.0, 2.0, 0.0, 1.5])
    found, p = gap_measure(error, np.zeros(5), items(5), 0.95)
    expected = stats.ttest_1samp(error, 0.0)
    assert p == pytest.approx(expected.pvalue, rel=1e-10)
    low, high = expected.confidence_interval(0.95)
    np.testing.assert_allclose([found.low, found.high], [low, high], rtol=1e-10)


def test_labels_of_a_rare_event_that_are_all_alike_are_no_proof():
    # 40 labels are 0 where 5 % were predicted: that happens to one in eight.
    rng = np.random.default_rng(6)
    f = np.concatenate([np.full(40, 0.05), rng.uniform(0.2, 0.9, 160)])
    y = np.concatenate([np.zeros(40), (rng.random(160) < f[40:]).astype(float)])
    f = f + 1e-6 * np.arange(200)
    curve = curve_of(y, f, ends=(0.0, 1.0))
    assert curve is not None
    lowest = curve.bins[0]
    assert lowest.n == 40
    assert lowest.p_adjusted > 0.2
    assert lowest.gap.low < 0.0 < lowest.gap.high
    # The errors alone would have shown a gap beyond any doubt.
    assert stats.ttest_1samp(f[:40] - y[:40], 0.0).pvalue < 1e-50


def test_a_gap_without_any_spread_has_no_interval():
    found, p = gap_measure(np.full(3, 0.5), np.zeros(3), items(3), 0.95)
    assert found.value == 0.5
    assert math.isnan(found.low)
    assert math.isnan(p)


def test_items_of_a_cluster_count_once():
    rng = np.random.default_rng(7)
    f = rng.uniform(1.0, 6.0, 60)
    y = f + rng.normal(size=60)
    clusters = Observations(np.ones(180), np.repeat(np.arange(60), 3))
    once, thrice = curve_of(y, f), curve_of(np.repeat(y, 3), np.repeat(f, 3), clusters)
    assert once is not None
    assert thrice is not None
    assert thrice.slope.se == pytest.approx(once.slope.se, rel=1e-9)
    assert thrice.gap.se == pytest.approx(once.gap.se, rel=1e-9)


def test_chances_of_classes_are_judged_together():
    rng = np.random.default_rng(8)
    chances = rng.dirichlet([1.0, 1.0, 2.0], size=300)
    y = (rng.random(300)[:, None] > chances.cumsum(axis=1)).sum(axis=1).astype(float)
    right = class_curve(y, chances, items(300), level=0.95)
    sharp = chances**3 / (chances**3).sum(axis=1, keepdims=True)
    wrong = class_curve(y, sharp, items(300), level=0.95)
    assert right is not None
    assert wrong is not None
    assert right.of_classes
    assert sum(one.n for one in right.bins) == 900
    assert right.gap.value == pytest.approx(0.0, abs=1e-12)
    assert right.p > 0.05
    assert wrong.p < 1e-6
    assert wrong.slope.value < 0.9
