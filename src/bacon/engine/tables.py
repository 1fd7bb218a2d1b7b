"""The tables a run of judges leaves: every judgement, and the pool with its judges' scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.files import write_together
from bacon.io.ids import usual_id
from bacon.io.tables import read_table
from bacon.judges.tables import wide_table, write_judgements

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from bacon.engine.judging import Judging
    from bacon.judges.store import Store

__all__ = ["TablesWritten", "write_tables"]

JUDGEMENTS = "judgements.parquet"


@dataclass(frozen=True, slots=True)
class TablesWritten:
    """What was written.

    Parameters
    ----------
    judgements : Path
        One row for each item, judge and run.
    judged : tuple of Path
        The pool with the judges' columns: one file for each outcome of the prompts.
    notices : tuple of Notice
        What a reader of them must know.
    """

    judgements: Path
    judged: tuple[Path, ...]
    notices: tuple[Notice, ...]


def write_tables(found: Judging, store: Store) -> TablesWritten:
    """Write the judgements, and the pool with a column for each judge and run.

    Raises
    ------
    OutputError
        A file cannot be written.
    InputError
        No judge gave a score.
    """
    judgements = found.folder / JUDGEMENTS
    written = write_judgements(store, judgements, overwrite=True)
    outcomes = list(dict.fromkeys(one for spec in found.specs for one in spec.prompt.outcomes))
    told = list(written.notices)
    pool = read_table(found.pool).frame
    id_ = found.items.id or usual_id(pool.columns)
    judged = []
    for outcome in outcomes:
        scores = wide_table(judgements, outcome=outcome if len(outcomes) > 1 else None)
        told += scores.notices
        ending = f"_{outcome}" if len(outcomes) > 1 else ""
        path = found.folder / f"judged{ending}.parquet"
        frame, more = _joined(pool, id_, scores.frame)
        told += more
        write_together({path: _parquet(frame)}, overwrite=True)
        judged.append(path)
    return TablesWritten(judgements, tuple(judged), tuple(dict.fromkeys(told)))


def _joined(
    pool: pl.DataFrame, id_: str | None, scores: pl.DataFrame
) -> tuple[pl.DataFrame, list[Notice]]:
    """Return the pool with the judges' columns beside its own, null where nothing was judged."""
    import polars as pl

    told = []
    taken = [name for name in scores.columns[1:] if name in pool.columns]
    if taken:
        text = (
            f"The pool has columns of the judges' names already, which were replaced: "
            f"{', '.join(taken[:6])}{', ...' if len(taken) > 6 else ''}."
        )
        told.append(Notice("judge_columns_replaced", text))
        pool = pool.drop(taken)
    key = "__item" if id_ is None else id_
    left = pool.with_row_index(key) if id_ is None else pool
    # Ids meet as text: the store keeps them so, and the pool's own column stays as it is.
    left = left.with_columns(pl.col(key).cast(pl.String).alias("__key"))
    right = scores.with_columns(pl.col(scores.columns[0]).cast(pl.String).alias("__key"))
    joined = left.join(right.drop(scores.columns[0]), on="__key", how="left", maintain_order="left")
    joined = joined.drop("__key")
    return (joined.drop(key) if id_ is None else joined), told


def _parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as a parquet file."""
    import io

    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
