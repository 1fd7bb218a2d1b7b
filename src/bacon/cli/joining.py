"""`bacon import --pool`: imported scores beside the texts and groups of a pool."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from bacon.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from bacon.arrays import IdArray, IntArray
    from bacon.io.tables import Table

__all__ = ["join_scores"]


def join_scores(scores: Path, pool: Path, out: Path, *, overwrite: bool) -> tuple[int, list[str]]:
    """Write the pool with the imported scores added; return its size and what to tell.

    Parameters
    ----------
    scores : Path
        Table of imported scores, one row an item.
    pool : Path
        File with every item.
    out : Path
        Where the pool with the scores goes: .parquet or .csv.
    overwrite : bool
        Whether a file that stands there may be replaced.

    Raises
    ------
    InputError
        An id of the scores is not in the pool, or the pool has a column of a judge's name.
    """
    from bacon.cli.ids import settle_id
    from bacon.files import write_atomically
    from bacon.io.ids import check_unique, read_ids
    from bacon.io.matching import find_ids
    from bacon.io.tables import read_table

    table, found = read_table(pool), read_table(scores)
    column, _ = settle_id(table, None, labels=scores)
    ids = read_ids(table, column, number_rows=True)
    check_unique(table, ids, "give the pool one row per item")
    own = read_ids(found, "item_id")
    _check_known(table, ids.name, ids.values, own.values)
    new = found.frame.drop("item_id")
    both = [name for name in new.columns if name in table.frame.columns]
    if both:
        raise InputError(
            f"{table.source} has the column {both[0]} already, which the import would add: take it "
            "out of the pool, or give the judge another name with --judge."
        )
    rows = find_ids(own.values, ids.values)
    lacking = int((rows < 0).sum())
    write_atomically(out, _content(table, _at(new, rows), out), overwrite=overwrite)
    lines = [f"Note: Items were matched by {ids.name} of {table.source}."]
    if lacking:
        lines.append(
            f"Note: {lacking:,} of the {len(rows):,} items of {table.source} have no score in the "
            "import; theirs are missing."
        )
    return len(rows), lines


def _check_known(table: Table, name: str, known: IdArray, wanted: IdArray) -> None:
    """Refuse scores of items that the pool does not have."""
    from bacon.io.matching import find_ids, other_column, unknown_ids

    rows = find_ids(known, wanted)
    lost = int((rows < 0).sum())
    if not lost:
        return
    where = other_column(table.frame, name, known, wanted)
    if where is not None:
        raise InputError(
            f"{lost:,} of the {len(rows):,} imported items are not known by the ids of "
            f"{table.source}, column {name}; rename that column, so that the one with their ids is "
            "taken."
        )
    raise InputError(
        f"{lost:,} of the {len(rows):,} imported items are not in {table.source}: "
        f"{unknown_ids(known, wanted, rows)}."
    )


def _at(frame: pl.DataFrame, rows: IntArray) -> pl.DataFrame:
    """Return the rows at positions; -1 is a row of nothing."""
    import polars as pl

    order = pl.Series(rows, dtype=pl.Int64)
    return frame.select(pl.all().gather(order.set(order < 0, None)))


def _content(table: Table, new: pl.DataFrame, out: Path) -> bytes:
    """Return the pool's cells as they stand in its file, with the new columns."""
    import polars as pl

    joined = pl.concat([table.frame, new], how="horizontal")
    buffer = io.BytesIO()
    if out.suffix.lower() == ".parquet":
        joined.write_parquet(buffer)
    else:
        joined.write_csv(buffer)
    return buffer.getvalue()
