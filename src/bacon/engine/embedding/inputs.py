"""The items to be embedded: their ids, their texts or images, and who lacks which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.io.ids import check_unique, read_ids
from bacon.io.roles import resolve_column
from bacon.io.tables import read_table
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from bacon.arrays import BoolArray, IdArray, IntArray
    from bacon.data.notice import Notice
    from bacon.engine.embedding.request import EmbeddingRequest

__all__ = ["Inputs", "read_inputs"]

BLOCK = 1024
"""Items embedded at a time."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """The items of a pool.

    Parameters
    ----------
    source : str
        File name, for messages.
    folder : Path
        Folder that images lie in.
    id_name : str
        Column of the ids.
    ids : (N,) int64 or object of str
        As :func:`bacon.read_pool` reads them.
    columns : tuple of str
        What is embedded.
    frame : polars.DataFrame
        Those columns, as text.
    usable : (N,) bool
        Items that lack none of them.
    lacking : dict of str to int
        Reason to number of items.
    notices : tuple of Notice
        What reading had to tell.
    """

    source: str
    folder: Path
    id_name: str
    ids: IdArray
    columns: tuple[str, ...]
    frame: pl.DataFrame
    usable: BoolArray
    lacking: dict[str, int]
    notices: tuple[Notice, ...]

    @property
    def rows(self) -> IntArray:
        """Positions of the items that lack nothing."""
        return np.flatnonzero(self.usable)

    def blocks(self, most: int | None = None) -> Iterator[IntArray]:
        """Yield the positions of usable items, at most so many at a time."""
        rows = self.rows
        size = BLOCK if most is None else most
        for start in range(0, len(rows), size):
            yield rows[start : start + size]

    def texts(self, column: str, rows: IntArray) -> list[str]:
        """Return the texts of some usable items."""
        texts: list[str] = self.frame[column].gather(rows).to_list()
        return texts

    def shuffled(self, rng: np.random.Generator) -> IntArray:
        """Return the usable items in a random order that the order of rows does not enter."""
        rows = self.rows
        by_id = rows[np.argsort(self.ids[rows], kind="stable")]
        return by_id[rng.permutation(len(by_id))]


def read_inputs(request: EmbeddingRequest) -> Inputs:
    """Read the pool of a request.

    Raises
    ------
    InputError
        The file or a column cannot be used, an id is missing or stands twice, or no item has
        anything to embed.
    """
    import polars as pl

    table = read_table(request.pool)
    names = table.frame.columns
    columns = request.columns
    if not columns:
        usual = "image" if request.kind == "image" else "text"
        if usual not in names:
            raise InputError(
                f"{table.source} has no column {usual}; name the one to embed with --column "
                f"(it has {listed(names)})."
            )
        columns = (usual,)
    for column in columns:
        resolve_column(column, names, role="text", source=table.source)
        kind = table.frame[column].dtype
        if kind.is_nested() or kind == pl.Binary:
            raise InputError(
                f"{table.source}, column {column}: what is embedded is text, not {kind}; name "
                "another column."
            )
    ids = read_ids(table, request.id, number_rows=True)
    check_unique(table, ids, "keep one row an item")
    frame = table.frame.select(pl.col(name).cast(pl.String) for name in dict.fromkeys(columns))
    usable = np.ones(frame.height, dtype=np.bool_)
    lacking: dict[str, int] = {}
    for column in frame.columns:
        blank = ~frame[column].str.contains(r"\S").fill_null(value=False).to_numpy()
        if (blank & usable).any():
            lacking[f"no {column}"] = int((blank & usable).sum())
        usable &= ~blank
    if not usable.any():
        raise InputError(
            f"{table.source}: no item has {' and '.join(frame.columns)}; name another column."
        )
    return Inputs(
        table.source,
        request.pool.parent,
        ids.name,
        ids.values,
        tuple(frame.columns),
        frame,
        usable,
        lacking,
        (*table.notices, *ids.notices),
    )
