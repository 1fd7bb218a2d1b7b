"""The paper's Figures 1 and 2: how people's scores are distributed beside each judge's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.experiments.figure_parts import (
    SMALL,
    cut,
    legend_below,
    look,
    panels_of,
    plain_style,
    save_drawing,
)

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.arrays import FloatArray
    from bacon.experiments.full_pool import FullPool

__all__ = ["score_distributions"]

SIZE = (6.5, 3.4)
BINS = 30
PEOPLE = "people"
MOST_JUDGES = 12
"""Lines that can be told apart."""

MOST_VALUES = 12
"""Different scores up to which each has a share of its own."""


def score_distributions(full: FullPool, path: Path) -> tuple[str, ...]:
    """Draw how people's scores are distributed beside each numeric judge's (Figures 1 and 2).

    Shares of each value where there are few, a judge's score counted at the nearest one; else of
    equal bins of the middle 99 % of all that is drawn, with what lies outside it in the outer bins.
    People: solid; judges: dashed. Only judges on the labels' scale are drawn; where none is, all
    scores are in SDs from their own mean.

    Parameters
    ----------
    full : FullPool
        The pool with all labels.
    path : Path
        File to write, .svg or .png.

    Returns
    -------
    tuple of str
        Judges left out, because they are on another scale or beyond `MOST_JUDGES`.

    Raises
    ------
    InputError
        `path` is neither .svg nor .png.
    """
    people, scores, axis = _comparable(full)
    shown = list(scores)[:MOST_JUDGES]
    at, counted = _shares([people, *(scores[name] for name in shown)])
    with plain_style():
        drawing, (part,) = panels_of(1, *SIZE)
        handles = part.plot(at, counted[0], color="black", lw=2, zorder=3)
        for place, shares in enumerate(counted[1:], start=1):
            style = {**look(place), "ls": "--"}
            handles += part.plot(at, shares, lw=1, ms=3, **style)
        part.set_xlabel(axis, fontsize=SMALL)
        part.set_ylabel("share of the items", fontsize=SMALL)
        part.set_title(cut(full.name), fontsize=SMALL + 1, parse_math=False)
        part.tick_params(labelsize=SMALL)
        if len(at) <= MOST_VALUES and (at == np.round(at)).all():
            part.set_xticks(at)
        legend_below(drawing, handles, [PEOPLE, *(one.removeprefix("judge_") for one in shown)])
        save_drawing(drawing, path)
    return tuple(one.name for one in full.pool.judges if not one.is_text and one.name not in shown)


def _shares(scores: list[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
    """Return values (k,), and the share of each of `scores` at them (k,); people's come first."""
    values = np.unique(scores[0])
    if len(values) <= MOST_VALUES:
        known = [one[~np.isnan(one)] for one in scores]
        places = [np.abs(one[:, None] - values).argmin(axis=1) for one in known]
        counts = [np.bincount(one, minlength=len(values)) for one in places]
        return values, [one / max(one.sum(), 1) for one in counts]
    low, high = np.nanquantile(np.concatenate(scores), (0.005, 0.995)).tolist()
    edges = np.linspace(low, high, BINS + 1)
    found = [
        np.histogram(np.clip(one[~np.isnan(one)], low, high), edges, range=(low, high))[0]
        for one in scores
    ]
    return (edges[1:] + edges[:-1]) / 2.0, [one / max(one.sum(), 1) for one in found]


def _comparable(full: FullPool) -> tuple[FloatArray, dict[str, FloatArray], str]:
    """Return people's scores, those of judges in the same units, and what these are."""
    from bacon.calibration.raw_judges import raw_judges
    from bacon.features.columns import run_mean

    used = raw_judges(full.pool, np.arange(full.pool.n_items), full.y, full.scale).used
    judges = {one.name: run_mean(one) for one in full.pool.judges if not one.is_text}
    if used:
        return full.y, {name: judges[name] for name in used}, "score"
    scaled = {name: _in_sds(said) for name, said in judges.items() if not np.isnan(said).all()}
    return _in_sds(full.y), scaled, "score, in SDs from the mean of its judge"


def _in_sds(scores: FloatArray) -> FloatArray:
    """Return scores in SDs from their own mean; zeros where all are alike."""
    return np.asarray((scores - np.nanmean(scores)) / max(float(np.nanstd(scores)), 1e-300))
