"""Files with one row per item and judge (and run), turned into one row per item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.io.cells import categories
from bacon.io.ids import read_ids
from bacon.io.matching import first_pair, first_seen
from bacon.io.roles import UNCERTAINTY
from bacon.io.tables import Table, quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    import polars as pl

    from bacon.arrays import IntArray

__all__ = ["pivot"]


def pivot(
    table: Table,
    *,
    id: str | None,
    judge: str,
    score: str,
    run: str | None,
    item_columns: Collection[str],
) -> tuple[Table, list[str]]:
    """Give every judge of a long table a column of its own.

    Parameters
    ----------
    table : Table
        One row per item and judge, or per item, judge and run.
    id : str or None
        Column of the item ids; None takes item_id or id.
    judge, score, run : str
        Columns with the judge's name, its score and, unless None, the number of its run.
        Without it, the rows of one item and judge are runs in the order of the file. Columns
        ``<score>__entropy`` and the like become the judges' uncertainty.
    item_columns : collection of str
        Columns with a role, which may not differ between the rows of an item. Other columns
        that do are left out, and told.

    Returns
    -------
    table : Table
        One row per item, in the order of first appearance.
    judges : list of str
        Columns of the judges: ``<judge>`` or ``<judge>_run<k>``.

    Raises
    ------
    InputError
        If a judge is missing, a run stands twice or an item's columns differ.
    """
    ids = read_ids(table, id)
    items, first = first_seen(ids.values)
    positions = _positions(table, items, judge=judge, run=run, id_name=ids.name)
    sources = {"": score, **_uncertainty(table, score, item_columns)}
    kept, rows, left_out = _item_columns(
        table, items, first, skip={judge, run, *sources.values()}, needed={ids.name, *item_columns}
    )
    for judged, where in positions.items():
        for ending, source in sources.items():
            name = judged + ending
            values = _gather(table.frame[source], where).alias(name)
            if ending and values.null_count() == len(values):
                continue
            if name in kept:
                raise InputError(
                    f"{table.source} has a judge {judged} in column {judge} and a column {name}; "
                    "rename one of them."
                )
            kept[name] = values
            rows[name] = np.where(where < 0, first, where)
    return _assembled(table, kept, rows, list(positions), left_out), list(positions)


def _uncertainty(table: Table, score: str, item_columns: Collection[str]) -> dict[str, str]:
    """Return the columns beside the scores by their endings, such as ``__entropy``."""
    found = {}
    for name in table.frame.columns:
        matched = UNCERTAINTY.fullmatch(name)
        if matched is not None and matched["scored"] == score and name not in item_columns:
            found[f"__{matched['kind']}"] = name
    return found


def _assembled(
    table: Table,
    columns: dict[str, pl.Series],
    rows: dict[str, IntArray],
    judges: list[str],
    left_out: list[str],
) -> Table:
    """Return the wide table, telling what was made of the long one."""
    import polars as pl

    frame = pl.DataFrame(list(columns.values()))
    told = (
        f"{table.source} has one row per item and judge: its {table.frame.height:,} rows became "
        f"{frame.height:,} items with the scores {', '.join(judges[:8])}"
        f"{', ...' if len(judges) > 8 else ''}."
    )
    notices = [*table.notices, Notice("long_form", told)]
    if left_out:
        told = (
            f"Columns that differ between the rows of an item were left out: {', '.join(left_out)}."
        )
        notices.append(Notice("columns_left_out", told))
    return Table(
        table.source, frame, table.backend, table.untyped, pl.DataFrame(rows), tuple(notices)
    )


def _gather(series: pl.Series, where: IntArray) -> pl.Series:
    """Return the cells at `where`, null for -1."""
    import polars as pl

    at = pl.Series(where)
    return series.gather(pl.select(pl.when(at >= 0).then(at)).to_series())


def _positions(
    table: Table, items: IntArray, *, judge: str, run: str | None, id_name: str
) -> dict[str, IntArray]:
    """Return for every judge column the row of each item, -1 where there is none."""
    names = categories(table, judge, role="judge")
    if run is None:
        runs = _occurrence(items, names.codes)
    else:
        runs = _run_numbers(table, run)
        keys = np.column_stack([items, names.codes, runs])
        _check_once(table, keys, id_name)
    order = np.lexsort((runs, names.codes))
    pairs = np.column_stack([names.codes, runs])[order]
    starts = np.flatnonzero(np.r_[True, (pairs[1:] != pairs[:-1]).any(axis=1)])
    several = {int(code) for code, number in pairs[starts] if run is not None or number > 1}
    n_items = int(items.max()) + 1
    found: dict[str, IntArray] = {}
    for rows in np.split(order, starts[1:]):
        code, number = int(names.codes[rows[0]]), int(runs[rows[0]])
        name = names.levels[code] + (f"_run{number}" if code in several else "")
        if name in found:
            raise InputError(
                f"{table.source}, column {judge}: {name} is a judge and a run of one; rename it."
            )
        found[name] = np.full(n_items, -1, dtype=np.int64)
        found[name][items[rows]] = rows
    return found


def _occurrence(items: IntArray, judges: IntArray) -> IntArray:
    """Return 1, 2, ... for the rows of one item and judge, in their order."""
    import polars as pl

    frame = pl.DataFrame({"item": items, "judge": judges})
    counts = frame.select(pl.int_range(1, pl.len() + 1).over("item", "judge")).to_series()
    return counts.to_numpy()


def _run_numbers(table: Table, run: str) -> IntArray:
    """Return the numbers of the runs as written, or 1, 2, ... where they have other names."""
    import polars as pl

    names = categories(table, run, role="run")
    numbers = pl.Series(names.levels).cast(pl.Int64, strict=False)
    if numbers.null_count() or (numbers < 0).any() or numbers.n_unique() < len(numbers):
        return names.codes + 1
    return numbers.to_numpy()[names.codes]


def _check_once(table: Table, keys: IntArray, id_name: str) -> None:
    """Refuse a run of a judge that an item has twice."""
    codes = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    pair, _ = first_pair(codes.astype(np.int64))
    if pair is not None:
        first, second = (table.row(position, id_name) for position in pair)
        raise InputError(
            f"{table.source} rows {first:,} and {second:,} are the same item, judge and run; "
            "delete one, or leave out --run-column (run_column= in Python) to count them as runs."
        )


def _item_columns(
    table: Table,
    items: IntArray,
    first: IntArray,
    *,
    skip: Collection[str | None],
    needed: Collection[str],
) -> tuple[dict[str, pl.Series], dict[str, IntArray], list[str]]:
    """Return the columns that tell of the item, the rows they came from, and the others."""
    kept: dict[str, pl.Series] = {}
    rows: dict[str, IntArray] = {}
    left_out = []
    for series in table.frame.iter_columns():
        name = series.name
        if name in skip:
            continue
        filled = np.flatnonzero(series.is_not_null().to_numpy())[::-1]
        where = first.copy()
        # Assigned from the back, so that the first filled row of an item stays.
        where[items[filled]] = filled
        differs = (series != series.gather(where[items])).fill_null(value=False)
        if not differs.any():
            kept[name], rows[name] = series.gather(where), where
        elif name not in needed:
            left_out.append(name)
        else:
            second = int(differs.arg_true()[0])
            earlier = int(where[items[second]])
            raise InputError(
                f"{table.source} rows {earlier + 1:,} and {second + 1:,} are the same item but "
                f"differ in column {name} ({quoted(series[earlier])}, {quoted(series[second])}); "
                "an item has one value there, so correct it."
            )
    return kept, rows, left_out
