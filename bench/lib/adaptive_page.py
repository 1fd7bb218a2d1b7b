"""Tables of bench/adaptive.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.experiments.montecarlo import mean_figure, paired, wilson
from bacon.replication.synthetic_figures import METHODS, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.experiments.montecarlo import Figure
    from lib.adaptive_trials import Cell

Drawn = tuple["Cell", "pl.DataFrame"]


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


def points_of(cells: Sequence[Drawn]) -> list[Point]:
    """Return the synthetic cells as the package's study has them."""
    return [
        Point(
            lam=float(cell.pool.split(":")[1]),
            pilot=cell.pilot,
            rate=cell.rate,
            errors={name: values(draws, f"{name}_error") for name in METHODS},
            variances={name: values(draws, f"{name}_variance") for name in METHODS},
            n_labels=float(values(draws, "n_drawn").mean()),
        )
        for cell, draws in cells
        if len(draws) > 1
    ]
