"""Drift of judge scores: shares by hand, and what counts as drift."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.calibration.cases import essays

from bacon.calibration.judge_summary import judge_summary, share_of
from bacon.data.pool import Judge
from bacon.monitor.scores import compare_judges, drift_bound


def summary(judge, unit=None):
    rows = np.arange(0)
    return judge_summary(judge, unit, rows, np.zeros(0), np.zeros(0))


def judge(scores, levels=None, name="j"):
    values = np.asarray(scores, dtype=float)
    return Judge(name, (name,), values[:, None] if values.ndim == 1 else values, levels)


def compared(old, new, bound=0.025):
    pool = replace(essays(len(new.scores)), judges=(new,))
    (found,), left_out = compare_judges(pool, [summary(old)], bound=bound)
    assert left_out == ()
    return found


def test_few_values_are_kept_one_by_one_and_many_by_deciles():
    few = summary(judge([1, 1, 2, 3, 3, 3]))
    assert few["cuts"] == [1.0, 2.0]
    assert [share for share, _ in few["shares"]] == pytest.approx([2 / 6, 3 / 6])
    many = summary(judge(np.arange(100.0)))
    assert many["cuts"] == [9, 19, 29, 39, 49, 59, 69, 79, 89]
    assert summary(judge([2, 2, 2]))["cuts"] == []


def test_a_share_is_worth_its_independent_items():
    values = np.array([0, 0, 1, 1, 1, 0], dtype=float)
    assert share_of(values, None) == pytest.approx((0.5, 5.0))
    # Two clusters with totals -1.5 and 1.5: variance 4.5/36 times 2/1, and 0.25 over that.
    assert share_of(values, np.array([0, 0, 1, 1, 1, 0])) == pytest.approx((0.5, 1.0))
    assert share_of(np.array([np.nan]), None)[1] == 0.0
    assert share_of(np.ones(4), None) == (1.0, 4.0)


def test_the_p_value_is_that_of_two_shares():
    old = judge([0] * 60 + [1] * 40)
    new = judge([0] * 20 + [1] * 60)
    found = compared(old, new)
    p = 80 / 180
    # An item more or less: the share's variance has the divisor n - 1.
    p = (0.6 * 99 + 0.25 * 79) / 178
    z = (0.25 - 0.6) / math.sqrt(p * (1 - p) * (1 / 99 + 1 / 79))
    assert found.p == pytest.approx(2 * (2 * stats.norm.sf(abs(z))))
    assert (found.move, found.where) == (pytest.approx(-0.35), "at most 0")
    assert found.drifts
    assert not found.missing_drifts


def test_a_small_move_of_many_items_is_no_drift():
    rng = np.random.default_rng(0)
    found = compared(judge(rng.normal(size=200_000)), judge(rng.normal(0.1, 1, 200_000)))
    assert found.p < 1e-20
    assert not found.drifts
    assert compared(judge(rng.normal(size=200_000)), judge(rng.normal(0.3, 1, 200_000))).drifts


def test_a_large_move_of_few_items_is_no_drift():
    assert not compared(judge([0, 1] * 50), judge([0, 0, 0, 1])).drifts


def test_missing_scores_drift_on_their_own():
    full = np.arange(500) % 5 + 0.0
    gaps = np.where(np.arange(500) % 10 == 0, np.nan, full)
    found = compared(judge(full), judge(gaps))
    assert found.missing_drifts
    assert not found.drifts
    assert (found.missing_old, found.missing_new) == (0.0, 0.1)


def test_answers_in_words_are_compared_by_answer():
    old = judge([0, 1] * 200, ("bad", "good"))
    # The same words at other positions, and a new one.
    new = judge([1] * 100 + [2] * 200 + [0] * 100, ("awful", "bad", "good"))
    found = compared(old, new)
    assert found.where == "bad"
    assert (found.old, found.new) == (0.5, 0.25)


def test_judges_that_changed_their_form_are_left_out():
    pool = replace(essays(4), judges=(judge([1, 2, 3, 4]),))
    told = [
        summary(judge([0, 1, 0, 1], ("a", "b"))),
        summary(judge([1, 2, 3, 4], name="gone")),
    ]
    assert compare_judges(pool, told, bound=0.025) == ((), ("j", "gone"))


def test_runs_of_a_judge_share_an_item():
    runs = np.repeat(np.array([0.0, 1.0] * 50)[:, None], 4, axis=1)
    (share, effective), *_ = summary(judge(runs))["shares"]
    assert share == 0.5
    assert effective == pytest.approx(99)


def test_all_pools_together_keep_alpha():
    assert sum(drift_bound(0.05, k) for k in range(1, 100_000)) == pytest.approx(0.05, rel=1e-4)
