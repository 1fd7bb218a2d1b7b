"""Diagnostics of real pools: they find what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import bacon

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.calibration.diagnostics.report import Diagnostics


def diagnosed(folder: Path, name: str, n: int, seed: int = 1, **roles: object) -> Diagnostics:
    """Label n items at random, blank the rest, and diagnose."""
    table = pl.read_parquet(folder / f"{name}.parquet")
    drawn = np.zeros(table.height, dtype=bool)
    drawn[np.random.default_rng(seed).choice(table.height, n, replace=False)] = True
    human = pl.when(pl.Series(drawn)).then(pl.col("human")).otherwise(None)
    table = table.with_columns(human.alias("human"))
    scale = roles.pop("scale", None)
    pool = bacon.read_pool(table, id="item_id", label="human", **roles)
    labels = bacon.read_labels(table, id="item_id", value="human")
    return bacon.calibrate(pool, labels, scale=scale).diagnostics()


def test_hanna(shared_data):
    found = diagnosed(shared_data, "hanna", 200, group="system", cluster="prompt_id", scale=(1, 5))
    fits = {fit.name: fit for fit in found.fits}
    assert found.gain.verdict == "gain"
    assert 0.6 < found.gain.ratio.value < 0.8
    best = max(
        (fit for fit in found.fits if fit.kind == "judge"), key=lambda fit: fit.spearman.value
    )
    # The strongest judge of the whole pool, 0.62.
    assert best.spearman.low < 0.62 < best.spearman.high
    assert fits["stack, out of fold"].r2.value > max(f.r2_recalibrated.low for f in found.fits[2:])
    assert found.curve is not None
    assert found.curve.p > 0.05
    # The judges' errors differ between the systems.
    assert any(one.p_adjusted <= 0.05 and one.kind == "group" for one in found.drivers)
    assert {one.kind for one in found.drivers} == {"group", "runs"}


def test_summeval_texts(shared_data):
    found = diagnosed(
        shared_data,
        "summeval",
        200,
        group="system",
        cluster="article_id",
        text="text",
        scale=(1, 5),
    )
    assert found.gain.verdict == "gain"
    lengths = [one for one in found.drivers if one.kind == "length"]
    # The nine judges, and the model.
    assert len(lengths) == 10
    assert all(one.unit == "characters" and one.n == 200 for one in lengths)
    assert all(10.0 <= one.step <= 500.0 for one in lengths)
    # Worse than the metrics can see: M11's summaries.
    sure = [one for one in found.drivers if one.kind == "group" and one.p_adjusted <= 0.05]
    assert len(sure) >= 8
    assert all(one.highest is not None and one.highest.group == "M11" for one in sure)


def test_wmt23_with_source_and_target(shared_data):
    found = diagnosed(
        shared_data, "wmt23_ende_mqm", 200, group="system", cluster="seg_id", text="text"
    )
    # Penalties are on no judge's scale: each judge is recalibrated, most run against them.
    assert not any(fit.on_scale for fit in found.fits if fit.kind == "judge")
    assert sum(fit.spearman.value < -0.3 for fit in found.fits if fit.kind == "judge") > 20
    sure = {one.judge for one in found.drivers if one.kind == "length" and one.p_adjusted <= 0.05}
    # Longer segments have more errors than most metrics expect.
    assert len(sure) >= 3
    assert "labels rise with the length of text" in "\n".join(found.sentences())
    assert found.gain.verdict == "gain"


def test_llmjudge_with_25_queries(shared_data):
    found = diagnosed(shared_data, "llmjudge_trecdl23", 200, cluster="query_id", scale=(0, 3))
    assert found.gain.verdict == "gain"
    assert found.drivers == ()
    assert found.curve is not None
    # Clusters are the units: 25 of them.
    alone = diagnosed(shared_data, "llmjudge_trecdl23", 200, scale=(0, 3))
    ours, plain = (one.fits[1].r2.se for one in (found, alone))
    assert ours > 1.2 * plain


def test_stances_in_words(shared_data):
    found = diagnosed(shared_data, "css_stance", 150, text="text")
    best = max((f for f in found.fits if f.kind == "text judge"), key=lambda f: f.kappa.value)
    assert 0.5 < best.agreement.value < 0.85
    assert best.p_adjusted < 0.001
    assert found.curve is not None
    assert found.curve.of_classes
    assert len([one for one in found.drivers if one.kind == "length"]) == 13


@pytest.mark.parametrize("seed", range(3))
def test_systems_and_length_of_labels_that_were_shuffled_are_no_drivers(shared_data, seed):
    table = pl.read_parquet(shared_data / "summeval.parquet").select(
        "item_id", "system", "text", "judge_rouge1", "judge_rougeL", "human"
    )
    rng = np.random.default_rng(seed)
    table = table.with_columns(pl.col("human").gather(rng.permutation(table.height)))
    drawn = np.zeros(table.height, dtype=bool)
    drawn[rng.choice(table.height, 150, replace=False)] = True
    table = table.with_columns(
        pl.when(pl.Series(drawn)).then(pl.col("human")).otherwise(None).alias("human")
    )
    pool = bacon.read_pool(table, id="item_id", label="human", group="system", text="text")
    labels = bacon.read_labels(table, id="item_id", value="human")
    found = bacon.calibrate(pool, labels, model="ridge").diagnostics()
    assert found.gain.verdict != "gain"
    assert all(one.p_adjusted > 0.01 for one in found.drivers)
