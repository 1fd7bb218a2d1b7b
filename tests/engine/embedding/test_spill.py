"""Vectors kept on the disk and reduced block by block."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from bacon.engine.embedding import spill as module
from bacon.engine.embedding.spill import Spill
from bacon.errors import InputError


def rows(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    spread = np.linspace(3.0, 0.5, d)
    return (5 + rng.normal(size=(n, d)) * spread @ rng.normal(size=(d, d))).astype(np.float32)


def all_of(kept: Spill, size: int = 7) -> np.ndarray:
    return np.concatenate(list(kept.blocks(size)))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 20))
def test_vectors_come_back_as_they_went(sizes: list[int], seed: int) -> None:
    vectors = rows(sum(sizes), 5, seed)
    with Spill(Path(tempfile.gettempdir()), reduced=False) as kept:
        for part in np.split(vectors, np.cumsum(sizes)[:-1]):
            kept.add(part)
        assert all_of(kept).tobytes() == vectors.tobytes()
        assert kept.mean() == pytest.approx(vectors.mean(axis=0), rel=1e-5)


@pytest.mark.parametrize(("n", "d", "components"), [(500, 20, 6), (40, 30, 29), (300, 64, 63)])
def test_components_found_block_by_block_are_those_of_all_rows(
    tmp_path: Path, n: int, d: int, components: int
) -> None:
    vectors = rows(n, d)
    with Spill(tmp_path, reduced=True) as kept:
        for start in range(0, n, 17):
            kept.add(vectors[start : start + 17])
        assert kept.reduce(components) == components
        found = all_of(kept)
        mean = kept.mean()
    pca = PCA(components, svd_solver="full").fit(vectors.astype(np.float64))
    expected = pca.transform(vectors.astype(np.float64))
    signs = np.sign((found * expected).sum(axis=0))
    assert found.dtype == np.float32
    assert np.abs(found * signs - expected).max() < 1e-5 * np.abs(expected).max()
    assert np.abs(mean).max() < 1e-4


def test_rows_that_are_missing_stay_so_and_count_for_nothing(tmp_path: Path) -> None:
    vectors = rows(60, 4)
    holed = vectors.copy()
    holed[[0, 31, 59]] = np.nan
    whole = np.delete(vectors, [0, 31, 59], axis=0)
    with Spill(tmp_path, reduced=True) as kept, Spill(tmp_path, reduced=True) as other:
        kept.add(holed[:1])
        kept.add(holed[1:])
        other.add(whole)
        assert kept.reduce(2) == other.reduce(2) == 2
        found = all_of(kept)
        assert np.isnan(found[[0, 31, 59]]).all()
        assert np.delete(found, [0, 31, 59], axis=0) == pytest.approx(all_of(other), abs=1e-4)


def test_fewer_directions_than_wanted_are_kept(tmp_path: Path) -> None:
    flat = np.outer(np.arange(10.0), np.ones(6)).astype(np.float32)
    with Spill(tmp_path, reduced=True) as kept:
        kept.add(flat)
        assert kept.reduce(4) == 1


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_a_value_that_no_vector_has_is_refused(tmp_path: Path, bad: float) -> None:
    vectors = rows(3, 4)
    vectors[1, 2] = bad
    with Spill(tmp_path, reduced=False) as kept, pytest.raises(InputError, match="not all of them"):
        kept.add(vectors)


def test_another_length_is_refused(tmp_path: Path) -> None:
    with Spill(tmp_path, reduced=False) as kept:
        kept.add(rows(3, 4))
        with pytest.raises(InputError, match="a vector of 5 numbers"):
            kept.add(rows(3, 5))


def test_vectors_too_long_to_be_reduced_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_REDUCED", 3)
    with (
        Spill(tmp_path, reduced=True) as kept,
        pytest.raises(InputError, match="leave out --dimensions"),
    ):
        kept.add(rows(3, 4))


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    with Spill(tmp_path, reduced=False) as kept:
        kept.add(rows(3, 4))
    assert list(tmp_path.iterdir()) == []
