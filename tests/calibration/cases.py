"""A small pool with known human scores, and labels of some of its items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from tests.factories import make_pool

from bacon.calibration.calibrate import calibrate
from bacon.io.labels import read_labels
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.labels import Labels
    from bacon.data.pool import Judge, Pool
    from bacon.data.sample import Sample

N = 90
SCALE = (1.0, 6.0)
PI = np.random.default_rng(5).uniform(0.15, 0.7, size=N).tolist()


def essays(n: int = N, **columns: object) -> Pool:
    """Return the pool of the factory without clusters, so that items stand alone."""
    return replace(make_pool(n, **columns), cluster=None)


def people(pool: Pool, seed: int = 1) -> FloatArray:
    """Return what people would say of every item: 1 to 6, half explained by the judges."""
    rng = np.random.default_rng(seed)
    gpt, llama = (pool.table[name].to_numpy() for name in ("judge_gpt", "judge_llama"))
    latent = 0.5 * gpt + 0.3 * llama + 0.5 + 0.6 * rng.normal(size=pool.n_items)
    return np.clip(np.round(latent), 1.0, 6.0)


def labels_of(pool: Pool, rows: Iterable[int] | IntArray, **outcomes: Sequence[object]) -> Labels:
    """Return labels of some rows; each outcome is given for every item of the pool."""
    picked = [int(row) for row in rows]
    given = outcomes or {"human": people(pool).tolist()}
    table = {"item_id": [pool.ids.tolist()[row] for row in picked]}
    table |= {name: [values[row] for row in picked] for name, values in given.items()}
    return read_labels(table, value=list(given))


def rows_of(pool: Pool, ids: Iterable[object]) -> list[int]:
    """Return the rows of some ids."""
    place = {item: row for row, item in enumerate(pool.ids.tolist())}
    return [place[item] for item in ids]


def drawn(pool: Pool, n: int = 30, seed: int = 3) -> tuple[Sample, Labels]:
    """Return a uniform draw with every drawn item labelled."""
    sample = UniformDesign(n=n).draw(pool, seed=seed)
    return sample, labels_of(pool, rows_of(pool, sample.ids.tolist()))


def calibrated(pool: Pool | None = None, n: int = 30, **options: object) -> Calibration:
    """Return a calibration of a uniform draw; by ridge, which is quick, unless asked otherwise."""
    items = essays() if pool is None else pool
    sample, labels = drawn(items, n)
    return calibrate(items, labels, sample=sample, **{"model": "ridge", **options})


def rescaled(judge: Judge) -> Judge:
    """Return the same judge in other units, turned round."""
    return replace(judge, scores=-0.1 * judge.scores + 7.0)


def codes(calibration: Calibration) -> list[str]:
    """Return the codes of everything a reader is told."""
    return [notice.code for notice in calibration.notices]


def message(calibration: Calibration, code: str) -> str:
    """Return the one message with a code."""
    (found,) = (notice.message for notice in calibration.notices if notice.code == code)
    return found
