"""Tables made of a store: judgements one below the other, and one row an item for the pool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.files import check_can_write
from bacon.judges.judgement_frames import BESIDE, ITEM, PIECE, Judgements, read_scores
from bacon.judges.store import Store
from bacon.sink import sink_frames
from bacon.words import listed

if TYPE_CHECKING:
    import os

    import polars as pl

__all__ = ["Wide", "Written", "wide", "wide_table", "write_judgements"]

NOT_JUDGED = "not judged"
"""Status where a judge has no answer for an item that another one has."""

READ_OTHERWISE = re.compile(
    r".+(_run\d+|__(entropy|logppl|expected|logprob|status|model|prompt|version))"
)
"""Names of judges whose columns would be read as a run or as uncertainty."""


@dataclass(frozen=True, slots=True)
class Written:
    """A table of judgements that was written.

    Parameters
    ----------
    n_rows : int
        Judgements in it.
    notices : tuple of Notice
        What a reader of it must know.
    """

    n_rows: int
    notices: tuple[Notice, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Wide:
    """One row for each item.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    notices : tuple of Notice
        What a reader of it must know.
    """

    frame: pl.DataFrame
    notices: tuple[Notice, ...]


def write_judgements(
    store: Store, path: str | os.PathLike[str], *, overwrite: bool = False
) -> Written:
    """Write every judgement of a store to a parquet file, one row an item, judge and run.

    Memory does not grow with the rows; the same judgements give the same bytes, in whatever
    order they were stored.

    Parameters
    ----------
    store : Store
        The answers.
    path : path
        The file; it appears whole or not at all.
    overwrite : bool
        Whether a file that is there may be replaced.

    Returns
    -------
    Written
        How many rows, and what was done to them.

    Raises
    ------
    OutputError
        The file cannot be written.
    InputError
        The store is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from bacon.judges.records import Answer, Call
    >>> answer = Answer(Call("k1", "judge_x", "7", 1, b""), "ok", None, "5", (5.0,))
    >>> with tempfile.TemporaryDirectory() as folder, Store.open(f"{folder}/s.db") as store:
    ...     added = store.add([answer])
    ...     n_rows = write_judgements(store, f"{folder}/judgements.parquet").n_rows
    ...     frame = wide(store)
    >>> n_rows, frame.to_dicts()
    (1, [{'item_id': 7, 'judge_x': 5.0, 'judge_x__status': 'ok'}])
    """
    where = Path(path)
    check_can_write(where, overwrite=overwrite)
    with store.snapshot() as connection:
        judgements = Judgements(connection, str(store.path))
        sink_frames(judgements.frames(), where, judgements.schema, rows=PIECE)
        return Written(judgements.n_rows, (*store.notices(), *judgements.notices()))


def wide(source: Store | str | os.PathLike[str], *, outcome: str | None = None) -> pl.DataFrame:
    """Return the frame of :func:`wide_table`."""
    return wide_table(source, outcome=outcome).frame


def wide_table(source: Store | str | os.PathLike[str], *, outcome: str | None = None) -> Wide:
    """Make one row an item of judgements, as :func:`bacon.read_pool` takes it.

    Parameters
    ----------
    source : Store or path
        The answers, or a parquet file of :func:`write_judgements`.
    outcome : str, optional
        Which score, where judges give several; needed only there.

    Returns
    -------
    Wide
        Rows in the order of ``item_id``, which is int64 where all ids are whole numbers. For
        each judge, in the order of their names, a column ``<judge>``, or ``<judge>_run<k>``
        where it was asked several times, followed by those of ``__entropy``, ``__logprob`` and
        ``__expected`` that have a value, and by ``__status``: ``ok``, or why there is no score.
        A judge or run without a single score is left out, and told.

    Raises
    ------
    InputError
        There are several outcomes or not the one named, the name of a judge would be read as
        something else, or the file is no table of judgements.
    """
    import polars as pl

    name = str(source.path if isinstance(source, Store) else source)
    rows, told = read_scores(source, name, outcome)
    _check_judges(rows, name)
    items = rows.select(pl.col(ITEM).unique().sort())
    columns = [items[ITEM]]
    empty = []
    parts = rows.partition_by("judge", "run", as_dict=True)
    several = {judge for judge, run in parts if run > 1}
    for judge, run in sorted(parts):
        column = f"{judge}_run{run}" if judge in several else judge
        part = parts[judge, run]
        if part["score"].null_count() == part.height:
            empty.append(column)
            continue
        columns += _columns(items, part, column)
    if empty:
        message = (
            f"Judges without a single score are left out of the table: {listed(empty)}; their "
            "reasons stand in the judgements."
        )
        told.append(Notice("judges_without_scores", message))
    mixed = rows.group_by("judge").agg(pl.col("prompt_version").n_unique() > 1)
    names = mixed.filter("prompt_version")["judge"].sort().to_list()
    if names:
        message = (
            f"Judges with answers to several versions of a prompt: {listed(names)}; finish the "
            "run, or give the judge of the new prompt a name of its own."
        )
        told.append(Notice("prompt_versions_mixed", message))
    return Wide(pl.DataFrame(columns), tuple(told))


def _columns(items: pl.DataFrame, part: pl.DataFrame, column: str) -> list[pl.Series]:
    """Return the columns of one judge and run, a row for each item."""
    import polars as pl

    status = pl.when(pl.col("score").is_not_null()).then(pl.lit("ok")).otherwise("reason")
    part = part.select(ITEM, "score", *BESIDE, status=status.fill_null("no reason given"))
    found = items.join(part, on=ITEM, how="left", maintain_order="left")
    told = [name for name in BESIDE if found[name].null_count() < found.height]
    return [
        found["score"].alias(column),
        *(found[name].alias(f"{column}__{name}") for name in told),
        found["status"].fill_null(NOT_JUDGED).alias(f"{column}__status"),
    ]


def _check_judges(rows: pl.DataFrame, name: str) -> None:
    """Refuse judges whose columns would be read as something else."""
    for judge in rows["judge"].unique().sort():
        if judge is None or judge == ITEM or READ_OTHERWISE.fullmatch(judge):
            raise InputError(
                f"{name}: a judge is called {judge!r}, and its column would be read as something "
                "else (ids, a run, or the uncertainty of a judge); write the judgements to a file "
                "and rename it there."
            )
