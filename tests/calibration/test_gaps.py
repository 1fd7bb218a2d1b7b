"""Scores that exist only, or mostly, where people labelled must not reach the model."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import bacon

N, N_LABELS = 1000, 50


def table(seed: int, unlabelled_share: float) -> tuple[pl.DataFrame, np.ndarray, bacon.Sample]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(3.0, 1.0, size=N)
    frame = pl.DataFrame(
        {"item_id": np.arange(N), "judge_a": truth + rng.normal(size=N), "judge_b": np.nan}
    )
    sample = bacon.UniformDesign(n=N_LABELS).draw(
        bacon.read_pool(frame, judges="judge_a"), seed=seed
    )
    drawn = np.isin(np.arange(N), sample.ids)
    scored = drawn | (rng.random(N) < unlabelled_share)
    second = np.where(scored, truth + 0.3 * rng.normal(size=N), np.nan)
    frame = frame.with_columns(pl.Series("judge_b", second).fill_nan(None))
    human = pl.Series("human", np.where(drawn, truth, np.nan)).fill_nan(None)
    return frame.with_columns(human), truth, sample


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
def test_a_judge_scored_where_people_labelled_is_left_out_and_told(share: float) -> None:
    frame, _, sample = table(1, share)
    labels = bacon.read_labels(frame, value="human")
    pool = bacon.read_pool(frame, label="human")
    with_b = bacon.calibrate(pool, labels, sample=sample)
    without = bacon.calibrate(
        bacon.read_pool(frame, judges="judge_a", label="human"), labels, sample=sample
    )
    assert "missing_follows_labels" in {notice.code for notice in with_b.notices}
    assert with_b.mean().value == pytest.approx(without.mean().value, rel=1e-12)


@pytest.mark.parametrize("kind", ["entropy", "expected", "logprob"])
def test_uncertainty_told_only_where_people_labelled_is_left_out_and_told(kind: str) -> None:
    frame, truth, sample = table(1, 0.0)
    drawn = frame["human"].is_not_null().to_numpy()
    frame = frame.drop("judge_b").with_columns(
        pl.Series("judge_b", truth + np.random.default_rng(0).normal(size=N)),
        pl.Series(f"judge_a__{kind}", np.where(drawn, truth, np.nan)).fill_nan(None),
    )
    labels = bacon.read_labels(frame, value="human")
    pool = bacon.read_pool(frame, label="human")
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    (told,) = [n.message for n in cal.notices if n.code == "missing_follows_labels"]
    assert told.startswith(f"Left out of the model: judge_a__{kind} of ")
    assert cal.feature_map.names == ("judge_a", "judge_b", "disagreement of judges")
    bare = bacon.read_pool(frame.drop(f"judge_a__{kind}"), label="human")
    without = bacon.calibrate(bare, labels, sample=sample, model="ridge")
    assert cal.mean().value == without.mean().value


def test_a_text_only_where_people_labelled_gives_no_length() -> None:
    frame, _, sample = table(1, 0.0)
    drawn = frame["human"].is_not_null().to_numpy()
    words = ["word " * (k % 7 + 1) if drawn[k] else None for k in range(N)]
    pool = bacon.read_pool(
        frame.with_columns(pl.Series("answer", words)),
        judges="judge_a",
        label="human",
        text="answer",
    )
    labels = bacon.read_labels(frame, value="human")
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    assert cal.feature_map.names == ("judge_a",)
    assert any("length of answer of" in notice.message for notice in cal.notices)


def test_a_judge_missing_at_random_is_used() -> None:
    frame, truth, _ = table(2, 1.0)
    rng = np.random.default_rng(0)
    second = np.where(rng.random(N) < 0.5, truth + 0.3 * rng.normal(size=N), np.nan)
    frame = frame.with_columns(pl.Series("judge_b", second).fill_nan(None))
    cal = bacon.calibrate(
        bacon.read_pool(frame, label="human"), bacon.read_labels(frame, value="human")
    )
    assert "missing_follows_labels" not in {notice.code for notice in cal.notices}
    assert {column.source for column in cal.feature_map.columns} >= {"judge_a", "judge_b"}


def test_the_spread_of_labels_far_from_zero_is_right() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(1e9, 1.0, size=400)
    frame = pl.DataFrame(
        {
            "item_id": np.arange(400),
            "judge_a": y + rng.normal(size=400),
            "human": pl.Series(np.where(np.arange(400) % 4 == 0, y, np.nan)).fill_nan(None),
        }
    )
    cal = bacon.calibrate(
        bacon.read_pool(frame, label="human"), bacon.read_labels(frame, value="human")
    )
    assert cal.sd().value == pytest.approx(y.std(ddof=1), rel=0.2)
