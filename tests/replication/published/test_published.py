"""The public files are found, and a study made of them is ready for judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from PIL import Image
from tests.replication.published.published_files import write_mqm, write_persuade, write_webdesign

from bacon.config import parse_config
from bacon.engine.embedding.request import requested
from bacon.engine.judging import judging
from bacon.errors import InputError, OutputError
from bacon.judges.images import read_image
from bacon.replication.published import mqm, persuade, webdesign
from bacon.replication.published.configs import CONFIGS
from bacon.replication.published.prepare import prepare_study
from bacon.replication.study import read_study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bacon.replication.published.items import Items

Read = "Callable[[Path], Items]"
KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY")


@pytest.mark.parametrize(
    ("read", "file", "place"),
    [
        (persuade.read_items, "persuade_corpus_2.0_train.csv", "PERSUADE_corpus_2.0"),
        (mqm.read_items, "mqm_newstest2020_ende.tsv", "google/wmt-mqm-human-evaluation"),
        (webdesign.read_items, "ratings.avg.unis.txt", "doi:10.7910/DVN/XOI0HI"),
    ],
)
def test_a_missing_file_says_its_name_where_it_is_published_and_how_to_name_it(
    tmp_path: Path, read: Callable[[Path], Items], file: str, place: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    message = str(caught.value)
    assert file in message
    assert place in message
    assert "--data" in message
    with pytest.raises(InputError, match="is no folder; give the one with the published files"):
        read(tmp_path / "nowhere")


def test_a_file_is_found_below_the_folder_and_two_are_refused(tmp_path: Path) -> None:
    deep = tmp_path / "newstest2020" / "ende"
    deep.mkdir(parents=True)
    write_mqm(deep)
    assert mqm.read_items(tmp_path).table.height == 4
    other = tmp_path / "old"
    other.mkdir()
    write_mqm(other)
    with pytest.raises(InputError, match=r"holds mqm_newstest2020_ende\.tsv 2 times"):
        mqm.read_items(tmp_path)
    # The one in the folder itself goes before any below.
    write_mqm(tmp_path)
    assert mqm.read_items(tmp_path).table.height == 4


@pytest.mark.parametrize(
    ("study", "write", "judges"),
    [("persuade", write_persuade, 8), ("mqm", write_mqm, 6), ("webdesign", write_webdesign, 6)],
)
def test_a_study_is_ready_for_judges_and_embeddings(
    tmp_path: Path,
    study: str,
    write: Callable[[Path], Path],
    judges: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data, folder = tmp_path / "data", tmp_path / "study"
    data.mkdir()
    write(data)
    told = prepare_study(study, data, folder)
    assert told[0].startswith(f"{study}: ")
    assert any("unlike what is published" in line for line in told)
    config = parse_config(CONFIGS[study], "bacon.toml")
    assert len(config.judge) == judges
    assert config.study is not None
    assert config.study.paper == study
    found = read_study(folder)
    assert found.paper == study
    assert len(found.parts) == len(config.study.labels)
    for name in KEYS:
        monkeypatch.setenv(name, "not a real one")
    assert len(judging(folder).specs) == judges
    assert requested(folder).kind in ("endpoint", "image")
    # What the user changed is kept.
    (folder / "bacon.toml").write_text("[study]\n")
    assert any("is kept" in line for line in prepare_study(study, data, folder))
    assert (folder / "bacon.toml").read_text() == "[study]\n"


def test_judges_follow_the_protocol_of_the_paper() -> None:
    tables = {name: parse_config(text, name) for name, text in CONFIGS.items()}
    essays, pages = tables["persuade"].judge, tables["webdesign"].judge
    assert {one.model for one in essays} == {
        *("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano", "gpt-4o", "gpt-4o-mini", "llama-3.1-8b"),
        *("gemini-2.5-flash", "gemini-2.5-flash-lite"),
    }
    assert {one.model for one in pages} == {one.model for one in essays} - {
        "llama-3.1-8b",
        "gemini-2.5-flash",
    }
    for one in (*essays, *pages):
        assert (one.logprobs, one.runs, one.parameters["temperature"]) == (5, 1, 0.0)
    for one in tables["mqm"].judge:
        assert one.runs > 1
        assert "temperature" not in one.parameters
    # An answer of one token has no room for thoughts.
    for one in (*essays, *pages, *tables["mqm"].judge):
        assert ("reasoning_effort" in one.parameters) == one.model.startswith("gemini")
    embedded = [tables[name].embedding for name in ("persuade", "mqm", "webdesign")]
    assert [one and (one.model, one.columns) for one in embedded] == [
        ("text-embedding-3-large", ["text"]),
        ("text-embedding-3-large", ["source", "target"]),
        ("siglip-base-patch16-224", ["screenshot"]),
    ]


@pytest.mark.parametrize("inside", [False, True])
def test_judges_can_be_shown_the_screenshots(tmp_path: Path, *, inside: bool) -> None:
    folder = tmp_path / "study"
    data = folder / "published" if inside else tmp_path / "data"
    data.mkdir(parents=True)
    write_webdesign(data)
    for name in ("uni1", "uni2"):
        Image.new("RGB", (4, 3)).save(data / "universities.part1" / f"{name}.jpg")
    told = prepare_study("webdesign", data, folder)
    shown = pl.read_parquet(folder / "items.parquet")["screenshot"].to_list()
    where = "published/universities.part1" if inside else "screenshots"
    assert shown == [f"{where}/uni1.jpg", f"{where}/uni2.jpg"]
    assert [read_image(name, folder=folder).width for name in shown] == [4, 4]
    assert any("2 screenshots copied to" in line for line in told) == (not inside)
    # The same command again has nothing new to tell of them.
    again = prepare_study("webdesign", data, folder)
    assert not any("different images" in line for line in again)
    assert pl.read_parquet(folder / "items.parquet")["screenshot"].to_list() == shown


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    write_mqm(tmp_path)
    with pytest.raises(OutputError, match="cannot be made"):
        prepare_study("mqm", tmp_path, tmp_path / "mqm_newstest2020_ende.tsv" / "study")
