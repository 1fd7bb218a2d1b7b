"""The paper's Figures 9 to 11: bias and mean squared error of two stages along three sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bacon.experiments.figure_parts import panels_of, plain_style, save_drawing
from bacon.experiments.montecarlo import mean_figure
from bacon.files import make_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bacon.arrays import FloatArray

__all__ = ["ALONE", "FIGURES", "METHODS", "ONE", "STUDY", "TWO", "Point", "draw_figures", "known"]

ALONE, ONE, TWO = "direct", "one", "two"


class Method(NamedTuple):
    """How a method is called and drawn."""

    label: str
    colour: str
    marker: str


METHODS = {
    ALONE: Method("labels alone", "#7f7f7f", "s"),
    ONE: Method("one stage", "#1f77b4", "o"),
    TWO: Method("two stages", "#d62728", "^"),
}


@dataclass(frozen=True, eq=False)
class Point:
    """The draws of one point of the grids.

    Parameters
    ----------
    lam, pilot, rate : float
        The point.
    errors, variances : mapping of str to (m,) float64
        Error of the estimate and design variance in each trial, by the names of `METHODS`.
    n_labels : float
        Labels of two stages, on average.
    """

    lam: float
    pilot: float
    rate: float
    errors: Mapping[str, FloatArray]
    variances: Mapping[str, FloatArray]
    n_labels: float


STUDY = (1.5, 0.15, 0.4)
"""Lambda, pilot and budget of the point that all sweeps share."""


class Sweep(NamedTuple):
    """One figure: its axis, where a point stands on it, and which points are its own."""

    title: str
    axis: str
    x: Callable[[Point], float]
    own: Callable[[Point], bool]


FIGURES = {
    "adaptive-lambda.svg": Sweep(
        "Figure 9: heteroskedasticity",
        "heteroskedasticity lambda",
        lambda one: one.lam,
        lambda one: (one.pilot, one.rate) == STUDY[1:],
    ),
    "adaptive-pilot.svg": Sweep(
        "Figure 10: share of the pilot",
        "pilot rate",
        lambda one: one.pilot,
        lambda one: (one.lam, one.rate) == (STUDY[0], STUDY[2]),
    ),
    "adaptive-budget.svg": Sweep(
        "Figure 11: budget",
        "budget",
        lambda one: one.rate,
        lambda one: (one.lam, one.pilot) == STUDY[:2],
    ),
}
"""File of each figure."""


def known(values: FloatArray) -> FloatArray:
    """Return the values of the draws that were not refused, NaN where they were."""
    return values[~np.isnan(values)]


def draw_figures(points: Sequence[Point], folder: Path) -> tuple[str, ...]:
    """Write the figures whose sweep has two points or more.

    Parameters
    ----------
    points : sequence of Point
        Points of the grids, each with two draws or more.
    folder : Path
        Where the files go; made where it is not there.

    Returns
    -------
    tuple of str
        Names of the files; the same draws give the same bytes.
    """
    make_folder(folder)
    drawn = []
    for name, sweep in FIGURES.items():
        own = sorted((one for one in points if sweep.own(one)), key=sweep.x)
        if len(own) > 1:
            at = np.array([sweep.x(one) for one in own])
            with plain_style():
                save_drawing(_drawing(own, at, sweep.axis), folder / name)
            drawn.append(name)
    return tuple(drawn)


def _drawing(points: Sequence[Point], at: FloatArray, axis: str) -> Any:
    """Return one figure: bias with its 99 % interval, and MSE by errors and by design."""
    drawing, (left, right) = panels_of(2, 4.5, 3.1)
    for shift, (name, (label, colour, marker)) in enumerate(METHODS.items()):
        errors = [known(one.errors[name]) for one in points]
        found = [mean_figure(one) for one in errors]
        reach = [one.high - one.value for one in found]
        moved = at + (shift - 1) * 0.02 * float(np.ptp(at))
        middle = [one.value for one in found]
        left.errorbar(moved, middle, reach, color=colour, fmt=marker, ms=4, lw=1, label=label)
        mse = [float(np.mean(one**2)) for one in errors]
        right.plot(at, mse, marker, color=colour, ms=4, label=f"{label}, errors")
        design = [float(known(one.variances[name]).mean()) for one in points]
        right.plot(at, design, "-", color=colour, lw=1, label=f"{label}, by design")
    left.axhline(0.0, color="black", lw=0.6)
    left.set_ylabel("bias, with 99 % Monte Carlo interval")
    right.set_ylabel("mean squared error")
    right.set_yscale("log")
    for part in (left, right):
        part.set_xlabel(axis)
    left.legend(fontsize=8)
    right.legend(fontsize=7)
    return drawing
