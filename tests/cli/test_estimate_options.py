"""`bacon estimate`: estimands, models, features, and files of every kind."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.calibration.test_record import check_record
from tests.cli.test_estimate import RIDGE, json_of

from bacon.io.pools import read_pool

N = 90


def test_several_estimands(bacon, one):
    asked = ["mean", "sd", "variance", "quantile:0.5", "proportion:ge:4", "proportion:eq:3"]
    options = [word for name in asked for word in ("--estimand", name)]
    record = json_of(bacon("estimate", one, "--label", "human", *RIDGE, *options, "--json"))
    assert [one["estimand"] for one in record["estimates"]] == asked
    assert record["estimates"][2]["estimate"] == pytest.approx(
        record["estimates"][1]["estimate"] ** 2
    )
    text = bacon("estimate", one, "--label", "human", *RIDGE, *options).out
    assert text.count("half-width") == len(asked)


def test_target_level_seed_and_better(bacon, one):
    options = ["--target", "population", "--level", 0.8, "--seed", 5, "--better", "lower"]
    ran = bacon("estimate", one, "--label", "human", *RIDGE, *options, "--json")
    record = check_record(json.loads(ran.out), "population")
    found = [record[key] for key in ("target", "level", "seed", "better")]
    assert found == ["population", 0.8, 5, "lower"]


def test_models_and_cross_fitting(bacon, one):
    start = ["estimate", one, "--label", "human", "--json"]
    usual, refit = json_of(bacon(*start)), json_of(bacon(*start, "--crossfit", "refit"))
    assert refit["estimate"] != usual["estimate"]
    ridge = json_of(bacon(*start, *RIDGE))
    assert ridge["model_weights"] == {"ridge": 1.0}
    alone = json_of(bacon(*start, "--model", "human-only"))
    assert alone["estimate"] == pytest.approx(usual["human_only"]["estimate"], rel=1e-14)
    assert alone["model_weights"] == {"human-only": 1.0}


def test_embeddings_features_and_clusters(bacon, one, truth):
    start = ["estimate", one, "--label", "human", *RIDGE, "--json"]
    plain = json_of(bacon(*start))
    rng = np.random.default_rng(4)
    seen = rng.normal(size=(N, 4))
    seen[:, 1] += 2.0 * truth
    np.save("seen.npy", seen)
    embedded = json_of(bacon(*start, "--embeddings", "seen.npy"))
    assert embedded["r2"] > plain["r2"]
    assert "embeddings_by_row" in [warning["code"] for warning in embedded["warnings"]]
    vectors = {f"e{k}": seen[:, k] for k in range(4)}
    ids = read_pool(one, label="human").ids.tolist()
    pl.DataFrame({"item_id": ids, **vectors}).reverse().write_parquet("seen.parquet")
    named = json_of(bacon(*start, "--embeddings", "seen.parquet"))
    assert named["estimate"] == pytest.approx(embedded["estimate"], rel=1e-10)
    featured = json_of(bacon(*start, "--features", "chance"))
    assert featured["estimate"] != plain["estimate"]
    clustered = json_of(bacon(*start, "--cluster", "prompt_id"))
    assert clustered["intervals"]["population"]["se"] != plain["intervals"]["population"]["se"]


def test_long_files_of_judges(bacon, one):
    wide = json_of(bacon("estimate", one, "--label", "human", *RIDGE, "--json"))
    pl.read_csv("one.csv").unpivot(
        ["judge_gpt", "judge_llama"], index=["item_id", "human"], variable_name="who"
    ).write_csv("long.csv")
    roles = ["--judge-column", "who", "--judges", "value"]
    long = json_of(bacon("estimate", "long.csv", "--label", "human", *RIDGE, *roles, "--json"))
    assert long["estimate"] == pytest.approx(wide["estimate"], rel=1e-12)


@pytest.mark.parametrize("ids", ["{}.0", "{:03d}", "k{}"])
def test_ids_of_every_kind_in_one_file(bacon, table, ids):
    labelled = pl.int_range(pl.len()) % 3 == 0
    frame = table.with_columns(
        item_id=pl.Series([ids.format(k) for k in range(N)]),
        human=pl.when(labelled).then("people"),
    )
    frame.drop("people").write_csv("one.csv")
    record = json_of(bacon("estimate", "one.csv", "--label", "human", *RIDGE, "--json"))
    assert record["n_labels"] == 30


def test_judges_are_named_by_globs_commas_and_repeats(bacon, one):
    start = ["estimate", one, "--label", "human", *RIDGE, "--json"]
    usual = json_of(bacon(*start))
    for options in (
        ["--judges", "judge_*"],
        ["--judges", "judge_gpt,judge_llama"],
        ["--judges", "judge_gpt", "--judges", "judge_llama"],
    ):
        assert json_of(bacon(*start, *options)) == usual
    alone = json_of(bacon(*start, "--judges", "judge_gpt"))
    assert [judge["name"] for judge in alone["judges"]] == ["judge_gpt"]


def test_other_formats_hold_the_same(bacon, one):
    csv = json_of(bacon("estimate", one, "--label", "human", *RIDGE, "--json"))
    frame = pl.read_csv(one)
    frame.write_parquet("one.parquet")
    frame.write_ndjson("one.jsonl")
    frame.write_csv("one.tsv", separator="\t")
    for name in ("one.parquet", "one.jsonl", "one.tsv"):
        assert json_of(bacon("estimate", name, "--label", "human", *RIDGE, "--json")) == csv


def test_values_that_mean_missing(bacon, table):
    score = pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("-")).otherwise("judge_gpt")
    human = pl.when(pl.int_range(pl.len()) % 3 == 0).then(pl.col("people").cast(pl.String))
    frame = table.with_columns(judge_gpt=score, human=human.fill_null("-"))
    frame.drop("people").write_csv("m.csv")
    record = json_of(bacon("estimate", "m.csv", "--label", "human", *RIDGE, "--na", "-", "--json"))
    assert record["n_labels"] == 30
    assert record["judges"][0]["missing"] == 1
