"""All figures of an experiment in one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.experiments.figures import MODEL, QUALITY, RANKING, curves, score_distributions
from bacon.experiments.plan import design_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Plan
    from bacon.experiments.run import Measured

__all__ = ["draw_figures", "draw_sweep", "shares_of"]


def shares_of(plan: Plan) -> dict[str, float]:
    """Return the share of the pool that each design labels, by the design's name."""
    n_items = plan.full.pool.n_items
    return {design_name(one): plan.expected(one) / n_items for one in plan.designs}


def draw_figures(
    measured: Measured,
    full: FullPool,
    shares: Mapping[str, float],
    folder: Path,
    *,
    titles: Mapping[str, str] | None = None,
) -> tuple[tuple[str, ...], tuple[Notice, ...]]:
    """Draw error, fit and ranking over the budgets, and the scores' distributions.

    Parameters
    ----------
    measured : Measured
        The experiment.
    full : FullPool
        Its pool.
    shares : mapping of str to float
        Design -> its place on the axis, as `shares_of` gives it.
    folder : Path
        Where SVG files go; what is there of the same name is replaced.
    titles : mapping of str to str, optional
        Configuration -> its name in legends; the others are left out. All by default.

    Returns
    -------
    files : tuple of str
        Names of the files.
    notices : tuple of Notice
        What could not be drawn.
    """
    import polars as pl

    summary = measured.summary.filter(pl.col("group").is_null())
    ranking = measured.ranking
    if titles is not None:
        chosen = pl.col("configuration").is_in(list(titles))
        summary = summary.filter(chosen)
        ranking = ranking.filter(chosen) if ranking.height else ranking
    layouts: list[tuple[str, pl.DataFrame, dict[str, str]]] = [
        ("estimates", summary, QUALITY),
        ("models", summary, MODEL),
    ]
    if ranking.height:
        layouts.append(("ranking", ranking, RANKING))
    drawn: list[str] = []
    told: list[Notice] = []
    for name, table, panels in layouts:
        estimands = table["estimand"].unique(maintain_order=True).to_list()
        for number, estimand in enumerate(estimands, start=1):
            ending = "" if len(estimands) == 1 else f"-{number}"
            path = folder / f"{name}{ending}.svg"
            rows = table.filter(pl.col("estimand") == estimand)
            lacking = curves(rows, path, panels, x=shares, titles=titles)
            if len(lacking) < len(panels):
                drawn.append(path.name)
            if lacking:
                text = f"{full.name}, {estimand}: nothing to draw of {', '.join(lacking)}."
                told.append(Notice("no_figure", text))
    if full.levels is None:
        left = score_distributions(full, folder / "scores.svg")
        drawn.append("scores.svg")
        if left:
            text = f"{full.name}: {len(left)} judges are not drawn."
            told.append(Notice("judges_not_drawn", text))
    return tuple(drawn), tuple(told)


def draw_sweep(
    measured: Measured, key: str, values: Sequence[str], folder: Path
) -> tuple[str, ...]:
    """Draw error and coverage over the values of one swept setting, a line a design.

    Parameters
    ----------
    measured : Measured
        An experiment with the configurations of :func:`bacon.experiments.sweeps.swept`.
    key : str
        The setting.
    values : sequence of str
        Its values. Where one is no number they are places 1, 2, ... in their order.
    folder : Path
        Where ``sweep-KEY.svg`` goes.

    Returns
    -------
    tuple of str
        Its name; empty where nothing could be drawn.
    """
    import polars as pl

    places, axis = _places(key, values)
    whole = measured.summary.filter(pl.col("group").is_null())
    tables = [
        whole.filter(pl.col("configuration").str.ends_with(f"@{key}={value}")).with_columns(
            configuration=pl.format(
                "{}, {}", pl.col("configuration").str.split("@").list.first(), pl.col("design")
            ),
            design=pl.lit(value),
        )
        for value in values
    ]
    path = folder / f"sweep-{key}.svg"
    lacking = curves(pl.concat(tables), path, QUALITY, x=places, axis=axis)
    return () if len(lacking) == len(QUALITY) else (path.name,)


def _places(key: str, values: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return where values stand on the axis, and what it is called."""
    try:
        return {value: float(value) for value in values}, key
    except ValueError:
        told = ", ".join(f"{place} {value}" for place, value in enumerate(values, start=1))
        return {value: float(place) for place, value in enumerate(values, start=1)}, (
            f"{key}: {told}"
        )
