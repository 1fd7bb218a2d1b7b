"""Reading a drawn sample back: the design beside the labelling sheet, and what it must fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.data.design_file import design_path, sample_from_record
from bacon.data.notice import Notice
from bacon.errors import DesignError
from bacon.io.ids import read_ids
from bacon.io.matching import find_ids, other_column, unknown_ids
from bacon.io.roles import nearest
from bacon.io.tables import Table, names_beside, read_table

if TYPE_CHECKING:
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["read_sample"]

LARGEST_DESIGN = 2**28
"""Bytes: the design of several million drawn items; a larger file is no design of ours."""

SHEET_ID = "item_id"


def read_sample(path: str | Path, *, pool: Pool | None = None) -> Sample:
    """Read the sample that a labelling sheet was drawn as.

    Parameters
    ----------
    path : str or Path
        The sheet. Its design stands beside it in ``<path>.design.json``; the sheet itself
        need not be there, and may have lost rows but not gained any.
    pool : Pool, optional
        The pool it has to be drawn from.

    Returns
    -------
    Sample
        Without the columns shown in the sheet.

    Raises
    ------
    DesignError
        If the design is missing or broken, the sheet has items that were not drawn, or the
        sample was drawn from another pool.
    """
    path = Path(path)
    sheet = path.with_name(path.name.removesuffix(".design.json"))
    sample = _read_design(sheet)
    if sheet.exists():
        sample = _check_sheet(read_table(sheet), sample)
    if pool is not None:
        _check_pool(sample, pool, sheet.name)
    return sample


def _read_design(sheet: Path) -> Sample:
    """Read the design beside a sheet."""
    import orjson

    path = design_path(sheet)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_DESIGN + 1)
    except FileNotFoundError:
        known = [name for name in names_beside(path) if name.endswith(".design.json")]
        raise DesignError(
            f"{path} does not exist{nearest(path.name, known)}; a sheet alone does not say how it "
            "was drawn, so keep the two files together."
        ) from None
    except OSError as error:
        raise DesignError(f"{path} cannot be read ({error.strerror}); mend its rights.") from None
    if len(data) > LARGEST_DESIGN:
        raise DesignError(f"{path.name} is larger than {LARGEST_DESIGN:,} bytes; it is no design.")
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise DesignError(
            f"{path.name} is not JSON ({error.msg}, line {error.lineno}); take it again from where "
            "the sample was drawn."
        ) from None
    return sample_from_record(record, path.name)


def _check_sheet(table: Table, sample: Sample) -> Sample:
    """Refuse a sheet with items that were not drawn; tell of drawn items it lacks."""
    import polars as pl

    if SHEET_ID not in table.frame.columns:
        raise DesignError(
            f"{table.source} has no column {SHEET_ID}{nearest(SHEET_ID, table.frame.columns)}; "
            "keep the columns of the sheet as they were written."
        )
    # Spreadsheets leave empty rows behind.
    filled = table.frame.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    ids = read_ids(table, SHEET_ID, rows=filled.arg_true().cast(pl.Int64).to_numpy())
    # The sheet of a draw in stages holds the items of the last one.
    asked = sample.ids[-sample.n_to_label :]
    found = find_ids(sample.ids, ids.values)
    strange = int((found < 0).sum())
    if strange:
        raise DesignError(
            f"{table.source} has {strange:,} items that were not drawn by its design: "
            f"{unknown_ids(sample.ids, ids.values, found)}."
        )
    lacking = int((find_ids(ids.values, asked) < 0).sum())
    if not lacking:
        return sample
    told = Notice(
        "sheet_rows_missing",
        f"{table.source} lacks {lacking:,} of the {len(asked):,} drawn items; they count as "
        "drawn and not answered.",
    )
    return replace(sample, notices=(*sample.notices, told))


def _check_pool(sample: Sample, pool: Pool, name: str) -> None:
    """Refuse a pool that the sample was not drawn from."""
    if sample.pool_fingerprint == pool.fingerprint:
        return
    found = find_ids(pool.ids, sample.ids)
    lost = int((found < 0).sum())
    where = other_column(pool.table, pool.id_name, pool.ids, sample.ids) if lost else None
    if where is not None:
        raise DesignError(
            f"{name}: {lost:,} of the {sample.n_drawn:,} drawn items are not known by the ids of "
            f"{pool.source}; they are {where}."
        )
    if lost:
        which = (
            f"{lost:,} of the {sample.n_drawn:,} drawn items are not in it: "
            f"{unknown_ids(pool.ids, sample.ids, found)}"
        )
    elif sample.ids.dtype != pool.ids.dtype:
        kinds = ["numbers" if ids.dtype.kind == "i" else "text" for ids in (sample.ids, pool.ids)]
        which = f"its ids were {kinds[0]} and now are {kinds[1]}"
    else:
        which = "all drawn items are in it, but others differ"
    raise DesignError(
        f"{name} was drawn from a pool of {sample.n_items:,} items, and {pool.source} is another "
        f"one of {pool.n_items:,}; {which}. Give the pool as it was when the sample was drawn."
    )
