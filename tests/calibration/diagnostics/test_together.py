"""p-values adjusted for all that was tested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.association import MOST_BLOCKS, score_test
from bacon.calibration.diagnostics.observations import Observations
from bacon.calibration.diagnostics.together import FLIPS, holm, sign_flips

NAN = float("nan")


def test_holm_by_hand():
    found = holm(np.array([0.01, NAN, 0.04, 0.03]))
    np.testing.assert_allclose(found, [0.03, NAN, 0.06, 0.06])
    np.testing.assert_array_equal(holm(np.array([0.6, 0.7])), [1.0, 1.0])
    assert holm(np.array([])).shape == (0,)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_lies_between_none_and_bonferroni(p):
    values = np.array(p)
    found = holm(values)
    assert (found >= values).all()
    assert (found <= np.minimum(len(p) * values, 1.0) + 1e-15).all()


def scores(errors, d, obs=None):
    obs = items(len(d)) if obs is None else obs
    d = d - d.mean()
    return [score_test(e - e.mean(), d[:, None], obs) for e in errors]


def test_equal_tests_pay_nothing_for_being_many():
    rng = np.random.default_rng(1)
    e, d = rng.normal(size=60), rng.normal(size=60)
    alone = sign_flips(scores([e], d), np.random.default_rng(0))[0]
    many = sign_flips(scores([e, 3.0 * e, 5.0 - e, 0.01 * e], d), np.random.default_rng(0))
    np.testing.assert_array_equal(many, alone)
    # One test alone keeps its p-value, up to the draws.
    own = scores([e], d)[0]
    assert own is not None
    assert alone == pytest.approx(own.p, abs=0.05)


def test_independent_tests_pay_about_what_sidak_asks():
    rng = np.random.default_rng(2)
    d = rng.normal(size=400)
    errors = [rng.normal(size=400) for _ in range(20)]
    tests = scores(errors, d)
    p = np.array([test.p for test in tests if test is not None])
    adjusted = sign_flips(tests, np.random.default_rng(0))
    first = p.argmin()
    assert adjusted[first] == pytest.approx(1.0 - (1.0 - p[first]) ** 20, abs=0.06)
    assert (np.diff(adjusted[np.argsort(p)]) >= 0.0).all()
    assert (adjusted >= p).all()


def test_what_is_not_tested_stays_unknown_and_counts_not():
    rng = np.random.default_rng(3)
    e, d = rng.normal(size=30), rng.normal(size=30)
    (test,) = scores([e], d)
    found = sign_flips([None, test, None], np.random.default_rng(0))
    assert np.isnan(found[[0, 2]]).all()
    assert found[1] == sign_flips([test], np.random.default_rng(0))[0]
    assert np.isnan(sign_flips([None], np.random.default_rng(0))).all()


def test_no_adjusted_p_value_is_below_what_the_draws_can_show():
    x = np.arange(200.0)
    (found,) = sign_flips(scores([x], x), np.random.default_rng(0))
    assert found == 1.0 / (FLIPS + 1)


def test_units_are_flipped_alike_in_tests_of_different_items():
    # The second test leaves out half of the items; both see the same flips of the others.
    rng = np.random.default_rng(4)
    e, d = rng.normal(size=80), rng.normal(size=80)
    kept = np.arange(80) % 2 == 0
    half = items(80).where(kept)
    small = e.copy()
    small[~kept] = 0.0
    full = scores([small], np.where(kept, d, d[kept].mean()))
    part = score_test(e[kept] - e[kept].mean(), (d[kept] - d[kept].mean())[:, None], half)
    found = sign_flips([*full, part], np.random.default_rng(0))
    alone = sign_flips([part], np.random.default_rng(0))
    # The two are nearly one test, so that two cost little more than one.
    assert found[1] == pytest.approx(alone[0], abs=0.1)


def test_more_units_than_blocks_are_flipped_in_blocks():
    rng = np.random.default_rng(5)
    n = 3 * MOST_BLOCKS + 7
    obs = Observations(np.ones(n), np.arange(n))
    d = rng.normal(size=n)
    e = rng.normal(size=n) + 0.03 * d
    (test,) = scores([e], d, obs)
    assert test is not None
    assert test.parts.shape == (MOST_BLOCKS, 1)
    (found,) = sign_flips([test], np.random.default_rng(0))
    assert found == pytest.approx(test.p, abs=0.05)
    assert test.p == pytest.approx(stats.pearsonr(e, d).pvalue, rel=0.3, abs=0.01)
