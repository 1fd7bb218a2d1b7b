"""What the paper leaves open: two ways of doing one thing, on the same draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.experiments.figure_parts import percent
from bacon.experiments.markdown import number, told
from bacon.experiments.montecarlo import Figure, paired

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from bacon.replication.protocol import Question
    from bacon.replication.run import Part

__all__ = ["question_lines", "question_table"]

FIGURES = {
    "rmse": ("error", 0.5),
    "width": ("width_pool", 1.0),
}
"""Ratio -> column of the results and its power; errors are squared."""


def question_table(part: Part) -> pl.DataFrame:
    """Return each question at each budget.

    Returns
    -------
    polars.DataFrame
        `question`, `ours`, `other`, `design`, `budget`; `rmse` (ratio of RMSEs over the same
        draws; over all systems for what is about systems), `width` (ratio of mean widths), each
        with its 99 % Monte Carlo interval; `coverage_ours`, `coverage_other`. Null where a
        configuration has none.
    """
    import polars as pl

    rows = []
    for question in part.questions:
        for design, budget in part.shares.items():
            ours, other = (
                _draws(part, design, name, question) for name in (question.ours, question.other)
            )
            row = {
                "question": question.title,
                "ours": question.ours,
                "other": question.other,
                "design": design,
                "budget": budget,
            }
            for name, (column, power) in FIGURES.items():
                figure = _ratio(ours, other, column, power)
                row[name], row[f"{name}_low"], row[f"{name}_high"] = (
                    None if np.isnan(one) else one for one in figure
                )
            for whose, draws in (("ours", ours), ("other", other)):
                covered = draws["covered_pool"].cast(pl.Float64).drop_nulls()
                row[f"coverage_{whose}"] = covered.mean() if len(covered) else None
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _draws(part: Part, design: str, name: str, question: Question) -> pl.DataFrame:
    """Return the draws of a configuration: of the systems where the question is about them."""
    import polars as pl

    group = pl.col("group")
    return part.measured.results.filter(
        (pl.col("design") == design)
        & (pl.col("configuration") == name)
        & (group.is_not_null() if question.needs_groups else group.is_null())
    )


def _ratio(ours: pl.DataFrame, other: pl.DataFrame, column: str, power: float) -> Figure:
    """Return a ratio of means over the draws, averaged over systems first."""
    import polars as pl

    def by_trial(draws: pl.DataFrame) -> np.ndarray:
        value = pl.col(column) ** 2 if column == "error" else pl.col(column)
        means = draws.group_by("trial").agg(value.mean()).sort("trial")
        return means[column].fill_null(np.nan).to_numpy().astype(np.float64)

    return paired(by_trial(ours), by_trial(other), power=power)


def question_lines(part: Part) -> list[str]:
    """Return the questions as Markdown, then the population's intervals on fresh pools."""
    lines = [
        "| the first against the second | budget | RMSE, of the second's | width, of the second's "
        "| covers | the second covers |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['question']} | {percent(row['budget'])} | {told(row, 'rmse')} | "
        f"{told(row, 'width')} | {number(row['coverage_ours'])} | "
        f"{number(row['coverage_other'])} |"
        for row in question_table(part).iter_rows(named=True)
    ]
    return [*lines, "", *_population_lines(part)]


def _population_lines(part: Part) -> Iterator[str]:
    """Yield coverage of both targets by intervals for the pool and for the population."""
    if part.fresh is None:
        return
    yield "Intervals for the pool and for the population, with a new pool in every draw:"
    yield ""
    yield "| budget | | pool's holds the pool | population's holds the population | width |"
    yield "|---|---|---|---|---|"
    for row in part.fresh.summary.iter_rows(named=True):
        yield (
            f"| {row['design']} | {row['configuration']} | {told(row, 'coverage_pool')} | "
            f"{told(row, 'coverage_population')} | {_wider(row)} |"
        )


def _wider(row: dict[str, float | None]) -> str:
    """Return how much wider the population's intervals are."""
    pool, population = row["width_pool"], row["width_population"]
    return "-" if not pool or population is None else f"{population / pool:.3f} of the pool's"
