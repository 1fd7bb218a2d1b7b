"""Saved calibrations that were damaged, changed or made up: refused, and nothing in them runs."""

from __future__ import annotations

import hashlib
import io
import json
import pickle

import numpy as np
import pytest
from tests.calibration.cases import SCALE, calibrated

from bacon.calibration.saved import load_calibration
from bacon.errors import InputError

COEF = "a0"
"""The array with the coefficients of the first fold model."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    calibrated(scale=SCALE).save(folder / "cal")
    calibrated(n=40).save(folder / "other")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def digest(content):
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def signed(record):
    """The JSON file of a record whose checksum somebody made right again."""
    bare = {key: value for key, value in record.items() if key != "blake2b"}

    def text(value):
        return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).encode()

    return text({**bare, "blake2b": digest(text(bare))})


def refused(folder, json_bytes, npz_bytes, text=r"cal\.json: is not a calibration .*or is damaged"):
    (folder / "cal.json").write_bytes(json_bytes)
    (folder / "cal.npz").write_bytes(npz_bytes)
    with pytest.raises(InputError, match=text):
        load_calibration(folder / "cal")


def test_the_checksum_of_these_tests_is_the_one_written(files):
    record = json.loads(files["cal.json"])
    assert signed(record) == files["cal.json"]
    assert record["model"]["members"][0]["coef_"] == {"array": COEF}
    assert arrays_of(files["cal.npz"])[COEF].shape == (len(record["columns"]),)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["columns"][0].update(centre=r["columns"][0]["centre"] + 1e-9),
        lambda r: r["columns"][0].update(source="judge_llama"),
        lambda r: r["columns"].reverse(),
        lambda r: r.update(scale=[1.0, 7.0]),
        lambda r: r.update(scale=None),
        lambda r: r["result"].update(estimate=6.0),
        lambda r: r.update(summary="People would score these items 6."),
        lambda r: r.update(blake2b="0" * 32),
        lambda r: r.pop("blake2b"),
        lambda r: r.update(more=1),
    ],
)
def test_any_change_of_the_json_is_seen(tmp_path, files, change):
    record = json.loads(files["cal.json"])
    change(record)
    refused(tmp_path, json.dumps(record, indent=1, sort_keys=True).encode(), files["cal.npz"])


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"schema": "bacon-calibration/1"}'],
)
def test_a_file_that_is_no_calibration(tmp_path, files, content):
    refused(tmp_path, content, files["cal.npz"])


def test_not_a_number_is_no_json(tmp_path, files):
    broken = files["cal.json"].replace(b'"level": 0.95', b'"level": NaN')
    assert broken != files["cal.json"]
    refused(tmp_path, broken, files["cal.npz"])


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(schema="bacon-calibration/1"),
        lambda r: r.pop("model"),
        lambda r: r.update(model=None),
        lambda r: r["model"].update(kind="os.system"),
        lambda r: r["model"]["members"][0].update(kind="Calibration"),
        lambda r: r["model"]["members"][0].pop("intercept_"),
        lambda r: r["model"].update(weights_={"array": "none"}),
        lambda r: r["model"]["members"][0].update(intercept_={"number": "nan"}),
        lambda r: r.pop("columns"),
        lambda r: r.update(columns=3),
        lambda r: r.update(columns=[3]),
        lambda r: r["columns"][0].update(more=1),
        lambda r: r["columns"].pop(),
        lambda r: r.update(scale=[1]),
        lambda r: r.pop("result"),
    ],
)
def test_a_record_made_wrong_with_a_right_checksum(tmp_path, files, change):
    record = json.loads(files["cal.json"])
    change(record)
    refused(tmp_path, signed(record), files["cal.npz"])


def test_swapped_files_do_not_belong_together(tmp_path, files):
    text = r"cal\.npz: does not belong to cal\.json; the two files were not saved together"
    refused(tmp_path, files["cal.json"], files["other.npz"], text)
    refused(tmp_path, files["other.json"], files["cal.npz"], text)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:-30],
        lambda content: content + b"\0",
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda _: b"",
    ],
)
def test_any_change_of_the_arrays_is_seen(tmp_path, files, change):
    refused(tmp_path, files["cal.json"], change(files["cal.npz"]), "does not belong to")


class Trap:
    """An object that leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


def arrays_of(content):
    with np.load(io.BytesIO(content)) as stored:
        return {name: stored[name] for name in stored.files}


def as_npz(arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_pickled_arrays_are_refused_and_never_run(tmp_path, files):
    trap = Trap(str(tmp_path / "sprung"))
    arrays = arrays_of(files["cal.npz"])
    for payload in (
        as_npz({**arrays, COEF: np.array([trap], dtype=object)}),
        as_npz({**arrays, "more": np.array([trap], dtype=object)}),
        npy(np.array([trap], dtype=object)),
        pickle.dumps(trap),
    ):
        record = json.loads(files["cal.json"]) | {"arrays_blake2b": digest(payload)}
        refused(tmp_path, signed(record), payload)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"",
        lambda _: b"PK\x03\x04 and no more",
        lambda _: b"no arrays",
        lambda a: as_npz(a)[:-30],
        lambda a: npy(a[COEF]),
        lambda a: as_npz({COEF: a[COEF]}),
        lambda a: as_npz({**a, COEF: a[COEF][:1]}),
        lambda a: as_npz({**a, COEF: a[COEF][:, None]}),
        lambda a: as_npz({**a, COEF: np.array(["import os"])}),
    ],
)
def test_arrays_made_wrong_with_right_checksums(tmp_path, files, change):
    payload = change(arrays_of(files["cal.npz"]))
    record = json.loads(files["cal.json"]) | {"arrays_blake2b": digest(payload)}
    refused(tmp_path, signed(record), payload)


def test_a_missing_half_is_named(tmp_path, files):
    (tmp_path / "cal.json").write_bytes(files["cal.json"])
    with pytest.raises(InputError, match=r"cal\.npz cannot be read \(No such file"):
        load_calibration(tmp_path / "cal")
    with pytest.raises(InputError, match=r"none\.json and none\.npz together"):
        load_calibration(tmp_path / "none")
