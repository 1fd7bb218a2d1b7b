"""Leading principal components of embeddings, block by block so that no copy is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.arrays import FloatArray

__all__ = ["Moments", "components_of", "fit_components", "moments_of", "write_components"]

MAX_COMPONENTS = 64
"""Most embedding components kept."""

BLOCK_VALUES = 1 << 21
"""Numbers of a block, 16 MB: few enough to be at hand, many enough for a fast product."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What principal components need of the rows seen so far; states of parts can be merged.

    Parameters
    ----------
    count : int
        Number of rows.
    mean : (d,) float64
        Their mean.
    scatter : (d, d) float64
        Sum of the outer products of rows less the mean.
    """

    count: int
    mean: FloatArray
    scatter: FloatArray

    def merged(self, other: Moments) -> Moments:
        """Return the state of both sets of rows (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        gap = other.mean - self.mean
        mean = self.mean + gap * (other.count / count)
        weight = self.count * other.count / count
        scatter = self.scatter + other.scatter + weight * np.outer(gap, gap)
        return Moments(count, mean, scatter)


def _row_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows with about `BLOCK_VALUES` numbers each."""
    step = max(1, BLOCK_VALUES // max(width, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def moments_of(rows: FloatArray) -> Moments:
    """Return the state of some rows (m, d)."""
    mean = rows.mean(axis=0)
    centred = rows - mean
    return Moments(len(rows), mean, centred.T @ centred)


def fit_components(
    embeddings: FloatArray, most: int = MAX_COMPONENTS
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the leading components of embeddings.

    Parameters
    ----------
    embeddings : (N, d) float64
        Embedding of every item.
    most : int
        Most components returned.

    Returns
    -------
    centre : (d,) float64
        Mean embedding.
    loadings : (d, c) float64
        Directions, each with its largest entry positive; none where all embeddings are the
        same.
    scales : (c,) float64
        Standard deviations along them, descending.
    """
    by_columns = embeddings.shape[0] >= embeddings.shape[1]
    find = _from_scatter if by_columns else _from_gram
    centre, values, loadings = find(embeddings, most)
    largest = max(float(embeddings.max()), -float(embeddings.min()))
    return centre, *_distinct(values, loadings, largest)


def components_of(
    state: Moments, largest: float, most: int = MAX_COMPONENTS
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the leading components of rows of which only the state is known.

    Parameters
    ----------
    state : Moments
        Of all rows.
    largest : float
        Largest size of any value in them.
    most : int
        Most components returned.

    Returns
    -------
    centre, loadings, scales
        As `fit_components` returns them.
    """
    values, vectors = _leading(state.scatter / state.count, most)
    return state.mean, *_distinct(values, vectors, largest)


def _distinct(
    values: FloatArray, loadings: FloatArray, largest: float
) -> tuple[FloatArray, FloatArray]:
    """Return directions along which rows differ, each with its sign, and scales along them."""
    # The second bound is what rounding leaves of embeddings that are the same for every item.
    kept = values > max(1e-10 * float(values.max()), (1e-12 * largest) ** 2)
    values, loadings = values[kept], loadings[:, kept]
    # The sign of a component is arbitrary; fixing it keeps results the same on any machine.
    strongest = np.abs(loadings).argmax(axis=0)
    loadings = loadings * np.sign(loadings[strongest, np.arange(loadings.shape[1])])
    return loadings, np.sqrt(values)


def write_components(
    embeddings: FloatArray,
    centre: FloatArray,
    loadings: FloatArray,
    scales: FloatArray,
    *,
    out: FloatArray,
) -> None:
    """Write the standardised components of embeddings (N, d) into `out` (N, c)."""
    for rows in _row_blocks(*embeddings.shape):
        out[rows] = (embeddings[rows] - centre) @ loadings / scales


def _from_scatter(embeddings: FloatArray, most: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centre, variances and directions from the scatter of the columns."""
    state: Moments | None = None
    for rows in _row_blocks(*embeddings.shape):
        part = moments_of(embeddings[rows])
        state = part if state is None else state.merged(part)
    if state is None:
        raise ValueError("there are no embeddings")
    values, vectors = _leading(state.scatter / state.count, most)
    return state.mean, values, vectors


def _from_gram(embeddings: FloatArray, most: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same from the products of the rows, of which there are fewer."""
    centre = embeddings.mean(axis=0)
    centred = embeddings - centre
    values, vectors = _leading(centred @ centred.T / len(embeddings), most)
    lengths = np.sqrt(np.maximum(values, 1e-300) * len(embeddings))
    return centre, values, centred.T @ vectors / lengths


def _leading(matrix: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of a symmetric matrix, descending, and their vectors."""
    from scipy.linalg import eigh

    d = len(matrix)
    values, vectors = eigh(matrix, subset_by_index=(max(d - most, 0), d - 1), check_finite=False)
    return values[::-1], vectors[:, ::-1]
