"""What was measured of each system: truth, bias, error, coverage and width, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.experiments.markdown import in_markdown, markdown_table
from bacon.experiments.store import parquet
from bacon.experiments.text import figure, number
from bacon.files import write_together

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from bacon.experiments.run import Measured

__all__ = ["systems_lines", "systems_table", "write_systems"]

KEYS = ("pool", "design", "estimand", "group")
FIGURES = ("bias", "rmse", "rmse_ratio", "coverage_pool", "width_pool", "width_ratio_pool")
HEAD = (
    "system",
    "truth",
    "items",
    "labels",
    "",
    "bias",
    "RMSE",
    "of labels alone",
    "covers",
    "width",
    "of labels alone",
)
HOW_TO_READ = (
    "In brackets: 99 % Monte Carlo interval of the figure. Ratios compare the same draws. Systems "
    "stand in the order of their true values; labels are those of a draw, on average."
)


def systems_table(measured: Measured) -> pl.DataFrame:
    """Return what was measured of each system, in the layout of the paper's table by system.

    Parameters
    ----------
    measured : Measured
        What :func:`bacon.experiments.run.simulate` gave for a plan with ``by_group=True``.

    Returns
    -------
    polars.DataFrame
        One row per design, estimand, system and configuration: `truth` (the system's true
        value), `n_items`, `n_labels` (of a draw, on average), `trials`, `failed` and, each with
        the ends of its 99 % Monte Carlo interval, `bias`, `rmse`, `rmse_ratio` (of that of the
        labels alone), `coverage_pool`, `width_pool` and `width_ratio_pool`. Null where there is
        none. Systems stand by their truth, the largest first. No rows without groups.

    Examples
    --------
    >>> import bacon
    >>> from bacon.experiments.full_pool import full_pool
    >>> from bacon.experiments.plan import Plan
    >>> from bacon.experiments.run import simulate
    >>> rows = {"system": ["a", "b"] * 20, "judge_x": list(range(40)), "human": [1, 2, 3, 5] * 10}
    >>> pool = bacon.read_pool(rows, label="human", group="system")
    >>> full = full_pool(pool, rows, label="human", name="toy")
    >>> plan = Plan(full, [bacon.UniformDesign(n=20)], ["human-only"], by_group=True)
    >>> systems_table(simulate(plan, trials=2)).select("group", "truth").rows()
    [('b', 3.5), ('a', 2.0)]
    """
    import polars as pl

    systems = measured.results.filter(pl.col("group").is_not_null())
    about = systems.group_by(*KEYS).agg(
        pl.col("truth_pool").first().alias("truth"),
        pl.col("n_items").first(),
        pl.col("n_labels").cast(pl.Float64).mean(),
    )
    columns = [f"{name}{end}" for name in FIGURES for end in ("", "_low", "_high")]
    designs = measured.summary.select("pool", "design", "estimand").unique(maintain_order=True)
    configurations = measured.summary.select("configuration").unique(maintain_order=True)
    return (
        measured.summary.filter(pl.col("group").is_not_null())
        .join(about, on=KEYS, how="left")
        .join(designs.with_row_index("_cell"), on=["pool", "design", "estimand"])
        .join(configurations.with_row_index("_place"), on="configuration")
        .sort("_cell", "truth", "group", "_place", descending=[False, True, False, False])
        .select(
            *KEYS,
            *("truth", "n_items", "n_labels", "configuration", "trials", "failed"),
            *columns,
        )
    )


def systems_lines(table: pl.DataFrame, *, level: int = 2) -> list[str]:
    """Return the table in Markdown, one a design and estimand.

    Parameters
    ----------
    table : polars.DataFrame
        What :func:`systems_table` gave, or some of its rows.
    level : int
        Level of the headings.
    """
    lines: list[str] = []
    for keys, cell in table.group_by("pool", "design", "estimand", maintain_order=True):
        pool, design, estimand = (str(key) for key in keys)
        lines += [
            f"{'#' * level} {in_markdown(estimand)} of {in_markdown(pool)}, {in_markdown(design)}",
            "",
        ]
        rows = [
            (
                in_markdown(row["group"]),
                number(row["truth"], 4),
                f"{row['n_items']:,}",
                f"{row['n_labels']:,.1f}",
                in_markdown(row["configuration"]),
                number(row["bias"], 2, sign=True),
                number(row["rmse"], 3),
                figure(row, "rmse_ratio", 2),
                figure(row, "coverage_pool", 3),
                number(row["width_pool"], 3),
                figure(row, "width_ratio_pool", 2),
            )
            for row in cell.iter_rows(named=True)
        ]
        lines += [*markdown_table(HEAD, rows), ""]
    return lines


def write_systems(measured: Measured, folder: Path) -> tuple[str, ...]:
    """Write ``systems.parquet`` and ``systems.md`` and return these names; none without groups.

    The same draws give the same bytes.
    """
    table = systems_table(measured)
    if table.height == 0:
        return ()
    text = "\n".join(["# Systems", "", HOW_TO_READ, "", *systems_lines(table)])
    contents = {folder / "systems.parquet": parquet(table), folder / "systems.md": text.encode()}
    write_together(contents, overwrite=True)
    return tuple(path.name for path in contents)
