"""A small results file, and ways to spoil it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from bacon.inspection.roles import Roles, infer_roles
from bacon.io.tables import read_table

N = 200
LABELLED = 60


def answers(**changes: Any) -> dict[str, Any]:
    """Columns of 200 answers to 40 prompts by five systems; None takes a column out."""
    rng = np.random.default_rng(11)
    quality = rng.normal(size=N)

    def score(lift: float, noise: float) -> list[int]:
        raw = 3.5 + lift + quality + noise * rng.normal(size=N)
        return np.clip(np.round(raw), 1, 6).astype(int).tolist()

    human = score(0.0, 0.3)
    drawn = set(rng.permutation(N)[:LABELLED].tolist())
    llama = score(0.2, 1.0)
    table: dict[str, Any] = {
        "item_id": [f"a{k:03d}" for k in range(N)],
        "system": [f"s{k % 5}" for k in range(N)],
        "prompt_id": [k // 5 for k in range(N)],
        "answer": [" ".join(["word"] * int(n)) for n in rng.integers(5, 40, N)],
        "judge_gpt": score(0.7, 0.4),
        "judge_llama": [None if k % 20 == 0 else llama[k] for k in range(N)],
        "judge_mini_run1": score(0.0, 0.6),
        "judge_mini_run2": score(0.0, 0.6),
        "judge_gpt__entropy": rng.random(N).tolist(),
        "human": [human[k] if k in drawn else None for k in range(N)],
    }
    table.update(changes)
    return {name: values for name, values in table.items() if values is not None}


def frame(**changes: Any) -> pl.DataFrame:
    """The same as a frame."""
    return pl.DataFrame(answers(**changes), strict=False)


def roles_of(columns: dict[str, Any], **options: Any) -> Roles:
    return infer_roles(read_table(columns), **options)


def codes(roles: Roles) -> list[str]:
    return [notice.code for notice in roles.notices]


def long_rows(**changes: Any) -> dict[str, Any]:
    """The same items with one row per item and judge."""
    wide = answers()
    judges = {"gpt": "judge_gpt", "claude": "judge_mini_run1", "mini": "judge_mini_run2"}
    table: dict[str, Any] = {
        "id": [item for item in wide["item_id"] for _ in judges],
        "judge": list(judges) * N,
        "score": [wide[column][k] for k in range(N) for column in judges.values()],
        "human": [label for label in wide["human"] for _ in judges],
    }
    table.update(changes)
    return {name: values for name, values in table.items() if values is not None}
