"""Principal components block by block are those of all rows at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bacon.features import components
from bacon.features.components import Moments, fit_components, moments_of, write_components

Array = npt.NDArray[np.float64]


def rows(n: int, d: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return 7 + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * np.linspace(3, 0.1, d)


def standardised(embeddings: Array) -> Array:
    centre, loadings, scales = fit_components(embeddings)
    out = np.empty((len(embeddings), len(scales)))
    write_components(embeddings, centre, loadings, scales, out=out)
    return out


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 100))
def test_states_of_parts_merge_to_that_of_the_whole(sizes: list[int], seed: int) -> None:
    whole = rows(sum(sizes), 3, seed)
    parts = [moments_of(part) for part in np.split(whole, np.cumsum(sizes)[:-1])]
    state = parts[0]
    for part in parts[1:]:
        state = state.merged(part)
    centred = whole - whole.mean(axis=0)
    assert state.count == len(whole)
    assert state.mean == pytest.approx(whole.mean(axis=0))
    assert state.scatter == pytest.approx(centred.T @ centred, abs=1e-9)


def test_the_state_is_exact_where_means_are_far_from_zero() -> None:
    far = 1e8 + rows(40, 2)
    state = moments_of(far[:7]).merged(moments_of(far[7:]))
    assert state.scatter / 40 == pytest.approx(np.cov(far.T, bias=True), rel=1e-6)
    assert isinstance(state, Moments)


@pytest.mark.parametrize("values", [1, 50, 1 << 21])
def test_blocks_do_not_matter(values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = rows(60, 8)
    expected = standardised(matrix)
    monkeypatch.setattr(components, "BLOCK_VALUES", values)
    assert standardised(matrix) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("n", "d"), [(60, 8), (30, 200), (100, 100)])
def test_components_are_standardised_and_uncorrelated(n: int, d: int) -> None:
    x = standardised(rows(n, d))
    assert x.shape == (n, min(n - 1, d, 64))
    assert x.mean(axis=0) == pytest.approx(np.zeros(x.shape[1]), abs=1e-7)
    assert x.T @ x / n == pytest.approx(np.eye(x.shape[1]), abs=1e-6)


def test_more_numbers_than_items_give_the_same_components() -> None:
    # Columns of zeros change nothing but which of the two ways is taken.
    matrix = rows(20, 6)
    wide = np.hstack([matrix, np.zeros((20, 30))])
    centre, loadings, scales = fit_components(matrix)
    wide_centre, wide_loadings, wide_scales = fit_components(wide)
    assert wide_scales == pytest.approx(scales)
    assert wide_loadings[:6] == pytest.approx(loadings, abs=1e-9)
    assert wide_centre[:6] == pytest.approx(centre)


def test_the_leading_ones_are_kept_in_order() -> None:
    scales = fit_components(rows(300, 90))[2]
    assert len(scales) == 64
    assert (np.diff(scales) < 0).all()
    every = np.sqrt(np.linalg.eigvalsh(np.cov(rows(300, 90).T, bias=True)))[::-1]
    assert scales == pytest.approx(every[:64])
