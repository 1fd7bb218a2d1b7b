"""Pages with their ratings and screenshots: what is missing is left out and told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.replication.published.published_files import WEB_HEAD, WEB_ROWS, write_webdesign

from bacon.errors import InputError
from bacon.replication.published import webdesign

if TYPE_CHECKING:
    from pathlib import Path

ALL = ("uni1", "uni2", "uni3")


def test_pages_with_screenshots_are_kept(tmp_path: Path) -> None:
    write_webdesign(tmp_path)
    items = webdesign.read_items(tmp_path)
    assert items.labels == ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")
    assert items.table.columns == ["item_id", *items.labels, "screenshot"]
    assert items.table["item_id"].to_list() == ["uni1.png", "uni2.png"]
    assert items.table["US"].to_list() == [1.25, -1.25]
    assert items.table["screenshot"][0] == str(tmp_path / "universities.part1" / "uni1.jpg")
    assert [str(note) for note in items.notices] == [
        "1 pages without a screenshot are left out: uni3.png."
    ]
    assert [check.text for check in items.checks] == [
        "largest mean of a rating (z-scores): 0",
        "average SD of the ratings: 0.392 (unlike what is published: 0.699)",
    ]


@given(st.permutations(WEB_ROWS))
def test_the_order_of_rows_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("webdesign")
    write_webdesign(folder)
    usual = webdesign.read_items(folder).table
    write_webdesign(folder, tuple(rows))
    assert webdesign.read_items(folder).table.equals(usual)


@pytest.mark.parametrize("missing", ["NA", "", "NaN", " NA "])
def test_pages_without_a_rating_are_left_out_as_in_the_paper(tmp_path: Path, missing: str) -> None:
    write_webdesign(tmp_path, (*WEB_ROWS[:2], f"uni3.png\t0\t0\t{missing}\t0\t0\t0"), shown=ALL)
    items = webdesign.read_items(tmp_path)
    assert items.table["item_id"].to_list() == ["uni1.png", "uni2.png"]
    assert [str(note) for note in items.notices] == [
        "1 pages without one of the six ratings are left out: uni3.png."
    ]


def test_quotes_of_r_are_taken_off(tmp_path: Path) -> None:
    path = write_webdesign(tmp_path)
    usual = webdesign.read_items(tmp_path).table
    head = "\t".join(f'"{name}"' for name in WEB_HEAD.split("\t"))
    rows = [row.replace(".png", '.png"').replace("uni", '"uni') for row in WEB_ROWS]
    path.write_text("\n".join([head, *rows]))
    assert webdesign.read_items(tmp_path).table.equals(usual)


def test_the_same_row_again_counts_once(tmp_path: Path) -> None:
    write_webdesign(tmp_path, (*WEB_ROWS, WEB_ROWS[0]), shown=ALL)
    items = webdesign.read_items(tmp_path)
    assert items.table.height == 3
    assert [note.code for note in items.notices] == ["pages_repeated"]


@pytest.mark.parametrize("name", ["ratings.csv", "ratings.avg.unis.csv"])
def test_commas_are_read_by_the_ending(tmp_path: Path, name: str) -> None:
    path = write_webdesign(tmp_path)
    usual = webdesign.read_items(tmp_path).table
    (tmp_path / name).write_text(path.read_text().replace("\t", ","))
    path.unlink()
    assert webdesign.read_items(tmp_path).table.equals(usual)


@pytest.mark.parametrize(
    ("rows", "shown", "message"),
    [
        (
            (WEB_ROWS[0], WEB_ROWS[1].replace("uni2", "uni1")),
            ALL,
            '"uni1.png" stands in rows 1 and 2 with different ratings',
        ),
        (("uni1.png\tnone\t0\t0\t0\t0\t0",), ALL, 'row 1, column AE: "none" is no number'),
        (("uni1.png\t0\t0\t0\t0\t0\tinf",), ALL, 'row 1, column US: "inf" is no number'),
        (("uni1.png\t0\t0\t0",), ALL, "row 1 has 4 cells between tabs where the header has 7"),
        ((" \t0\t0\t0\t0\t0\t0",), ALL, "row 1, column stimulusId: it is empty"),
        (WEB_ROWS, (), "holds no screenshot of any page, such as uni1.jpg; they are in universit"),
        ((), ALL, "has no rows below a header"),
    ],
)
def test_ratings_that_cannot_be_are_refused(
    tmp_path: Path, rows: tuple[str, ...], shown: tuple[str, ...], message: str
) -> None:
    write_webdesign(tmp_path, rows, shown=shown)
    with pytest.raises(InputError, match=message):
        webdesign.read_items(tmp_path)


def test_of_different_images_the_one_of_the_universities_is_taken(tmp_path: Path) -> None:
    write_webdesign(tmp_path)
    for folder, content in (("banks.part1", b"another page"), ("copies", b"not opened")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "uni1.jpg").write_bytes(content)
    (tmp_path / "copies" / "uni2.jpg").write_bytes(b"not opened")
    items = webdesign.read_items(tmp_path)
    assert items.table["screenshot"][0] == str(tmp_path / "universities.part1" / "uni1.jpg")
    several = [str(note) for note in items.notices if note.code == "screenshots_several"]
    # A copy with the same bytes, such as that of uni2, is no other image.
    assert several == [
        f"1 pages have different images of their name below {tmp_path}, such as uni1.png; the "
        "first by path is taken."
    ]
