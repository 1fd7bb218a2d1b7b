"""Diagnostics in words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bacon.calibration.diagnostics.curve import Bin, Curve
from bacon.calibration.diagnostics.driver_tests import DriverTest, GroupError
from bacon.calibration.diagnostics.fits import Fit
from bacon.calibration.diagnostics.gain import Gain
from bacon.calibration.diagnostics.measures import UNKNOWN, Measure
from bacon.calibration.diagnostics.sentences import (
    best_sentence,
    curve_sentences,
    driver_sentence,
    gain_sentence,
    significant,
)


def gain(verdict, low, value, high):
    worth = Measure(540.0, math.nan, 410.0, 700.0)
    return Gain("mean", "pool", 200, verdict, Measure(value, 0.03, low, high), worth)


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        (
            gain("gain", 0.55, 0.604, 0.66),
            "The judges make the margin of error 40 % smaller than that of the labels alone "
            "(34 to 45 %): your 200 labels worked like 540 (410 to 700).",
        ),
        (
            gain("open", 0.9, 0.97, 1.05),
            "200 labels do not show that the judges help. The margin of error is 3 % smaller with "
            "them, and anything from 5 % larger to 10 % smaller fits.",
        ),
        (
            gain("loss", 1.02, 1.08, 1.15),
            "The judges make the margin of error 8 % larger than that of the labels alone "
            "(2 to 15 %): leave them out.",
        ),
        (
            gain("open", math.nan, 1.0, math.nan),
            "200 labels do not show that the judges help. The margin of error is the same with "
            "them.",
        ),
        (Gain("mean", "pool", 200, "none"), "The 200 labels speak alone; the judges are ignored."),
        (
            Gain("mean", "pool", 200, "unknown", reason="all is labelled"),
            "What the judges gain cannot be told: all is labelled.",
        ),
    ],
)
def test_the_gain(case, sentence):
    assert gain_sentence(case) == sentence


def test_the_worth_is_left_out_where_it_stands_elsewhere():
    text = gain_sentence(gain("gain", 0.55, 0.6, 0.66), with_worth=False)
    assert text.endswith("labels alone (34 to 45 %).")


def judge(name, r2, p, **more):
    measure = Measure(r2, 0.05, r2 - 0.1, r2 + 0.1)
    rank = Measure(0.71, 0.05, 0.6, 0.8)
    return Fit(
        name, "judge", 200, spearman=rank, r2_recalibrated=measure, p=p, p_adjusted=p, **more
    )


def test_the_best_judge_is_one_that_follows_beyond_chance():
    model = Fit("stack, out of fold", "model", 200, r2=Measure(0.9))
    fits = [model, judge("a", 0.41, 0.001), judge("b", 0.3, 1e-9), judge("c", 0.6, 0.2)]
    assert best_sentence(fits) == (
        "The best judge, a, follows the labels with R2 0.41 (0.31 to 0.51) once recalibrated on "
        "its own, rank correlation 0.71."
    )
    assert best_sentence([judge("a", 0.41, 0.001)]).startswith("a follows the labels")


def test_judges_that_follow_nobody_are_called_so():
    assert best_sentence([judge("a", 0.1, 0.2), judge("b", 0.0, 0.9)]) == (
        "None of the 2 judges follows the labels beyond chance."
    )
    assert best_sentence([judge("a", 0.1, 0.2)]) == "a does not follow the labels beyond chance."
    assert best_sentence([Fit("a", "judge", 0)]) is None


def test_the_best_text_judge_is_that_of_the_best_kappa():
    agree, kappa = Measure(0.714, 0.03, 0.65, 0.77), Measure(0.56, 0.05, 0.47, 0.63)
    a = Fit("a", "text judge", 90, agreement=agree, kappa=kappa, p=0.0, p_adjusted=0.0)
    b = replace(a, name="b", agreement=Measure(0.8), kappa=Measure(0.3))
    assert best_sentence([b, a]) == (
        "The best judge, a, gives the people's class in 71 % of its answers with kappa 0.56 "
        "(0.47 to 0.63)."
    )


def bins(*gaps):
    edges = (1.0, 2.0, 3.0, 4.0, 5.0)
    return tuple(
        Bin(edges[k] + 0.1, edges[k + 1] - 0.1, 40, 2.0, 2.0, gap, p)
        for k, (gap, p) in enumerate(gaps)
    )


FINE = (Measure(0.05, 0.1, -0.15, 0.25), 0.9)


def test_predictions_that_are_right():
    curve = Curve(bins(FINE, FINE, FINE), UNKNOWN, Measure(1.0), 0.9, 0.9)
    assert curve_sentences(curve, 200) == [
        "Predictions are right on average in every third of their range, as far as 200 labels can "
        "tell (each to within 0.20)."
    ]
    assert curve_sentences(replace(curve, of_classes=True), 200)[0].startswith(
        "Predicted chances of a class are right"
    )


def test_predictions_that_are_off_say_where():
    low = (Measure(-0.4, 0.1, -0.6, -0.2), 0.001)
    high = (Measure(0.4, 0.1, 0.1, 0.7), 0.01)
    curve = Curve(bins(low, FINE, high), UNKNOWN, Measure(0.7, 0.1, 0.5, 0.9), 0.02, 0.001)
    assert curve_sentences(curve, 200) == [
        "Predictions below 2.00 are 0.40 (0.20 to 0.60) too low on average.",
        "Predictions above 3.00 are 0.40 (0.10 to 0.70) too high on average.",
        "Predictions are spread too widely: labels rise 0.70 (0.50 to 0.90) for each 1 that "
        "predictions rise.",
    ]
    middle = Curve(bins(FINE, high, FINE), UNKNOWN, Measure(1.0), 0.5, 0.01)
    assert curve_sentences(middle, 200) == [
        "Predictions 2.00 to 3.00 are 0.40 (0.10 to 0.70) too high on average."
    ]


def number(**changes):
    test = DriverTest(
        judge="judge_gpt",
        driver="answer",
        kind="length",
        words="the length of answer",
        unit="characters",
        of_model=False,
        error="excess",
        of_size=False,
        n=200,
        rank_correlation=0.3,
        slope=Measure(0.0004, 0.0001, 0.0002, 0.0006),
        step=500.0,
        p=0.001,
        p_adjusted=0.01,
    )
    return replace(test, **changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "judge_gpt's excess over the labels grows with the length of answer (0.20 points per "
            "500 characters).",
        ),
        (
            {"slope": Measure(-0.0004)},
            "judge_gpt's excess over the labels falls with the length of answer (0.20 points per "
            "500 characters).",
        ),
        (
            {"of_model": True, "judge": "stack, out of fold"},
            "The model's excess over the labels grows with the length of answer (0.20 points per "
            "500 characters).",
        ),
        (
            {"error": "recalibrated"},
            "For the same answer of judge_gpt, labels fall with the length of answer (0.20 points "
            "per 500 characters).",
        ),
        (
            {"error": "disagreement"},
            "judge_gpt disagrees with people more often as the length of answer grows (20.00 "
            "percentage points per 500 characters).",
        ),
        (
            {
                "words": "its entropy",
                "unit": "",
                "step": 0.2,
                "slope": Measure(1.5),
                "of_size": True,
            },
            "The size of judge_gpt's error grows with its entropy (0.30 points per 0.2).",
        ),
        (
            {"words": "words", "unit": "", "step": 100.0, "slope": Measure(0.0038)},
            "judge_gpt's excess over the labels grows with words (0.38 points per 100).",
        ),
    ],
)
def test_errors_that_go_with_a_number(changes, sentence):
    assert driver_sentence(number(**changes)) == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            "judge_gpt's excess over the labels differs by system (cygnus -0.31, atlas +0.42 "
            "against the mean).",
        ),
        (
            {"error": "recalibrated"},
            "For the same answer of judge_gpt, labels differ by system (atlas -0.42, cygnus +0.31 "
            "against the mean).",
        ),
        (
            {"error": "disagreement", "of_model": True},
            "How often the model disagrees with people differs by system (cygnus -0.31, atlas "
            "+0.42 against the mean).",
        ),
        ({"lowest": None}, "judge_gpt's excess over the labels differs by system."),
    ],
)
def test_errors_that_differ_between_groups(changes, sentence):
    test = number(
        kind="group",
        words="system",
        step=math.nan,
        slope=UNKNOWN,
        lowest=GroupError("cygnus", 40, Measure(-0.31)),
        highest=GroupError("atlas", 40, Measure(0.42)),
    )
    assert driver_sentence(replace(test, **changes)) == sentence


def test_the_surest_come_first_and_the_rest_not_at_all():
    tests = [
        number(judge="a", p=0.01, p_adjusted=0.05),
        number(judge="b", p=0.001, p_adjusted=0.01),
        number(judge="c", p=0.02, p_adjusted=0.06),
        number(judge="d", p=math.nan, p_adjusted=math.nan),
    ]
    assert [one.judge for one in significant(tests)] == ["b", "a"]
