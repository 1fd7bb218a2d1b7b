"""The value: words, tables, frames, JSON and HTML of one calibration."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.calibration.cases import SCALE, calibrated, essays, labels_of, people

from bacon.calibration.calibrate import calibrate
from bacon.calibration.diagnostics.measures import UNKNOWN, Measure
from bacon.calibration.diagnostics.tables import Column, Table, shown
from bacon.errors import InputError
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "dict": dict}


@pytest.fixture(scope="module")
def found():
    return calibrated(essays(200), 80, scale=SCALE).diagnostics()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Measure(0.5, 0.1, 0.3, 0.7), "0.50 (0.30 to 0.70)"),
        (Measure(0.5), "0.50"),
        (UNKNOWN, ""),
        (float("nan"), ""),
        (1234, "1,234"),
        (1234.4, "1,234"),
        (0.0384, "0.038"),
        (0.0, "0.000"),
        (1.7e-11, "1.7e-11"),
        (3.2e150, "3.2e+150"),
        ("judge", "judge"),
    ],
)
def test_figures_for_people(value, text):
    assert shown(value) == text


def test_a_table_drops_columns_without_content_and_lines_up():
    columns = (Column("name", ""), Column("r2", "R2"), Column("kappa", "kappa"))
    rows = (
        {"name": "a", "r2": Measure(0.5), "kappa": UNKNOWN},
        {"name": "long", "r2": UNKNOWN, "kappa": UNKNOWN},
    )
    table = Table("Title", columns, rows)
    assert table.to_text() == "Title\n        R2\n  a     0.50\n  long"
    assert table.to_html() == (
        "<table><caption>Title</caption><tr><th></th><th>R2</th></tr><tr><td>a</td><td>0.50</td>"
        "</tr><tr><td>long</td><td></td></tr></table>"
    )
    frame = table.to_frame("polars")
    assert frame.columns[:5] == ["name", "r2", "r2_se", "r2_low", "r2_high"]
    assert frame["r2"][0] == 0.5
    assert math.isnan(frame["r2"][1])


def test_text_has_every_judge_and_every_section(found):
    text = str(found)
    for part in ("ridge, out of fold", "raw judge average", "judge_gpt", "judge_llama"):
        assert part in text
    assert "How well each follows the labels" in text
    assert "Predictions (out of fold) against labels" in text
    assert "What errors go with" in text
    assert text.startswith("\n".join(found.sentences()))
    assert repr(found) == "\n".join(found.sentences())


def test_html_escapes_names():
    table = {
        "item_id": list(range(40)),
        "judge_<b>": [float(k % 6) for k in range(40)],
        "human": [float(k % 5) if k % 2 else None for k in range(40)],
    }
    pool = read_pool(table, label="human")
    cal = calibrate(pool, read_labels(table, value="human"), model="ridge")
    text = cal.diagnostics()._repr_html_()
    assert "judge_&lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count("<table>") == text.count("</table>") >= 1


@pytest.mark.parametrize("library", FRAMES)
def test_frames_come_in_the_library_of_the_pool(library):
    table = essays().table.select("item_id", "judge_gpt", "judge_llama").to_dict(as_series=False)
    table["human"] = [y if k % 2 == 0 else None for k, y in enumerate(people(essays()).tolist())]
    source = FRAMES[library](table)
    cal = calibrate(
        read_pool(source, label="human"),
        read_labels(source, value="human"),
        scale=SCALE,
        model="ridge",
    )
    kind = pl.DataFrame if library == "dict" else FRAMES[library]
    kind = pa.Table if library == "pyarrow" else kind
    found = cal.diagnostics()
    for which in ("fits", "curve", "drivers"):
        assert isinstance(found.to_frame(which), kind), which
    fits = found.to_frame()
    plain = pl.DataFrame(
        fits.to_pydict() if library == "pyarrow" else {c: list(fits[c]) for c in fits.columns}
    )
    assert plain.columns[:5] == ["name", "kind", "n", "r2", "r2_se"]
    assert plain["name"].to_list() == [
        "ridge, out of fold",
        "raw judge average",
        "judge_gpt",
        "judge_llama",
    ]
    assert plain["n"].to_list() == [45] * 4


def test_frames_that_are_none(found):
    with pytest.raises(InputError, match='which must be "fits", "curve" or "drivers"'):
        found.to_frame("gain")
    few = calibrated(n=20).diagnostics()
    with pytest.raises(InputError, match="20 labels are too few, 30 make one"):
        few.to_frame("curve")


def check_reasons(record):
    for key, value in record.items():
        if isinstance(value, dict):
            check_reasons(value)
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, dict):
                    check_reasons(part)
        elif value is None:
            assert record.get(f"{key}_reason") or record.get("reason"), key


def test_the_record_is_strict_json_with_reasons(found):
    few = calibrated(n=6).diagnostics()
    alone = calibrated(model="human-only").diagnostics()
    pool = essays()
    words = np.where(people(pool) > 3, "good", "bad").tolist()
    of_words = calibrate(pool, labels_of(pool, range(0, 90, 2), human=words)).diagnostics()
    alike = calibrate(pool, labels_of(pool, range(0, 90, 2), human=[4.0] * 90)).diagnostics()
    for one in (found, few, alone, of_words, alike):
        record = json.loads(json.dumps(one.to_dict(), allow_nan=False))
        check_reasons(record)
        assert set(record) >= {"level", "gain", "fits", "curve", "drivers", "sentences"}
        assert record["sentences"] == list(one.sentences())
        assert record["gain"]["verdict"] == one.gain.verdict
        assert len(record["drivers"]) == len(one.drivers)
    assert few.to_dict()["curve_reason"] == "6 labels are too few, 30 make one"
    assert alone.to_dict()["curve_reason"] == "no model is fitted"


def test_no_gain_is_warned_of(found):
    assert found.gain.verdict == "gain"
    assert found.notices == ()
    pool = essays(200)
    rng = np.random.default_rng(3)
    y = rng.integers(1, 7, 200).astype(float).tolist()
    useless = calibrate(pool, labels_of(pool, range(0, 200, 4), human=y)).diagnostics()
    assert [notice.code for notice in useless.notices] == ["no_gain"]
    assert useless.notices[0].message == useless.sentences()[0]
