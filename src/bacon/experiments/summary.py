"""Figures of an experiment with their Monte Carlo error, from its single draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.experiments.configurations import BASE
from bacon.experiments.montecarlo import (
    Figure,
    finite,
    flat,
    mean_figure,
    paired,
    rmse_figure,
    sd_figure,
    wilson,
)

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import FloatArray

__all__ = ["summarise", "trials_wanted"]

KEYS = ("pool", "design", "estimand", "group")


def _column(table: pl.DataFrame, name: str) -> FloatArray:
    """Return a column of numbers or truth values (m,), NaN where there is none."""
    import polars as pl

    return table[name].cast(pl.Float64).fill_null(math.nan).to_numpy()


def summarise(results: pl.DataFrame, *, base: str = BASE) -> pl.DataFrame:
    """Return one row per design, estimand, group and configuration.

    Parameters
    ----------
    results : polars.DataFrame
        One row per trial, configuration, estimand and group; every configuration has the
        trials 0, 1, ... up to its own last.
    base : str
        Configuration that ratios are taken to, over the same draws; the labels alone.

    Returns
    -------
    polars.DataFrame
        Each figure `x` with the ends of its 99 % Monte Carlo interval, `x_low` and `x_high`,
        null where there is none: `rmse_ratio` from squared errors, `design_ratio` from design
        variances. Infinite widths stay out of the widths and are counted in `without_interval`.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    for keys, cell in results.group_by(KEYS, maintain_order=True):
        tables = {
            str(name[0]): table.sort("trial")
            for name, table in cell.group_by("configuration", maintain_order=True)
        }
        for name, table in tables.items():
            counts = {
                "trials": table.height,
                "failed": table.height - table["problem"].null_count(),
                "without_interval": int(np.sum(~np.isfinite(_column(table, "width_pool")))),
            }
            figures = flat(_figures(table, tables.get(base)))
            rows.append(
                {**dict(zip(KEYS, keys, strict=True)), "configuration": name, **counts, **figures}
            )
    names = list(rows[0])
    whole = dict.fromkeys(("trials", "failed", "without_interval"), pl.Int64)
    text = dict.fromkeys((*KEYS, "configuration"), pl.String)
    schema = {name: {**whole, **text}.get(name, pl.Float64) for name in names}
    return pl.DataFrame(rows, schema=schema)


def _figures(table: pl.DataFrame, base: pl.DataFrame | None) -> dict[str, Figure]:
    """Return the figures of one configuration in one cell."""

    def ratio(name: str, power: float, *, squared: bool = False) -> Figure:
        ours = _column(table, name)
        theirs = None if base is None else _column(base, name)
        if squared:
            return paired(ours**2, None if theirs is None else theirs**2, power=power)
        return paired(ours, theirs, power=power)

    error = finite(_column(table, "error"))
    found = {
        "bias": mean_figure(error),
        "sd": sd_figure(error),
        "rmse": rmse_figure(error),
        "rmse_ratio": ratio("error", 0.5, squared=True),
        "design_ratio": ratio("design_variance", 0.5),
    }
    for target in ("pool", "population"):
        hits = finite(_column(table, f"covered_{target}"))
        found[f"coverage_{target}"] = wilson(int(hits.sum()), len(hits))
        found[f"width_{target}"] = mean_figure(finite(_column(table, f"width_{target}")))
        found[f"width_ratio_{target}"] = ratio(f"width_{target}", 1.0)
        found[f"mean_se_{target}"] = mean_figure(finite(_column(table, f"se_{target}")))
    for name in ("r2", "rmse", "spearman"):
        found[f"model_{name}"] = mean_figure(finite(_column(table, name)))
    return found


def trials_wanted(
    summary: pl.DataFrame, done: int, *, coverage: float, ratio: float, chunk: int
) -> int:
    """Return how many trials would bring every figure within the half-widths asked for.

    The half-width falls with the root of the number of trials. No more than twice what is
    there, since the spread is itself estimated; whole chunks. Configurations without
    intervals and single groups are not waited for.

    Parameters
    ----------
    summary : polars.DataFrame
        Figures of one design over the first `done` trials.
    done : int
        Trials there are.
    coverage, ratio : float
        Half-widths asked for.
    chunk : int
        Trials of one part.
    """
    need = 1.0
    for row in summary.iter_rows(named=True):
        if row["group"] is not None or row["coverage_pool"] is None:
            continue
        of_errors = "rmse_ratio" if row["design_ratio"] is None else "design_ratio"
        limits = {"coverage_pool": coverage, "coverage_population": coverage}
        limits |= {of_errors: ratio, "width_ratio_pool": ratio}
        for name, limit in limits.items():
            if row[name] is not None:
                half = (row[f"{name}_high"] - row[f"{name}_low"]) / 2.0
                need = max(need, (half / limit) ** 2)
    if need <= 1.0:
        return done
    return chunk * math.ceil(done * min(1.02 * need, 2.0) / chunk)
