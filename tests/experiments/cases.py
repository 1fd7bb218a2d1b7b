"""A small pool whose every label is known, for tests of experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import bacon
from bacon.experiments.full_pool import full_pool

if TYPE_CHECKING:
    from bacon.experiments.full_pool import FullPool

N = 120


def table(n: int = N) -> pl.DataFrame:
    """Essays of three systems, answers to shared prompts, two judges and everyone's score."""
    rng = np.random.default_rng(4)
    quality = rng.normal(size=n) + 0.5 * (np.arange(n) % 3)
    return pl.DataFrame(
        {
            "item_id": [f"e{(7 * k) % n:03d}" for k in range(n)],
            "system": [("atlas", "borealis", "cygnus")[k % 3] for k in range(n)],
            "prompt_id": [f"p{k // 3:02d}" for k in range(n)],
            "judge_a": np.round(3.4 + quality + 0.5 * rng.normal(size=n), 2),
            "judge_b": np.round(50.0 + 9.0 * quality + 8.0 * rng.normal(size=n)),
            "judge_b__entropy": rng.uniform(size=n),
            "human": np.round(3.5 + quality + 0.4 * rng.normal(size=n), 1),
        }
    )


def essays(n: int = N, *, scale: tuple[float, float] | None = None) -> FullPool:
    """The same as a pool with all labels; systems are its groups."""
    rows = table(n)
    pool = bacon.read_pool(rows, label="human", group="system")
    return full_pool(pool, rows, label="human", name="essays", scale=scale)


def by_id(full: FullPool) -> dict[object, float]:
    """The label of every item."""
    return dict(zip(full.pool.ids.tolist(), full.y.tolist(), strict=True))
