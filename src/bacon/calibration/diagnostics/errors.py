"""The errors of a judge, or of the model, on the labelled items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from bacon.arrays import freeze
from bacon.calibration.diagnostics.controls import Controls

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray
    from bacon.calibration.diagnostics.answers import Answers
    from bacon.calibration.diagnostics.observations import Observations

__all__ = ["ErrorKind", "Errors", "disagreement", "excess", "recalibrated"]

ErrorKind = Literal["excess", "recalibrated", "disagreement"]


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors on the labelled items that have one.

    Parameters
    ----------
    name : str
        The judge, or the model.
    kind : str
        excess: score or prediction less label, in points of the labels. recalibrated: the label
        predicted by a straight line through the judge's answers (a mean for each of its
        classes), less the label. disagreement: 1 where the answer is not the people's class,
        else 0 (a share where there are several runs).
    known : (m,) bool
        Labelled items with an error, k of them.
    values : (k,) float64
        The errors.
    columns : (k, c) float64
        Answers that the errors are free of already, none for raw scores.
    obs : Observations
        Weights and units of these items.
    of_model : bool
        Whether they are the model's.
    """

    name: str
    kind: ErrorKind
    known: BoolArray
    values: FloatArray
    columns: FloatArray
    obs: Observations
    of_model: bool = False

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "known", "values", "columns")

    @cached_property
    def controls(self) -> Controls:
        """The fit that the errors are left from."""
        return Controls.of(self.columns, self.obs)

    @cached_property
    def left(self) -> FloatArray:
        """The errors (k,) with mean 0."""
        return self.controls.residuals(self.values)

    @cached_property
    def sizes(self) -> Errors:
        """How large the errors are about their mean, whichever way."""
        return replace(self, values=np.abs(self.left), columns=self.columns[:, :0])

    def where(self, items: BoolArray) -> Errors:
        """Return the errors of those labelled items (m,) alone, all of which have one."""
        if items.sum() == len(self.values):
            return self
        inside = items[self.known]
        return replace(
            self,
            known=items,
            values=self.values[inside],
            columns=self.columns[inside],
            obs=self.obs.where(inside),
        )


def excess(
    name: str, y: FloatArray, score: FloatArray, obs: Observations, *, of_model: bool = False
) -> Errors:
    """Return score less label where there is a score (m,), on the labels' scale."""
    known = ~np.isnan(score)
    values = _without_rounding(score[known] - y[known], y[known])
    nothing = np.zeros((len(values), 0))
    return Errors(name, "excess", known, values, nothing, obs.where(known), of_model)


def recalibrated(answers: Answers, y: FloatArray) -> Errors:
    """Return what a judge's recalibrated answers have too much against labels `y` (m,)."""
    y = y[answers.known]
    fit = Controls.of(answers.columns, answers.obs)
    values = _without_rounding(-fit.residuals(y), y)
    return Errors(answers.name, "recalibrated", answers.known, values, answers.columns, answers.obs)


def disagreement(
    answers: Answers, y: FloatArray, classes: tuple[str, ...], *, of_model: bool = False
) -> Errors:
    """Return the share of a text judge's runs that are not the class `y` (m,) of the people."""
    place = y[answers.known].astype(np.int64)
    values = 1.0 - answers.shares_of(classes)[np.arange(len(place)), place]
    nothing = np.zeros((len(values), 0))
    known = answers.known
    return Errors(answers.name, "disagreement", known, values, nothing, answers.obs, of_model)


def _without_rounding(errors: FloatArray, y: FloatArray) -> FloatArray:
    """Return errors, zeros where they are what rounding leaves of none."""
    if np.abs(errors).max(initial=0.0) <= 1e-9 * np.abs(y).max(initial=0.0):
        return np.zeros_like(errors)
    return errors
