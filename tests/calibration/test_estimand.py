from __future__ import annotations

import pytest

from bacon.calibration.estimand import Estimand, parse_estimand
from bacon.errors import InputError

CLASSES = ("Against", "Favor", "a:b")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("mean", Estimand("mean", "mean")),
        ("sd", Estimand("sd", "sd")),
        ("variance", Estimand("variance", "variance")),
        ("quantile:0.5", Estimand("quantile", "quantile:0.5", tau=0.5)),
        ("proportion:ge:4", Estimand("proportion", "proportion:ge:4", cut=("ge", 4.0))),
        ("proportion:le:-2.5", Estimand("proportion", "proportion:le:-2.5", cut=("le", -2.5))),
        ("shares", Estimand("shares", "shares")),
        ("proportion:eq:3", Estimand("proportion", "proportion:eq:3", cut=("eq", 3.0))),
        (
            "proportion:between:2:4",
            Estimand("proportion", "proportion:between:2:4", cut=("between", 2.0, 4.0)),
        ),
    ],
)
def test_names_of_numbers(name, found):
    assert parse_estimand(name) == found


@pytest.mark.parametrize("value", CLASSES)
def test_names_of_classes(value):
    found = parse_estimand(f"proportion:eq:{value}", CLASSES)
    assert (found.kind, found.label, found.cut) == ("proportion", value, None)


@pytest.mark.parametrize("name", ["", "mena", "mean:2", "quantile", "proportion", ":", "quantile:"])
def test_unknown_names_are_answered_with_the_known_ones(name):
    with pytest.raises(InputError, match=r"is not known; use mean, sd, variance, quantile:0\.5"):
        parse_estimand(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("quantile:half", "'half' is not a number; use mean"),
        ("proportion:ge:four", "'four' is not a number; use mean"),
        ("proportion:ge:", "'' is not a number"),
        ("proportion:gt:4", r"a proportion is given as .* got \('gt', 4.0\)"),
        ("proportion:ge:4:5", "a proportion is given as"),
        ("proportion:between:4", "a proportion is given as"),
        ("proportion:between:4:2", "between needs the lower end first"),
        ("proportion:ge:nan", "a proportion is given as"),
        ("proportion:ge:inf", "a proportion is given as"),
    ],
)
def test_broken_names(name, message):
    with pytest.raises(InputError, match=message):
        parse_estimand(name)


@pytest.mark.parametrize("name", ["proportion:ge:4", "proportion:eq:Neither", "proportion:eq:"])
def test_words_have_shares_of_their_classes_only(name):
    with pytest.raises(InputError, match="such as proportion:eq:Against; the classes are Against"):
        parse_estimand(name, CLASSES)
