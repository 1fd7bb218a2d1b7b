"""Fit with all labels revealed, against scikit-learn's own cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import spearmanr
from sklearn.linear_model import LinearRegression, RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from tests.replication.cases import TOML, items, study_folder

from bacon.replication.ablations import EPSILON, ablations, has_runs, with_log_variance
from bacon.replication.oracle import oracle_table, system_table, variance_table
from bacon.replication.study import read_study

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.replication.study import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """The small study, with embeddings."""
    return read_study(study_folder(tmp_path, embedded=True))


def rows_of(table: pl.DataFrame) -> dict[str, dict[str, float]]:
    """The rows by configuration."""
    return {row["configuration"]: row for row in table.iter_rows(named=True)}


def test_every_ablation_has_a_row(study: Study) -> None:
    table = oracle_table(study.parts[0], "ridge")
    assert table["configuration"].to_list() == [
        "full",
        "judges",
        "single+embeddings",
        "single",
        "embeddings",
        "human-only",
        "raw-judges",
        "raw-single",
    ]
    rows = rows_of(table)
    assert rows["full"]["r2"] > rows["single"]["r2"] > rows["embeddings"]["r2"]
    assert rows["human-only"]["r2"] == pytest.approx(0.0, abs=1e-9)
    assert rows["human-only"]["spearman"] is None
    assert rows["single"]["judges"] == 2
    assert not rows["raw-judges"]["calibrated"]
    # One judge is on the labels' scale: its run mean, as it is.
    raw = items().select(pl.mean_horizontal("judge_a_run1", "judge_a_run2")).to_series().to_numpy()
    y = items()["human"].to_numpy()
    assert rows["raw-judges"]["rmse"] == pytest.approx(np.sqrt(np.mean((y - raw) ** 2)))
    assert rows["raw-judges"]["spearman"] == pytest.approx(spearmanr(raw, y).statistic)


def test_ridge_on_one_judge_is_near_plain_cross_validation(study: Study) -> None:
    y = items()["human"].to_numpy()
    fits = []
    for column in (["judge_a_run1", "judge_a_run2"], ["judge_b"]):
        x = items().select(pl.mean_horizontal(column)).to_numpy()
        f = cross_val_predict(LinearRegression(), x, y, cv=KFold(5, shuffle=True, random_state=0))
        fits.append(1.0 - np.sum((y - f) ** 2) / np.sum((y - y.mean()) ** 2))
    ours = rows_of(oracle_table(study.parts[0], "ridge"))["single"]["r2"]
    assert ours == pytest.approx(np.mean(fits), abs=0.03)


def test_log_variance_replaces_the_spread(study: Study) -> None:
    pool = study.parts[0].pool
    assert has_runs(pool)
    changed = with_log_variance(pool)
    a, b = (items()[f"judge_a_run{k}"].to_numpy() for k in (1, 2))
    expected = np.log((a - b) ** 2 / 2.0 + EPSILON)
    assert changed.feature_names == ("log variance of judge_a",)
    assert changed.features[:, 0] == pytest.approx(expected)
    assert changed.judges[0].scores[:, 0] == pytest.approx((a + b) / 2.0)
    assert not has_runs(changed)
    table = variance_table(study.parts[0])
    assert table is not None
    assert table["configuration"].to_list() == [
        "sqrt-hurdle-ridge",
        "sqrt-ridge",
        "log-hurdle-ridge",
        "log-ridge",
    ]


def test_without_runs_there_is_no_variance(tmp_path: Path) -> None:
    study = read_study(study_folder(tmp_path, TOML.replace("judge_*", "judge_b")))
    assert variance_table(study.parts[0]) is None


def test_systems_are_fitted_together_and_apart(study: Study) -> None:
    table = system_table(study.parts[0], "ridge")
    assert set(table["configuration"]) == {"full", "judges", "embeddings", "human-only"}
    full = table.filter(pl.col("configuration") == "full")
    assert full["group"].to_list() == ["atlas", "borealis", "cygnus", None] * 2
    whole = oracle_table(study.parts[0], "ridge")
    pooled = full.filter(pl.col("pooling") == "pooled", pl.col("group").is_null())
    assert pooled["r2"].item() == rows_of(whole)["full"]["r2"]


def test_a_system_apart_is_a_ridge_of_its_own_items(study: Study) -> None:
    part = study.parts[0]
    apart = system_table(part, "ridge").filter(
        configuration="judges", pooling="none", group="cygnus"
    )
    rows, own = part.groups["cygnus"]
    x = np.column_stack([one.scores.mean(axis=1) for one in own.pool.judges])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    said = cross_val_predict(
        RidgeCV(np.logspace(-3, 3, 13)), x, own.y, cv=KFold(5, shuffle=True, random_state=0)
    )
    plain = 1.0 - np.sum((own.y - said) ** 2) / np.sum((own.y - own.y.mean()) ** 2)
    assert len(rows) == 60
    assert apart["r2"].item() == pytest.approx(plain, abs=0.06)


def test_a_pool_without_embeddings_has_no_row_about_them(tmp_path: Path) -> None:
    pool = read_study(study_folder(tmp_path)).parts[0].pool
    assert [one.name for one in ablations(pool)] == ["full", "human-only", "raw-judges"]
