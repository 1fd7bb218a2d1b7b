from __future__ import annotations

import csv
import json

import polars as pl
import pytest

from bacon.data.design_file import design_path
from bacon.errors import DesignError
from bacon.io import read_pool, read_sample
from bacon.sampling.uniform import UniformDesign


def pool_of(ids):
    return read_pool(
        {"item_id": list(ids), "judge_a": list(range(len(ids))), "text": ["t"] * len(ids)},
        text="text",
    )


@pytest.fixture
def pool():
    return pool_of([f"{k:03d}" for k in range(40)])


@pytest.fixture
def sheet(pool, tmp_path):
    path = tmp_path / "to_label.csv"
    UniformDesign(n=10).draw(pool, seed=3).write(path)
    return path


def change(sheet, edit):
    """Read the rows of the sheet, let `edit` change them, and write them back."""
    with sheet.open(newline="") as file:
        rows = list(csv.reader(file))
    rows = edit(rows)
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def test_a_sample_comes_back_as_it_was_drawn(pool, sheet):
    drawn = UniformDesign(n=10).draw(pool, seed=3)
    for path in (sheet, str(sheet), design_path(sheet)):
        sample = read_sample(path, pool=pool)
        assert sample.same_as(drawn)
        assert sample.sheet is None
        assert sample.notices == ()


def test_whole_number_ids(tmp_path):
    pool = pool_of(range(100, 140))
    UniformDesign(n=5).draw(pool, seed=1).write(tmp_path / "s.csv")
    sample = read_sample(tmp_path / "s.csv", pool=pool)
    assert set(sample.ids.tolist()) <= set(range(100, 140))


def test_the_design_alone_is_enough(pool, sheet):
    sheet.unlink()
    assert read_sample(sheet, pool=pool).n_drawn == 10


def test_the_sheet_alone_is_not(sheet):
    design_path(sheet).unlink()
    with pytest.raises(
        DesignError, match=r"to_label\.csv\.design\.json does not exist; .*keep the two files tog"
    ):
        read_sample(sheet)


def test_a_design_nearby_is_suggested(sheet):
    with pytest.raises(DesignError, match=r"\(did you mean to_label\.csv\.design\.json\?\)"):
        read_sample(sheet.with_name("to_lable.csv"))


def test_filled_in_reordered_and_shortened_sheets_pass_and_are_told(pool, sheet):
    change(sheet, lambda rows: [rows[0], *rows[:0:-1][:7], [""] * len(rows[0])])
    sample = read_sample(sheet, pool=pool)
    assert sample.n_drawn == 10
    assert [notice.code for notice in sample.notices] == ["sheet_rows_missing"]
    assert "lacks 3 of the 10 drawn items" in sample.notices[0].message


def with_id(rows, value):
    rows[1][1] = value
    return rows


@pytest.mark.parametrize("value", ["x1", "999"])
def test_altered_ids(sheet, value):
    change(sheet, lambda rows: with_id(rows, value))
    with pytest.raises(DesignError, match=rf'has 1 items that were not drawn .*"{value}"'):
        read_sample(sheet)


def test_added_rows(pool, sheet):
    undrawn = sorted(set(pool.ids) - set(read_sample(sheet).ids))[0]
    change(sheet, lambda rows: [*rows, ["11", undrawn, *rows[1][2:]]])
    with pytest.raises(DesignError, match=rf'has 1 items that were not drawn .*"{undrawn}"'):
        read_sample(sheet)


def test_zeros_lost_in_a_spreadsheet(sheet):
    change(sheet, lambda rows: [rows[0], *([r[0], str(int(r[1])), *r[2:]] for r in rows[1:])])
    with pytest.raises(DesignError, match="match only without leading zeros"):
        read_sample(sheet)


def test_a_sheet_without_its_id_column(sheet):
    change(sheet, lambda rows: [["order", "item_ids", *rows[0][2:]], *rows[1:]])
    with pytest.raises(DesignError, match=r"no column item_id \(did you mean item_ids\?\)"):
        read_sample(sheet)


def test_another_pool(pool, sheet):
    fewer = pool_of(pool.ids[:20])
    with pytest.raises(
        DesignError,
        match=r"to_label\.csv was drawn from a pool of 40 items, and .* is another one of 20; "
        r"\d+ of the 10 drawn items are not in it",
    ):
        read_sample(sheet, pool=fewer)
    more = pool_of([*pool.ids, "more"])
    with pytest.raises(DesignError, match="of 41; all drawn items are in it, but others differ"):
        read_sample(sheet, pool=more)


def test_a_pool_whose_ids_changed_type(tmp_path):
    text = pool_of(["1", "2", "3"])
    UniformDesign(n=2).draw(text, seed=1).write(tmp_path / "s.csv")
    with pytest.raises(DesignError, match="its ids were text and now are numbers"):
        read_sample(tmp_path / "s.csv", pool=pool_of([1, 2, 3]))


def test_row_order_of_the_pool_does_not_matter(pool, sheet):
    assert read_sample(sheet, pool=pool_of(pool.ids[::-1])).n_drawn == 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe{\x00}\x00", "is not JSON"),
        (b"[]", "design"),
        (b"{}", "design"),
        (b'{"schema": 1}', "design"),
    ],
)
def test_broken_designs(sheet, content, message):
    design_path(sheet).write_bytes(content)
    with pytest.raises(DesignError, match=message):
        read_sample(sheet)


def test_designs_that_were_tampered_with(sheet):
    record = json.loads(design_path(sheet).read_text())
    for field, value in [("n_drawn", 9), ("n_items", 5), ("seed", "x"), ("items", [])]:
        design_path(sheet).write_text(json.dumps({**record, field: value}))
        with pytest.raises(DesignError):
            read_sample(sheet)


def test_a_design_that_is_too_large_is_not_read(sheet):
    with design_path(sheet).open("wb") as file:
        file.truncate(2**28 + 1)
    with pytest.raises(DesignError, match="larger than 268,435,456 bytes"):
        read_sample(sheet)


def test_a_design_that_is_a_directory(tmp_path):
    (tmp_path / "s.csv.design.json").mkdir()
    with pytest.raises(DesignError, match="cannot be read"):
        read_sample(tmp_path / "s.csv")


def test_labels_in_the_sheet_do_not_disturb(pool, sheet):
    frame = pl.read_csv(sheet, infer_schema=False).with_columns(score=pl.lit("3"))
    frame.write_csv(sheet)
    assert read_sample(sheet, pool=pool).n_drawn == 10
