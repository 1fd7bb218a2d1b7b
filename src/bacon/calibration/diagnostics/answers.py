"""Each judge's answers on the labelled items, read once for every diagnostic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.judge_scores import mean_of_present

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.diagnostics.observations import Observations
    from bacon.data.pool import Judge

__all__ = ["Answers", "answers_of"]


@dataclass(frozen=True, eq=False)
class Answers:
    """What a judge said of the labelled items that it answered.

    Parameters
    ----------
    name : str
        The judge.
    known : (m,) bool
        Labelled items with an answer; everything below has their number k of rows.
    score : (k,) float64 or None
        Mean score over the runs present; None for a judge that answers in words.
    shares : (k, C) float64 or None
        For a text judge, the share of its runs that gave each of `levels`.
    levels : tuple of str
        Its classes, empty for numbers.
    obs : Observations
        Weights and units of these items.
    """

    name: str
    known: BoolArray
    score: FloatArray | None
    shares: FloatArray | None
    levels: tuple[str, ...]
    obs: Observations

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "known", "score", "shares")

    @property
    def columns(self) -> FloatArray:
        """What a straight line, or a mean for each class, is fitted on: (k, c)."""
        if self.shares is not None:
            return self.shares
        score = np.zeros((int(self.known.sum()), 0)) if self.score is None else self.score
        return score.reshape(len(score), -1)

    def shares_of(self, classes: tuple[str, ...]) -> FloatArray:
        """Return the share of runs (k, C) that gave each of the people's `classes`."""
        if self.shares is None:
            raise ValueError(f"{self.name} answers in numbers")
        place = {level: k for k, level in enumerate(self.levels)}
        found = np.zeros((len(self.shares), len(classes)))
        for column, name in enumerate(classes):
            if name in place:
                found[:, column] = self.shares[:, place[name]]
        return found


def answers_of(judge: Judge, rows: IntArray, obs: Observations) -> Answers:
    """Return the answers of a judge on the labelled `rows` (m,)."""
    scores = judge.scores[rows]
    present = ~np.isnan(scores)
    known = np.asarray(present.any(axis=1))
    scores, present = scores[known], present[known]
    found = obs.where(known)
    if judge.levels is not None:
        shares = np.column_stack([(scores == k).sum(axis=1) for k in range(len(judge.levels))])
        shares = shares / present.sum(axis=1)[:, np.newaxis]
        return Answers(judge.name, known, None, shares, judge.levels, found)
    return Answers(judge.name, known, mean_of_present(scores), None, (), found)
