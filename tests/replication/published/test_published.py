"""The paper's public files: scores by hand, and what is not as published is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.replication.published.published_files import (
    MQM_HEAD,
    MQM_ROWS,
    MQM_SCORES,
    PERSUADE_ROWS,
    WEB_ROWS,
    write_mqm,
    write_persuade,
    write_webdesign,
)

from bacon.config import parse_config
from bacon.engine.embedding.request import requested
from bacon.engine.judging import judging
from bacon.errors import InputError
from bacon.replication.printed import PRINTED
from bacon.replication.published import mqm, persuade, webdesign
from bacon.replication.published.configs import CONFIGS
from bacon.replication.published.prepare import prepare_study
from bacon.replication.study import read_study

if TYPE_CHECKING:
    from pathlib import Path


def test_essays_of_grade_ten_once_each(tmp_path: Path) -> None:
    write_persuade(tmp_path)
    items = persuade.read_items(tmp_path)
    assert items.table.columns == ["item_id", "human", "assignment", "text"]
    assert items.table["item_id"].to_list() == ["A1", "A2", "A4"]
    assert items.table["human"].to_list() == [4, 6, 2]
    assert items.table["text"][0] == 'The sea, she said, is "wide".\nIt ends.'
    assert items.checks[0].text == "essays of grade 10: 3 (unlike what is published: 4,600)"
    assert items.checks[1].text == "lowest score: 2 (unlike what is published: 1)"
    assert items.checks[2].text == "highest score: 6"


@pytest.mark.parametrize("score", ["7", "0", "4.5", "", "four", "nan"])
def test_scores_that_are_none_are_refused_by_row(tmp_path: Path, score: str) -> None:
    write_persuade(tmp_path, (*PERSUADE_ROWS, f"A9,{score},Text,Seas,10,F"))
    with pytest.raises(InputError, match=r"row 6, column holistic_essay_score: .* is no whole"):
        persuade.read_items(tmp_path)


def test_weights_are_summed_by_rater_and_averaged(tmp_path: Path) -> None:
    write_mqm(tmp_path)
    table = mqm.read_items(tmp_path).table
    found = dict(table.select("item_id", "human").iter_rows())
    assert found == pytest.approx(MQM_SCORES)
    row = table.filter(item_id="OPPO:1").row(0, named=True)
    # Marks are taken out, a lone quote is a sign like others.
    assert row["target"] == "Er sagte nie."
    assert row["source"] == 'He said "no.'
    assert row["n_raters"] == 2


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_rows_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("mqm")
    order = np.random.default_rng(seed).permutation(len(MQM_ROWS))
    write_mqm(folder, tuple(MQM_ROWS[k] for k in order))
    table = mqm.read_items(folder).table
    assert dict(table.select("item_id", "human").iter_rows()) == pytest.approx(MQM_SCORES)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_a_byte_order_mark_and_other_line_ends_do_not_matter(tmp_path: Path, end: str) -> None:
    path = write_mqm(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", end.encode()))
    found = dict(mqm.read_items(tmp_path).table.select("item_id", "human").iter_rows())
    assert found == pytest.approx(MQM_SCORES)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("S\td\t1\t1\tr\ts\tt\tStyle\tTerrible", 'row 8, column severity: "Terrible"'),
        ("S\td\t1\t1\tr\ts\tt\t\tMinor", "row 8, column category: it is empty"),
        ("\td\t1\t1\tr\ts\tt\tStyle\tMinor", "row 8, column system: it is empty"),
        ("S\td\t1\t1\tr\ts\tt\tStyle\tMinor\tmore", "cannot be read as published"),
    ],
)
def test_an_error_without_a_weight_is_never_a_zero(tmp_path: Path, row: str, message: str) -> None:
    write_mqm(tmp_path, (*MQM_ROWS, row))
    with pytest.raises(InputError, match=message):
        mqm.read_items(tmp_path)


def test_pages_with_screenshots_are_kept(tmp_path: Path) -> None:
    write_webdesign(tmp_path)
    items = webdesign.read_items(tmp_path)
    assert items.labels == ("AE", "TRU", "TYP", "EXMPL", "AVG", "US")
    assert items.table["item_id"].to_list() == ["uni1.png", "uni2.png"]
    assert items.table["US"].to_list() == [1.25, -1.25]
    assert items.table["screenshot"][0].endswith("universities.part1/uni1.jpg")
    assert "1 pages without a screenshot are left out: uni3.png" in items.notices[0].message


@pytest.mark.parametrize(
    ("rows", "shown", "message"),
    [
        ((WEB_ROWS[0], WEB_ROWS[0]), ("uni1",), '"uni1.png" stands there twice'),
        (("uni1.png\tnone\t0\t0\t0\t0\t0",), ("uni1",), 'row 1, column AE: "none" is no number'),
        (("uni1.png\tinf\t0\t0\t0\t0\t0",), ("uni1",), "is no number"),
        (WEB_ROWS, (), "holds no screenshot of any page, such as uni1.jpg"),
    ],
)
def test_ratings_that_cannot_be_are_refused(
    tmp_path: Path, rows: tuple[str, ...], shown: tuple[str, ...], message: str
) -> None:
    write_webdesign(tmp_path, rows, shown=shown)
    with pytest.raises(InputError, match=message):
        webdesign.read_items(tmp_path)


@pytest.mark.parametrize(
    ("read", "place"),
    [
        (persuade.read_items, "PERSUADE_corpus_2.0"),
        (mqm.read_items, "google/wmt-mqm-human-evaluation"),
        (webdesign.read_items, "doi:10.7910/DVN/9FKSQI"),
    ],
)
def test_a_missing_file_says_where_it_is_published(tmp_path: Path, read, place: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=place):
        read(tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        read(tmp_path / "nowhere")


def test_a_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    write_mqm(tmp_path, head=MQM_HEAD.replace("severity", "grade"))
    with pytest.raises(InputError, match="there is no column severity"):
        mqm.read_items(tmp_path)


@pytest.mark.parametrize(
    ("study", "write", "judges"),
    [("persuade", write_persuade, 8), ("mqm", write_mqm, 6), ("webdesign", write_webdesign, 6)],
)
def test_a_study_is_ready_for_judges_and_embeddings(  # type: ignore[no-untyped-def]
    tmp_path: Path, study: str, write, judges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, folder = tmp_path / "data", tmp_path / "study"
    data.mkdir()
    write(data)
    told = prepare_study(study, data, folder)
    assert any("bacon.toml" in line for line in told)
    config = parse_config(CONFIGS[study], "bacon.toml")
    assert len(config.judge) == judges
    assert config.study is not None
    assert config.study.paper == study
    found = read_study(folder)
    assert found.paper == study
    assert len(found.parts) == len(config.study.labels)
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "LLAMA_API_KEY"):
        monkeypatch.setenv(name, "not a real one")
    assert len(judging(folder).specs) == judges
    assert requested(folder).kind in ("endpoint", "image")
    # What the user changed is kept.
    (folder / "bacon.toml").write_text("[study]\n")
    assert any("is kept" in line for line in prepare_study(study, data, folder))
    assert (folder / "bacon.toml").read_text() == "[study]\n"


def test_printed_errors_and_fits_agree() -> None:
    # R2 = 1 - (RMSE / SD)^2 with the SD that the intercept's row prints.
    for study in ("persuade",):
        rows = PRINTED[study].oracle
        sd = rows["human-only"][1]
        assert sd is not None
        for r2, rmse, _ in rows.values():
            assert r2 is not None
            assert rmse is not None
            assert 1.0 - (rmse / sd) ** 2 == pytest.approx(r2, abs=0.01)
    assert len(PRINTED["mqm"].systems) == 10
