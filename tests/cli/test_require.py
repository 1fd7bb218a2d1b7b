"""`bacon estimate --require`: a verdict in the exit code."""

from __future__ import annotations

import json
import re

import pytest

from bacon.cli.calibrating import parse_scale
from bacon.cli.requirement import Requirement, parse_requirement
from bacon.errors import InputError


@pytest.fixture(name="start")
def _start(one):
    return ["estimate", one, "--label", "human", "--scale", "1:6", "--model", "ridge"]


@pytest.fixture(name="ends")
def _ends(bacon, start):
    return json.loads(bacon(*start, "--json").out)["ci"]


def test_the_whole_interval_decides(bacon, start, ends):
    low, high = ends
    middle = (low + high) / 2
    for relation, value, code, word in [
        ("ge", low - 0.01, 0, "yes"),
        ("ge", low + 0.01, 4, "not decided"),
        ("ge", middle, 4, "not decided"),
        ("ge", high - 0.01, 4, "not decided"),
        ("ge", high + 0.01, 3, "no"),
        ("le", high + 0.01, 0, "yes"),
        ("le", middle, 4, "not decided"),
        ("le", low - 0.01, 3, "no"),
        # An end that meets the value exactly.
        ("ge", low, 0, "yes"),
        ("le", high, 0, "yes"),
        ("ge", high, 4, "not decided"),
        ("le", low, 4, "not decided"),
    ]:
        ran = bacon(*start, "--require", f"mean:{relation}:{value!r}")
        assert ran.code == code, (relation, value, ran.err)
        asked = f"mean {'at least' if relation == 'ge' else 'at most'} {value:g}"
        assert ran.err.startswith(f"Required: {asked}: {word} (95 % interval ")
        assert ran.out.startswith("No sample file given")


def test_both_ends_have_the_same_decimals_and_stand_on_their_side_of_the_value(bacon, start, ends):
    low, high = ends
    for value in (low - 1e-5, low + 1e-5, high + 1e-5, 1.0):
        ran = bacon(*start, "--require", f"mean:ge:{value!r}")
        first, last = re.search(r"interval (\d\.(?:\d+)) to (\d\.(?:\d+))\)", ran.err).groups()
        assert len(first) == len(last)
        assert (float(first) < value) == (low < value)
        assert (float(last) < value) == (high < value)


def test_json_goes_to_one_place_and_the_verdict_to_the_other(bacon, start):
    ran = bacon(*start, "--require", "mean:ge:6", "--json")
    assert ran.code == 3
    assert json.loads(ran.out)["estimand"] == "mean"
    assert ran.err.startswith("Required: ")


def test_target_and_level_are_those_of_the_estimate(bacon, start, ends):
    low, _ = ends
    value = f"mean:ge:{low - 0.005!r}"
    assert bacon(*start, "--require", value).code == 0
    assert bacon(*start, "--require", value, "--target", "population").code == 4
    assert bacon(*start, "--require", value, "--level", 0.999).code == 4


def test_estimands_with_colons(bacon, start):
    assert bacon(*start, "--require", "proportion:ge:4:le:0.999").code == 0
    assert bacon(*start, "--require", "proportion:between:2:4:ge:0.99").code == 3
    assert bacon(*start, "--require", "quantile:0.5:ge:1").code == 0
    ran = bacon(*start, "--estimand", "sd", "--require", "mean:ge:1")
    assert ran.code == 0
    assert "standard deviation" in ran.out


def test_of_several_requirements_the_worst_decides(bacon, start):
    yes, no, open_ = "mean:ge:1", "mean:ge:6", "quantile:0.5:ge:4"
    for forms, code in [
        ((yes, yes), 0),
        ((yes, no), 3),
        ((open_, yes), 4),
        ((open_, no), 3),
        ((no, open_), 3),
    ]:
        ran = bacon(*start, *(word for form in forms for word in ("--require", form)))
        assert ran.code == code, forms
        assert ran.err.count("Required: ") == 2


@pytest.mark.parametrize(
    "form",
    [
        "",
        "mean",
        "mean:ge",
        "mean:ge:",
        "mean:gt:4",
        "ge:4",
        ":ge:4",
        "mean:ge:four",
        "mean:ge:nan",
        "mean:ge:inf",
    ],
)
def test_bad_forms_are_refused(refused, start, form):
    text = refused(*start, "--require", form)
    assert text == (
        "--require must be ESTIMAND:ge:VALUE or ESTIMAND:le:VALUE, such as mean:ge:4.0; got "
        f"{form!r}."
    )


@pytest.mark.parametrize("form", ["proportion:ge:4", "mode:ge:4", "quantile:2:ge:4"])
def test_unknown_estimands_are_refused_before_anything_is_printed(refused, start, form):
    assert "estimand" in refused(*start, "--require", form) or "quantile" in form


def test_no_interval_decides_nothing(bacon, table, pool):
    alike = table.head(20).select("item_id", score="people").with_columns(score=4)
    alike.write_csv("alike.csv")
    files = ["--labels", "alike.csv", "--value", "score"]
    ran = bacon("estimate", pool, *files, "--require", "mean:ge:3")
    assert ran.code == 4
    assert ran.err.startswith("Required: mean at least 3: not decided, for there is no interval:")
    # With a scale there is one.
    assert bacon("estimate", pool, *files, "--scale", "1:6", "--require", "mean:ge:2").code == 0


def test_work_that_fails_ends_with_one(bacon, table, pool):
    alike = table.head(20).select("item_id", score="people").with_columns(score=4)
    alike.write_csv("alike.csv")
    files = ["--labels", "alike.csv", "--value", "score"]
    ran = bacon("estimate", pool, *files, "--estimand", "sd")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("bacon: the estimated variance is 0")


def test_parts_of_a_requirement():
    assert parse_requirement("mean:ge:4") == Requirement("mean", "ge", 4.0)
    assert parse_requirement("proportion:ge:4:le:-0.5") == Requirement(
        "proportion:ge:4", "le", -0.5
    )


def test_parts_of_a_scale():
    assert parse_scale("-3:3.5") == (-3.0, 3.5)
    for text in ("1", "1:", ":6", "1:6:9", "a:b"):
        with pytest.raises(InputError, match="--scale must be LO:HI"):
            parse_scale(text)
