"""Parquet files written piece by piece, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.files import appearing, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

__all__ = ["sink_frames"]


def sink_frames(
    frames: Iterator[pl.DataFrame],
    path: Path,
    schema: Mapping[str, pl.DataType],
    *,
    rows: int,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write frames to a parquet file in their order, one in memory at a time.

    Parameters
    ----------
    frames : iterator of polars.DataFrame
        The rows.
    path : Path
        The file; it appears when it is whole.
    schema : mapping of str to polars.DataType
        Of every frame.
    rows : int
        Rows of a group in the file.
    metadata : mapping of str to str, optional
        What the file says of itself.

    Raises
    ------
    OutputError
        The file cannot be written. What `frames` raises is raised as it is.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    failed: list[BaseException] = []

    def pieces(*_: object) -> Iterator[pl.DataFrame]:
        try:
            yield from frames
        except BaseException as error:
            # polars would wrap it in an error of its own.
            failed.append(error)
            raise

    try:
        with appearing(path) as unfinished:
            register_io_source(pieces, schema=pl.Schema(schema)).sink_parquet(
                unfinished,
                row_group_size=rows,
                maintain_order=True,
                compression="zstd",
                metadata=None if metadata is None else dict(metadata),
            )
    except pl.exceptions.PolarsError as error:
        if failed:
            raise failed[0] from None
        raise unwritable(path, str(error).splitlines()[0]) from error
