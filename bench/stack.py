"""Members of the stack, and how strongly its weights are drawn to their prior.

    python bench/stack.py --data ../shared/data

One fold model a draw: fitted to nine tenths of n labels (four fifths above 100), judged by the
variance of its errors over other items of the pool, whose labels are all known. Prints a table
of the root of that variance as a share of the labels' mean, the same draws in every column.
`--draws` sets the draws a row (24 by default).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

import bacon
from bacon.calibration.model_choice import task_of
from bacon.calibration.outcomes import outcome_kind
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.simulators import simulated_pool
from bacon.features.feature_map import feature_matrix, fit_feature_map
from bacon.outcome.models import fit_stack, prior_weights
from bacon.outcome.stack import simplex_weights

CELLS = (
    ("sim:ordinal", 30),
    ("sim:noise", 30),
    ("sim:lognormal", 50),
    ("sim:mqm", 50),
    ("hanna", 30),
    ("llmjudge_trecdl23", 30),
    ("rewardbench2_runs", 50),
    ("wmt20_ende_mqm", 100),
    ("wmt23_ende_mqm", 50),
    ("wmt23_ende_mqm", 200),
    ("wmt23_ende_mqm", 500),
)
MEMBERS = ("human mean", "judge average", "ridge")
STRENGTHS = (0.0, 10.0, 30.0, 100.0, 300.0)
JUDGED = 2_000


def read(data: Path, name: str) -> FullPool:
    """Return a pool with all its labels; a column `text` gives the length of each item."""
    if name.startswith("sim:"):
        return simulated_pool(name.removeprefix("sim:"))
    table = pl.read_parquet(data / f"{name}.parquet").select("item_id", "human", "^judge_.*|text$")
    text = "text" if "text" in table.columns else None
    return full_pool(bacon.read_pool(table, label="human", text=text), table, label="human")


def spreads(full: FullPool, n: int, draws: int) -> np.ndarray:
    """Return the error of each column of the table, as a share of the mean's."""
    feature_map = fit_feature_map(full.pool)
    x, y = feature_matrix(full.pool, feature_map), full.y
    total = np.zeros(3 + len(STRENGTHS))
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        train = order[: n - n // 10 if n <= 100 else n * 4 // 5]
        rest = order[n : n + JUDGED]
        kind = outcome_kind(y[train], None, "auto", None)
        task = task_of(feature_map, kind, None, levels=None, n_items=len(y), seed=seed)
        stack = fit_stack(x[train], y[train], task)
        held_out = np.column_stack([member.held_out_ for member in stack.members])
        said = np.column_stack([member.predict(x[rest]) for member in stack.members])
        prior = prior_weights(stack.names, len(train))
        weights = [np.eye(len(stack.names))[stack.names.index(name)] for name in MEMBERS]
        weights += [simplex_weights(y[train], held_out, prior, s) for s in STRENGTHS]
        total += [np.var(y[rest] - said @ w) for w in weights]
    return np.sqrt(total / total[0])[1:]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=24)
    parser.add_argument("--quick", action="store_true", help="4 draws a row")
    asked = parser.parse_args()
    heads = [*MEMBERS[1:], *(f"strength {s:g}" for s in STRENGTHS)]
    print(f"| pool | n | {' | '.join(heads)} |\n|---|---|{'---|' * len(heads)}")
    for name, n in CELLS:
        if not name.startswith("sim:") and not (asked.data / f"{name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {name}.parquet; name the folder with --data")
            continue
        found = spreads(read(asked.data, name), n, 4 if asked.quick else asked.draws)
        print(f"| {name} | {n} | {' | '.join(f'{one:.3f}' for one in found)} |", flush=True)


if __name__ == "__main__":
    main()
