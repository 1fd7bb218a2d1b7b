"""Figures of experiments, in the layouts of the paper: curves over budgets, scores, ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.experiments.full_pool import FullPool

__all__ = ["MODEL", "QUALITY", "RANKING", "curves", "save_drawing", "score_distributions"]

QUALITY = {
    "bias": "bias",
    "sd": "SD",
    "rmse": "RMSE",
    "coverage_pool": "coverage of the interval",
}
"""Panels of the paper's Figures 4(a), 5 and 7."""

MODEL = {
    "model_r2": "R2 of the model",
    "model_rmse": "RMSE of the model",
    "model_spearman": "Spearman's correlation of the model",
}
"""Panels of Figures 4(b) and 8."""

RANKING = {
    "spearman": "Spearman's correlation of ranks",
    "kendall": "Kendall's tau",
    "rank_error": "mean error of the ranks",
    "coverage_joint": "all intervals hold at once",
}
"""Panels of Figure 6, and the coverage of Figure 5."""

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b")
"""Told apart by people with any colour vision (Okabe and Ito, 2008)."""

MARKERS = "osD^vPX*"
LEVELS = {"coverage_pool": 0.95, "coverage_joint": 0.95, "bias": 0.0}
"""Where a panel has a line to look for."""

PANEL = (3.4, 3.0)
BINS = 30
PEOPLE = "people"
MOST_JUDGES = 12
"""Lines that can be told apart."""

MOST_VALUES = 12
"""Different scores up to which each has a share of its own."""


@dataclass(frozen=True)
class _Line:
    """One configuration in one panel."""

    x: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray


def curves(
    table: pl.DataFrame,
    path: Path,
    panels: Mapping[str, str],
    *,
    x: Mapping[str, float],
    axis: str = "labelled share of the items",
    titles: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Draw figures of an experiment over its designs, with 99 % Monte Carlo bands.

    Parameters
    ----------
    table : polars.DataFrame
        `summary` or `ranking` of an experiment: one row a design and configuration.
    path : Path
        File to write, .svg or .png; the same rows give the same bytes.
    panels : mapping of str to str
        Column of `table` -> title of its panel, such as `QUALITY`.
    x : mapping of str to float
        Design -> its place on the axis.
    axis : str
        What the axis is.
    titles : mapping of str to str, optional
        Configuration -> its name in the legend.

    Returns
    -------
    tuple of str
        Panels left out because no configuration has the figure.
    """
    names = list(dict.fromkeys(table["configuration"].to_list()))
    lines = {panel: _lines(table, panel, names, x) for panel in panels}
    shown = [panel for panel in panels if lines[panel]]
    if shown:
        drawing, axes = _panels(len(shown))
        for panel, part in zip(shown, axes, strict=True):
            _draw(part, lines[panel], names, titles or {})
            if panel in LEVELS:
                part.axhline(LEVELS[panel], color="grey", lw=0.8, ls=":")
            part.set_title(_plain(panels[panel]), fontsize=9)
            part.set_xlabel(_plain(axis), fontsize=8)
        _legend(drawing, axes)
        save_drawing(drawing, path)
    return tuple(panels[panel] for panel in panels if panel not in shown)


def _lines(
    table: pl.DataFrame, panel: str, names: Sequence[str], x: Mapping[str, float]
) -> dict[str, _Line]:
    """Return the lines of a panel: configurations that have the figure at some design."""
    import polars as pl

    found = {}
    for name in names:
        rows = table.filter((pl.col("configuration") == name) & pl.col(panel).is_not_null()).rows(
            named=True
        )
        rows = sorted((row for row in rows if row["design"] in x), key=lambda r: x[r["design"]])
        if rows:
            columns = [
                np.array([row[panel + end] for row in rows], dtype=np.float64)
                for end in ("", "_low", "_high")
            ]
            found[name] = _Line(np.array([x[row["design"]] for row in rows]), *columns)
    return found


def _draw(
    part: Any, lines: Mapping[str, _Line], names: Sequence[str], titles: Mapping[str, str]
) -> None:
    """Draw the lines of a panel with their bands."""
    for name, line in lines.items():
        place = names.index(name)
        colour = COLOURS[place % len(COLOURS)]
        part.plot(
            line.x,
            line.value,
            color=colour,
            marker=MARKERS[place % len(MARKERS)],
            ls="-" if place < len(COLOURS) else "--",
            ms=4,
            lw=1.2,
            label=_plain(titles.get(name, name)),
        )
        part.fill_between(line.x, line.low, line.high, color=colour, alpha=0.15, lw=0)
    part.tick_params(labelsize=7)


def score_distributions(full: FullPool, path: Path, *, title: str = "") -> tuple[str, ...]:
    """Draw how people's scores are distributed beside each numeric judge's (Figures 1 and 2).

    Shares of each value where there are few, else of equal bins of the middle 99 % of all that
    is drawn, with what lies outside it in the outer bins. People: solid; judges: dashed. Only
    judges on the labels' scale are drawn; where none is, all scores are in SDs from their own
    mean.

    Parameters
    ----------
    full : FullPool
        The pool with all labels.
    path : Path
        File to write, .svg or .png.
    title : str
        Its head.

    Returns
    -------
    tuple of str
        Judges left out, because they are on another scale or beyond `MOST_JUDGES`.
    """
    scores, axis = _comparable(full)
    people = scores.pop(PEOPLE)
    drawing, (part,) = _panels(1, width=6.5)
    values = np.unique(people)
    few = len(values) <= MOST_VALUES
    shown = list(scores)[:MOST_JUDGES]
    every = np.concatenate([people, *(scores[name] for name in shown)])
    low, high = np.nanquantile(every, (0.005, 0.995)).tolist()
    edges = np.linspace(low, high, BINS + 1)
    at = values if few else (edges[1:] + edges[:-1]) / 2.0

    def shares(said: FloatArray) -> FloatArray:
        known = said[~np.isnan(said)]
        if few:
            place = np.abs(known[:, None] - values).argmin(axis=1)
            counts = np.bincount(place, minlength=len(values))
        else:
            counts = np.histogram(np.clip(known, low, high), edges)[0]
        return np.asarray(counts / max(len(known), 1))

    part.plot(at, shares(people), color="black", lw=2, label=PEOPLE, zorder=3)
    for k, name in enumerate(shown):
        colour = COLOURS[1 + k % (len(COLOURS) - 1)]
        label = _plain(name.removeprefix("judge_"))
        part.plot(at, shares(scores[name]), color=colour, lw=1, ls="--", label=label)
    part.set_xlabel(axis, fontsize=8)
    part.set_ylabel("share of the items", fontsize=8)
    part.set_title(_plain(title or full.name), fontsize=9)
    part.tick_params(labelsize=7)
    _legend(drawing, [part])
    save_drawing(drawing, path)
    return tuple(one.name for one in full.pool.judges if not one.is_text and one.name not in shown)


def _comparable(full: FullPool) -> tuple[dict[str, FloatArray], str]:
    """Return people's scores and those of judges in the same units, and what these are."""
    from bacon.calibration.raw_judges import raw_judges
    from bacon.features.columns import run_mean

    used = raw_judges(full.pool, np.arange(full.pool.n_items), full.y, full.scale).used
    judges = {one.name: run_mean(one) for one in full.pool.judges if not one.is_text}
    if used:
        return {PEOPLE: full.y, **{name: judges[name] for name in used}}, "score"
    every = {PEOPLE: full.y, **judges}
    return {
        name: (said - np.nanmean(said)) / max(float(np.nanstd(said)), 1e-300)
        for name, said in every.items()
        if not np.isnan(said).all()
    }, "score, in SDs from the mean of its judge"


def _plain(text: str) -> str:
    """Return a text that is shown as it is: dollars begin no formula."""
    cut = text if len(text) <= 48 else f"{text[:45]}..."
    return cut.replace("\\", "\\\\").replace("$", r"\$").lstrip("_") or "-"


def _panels(count: int, width: float = PANEL[0]) -> tuple[Any, list[Any]]:
    """Return a drawing and its panels side by side."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width * count, PANEL[1] + 0.6), layout="constrained")
    FigureCanvasAgg(drawing)
    return drawing, list(np.atleast_1d(drawing.subplots(1, count)))


def _legend(drawing: Any, axes: Sequence[Any]) -> None:
    """Write what the lines are below the panels, each once."""
    found: dict[str, Any] = {}
    for part in axes:
        handles, labels = part.get_legend_handles_labels()
        found.update(zip(labels, handles, strict=True))
    if found:
        columns = min(4, len(found)) if len(axes) > 1 else min(3, len(found))
        drawing.legend(
            list(found.values()), list(found), loc="outside lower center", ncols=columns, fontsize=7
        )


def save_drawing(drawing: Any, path: Path) -> None:
    """Write a drawing; without a date and with one salt, the same drawing is the same bytes.

    Words of an SVG stay words: what shows it finds a font for any script.
    """
    import io
    import warnings

    import matplotlib as mpl

    kind = path.suffix.removeprefix(".") or "svg"
    buffer = io.BytesIO()
    words = mpl.rc_context({"svg.hashsalt": "bacon", "svg.fonttype": "none"})
    with words, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        metadata = {"Date": None} if kind == "svg" else None
        drawing.savefig(buffer, format=kind, metadata=metadata, dpi=150)
    write_atomically(path, buffer.getvalue(), overwrite=True)
