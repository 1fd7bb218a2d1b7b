"""Columns of what an experiment keeps of its draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["results_schema", "timing_schema"]


def results_schema() -> dict[str, pl.DataType | type[pl.DataType]]:
    """Return names and types of the columns of the results, one row an estimate."""
    import polars as pl

    text, number, whole, truth = pl.String, pl.Float64, pl.Int64, pl.Boolean
    return {
        "pool": text,
        "design": text,
        "trial": whole,
        "configuration": text,
        "estimand": text,
        "group": text,
        "n_items": whole,
        "n_labels": whole,
        "truth_pool": number,
        "truth_population": number,
        "estimate": number,
        "error": number,
        "se_pool": number,
        "low_pool": number,
        "high_pool": number,
        "covered_pool": truth,
        "width_pool": number,
        "se_population": number,
        "low_population": number,
        "high_population": number,
        "covered_population": truth,
        "width_population": number,
        "low_joint": number,
        "high_joint": number,
        "covered_joint": truth,
        "rank_low": whole,
        "rank_high": whole,
        "covered_rank": truth,
        "r2": number,
        "rmse": number,
        "spearman": number,
        "design_variance": number,
        "problem": text,
    }


def timing_schema() -> dict[str, pl.DataType | type[pl.DataType]]:
    """Return names and types of the columns of the timing."""
    import polars as pl

    return {
        "pool": pl.String,
        "design": pl.String,
        "trial": pl.Int64,
        "configuration": pl.String,
        "cpu_seconds": pl.Float64,
    }
