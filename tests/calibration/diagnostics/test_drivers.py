"""What errors may go with, and what they do go with."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import essays
from tests.calibration.diagnostics.cases import feature, groups, items, length

from bacon.calibration.diagnostics.answers import answers_of
from bacon.calibration.diagnostics.driver_tests import driver_tests, natural_step
from bacon.calibration.diagnostics.drivers import (
    Driver,
    item_drivers,
    judge_drivers,
    untested,
)
from bacon.calibration.diagnostics.errors import disagreement, excess, recalibrated
from bacon.data.pool import Categories, Judge, Uncertainty
from bacon.features.columns import text_lengths

NAN = float("nan")
ROWS = np.arange(0, 90, 3)


def run(*pairs):
    return driver_tests(pairs, level=0.95, rng=np.random.default_rng(0))


def test_length_group_and_features_of_the_labelled_items():
    pool = essays()
    pool = replace(pool, features=np.arange(90.0)[:, None], feature_names=("words",), text="answer")
    found = {driver.name: driver for driver in item_drivers(pool, ROWS)}
    assert list(found) == ["answer", "system", "words"]
    assert found["answer"].values[0] == len("answer 0, in words")
    assert found["answer"].values[4] == len("answer 12, in words")
    assert found["system"].groups == ("atlas", "borealis", "cygnus")
    np.testing.assert_array_equal(found["words"].values, ROWS)


def test_characters_are_counted_and_missing_texts_are_none():
    texts = ["häuser", None, ""] * 30
    pool = essays(columns={"answer": texts})
    np.testing.assert_array_equal(text_lengths(pool, "answer")[:4], [6.0, NAN, 0.0, 6.0])
    numbers = essays(columns={"answer": list(range(90))})
    np.testing.assert_array_equal(text_lengths(numbers, "answer")[[5, 15]], [1.0, 2.0])
    without = item_drivers(replace(pool, text=None), ROWS)
    assert "length" not in [driver.kind for driver in without]


def test_a_judges_doubt_is_its_own():
    doubt = (
        Uncertainty("entropy", ("judge_x__entropy",), np.arange(6.0)[:, None]),
        Uncertainty("expected", ("judge_x__expected",), np.arange(6.0)[:, None]),
    )
    runs = np.array([[1, 3], [2, 2], [NAN, 4], [5, 5], [1, 2], [0, 4]], dtype=float)
    judge = Judge("judge_x", ("judge_x_run1", "judge_x_run2"), runs, None, doubt)
    entropy, spread = judge_drivers(judge, np.array([0, 1, 2, 5]))
    assert (entropy.name, entropy.words) == ("judge_x__entropy", "its entropy")
    np.testing.assert_array_equal(entropy.values, [0.0, 1.0, 2.0, 5.0])
    assert spread.kind == "runs"
    np.testing.assert_allclose(spread.values, [math.sqrt(2), 0.0, NAN, math.sqrt(8)])
    single = Judge("judge_y", ("judge_y",), runs[:, :1])
    assert judge_drivers(single, np.arange(4)) == ()


def test_what_cannot_be_tested_is_told():
    few = length(np.where(np.arange(30) < 19, 100.0 + np.arange(30), NAN))
    same = feature(np.full(30, 2.0))
    pool = essays()
    many = Categories("author", np.arange(90), tuple(str(k) for k in range(90)))
    told = untested(replace(pool, group=many), (few, same, feature(np.arange(30.0))))
    assert told == (
        "author has 90 values, over 50",
        "the length of answer: 19 labelled items have it, 20 are needed",
        "words is the same for all labelled items",
    )
    assert "author" not in [d.name for d in item_drivers(replace(pool, group=many), ROWS)]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0, 620, 1200, 2000], 1000),
        ([0, 100, 600, 700], 500),
        ([0.0, 0.01, 0.03, 0.05], 0.02),
        ([0, 0, 0, 0, 7], 5),
        ([3, 3, 3], 1),
        ([1e150, 2e150, 3e150], 1e150),
    ],
)
def test_steps_are_round_and_near_the_quartiles(values, step):
    assert natural_step(np.array(values, dtype=float)) == pytest.approx(step)


def simulated(n=200, seed=1, effect=0.4):
    rng = np.random.default_rng(seed)
    y = rng.integers(1, 7, n).astype(float)
    chars = np.round(np.exp(rng.normal(6.0, 0.6, n)))
    score = y + effect * (chars - 400.0) / 500.0 + 0.5 * rng.normal(size=n)
    return y, chars, score


def test_an_error_that_grows_with_length_is_found_in_its_units():
    y, chars, score = simulated()
    fair = y + 0.5 * np.random.default_rng(9).normal(size=200)
    drivers = (length(chars), groups(np.arange(200) % 3))
    found = run(
        (excess("long", y, score, items(200)), drivers),
        (excess("fair", y, fair, items(200)), drivers),
    )
    assert [(one.judge, one.driver) for one in found] == [
        ("long", "answer"),
        ("long", "system"),
        ("fair", "answer"),
        ("fair", "system"),
    ]
    long = found[0]
    assert long.p_adjusted < 0.01
    assert long.slope.low * 500 < 0.4 < long.slope.high * 500
    assert long.slope.value * 500 == pytest.approx(0.4, abs=0.12)
    assert 0.2 < long.rank_correlation < 0.9
    assert long.step == 200.0
    assert all(one.p_adjusted > 0.05 for one in found[1:])


def test_a_group_that_is_overrated_is_named():
    rng = np.random.default_rng(2)
    codes = np.arange(150) % 3
    y = rng.normal(size=150)
    score = y + np.array([0.0, 0.9, -0.3])[codes] + 0.5 * rng.normal(size=150)
    (found,) = run((excess("judge", y, score, items(150)), (groups(codes),)))
    assert found.p_adjusted == 0.001
    assert found.lowest is not None
    assert found.highest is not None
    assert (found.lowest.group, found.lowest.n) == ("cygnus", 50)
    assert found.highest.group == "borealis"
    error = score - y
    expected = error[codes == 1].mean() - error.mean()
    assert found.highest.error.value == pytest.approx(expected, rel=1e-10)


def test_groups_of_fewer_than_five_labels_are_not_named():
    rng = np.random.default_rng(3)
    codes = np.concatenate([np.zeros(14), np.ones(12), np.full(4, 2)]).astype(int)
    error = np.where(codes == 2, 9.0, rng.normal(size=30))
    y = np.zeros(30)
    (found,) = run((excess("judge", y, error, items(30)), (groups(codes),)))
    assert found.highest is not None
    assert found.highest.group != "cygnus"
    assert found.n == 30


def test_the_recalibrated_error_is_free_of_what_the_judge_says():
    # The driver is the judge itself, so that nothing is left to go with it.
    rng = np.random.default_rng(4)
    score = rng.normal(size=100)
    y = 2.0 * score + rng.normal(size=100)
    judge = Judge("judge", ("judge",), 50.0 - 9.0 * score[:, None])
    answers = answers_of(judge, np.arange(100), items(100))
    errors = recalibrated(answers, y)
    assert errors.left @ score == pytest.approx(0.0, abs=1e-9)
    other = rng.normal(size=100)
    found = run((errors, (feature(score), feature(other, "other"))))
    assert [one.driver for one in found if not math.isnan(one.p)] == ["other"]


def test_the_judges_units_and_sign_do_not_matter_to_a_recalibrated_error():
    y, chars, score = simulated()
    found = []
    for factor in (1.0, -0.01, 1e140):
        judge = Judge("judge", ("judge",), factor * score[:, None])
        errors = recalibrated(answers_of(judge, np.arange(200), items(200)), y)
        found.append(run((errors, (length(chars),)))[0])
    for one in found[1:]:
        assert one.p == pytest.approx(found[0].p, rel=1e-6)
        assert one.slope.value == pytest.approx(found[0].slope.value, rel=1e-6)


def test_doubt_is_held_against_the_size_of_the_error_as_well():
    rng = np.random.default_rng(5)
    doubt = rng.uniform(0.0, 2.0, 200)
    y = np.zeros(200)
    score = doubt * rng.normal(size=200)
    driver = Driver("judge__entropy", "uncertainty", "its entropy", doubt)
    signed, size = run((excess("judge", y, score, items(200)), (driver,)))
    assert (signed.of_size, size.of_size) == (False, True)
    assert signed.p > 0.05
    assert size.p_adjusted == 0.001
    # E|N(0, d^2)| = d sqrt(2 / pi).
    assert size.slope.value == pytest.approx(math.sqrt(2 / math.pi), abs=0.25)


def test_disagreement_is_a_share_of_runs():
    runs = np.array([[0, 0], [0, 1], [1, 1]], dtype=float)
    judge = Judge("judge", ("a", "b"), runs, ("bad", "good"))
    answers = answers_of(judge, np.arange(3), items(3))
    errors = disagreement(answers, np.array([0.0, 0.0, 0.0]), ("bad", "good"))
    np.testing.assert_array_equal(errors.values, [0.0, 0.5, 1.0])


def test_a_judge_equal_to_the_labels_has_no_error_to_go_with_anything():
    y, chars, _ = simulated()
    judge = Judge("judge", ("judge",), 0.1 * y[:, None] + 3.0)
    exact = recalibrated(answers_of(judge, np.arange(200), items(200)), y)
    found = run((excess("same", y, y, items(200)), (length(chars),)), (exact, (length(chars),)))
    assert all(math.isnan(one.p) for one in found)
    assert all(math.isnan(one.p_adjusted) for one in found)


def test_missing_scores_and_lengths_leave_the_items_that_have_both():
    y, chars, score = simulated()
    score[:30], chars[20:50] = NAN, NAN
    (found,) = run((excess("judge", y, score, items(200)), (length(chars),)))
    kept = np.arange(200) >= 50
    (expected,) = run((excess("judge", y[kept], score[kept], items(150)), (length(chars[kept]),)))
    assert found.n == 150
    assert found.p == pytest.approx(expected.p, rel=1e-9)
    assert found.slope.value == pytest.approx(expected.slope.value, rel=1e-9)


def test_the_order_of_judges_does_not_change_a_p_value():
    y, chars, score = simulated()
    first, second = (
        excess(name, y, s, items(200)) for name, s in (("a", score), ("b", score[::-1]))
    )
    one = {
        t.judge: t.p_adjusted for t in run((first, (length(chars),)), (second, (length(chars),)))
    }
    other = {
        t.judge: t.p_adjusted for t in run((second, (length(chars),)), (first, (length(chars),)))
    }
    assert one == other
