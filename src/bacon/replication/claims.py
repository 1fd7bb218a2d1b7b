"""What a study is held to: the paper's pattern, checked on every budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from bacon.experiments.run import Measured

__all__ = ["BIAS_ERRORS", "Claim", "claims_of"]

BIAS_ERRORS = 3.5
"""Monte Carlo standard errors that a bias may reach by chance in one of so many cells."""

Z99 = 2.5758293035489004
CALIBRATED = ("full", "judges", "embeddings")
JOINT = (0.94, 0.98)


@dataclass(frozen=True)
class Claim:
    """One claim with what was found.

    Parameters
    ----------
    text : str
        What is claimed.
    held : bool
        Whether it holds, within Monte Carlo error where it says so.
    found : str
        The figures.
    """

    text: str
    held: bool
    found: str


def claims_of(measured: Measured) -> list[Claim]:
    """Return the pattern of the paper's figures, each held against this experiment.

    Bias: every cell (budget, configuration, system) within 3.5 Monte Carlo standard errors of
    0. Error: the full model better than the intercept alone at every budget. With systems:
    rankings no worse at any budget, and intervals that hold for all at once in 94 to 98 % of
    the draws (a claim fails when the 99 % Monte Carlo interval excludes it).
    """
    import polars as pl

    names = set(measured.summary["configuration"])
    modelled = [name for name in CALIBRATED if name in names]
    if not modelled:
        return []
    cells = measured.summary.filter(
        pl.col("configuration").is_in([*modelled, "human-only"]) & pl.col("bias").is_not_null()
    )
    whole = measured.summary.filter(pl.col("group").is_null())
    found = [_bias(cells), *(_better(whole, name) for name in modelled)]
    for name in modelled if measured.ranking.height else []:
        found += [_ranks(measured.ranking, name), _joint(measured.ranking, name)]
    return found


def _bias(cells: pl.DataFrame) -> Claim:
    """Return whether no bias is more than chance."""
    worst = 0.0
    where = ""
    for row in cells.iter_rows(named=True):
        se = (row["bias_high"] - row["bias_low"]) / 2.0 / Z99
        size = abs(row["bias"]) / se if se > 0.0 else 0.0
        if size >= worst:
            worst = size
            of = f", {row['group']}" if row["group"] else ""
            where = f"{row['configuration']}, {row['design']}{of}: {row['bias']:+.4f}"
    return Claim(
        f"no bias beyond {BIAS_ERRORS} Monte Carlo standard errors in any of {cells.height:,} "
        "cells of budget, configuration and system",
        worst <= BIAS_ERRORS,
        f"the largest is {worst:.2f} ({where})",
    )


def _better(whole: pl.DataFrame, name: str) -> Claim:
    """Return whether a configuration errs less than the labels alone at every budget.

    By design variances where they are known, which are far more precise than errors.
    """
    import polars as pl

    rows = whole.filter(pl.col("configuration") == name)
    ratios = [_first(row, "design_ratio", "rmse_ratio") for row in rows.iter_rows(named=True)]
    return Claim(
        f"{name}: less error than the intercept alone at every budget",
        all(low < 1.0 for _, low, _ in ratios),
        "RMSE as a share of it: " + ", ".join(_told(*one) for one in ratios),
    )


def _ranks(ranking: pl.DataFrame, name: str) -> Claim:
    """Return whether systems are ranked at least as well as by labels alone at every budget."""
    import polars as pl

    ours = ranking.filter(pl.col("configuration") == name)
    base = ranking.filter(pl.col("configuration") == "human-only")
    pairs = list(zip(ours.iter_rows(named=True), base.iter_rows(named=True), strict=True))
    return Claim(
        f"{name}: systems ranked better than by the intercept alone at every budget",
        all(one["spearman_high"] >= other["spearman_low"] for one, other in pairs)
        and sum(one["spearman"] - other["spearman"] for one, other in pairs) > 0.0,
        "Spearman: "
        + ", ".join(
            f"{one['spearman']:.3f} against {other['spearman']:.3f}" for one, other in pairs
        ),
    )


def _joint(ranking: pl.DataFrame, name: str) -> Claim:
    """Return whether intervals hold for all systems at once as often as they should."""
    import polars as pl

    rows = [
        (row["coverage_joint"], row["coverage_joint_low"], row["coverage_joint_high"])
        for row in ranking.filter(pl.col("configuration") == name).iter_rows(named=True)
        if row["coverage_joint"] is not None
    ]
    return Claim(
        f"{name}: intervals of all systems hold at once in {JOINT[0]:.0%} to {JOINT[1]:.0%}",
        all(low <= JOINT[1] and high >= JOINT[0] for _, low, high in rows),
        ", ".join(_told(*one) for one in rows),
    )


def _first(row: dict[str, Any], *names: str) -> tuple[float, float, float]:
    """Return the first figure that the row has, with its ends."""
    name = next(one for one in names if row[one] is not None)
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def _told(value: float, low: float, high: float) -> str:
    return f"{value:.3f} ({low:.3f}-{high:.3f})"
