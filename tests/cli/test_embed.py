"""`bacon embed`: from a pool to an estimate that uses its embeddings."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bacon.judges.fake import FakeEndpoint

GOOD = ["fine", "clear", "vivid", "strong"]
BAD = ["dull", "vague", "weak", "broken"]


@pytest.fixture(name="worded")
def _worded(one: Path) -> Path:
    """The labelled pool, with texts that say how good an item is."""
    table = pl.read_csv(one, infer_schema=False)
    rng = np.random.default_rng(0)
    score = table["judge_gpt"].cast(pl.Float64, strict=False).fill_null(3.0)
    texts = [
        " ".join(rng.choice(GOOD if rng.uniform(1, 6) < value else BAD) for _ in range(9))
        for value in score
    ]
    table.with_columns(text=pl.Series(texts)).write_csv("worded.csv")
    return Path("worded.csv")


def test_the_command_told_at_the_end_works(bacon, worded):
    ran = bacon("embed", worded, "--out", "e.parquet", "--dimensions", "3")
    assert ran.code == 0
    assert ran.made == ("e.parquet",)
    assert ran.out == (
        "Embedded 90 items of worded.csv: text, 3 numbers an item, by tfidf.\n"
        "Embeddings: e.parquet\n"
        "Then: bacon estimate worded.csv --label human --embeddings e.parquet\n"
    )
    told = shlex.split(ran.out.splitlines()[-1].removeprefix("Then: bacon "))
    estimated = bacon(*told)
    assert estimated.code == 0, estimated
    assert "People would score these 90 items" in estimated.out


def test_a_matrix_serves_as_well(bacon, worded):
    ran = bacon("embed", worded, "-o", "e.npy")
    assert ran.made == ("e.npy", "e.npy.json")
    estimated = bacon("estimate", worded, "--label", "human", "--embeddings", "e.npy")
    assert "matched to the pool by the order of its rows" in estimated.out


def test_what_is_lacking_is_told_and_mended(bacon, worded):
    table = pl.read_csv(worded, infer_schema=False)
    blank = pl.Series([None if k in (2, 50) else text for k, text in enumerate(table["text"])])
    table.with_columns(text=blank).write_csv(worded)
    ran = bacon("embed", worded, "--out", "e.parquet")
    assert ran.out.startswith("Embedded 88 of 90 items of worded.csv: text")
    assert "Then:" not in ran.out
    assert "2 items could not be embedded (2 with no text); they have no row" in ran.err
    assert bacon("estimate", worded, "--label", "human", "--embeddings", "e.parquet").code == 2
    filled = bacon("embed", worded, "--out", "e.parquet", "--fill-mean", "--force", "--json")
    record = json.loads(filled.out)
    assert (record["n_items"], record["n_embedded"], record["n_rows"]) == (90, 88, 90)
    assert record["lacking"] == {"no text": 2}
    assert [one["code"] for one in record["warnings"]] == ["items_not_embedded"]
    assert bacon("estimate", worded, "--label", "human", "--embeddings", "e.parquet").code == 0


def test_an_endpoint_is_asked_once(bacon, worded, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "key-of-this-endpoint")
    with FakeEndpoint(seed=1, key="key-of-this-endpoint", failures={429: 0.2}) as fake:
        words = [
            "embed", worded, "--out", "e.parquet", "--kind", "endpoint", "--url", fake.url,
            "--model", "small", "--key-variable", "SOME_KEY",
        ]  # fmt: skip
        dry = bacon(*words, "--dry-run")
        assert (dry.code, dry.made) == (0, ())
        assert "texts to ask for" in dry.out
        assert fake.counts().requests == 0
        ran = bacon(*words)
        assert ran.code == 0, ran
        assert "16 numbers an item, by small." in ran.out
        assert "stay in e.parquet.vectors.sqlite" in ran.out
        again = bacon(*words, "--force", "--dimensions", "4")
        assert "text, 4 of 16 numbers an item" in again.out
        assert "Asked for 0 texts in 0 requests" in again.out
        assert set(fake.counts().embedded.values()) == {1}
        monkeypatch.setenv("SOME_KEY", "wrong-key-altogether")
        Path("e.parquet.vectors.sqlite").unlink()
        refused = bacon(*words, "--force")
    assert refused.code == 1
    assert refused.err.startswith("bacon: the endpoint refuses (http 401)")
    assert "key-of" not in refused.err


def test_a_study_says_it_all(bacon, worded):
    folder = Path("study")
    folder.mkdir()
    worded.rename(folder / "items.csv")
    (folder / "bacon.toml").write_text(
        '[pool]\nfile = "items.csv"\nfields = {essay = "text"}\n\n[embedding]\ndimensions = 5\n'
    )
    ran = bacon("embed", "study")
    assert ran.made == ("study/embeddings.parquet",)
    assert "text, 5 numbers an item" in ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--out FILE is needed"),
        (("--out", "e.csv"), "written as .parquet or .npy"),
        (("--out", "e.parquet", "--column", "txt"), "did you mean text"),
        (("--out", "e.parquet", "--kind", "image"), "needs --model"),
        (("--out", "e.parquet", "--dry-run"), "--dry-run is for --kind endpoint"),
        (("--out", "nowhere/e.parquet"), "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_is_refused(refused, worded, words, said):
    assert said in refused("embed", worded, *words)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--concurrency", "2"), "--concurrency is for --kind endpoint, not tfidf"),
        (("--timeout", "9"), "--timeout is for --kind endpoint"),
        (("--proxies",), "--proxies is for --kind endpoint"),
        (("--batch", "9"), "--batch is for the other kinds"),
    ],
)
def test_options_of_another_kind_are_refused(refused, worded, option, said):
    assert said in refused("embed", worded, "--out", "e.parquet", *option)


def test_a_dry_run_needs_no_key(bacon, worded):
    words = ["--kind", "endpoint", "--url", "http://127.0.0.1:1/v1", "--model", "m"]
    words += ["--key-variable", "NO_SUCH_KEY", "--out", "e.parquet"]
    assert "NO_SUCH_KEY is not set" in bacon("embed", worded, *words).err
    ran = bacon("embed", worded, *words, "--dry-run")
    assert (ran.code, ran.made) == (0, ())
