"""Coverage and bias of the default calibration on fully labelled pools.

    python bench/coverage.py --data ../shared/data --draws 2000

For each pool and seed: draw n items, blank the other labels, calibrate, and compare the mean's
95 % interval for the pool with the mean of all labels. Prints coverage with its 99 % Monte
Carlo interval, bias in Monte Carlo standard errors, and root mean squared error and width as
shares of the labels alone.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

import bacon

POOLS = ("llmjudge_trecdl23", "hanna")


def one_pool(data: Path, name: str) -> tuple[bacon.Pool, np.ndarray]:
    """Return the pool without its labels, and all the labels."""
    table = pl.read_parquet(data / f"{name}.parquet")
    human = table["human"].to_numpy().astype(np.float64)
    keep = [c for c in table.columns if c == "item_id" or c.startswith("judge_")]
    return bacon.read_pool(table.select(keep)), human


def draws(data: Path, name: str, n: int, seeds: range) -> np.ndarray:
    """Return estimate, low, high of BACON and of labels alone, one row a seed."""
    pool, human = one_pool(data, name)
    position = {item: row for row, item in enumerate(pool.ids)}
    rows = []
    for seed in seeds:
        sample = bacon.UniformDesign(n=n).draw(pool, seed=seed)
        drawn = [position[item] for item in sample.ids]
        labels = bacon.read_labels(
            {"item_id": sample.ids.tolist(), "human": human[drawn].tolist()}, value="human"
        )
        cal = bacon.calibrate(pool, labels, sample=sample, seed=seed)
        both = cal.estimate("mean"), cal.estimate("mean", labels_alone=True)
        rows.append([x for est in both for x in (est.value, *est.interval())])
    return np.array(rows)


def wilson(hits: int, n: int, z: float = 2.5758) -> tuple[float, float]:
    """Return the 99 % interval of a share."""
    p, d = hits / n, 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    middle = (p + z * z / (2 * n)) / d
    return middle - half, middle + half


def main() -> None:
    """Run the draws and print a row a pool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--pools", nargs="+", default=POOLS)
    parser.add_argument("-n", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="200 draws")
    asked = parser.parse_args()
    total = 200 if asked.quick else asked.draws
    lacking = [name for name in asked.pools if not (asked.data / f"{name}.parquet").exists()]
    if lacking:
        print(f"skipped: {asked.data} lacks {', '.join(lacking)} (.parquet); name it with --data")
        return
    print("pool                 n  draws  coverage (99 % MC)       alone   bias/MCSE  RMSE   width")
    # Forked processes hang in polars, whose threads do not survive a fork.
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as workers:
        for name in asked.pools:
            truth = one_pool(asked.data, name)[1].mean()
            parts = [range(k, min(k + 50, total)) for k in range(0, total, 50)]
            jobs = [workers.submit(draws, asked.data, name, asked.n, part) for part in parts]
            table = np.concatenate([job.result() for job in jobs])
            value, low, high, alone, alone_low, alone_high = table.T
            hits = int(np.sum((low <= truth) & (truth <= high)))
            ends = wilson(hits, total)
            error = value - truth
            bias = error.mean() / (error.std(ddof=1) / math.sqrt(total))
            rmse = math.sqrt(np.mean(error**2) / np.mean((alone - truth) ** 2))
            width = (high - low).mean() / (alone_high - alone_low).mean()
            bare = float(np.mean((alone_low <= truth) & (truth <= alone_high)))
            print(
                f"{name:<18} {asked.n:>4} {total:>6}  {hits / total:.4f} "
                f"({ends[0]:.4f}-{ends[1]:.4f})  {bare:.4f}  {bias:>9.2f}  {rmse:.3f}  {width:.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
