"""The file that keeps an endpoint's vectors."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bacon.engine.embedding.cache import VectorCache, cache_file, key_of
from bacon.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [key_of("http://a/v1/embeddings", "m", text) for text in ("one", "two", "three")]
VECTORS = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = cache_file(tmp_path / "e.parquet")
    with VectorCache(path, "a m") as cache:
        assert cache.width is None
        cache.add(KEYS[:2], VECTORS[:2], 11)
    return path


def test_vectors_are_there_again(path: Path) -> None:
    assert path.name == "e.parquet.vectors.sqlite"
    with VectorCache(path, "a m") as cache:
        assert (cache.width, cache.tokens) == (2, 11)
        assert cache.known([*KEYS, *KEYS]) == set(KEYS[:2])
        found = cache.read([KEYS[1], KEYS[2], KEYS[0], KEYS[1]])
        assert found[[0, 2, 3]].tolist() == [[2.0, 3.0], [0.0, 1.0], [2.0, 3.0]]
        assert np.isnan(found[1]).all()
        cache.add(KEYS[1:], VECTORS[1:], 5)
        assert cache.tokens == 16


def test_other_models_have_widths_of_their_own(path: Path) -> None:
    with VectorCache(path, "b other") as cache:
        assert (cache.width, cache.tokens) == (None, 0)


def test_more_keys_than_are_looked_up_at_once(tmp_path: Path) -> None:
    keys = [key_of("x", "m", str(k)) for k in range(1203)]
    vectors = np.random.default_rng(0).normal(size=(1203, 3)).astype(np.float32)
    with VectorCache(tmp_path / "c", "x m") as cache:
        cache.add(keys, vectors, 0)
        assert cache.known(keys) == set(keys)
        assert cache.read(keys[::-1]).tobytes() == vectors[::-1].tobytes()


def test_parts_of_keys_are_not_mixed_up() -> None:
    parts = [("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("", "ab", "c"), ("a", "b", "C")]
    assert len({key_of(*one) for one in parts}) == len(parts)
    assert key_of("a", "b", "\ud800") != key_of("a", "b", "\ufffd")


def changed(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(sql, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "vector", [b"", b"abc", b"\0" * 12, "text", 7, np.array([np.nan, 1], "<f4").tobytes()]
)
def test_a_damaged_vector_is_told_and_not_used(path: Path, vector: object) -> None:
    changed(path, "UPDATE vectors SET vector = ? WHERE key = ?", vector, KEYS[0])
    with VectorCache(path, "a m") as cache:
        assert cache.read([KEYS[1]]).tolist() == [[2.0, 3.0]]
        with pytest.raises(InputError, match="is damaged; delete it, and the vectors in it are"):
            cache.read(KEYS)


@pytest.mark.parametrize("sql", ["SET width = 'x'", "SET width = 0", "SET tokens = -4"])
def test_a_damaged_source_is_told(path: Path, sql: str) -> None:
    changed(path, f"UPDATE sources {sql}")
    with pytest.raises(InputError, match="is damaged; delete it"):
        VectorCache(path, "a m")


@pytest.mark.parametrize("content", [b"not SQLite at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "v.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged.*delete it"):
        VectorCache(path, "a m")
    assert path.read_bytes() == content


def test_a_file_cut_in_the_middle_is_told(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    keys = [key_of("x", "m", str(k)) for k in range(400)]
    with VectorCache(path, "x m") as cache:
        cache.add(keys, np.ones((400, 64), dtype=np.float32), 1)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="is damaged; delete it"), VectorCache(path, "x m") as it:
        it.read(keys)


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.sqlite"
    changed(path, "CREATE TABLE theirs (a)")
    with pytest.raises(InputError, match="another program's file; choose another --out"):
        VectorCache(path, "a m")
    assert not path.with_name("v.sqlite-wal").exists()


def test_two_processes_at_work_lose_nothing(path: Path) -> None:
    with VectorCache(path, "a m") as first, VectorCache(path, "a m") as second:
        first.add([KEYS[2]], VECTORS[2:], 3)
        second.add([KEYS[2]], VECTORS[2:], 4)
        assert second.tokens == 18
        assert first.known(KEYS) == set(KEYS)
