"""The JSON contract: every key, of the right type, and a reason beside every null."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import SCALE, N, calibrated, essays, labels_of, people

from bacon.calibration.calibrate import calibrate
from bacon.data.notice import Notice
from bacon.version import __version__

INTERVAL = {"se", "ci", "df", "method"}
PER_ESTIMAND = {
    "estimand": str,
    "estimate": float,
    "se": float,
    "ci": list,
    "intervals": dict,
    "human_only": dict,
    "raw_judges": dict,
    "effective_labels": float,
}
KEYS = PER_ESTIMAND | {
    "schema": str,
    "version": str,
    "target": str,
    "level": float,
    "n_items": int,
    "n_labels": int,
    "outcome": str,
    "model": str,
    "model_weights": dict,
    "better": str,
    "scale": list,
    "design": dict,
    "seed": int,
    "judges": list,
    "r2": float,
    "warnings": list,
}
ALL = ("mean", "sd", "variance", "quantile:0.5", "proportion:ge:4")
NOT_STATED = {"better", "scale"}


def no_constant(text):
    pytest.fail(f"{text} is not JSON")


def strict(record):
    """The record as a strict reader of JSON gets it."""
    return json.loads(json.dumps(record, allow_nan=False), parse_constant=no_constant)


def check_interval(interval):
    assert set(interval) >= INTERVAL
    assert isinstance(interval["method"], str)
    assert len(interval["ci"]) == 2
    if interval["se"] is None:
        assert interval["reason"]
    if None in interval["ci"]:
        assert interval["ci"] == [None, None]
        assert interval["reason"]
    else:
        assert interval["ci"][0] <= interval["ci"][1]


def check_estimand(one, target):
    assert set(one) >= set(PER_ESTIMAND)
    for place in (one["intervals"], one["human_only"]["intervals"]):
        assert set(place) == {"pool", "population"}
        for interval in place.values():
            check_interval(interval)
    assert one["se"] == one["intervals"][target]["se"]
    assert one["ci"] == one["intervals"][target]["ci"]
    assert set(one["human_only"]) - {"reason"} == {"estimate", "intervals"}
    assert set(one["raw_judges"]) == {"estimate", "reason"}
    assert one["raw_judges"]["estimate"] is not None or one["raw_judges"]["reason"]


def check_reasons(record):
    """Every null of an object stands beside its reason, unless it was just not stated."""
    for key, value in record.items():
        if isinstance(value, dict):
            check_reasons(value)
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict):
                    check_reasons(part)
        elif key == "se" and "intervals" in record:
            continue  # a copy of one of the intervals, where the reason stands
        elif value is None and key not in {*NOT_STATED, "reason"}:
            assert record.get(f"{key}_reason") or record.get("reason"), key


def check_record(record, target="pool"):
    record = strict(record)
    assert set(record) >= set(KEYS)
    for key, kind in KEYS.items():
        value = record[key]
        if value is not None:
            assert isinstance(value, kind), key
            assert not (kind is int and isinstance(value, bool)), key
    assert record["schema"] == "bacon-result/1"
    assert record["version"] == __version__
    check_estimand(record, target)
    for one in record.get("estimates", []):
        check_estimand(one, target)
    assert set(record["design"]) == {
        "kind",
        "assumed",
        "n_drawn",
        "n_answered",
        "ess",
        "max_weight",
    }
    for judge in record["judges"]:
        assert set(judge) - {"reason"} == {"name", "runs", "mean", "missing", "spearman"}
    for warning in record["warnings"]:
        assert set(warning) == {"code", "message"}
        assert warning["message"].endswith(".")
    check_reasons(record)
    return record


@pytest.mark.parametrize("target", ["pool", "population"])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_every_key_of_the_contract(target, level):
    cal = calibrated(scale=SCALE, better="higher", seed=4)
    record = check_record(cal.to_dict(*ALL, level=level, target=target), target)
    assert (record["target"], record["level"], record["seed"]) == (target, level, 4)
    assert (record["n_items"], record["n_labels"]) == (N, 30)
    assert (record["outcome"], record["outcome_name"]) == ("ordinal", "human")
    assert (record["model"], record["model_weights"]) == ("ridge", {"ridge": 1.0})
    assert (record["better"], record["scale"]) == ("higher", [1.0, 6.0])
    assert [one["estimand"] for one in record["estimates"]] == list(ALL)
    assert record["design"] == {
        "kind": "uniform",
        "assumed": False,
        "n_drawn": 30,
        "n_answered": 30,
        "ess": pytest.approx(30.0),
        "max_weight": pytest.approx(3.0),
    }
    est = cal.mean()
    assert record["estimate"] == est.value
    assert record["ci"] == list(est.interval(level, target))
    assert record["se"] == est.se(target)
    assert record["effective_labels"] == est.effective_labels(target)
    assert record["r2"] == cal.r2
    for name, one in zip(ALL, record["estimates"], strict=True):
        assert one["estimate"] == cal.estimate(name).value
        assert one["human_only"]["estimate"] == cal.estimate(name, labels_alone=True).value


def test_one_estimand_fills_the_top_level_alone():
    record = check_record(calibrated().to_dict())
    assert record["estimand"] == "mean"
    assert "estimates" not in record
    assert record["better"] is record["scale"] is None


def test_the_first_of_several_estimands_fills_the_top_level():
    record = check_record(calibrated().to_dict("sd", "mean"))
    first = record["estimates"][0]
    assert first["estimand"] == record["estimand"] == "sd"
    assert {key: record[key] for key in PER_ESTIMAND} == {key: first[key] for key in PER_ESTIMAND}


def test_judges_by_hand():
    pool = essays()
    gaps = pool.judges[0].scores.copy()
    gaps[:10] = np.nan
    pool = replace(
        pool,
        judges=(
            replace(pool.judges[0], runs=("a", "b"), scores=np.hstack([gaps, gaps + 1])),
            replace(pool.judges[1], levels=("bad", "good"), scores=(gaps > 4).astype(float)),
        ),
    )
    labels = labels_of(pool, range(0, N, 3), human=people(essays()).tolist())
    first, second = check_record(calibrate(pool, labels, model="ridge").to_dict())["judges"]
    assert (first["runs"], first["missing"]) == (2, 20)
    assert first["mean"] == pytest.approx(np.nanmean(gaps) + 0.5)
    assert 0.3 < first["spearman"] < 1
    assert (second["mean"], second["spearman"]) == (None, None)
    assert second["reason"] == "answers in words have no ranks"


def test_words_have_nulls_with_reasons():
    pool = essays()
    words = np.where(people(pool) > 3, "good", "bad").tolist()
    cal = calibrate(pool, labels_of(pool, range(0, N, 3), human=words))
    record = check_record(cal.to_dict())
    assert record["estimand"] == "shares"
    assert record["outcome"] == "categorical"
    assert (record["r2"], record["r2_reason"]) == (None, "the labels are words")
    for one in record["classes"]:
        assert one["raw_judges"]["estimate"] is None
        assert "words" in one["raw_judges"]["reason"]
    assert record["judges"][0]["spearman"] is None


def test_a_census_has_no_effective_labels():
    pool = essays()
    record = check_record(calibrate(pool, labels_of(pool, range(N)), model="ridge").to_dict(*ALL))
    assert record["effective_labels"] is None
    assert record["se"] == 0.0
    assert record["ci"] == [record["estimate"]] * 2


def test_alike_labels_have_nulls_with_reasons():
    pool = essays()
    labels = labels_of(pool, range(0, N, 3), human=[4.0] * N)
    record = check_record(calibrate(pool, labels, model="ridge").to_dict("mean", "proportion:ge:4"))
    assert record["ci"] == [None, None]
    assert record["effective_labels"] is None
    assert "do not show how much the items differ" in record["effective_labels_reason"]
    assert record["r2_reason"] == "the labels are all alike"
    assert all(judge["spearman"] is None for judge in record["judges"])
    # A share has an interval all the same, and never one of no width.
    share = record["estimates"][1]["intervals"]["pool"]["ci"]
    assert 0.8 < share[0] < share[1] == 1.0


def test_two_labels_are_still_json():
    record = check_record(calibrated(n=2, scale=SCALE).to_dict("mean", "proportion:ge:4"))
    assert "few_labels" in [warning["code"] for warning in record["warnings"]]


def test_everything_told_is_in_the_record():
    cal = calibrated()
    told = replace(cal, notices=(Notice("odd", "Something odd."), *cal.notices))
    record = check_record(told.to_dict())
    assert record["warnings"][0] == {"code": "odd", "message": "Something odd."}


def test_numbers_are_plain_floats_and_not_numpy():
    record = calibrated(scale=(np.int64(1), np.float64(6))).to_dict(*ALL)

    def walk(value):
        if isinstance(value, dict):
            for part in value.values():
                walk(part)
        elif isinstance(value, list | tuple):
            for part in value:
                walk(part)
        else:
            assert type(value) in (str, int, float, bool, type(None))
            assert not (isinstance(value, float) and not math.isfinite(value))

    walk(record)
