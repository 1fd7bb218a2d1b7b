"""What bench/adaptive.py measures in one draw of two stages beside one of a single stage."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import bacon
from bacon.experiments.adaptive import everyones_chances
from bacon.experiments.answers import FoldModels
from bacon.experiments.fit import design_variance, unequal_variance
from bacon.random import stream
from bacon.sampling.two_stage import TwoStageDesign

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.sample import Sample
    from bacon.experiments.full_pool import FullPool


@dataclass(frozen=True)
class Cell:
    """One setting that is drawn again and again.

    Parameters
    ----------
    pool : str
        File of the data folder, or synthetic:<lambda>.
    pilot, rate : float
        Share of the pool in the pilot and in both stages; from 2 up, numbers of items.
    model : str
        Outcome model.
    hardness : str
        How hardness is learnt.
    shuffled : bool
        Whether the pilot's residuals are dealt anew among its items first, so that nothing can
        be learnt from them.
    alone : bool
        Whether only two stages are drawn, for their coverage.
    trials : int
        Draws wanted.
    """

    pool: str
    pilot: float
    rate: float
    model: str = "stack"
    hardness: str = "gamma"
    shuffled: bool = False
    alone: bool = False
    trials: int = 40

    @property
    def name(self) -> str:
        """Name of the file that keeps its draws."""
        parts = [self.pool.replace(":", "-"), f"{self.pilot:g}", f"{self.rate:g}", self.model]
        parts += [self.hardness] if self.hardness != "gamma" else []
        parts += [word for word in ("shuffled", "alone") if getattr(self, word)]
        return "_".join(parts)


def share_of(number: float, n_items: int) -> float:
    """Return a share of the pool from a share or a number of items."""
    return number if number < 1.0 else number / n_items


def trial(full: FullPool, cell: Cell, seed: int) -> dict[str, Any]:
    """Draw two stages, and one with as many labels, and return errors and variances."""
    n_items = full.pool.n_items
    rate, pilot_rate = share_of(cell.rate, n_items), share_of(cell.pilot, n_items)
    design = TwoStageDesign(rate=rate, pilot=pilot_rate)
    pilot = design.draw(full.pool, seed=seed)
    cal = calibrated(full, pilot, cell.model, seed)
    if cell.shuffled:
        cal = shuffled(cal, seed)
    hard = cal.hardness(cell.hardness, rate=rate)
    drawn = design.extend(pilot, hard, seed, pool=full.pool)
    two = calibrated(full, drawn, cell.model, seed)
    found: dict[str, Any] = {
        "n_drawn": drawn.n_drawn,
        "expected": float(drawn.stages.everyone.sum()) if drawn.stages else None,
        "uniform_share": hard.uniform_share,
        "two_variance": two_stage_variance(full, two, drawn),
    }
    if full.levels is None:
        found |= answers("two", full, two)
    if cell.alone:
        return found
    single = bacon.UniformDesign(n=math.floor(rate * n_items + 1e-9)).draw(full.pool, seed=seed)
    one = calibrated(full, single, cell.model, seed)
    found["one_variance"] = equal_variance(full, one, seed)
    if full.levels is None:
        found |= answers("one", full, one)
        labels = full.y[full.rows_of(single)]
        n = len(labels)
        found["direct_error"] = float(labels.mean() - full.y.mean())
        found["direct_variance"] = float((1.0 / n - 1.0 / n_items) * full.y.var(ddof=1))
    return found


def calibrated(full: FullPool, sample: Sample, model: str, seed: int) -> Calibration:
    """Return the calibration on a draw."""
    labels = full.labels(full.rows_of(sample))
    found = bacon.calibrate(full.pool, labels, sample=sample, model=model, seed=seed)
    assert not isinstance(found, dict)
    return found


def shuffled(cal: Calibration, seed: int) -> Calibration:
    """Return a calibration whose residuals were dealt anew among the labels."""
    order = stream(seed, "shuffled").permutation(cal.n_labels)
    own = cal.f[cal.aligned.design.rows]
    if own.ndim == 2:
        # Of classes, labels are dealt: their probabilities cannot be added to.
        return replace(cal, aligned=replace(cal.aligned, y=cal.aligned.y[order]))
    return replace(cal, aligned=replace(cal.aligned, y=own + (cal.aligned.y - own)[order]))


def answers(name: str, full: FullPool, cal: Calibration) -> dict[str, Any]:
    """Return error, squared standard error and whether the interval holds the truth."""
    estimate, truth = cal.mean(), float(full.y.mean())
    low, high = estimate.interval()
    return {
        f"{name}_error": estimate.value - truth,
        f"{name}_square": estimate.se() ** 2,
        f"{name}_covers": bool(low <= truth <= high),
    }


def outcomes(full: FullPool) -> FloatArray:
    """Return the labels (N, C): one column, or one for each class."""
    if full.levels is None:
        return full.y[:, None]
    return np.asarray(full.y[:, None] == np.arange(len(full.levels)), dtype=np.float64)


def two_stage_variance(full: FullPool, cal: Calibration, drawn: Sample) -> float:
    """Return the design variance of a draw in two stages from all labels; of classes their sum."""
    e = everyones_chances(full.pool, drawn)
    assert e is not None
    f = cal.f.reshape(len(e), -1)
    return sum(
        unequal_variance(y, f[:, column], fold_models(cal, column), e)
        for column, y in enumerate(outcomes(full).T)
    )


def fold_models(cal: Calibration, column: int) -> FoldModels:
    """Return the models behind the predictions, of one class where there are classes."""

    def predict(k: int, items: IntArray) -> FloatArray:
        said = cal.fitted.models[k].predict(cal.fitter.x[items])
        return np.asarray(said.reshape(len(items), -1)[:, column])

    return FoldModels(cal.fitted.predictions.fold, len(cal.fitted.models), predict)


def equal_variance(full: FullPool, cal: Calibration, seed: int) -> float:
    """Return the design variance of a simple draw from all labels; of classes their sum."""
    f = cal.f.reshape(full.pool.n_items, -1)
    total = 0.0
    for column, y in enumerate(outcomes(full).T):
        rng = stream(seed, "design variance")
        models = fold_models(cal, column)
        total += design_variance(y, cal.aligned.design.rows, f[:, column], models, rng)
    return total


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Return the draws of a cell."""
    return pl.DataFrame(rows, infer_schema_length=None)
