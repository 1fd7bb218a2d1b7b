"""The file of embeddings: parquet with ids, or a matrix in the order of the rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.files import appearing, check_can_write, write_atomically
from bacon.sink import sink_frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from bacon.arrays import IdArray
    from bacon.features.embedders.base import Float32Array

__all__ = ["COLUMN", "check_out", "side_file", "write_embeddings"]

COLUMN = "embedding"
METADATA = "bacon"
"""Key under which a parquet file holds what is known of its embeddings."""

GROUP = 16_384
"""Rows of a group of a parquet file."""


def side_file(path: Path) -> Path:
    """Return the file beside a matrix that tells which items its rows are, and which model."""
    return path.with_name(f"{path.name}.json")


def check_out(path: Path, *, overwrite: bool) -> None:
    """Refuse what cannot be written, before there is anything to write."""
    check_can_write(path, overwrite=overwrite)
    if path.suffix.lower() == ".npy":
        check_can_write(side_file(path), overwrite=overwrite)


def write_embeddings(
    path: Path,
    blocks: Iterable[Float32Array],
    *,
    ids: IdArray,
    id_name: str,
    width: int,
    about: Mapping[str, Any],
) -> None:
    """Write embeddings; the file appears whole or not at all.

    Parameters
    ----------
    path : Path
        ``.parquet`` or ``.npy``; replaced if it is there.
    blocks : iterable of (n, d) float32
        The embeddings, some rows at a time.
    ids : (N,) int64 or object of str
        Items of the rows.
    id_name : str
        Column of the ids.
    width : int
        Numbers of each row.
    about : mapping
        What is kept with them: kept as JSON, in the parquet file or beside the matrix.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    if path.suffix.lower() == ".npy":
        _write_matrix(path, blocks, (len(ids), width))
        record = {**about, "ids": ids.tolist()}
        text = json.dumps(record, ensure_ascii=True) + "\n"
        write_atomically(side_file(path), text.encode(), overwrite=True)
        return
    _write_parquet(path, blocks, ids, id_name, width=width, about=about)


def _write_matrix(path: Path, blocks: Iterable[Float32Array], shape: tuple[int, int]) -> None:
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    with appearing(path) as unfinished, unfinished.open("xb") as stream:
        np.lib.format.write_array_header_1_0(stream, head)
        for block in blocks:
            stream.write(np.ascontiguousarray(block, dtype="<f4").tobytes())


def _write_parquet(
    path: Path,
    blocks: Iterable[Float32Array],
    ids: IdArray,
    id_name: str,
    *,
    width: int,
    about: Mapping[str, Any],
) -> None:
    import polars as pl

    column = COLUMN if id_name != COLUMN else f"{COLUMN}_1"
    id_type = pl.Int64() if ids.dtype.kind == "i" else pl.String()
    schema = pl.Schema({id_name: id_type, column: pl.Array(pl.Float32, width)})

    def pieces() -> Iterator[pl.DataFrame]:
        start = 0
        for block in blocks:
            named = pl.Series(id_name, ids[start : start + len(block)].tolist(), dtype=id_type)
            values = pl.Series(column, np.ascontiguousarray(block), dtype=schema[column])
            start += len(block)
            yield pl.DataFrame([named, values])

    told = {METADATA: json.dumps(about, ensure_ascii=True)}
    sink_frames(pieces(), path, schema, rows=GROUP, metadata=told)
