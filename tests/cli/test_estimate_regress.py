"""`bacon estimate --regress`: coefficients below the estimates, and in the JSON result."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.calibration.cases import essays, people, rows_of

import bacon as package
from bacon.sampling.uniform import UniformDesign

WORDS = ("--judges", "judge_gpt,judge_llama", "--label", "human", "--model", "ridge")


@pytest.fixture(autouse=True)
def _pool_file(tmp_path):
    pool = essays(columns={"length": np.random.default_rng(8).integers(20, 200, 90).tolist()})
    sample = UniformDesign(n=40).draw(pool, seed=3)
    rows = set(rows_of(pool, sample.ids.tolist()))
    human = [value if k in rows else None for k, value in enumerate(people(pool).tolist())]
    table = pool.table.with_columns(human=pl.Series(human, dtype=pl.Float64))
    table.write_csv(tmp_path / "pool.csv")


def expected(folder, columns, **options):
    pool = package.read_pool(
        folder / "pool.csv", judges=["judge_gpt", "judge_llama"], label="human"
    )
    labels = package.read_labels(folder / "pool.csv", value="human")
    return package.calibrate(pool, labels, model="ridge").regression(columns, **options)


def test_the_text_has_the_coefficients(bacon, tmp_path):
    ran = bacon("estimate", "pool.csv", *WORDS, "--regress", "length,system")
    assert ran.code == 0
    lines = ran.out.splitlines()
    head = lines.index(
        "Regression of human over these items (linear: change of the mean label by one unit of a "
        "column):"
    )
    names = [line.split()[0] for line in lines[head + 2 : head + 6]]
    found = expected(tmp_path, ["length", "system"])
    assert names == list(found) == ["intercept", "length", "system=borealis", "system=cygnus"]
    assert f"{found['system=cygnus'].value:.2f}" in lines[head + 5]
    assert any(line.startswith("Note: system: its values are compared with") for line in lines)


def test_the_json_has_them_too(bacon, tmp_path):
    ran = bacon(
        "estimate", "pool.csv", *WORDS, "--regress", "length", "--regress", "judge_gpt",
        "--family", "poisson", "--json",
    )  # fmt: skip
    record = json.loads(ran.out)["regression"]
    found = expected(tmp_path, ["length", "judge_gpt"], family="poisson")
    assert record["family"] == "poisson"
    assert [one["coefficient"] for one in record["coefficients"]] == list(found)
    length = record["coefficients"][1]
    assert length["estimate"] == pytest.approx(found["length"].value)
    assert length["intervals"]["population"]["ci"] == pytest.approx(
        list(found["length"].interval(target="population"))
    )
    assert length["ci_simultaneous"] == pytest.approx(list(found.simultaneous()["length"]))
    assert record["warnings"] == []


def test_without_the_option_there_is_none(bacon):
    ran = bacon("estimate", "pool.csv", *WORDS, "--json")
    assert "regression" not in json.loads(ran.out)


def test_what_cannot_be_regressed_is_refused(refused):
    assert "did you mean length" in refused("estimate", "pool.csv", *WORDS, "--regress", "lenth")
    said = refused("estimate", "pool.csv", *WORDS, "--regress", "length", "--family", "probit")
    assert "family must be one of linear, logistic, poisson; got 'probit'" in said
