"""The summary of an experiment as a person reads it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bacon.experiments.configurations import BASE

if TYPE_CHECKING:
    import polars as pl

    from bacon.experiments.run import Measured

__all__ = ["summary_text"]

HEAD = ("", "bias", "RMSE", "RMSE ratio", "by design", "covers", "width ratio")
GROUPS_HEAD = (
    "",
    "all hold at once",
    "width ratio",
    "RMSE ratio",
    "Spearman",
    "Kendall",
    "ranks off by",
    "rank sets hold",
    "ranks in a set",
)

HOW_TO_READ = (
    "In brackets: 99 % Monte Carlo interval of the figure. Ratios are to labels alone (human-only) "
    "over the same draws. "
    '"By design" is the ratio of RMSEs that the predictions of each draw imply, which needs far '
    "fewer draws."
)


def summary_text(measured: Measured, *, level: float = 0.95) -> str:
    """Return a table for each design and estimand, with Monte Carlo error, and what it shows.

    Parameters
    ----------
    measured : Measured
        What :func:`bacon.experiments.run.simulate` gave.
    level : float
        Confidence level of the intervals.
    """
    import polars as pl

    lines: list[str] = []
    whole = measured.summary.filter(pl.col("group").is_null())
    for keys, cell in whole.group_by("pool", "design", "estimand", maintain_order=True):
        pool, design, estimand = (str(key) for key in keys)
        rows = list(cell.iter_rows(named=True))
        lines.append(f"{estimand} of {pool}, {design}: {_draws(rows)}")
        lines += _laid_out(*_table(rows))
        lines += [line for row in rows for line in _sentences(row, level)]
        lines.append("")
    for keys, cell in _groups(measured.ranking):
        pool, design, estimand = (str(key) for key in keys)
        rows = list(cell.iter_rows(named=True))
        lines.append(
            f"{estimand} of {rows[0]['groups']} groups of {pool}, {design}: {_draws(rows)}"
        )
        lines += _laid_out(GROUPS_HEAD, *(_group_row(row) for row in rows))
        lines += [
            f"  {row['configuration']}: some group had no interval in {row['incomplete']:,} draws."
            for row in rows
            if row["incomplete"] and row["coverage_joint"] is not None
        ]
        lines.append("")
    return "\n".join([*lines, HOW_TO_READ])


def _groups(ranking: pl.DataFrame) -> Any:
    """Return the cells of the ranking with their keys."""
    if ranking.height == 0:
        return ()
    return ranking.group_by("pool", "design", "estimand", maintain_order=True)


def _draws(rows: list[dict[str, Any]]) -> str:
    """Say how many draws there are."""
    counts = sorted({row["trials"] for row in rows})
    if len(counts) == 1:
        return f"{counts[0]:,} draws"
    return f"{counts[0]:,} to {counts[-1]:,} draws"


def _table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the cells of the table of a design and estimand, its head first."""
    fresh = any(row["coverage_population"] is not None for row in rows)
    head = (*HEAD, *(("covers population",) if fresh else ()), "R2 of the model")
    cells = [head]
    for row in rows:
        population = (figure(row, "coverage_population", 3),) if fresh else ()
        cells.append(
            (
                row["configuration"],
                number(row["bias"], 2, sign=True),
                number(row["rmse"], 3),
                figure(row, "rmse_ratio", 2),
                figure(row, "design_ratio", 3),
                figure(row, "coverage_pool", 3),
                figure(row, "width_ratio_pool", 2),
                *population,
                number(row["model_r2"], 2),
            )
        )
    return cells


def _group_row(row: dict[str, Any]) -> tuple[str, ...]:
    """Return one line of the table about all groups together."""
    return (
        row["configuration"],
        figure(row, "coverage_joint", 3),
        figure(row, "width_ratio_joint", 2),
        figure(row, "rmse_ratio", 2),
        figure(row, "spearman", 2),
        figure(row, "kendall", 2),
        figure(row, "rank_error", 2),
        figure(row, "coverage_ranks", 3),
        figure(row, "rank_set", 1),
    )


def number(value: float | None, digits: int, *, sign: bool = False) -> str:
    """Return a number in so many significant digits, a dash for none."""
    if value is None:
        return "-"
    return f"{value:+.{digits}g}" if sign else f"{value:.{digits}g}"


def figure(row: dict[str, Any], name: str, decimals: int) -> str:
    """Return a figure with its Monte Carlo interval; 1 where the labels alone meet themselves."""
    value, low, high = (row[name + end] for end in ("", "_low", "_high"))
    if value is None:
        return "-"
    if row["configuration"] == BASE and "ratio" in name:
        return "1"
    if low is None or math.isclose(low, high):
        return f"{value:.{decimals}f}"
    return f"{value:.{decimals}f} ({low:.{decimals}f}-{high:.{decimals}f})"


def _laid_out(*cells: tuple[str, ...]) -> list[str]:
    """Return lines with columns of equal width."""
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return [
        "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _sentences(row: dict[str, Any], level: float) -> list[str]:
    """Say what the figures of a configuration show beyond Monte Carlo error, and what failed."""
    lines = []
    name = row["configuration"]
    kind = "rmse_ratio" if row["design_ratio_low"] is None else "design_ratio"
    low, high = row[f"{kind}_low"], row[f"{kind}_high"]
    if name != BASE and low is not None:
        verdict = "cannot be told from the labels alone in these draws"
        if high < 1.0:
            verdict = f"errs less than the labels alone: RMSE {row[kind]:.2f} of theirs"
        elif low > 1.0:
            verdict = f"errs more than the labels alone: RMSE {row[kind]:.2f} of theirs"
        lines.append(f"  {name} {verdict}.")
    if row["coverage_pool_high"] is not None and row["coverage_pool_high"] < level:
        lines.append(
            f"  {name}: the {level * 100:g} % intervals hold the truth in "
            f"{row['coverage_pool'] * 100:.1f} % of draws, too few."
        )
    if row["failed"]:
        lines.append(f"  {name} refused {row['failed']:,} of {row['trials']:,} draws.")
    return lines
