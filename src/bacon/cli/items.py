"""`bacon items`: a score, an interval and a rank for every item, and flags."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bacon.cli.calibrating import Reading, with_calibration
from bacon.cli.options import AsJson
from bacon.cli.output import say, say_json
from bacon.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from bacon.data.notice import Notice

__all__ = ["items_command"]

ENDINGS = (".csv", ".parquet")
DIGITS = 6
"""Significant digits of numbers in a CSV."""


@with_calibration
def items_command(
    read: Reading,
    out: Annotated[
        Path, typer.Option("--out", help="File to write: .csv or .parquet.", show_default=False)
    ],
    level: Annotated[
        float, typer.Option("--level", help="Chance that an interval or set holds the label.")
    ] = 0.9,
    flag: Annotated[
        str | None, typer.Option(help="below:X or above:X: flag items with such labels.")
    ] = None,
    fdr: Annotated[
        float, typer.Option("--fdr", help="Share of the flags that may be false on average.")
    ] = 0.1,
    method: Annotated[
        str,
        typer.Option(
            help="out-of-fold (all labels train and calibrate; auto) or split (half and half)."
        ),
    ] = "auto",
    by: Annotated[
        str | None, typer.Option("--by", help="Column within whose groups intervals hold.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the score, interval and rank of every item, and flags that are seldom false."""
    from bacon.checks import check_level
    from bacon.files import check_can_write, write_atomically

    check_level(level)
    if out.suffix.lower() not in ENDINGS:
        raise InputError(f"--out must end in {' or '.join(ENDINGS)}; got {out}.")
    read.refuse_to_replace(out)
    check_can_write(out, overwrite=force)
    side, cut = ("below", None) if flag is None else parse_flag(flag)
    found = read()
    items = found.cal.item_scores(
        level=level,
        flag_below=cut if side == "below" else None,
        flag_above=cut if side == "above" else None,
        fdr=fdr,
        method=method,
        by=by,
    )
    content, told = _content(items.frame, out)
    write_atomically(out, content, overwrite=force)
    if as_json:
        warnings = [{"code": one.code, "message": one.message} for one in told]
        record = items.to_dict()
        say_json(record | {"out": str(out), "warnings": [*record["warnings"], *warnings]})
    else:
        say(items.summary())
        say("\n".join([*(f"Note: {one.message}" for one in told), f"Written: {out}"]))
    found.tell()


def parse_flag(text: str) -> tuple[str, float]:
    """Return side and cut of ``below:X`` or ``above:X``."""
    side, _, value = text.partition(":")
    try:
        cut = float(value)
    except ValueError:
        cut = math.nan
    if side not in ("below", "above") or not math.isfinite(cut):
        raise InputError(f"--flag must be below:X or above:X, such as below:2; got {text!r}.")
    return side, cut


def _rounded(column: pl.Series) -> pl.Series:
    """Return numbers with the digits that people read; parquet keeps them in full."""
    return column.round_sig_figs(DIGITS) if column.dtype.is_float() else column


def _content(frame: pl.DataFrame, out: Path) -> tuple[bytes, tuple[Notice, ...]]:
    """Return the file's content, and what was changed to make it safe to open."""
    from bacon.data.sheet import id_notices, safe_cells

    buffer = io.BytesIO()
    if out.suffix.lower() == ".parquet":
        frame.write_parquet(buffer)
        return buffer.getvalue(), ()
    told = id_notices(frame["item_id"])
    columns = [frame["item_id"]]
    for name in frame.columns[1:]:
        cells, changed = safe_cells(_rounded(frame[name]))
        columns.append(cells.alias(name))
        told += changed
    frame.with_columns(columns).write_csv(buffer)
    return buffer.getvalue(), tuple(told)
