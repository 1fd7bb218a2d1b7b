"""All figures of an experiment in one folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.experiments.figures import (
    MODEL,
    QUALITY,
    RANKING,
    curves,
    draw_lines,
)
from bacon.experiments.plan import design_name
from bacon.experiments.score_figure import score_distributions
from bacon.experiments.sweeps import in_name, settings_of
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Plan
    from bacon.experiments.run import Measured

__all__ = ["draw_figures", "draw_sweeps", "shares_of"]


def shares_of(plan: Plan, measured: Measured | None = None) -> dict[str, float]:
    """Return the share of the pool that each design labels, by the design's name.

    As its settings say, or, where `measured` is given, as it did on average: clusters differ in
    size, so that their settings do not say it.
    """
    import polars as pl

    n_items = plan.full.pool.n_items
    if measured is None:
        return {design_name(one): plan.expected(one) / n_items for one in plan.designs}
    whole = measured.results.filter(pl.col("group").is_null())
    means = whole.group_by("design", maintain_order=True).agg(pl.col("n_labels").mean() / n_items)
    return dict(means.iter_rows())


def draw_figures(
    measured: Measured,
    full: FullPool,
    shares: Mapping[str, float],
    folder: Path,
    *,
    titles: Mapping[str, str] | None = None,
    level: float = 0.95,
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
    level : float
        Confidence level of the intervals: where coverage should be.

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
            head = "" if len(estimands) == 1 else estimand
            lacking = curves(rows, path, panels, x=shares, titles=titles, level=level, head=head)
            if len(lacking) < len(panels):
                drawn.append(path.name)
            if lacking:
                text = f"{full.name}, {estimand}: nothing to draw of {', '.join(lacking)}."
                told.append(Notice("no_figure", text))
    if full.levels is not None:
        text = f"{full.name}: the labels are words, which have no distribution of scores to draw."
        told.append(Notice("no_figure", text))
    else:
        left = score_distributions(full, folder / "scores.svg")
        drawn.append("scores.svg")
        if left:
            text = (
                f"{full.name}: left out of the figure of scores, for another scale or because they "
                f"are too many to draw: {listed(left)}. They count everywhere else."
            )
            told.append(Notice("judges_not_drawn", text))
    _remove_others(folder, r"(estimates|models|ranking|scores)(-\d+)?\.svg", drawn)
    return tuple(drawn), tuple(told)


def draw_sweeps(
    measured: Measured,
    sweeps: Mapping[str, Sequence[object]],
    folder: Path,
    *,
    level: float = 0.95,
) -> tuple[str, ...]:
    """Draw error and coverage over the values of each swept setting.

    A line for each configuration, value of the other settings, design and estimand that there is
    more than one of.

    Parameters
    ----------
    measured : Measured
        An experiment with the configurations of :func:`bacon.experiments.sweeps.swept`.
    sweeps : mapping of str to sequence
        The same settings and values. Where one is no number they stand side by side.
    folder : Path
        Where ``sweep-KEY.svg`` goes, one a setting.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    tuple of str
        Names of the files.
    """
    import polars as pl

    whole = measured.summary.filter(pl.col("group").is_null())
    drawn = []
    for key, values in sweeps.items():
        places, numeric = _places(values)
        lines, at = [], []
        varying = [one for one in ("design", "estimand") if whole[one].n_unique() > 1]
        for row in whole.iter_rows(named=True):
            base, settings = settings_of(row["configuration"], sweeps)
            others = [f"{other}={value}" for other, value in settings.items() if other != key]
            lines.append(", ".join([base, *others, *(row[one] for one in varying)]))
            at.append(places.get(settings.get(key, "")))
        rows = whole.with_columns(
            line=pl.Series(lines, dtype=pl.String), place=pl.Series(at, dtype=pl.Float64)
        ).drop_nulls("place")
        path = folder / f"sweep-{key}.svg"
        ticks = None if numeric else places
        lacking = draw_lines(rows, path, QUALITY, axis=key, level=level, ticks=ticks)
        if len(lacking) < len(QUALITY):
            drawn.append(path.name)
    _remove_others(folder, r"sweep-.+\.svg", drawn)
    return tuple(drawn)


def _remove_others(folder: Path, ours: str, drawn: Sequence[str]) -> None:
    """Remove figures of an earlier command, which nothing that is here now stands behind."""
    for path in folder.iterdir():
        if re.fullmatch(ours, path.name) and path.name not in drawn:
            path.unlink()


def _places(values: Sequence[object]) -> tuple[dict[str, float], bool]:
    """Return where values stand on the axis, and whether they are its numbers."""
    words = [in_name(value) for value in values]
    try:
        return {word: float(word) for word in words}, True
    except ValueError:
        return {word: float(place) for place, word in enumerate(words)}, False
