"""Figures of experiments, in the layouts of the paper: curves over budgets, fit, ranks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bacon.experiments.figure_parts import (
    SMALL,
    cut,
    legend_below,
    look,
    panels_of,
    percent,
    plain_style,
    save_drawing,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from bacon.arrays import FloatArray

__all__ = [
    "MODEL",
    "QUALITY",
    "RANKING",
    "SHARE",
    "curves",
    "draw_lines",
]

QUALITY = {
    "bias": "bias, in units of the label",
    "sd": "SD of the estimate, in units of the label",
    "rmse": "RMSE of the estimate, in units of the label",
    "coverage_pool": "share of intervals that hold the truth",
}
"""Panels of the paper's Figures 4(a), 5 and 7."""

MODEL = {
    "model_r2": "R2 of the model",
    "model_rmse": "RMSE of the model, in units of the label",
    "model_spearman": "Spearman's correlation of the model",
}
"""Panels of Figures 4(b) and 8."""

RANKING = {
    "spearman": "Spearman's correlation of the systems",
    "kendall": "Kendall's tau of the systems",
    "rank_error": "mean error of the ranks",
    "coverage_joint": "share of draws in which all intervals hold",
}
"""Panels of Figure 6, and the coverage of Figure 5."""

SHARE = "labelled share of the items"
PANEL = (4.0, 2.8)
MANY = 4
"""Lines from which on bands are paler."""

MOST_TICKS = 8
"""Places that all have their number on the axis."""

WORDS = 40
"""Signs below an axis from which on they stand aslant."""

ROW = 0.22
"""Inches of one name, where there is one design."""

SIZE = re.compile(r"(^| )(n|n_clusters|rate)=\S+")
"""What of a design's name says how many items it labels."""


@dataclass(frozen=True)
class _Line:
    """One line of one panel: places, figures and their 99 % Monte Carlo intervals (k,)."""

    at: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray


def curves(
    table: pl.DataFrame,
    path: Path,
    panels: Mapping[str, str],
    *,
    x: Mapping[str, float],
    titles: Mapping[str, str] | None = None,
    level: float = 0.95,
    head: str = "",
) -> tuple[str, ...]:
    """Draw figures of an experiment over its designs, with 99 % Monte Carlo bands.

    Where all designs stand in one place, each configuration has a row with its interval. Designs
    that differ in more than their size have lines of their own.

    Parameters
    ----------
    table : polars.DataFrame
        `summary` or `ranking` of an experiment: one row a design and configuration.
    path : Path
        File to write, .svg or .png; the same rows give the same bytes.
    panels : mapping of str to str
        Column of `table` -> title of its panel, such as `QUALITY`.
    x : mapping of str to float
        Design -> its place on the axis; other designs are left out.
    titles : mapping of str to str, optional
        Configuration -> its name in the legend.
    level : float
        Confidence level of the intervals: where coverage should be.
    head : str
        What stands above all panels.

    Returns
    -------
    tuple of str
        Panels left out because no configuration has the figure.

    Raises
    ------
    InputError
        `path` is neither .svg nor .png.
    """
    import polars as pl

    kinds = {design: SIZE.sub("", design).strip() for design in x}
    several = len({kinds[one] for one in table["design"].unique().to_list() if one in kinds}) > 1
    placed = table.filter(pl.col("design").is_in(list(x)))
    rows = placed.select("configuration", "design").rows()
    names = [
        (titles or {}).get(configuration, configuration) + (f", {kinds[design]}" if several else "")
        for configuration, design in rows
    ]
    return draw_lines(
        placed.with_columns(
            line=pl.Series(names, dtype=pl.String),
            place=pl.Series([x[design] for _, design in rows], dtype=pl.Float64),
        ),
        path,
        panels,
        axis=SHARE,
        level=level,
        head=head,
    )


def draw_lines(
    table: pl.DataFrame,
    path: Path,
    panels: Mapping[str, str],
    *,
    axis: str,
    level: float = 0.95,
    head: str = "",
    ticks: Mapping[str, float] | None = None,
) -> tuple[str, ...]:
    """Draw one line for each value of column `line` over column `place`.

    Parameters
    ----------
    table : polars.DataFrame
        Columns `line`, `place` and, for every panel, `x`, `x_low` and `x_high`.
    path, panels, axis, level, head
        As :func:`curves` takes them.
    ticks : mapping of str to float, optional
        Words on the axis -> their place; then points stand beside each other, without lines.

    Returns
    -------
    tuple of str
        Panels left out because no line has the figure.
    """
    names = list(dict.fromkeys(table["line"].to_list()))
    lines = {panel: _lines(table, panel, names) for panel in panels}
    lines = {panel: found for panel, found in lines.items() if found}
    if lines:
        one = table["place"].n_unique() == 1
        height = ROW * len(names) + 0.8 if one else PANEL[1]
        with plain_style():
            drawing, axes = panels_of(len(lines), PANEL[0], height)
            for (panel, found), part in zip(lines.items(), axes, strict=True):
                aim = level if panel.startswith("coverage") else 0.0 if panel == "bias" else None
                if one:
                    _rows(part, found, names, aim)
                elif ticks is not None:
                    _points(part, found, names, aim)
                    _words(part, axis, ticks)
                else:
                    _curves(part, found, names, aim)
                    _numbers(part, axis, sorted(table["place"].unique().to_list()))
                part.set_title(panels[panel], fontsize=SMALL + 1, parse_math=False)
                part.tick_params(labelsize=SMALL)
            told = [head] if head else []
            if one:
                place = float(table["place"][0])
                told.append(f"{axis}: {percent(place) if axis == SHARE else f'{place:g}'}")
            if told:
                drawing.suptitle(cut(", ".join(told)), fontsize=SMALL + 2, parse_math=False)
            if not one:
                drawn = {name for found in lines.values() for name in found}
                shown = [name for name in names if name in drawn]
                signs = [_key(names.index(name), joined=ticks is None) for name in shown]
                legend_below(drawing, signs, shown)
            save_drawing(drawing, path)
    return tuple(title for panel, title in panels.items() if panel not in lines)


def _lines(table: pl.DataFrame, panel: str, names: Sequence[str]) -> dict[str, _Line]:
    """Return the lines of a panel: those that have the figure somewhere, by place."""
    import polars as pl

    ends = [pl.col(panel + end).cast(pl.Float64) for end in ("", "_low", "_high")]
    there = table.select("line", "place", *ends).filter(pl.col(panel).is_finite())
    found = {}
    for name in names:
        rows = there.filter(pl.col("line") == name).sort("place").fill_null(math.nan)
        if rows.height:
            found[name] = _Line(*(one.to_numpy() for one in rows.drop("line").get_columns()))
    return found


def _curves(part: Any, lines: Mapping[str, _Line], names: Sequence[str], aim: float | None) -> None:
    """Draw lines with bands; a line of one point with its interval."""
    shade = 0.16 if len(names) <= MANY else 0.08
    for name, line in lines.items():
        style = look(names.index(name))
        part.plot(line.at, line.value, ms=4, lw=1.3, **style)
        part.fill_between(line.at, line.low, line.high, color=style["color"], alpha=shade, lw=0)
        if len(line.at) == 1:
            part.vlines(line.at, line.low, line.high, color=style["color"], lw=1.0)
    if aim is not None:
        part.axhline(aim, color="grey", lw=0.8, ls=":", zorder=0)


def _points(part: Any, lines: Mapping[str, _Line], names: Sequence[str], aim: float | None) -> None:
    """Draw points with intervals beside each other, where nothing lies between two places."""
    for name, line in lines.items():
        place = names.index(name)
        style = look(place)
        at = line.at + 0.6 * ((place + 0.5) / len(names) - 0.5)
        part.vlines(at, line.low, line.high, color=style["color"], lw=1.3)
        part.plot(at, line.value, ms=5, **{**style, "ls": ""})
    if aim is not None:
        part.axhline(aim, color="grey", lw=0.8, ls=":", zorder=0)


def _words(part: Any, axis: str, ticks: Mapping[str, float]) -> None:
    """Say which setting stands where."""
    part.set_xlabel(cut(axis), fontsize=SMALL, parse_math=False)
    part.set_xticks(list(ticks.values()), [cut(one, 24) for one in ticks], parse_math=False)
    part.set_xlim(min(ticks.values()) - 0.5, max(ticks.values()) + 0.5)
    if sum(len(one) for one in ticks) > WORDS:
        part.tick_params(axis="x", rotation=20)


def _numbers(part: Any, axis: str, places: Sequence[float]) -> None:
    """Say what the numbers of the axis are, at the places drawn where they are few."""
    part.set_xlabel(cut(axis), fontsize=SMALL, parse_math=False)
    if axis == SHARE:
        part.xaxis.set_major_formatter(lambda share, _: percent(share))
    room = (places[-1] - places[0]) / MOST_TICKS
    if len(places) <= MOST_TICKS and all(b - a >= room for a, b in pairwise(places)):
        part.set_xticks(places)


def _rows(part: Any, lines: Mapping[str, _Line], names: Sequence[str], aim: float | None) -> None:
    """Draw a row for each name, where there is one place: a point with its interval."""
    for name, line in lines.items():
        place = names.index(name)
        style = look(place)
        part.hlines(place, line.low, line.high, color=style["color"], lw=1.3)
        part.plot(line.value, [place] * len(line.value), ms=5, **{**style, "ls": ""})
    if aim is not None:
        part.axvline(aim, color="grey", lw=0.8, ls=":", zorder=0)
    part.set_yticks(range(len(names)), [cut(name, 28) for name in names], parse_math=False)
    part.set_ylim(len(names) - 0.4, -0.6)


def _key(place: int, *, joined: bool) -> Any:
    """Return the sign in the legend for the name in a place, with its line where there is one."""
    from matplotlib.lines import Line2D

    style = look(place)
    return Line2D([], [], ms=4, lw=1.3, **(style if joined else {**style, "ls": ""}))
