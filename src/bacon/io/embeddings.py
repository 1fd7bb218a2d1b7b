"""Embeddings of the items: from a table joined by id, or a matrix in the order of the rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bacon.arrays import FloatArray, IdArray, read_only
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.ids import ROW_ID, check_unique, read_ids
from bacon.io.matching import find_ids, unknown_ids
from bacon.io.numbers import number_column
from bacon.io.tables import Source, Table, check_openable, read_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_embeddings"]


def read_embeddings(
    source: Source, *, ids: IdArray, id_name: str
) -> tuple[FloatArray, tuple[Notice, ...]]:
    """Return the embedding of every item of a pool.

    Parameters
    ----------
    source : path, frame or array
        A .npy file or an array has one row per item in the order of the pool (told). A table
        has the pool's id column, and either numeric columns or one column of lists.
    ids : (N,) int64 or object of str
        Ids of the pool.
    id_name : str
        Their column.

    Returns
    -------
    embeddings : (N, d) float64
        All finite.
    notices : tuple of Notice
        What reading had to tell.

    Raises
    ------
    InputError
        If items are missing or too many, or a value is not a finite number.
    """
    if isinstance(source, np.ndarray):
        return _by_row(source, "the array of embeddings", len(ids))
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".npy":
        path = Path(source)
        return _by_row(_load(path), path.name, len(ids))
    table = read_table(source)
    if id_name == ROW_ID and ROW_ID not in table.frame.columns:
        raise InputError(
            f"{table.source} cannot be matched: the pool has no column of ids; give it one, or "
            "give the embeddings as .npy in the order of its rows."
        )
    own = read_ids(table, id_name)
    check_unique(table, own, "keep one embedding per item")
    missing = find_ids(own.values, ids)
    if (missing < 0).any():
        raise InputError(
            f"{table.source} lacks {int((missing < 0).sum()):,} of the pool's {len(ids):,} items: "
            f"{unknown_ids(own.values, ids, missing)}."
        )
    extra = find_ids(ids, own.values)
    if (extra < 0).any():
        raise InputError(
            f"{table.source} has {int((extra < 0).sum()):,} items that are not in the pool: "
            f"{unknown_ids(ids, own.values, extra)}."
        )
    matrix = _matrix(table, [c for c in table.frame.columns if c != own.name])
    if not np.array_equal(missing, np.arange(len(matrix))):
        matrix = matrix[missing]
    return read_only(matrix.astype(np.float64, copy=False)), (*table.notices, *own.notices)


def _load(path: Path) -> npt.NDArray[Any]:
    """Load a .npy file, running nothing that is in it."""
    check_openable(path)
    try:
        loaded: npt.NDArray[Any] = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(
            f"{path.name} cannot be read as numbers ({error}); write it with numpy.save from a "
            "matrix of floats."
        ) from None
    return loaded


def _by_row(
    array: npt.NDArray[Any], name: str, n_items: int
) -> tuple[FloatArray, tuple[Notice, ...]]:
    """Check a matrix with one row per item."""
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise InputError(
            f"{name} has shape {array.shape} and type {array.dtype}; give a matrix of numbers with "
            "one row per item."
        )
    if len(array) != n_items:
        raise InputError(
            f"{name} has {len(array):,} rows for {n_items:,} items; give exactly one per item, in "
            "the order of the pool's rows."
        )
    told = f"Embeddings in {name} were matched to the pool by the order of its rows."
    values = array.astype(np.float64)
    _check_finite(values, lambda row: f"{name} row {row + 1:,}")
    return read_only(values), (Notice("embeddings_by_row", told),)


def _check_finite(values: npt.NDArray[np.floating[Any]], place: Any) -> None:
    """Refuse an embedding with a missing or infinite value."""
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        value = values[row][~np.isfinite(values[row])][0]
        raise InputError(
            f"{place(row)}: {value} in an embedding; every value must be finite, so embed the item "
            "again or drop it."
        )


def _matrix(table: Table, columns: list[str]) -> npt.NDArray[np.floating[Any]]:
    """Return the columns, or the one column of lists, as a matrix."""
    if not columns:
        raise InputError(f"{table.source} has ids but no column with embeddings.")
    if len(columns) == 1 and table.frame[columns[0]].dtype.is_nested():
        matrix = _from_lists(table, table.frame[columns[0]])
        _check_finite(matrix, lambda row: table.place(row, columns[0]))
        return matrix
    mend = "leave text columns out of the file of embeddings"
    matrix = np.column_stack(
        [number_column(table, name, role="embedding", mend=mend) for name in columns]
    )
    bad = ~np.isfinite(matrix)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"{table.place(int(row), columns[column])}: a value of the embedding is missing; embed "
            "the item again or drop it."
        )
    return matrix


def _from_lists(table: Table, series: pl.Series) -> npt.NDArray[np.floating[Any]]:
    """Return a column of equally long lists of numbers as a matrix."""
    import polars as pl

    if isinstance(series.dtype, pl.Array):
        series = series.arr.to_list()
    if not isinstance(series.dtype, pl.List) or not series.dtype.inner.is_numeric():
        raise InputError(
            f"{table.source}, column {series.name}: an embedding is a list of numbers, not "
            f"{series.dtype}; write numeric columns or one column of lists."
        )
    lengths = series.list.len().fill_null(0)
    odd = (lengths != lengths[0]) | (lengths == 0)
    if odd.any():
        row = int(odd.arg_true()[0])
        raise InputError(
            f"{table.place(row, series.name)}: the embedding has {lengths[row]} values where the "
            f"first has {lengths[0]}; give every item one of the same length."
        )
    flat = series.explode()
    # Floats stay as they are stored, often half as long: they are widened once, in their place.
    flat = flat if flat.dtype.is_float() else flat.cast(pl.Float64)
    return flat.to_numpy().reshape(len(series), int(lengths[0]))
