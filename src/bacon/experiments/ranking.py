"""Groups together: whether all their intervals hold at once, and whether their order is right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.experiments.configurations import BASE
from bacon.experiments.montecarlo import Figure, finite, flat, mean_figure, paired, wilson

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import FloatArray

__all__ = ["kendall", "rank_rows", "spearman_rows", "summarise_groups"]

KEYS = ("pool", "design", "estimand")


def rank_rows(values: FloatArray) -> FloatArray:
    """Return the rank of each value within its row (m, G), 1 the smallest, ties shared."""
    below = (values[:, None, :] < values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    return np.asarray(below + (equal + 1.0) / 2.0)


def spearman_rows(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Spearman's correlation of each row of `a` and `b` (m, G); NaN where one is flat."""
    ranks = [rank_rows(values) for values in (a, b)]
    centred = [r - r.mean(axis=1, keepdims=True) for r in ranks]
    size = np.sqrt((centred[0] ** 2).sum(axis=1) * (centred[1] ** 2).sum(axis=1))
    found = np.full(len(a), math.nan)
    np.divide((centred[0] * centred[1]).sum(axis=1), size, out=found, where=size > 0.0)
    return found


def kendall(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of each row of `a` and `b` (m, G); NaN where one is flat."""
    signs = [np.sign(values[:, :, None] - values[:, None, :]) for values in (a, b)]
    size = np.sqrt((signs[0] ** 2).sum(axis=(1, 2)) * (signs[1] ** 2).sum(axis=(1, 2)))
    found = np.full(len(a), math.nan)
    np.divide((signs[0] * signs[1]).sum(axis=(1, 2)), size, out=found, where=size > 0.0)
    return found


def _wide(table: pl.DataFrame, column: str) -> FloatArray:
    """Return a column (trials, groups), rows by trial and columns by group; NaN where none."""
    import polars as pl

    ordered = table.sort("trial", "group")
    values = ordered[column].cast(pl.Float64).fill_null(math.nan).to_numpy()
    return np.asarray(values.reshape(table["trial"].n_unique(), -1))


def _figures(table: pl.DataFrame, base: pl.DataFrame | None) -> dict[str, Figure]:
    """Return the figures of one configuration."""
    estimate, truth = _wide(table, "estimate"), _wide(table, "truth_pool")
    whole = ~np.isnan(estimate).any(axis=1)
    estimate, truth = estimate[whole], truth[whole]
    width = (_wide(table, "high_joint") - _wide(table, "low_joint")).mean(axis=1)
    error = ((_wide(table, "error")) ** 2).mean(axis=1)
    off = np.abs(rank_rows(estimate) - rank_rows(truth)).mean(axis=1)
    lowest = estimate.argmin(axis=1) == truth.argmin(axis=1)
    highest = estimate.argmax(axis=1) == truth.argmax(axis=1)
    base_width = base_error = None
    if base is not None:
        base_width = (_wide(base, "high_joint") - _wide(base, "low_joint")).mean(axis=1)
        base_error = (_wide(base, "error") ** 2).mean(axis=1)
    return {
        "coverage_joint": _share_true(_wide(table, "covered_joint")),
        "width_joint": mean_figure(finite(width)),
        "width_ratio_joint": paired(width, base_width, power=1.0),
        "rmse_ratio": paired(error, base_error, power=0.5),
        "spearman": mean_figure(finite(spearman_rows(estimate, truth)), least=-1.0, most=1.0),
        "kendall": mean_figure(finite(kendall(estimate, truth)), least=-1.0, most=1.0),
        "rank_error": mean_figure(off, least=0.0),
        "coverage_ranks": _share_true(_wide(table, "covered_rank")),
        "rank_set": mean_figure(finite(_set_sizes(table)), least=1.0),
        "lowest_found": wilson(int(lowest.sum()), len(lowest)),
        "highest_found": wilson(int(highest.sum()), len(highest)),
    }


def _share_true(hits: FloatArray) -> Figure:
    """Return how often all groups of a trial were hit; trials without an answer are left out."""
    whole = hits[~np.isnan(hits).any(axis=1)]
    return wilson(int(whole.min(axis=1).sum()) if len(whole) else 0, len(whole))


def _set_sizes(table: pl.DataFrame) -> FloatArray:
    """Return the mean number of ranks that a group could hold, by trial."""
    sizes = _wide(table, "rank_high") - _wide(table, "rank_low") + 1.0
    return np.asarray(sizes.mean(axis=1))


def summarise_groups(results: pl.DataFrame) -> pl.DataFrame:
    """Return one row per design, estimand and configuration about all groups together.

    Parameters
    ----------
    results : polars.DataFrame
        One row per trial, configuration, estimand and group.

    Returns
    -------
    polars.DataFrame
        Each figure `x` with the ends of its 99 % Monte Carlo interval, `x_low` and `x_high`:
        how often the joint intervals of all groups hold at once, their mean width, RMSE over
        groups and widths as shares of the labels alone, Spearman's and Kendall's correlation
        of the groups' estimates with their true values, mean absolute error of their ranks,
        how often all rank sets hold the true ranks and how many ranks a set has on average, and
        how often the lowest and highest group are the true ones. `incomplete` trials lack
        an estimate or interval of some group, and are left out of the figures that need it.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    grouped = results.filter(pl.col("group").is_not_null())
    for keys, cell in grouped.group_by(KEYS, maintain_order=True):
        tables = {
            str(name[0]): table
            for name, table in cell.group_by("configuration", maintain_order=True)
        }
        for name, table in tables.items():
            counts = {
                "groups": table["group"].n_unique(),
                "trials": table["trial"].n_unique(),
                "incomplete": int(np.isnan(_wide(table, "covered_joint")).any(axis=1).sum()),
            }
            figures = flat(_figures(table, tables.get(BASE)))
            rows.append(
                {**dict(zip(KEYS, keys, strict=True)), "configuration": name, **counts, **figures}
            )
    return pl.DataFrame(rows, infer_schema_length=None)
