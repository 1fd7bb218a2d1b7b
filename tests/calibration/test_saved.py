"""Saving, loading and applying a calibration, and files that were tampered with."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.calibration.cases import SCALE, N, calibrated, drawn, essays, labels_of, people, rows_of

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.calibration.saved import load_calibration
from bacon.data.pool import Judge, Uncertainty
from bacon.errors import InputError, OutputError
from bacon.io.pools import read_pool
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.stratified import StratifiedDesign


def unlabelled(calibration):
    rest = np.ones(calibration.pool.n_items, dtype=bool)
    rest[calibration.aligned.design.rows] = False
    return rest


def test_unlabelled_items_get_the_predictions_of_the_calibration(tmp_path):
    cal = calibrated()
    cal.save(tmp_path / "cal")
    frame = load_calibration(tmp_path / "cal").predict(cal.pool)
    assert frame.columns == ["item_id", "score"]
    assert frame["item_id"].to_list() == cal.pool.ids.tolist()
    rest = unlabelled(cal)
    np.testing.assert_allclose(frame["score"].to_numpy()[rest], cal.f[rest], rtol=0, atol=1e-12)


def test_uncertainty_is_kept(tmp_path):
    rng = np.random.default_rng(3)
    score = people(essays()) + rng.normal(size=N)
    unsure = tuple(
        Uncertainty(kind, (f"judge_x__{kind}",), rng.gamma(2.0, size=(N, 1)))
        for kind in ("entropy", "logprob", "expected")
    )
    several = Judge("judge_x", ("r1", "r2"), score[:, None] + rng.normal(size=(N, 2)), None, unsure)
    pool = replace(essays(), judges=(*essays().judges, several))
    cal = calibrated(pool, model="ridge")
    cal.save(tmp_path / "cal")
    saved = load_calibration(tmp_path / "cal")
    assert saved.feature_map.columns == cal.feature_map.columns
    assert "judge_x x entropy" in saved.feature_map.names
    rest = unlabelled(cal)
    found = saved.predict(pool)["score"].to_numpy()
    np.testing.assert_allclose(found[rest], cal.f[rest], rtol=0, atol=1e-12)
    bare = replace(pool, judges=(*pool.judges[:2], replace(several, uncertainty=())))
    with pytest.raises(InputError, match="lacks judge_x__entropy, judge_x__expected, judge_x__lo"):
        saved.predict(bare)


def test_refits_are_kept_too(tmp_path):
    cal = calibrated(crossfit="refit")
    cal.save(tmp_path / "cal")
    rest = unlabelled(cal)
    score = load_calibration(tmp_path / "cal").predict(cal.pool)["score"].to_numpy()
    np.testing.assert_allclose(score[rest], cal.f[rest], rtol=0, atol=1e-12)


def test_gaps_words_features_and_embeddings_are_kept(tmp_path):
    pool = essays()
    rng = np.random.default_rng(2)
    gaps = pool.judges[0].scores.copy()
    gaps[rng.choice(N, 9, replace=False)] = np.nan
    words = Judge("judge_words", ("w1", "w2"), rng.integers(0, 2, (N, 2)) * 1.0, ("bad", "good"))
    words.scores[:5] = np.nan
    seen = rng.normal(size=(N, 2))
    seen[4, 0] = np.nan
    pool = replace(
        pool,
        judges=(replace(pool.judges[0], scores=gaps), pool.judges[1], words),
        features=seen,
        feature_names=("length", "age"),
        embeddings=rng.normal(size=(N, 7)) + people(pool)[:, None],
    )
    cal = calibrated(pool)
    cal.save(tmp_path / "cal")
    rest = unlabelled(cal)
    saved = load_calibration(tmp_path / "cal")
    score = saved.predict(pool)["score"].to_numpy()
    np.testing.assert_allclose(score[rest], cal.f[rest], rtol=0, atol=1e-12)
    lacking = {
        "embeddings with 7 numbers": replace(pool, embeddings=None),
        "embeddings with 7": replace(pool, embeddings=pool.embeddings[:, :6]),
        "lacks age, length": replace(pool, features=np.zeros((N, 0)), feature_names=()),
        "lacks judge_words": replace(pool, judges=pool.judges[:2]),
    }
    for text, other in lacking.items():
        with pytest.raises(InputError, match=text):
            saved.predict(other)


@pytest.mark.parametrize(
    "design", [StratifiedDesign(n=30, strata="system"), ClusterDesign(12, "prompt_id")]
)
def test_other_designs_score_near_their_own_predictions(tmp_path, design):
    pool = essays()
    sample = design.draw(pool, seed=3)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = calibrate(pool, labels, sample=sample)
    cal.save(tmp_path / "cal")
    score = load_calibration(tmp_path / "cal").predict(pool)["score"].to_numpy()
    rest = unlabelled(cal)
    # Strata mix the fold models in their own shares, new items in those of all labels.
    assert np.abs(score - cal.f)[rest].max() < 0.05


def test_a_new_pool_is_scored_one_item_at_a_time(tmp_path):
    cal = calibrated(scale=SCALE)
    cal.save(tmp_path / "cal")
    saved = load_calibration(tmp_path / "cal")
    new = essays(200, seed=9)
    all_at_once = saved.predict(new)["score"].to_numpy()
    one = essays(200, seed=9).table[17:18]
    pool = read_pool(one.select("item_id", "judge_gpt", "judge_llama", "answer"))
    np.testing.assert_allclose(saved.predict(pool)["score"][0], all_at_once[17], rtol=1e-13)
    assert ((all_at_once >= 1) & (all_at_once <= 6)).all()
    assert np.corrcoef(all_at_once, people(new))[0, 1] > 0.6


def test_scores_are_cut_to_the_scale_only_where_one_was_stated(tmp_path):
    for name, scale in (("scaled", SCALE), ("free", None)):
        cal = calibrated(scale=scale)
        cal.save(tmp_path / name)
        far = replace(
            cal.pool, judges=tuple(replace(j, scores=j.scores + 90) for j in cal.pool.judges)
        )
        score = load_calibration(tmp_path / name).predict(far)["score"].to_numpy()
        assert (score.max() == 6) == (name == "scaled")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (pa.table, pa.Table)],
)
def test_scores_come_in_the_library_of_the_pool(tmp_path, make, kind):
    calibrated().save(tmp_path / "cal")
    table = {
        "item_id": ["a", "b"],
        "judge_gpt": [4.0, None],
        "judge_llama": [3.0, 2.5],
        "answer": ["an answer", None],
    }
    frame = load_calibration(tmp_path / "cal").predict(read_pool(make(table)))
    assert isinstance(frame, kind)
    assert list(frame["item_id"]) == ["a", "b"] or frame["item_id"].to_pylist() == ["a", "b"]


def test_the_result_and_the_summary_are_kept(tmp_path):
    cal = calibrated(scale=SCALE, better="higher")
    cal.save(tmp_path / "cal")
    saved = load_calibration(tmp_path / "cal.json")
    assert saved.result == cal.to_dict()
    assert saved.summary() == cal.summary()
    assert saved.scale == SCALE
    assert saved.source == "cal.json"


def test_names_with_and_without_an_ending_mean_the_same(tmp_path):
    calibrated().save(tmp_path / "a.npz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.npz"]
    for name in ("a", "a.json", "a.npz"):
        assert load_calibration(tmp_path / name).source == "a.json"
        assert load_calibration(str(tmp_path / name)).source == "a.json"
    calibrated().save(tmp_path / "v1.2")
    assert (tmp_path / "v1.2.json").exists()


def test_the_same_calibration_is_the_same_bytes_at_any_time(tmp_path):
    calibrated().save(tmp_path / "first")
    # npz is a zip, and a zip may hold clock times, in steps of two seconds.
    time.sleep(2.1)
    calibrated().save(tmp_path / "second")
    for ending in (".json", ".npz"):
        first, second = (tmp_path / f"{name}{ending}" for name in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_files_that_exist_are_kept(tmp_path):
    cal = calibrated()
    (tmp_path / "cal.json").write_text("mine")
    with pytest.raises(OutputError, match=r"cal\.json exists already"):
        cal.save(tmp_path / "cal")
    assert (tmp_path / "cal.json").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["cal.json"]
    cal.save(tmp_path / "cal", overwrite=True)
    assert load_calibration(tmp_path / "cal").source == "cal.json"
    with pytest.raises(OutputError, match="there is no folder"):
        cal.save(tmp_path / "none" / "cal")


@pytest.mark.parametrize("name", ["", ".", "/"])
def test_a_name_is_needed(name):
    with pytest.raises(InputError, match="name the calibration, such as cal"):
        load_calibration(name)
    with pytest.raises(InputError, match="name the calibration, such as cal"):
        calibrated().save(name)


def test_what_cannot_score_new_items_is_not_saved(tmp_path):
    with pytest.raises(InputError, match="it has no model; it is not saved"):
        calibrated(model="human-only").save(tmp_path / "cal")
    pool = essays()
    _, words = drawn(pool)
    words = labels_of(pool, range(0, N, 3), human=np.where(people(pool) > 3, "a", "b").tolist())
    with pytest.raises(InputError, match="its labels are words; it is not saved"):
        calibrate(pool, words).save(tmp_path / "cal")
    assert list(tmp_path.iterdir()) == []


def test_the_public_name_loads():
    assert bacon.load_calibration is load_calibration
