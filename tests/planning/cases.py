"""A pool with every label known, and pilots of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import bacon

N = 900
SYSTEMS = ("atlas", "borealis", "cygnus")


@cache
def people() -> tuple[dict[str, Any], np.ndarray]:
    """Columns of the pool and what people would say: two judges of different worth."""
    rng = np.random.default_rng(4)
    quality = rng.normal(size=N)
    columns = {
        "item_id": np.arange(N),
        "system": np.tile(np.array(SYSTEMS), N // 3),
        "prompt": np.repeat(np.arange(N // 3), 3),
        "judge_good_run1": quality + 0.4 * rng.normal(size=N),
        "judge_good_run2": quality + 0.4 * rng.normal(size=N),
        "judge_noise": rng.normal(size=N),
    }
    return columns, 3.0 + quality + 0.6 * rng.normal(size=N)


@cache
def pool(*, cluster: bool = False) -> bacon.Pool:
    """The items, with three systems that answer the same prompts."""
    return bacon.read_pool(
        people()[0], judges="judge_*", group="system", cluster="prompt" if cluster else None
    )


@cache
def pilot(n: int = 90, *, seed: int = 1, design: str = "simple", model: str = "ridge") -> Any:
    """A calibration on n labels."""
    items = pool(cluster=design == "clusters")
    draws = {
        "simple": bacon.UniformDesign(n=n),
        "stratified": bacon.StratifiedDesign(n=n, strata="system"),
        "clusters": bacon.ClusterDesign(n_clusters=n // 3, column="prompt"),
    }
    sample = draws[design].draw(items, seed=seed)
    labels = bacon.read_labels(
        {"item_id": sample.ids, "human": people()[1][sample.ids]}, value="human"
    )
    return bacon.calibrate(items, labels, sample=sample, model=model, better="higher")
