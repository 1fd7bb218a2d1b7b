"""Labels in drawn order: increments whose mean is the pool's, whatever came before."""

from __future__ import annotations

import numpy as np
import pytest

from bacon.estimation.pool_stream import (
    LATE,
    pool_asymptotic,
    pool_sequence,
    pool_stream,
    possible,
    refit_times,
    width_ahead,
)
from bacon.estimation.sequential import LEAST, asymptotic_sequence

Y = np.array([1.0, 4.0, 2.0, 6.0, 3.0, 5.0, 5.0])
JUDGE = np.array([2.0, 3.0, 2.5, 6.5, 2.0, 4.0, 5.5])


def predictor(y, rows):
    """Return a prediction that uses the labels it is given and no other."""
    return lambda k: JUDGE + float(np.mean(y[:k] - JUDGE[rows[:k]]))


@pytest.mark.parametrize("given", [0, 1, 3, 6])
def test_the_mean_of_the_next_increment_is_the_pools(given):
    past = [4, 2, 5, 0, 6, 1, 3][:given]
    rest = [row for row in range(7) if row not in past]
    increments = []
    for item in rest:
        rows = np.array([*past, item])
        stream = pool_stream(Y[rows], rows, 7, predictor(Y[rows], rows), times=[1, 2, 3, 4, 5, 6])
        increments.append(stream.increments()[-1])
    assert np.mean(increments) == pytest.approx(Y.mean(), rel=1e-12)
    if given < 6:
        assert np.ptp(increments) > 0.1


def test_the_stream_as_written_by_hand():
    rows = np.array([3, 0, 5, 1])
    y = Y[rows]
    stream = pool_stream(y, rows, 7, predictor(y, rows), times=[2, 3])
    f2 = np.clip(JUDGE + np.mean(y[:2] - JUDGE[[3, 0]]), 1.0, 6.0)
    f3 = np.clip(JUDGE + np.mean(y[:3] - JUDGE[[3, 0, 5]]), 1.0, 6.0)
    left = [[1, 2, 4, 5, 6], [1, 2, 4, 6]]
    np.testing.assert_allclose(stream.f, [0.0, 0.0, f2[5], f3[1]])
    np.testing.assert_allclose(stream.f_sum, [0.0, 0.0, f2[left[0]].sum(), f3[left[1]].sum()])
    np.testing.assert_allclose(stream.f_low[2:], [f2[left[0]].min(), f3[left[1]].min()])
    np.testing.assert_allclose(stream.f_high[2:], [f2[left[0]].max(), f3[left[1]].max()])
    z = [y[0], (y[0] + 6 * y[1]) / 7, (y[:2].sum() + f2[left[0]].sum() + 5 * (y[2] - f2[5])) / 7]
    np.testing.assert_allclose(stream.increments()[:3], z)
    np.testing.assert_allclose(stream.weights(), [1.0, 7 / 6, 7 / 5, 7 / 4])
    np.testing.assert_allclose(stream.estimates()[1], (z[0] + 7 / 6 * z[1]) / (1 + 7 / 6))


def test_a_constant_added_to_predictions_changes_nothing():
    rows = np.array([3, 0, 5, 1])
    y = Y[rows]
    plain = pool_stream(y, rows, 7, lambda _: np.clip(JUDGE, 2.0, 4.0), times=[3])
    moved = pool_stream(y, rows, 7, lambda _: np.clip(JUDGE, 2.0, 4.0) + 1.0, times=[3])
    np.testing.assert_allclose(plain.increments(), moved.increments())
    without = pool_stream(y, rows, 7, None)
    np.testing.assert_allclose(
        without.increments(), [*plain.increments()[:3], without.before[3] / 7 + 4 * y[3] / 7]
    )


def test_sums_between_refits_drop_the_labelled_items():
    rng = np.random.default_rng(1)
    y, rows = rng.normal(size=50), rng.permutation(120)[:50]
    f = rng.uniform(y[:10].min(), y[:10].max(), size=120)
    asked = []

    def predict(k):
        asked.append(k)
        return f

    stream = pool_stream(y, rows, 120, predict)
    assert asked == refit_times(50) == [10, 11, 13, 15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 46]
    for t in (10, 25, 49):
        left = np.setdiff1d(np.arange(120), rows[:t])
        said = np.clip(f, y[: max(k for k in asked if k <= t)].min(), np.inf)
        assert stream.f_sum[t] == pytest.approx(
            np.minimum(said, y[: max(k for k in asked if k <= t)].max())[left].sum()
        )


def test_a_census_gives_the_mean_and_possible_means_close_in():
    rows = np.arange(7)
    stream = pool_stream(Y, rows, 7, None)
    least, most = possible(stream, (1.0, 6.0))
    np.testing.assert_allclose(least[:2], [1.0, (1 + 4 + 5 * 1) / 7])
    np.testing.assert_allclose(most[:2], [(1 + 6 * 6) / 7, (1 + 4 + 5 * 6) / 7])
    for scale in ((1.0, 6.0), None):
        low, high, empty = pool_sequence(stream, scale, level=0.95, best_at=4)
        assert low[-1] == pytest.approx(Y.mean(), abs=1e-12)
        assert high[-1] == pytest.approx(Y.mean(), abs=1e-12)
        assert empty is None
    assert np.isnan(low[:-1]).all()


def test_labels_alike_to_a_census_contradict_nothing():
    for value in (0.0, 0.1, 1.0):
        y = np.full(41, value)
        stream = pool_stream(y, np.arange(41), 41, None)
        low, high, empty = pool_sequence(stream, (0.0, 1.0), level=0.95, best_at=20)
        assert empty is None
        assert low[-1] == pytest.approx(value)
        assert high[-1] == pytest.approx(value)
        assert (np.diff(low) >= 0.0).all()
        assert (np.diff(high) <= 0.0).all()


def test_skewed_labels_begin_later():
    rng = np.random.default_rng(2)
    for y, first in ((rng.normal(size=300), LEAST), (rng.exponential(size=300), LATE)):
        low, _ = pool_asymptotic(
            pool_stream(y, np.arange(300), 1000, None), level=0.95, best_at=100
        )
        assert int(np.argmax(~np.isnan(low))) + 1 == first


def test_labels_that_contradict_each_other_are_told():
    y = np.repeat([0.0, 1.0], 150)
    stream = pool_stream(y, np.arange(300), 100_000, None)
    low, high, empty = pool_sequence(stream, (0.0, 1.0), level=0.95, best_at=100)
    assert empty is not None
    assert 150 < empty < 300
    assert np.isnan(low[empty:]).all()
    assert np.isnan(high[empty:]).all()
    assert np.isfinite(low[:empty]).all()


def test_the_width_ahead_is_that_of_the_formula():
    rng = np.random.default_rng(7)
    y = rng.normal(size=200)
    stream = pool_stream(y, np.arange(200), 5_000, None)
    ahead = width_ahead(stream, np.array([100.0, 200.0]), level=0.95, best_at=100.0)
    low, high = asymptotic_sequence(
        stream.increments(), best_at=100.0, weights=stream.weights(), level=0.95
    )
    assert ahead is not None
    np.testing.assert_allclose(ahead, (high - low)[[99, 199]], rtol=0.12)
    flat = pool_stream(np.zeros(40), np.arange(40), 100, None)
    assert width_ahead(flat, np.array([50.0]), level=0.95, best_at=20.0) is None
