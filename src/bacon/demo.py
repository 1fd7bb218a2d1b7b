"""A simulated pool of essays whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.random import stream

if TYPE_CHECKING:
    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.calibration.calibration import Calibration

__all__ = ["DemoResult", "essays", "run_demo"]

CUTS = (-1.6, -0.8, -0.1, 0.7, 1.5)
"""Where the latent quality of an essay passes from one human score to the next."""


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What the demo shows.

    Parameters
    ----------
    human : (N,) float64
        What people would say of every essay, known because they are simulated.
    calibration : Calibration
        Fitted on the drawn labels.
    table : polars.DataFrame
        The essays as a user would have them: labels blank where not drawn.
    """

    human: FloatArray
    calibration: Calibration
    table: pl.DataFrame

    @property
    def truth(self) -> float:
        """Mean human score of all essays."""
        return float(self.human.mean())

    def scores(self) -> dict[str, FloatArray]:
        """Return the scores people would give and those of each judge, by name."""
        judges = {judge.name: judge.scores[:, 0] for judge in self.calibration.pool.judges}
        return {"people": self.human, **judges}


def _score(latent: FloatArray) -> FloatArray:
    """Round to the scale 1 to 6."""
    return np.clip(np.round(latent), 1.0, 6.0)


def essays(n_items: int, seed: int) -> tuple[pl.DataFrame, FloatArray]:
    """Simulate essays, three judges and the score people would give each.

    People score 1 + the number of `CUTS` below q + 0.5 e. The judges see the quality q
    through their own habits: one is generous and rewards length, one gives most essays a 4,
    a peak that people do not have, and one is noisy with some answers missing.

    Parameters
    ----------
    n_items : int
        Number of essays.
    seed : int
        Seed of the simulation.

    Returns
    -------
    table : polars.DataFrame
        item_id, judge scores and words, without labels.
    human : (N,) float64
        What people would say.
    """
    import polars as pl

    rng = stream(seed, "demo essays")
    quality, length = rng.normal(size=(2, n_items))
    human = 1.0 + np.searchsorted(CUTS, quality + 0.5 * rng.normal(size=n_items)).astype(np.float64)
    generous = _score(4.3 + 0.9 * quality + 0.4 * length + 0.5 * rng.normal(size=n_items))
    peaked = np.where(
        rng.random(n_items) < 0.6, 4.0, _score(3.6 + 1.3 * quality + 0.8 * rng.normal(size=n_items))
    )
    noisy = _score(4.1 + 0.8 * quality + 1.2 * rng.normal(size=n_items))
    noisy[rng.random(n_items) < 0.02] = np.nan
    table = pl.DataFrame(
        {
            "item_id": [f"essay{k:05d}" for k in range(n_items)],
            "words": np.round(350.0 * np.exp(0.3 * length)).astype(np.int64),
            "judge_generous": generous,
            "judge_peaked": peaked,
            "judge_noisy": pl.Series(noisy).fill_nan(None),
        }
    )
    return table, human


def run_demo(n_items: int = 5000, n_labels: int = 200, seed: int = 1) -> DemoResult:
    """Simulate essays, draw labels, and calibrate the judges on them."""
    import polars as pl

    from bacon.calibration.calibrate import calibrate
    from bacon.io.labels import match_ids, read_labels
    from bacon.io.pools import read_pool
    from bacon.sampling.uniform import UniformDesign

    table, human = essays(n_items, seed)
    pool = read_pool(table, judges="judge_*", features="words")
    sample = UniformDesign(n=n_labels).draw(pool, seed=seed)
    drawn = np.full(n_items, np.nan)
    rows = match_ids(pool, sample.ids)
    drawn[rows] = human[rows]
    labelled = table.with_columns(pl.Series("human", drawn).fill_nan(None))
    labels = read_labels(labelled, value="human")
    cal = calibrate(pool, labels, sample=sample, scale=(1.0, 6.0))
    return DemoResult(human, cal, labelled)
