"""Planned widths against achieved ones: 200 pilots on each of three real pools.

    python bench/planning.py --data ../shared/data --out planning --pilots 200

The width wanted is the mean one of 20 draws of three times as many labels as the pilot has. A
pilot of 60, 80 or 100 labels plans how many labels reach it, and so many are drawn a few times:
the table has the width wanted over the mean width achieved, how often the interval of the plan
holds the number of labels that truly reaches it (three times the pilot's), and the same ratio for
the labels alone. The folder keeps every pilot; the same command goes on.

`--quick` takes 20 pilots. `--model` names the outcome model.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bacon
from bacon.experiments.full_pool import FullPool, full_pool

POOLS = ("hanna", "llmjudge_trecdl23", "wmt23_ende_mqm")
SIZES = (60, 80, 100)
TIMES = 3
REFERENCE = 20


def read_pool(data: Path, name: str) -> FullPool:
    """Return a pool with all labels."""
    table = pl.read_parquet(data / f"{name}.parquet")
    table = table.select("item_id", "human", pl.col("^judge_.*$"))
    pool = bacon.read_pool(table, label="human")
    return full_pool(pool, table, label="human", name=name)


def calibrated(full: FullPool, n: int, seed: int, model: str) -> bacon.Calibration:
    """Draw n labels and calibrate."""
    sample = bacon.UniformDesign(n=n).draw(full.pool, seed=seed)
    labels = full.labels(full.rows_of(sample))
    return bacon.calibrate(full.pool, labels, sample=sample, model=model, seed=seed)


def mean_width(full: FullPool, n: int, seeds: range, model: str) -> float:
    """Return the mean width of the intervals of some draws."""
    found = [calibrated(full, n, seed, model).mean().interval() for seed in seeds]
    return float(np.mean([one.high - one.low for one in found]))


def one_pilot(
    full: FullPool, trial: int, wanted: float, asked: argparse.Namespace
) -> dict[str, Any]:
    """Plan from one pilot and measure what its plan achieves."""
    n_pilot = SIZES[trial % len(SIZES)]
    plan = bacon.plan(calibrated(full, n_pilot, trial, asked.model))
    found = plan.for_width(wanted)
    seeds = range(100_000 + trial * asked.draws, 100_000 + (trial + 1) * asked.draws)
    return {
        "pool": full.name,
        "model": asked.model,
        "trial": trial,
        "pilot": n_pilot,
        "wanted": wanted,
        "labels": found.n_labels,
        "low": found.judges.low,
        "high": found.judges.high,
        "achieved": mean_width(full, found.n_labels, seeds, asked.model),
        "alone": found.n_alone,
        "achieved_alone": mean_width(full, found.n_alone, seeds, "human-only"),
    }


def measure(full: FullPool, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return all pilots of a pool, those kept from before and new ones."""
    path = asked.out / f"{full.name}-{asked.model}.jsonl"
    kept = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {row["trial"] for row in kept}
    wanted = {row["pilot"]: row["wanted"] for row in kept}
    with path.open("a") as out:
        for trial in range(asked.pilots):
            if trial in done:
                continue
            size = SIZES[trial % len(SIZES)]
            if size not in wanted:
                reference = range(900_000, 900_000 + REFERENCE)
                wanted[size] = mean_width(full, TIMES * size, reference, asked.model)
            row = one_pilot(full, trial, wanted[size], asked)
            out.write(json.dumps(row) + "\n")
            out.flush()
            kept.append(row)
    return [row for row in kept if row["trial"] < asked.pilots]


def line(name: str, rows: list[dict[str, Any]]) -> str:
    """Return the figures of one pool."""
    ratio = np.array([row["wanted"] / row["achieved"] for row in rows])
    alone = np.array([row["wanted"] / row["achieved_alone"] for row in rows])
    held = np.mean([row["low"] <= TIMES * row["pilot"] <= row["high"] for row in rows])
    times = np.array([row["labels"] / (TIMES * row["pilot"]) for row in rows])
    spread = np.quantile(ratio, (0.1, 0.9))
    cells = [
        f"{np.median(ratio):.3f}",
        f"{spread[0]:.2f}-{spread[1]:.2f}",
        f"{np.median(times):.2f}",
        f"{held:.3f}",
        f"{np.median(alone):.3f}",
        f"{len(rows):,}",
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Plan, draw, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("planning"))
    parser.add_argument("--pilots", type=int, default=200)
    parser.add_argument("--draws", type=int, default=3, help="draws of the planned size")
    parser.add_argument("--model", default="ridge")
    parser.add_argument("--only", nargs="+", default=POOLS, help="pools")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.pilots = 20
    asked.out.mkdir(parents=True, exist_ok=True)
    print(
        "| pool | wanted / achieved width, median | 10-90 % | planned / true labels | interval of "
        "the plan holds | labels alone: wanted / achieved | pilots |\n|---|---|---|---|---|---|---|"
    )
    for name in asked.only:
        if not (asked.data / f"{name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
            continue
        print(line(name, measure(read_pool(asked.data, name), asked)), flush=True)


if __name__ == "__main__":
    main()
