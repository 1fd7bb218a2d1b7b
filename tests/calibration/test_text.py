"""The summary a person reads: a small table first, then sentences that follow from it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import SCALE, N, calibrated, essays, labels_of, people, rows_of
from tests.factories import make_pool

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.calibration.text import decimals
from bacon.sampling.uniform import UniformDesign


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ((0.15,), 2),
        ((0.0912,), 3),
        ((1.4, 0.26), 2),
        ((12.0, 55.0), 0),
        ((0.0, 0.3), 2),
        ((0.0,), 2),
        ((float("nan"), 3.0), 1),
        ((1e-30,), 8),
        ((float("inf"),), 2),
    ],
)
def test_two_digits_of_the_smallest_width(values, places):
    assert decimals(*values) == places


def lines(calibration, *estimands, **options):
    return calibration.summary(*estimands, **options).splitlines()


def test_the_table_holds_the_numbers():
    cal = calibrated(scale=SCALE)
    est, alone = cal.mean(), cal.estimate("mean", labels_alone=True)
    low, high = est.interval()
    table = lines(cal)
    assert re.split(r"\s{2,}", table[0]) == ["", "mean", "95 % interval", "half-width"]
    assert re.split(r"\s{2,}", table[1]) == [
        "BACON",
        f"{est.value:.2f}",
        f"{low:.2f} - {high:.2f}",
        f"{est.interval().half_width:.2f}",
    ]
    assert table[2].startswith("labels alone")
    assert f"{alone.value:.2f}" in table[2]


def test_the_sentences_say_both_targets_the_judges_and_the_worth():
    pool = essays()
    inside = replace(pool, judges=(pool.judges[0],))
    cal = calibrated(inside, scale=SCALE)
    est = cal.mean()
    text = cal.summary()
    low, high = est.interval()
    assert (
        f"People would score these 90 items {est.value:.2f} on average (95 % interval {low:.2f} to "
        f"{high:.2f})." in text
    )
    low, high = est.interval(target="population")
    assert f"For items like them that you have not seen: {low:.2f} to {high:.2f}." in text
    raw = pool.judges[0].scores.mean()
    gap = raw - est.value
    assert (
        f"The judges alone would have said {raw:.2f}, {abs(gap):.2f} too "
        f"{'high' if gap > 0 else 'low'}." in text
    )
    assert f"Your 30 labels worked like {est.effective_labels():.0f}: R2 {cal.r2:.2f} out" in text
    assert lines(cal)[-1].startswith("judge_gpt follows the labels with R2 0.")


def test_level_and_target_are_those_asked_for():
    cal = calibrated(scale=SCALE)
    table = lines(cal, level=0.8, target="population")
    low, high = cal.mean().interval(0.8, "population")
    assert "80 % interval" in table[0]
    assert f"{low:.2f} - {high:.2f}" in table[1]
    assert "99.9 % interval" in lines(cal, level=0.999)[0]


def test_the_worth_is_of_the_target():
    # Items that share clusters make the two differ.
    cal = calibrated(make_pool(N), scale=SCALE)
    worth = [f"{cal.mean().effective_labels(t):,.0f}" for t in ("pool", "population")]
    assert worth[0] != worth[1]
    assert f"worked like {worth[0]}" in cal.summary()
    assert f"worked like {worth[1]}" in cal.summary(target="population")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("proportion:ge:4", r"By people's word, 0\.\d+ of these 90 items would be at least 4 \("),
        ("proportion:le:2.5", "would be at most 2.5 "),
        ("proportion:eq:3", "would be 3 "),
        ("proportion:between:2:4", "would be between 2 and 4 "),
        ("quantile:0.5", "The 0.5 quantile of people's scores of these 90 items is 3"),
        ("sd", "The standard deviation of people's scores of these 90 items is "),
        ("variance", "The variance of people's scores of these 90 items is "),
    ],
)
def test_every_estimand_has_its_sentence(name, sentence):
    assert re.search(sentence, calibrated(scale=SCALE).summary(name))


def test_words_have_their_sentence():
    pool = essays()
    words = np.where(people(pool) > 3, "it's good", "bad").tolist()
    cal = calibrate(pool, labels_of(pool, range(0, N, 3), human=words))
    assert 'items would be "it\'s good" (95 %' in cal.summary("proportion:eq:it's good")
    assert "judges alone" not in cal.summary()


def test_several_estimands_follow_each_other():
    cal = calibrated(scale=SCALE)
    text = cal.summary("mean", "sd")
    assert text.index("People would score") < text.index("The standard deviation")
    assert text.count("follows the labels with R2") == 1
    assert text.count("The judges make the margin of error") >= 1


def test_judges_that_agree_with_people_are_not_called_too_low():
    pool = essays()
    y = people(pool)
    exact = replace(pool.judges[0], scores=y.reshape(-1, 1))
    cal = calibrate(replace(pool, judges=(exact,)), labels_of(pool, range(N)), scale=SCALE)
    assert f"The judges alone would have said {y.mean():.2f}, the same." in cal.summary()


def test_judges_on_another_scale_say_nothing():
    pool = essays()
    far = tuple(replace(judge, scores=judge.scores * 100) for judge in pool.judges)
    text = calibrated(replace(pool, judges=far), scale=SCALE).summary()
    assert "judges alone say nothing on this scale: no judge scores on the labels' scale." in text
    assert "raw average" not in text


def test_useless_judges_are_called_so():
    pool = essays(200)
    rng = np.random.default_rng(7)
    noise = tuple(replace(j, scores=rng.normal(size=(200, 1))) for j in pool.judges)
    cal = calibrate(
        replace(pool, judges=noise),
        labels_of(pool, range(0, 200, 4), human=rng.integers(1, 7, 200).astype(float).tolist()),
    )
    assert cal.mean().effective_labels() <= 51
    text = cal.summary()
    assert "50 labels do not show that the judges help. The margin of error is " in text
    assert "None of the 2 judges follows the labels beyond chance." in text


def test_ignored_judges_are_called_so():
    text = calibrated(model="human-only").summary()
    assert "The 30 labels speak alone; the judges are ignored." in text


def test_a_census_says_so():
    pool = essays()
    text = calibrate(pool, labels_of(pool, range(N)), scale=SCALE, model="ridge").summary()
    assert "cannot be told: every item is labelled, and nothing is left to estimate" in text
    assert "For items like them that you have not seen:" in text


def test_alike_labels_are_not_taken_for_a_census():
    pool = essays()
    labels = labels_of(pool, range(0, N, 3), human=[4.0] * N)
    text = calibrate(pool, labels, model="ridge").summary()
    assert "every item is labelled" not in text.lower()
    assert "(no valid interval)" in text
    assert (
        "4.0 on average; there is no valid interval: the labels or their residuals are all alike"
        in text
    )


def test_what_bears_on_the_claim_comes_first_and_the_rest_last():
    pool = essays()
    sample = UniformDesign(n=30).draw(pool, seed=3)
    rows = rows_of(pool, sample.ids.tolist())
    volunteer = next(row for row in range(N) if row not in rows)
    cal = calibrate(pool, labels_of(pool, [*rows[1:], volunteer]), sample=sample, model="ridge")
    first = lines(cal)
    assert first[0].startswith("1 labels are not of drawn items")
    assert first[1].startswith("1 of 30 drawn items have no label")
    assert first[2].split()[0] == "mean"


def test_class_names_with_braces_are_printed_as_they_are():
    table = {
        "item_id": list(range(12)),
        "judge_a": [1, 2, 3, 4] * 3,
        "human": ["a{b}", "{0}", None] * 4,
    }
    pool = bacon.read_pool(table)
    cal = bacon.calibrate(pool, bacon.read_labels(table, value="human"))
    assert "would be 'a{b}'" in cal.summary("proportion:eq:a{b}")
