"""Diagnostics on the command line: a few sentences, all of them, and JSON."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def scores(tmp_path):
    """A file whose first judge likes long answers."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=400)
    chars = np.round(np.exp(rng.normal(6.0, 0.5, 400))).astype(int)
    human = np.clip(np.round(3.5 + 1.2 * quality), 1, 6)
    table = pl.DataFrame(
        {
            "item_id": range(400),
            "answer": ["x" * int(k) for k in chars],
            "judge_long": human + 1.2 * (chars - 400.0) / 500.0 + 0.4 * rng.normal(size=400),
            "judge_fair": human + 0.8 * rng.normal(size=400),
            "human": [float(y) if k < 150 else None for k, y in enumerate(human)],
        }
    )
    path = tmp_path / "scores.csv"
    table.write_csv(path)
    return path


COMMAND = ("--label", "human", "--text", "answer", "--model", "ridge")
LENGTH = "judge_long's excess over the labels grows with the length of answer ("


def test_the_text_says_the_most_important(bacon, scores):
    ran = bacon("estimate", scores, *COMMAND)
    assert ran.code == 0
    assert "The judges make the margin of error" in ran.out
    assert "The best judge, judge_" in ran.out
    assert LENGTH in ran.out
    assert "How well each follows" not in ran.out


def test_the_whole_is_printed_on_request(bacon, scores):
    ran = bacon("estimate", scores, *COMMAND, "--diagnostics")
    assert ran.code == 0
    _, _, whole = ran.out.partition("\n\n")
    assert whole.startswith("The judges make the margin of error")
    assert "your 150 labels worked like" in whole
    for title in ("How well each follows", "Predictions (out of fold)", "What errors go with"):
        assert title in whole
    assert whole.count("judge_fair") >= 2


def test_the_gain_is_that_of_the_first_estimand_and_target(bacon, scores):
    asked = ("--estimand", "proportion:ge:4", "--target", "population")
    ran = bacon("estimate", scores, *COMMAND, *asked, "--json")
    record = json.loads(ran.out)
    assert (record["gain"]["estimand"], record["gain"]["target"]) == (
        "proportion:ge:4",
        "population",
    )
    drivers = {(one["judge"], one["driver"]): one for one in record["diagnostics"]["drivers"]}
    long = drivers["judge_long", "answer"]
    assert long["p_adjusted"] <= 0.05
    assert long["unit"] == "characters"
    assert long["slope"]["ci"][0] > 0.0
    assert any(LENGTH in sentence for sentence in record["diagnostics"]["sentences"])


def test_json_is_one_object_with_or_without(bacon, scores):
    plain = bacon("estimate", scores, *COMMAND, "--json")
    asked = bacon("estimate", scores, *COMMAND, "--json", "--diagnostics")
    assert plain.out == asked.out


def test_useless_judges_are_warned_of(bacon, tmp_path):
    rng = np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "item_id": range(200),
            "judge_noise": rng.normal(size=200),
            "human": [float(rng.integers(1, 7)) if k % 4 == 0 else None for k in range(200)],
        }
    )
    table.write_csv(tmp_path / "noise.csv")
    ran = bacon("estimate", tmp_path / "noise.csv", "--label", "human", "--json")
    warned = {one["code"]: one["message"] for one in json.loads(ran.out)["warnings"]}
    assert "50 labels do not show that the judges help." in warned["no_gain"]
    text = bacon("estimate", tmp_path / "noise.csv", "--label", "human").out
    assert warned["no_gain"] in text
    assert "judge_noise does not follow the labels beyond chance." in text
