"""What each judge, and each run, is worth: forward selection on the pilot, by errors held out.

A ridge stands in for the outcome model, since its leave-one-out errors cost one fit. Judges are
added one at a time, each time the one that leaves the least error. What k judges are worth is
taken from labels that had no part in choosing them: the pilot is cut in folds, judges are chosen
without a fold, and its labels are predicted by the models of those.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only
from bacon.features.feature_map import feature_matrix, fit_feature_map
from bacon.outcome.folds import label_folds
from bacon.outcome.ridge_fit import fit_ridge
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Judge, Pool
    from bacon.features.feature_map import FeatureMap

__all__ = ["Choice", "choose_judges", "forward", "most_runs"]

FOLDS = 5

LONGEST = 8
"""Judges chosen one at a time; beside them only all of them are considered."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A set of judges, and runs of each.

    Parameters
    ----------
    judges : tuple of str
        The judges, in the order they were chosen.
    runs : int
        Runs of each, where it has as many.
    share : float
        Residual variance as a share of the one with all judges and runs.
    """

    judges: tuple[str, ...]
    runs: int
    share: float


@dataclass(frozen=True, eq=False)
class _Features:
    """Features of the labelled rows, and the judge that each column is made from.

    `owner` (p,) is the judge's position, -1 for other features, -2 for all judges together.
    """

    x: FloatArray
    blocks: IntArray
    owner: IntArray
    n_judges: int

    def seen(self, judges: Sequence[int]) -> BoolArray:
        """Return which columns a model of some judges has."""
        kept = np.isin(self.owner, [-1, *judges])
        return kept | (self.owner == -2) if len(judges) == self.n_judges else kept

    def held_out(self, y: FloatArray, judges: Sequence[int]) -> FloatArray:
        """Return leave-one-out predictions (m,) of a ridge on some judges."""
        used = self.seen(judges)
        return fit_ridge(self.x[:, used], y, self.blocks[used]).held_out_

    def predict(self, y: FloatArray, train: BoolArray, judges: Sequence[int]) -> FloatArray:
        """Return what a ridge on the `train` rows says of the others."""
        used = self.seen(judges)
        fitted = fit_ridge(self.x[train][:, used], y[train], self.blocks[used])
        return fitted.predict(self.x[~train][:, used])


def most_runs(pool: Pool) -> int:
    """Return the most runs that a judge has."""
    return max((judge.scores.shape[1] for judge in pool.judges), default=1)


def choose_judges(cal: Calibration, y: FloatArray) -> list[Choice]:
    """Return sets of judges along the forward path, all of them, and none, for each run count.

    Parameters
    ----------
    cal : Calibration
        The pilot.
    y : (m,) float64
        What is averaged at the labelled rows.
    """
    names = [judge.name for judge in cal.pool.judges]
    weights = 1.0 / cal.aligned.design.pi
    features = _features(cal, cal.pool, cal.feature_map, cal.fitter.x)
    everyone = list(range(len(names)))
    path = forward(features, y, weights)
    sets = [path[:k] for k in range(len(path) + 1)]
    errors = _honest(features, y, weights, cal.seed)
    if len(path) < len(names):
        sets.append(everyone)
    reference = errors[-1]
    full = most_runs(cal.pool)
    whole = [_error(y - features.held_out(y, kept), weights) for kept in sets]
    found = []
    for runs in range(1, full + 1):
        if runs == full:
            ratio = np.ones(len(sets))
        else:
            pool = _first_runs(cal.pool, runs)
            fewer = _features(cal, pool)
            own = [_error(y - fewer.held_out(y, kept), weights) for kept in sets]
            ratio = np.array(own) / np.maximum(whole, 1e-300)
        for kept, error, times in zip(sets, errors, ratio.tolist(), strict=True):
            if not kept and runs > 1:
                continue
            # No judges have no runs.
            share = error / reference * (times if kept else 1.0)
            found.append(Choice(tuple(names[k] for k in kept), runs, share))
    return found


def forward(features: _Features, y: FloatArray, weights: FloatArray) -> list[int]:
    """Return judges in the order in which each leaves the least leave-one-out error."""
    path: list[int] = []
    rest = list(range(features.n_judges))
    while rest and len(path) < LONGEST:
        errors = [_error(y - features.held_out(y, [*path, k]), weights) for k in rest]
        path.append(rest.pop(int(np.argmin(errors))))
    return path


def _honest(features: _Features, y: FloatArray, weights: FloatArray, seed: int) -> list[float]:
    """Return the error of the first 0, 1, ... judges, and of all, chosen without the label."""
    m = len(y)
    fold = label_folds(np.arange(m), None, min(FOLDS, m), stream(seed, "plan judges"))
    length = min(LONGEST, features.n_judges)
    everyone = list(range(features.n_judges))
    more = [everyone] if length < features.n_judges else []
    predicted = np.empty((length + 1 + len(more), m))
    for k in range(int(fold.max()) + 1):
        train = fold != k
        inner = replace(features, x=features.x[train])
        path = forward(inner, y[train], weights[train])
        for position, kept in enumerate([*(path[:j] for j in range(length + 1)), *more]):
            predicted[position, ~train] = features.predict(y, train, kept)
    return [_error(y - row, weights) for row in predicted]


def _error(residual: FloatArray, weights: FloatArray) -> float:
    """Return the weighted variance of residuals."""
    centred = residual - weights @ residual / weights.sum()
    return float(weights @ centred**2 / weights.sum())


def _features(
    cal: Calibration,
    pool: Pool,
    feature_map: FeatureMap | None = None,
    x: FloatArray | None = None,
) -> _Features:
    """Return the features of the labelled rows with the judge of each column."""
    if feature_map is None or x is None:
        gone = {one.source for one in cal.feature_map.columns}
        absent = [judge.name for judge in pool.judges if judge.name not in gone]
        feature_map = fit_feature_map(pool, without=absent)
        x = feature_matrix(pool, feature_map)
    position = {judge.name: k for k, judge in enumerate(pool.judges)}
    owner = [
        -2 if column.kind == "disagreement" else position.get(column.source, -1)
        for column in feature_map.columns
    ]
    return _Features(
        x[cal.aligned.design.rows],
        feature_map.blocks,
        np.array(owner, dtype=np.int64),
        len(pool.judges),
    )


def _first_runs(pool: Pool, runs: int) -> Pool:
    """Return the pool as if each judge had run at most so often."""

    def cut(judge: Judge) -> Judge:
        told = tuple(
            replace(one, values=read_only(one.values[:, :runs])) for one in judge.uncertainty
        )
        scores = read_only(judge.scores[:, :runs])
        return replace(judge, runs=judge.runs[:runs], scores=scores, uncertainty=told)

    return replace(pool, judges=tuple(cut(judge) for judge in pool.judges))
