"""Essays once each, of the grade and part that the paper takes, with scores that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.replication.published.published_files import (
    PERSUADE_HEAD,
    PERSUADE_ROWS,
    write_persuade,
)

from bacon.errors import InputError
from bacon.replication.published import persuade

if TYPE_CHECKING:
    from pathlib import Path


def test_essays_of_grade_ten_once_each(tmp_path: Path) -> None:
    write_persuade(tmp_path)
    items = persuade.read_items(tmp_path)
    assert items.table.columns == ["item_id", "human", "assignment", "text"]
    assert items.table["item_id"].to_list() == ["A1", "A2", "A4"]
    assert items.table["human"].to_list() == [4, 6, 2]
    assert items.table["text"][0] == 'The sea, she said, is "wide".\nIt ends.'
    assert items.notices == ()
    assert [check.text for check in items.checks] == [
        "essays of grade 10: 3 (unlike what is published: 4,600)",
        "lowest score: 2 (unlike what is published: 1)",
        "highest score: 6",
        "SD of the scores: 1.633 (unlike what is published: 1.098)",
    ]


@given(st.permutations(PERSUADE_ROWS))
def test_the_order_of_rows_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("persuade")
    write_persuade(folder)
    usual = persuade.read_items(folder).table
    write_persuade(folder, tuple(rows))
    assert persuade.read_items(folder).table.equals(usual)


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = write_persuade(tmp_path)
    usual = persuade.read_items(tmp_path).table
    lines = "\n".join([PERSUADE_HEAD, *PERSUADE_ROWS]).replace("\nIt ends", "\0")
    text = lines.replace("\n", "\r\n").replace("\0", "\nIt ends")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert persuade.read_items(tmp_path).table.equals(usual)


@pytest.mark.parametrize("score", ["7", "0", "4.5", "", "four", "nan", "-1", "1e400"])
def test_scores_that_are_none_are_refused_by_row(tmp_path: Path, score: str) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, f"A9,{score},Text,Seas,10,F"))
    with pytest.raises(InputError, match=r"row 6, column holistic_essay_score: .* is no whole"):
        persuade.read_items(tmp_path)


def test_scores_of_other_grades_are_not_looked_at(tmp_path: Path) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, "A9,none,Text,Seas,11,F", "B1,9,Text,Seas,,F"))
    assert persuade.read_items(tmp_path).table.height == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A2,5,A short essay.,Seas,10,M", "column holistic_essay_score: rows 3 and 6 say diff"),
        ("A2,6,Another essay.,Seas,10,M", "column full_text: rows 3 and 6 say different things"),
        ("A2,6,A short essay.,Cars,10,M", 'column prompt_name: rows 3 and 6 .* essay "A2"'),
        (",6,A short essay.,Seas,10,M", "row 6, column essay_id_comp: it is empty"),
    ],
)
def test_rows_that_contradict_each_other_are_refused(
    tmp_path: Path, row: str, message: str
) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, row))
    with pytest.raises(InputError, match=message):
        persuade.read_items(tmp_path)


def test_the_training_part_is_taken_as_in_the_paper(tmp_path: Path) -> None:
    path = write_persuade(tmp_path)
    rows = [f"{row},{'test' if row[:2] == 'A2' else 'train'}" for row in PERSUADE_ROWS]
    path.write_text("\n".join([f"{PERSUADE_HEAD},competition_set", *rows]))
    items = persuade.read_items(tmp_path)
    assert items.table["item_id"].to_list() == ["A1", "A4"]
    assert [str(note) for note in items.notices] == [
        "1 rows are not of the training part, as in the paper, and are left out."
    ]


def test_essays_without_text_are_left_out_and_told(tmp_path: Path) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, "A9,3, ,Seas,10,F"))
    items = persuade.read_items(tmp_path)
    assert "A9" not in items.table["item_id"].to_list()
    assert [str(note) for note in items.notices] == ["1 essays without a text are left out."]
    write_persuade(tmp_path, ("A9,3,,Seas,10,F",))
    with pytest.raises(InputError, match="no essay of grade 10 has a text"):
        persuade.read_items(tmp_path)


def test_a_file_without_the_grade_or_a_column_is_refused(tmp_path: Path) -> None:
    path = write_persuade(tmp_path, ("A1,4,Text,Seas,8,F",))
    with pytest.raises(InputError, match="column grade_level: no essay is of grade 10"):
        persuade.read_items(tmp_path)
    path.write_text(PERSUADE_HEAD.replace("grade_level", "grade") + "\nA1,4,Text,Seas,10,F\n")
    with pytest.raises(InputError, match="there is no column grade_level; the published file has"):
        persuade.read_items(tmp_path)
    path.write_text("")
    with pytest.raises(InputError, match="is empty"):
        persuade.read_items(tmp_path)


def test_a_pool_like_the_paper_s_agrees_with_what_it_prints(tmp_path: Path) -> None:
    # 4,600 essays whose scores have the SD of the paper's intercept alone, 1.098.
    score = np.repeat([1, 2, 3, 4, 5, 6], [250, 1000, 1700, 1150, 400, 100])
    write_persuade(tmp_path, tuple(f"E{k},{one},Text,Seas,10,F" for k, one in enumerate(score)))
    checks = persuade.read_items(tmp_path).checks
    assert [check.text for check in checks if not check.agrees] == []
    # One score of all would not.
    write_persuade(tmp_path, tuple(f"E{k},3,Text,Seas,10,F" for k in range(4_600)))
    checks = persuade.read_items(tmp_path).checks
    assert [check.what for check in checks if not check.agrees] == [
        "lowest score",
        "highest score",
        "SD of the scores",
    ]


def test_rows_without_a_grade_are_told(tmp_path: Path) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, "A8,2,x,y,ten,F", "A9,2,x,y,,F"))
    told = [one.message for one in persuade.read_items(tmp_path).notices]
    assert told == ["2 rows have no number in the column grade_level, and are left out."]


def test_an_essay_of_two_grades_is_refused(tmp_path: Path) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, "A4,2,Of phones.,Phones,8,F"))
    with pytest.raises(InputError, match="grade_level: rows 5 and 6 say different things"):
        persuade.read_items(tmp_path)
