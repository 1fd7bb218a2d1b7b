from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from bacon.errors import InputError
from bacon.io import read_pool

POOL = {"item_id": ["a", "b", "c"], "judge_a": [1, 2, 3]}


def read(embeddings, pool=POOL):
    return read_pool(pool, embeddings=embeddings)


def codes(pool):
    return [notice.code for notice in pool.notices]


def test_numeric_columns_are_joined_by_id(tmp_path):
    path = tmp_path / "emb.parquet"
    pl.DataFrame(
        {"e1": [3, 1, 2], "item_id": ["c", "a", "b"], "e2": [0.3, 0.1, 0.2]}
    ).write_parquet(path)
    pool = read(path)
    np.testing.assert_array_equal(pool.embeddings, [[1, 0.1], [2, 0.2], [3, 0.3]])
    assert pool.embeddings.dtype == np.float64
    assert codes(pool) == []


@pytest.mark.parametrize("kind", [pl.List(pl.Float32), pl.Array(pl.Float32, 2)])
def test_one_column_of_lists_is_joined_by_id(tmp_path, kind):
    path = tmp_path / "emb.parquet"
    values = pl.Series("e", [[3, 30], [1, 10], [2, 20]], dtype=kind)
    pl.DataFrame({"item_id": ["c", "a", "b"], "e": values}).write_parquet(path)
    np.testing.assert_array_equal(read(path).embeddings, [[1, 10], [2, 20], [3, 30]])


def test_whole_number_ids_match_text_of_their_digits():
    pool = {"item_id": [2, 1], "judge_a": [1, 2]}
    table = {"item_id": ["1", "2"], "e": [0.1, 0.2]}
    np.testing.assert_array_equal(read(table, pool).embeddings, [[0.2], [0.1]])


def test_npy_by_row_order_is_told(tmp_path):
    path = tmp_path / "emb.npy"
    np.save(path, np.arange(6, dtype=np.float16).reshape(3, 2))
    pool = read(path)
    np.testing.assert_array_equal(pool.embeddings, [[0, 1], [2, 3], [4, 5]])
    assert codes(pool) == ["embeddings_by_row"]
    assert codes(read(np.ones((3, 1)))) == ["embeddings_by_row"]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones((2, 4)), r"has 2 rows for 3 items; give exactly one per item"),
        (np.ones(3), r"has shape \(3,\)"),
        (np.ones((3, 1, 1)), r"has shape \(3, 1, 1\)"),
        (np.array([["a"], ["b"], ["c"]]), r"type <U1; give a matrix of numbers"),
        (np.array([[1.0], [np.nan], [2.0]]), r"row 2: nan in an embedding"),
        (np.array([[1.0], [2.0], [-np.inf]]), r"row 3: -inf in an embedding"),
    ],
)
def test_bad_matrices(tmp_path, array, message):
    path = tmp_path / "emb.npy"
    np.save(path, array)
    with pytest.raises(InputError, match=rf"emb\.npy {message}|emb\.npy .*{message}"):
        read(path)
    with pytest.raises(InputError, match=rf"the array of embeddings .*{message}|{message}"):
        read(array)


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "emb.npy"
    np.save(path, np.array([[object()]]), allow_pickle=True)
    with pytest.raises(InputError, match=r"emb\.npy cannot be read as numbers"):
        read(path)
    path.write_bytes(b"not an array")
    with pytest.raises(InputError, match=r"emb\.npy cannot be read as numbers"):
        read(path)


@pytest.mark.parametrize("name", ["emb.npy", "emb.parquet"])
def test_missing_file(tmp_path, name):
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"item_id": ["a", "b"], "e": [1, 2]}, r'lacks 1 of the pool\'s 3 items: "c"'),
        ({"item_id": list("abcd"), "e": [1, 2, 3, 4]}, r'has 1 items .* not in the pool: "d"'),
        ({"item_id": list("abca"), "e": [1, 2, 3, 4]}, r"rows 1 and 4 both have item_id"),
        ({"key": list("abc"), "e": [1, 2, 3]}, r"no column item_id for the id"),
        ({"item_id": list("abc")}, r"has ids but no column with embeddings"),
        ({"item_id": list("abc"), "e": ["x", "1", "2"]}, r'row 1, column e: "x" is not a number'),
        ({"item_id": list("abc"), "e": [1, None, 2]}, r"row 2, column e: .* is missing"),
        ({"item_id": list("abc"), "e": [1, np.inf, 2]}, r"row 2, column e: .* not a usable"),
        ({"item_id": list("abc"), "e": [[1, 2], [1], [2, 3]]}, r"row 2, .* 1 values where the"),
        ({"item_id": list("abc"), "e": [[1], None, [2]]}, r"row 2, .* 0 values where the first"),
        ({"item_id": list("abc"), "e": [[], [], []]}, r"a list of numbers, not|0 values"),
        ({"item_id": list("abc"), "e": [[1.0], [None], [2.0]]}, r"row 2, column e: nan in an emb"),
        ({"item_id": list("abc"), "e": [["x"], ["y"], ["z"]]}, r"an embedding is a list of numb"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(InputError, match=message):
        read(pl.DataFrame(table, strict=False))


def test_a_pool_without_ids_takes_a_matrix_alone():
    pool = {"judge_a": [1, 2]}
    with pytest.raises(InputError, match=r"the pool has no column of ids; .*\.npy"):
        read({"e": [1, 2]}, pool)
    assert read(np.ones((2, 3)), pool).embeddings.shape == (2, 3)
