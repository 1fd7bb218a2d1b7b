"""What is to be embedded: options, and the table of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bacon.engine.embedding.request import EmbeddingRequest, requested
from bacon.errors import InputError

POOL = Path("pool.csv")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"kind": "magic"}, "is none of tfidf, wordllama"),
        ({"out": Path("e.csv")}, "written as .parquet or .npy"),
        ({"dimensions": 0}, "--dimensions must be 1 or more"),
        ({"batch": -1}, "--batch must be 1 or more"),
        ({"concurrency": 0}, "--concurrency must be 1 or more"),
        ({"most_characters": 0}, "--most-characters must be 1 or more"),
        ({"timeout": 0.0}, "--timeout must be above 0"),
        ({"timeout": float("nan")}, "--timeout must be above 0"),
        ({"kind": "endpoint", "url": "http://a/v1"}, "needs the --url of the endpoint and"),
        ({"kind": "endpoint", "model": "m"}, "needs the --url of the endpoint and"),
        ({"kind": "image"}, "needs --model, the folder"),
        ({"kind": "sentence-transformers"}, "needs --model, the folder"),
        ({"model": "m"}, "has one model; leave out --model"),
        ({"kind": "wordllama", "model": "m"}, "has one model; leave out --model"),
        ({"url": "http://a/v1"}, "--url is for --kind endpoint, not tfidf"),
        ({"key_variable": "KEY"}, "--key-variable is for --kind endpoint"),
        ({"most_tokens": 5}, "--most-tokens is for --kind endpoint"),
        ({"kind": "endpoint", "url": "u", "model": "m", "most_tokens": -1}, "--most-tokens must"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, Any], said: str) -> None:
    given = {"pool": POOL, "out": Path("e.parquet"), **settings}
    with pytest.raises(InputError, match=said):
        EmbeddingRequest(**given)


def test_a_pool_needs_a_place_for_the_embeddings() -> None:
    with pytest.raises(InputError, match="--out FILE is needed"):
        requested(POOL)
    request = requested(POOL, out=Path("e.npy"), dimensions=None)
    assert (request.kind, request.dimensions, request.columns) == ("tfidf", 64, ())


def study(folder: Path, text: str) -> Path:
    (folder / "bacon.toml").write_text(text)
    return folder


TABLE = """
[pool]
file = "items.csv"
id = "key"
fields = {text = "essay", task = "prompt"}
images = ["shot"]

[embedding]
kind = "endpoint"
url = "http://127.0.0.1:8000/v1"
key_variable = "SOME_KEY"
model = "small"
batch = 5
timeout = 30
most_tokens = 1000
"""


def test_a_study_says_what_and_options_override_it(tmp_path: Path) -> None:
    folder = study(tmp_path, TABLE)
    request = requested(folder)
    assert request.pool == folder / "items.csv"
    assert request.out == folder / "embeddings.parquet"
    assert (request.id, request.columns) == ("key", ("essay", "prompt"))
    assert (request.kind, request.model, request.batch, request.most_tokens) == (
        "endpoint", "small", 5, 1000,
    )  # fmt: skip
    other = requested(
        folder / "bacon.toml", out=Path("o.npy"), batch=9, columns=("prompt",), fill_mean=True
    )
    assert (other.out, other.batch, other.columns, other.fill_mean) == (
        Path("o.npy"), 9, ("prompt",), True,
    )  # fmt: skip


def test_another_kind_takes_nothing_of_the_files_endpoint(tmp_path: Path) -> None:
    request = requested(study(tmp_path, TABLE), kind="tfidf")
    assert (request.url, request.model, request.batch, request.dimensions) == (None, None, None, 64)


def test_a_study_without_the_table_takes_the_default(tmp_path: Path) -> None:
    request = requested(study(tmp_path, '[pool]\nfile = "items.csv"\n'))
    assert (request.kind, request.columns, request.dimensions) == ("tfidf", (), 64)


def test_folders_of_models_stand_beside_the_file(tmp_path: Path) -> None:
    table = '[pool]\nfile = "i.csv"\nimages = ["shot"]\n[embedding]\nkind = "image"\nmodel = "m/x"'
    request = requested(study(tmp_path, table))
    assert request.model == str(tmp_path / "m" / "x")
    assert request.columns == ("shot",)
    assert requested(tmp_path, model="m/x").model == "m/x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[embedding]\n", r"there is no table \[pool\]"),
        ('[pool]\nfile = "i.csv"\n[embedding]\nkid = "tfidf"', "did you mean kind"),
        ('[pool]\nfile = "i.csv"\n[embedding]\nkind = "magic"', r"\[embedding\], key kind"),
        ('[pool]\nfile = "i.csv"\n[embedding]\ndimensions = 0', r"\[embedding\], key dimensions"),
        ('[pool]\nfile = "i.csv"\n[embedding]\nkey = "secret"', "there is no key 'key'"),
        ('[pool]\nfile = "i.csv"\n[embedding]\nkey_variable = "a b"', "key key_variable"),
    ],
)
def test_a_table_that_cannot_be_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        requested(study(tmp_path, text))
