"""Systems of a translation task: means, simultaneous intervals, rankings, and whole segments.

    python bench/systems.py --data ../shared/data --out systems --trials 1000 --workers 2

Labels are drawn at random within each system, 5, 10, 20 and 30 % of its items. Beside the pooled
model stand a model per system (pooling none), the paper's recipe per system, and labels alone with
Bonferroni's t. Then whole segments are drawn (every system's output), as many items in all, and the
widths of paired differences are compared. The folder keeps every draw; the same command goes on.

`--quick` takes 25 trials of the ridge. `--configs` names other configurations.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import bacon
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.plan import Plan, trial_seed
from bacon.experiments.run import simulate

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration

POOLS = ("wmt23_ende_mqm", "wmt20_ende_mqm")
RATES = (0.05, 0.1, 0.2, 0.3)
CONFIGS = ("ridge", "none:model=ridge,pooling=none", "paper")
SHOWN = {
    "RMSE / labels alone": "rmse_ratio",
    "Spearman": "spearman",
    "all hold at once": "coverage_joint",
    "width / labels alone": "width_ratio_joint",
    "rank sets hold": "coverage_ranks",
    "ranks in a set": "rank_set",
}


def read_pool(data: Path, name: str) -> FullPool:
    """Return a pool with systems, segments and all labels."""
    table = pl.read_parquet(data / f"{name}.parquet")
    text = "text" if "text" in table.columns else None
    table = table.select(
        "item_id", "system", "seg_id", "human", *([text] if text else []), pl.col("^judge_.*$")
    )
    pool = bacon.read_pool(table, label="human", group="system", cluster="seg_id", text=text)
    return full_pool(pool, table, label="human", name=name)


def system_table(full: FullPool, asked: argparse.Namespace) -> list[str]:
    """Draw within systems and return the table of all systems together."""
    designs = [
        bacon.StratifiedDesign(n=round(rate * full.pool.n_items), strata="system")
        for rate in asked.rates
    ]
    plan = Plan(full, designs, ["human-only", *asked.configs], by_group=True)
    measured = simulate(plan, trials=asked.trials, workers=asked.workers, out=asked.out / full.name)
    lines = [
        f"| {full.name} | share | " + " | ".join(SHOWN) + " |",
        "|---" * (len(SHOWN) + 2) + "|",
    ]
    for row in measured.ranking.iter_rows(named=True):
        share = int(row["design"].split("n=")[1].split()[0]) / full.pool.n_items
        cells = [cell(row, column) for column in SHOWN.values()]
        lines.append(f"| {row['configuration']} | {share:.0%} | " + " | ".join(cells) + " |")
    seconds = measured.timing.group_by("configuration").agg(pl.col("cpu_seconds").mean())
    shown = ", ".join(f"{name} {value:.2f}" for name, value in sorted(seconds.iter_rows()))
    return [*lines, "", f"{asked.trials:,} trials; CPU seconds a trial: {shown}."]


def cell(row: dict[str, float | None], name: str) -> str:
    """Return a figure with its 99 % Monte Carlo interval."""
    value, low, high = (row[name + end] for end in ("", "_low", "_high"))
    if value is None or low is None or high is None:
        return "-"
    return f"{value:.3f} ({low:.3f}-{high:.3f})"


def pair_widths(cal: Calibration, truth: dict[str, float]) -> tuple[float, float, float]:
    """Return mean width of all paired differences, their coverage, and mean squared error."""
    width, held, square = [], [], []
    for one in cal.compare():
        low, high = one.contrast.interval()
        true = truth[one.first] - truth[one.second]
        width.append(high - low)
        held.append(low <= true <= high)
        square.append((one.contrast.value - true) ** 2)
    return float(np.mean(width)), float(np.mean(held)), float(np.mean(square))


def segment_table(full: FullPool, asked: argparse.Namespace) -> list[str]:
    """Compare drawing whole segments with drawing as many items within systems."""
    truth = {name: part.truth("mean") for name, (_, part) in full.groups.items()}
    n_systems = len(truth)
    lines = [
        f"| {full.name}, whole segments | share | width / items drawn singly | coverage | "
        "singly: coverage | RMSE / singly |",
        "|---|---|---|---|---|---|",
    ]
    for rate in asked.rates[:3]:
        n_segments = round(rate * full.pool.n_items / n_systems)
        found = []
        for trial in range(asked.segment_trials):
            seed = trial_seed(0, trial)
            row = []
            for design in (
                bacon.ClusterDesign(n_clusters=n_segments, column="seg_id"),
                bacon.StratifiedDesign(n=n_segments * n_systems, strata="system"),
            ):
                sample = design.draw(full.pool, seed=seed)
                labels = full.labels(full.rows_of(sample))
                cal = bacon.calibrate(full.pool, labels, sample=sample, seed=seed, model="ridge")
                row.append(pair_widths(cal, truth))
            found.append(row)
        values = np.array(found)
        ratio = values[:, 0, 0].mean() / values[:, 1, 0].mean()
        rmse = np.sqrt(values[:, 0, 2].mean() / values[:, 1, 2].mean())
        lines.append(
            f"| ridge | {rate:.0%} | {ratio:.3f} | {values[:, 0, 1].mean():.3f} | "
            f"{values[:, 1, 1].mean():.3f} | {rmse:.3f} |"
        )
    return [*lines, "", f"{asked.segment_trials:,} trials."]


def main() -> None:
    """Draw, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("systems"))
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--segment-trials", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--only", nargs="+", default=POOLS, help="pools")
    parser.add_argument("--configs", nargs="*", default=CONFIGS, help="beside human-only")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.trials = asked.segment_trials = 25
    for name in asked.only:
        if not (asked.data / f"{name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
            continue
        full = read_pool(asked.data, name)
        (asked.out / full.name).mkdir(parents=True, exist_ok=True)
        if asked.trials:
            print("\n".join(system_table(full, asked)), flush=True)
        if asked.segment_trials:
            print("\n".join(segment_table(full, asked)), flush=True)


if __name__ == "__main__":
    main()
