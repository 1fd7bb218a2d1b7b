"""Tables and figures of bench/adaptive.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.experiments.montecarlo import mean_figure, paired, wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.experiments.montecarlo import Figure
    from lib.adaptive_trials import Cell

Drawn = tuple["Cell", "pl.DataFrame"]

METHODS = {
    "direct": ("labels alone", "#7f7f7f", "s"),
    "one": ("one stage", "#1f77b4", "o"),
    "two": ("two stages", "#d62728", "^"),
}
STUDY = (0.15, 0.4)


def values(draws: pl.DataFrame, name: str) -> FloatArray:
    """Return one column of the draws, empty where it is not there."""
    if name not in draws.columns:
        return np.zeros(0)
    return draws[name].cast(float).to_numpy()


def shown(figure: Figure, digits: int = 3) -> str:
    """Return a figure with its 99 % Monte Carlo interval."""
    if np.isnan(figure.value):
        return "-"
    return f"{figure.value:.{digits}f} ({figure.low:.{digits}f}-{figure.high:.{digits}f})"


def by_design(draws: pl.DataFrame, power: float) -> Figure:
    """Return the ratio of averaged design variances, two stages over one, to a power."""
    return paired(values(draws, "two_variance"), values(draws, "one_variance"), power=power)


def by_error(draws: pl.DataFrame, base: str = "one") -> Figure:
    """Return the ratio of mean squared errors, two stages over `base`."""
    ours, theirs = values(draws, "two_error"), values(draws, f"{base}_error")
    return paired(ours**2, theirs**2 if len(theirs) else None, power=1.0)


def bias(draws: pl.DataFrame) -> Figure:
    """Return the bias of two stages in standard deviations of the estimate."""
    errors = values(draws, "two_error")
    if len(errors) < 2:
        return mean_figure(errors)
    return mean_figure(errors / errors.std(ddof=1))


def synthetic_table(cells: Sequence[Drawn]) -> list[str]:
    """Return the table of the paper's synthetic study."""
    lines = [
        "| lambda | pilot | budget | MSE of one stage, by design | by errors | of labels alone | "
        "bias, SDs | labels | uniform share | draws |",
        "|---" * 10 + "|",
    ]
    for cell, draws in cells:
        lam = cell.pool.split(":")[1]
        lines.append(
            f"| {lam} | {cell.pilot:g} | {cell.rate:g} | {shown(by_design(draws, 1.0))} | "
            f"{shown(by_error(draws), 2)} | {shown(by_error(draws, 'direct'), 3)} | "
            f"{shown(bias(draws), 2)} | {values(draws, 'n_drawn').mean():,.0f} | "
            f"{values(draws, 'uniform_share').mean():.2f} | {len(draws)} |"
        )
    return lines


def pool_table(cells: Sequence[Drawn]) -> list[str]:
    """Return the table of the pools."""
    lines = [
        "| pool | pilot | budget | hardness | RMSE of one stage, by design | uniform share | "
        "budget spent | draws |",
        "|---" * 8 + "|",
    ]
    for cell, draws in cells:
        learnt = f"{cell.hardness}, shuffled" if cell.shuffled else cell.hardness
        spent = values(draws, "n_drawn").mean() / values(draws, "expected").mean()
        lines.append(
            f"| {cell.pool} | {cell.pilot:g} | {cell.rate:g} | {learnt} | "
            f"{shown(by_design(draws, 0.5))} | {values(draws, 'uniform_share').mean():.2f} | "
            f"{spent:.3f} | {len(draws)} |"
        )
    return lines


def coverage_table(cells: Sequence[Drawn]) -> list[str]:
    """Return the table of coverages."""
    lines = [
        "| pool | pilot | budget | covers | mean squared SE over MSE | bias, SDs | draws |",
        "|---" * 7 + "|",
    ]
    for cell, draws in cells:
        covers = values(draws, "two_covers")
        square = paired(values(draws, "two_square"), values(draws, "two_error") ** 2, power=1.0)
        lines.append(
            f"| {cell.pool} | {cell.pilot:g} | {cell.rate:g} | "
            f"{shown(wilson(int(covers.sum()), len(covers)))} | {shown(square, 2)} | "
            f"{shown(bias(draws), 2)} | {len(draws):,} |"
        )
    return lines


def page_text(drawn: Mapping[str, Sequence[Drawn]]) -> str:
    """Return all tables; in brackets 99 % Monte Carlo intervals."""
    parts: tuple[tuple[str, str, Callable[[Sequence[Drawn]], list[str]]], ...] = (
        ("synthetic", "### The paper's synthetic study", synthetic_table),
        ("pools", "### Pools with every label known", pool_table),
        ("hardness", "### Other hardness", pool_table),
        ("coverage", "### Intervals", coverage_table),
    )
    lines: list[str] = []
    for kind, head, table in parts:
        if drawn[kind]:
            lines += [head, "", *table(drawn[kind]), ""]
    return "\n".join(lines)


def draw_figures(cells: Sequence[Drawn], folder: Path) -> None:
    """Write the paper's figures 9, 10 and 11: bias and MSE along each of its sweeps."""
    folder.mkdir(parents=True, exist_ok=True)
    study = [(cell, draws) for cell, draws in cells if len(draws) > 1]
    fixed = [(c, d) for c, d in study if c.pool == "synthetic:1.5"]
    sweeps = (
        (
            "adaptive-lambda",
            "heteroskedasticity lambda",
            [(float(c.pool.split(":")[1]), d) for c, d in study if (c.pilot, c.rate) == STUDY],
        ),
        ("adaptive-pilot", "pilot rate", [(c.pilot, d) for c, d in fixed if c.rate == STUDY[1]]),
        ("adaptive-budget", "budget", [(c.rate, d) for c, d in fixed if c.pilot == STUDY[0]]),
    )
    for name, axis, points in sweeps:
        if points:
            draw_sweep(sorted(points, key=lambda one: one[0]), axis, folder / f"{name}.svg")


def draw_sweep(points: Sequence[tuple[float, pl.DataFrame]], axis: str, path: Path) -> None:
    """Write one figure: bias with its 99 % interval, and MSE by errors and by design."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    at = np.array([x for x, _ in points])
    drawing = Drawing(figsize=(9.0, 3.6), layout="constrained")
    FigureCanvasAgg(drawing)
    left, right = drawing.subplots(1, 2)
    for shift, (name, (label, colour, marker)) in enumerate(METHODS.items()):
        errors = [values(draws, f"{name}_error") for _, draws in points]
        found = [mean_figure(one) for one in errors]
        reach = [one.high - one.value for one in found]
        moved = at + (shift - 1) * 0.02 * (np.ptp(at) or 1.0)
        middle = [one.value for one in found]
        left.errorbar(moved, middle, reach, color=colour, fmt=marker, ms=4, lw=1, label=label)
        mse = [float(np.mean(one**2)) for one in errors]
        right.plot(at, mse, marker, color=colour, ms=4, label=f"{label}, errors")
        design = [values(draws, f"{name}_variance").mean() for _, draws in points]
        right.plot(at, design, "-", color=colour, lw=1, label=f"{label}, by design")
    left.axhline(0.0, color="black", lw=0.6)
    left.set_ylabel("bias, with 99 % Monte Carlo interval")
    right.set_ylabel("mean squared error")
    right.set_yscale("log")
    for part in (left, right):
        part.set_xlabel(axis)
    left.legend(fontsize=8)
    right.legend(fontsize=7)
    # Without a date and with one salt, the same draws give the same file.
    with mpl.rc_context({"svg.hashsalt": "bacon"}):
        drawing.savefig(path, metadata={"Date": None})
