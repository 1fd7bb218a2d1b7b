"""What a saved calibration keeps for monitoring, by hand, for every kind of judge and design."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import N, calibrated, drawn, essays, labels_of, rows_of

from bacon.calibration.baseline import baseline_record, id_digest
from bacon.calibration.calibrate import calibrate
from bacon.calibration.error_summary import error_summary
from bacon.calibration.judge_summary import expected_label, versions_of
from bacon.data.pool import Judge
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.stratified import StratifiedDesign


def test_weighted_errors_in_clusters_by_hand():
    # Weights 2, 1, 1: mean (2*1 + 3 + 5)/4 = 2.5; centred -1.5, 0.5, 2.5 with shares .5 .25 .25.
    found = error_summary(np.array([1.0, 3.0, 5.0]), np.array([2.0, 1.0, 1.0]), np.array([7, 7, 9]))
    assert found["mean"] == 2.5
    assert found["sd"] == pytest.approx(math.sqrt((0.5 * 2.25 + 0.25 * 0.25 + 0.25 * 6.25) * 1.5))
    # Two units with totals -0.625 and 0.625, times 2/1.
    assert found["se"] == pytest.approx(math.sqrt(2 * 0.625**2 * 2))


def test_one_unit_has_no_error():
    assert error_summary(np.array([1.0]), np.ones(1), None) is None
    assert error_summary(np.array([1.0, 2.0]), np.ones(2), np.array([3, 3])) is None
    assert error_summary(np.zeros(0), np.zeros(0), None) is None


def test_a_stratified_draw_is_weighted():
    pool = essays()
    sample = StratifiedDesign(n=36, strata="system", allocation="equal").draw(pool, seed=3)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    rows, w = cal.aligned.design.rows, 1.0 / cal.aligned.design.pi
    errors = cal.aligned.y - cal.f[rows]
    kept = baseline_record(cal)["error"]
    assert kept["mean"] == pytest.approx(np.average(errors, weights=w))


def test_clusters_set_the_standard_error():
    pool = essays()
    sample = ClusterDesign(12, "prompt_id").draw(pool, seed=3)
    cal = calibrate(
        pool, labels_of(pool, rows_of(pool, sample.ids.tolist())), sample=sample, model="ridge"
    )
    rows = cal.aligned.design.rows
    errors = cal.aligned.y - cal.f[rows]
    centred = errors - errors.mean()
    totals = [centred[cal.aligned.psu[rows] == c].sum() for c in set(cal.aligned.psu[rows])]
    by_hand = math.sqrt(np.square(totals).sum() * 12 / 11) / len(rows)
    assert baseline_record(cal)["error"]["se"] == pytest.approx(by_hand)


def test_judges_in_words_and_with_gaps():
    pool = essays()
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (N, 1)) * 1.0
    codes[:5] = np.nan
    words = Judge("judge_words", ("judge_words",), codes, ("bad", "good"))
    sample, labels = drawn(pool)
    pool = replace(pool, judges=(*pool.judges, words))
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    record = baseline_record(cal)
    json.dumps(record, allow_nan=False)
    told = record["judges"][2]
    rows, y = cal.aligned.design.rows, cal.aligned.y
    for code, word in enumerate(("bad", "good")):
        mine = codes[rows, 0] == code
        assert told["alone"]["labels"][word] == pytest.approx(y[mine].mean())
    found = expected_label(("good", "new"), np.array([[0.0], [1.0], [np.nan]]), told["alone"])
    assert found[0] == told["alone"]["labels"]["good"]
    assert found[1] == told["alone"]["level"]
    assert np.isnan(found[2])
    assert told["missing"][0] == pytest.approx(5 / N)


def test_a_judge_with_too_few_labels_has_no_line():
    pool = essays()
    gaps = pool.judges[0].scores.copy()
    sample, labels = drawn(pool)
    gaps[rows_of(pool, sample.ids.tolist())[9:]] = np.nan
    pool = replace(pool, judges=(replace(pool.judges[0], scores=gaps), pool.judges[1]))
    first, second = baseline_record(calibrate(pool, labels, sample=sample, model="ridge"))["judges"]
    assert first["alone"] is None
    assert second["alone"]["error"]["n_labels"] == 30


def test_groups_and_labelled_ids():
    cal = calibrated()
    record = baseline_record(cal)
    assert record["groups"]["column"] == "system"
    assert sum(one["error"]["n_labels"] for one in record["groups"]["levels"]) == 30
    assert sum(one["n_items"] for one in record["groups"]["levels"]) == N
    ids = cal.pool.ids[cal.aligned.design.rows].tolist()
    assert record["labelled"] == [id_digest(one) for one in ids]
    assert id_digest(7) == id_digest("7")


def test_versions_are_read_beside_judges_and_runs():
    pool = essays(4)
    table = pool.table.with_columns(
        judge_gpt__model=np.array(["a", "b", "a", "a"]), judge_gpt__version=np.array([1, 1, 1, 1])
    )
    assert versions_of(replace(pool, table=table)) == {
        "judge_gpt": {"model": ["a", "b"], "version": ["1"]},
        "judge_llama": {},
    }
