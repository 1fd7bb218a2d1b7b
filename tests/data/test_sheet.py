from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.factories import make_pool

from bacon.data.sample import Sample
from bacon.data.sheet import sheet_frame
from bacon.errors import InputError
from bacon.sampling.uniform import UniformDesign


def census(**columns: list[object] | pl.Series) -> Sample:
    """Draw everything from a pool with these columns."""
    n = len(next(iter(columns.values())))
    sample = UniformDesign(n=n).draw(make_pool(n, columns=columns), seed=0)
    assert sample.sheet is not None
    return sample


def cells(sample: Sample, name: str, heading: str | None = None) -> list[object]:
    """Cells of a shown column in the order of ids."""
    frame, _ = sheet_frame(sample, [name])
    return frame.sort("item_id")[heading or name].to_list()


def test_columns_and_their_order() -> None:
    sample = UniformDesign(n=3).draw(make_pool(9), seed=0)
    frame, notices = sheet_frame(sample, None)
    assert frame.columns == ["order", "item_id", "answer", "score", "comment"]
    assert frame["order"].to_list() == [1, 2, 3]
    assert frame["item_id"].to_list() == sample.ids.tolist()
    assert frame["answer"].to_list() == [f"answer {i - 1}, in words" for i in sample.ids]
    assert frame["score"].null_count() == frame["comment"].null_count() == 3
    assert notices == ()


def test_columns_asked_for_replace_the_text() -> None:
    sample = UniformDesign(n=3).draw(make_pool(9), seed=0)
    for show, shown in (([], []), ("prompt_id", ["prompt_id"]), (["prompt_id"] * 2, ["prompt_id"])):
        frame, _ = sheet_frame(sample, show)
        assert frame.columns == ["order", "item_id", *shown, "score", "comment"]


@pytest.mark.parametrize(
    "name", ["judge_gpt", "judge_llama", "judge_gpt__entropy", "system", "pi", "human"]
)
def test_what_raters_must_not_see_is_refused(name: str) -> None:
    pool = make_pool(4, pi=[0.5] * 4, columns={"human": [1, 2, 3, 4]})
    sample = UniformDesign(n=2).draw(pool, seed=0, hide=["human"])
    with pytest.raises(
        InputError, match=rf"column {name} cannot be shown: the sheet has to be blind"
    ):
        sheet_frame(sample, ["answer", name])


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"no column 'text' to show; give item_id, prompt_id, answer"
    ):
        sheet_frame(census(x=[1]), ["text"])


def test_formulas_in_text_are_made_text_and_told() -> None:
    text = ["=1+1", "+1", "-1", "@sum", "\tx", "\rx", "safe = 1", "", None, " =1"]
    sample = census(x=text)
    expected = ["'=1+1", "'+1", "'-1", "'@sum", "'\tx", "'\rx", "safe = 1", "", None, " =1"]
    assert cells(sample, "x") == expected
    _, (notice, empty) = sheet_frame(sample, ["x"])
    assert notice.code == "formula_cells"
    assert "(6 of 10)" in notice.message
    assert empty.code == "shown_cells_empty"
    assert empty.message == "Column x is empty for 1 of the 10 drawn items."


def test_numbers_stay_numbers() -> None:
    assert cells(census(x=[-1.5, 2.0, None]), "x") == [-1.5, 2.0, None]


def test_categories_are_text() -> None:
    assert cells(census(x=pl.Series(["=a", "b"], dtype=pl.Categorical)), "x") == ["'=a", "b"]


def test_headings_are_neither_formulas_nor_taken() -> None:
    columns = {"=x": ["a"], "comment": ["b"], "score": ["c"], "comment_shown": ["d"]}
    frame, notices = sheet_frame(census(**columns), list(columns)[::-1])
    assert frame.columns == [
        *("order", "item_id", "comment_shown", "score_shown", "comment_shown_shown", "'=x"),
        *("score", "comment"),
    ]
    assert frame.row(0)[2:6] == ("d", "c", "b", "a")
    assert [notice.code for notice in notices] == ["shown_column_renamed"] * 3


def test_lists_are_refused() -> None:
    with pytest.raises(InputError, match=r"column x cannot be shown in a CSV: it holds List"):
        sheet_frame(census(x=[[1], [2]]), ["x"])


@pytest.mark.parametrize("identifier", ["=1", "-7", "007", "@x", "1234567890123456"])
def test_ids_that_a_spreadsheet_changes_are_exact_and_told(identifier: str) -> None:
    sample = UniformDesign(n=2).draw(make_pool(2, ids=[identifier, "fine"]), seed=0)
    frame, (notice,) = sheet_frame(sample, None)
    assert set(frame["item_id"]) == {identifier, "fine"}
    assert notice.code == "ids_spreadsheet"
    assert repr(identifier) in notice.message


def test_ids_that_stay_are_not_told() -> None:
    sample = UniformDesign(n=3).draw(make_pool(3, ids=["0", "a-1", "123456789012345"]), seed=0)
    assert sheet_frame(sample, None)[1] == ()
    numbers = UniformDesign(n=2).draw(make_pool(2, ids=[-5, 12]), seed=0)
    assert sheet_frame(numbers, None)[1] == ()


def test_long_numbers_as_ids_are_told() -> None:
    sample = UniformDesign(n=2).draw(make_pool(2, ids=[-(10**15), 10**15 - 1]), seed=0)
    (notice,) = sheet_frame(sample, None)[1]
    assert "-1000000000000000 (1 of 2)" in notice.message


def test_a_sample_without_its_columns_is_refused() -> None:
    sample = Sample("uniform", {}, 7, 9, "0" * 32, np.array([1]), np.array([1 / 9]))
    with pytest.raises(InputError, match=r"draw it again from the pool with seed 7"):
        sheet_frame(sample, None)
