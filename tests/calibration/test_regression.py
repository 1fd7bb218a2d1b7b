"""Columns of a pool as a regression of its human outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.calibration.cases import calibrated, drawn, essays, labels_of, people, rows_of

import bacon
from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.regression import regression_estimates

LENGTH = np.random.default_rng(8).integers(20, 200, size=90).tolist()
FLAG = ["yes" if k % 4 else "no" for k in range(90)]


def pool_with(**columns):
    return essays(columns={"length": LENGTH, "flag": FLAG, **columns})


def codes(found):
    return [notice.code for notice in found.notices]


def test_the_design_is_the_columns_and_predictions_are_the_calibrations():
    cal = calibrated(pool_with())
    found = cal.regression(["length", "system"])
    names = ["intercept", "length", "system=borealis", "system=cygnus"]
    assert list(found) == names
    assert found.kind == "coefficient"
    system = cal.pool.table["system"].to_numpy()
    x = np.column_stack([np.ones(90), LENGTH, system == "borealis", system == "cygnus"]).astype(
        float
    )
    expected = regression_estimates(names, x, cal.aligned.y, cal.f, cal.setting)
    for name in names:
        assert found[name].value == expected[name].value
        assert tuple(found[name].interval()) == tuple(expected[name].interval())
    assert codes(found) == ["baseline_chosen"]
    assert "compared with atlas" in found.notices[0].message


def test_a_baseline_can_be_named_and_makes_numbers_categories():
    cal = calibrated(pool_with(year=[2020 + k // 2 % 3 for k in range(90)]))
    found = cal.regression(["system", "year"], baseline={"system": "cygnus", "year": "2021"})
    assert list(found)[1:] == ["system=atlas", "system=borealis", "year=2020", "year=2022"]
    assert codes(found) == []
    with pytest.raises(
        InputError, match="baseline 'cignus' is none of its values; did you mean cy"
    ):
        cal.regression("system", baseline={"system": "cignus"})
    with pytest.raises(InputError, match="baseline names column 'year', which is not in the regr"):
        cal.regression("system", baseline={"year": "2020"})


def test_judges_their_runs_and_truth_values_are_columns():
    cal = calibrated(pool_with(checked=[k % 2 == 0 for k in range(90)]))
    found = cal.regression(["judge_gpt", "checked"], intercept=False)
    assert list(found) == ["judge_gpt", "checked"]


def test_group_differences_are_those_of_group_means():
    cal = calibrated(pool_with())
    found, means = cal.regression("system"), cal.mean(by="system")
    for name in ("borealis", "cygnus"):
        gap = means[name].value - means["atlas"].value
        assert found[f"system={name}"].value == pytest.approx(gap, abs=1e-9)


def test_labels_alone_ignore_the_judges():
    pool = pool_with()
    cal = calibrated(pool)
    alone = cal.regression("length", labels_alone=True)
    rows = cal.aligned.design.rows
    slope, intercept = np.polyfit(np.array(LENGTH)[rows], cal.aligned.y, 1)
    assert alone["length"].value == pytest.approx(slope)
    assert alone["intercept"].value == pytest.approx(intercept)


def test_a_csv_whose_cells_are_text(tmp_path):
    pool = pool_with()
    pool.table.with_columns(human=pl.Series(people(pool))).write_csv(tmp_path / "pool.csv")
    read = bacon.read_pool(tmp_path / "pool.csv", label="human", judges="judge_*")
    labels = bacon.read_labels(tmp_path / "pool.csv", value="human")
    found = bacon.calibrate(read, labels, model="human-only").regression(["length", "flag"])
    assert list(found) == ["intercept", "length", "flag=yes"]


def test_missing_values_are_counted_with_their_rows():
    holes = [None if k in (3, 5, 8) else value for k, value in enumerate(LENGTH)]
    cal = calibrated(pool_with(length=holes, flag=[None, *FLAG[1:]]))
    with pytest.raises(InputError, match=r"column length: 3 of 90 items .* \(rows 4, 6, 9\).*fill"):
        cal.regression("length")
    with pytest.raises(InputError, match=r"column flag: 1 of 90 items have no value \(rows 1\)"):
        cal.regression("flag")


def test_a_value_without_labels_is_refused():
    pool = pool_with()
    sample, _ = drawn(pool)
    labelled = rows_of(pool, sample.ids.tolist())
    rare = ["rare" if k not in labelled else "usual" for k in range(90)]
    cal = calibrated(pool_with(kind=rare))
    with pytest.raises(TooFewLabelsError, match=r"column kind: 1 of its 2 values .*: rare \(0\)"):
        cal.regression("kind")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("lenght", "no column 'lenght' for the regression; did you mean length"),
        (["length", "length"], "column length is named 2 times"),
        ([3], "columns are named in words"),
        (["judge_gpt", "twice"], "intercept, judge_gpt, twice: over all items|judge_gpt, twice"),
    ],
)
def test_columns_that_cannot_be_used(columns, words):
    pool = essays()
    twice = (2 * pool.table["judge_gpt"] + 1).to_list()
    cal = calibrated(pool_with(twice=twice))
    with pytest.raises(InputError, match=words):
        cal.regression(columns)


def test_no_column_and_no_intercept():
    with pytest.raises(InputError, match="a regression needs a column, or an intercept"):
        calibrated().regression([], intercept=False)


def test_labels_in_words_and_an_unknown_family_are_refused():
    pool = pool_with()
    words = np.where(people(pool) > 3.5, "good", "bad").tolist()
    sample, _ = drawn(pool)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()), verdict=words)
    cal = bacon.calibrate(pool, labels, sample=sample)
    with pytest.raises(InputError, match="labels of verdict are words"):
        cal.regression("length", family="logistic")
    with pytest.raises(InputError, match="family must be one of"):
        calibrated(pool).regression("length", family="gamma")


def test_raters_are_told_of_and_frames_come_back_in_their_library():
    cal = replace(calibrated(pool_with()), raters="like-them")
    assert "raters_not_counted" in codes(cal.regression("length"))
    frame = cal.regression("length").to_frame()
    assert frame.columns[:2] == ["coefficient", "estimate"]
