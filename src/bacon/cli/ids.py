"""Which column holds the ids, where no option names it: the same one in every command."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import BaconError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bacon.arrays import IdArray
    from bacon.data.sample import Sample
    from bacon.io.tables import Table

__all__ = ["settle_id"]


def settle_id(
    table: Table,
    given: str | None,
    *,
    sheet: Path | None = None,
    labels: Path | None = None,
    labels_id: str | None = None,
    embeddings: Path | None = None,
) -> tuple[str | None, tuple[Notice, ...]]:
    """Return the column of the ids, and what to tell of it.

    Without a word, it is item_id or id; else the column that is called like an id and differs in
    every row; else rows are numbered. Files that go with the pool have the last word: a sheet by
    the fingerprint of the pool it was drawn from, labels and embeddings by the ids they hold.

    Parameters
    ----------
    table : Table
        The pool's file.
    given : str or None
        The column that the user named.
    sheet : Path, optional
        Sheet of the draw.
    labels, labels_id : Path and str, optional
        File of the labels, and the column of the ids there.
    embeddings : Path, optional
        File of the embeddings.

    Returns
    -------
    id : str or None
        For `read_pool`; None for what it takes itself.
    notices : tuple of Notice
        Empty where it is the column that was named, or that is taken without a word.
    """
    from bacon.inspection.item_columns import sure_id
    from bacon.io.ids import ROW_ID, usual_id

    if given is not None:
        return given, ()
    columns = table.frame.columns
    usual = usual_id(columns)
    sure = None if usual is not None else sure_id(table)
    if sheet is not None:
        drawn = _drawn_by(table, sheet, usual)
        if drawn is not None:
            return _told(table, drawn, usual, f"by which {sheet.name} was drawn")
    if sure is None:
        return None, ()
    rows = ROW_ID if ROW_ID not in columns else None
    if rows is not None and (
        _has_only_rows(embeddings, sure) or _are_rows(table, labels, labels_id, sure)
    ):
        return rows, ()
    return _told(table, sure, usual, "which differs in every row")


def _told(
    table: Table, column: str, usual: str | None, why: str
) -> tuple[str | None, tuple[Notice, ...]]:
    """Return a column and how it was found; nothing to tell of the usual one or row numbers."""
    from bacon.io.ids import ROW_ID

    if column == usual:
        return None, ()
    if column == ROW_ID and ROW_ID not in table.frame.columns:
        return column, ()
    told = f"Ids: column {column} of {table.source}, {why}; --id names another."
    return column, (Notice("id_column_taken", told),)


def _drawn_by(table: Table, sheet: Path, usual: str | None) -> str | None:
    """Return the column of the ids that a sheet was drawn by, None if no column has its items.

    Its design names the column. One that does not was drawn by the usual column, by row numbers or
    by a column that was named, of which the fingerprint of the pool's ids tells.
    """
    from bacon.data.sample import ID_COLUMN
    from bacon.fingerprint import fingerprint_ids
    from bacon.io.ids import ROW_ID
    from bacon.io.matching import as_series, find_ids
    from bacon.io.samples import read_sample

    sample: Sample | None = None
    with suppress(BaconError, OSError):  # told when the sheet itself is read
        sample = read_sample(sheet)
    if sample is None or sample.n_items != table.frame.height:
        return None
    named = sample.parameters.get(ID_COLUMN)
    if isinstance(named, str) and named in (ROW_ID, *table.frame.columns):
        return named
    for name, ids in _candidates(table, usual):
        if name == usual and (find_ids(ids, sample.ids) >= 0).all():
            return name
        order = as_series(ids).arg_sort().to_numpy()
        if fingerprint_ids(ids[order]) == sample.pool_fingerprint:
            return name
    return None


def _candidates(table: Table, usual: str | None) -> Iterator[tuple[str, IdArray]]:
    """Yield columns with different ids: the usual one, the numbers of the rows, then others."""
    from bacon.io.ids import ROW_ID, read_ids

    names = table.frame.columns
    for name in dict.fromkeys([*([] if usual is None else [usual]), ROW_ID, *names]):
        if name in names and table.frame[name].is_duplicated().any():
            continue
        with suppress(BaconError):  # it holds no ids
            yield name, read_ids(table, name).values


def _has_only_rows(embeddings: Path | None, column: str) -> bool:
    """Whether embeddings are matched by the numbers of the rows and not by the column."""
    from bacon.io.ids import ROW_ID
    from bacon.io.tables import read_table

    if embeddings is None or embeddings.suffix.lower() == ".npy":
        return False
    with suppress(BaconError, OSError):  # told when they are read
        names = read_table(embeddings).frame.columns
        return ROW_ID in names and column not in names
    return False


def _are_rows(table: Table, labels: Path | None, labels_id: str | None, column: str) -> bool:
    """Whether the ids of a file of labels are numbers of the pool's rows and not in the column."""
    from bacon.io.ids import ROW_ID, read_ids, usual_id
    from bacon.io.matching import find_ids
    from bacon.io.tables import read_table

    if labels is None:
        return False
    with suppress(BaconError, OSError):  # told when they are read
        source = read_table(labels)
        names = source.frame.columns
        own = labels_id or (column if column in names else usual_id(names))
        if own is None:
            return False
        wanted = read_ids(source, own).values
        known = read_ids(table, column).values
        numbers = read_ids(table, ROW_ID).values
        in_column = bool((find_ids(known, wanted) >= 0).all())
        return not in_column and bool((find_ids(numbers, wanted) >= 0).all())
    return False
