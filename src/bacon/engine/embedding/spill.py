"""Vectors on their way to a file: kept on the disk, reduced to components block by block."""

from __future__ import annotations

import tempfile
from typing import IO, TYPE_CHECKING, Self

import numpy as np

from bacon.errors import InputError
from bacon.features.components import Moments, components_of, moments_of
from bacon.files import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.arrays import FloatArray
    from bacon.features.embedders.base import Float32Array

__all__ = ["Spill"]

BLOCK = 4096
"""Rows handled at a time."""

MOST_REDUCED = 8192
"""Longest vectors whose components are looked for: their covariances have to be in memory."""


class Spill:
    """The vectors of one column in the order they came; a file without a name, gone at the end.

    Parameters
    ----------
    folder : Path
        Where there is space for them.
    reduced : bool
        Whether principal components will be asked for.
    """

    def __init__(self, folder: Path, *, reduced: bool) -> None:
        self._folder = folder
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (exit closes)
        except OSError as error:
            raise unwritable(folder, error.strerror or str(error)) from error
        self._reduced = reduced
        self._state: Moments | None = None
        self._largest = 0.0
        self._projection: tuple[FloatArray, FloatArray] | None = None
        self._sum: FloatArray | None = None
        self._whole = 0
        self.n_rows = 0
        self.width = 0
        """Numbers of a vector as it came."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, vectors: Float32Array) -> None:
        """Add vectors (n, d); a row of NaN stands for one that there is not.

        Raises
        ------
        InputError
            A length or a value that no vector has.
        """
        if self.n_rows == 0:
            self.width = vectors.shape[1]
            if self._reduced and self.width > MOST_REDUCED:
                raise InputError(
                    f"vectors of {self.width:,} numbers are too long to find components of them "
                    f"(up to {MOST_REDUCED:,}); leave out --dimensions."
                )
        missing = np.isnan(vectors).all(axis=1)
        whole = vectors[~missing]
        if vectors.shape[1] != self.width or not np.isfinite(whole).all():
            raise InputError(
                f"the model gave a vector of {vectors.shape[1]} numbers, not all of them finite, "
                f"where the first has {self.width}; take another model."
            )
        self.n_rows += len(vectors)
        try:
            self._file.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        except OSError as error:
            raise unwritable(self._folder, error.strerror or str(error)) from error
        if len(whole) == 0:
            return
        rows = whole.astype(np.float64)
        self._whole += len(rows)
        total = rows.sum(axis=0)
        self._sum = total if self._sum is None else self._sum + total
        if self._reduced:
            part = moments_of(rows)
            self._state = part if self._state is None else self._state.merged(part)
            self._largest = max(self._largest, float(np.abs(rows).max()))

    def reduce(self, dimensions: int) -> int:
        """From now on give principal components, at most so many; return how many there are."""
        if self._state is None or dimensions >= self.width:
            return self.width
        centre, loadings, _ = components_of(self._state, self._largest, dimensions)
        if loadings.shape[1] == 0:
            return self.width
        self._projection = centre, loadings
        return int(loadings.shape[1])

    def mean(self) -> Float32Array:
        """Return the mean of the vectors there are, as `blocks` gives them."""
        if self._sum is None:
            raise ValueError("there are no vectors")
        mean: Float32Array = self._projected((self._sum / self._whole)[None, :])[0]
        return mean

    def blocks(self, rows: int = BLOCK) -> Iterator[Float32Array]:
        """Yield the vectors, some rows at a time, in the order they came."""
        self._file.seek(0)
        while True:
            read = self._file.read(rows * self.width * 4)
            if not read:
                return
            yield self._projected(np.frombuffer(read, dtype="<f4").reshape(-1, self.width))

    def _projected(self, vectors: Float32Array | FloatArray) -> Float32Array:
        if self._projection is None:
            return vectors.astype(np.float32)
        centre, loadings = self._projection
        return np.asarray((vectors - centre) @ loadings, dtype=np.float32)
