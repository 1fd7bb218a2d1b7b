"""A small study in a folder, for tests of replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

N = 180
PEOPLE = "human"


def items(n: int = N) -> pl.DataFrame:
    """Essays of three systems, two judges (one with two runs), and everyone's score."""
    rng = np.random.default_rng(8)
    quality = rng.normal(size=n) + 0.4 * (np.arange(n) % 3)
    score = np.clip(np.round(3.2 + quality + 0.4 * rng.normal(size=n)), 1, 6)
    return pl.DataFrame(
        {
            "item_id": [f"e{k:03d}" for k in range(n)],
            "system": [("atlas", "borealis", "cygnus")[k % 3] for k in range(n)],
            "judge_a_run1": np.clip(np.round(3.0 + quality + 0.6 * rng.normal(size=n)), 1, 6),
            "judge_a_run2": np.clip(np.round(3.0 + quality + 0.6 * rng.normal(size=n)), 1, 6),
            "judge_b": np.round(60.0 + 9.0 * quality + 9.0 * rng.normal(size=n)),
            PEOPLE: score,
            "style": np.clip(score + rng.integers(-1, 2, size=n), 1, 6),
        }
    )


def embeddings(n: int = N) -> pl.DataFrame:
    """Three numbers an item, of which the first tells something of the system."""
    rng = np.random.default_rng(9)
    values = rng.normal(size=(n, 3)) + 0.3 * (np.arange(n) % 3)[:, None]
    return pl.DataFrame(
        {"item_id": [f"e{k:03d}" for k in range(n)], **{f"e{j}": values[:, j] for j in range(3)}}
    )


TOML = """
[pool]
file = "items.parquet"

[study]
labels = ["human"]
judges = ["judge_*"]
group = "system"
scale = [1, 6]
budgets = [0.2, 0.4]
trials = 5
"""


def study_folder(folder: Path, toml: str = TOML, *, embedded: bool = False) -> Path:
    """Write a study into a folder and return it."""
    items().write_parquet(folder / "items.parquet")
    if embedded:
        embeddings().write_parquet(folder / "embeddings.parquet")
        toml += 'embeddings = "embeddings.parquet"\n'
    (folder / "bacon.toml").write_text(toml)
    return folder
