"""The figure of interval width against labels."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.files import check_can_write, write_atomically
from bacon.planning.widths import width_row

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.planning.plan import Plan

__all__ = ["ENDINGS", "check_figure", "figure_bytes", "save_figure"]

ENDINGS = (".svg", ".png")

JUDGES, ALONE = "#0072b2", "#d55e00"
"""Blue and vermilion of Okabe and Ito, told apart by all eyes."""

POINTS = 60


def check_figure(path: Path, *, overwrite: bool) -> None:
    """Refuse a name that no figure can have, or a file that is not to be replaced."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"a figure ends in {' or '.join(ENDINGS)}; got {path}.")
    check_can_write(path, overwrite=overwrite)


def save_figure(
    plan: Plan, path: Path, *, width: float | None = None, overwrite: bool = False
) -> None:
    """Write the figure; see :meth:`Plan.save_figure`.

    Parameters
    ----------
    width : float, optional
        Width wanted, drawn as a line.
    """
    check_figure(path, overwrite=overwrite)
    write_atomically(path, figure_bytes(plan, path.suffix.lower()[1:], width), overwrite=overwrite)


def figure_bytes(plan: Plan, kind: str, width: float | None = None) -> bytes:
    """Return the figure as svg or png; the same plan gives the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = [width_row(plan, n) for n in _numbers(plan, width)]
    labels = [row["labels"] for row in rows]
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if plan.pilot is not None:
        band = [row["lower"] for row in rows], [row["upper"] for row in rows]
        axes.fill_between(labels, *band, color=JUDGES, alpha=0.15, linewidth=0)
    axes.plot(
        labels, [row["width_alone"] for row in rows], color=ALONE, label="labels alone", ls="--"
    )
    axes.plot(labels, [row["width"] for row in rows], color=JUDGES, label="with the judges")
    if width is not None:
        axes.axhline(width, color="0.4", linewidth=0.8, linestyle=":", label=f"{width:g} wide")
    if plan.pilot is not None:
        mark = plan.n_pilot, plan.width(plan.n_pilot)
        axes.plot(*mark, "o", color=JUDGES, markersize=5, label="pilot")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="labels",
        ylabel=f"width of the {plan.level * 100:g} % interval",
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(mpl.ticker.LogFormatter(minor_thresholds=(2, 0.6)))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False)
    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "bacon", "svg.fonttype": "none"}):
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()


def _numbers(plan: Plan, width: float | None) -> list[int]:
    """Return the numbers of labels that are drawn, evenly apart on a log scale."""
    from bacon.planning.spread import fewest

    most = max(4 * plan.n_pilot, 1_000)
    if width is not None:
        needed = fewest(plan.alone, width, plan.level, plan.target)
        most = max(most, 2 * (needed or plan.n_items))
    most = min(most, plan.n_items - 1 if plan.target == "pool" else plan.n_items)
    low = min(10, most)
    grid = np.unique(np.round(np.geomspace(low, most, POINTS)).astype(int))
    return [int(n) for n in grid if n >= 2 and math.isfinite(n)]
