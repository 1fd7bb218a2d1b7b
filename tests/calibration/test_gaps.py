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


def test_a_judge_missing_at_random_is_used() -> None:
    frame, truth, _ = table(2, 1.0)
    rng = np.random.default_rng(0)
    second = np.where(rng.random(N) < 0.5, truth + 0.3 * rng.normal(size=N), np.nan)
    frame = frame.with_columns(pl.Series("judge_b", second).fill_nan(None))
    cal = bacon.calibrate(
        bacon.read_pool(frame, label="human"), bacon.read_labels(frame, value="human")
    )
    assert "missing_follows_labels" not in {notice.code for notice in cal.notices}
    assert {column.source for column in cal.feature_map.columns} == {"judge_a", "judge_b"}


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
