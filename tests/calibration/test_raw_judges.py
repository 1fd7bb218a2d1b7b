"""The judges alone: who is on the labels' scale, and what their average says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import essays

from bacon.calibration.estimand import parse_estimand
from bacon.calibration.raw_judges import RawJudges, raw_judges
from bacon.data.pool import Judge

NAN = float("nan")
Y = np.array([1.0, 2, 3, 4, 5, 6])
ALL = np.arange(6)


def pool_with(*scores, levels=None):
    judges = tuple(
        Judge(f"judge_{k}", (f"judge_{k}",), np.array(values, dtype=float).reshape(6, -1), levels)
        for k, values in enumerate(scores)
    )
    return replace(essays(6), judges=judges)


def test_the_average_of_the_judges_present():
    found = raw_judges(pool_with([1, 2, 3, 4, 5, NAN], [3, 2, 1, 4, NAN, NAN]), ALL, Y, (1, 6))
    np.testing.assert_array_equal(found.score, [2, 2, 2, 4, 5, NAN])
    assert (found.used, found.reason) == (("judge_0", "judge_1"), None)


def test_runs_are_averaged_first():
    runs = [[1, 3], [2, NAN], [3, 3], [4, 4], [NAN, NAN], [6, 6]]
    found = raw_judges(pool_with(np.array(runs), [4, 2, 3, 4, 5, 6]), ALL, Y, (1, 6))
    np.testing.assert_array_equal(found.score, [3, 2, 3, 4, 5, 6])


def test_a_stated_scale_decides_strictly():
    pool = pool_with([1, 2, 3, 4, 5, 6], [0.9, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60])
    found = raw_judges(pool, ALL, Y, (1, 6))
    assert found.used == ("judge_0",)
    assert found.reason == "2 of 3 judges are not on the labels' scale"
    assert raw_judges(pool, ALL, Y, (0, 6)).used == ("judge_0", "judge_1")


def test_without_a_scale_the_range_of_the_labels_decides():
    # Labels 1 to 6 widened by a quarter of their range: -0.25 to 7.25; a quarter must be used.
    pool = pool_with(
        [0, 2, 3, 4, 5, 7], [0, 2, 3, 4, 5, 8], [3, 3.5, 3.2, 3.1, 3, 3.9], [-1, -2, -3, -4, -5, -6]
    )
    assert raw_judges(pool, ALL, Y, None).used == ("judge_0",)


def test_nobody_on_the_scale():
    found = raw_judges(pool_with([10, 20, 30, 40, 50, 60]), ALL, Y, (1, 6))
    assert (found.score, found.used) == (None, ())
    assert found.reason == "no judge scores on the labels' scale"
    assert found.estimate(parse_estimand("mean")) is None


def test_judges_that_answer_in_words_have_no_average():
    found = raw_judges(pool_with([0, 1, 0, 1, 1, 1], levels=("bad", "good")), ALL, Y, (0, 6))
    assert found.score is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mean", 2.6),
        ("variance", 2.3),
        ("sd", np.sqrt(2.3)),
        ("quantile:0.5", 2.0),
        ("quantile:0.9", 5.0),
        ("proportion:ge:2", 0.8),
        ("proportion:le:2", 0.6),
        ("proportion:eq:2", 0.4),
        ("proportion:between:2:4", 0.6),
    ],
)
def test_plug_in_figures_by_hand(name, value):
    raw = RawJudges(np.array([1.0, 2, 2, 3, 5, NAN]), ("a",), None)
    np.testing.assert_allclose(raw.estimate(parse_estimand(name)), value)


def test_a_class_has_no_raw_share():
    raw = RawJudges(np.array([1.0, 2.0]), ("a",), None)
    assert raw.estimate(parse_estimand("proportion:eq:good", ("bad", "good"))) is None


def test_a_judge_who_runs_against_the_labels_is_on_another_scale_unless_one_is_stated():
    pool = pool_with([6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6])
    assert raw_judges(pool, ALL, Y, None).used == ("judge_1",)
    assert raw_judges(pool, ALL, Y, (1, 6)).used == ("judge_0", "judge_1")
