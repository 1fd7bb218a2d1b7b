"""Tables of diagnostics, shown by one renderer as text, HTML and frames."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.calibration.diagnostics.measures import Measure
from bacon.calibration.figures import number

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Column", "Table", "measure_record", "shown"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in a row and its heading for people."""

    key: str
    heading: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures under columns.

    Parameters
    ----------
    title : str
        What the table holds.
    columns : tuple of Column
        Its columns.
    rows : tuple of mapping
        For each row the value of every column: text, a count, a number or a Measure.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, str | int | float | Measure], ...]

    def _cells(self) -> list[list[str]]:
        """Return headings and rows as text, without columns that hold nothing."""
        used = [c for c in self.columns if any(shown(row[c.key]) for row in self.rows)]
        body = [[shown(row[column.key]) for column in used] for row in self.rows]
        return [[column.heading for column in used], *body]

    def to_text(self) -> str:
        """Return the title and the columns set under each other."""
        cells = self._cells()
        widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        return "\n".join([self.title, *("  " + line for line in lines)])

    def to_html(self) -> str:
        """Return the table with its title as caption."""
        head, *body = self._cells()
        rows = [
            "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line) + "</tr>"
            for tag, line in [("th", head), *(("td", line) for line in body)]
        ]
        return f"<table><caption>{html.escape(self.title)}</caption>{''.join(rows)}</table>"

    def to_frame(self, backend: str) -> Any:
        """Return the rows as a frame of the library `backend`, a figure as four columns.

        A figure called ``r2`` gives ``r2``, ``r2_se``, ``r2_low`` and ``r2_high``.
        """
        import polars as pl

        from bacon.io.frames import to_backend

        data: dict[str, list[str | int | float]] = {}
        for column in self.columns:
            values = [row[column.key] for row in self.rows]
            measures = [value for value in values if isinstance(value, Measure)]
            if not measures:
                data[column.key] = [v for v in values if not isinstance(v, Measure)]
                continue
            for part, end in (("value", ""), ("se", "_se"), ("low", "_low"), ("high", "_high")):
                data[column.key + end] = [getattr(measure, part) for measure in measures]
        return to_backend(pl.DataFrame(data), backend)


def shown(value: str | int | float | Measure) -> str:
    """Return a value for people: two decimals or two digits, nothing for what is unknown."""
    if isinstance(value, Measure):
        ends = ""
        if not math.isnan(value.low):
            ends = f" ({shown(value.low)} to {shown(value.high)})"
        return shown(value.value) + ends
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return ""
    size = abs(value)
    if size >= 1e6 or 0.0 < size < 0.001:
        return f"{value:.2g}"
    return f"{value:,.0f}" if size >= 100.0 else f"{value:.3f}" if size < 0.1 else f"{value:.2f}"


def measure_record(measure: Measure) -> dict[str, Any]:
    """Return value, standard error and ends; where any is null, the reason beside it."""
    record: dict[str, Any] = {
        "value": number(measure.value),
        "se": number(measure.se),
        "ci": [number(measure.low), number(measure.high)],
    }
    if record["value"] is None:
        record["reason"] = "undefined: what it divides by does not vary"
    elif record["se"] is None:
        record["reason"] = "the labels do not show how sure it is"
    return record
