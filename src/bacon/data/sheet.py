"""The blind labelling sheet as a frame: safe to open in a spreadsheet, hiding what it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from bacon.data.sample import Sample

__all__ = ["below", "id_notices", "safe_cells", "sheet_frame"]

OWN_COLUMNS = ("order", "item_id", "score", "comment")
FORMULA = r"^[=+\-@\t\r]"
"""How a cell begins that a spreadsheet would run as a formula."""
LONG_NUMBER = r"^-?\d{16,}$"
"""Whole numbers that a spreadsheet rounds to 15 digits."""
CHANGED_TEXT = rf"{FORMULA}|^0\d+$|{LONG_NUMBER}"
"""Text ids that a spreadsheet runs as a formula, strips of zeros or rounds."""


def sheet_frame(
    sample: Sample, show: Sequence[str] | None
) -> tuple[pl.DataFrame, tuple[Notice, ...]]:
    """Return the sheet of `sample` and what was changed to make it.

    Parameters
    ----------
    sample : Sample
        A sample as drawn.
    show : sequence of str, optional
        Pool columns the raters see; the pool's text where None.

    Returns
    -------
    frame : polars.DataFrame
        ``order, item_id``, the shown columns, and ``score, comment``, both empty.
    notices : tuple of Notice
        What was changed in the shown columns, and ids that a spreadsheet may change.

    Raises
    ------
    InputError
        A column to show is unknown or would not leave the sheet blind.
    """
    import polars as pl

    if sample.sheet is None:
        raise InputError(
            "this sample was read from its design file and no longer has columns to show: draw "
            f"it again from the pool with seed {sample.seed} to write another sheet."
        )
    ids = pl.Series("item_id", sample.ids[-sample.n_to_label :].tolist())
    columns = {
        "order": pl.Series("order", range(1, sample.n_to_label + 1)),
        "item_id": ids,
    }
    taken = set(OWN_COLUMNS)
    notices = id_notices(ids)
    for name in _shown(sample, sample.sheet.columns, show):
        cells, told = safe_cells(sample.sheet[name])
        heading, renamed = _heading(name, taken)
        notices += told + renamed + _empty_notices(name, cells)
        taken.add(heading)
        columns[heading] = cells
    empty = pl.Series([None] * sample.n_to_label, dtype=pl.String)
    columns |= {"score": empty, "comment": empty}
    return pl.DataFrame(columns), tuple(notices)


def below(kept: pl.DataFrame, n_before: int, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a sheet as they are, and below them those of the items after them.

    Parameters
    ----------
    kept : polars.DataFrame
        A sheet as people left it: perhaps with columns of their own, or without some rows.
    n_before : int
        Number of items it was written for.
    frame : polars.DataFrame
        The sheet of all items, `n_before` of them first.
    """
    import polars as pl

    texts = [one.select(pl.all().cast(pl.String)) for one in (kept, frame[n_before:])]
    return pl.concat(texts, how="diagonal")


def _shown(sample: Sample, columns: Sequence[str], show: Sequence[str] | None) -> list[str]:
    """Return the columns to show, each once, refusing what raters must not see."""
    asked = sample.default_shown if show is None else [show] if isinstance(show, str) else show
    for name in asked:
        if name in sample.hidden:
            raise InputError(
                f"column {name} cannot be shown: the sheet has to be blind, and it holds judge "
                "scores, the group, the chance of being drawn or labels; leave it out of show."
            )
        if name not in columns:
            raise InputError(
                f"there is no column {name!r} to show; give {', '.join(columns[:12])}."
            )
    return list(dict.fromkeys(asked))


def safe_cells(column: pl.Series) -> tuple[pl.Series, list[Notice]]:
    """Return the cells as a spreadsheet may safely open them."""
    import polars as pl

    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise InputError(
            f"column {column.name} cannot be shown in a CSV: it holds {column.dtype}; show a "
            "column of text or numbers."
        )
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column, []
    text = column.cast(pl.String)
    formulas = text.str.contains(FORMULA).fill_null(value=False)
    if not formulas.any():
        return text, []
    message = (
        f"Column {column.name}: a cell that begins with = + - @, a tab or a carriage return got a "
        f"leading apostrophe ({formulas.sum():,} of {len(text):,}), so that a spreadsheet takes it "
        "for text."
    )
    safe = pl.select(pl.when(formulas).then("'" + text).otherwise(text)).to_series()
    return safe, [Notice("formula_cells", message)]


def _heading(name: str, taken: set[str]) -> tuple[str, list[Notice]]:
    """Return the heading of a shown column: no formula, and no name the sheet has already."""
    heading = f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name
    while heading in taken:
        heading += "_shown"
    if heading == name:
        return name, []
    message = f"Column {name} stands in the sheet as {heading}."
    return heading, [Notice("shown_column_renamed", message)]


def _empty_notices(name: str, cells: pl.Series) -> list[Notice]:
    missing = cells.null_count()
    if not missing:
        return []
    message = f"Column {name} is empty for {missing:,} of the {len(cells):,} drawn items."
    return [Notice("shown_cells_empty", message)]


def id_notices(ids: pl.Series) -> list[Notice]:
    """Tell of ids that a spreadsheet may change; they stay as they are, to be found again."""
    import polars as pl

    pattern = CHANGED_TEXT if ids.dtype == pl.String else LONG_NUMBER
    found = ids.cast(pl.String).str.contains(pattern)
    if not found.any():
        return []
    example = ids.filter(found)[0]
    message = (
        f"A spreadsheet may change ids such as {example!r} ({found.sum():,} of {len(ids):,}): "
        "import the column item_id as text."
    )
    return [Notice("ids_spreadsheet", message)]
