"""From draw to estimate on real pools, where every label is known."""

from __future__ import annotations

import json

import polars as pl
import pytest
from tests.calibration.test_record import check_record

ESTIMANDS = ("mean", "sd", "quantile:0.5", "proportion:ge:2")


def draw_and_fill(bacon, full, *options):
    """Write the pool without labels, draw 200, and fill the sheet with the people's word."""
    human = [name for name in full.columns if name.startswith("human")]
    full.drop(human).write_parquet("pool.parquet")
    ran = bacon("sample", "pool.parquet", "-n", 200, "--seed", 11, *options, "--out", "sheet.csv")
    assert ran.code == 0, ran.err
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    said = full.select(pl.col("item_id").cast(pl.String), pl.col("human").cast(pl.String))
    filled = sheet.drop("score").join(said, on="item_id", how="left", maintain_order="left")
    filled.rename({"human": "score"}).write_csv("sheet.csv")


def estimate(bacon, *options):
    ran = bacon("estimate", "pool.parquet", "--sample", "sheet.csv", *options, "--json")
    assert ran.code == 0, ran.err
    return check_record(json.loads(ran.out))


@pytest.mark.parametrize(
    ("name", "scale"),
    [("hanna", "1:5"), ("llmjudge_trecdl23", "0:3"), ("rewardbench2_runs", "0:1")],
)
def test_every_key_and_an_estimate_near_the_truth(bacon, shared_data, name, scale):
    full = pl.read_parquet(shared_data / f"{name}.parquet")
    draw_and_fill(bacon, full)
    asked = [word for estimand in ESTIMANDS for word in ("--estimand", estimand)]
    record = estimate(bacon, "--scale", scale, *(asked if name != "rewardbench2_runs" else []))
    assert (record["n_items"], record["n_labels"]) == (full.height, 200)
    assert record["design"]["kind"] == "uniform"
    assert abs(record["estimate"] - full["human"].mean()) < 4 * record["se"]
    assert record["effective_labels"] > 200


def test_strata_by_judges_on_a_real_pool(bacon, shared_data):
    full = pl.read_parquet(shared_data / "hanna.parquet")
    draw_and_fill(bacon, full, "--design", "stratified", "--strata", "system")
    record = estimate(bacon, "--scale", "1:5")
    assert record["design"]["kind"] == "stratified"
    assert abs(record["estimate"] - full["human"].mean()) < 4 * record["se"]


def test_classes_on_a_real_pool(bacon, shared_data):
    full = pl.read_parquet(shared_data / "css_stance.parquet")
    draw_and_fill(bacon, full)
    # One class is the text "None", which is no missing value.
    asked = [f"proportion:eq:{word}" for word in ("Against", "Favor", "None")]
    record = estimate(bacon, *(word for name in asked for word in ("--estimand", name)))
    assert record["n_labels"] == 200
    for one in record["estimates"]:
        word = one["estimand"].removeprefix("proportion:eq:")
        assert abs(one["estimate"] - (full["human"] == word).mean()) < 4 * one["se"]
    assert sum(one["estimate"] for one in record["estimates"]) == pytest.approx(1)
    together = estimate(bacon)["classes"]
    for one, alone in zip(together, record["estimates"], strict=True):
        # BLAS adds in another order on some processors.
        same = pytest.approx([alone["estimate"], *alone["ci"]], rel=1e-12)
        assert [one["estimate"], *one["ci"]] == same
