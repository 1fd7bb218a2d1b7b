"""A calibration of 60 of 400 answers, saved, and later answers with people's scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import bacon

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.arrays import FloatArray

SYSTEMS = ("atlas", "borealis")


def answers(
    n: int, seed: int, *, first: int = 0, people_move: float = 0.0, x_moves: float = 0.0
) -> tuple[pl.DataFrame, FloatArray]:
    """Return n answers with ids from `first` on, and what people would say of them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    people = 3.5 + quality + people_move + 0.5 * rng.normal(size=n)
    table = pl.DataFrame(
        {
            "item_id": np.arange(first, first + n),
            "system": [SYSTEMS[k % 2] for k in range(n)],
            "judge_x": 4 + quality + x_moves + 0.6 * rng.normal(size=n),
            "judge_y": np.round(50 + 15 * quality + 15 * rng.normal(size=n)),
        }
    )
    return table, people


def labels_of(table: pl.DataFrame, people: FloatArray, rows: range | list[int]) -> bacon.Labels:
    """Return people's scores of some rows."""
    picked = list(rows)
    ids = table["item_id"].to_numpy()[picked]
    return bacon.read_labels({"item_id": ids, "score": people[picked]}, value="score")


def save_calibration(folder: Path, *, n: int = 60, name: str = "cal", **changes: pl.Series) -> Path:
    """Save a calibration on n labels; `changes` are further columns of its pool."""
    table, people = answers(400, 0)
    table = table.with_columns(**changes)
    pool = bacon.read_pool(table, group="system")
    sample = bacon.UniformDesign(n=n).draw(pool, seed=1)
    labels = labels_of(table, people, sample.ids.tolist())
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    cal.save(folder / name)
    return folder / name
