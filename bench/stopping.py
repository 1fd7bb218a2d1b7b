"""Intervals that hold while labels arrive: how often they fail, and what stopping saves.

    python bench/stopping.py --data ../shared/data --out stopping --trials 2000

Each trial puts a pool in random order and labels it one item at a time, simulated pools of 1,000
and hanna to a census, others to half of them. Predictions are the mean of a least-squares fit on
the judge average and a ridge on all judges, fitted to earlier labels only, each time these have
grown by 10 %. Intervals are tightest at 100 labels, those of a sheet of 200, though labelling goes
on. Columns of the table:

left          trajectories in which the mean of the pool leaves the interval at any label, by
              betting (the scale is stated) and by the asymptotic sequence (it is not).
peeking       the same of the t interval for a fixed number of labels, looked at from 30 labels on.
width         over that of the cross-fitted t interval, at 100 and 200 labels.
planned       labels after which the interval is as narrow as the t interval of 100 labels was
              expected to be: median and ninth decile.

The folder keeps every trial; the same command goes on. `--quick` takes 25 trials.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy import stats

import bacon
from bacon.calibration.model_choice import layout_of
from bacon.estimation.pool_stream import pool_sequence, pool_stream
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.montecarlo import wilson
from bacon.experiments.simulators import simulated_pool
from bacon.features.feature_map import feature_matrix, fit_feature_map
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray
    from bacon.estimation.pool_stream import PoolStream

POOLS = (
    "sim-ordinal",
    "sim-mqm",
    "sim-lognormal",
    "hanna",
    "llmjudge_trecdl23",
    "sim-binary",
    "sim-lognormal-5000",
)
SCALES = {
    "sim-ordinal": (1.0, 6.0),
    "sim-binary": (0.0, 1.0),
    "hanna": (1.0, 5.0),
    "llmjudge_trecdl23": (0.0, 3.0),
}
CENSUS, BEST_AT, PLANNED, LEVEL, FOLDS = 1_100, 100, (100, 200), 0.95, 5
RIDGE, HALFWAY, MOST_WITHOUT = 10.0, 50.0, 0.1


def read_full(data: Path, name: str) -> FullPool:
    """Return a pool with all labels, simulated or of the data folder."""
    if name.startswith("sim-"):
        kind, _, size = name.removeprefix("sim-").partition("-")
        return simulated_pool(kind, n_items=int(size or 1_000))
    table = pl.read_parquet(data / f"{name}.parquet")
    table = table.select("item_id", "human", pl.col("^judge_.*$"))
    return full_pool(bacon.read_pool(table, label="human"), table, label="human", name=name)


class Judges:
    """Features of a pool, and cheap predictions from some of its labels."""

    def __init__(self, full: FullPool) -> None:
        """Read the judges' columns and their average."""
        columns = fit_feature_map(full.pool)
        layout = layout_of(columns)
        features = feature_matrix(full.pool, columns)
        if layout.average is None:
            raise SystemExit(f"{full.name} has no judge that scores in numbers")
        self.average = features @ layout.average
        self.x = features[:, layout.blocks == 0]

    def predict(self, y: FloatArray, rows: IntArray) -> FloatArray:
        """Return predictions (N,) of every item from labels `y` (k,) of `rows` (k,)."""
        mean, average = y.mean(), self.average[rows]
        spread = float(average.var())
        slope = float(((average - average.mean()) * (y - mean)).mean()) / spread if spread else 0.0
        line = mean + slope * (self.average - average.mean())
        x = self.x[rows]
        centred = x - x.mean(axis=0)
        gram = centred.T @ centred + RIDGE * np.eye(x.shape[1])
        ridge = mean + (self.x - x.mean(axis=0)) @ np.linalg.solve(gram, centred.T @ (y - mean))
        share = len(y) / (len(y) + HALFWAY)
        return np.asarray((1.0 - share) * line + share * ridge)

    def ahead(self, y: FloatArray, rows: IntArray) -> Callable[[int], FloatArray]:
        """Return predict(k) from the first k labels."""
        return lambda k: self.predict(y[:k], rows[:k])


def t_interval_width(judges: Judges, y: FloatArray, rows: IntArray, n_items: int) -> float:
    """Return the width of the cross-fitted t interval of a simple draw, from its residuals."""
    n = len(y)
    fold = np.arange(n) % FOLDS
    residual = np.empty(n)
    for k in range(FOLDS):
        out = fold == k
        residual[out] = y[out] - judges.predict(y[~out], rows[~out])[rows[out]]
    se = residual.std(ddof=1) * np.sqrt(1.0 / n - 1.0 / n_items)
    return float(2.0 * stats.t.ppf((1.0 + LEVEL) / 2.0, n - 1) * se)


def peeks(seen: PoolStream) -> tuple[FloatArray, FloatArray]:
    """Return the ends (t,) of the t interval for a fixed number of labels, at each label."""
    z, w = seen.increments(), seen.weights()
    count = np.arange(1.0, len(z) + 1.0)
    middle = seen.estimates()
    squares = np.cumsum(w**2 * z**2) - 2.0 * middle * np.cumsum(w**2 * z)
    squares = np.maximum(squares + middle**2 * np.cumsum(w**2), 0.0)
    df = np.maximum(count - 1.0, 1.0)
    half = stats.t.ppf((1.0 + LEVEL) / 2.0, df) * np.sqrt(squares * count / df) / np.cumsum(w)
    half[:29] = np.inf
    return middle - half, middle + half


def outside(low: FloatArray, high: FloatArray, truth: float) -> bool:
    """Whether the truth leaves intervals; one that is empty (NaN after an end) has lost it."""
    away = 1e-9 * max(1.0, abs(truth))
    started = ~np.isnan(low)
    gone = np.isnan(low) & np.maximum.accumulate(started)
    return bool(np.any(low > truth + away) or np.any(high < truth - away) or gone.any())


def one_trial(full: FullPool, judges: Judges, trial: int) -> dict[str, Any]:
    """Return what one order of the pool shows."""
    n_items, truth = full.pool.n_items, float(full.y.mean())
    n = n_items if n_items <= CENSUS else n_items // 2
    rows = stream(trial, f"stopping {full.name}").permutation(n_items)[:n]
    y = full.y[rows]
    seen = pool_stream(y, rows, n_items, judges.ahead(y, rows))
    fixed = [t_interval_width(judges, y[:k], rows[:k], n_items) for k in PLANNED]
    found: dict[str, Any] = {"fixed": fixed, "peeking": outside(*peeks(seen)[:2], truth)}
    for method, scale in (("asymptotic", None), ("betting", SCALES.get(full.name))):
        if method == "betting" and scale is None:
            continue
        low, high, _ = pool_sequence(seen, scale, level=LEVEL, best_at=BEST_AT)
        width = np.where(np.isnan(low), np.inf, high - low)
        found[method] = {
            "left": outside(low, high, truth),
            "above": bool(np.nanmax(low) > truth + 1e-9),
            "widths": [None if np.isinf(width[k - 1]) else float(width[k - 1]) for k in PLANNED],
            # Enough of the curve to find when any width is reached.
            "curve": [None if np.isinf(one) else round(float(one), 6) for one in width[29:n:10]],
        }
    return found


def measure(full: FullPool, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return all trials of a pool, going on where the folder stops."""
    path = asked.out / f"{full.name}.jsonl"
    done = path.read_text().splitlines() if path.exists() else []
    kept = [json.loads(line) for line in done if line.endswith("}")]
    # A line that was cut off by a kill is drawn again.
    path.write_text("".join(json.dumps(one) + "\n" for one in kept))
    judges = Judges(full)
    with path.open("a") as file:
        for trial in range(len(kept), asked.trials):
            kept.append(one_trial(full, judges, trial))
            file.write(json.dumps(kept[-1]) + "\n")
            file.flush()
    return kept[: asked.trials]


def share(hits: list[bool]) -> str:
    """Return a share of trials with its 99 % Monte Carlo interval."""
    value, low, high = wilson(sum(hits), len(hits))
    return f"{value:.3f} ({max(low, 0.0):.3f}-{min(high, 1.0):.3f})"


def reached(trials: list[dict[str, Any]], method: str) -> str:
    """Return when the width of the t interval of the planned labels is reached."""
    wanted = float(np.mean([one["fixed"][0] for one in trials]))
    at = []
    for one in trials:
        curve = np.array([np.inf if width is None else width for width in one[method]["curve"]])
        hit = curve <= wanted
        at.append(30 + 10 * int(np.argmax(hit)) if hit.any() else np.inf)
    return " / ".join(f"{one:.0f}" for one in np.quantile(at, (0.5, 0.9), method="lower"))


def lines(full: FullPool, trials: list[dict[str, Any]]) -> list[str]:
    """Return the lines of one pool."""
    found = []
    fixed = np.array([one["fixed"] for one in trials]).mean(axis=0)
    n = full.pool.n_items
    for method in ("betting", "asymptotic"):
        if method not in trials[0]:
            continue
        widths = np.array([one[method]["widths"] for one in trials], dtype=np.float64)
        # Where most runs have no interval yet there is no width to tell.
        none = np.mean(np.isnan(widths), axis=0) > MOST_WITHOUT
        median = np.where(none, np.nan, np.nanmedian(widths, axis=0)) / fixed
        ratios = " | ".join("none yet" if np.isnan(one) else f"{one:.2f}" for one in median)
        to = n if n <= CENSUS else n // 2
        found.append(
            f"| {full.name} | {n:,} | {to:,} | {method} | "
            f"{share([one[method]['left'] for one in trials])} | "
            f"{share([one['peeking'] for one in trials])} | {ratios} | {reached(trials, method)} |"
        )
    return found


def main() -> None:
    """Draw, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("stopping"))
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--only", nargs="+", default=POOLS, help="pools")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.trials = 25
    asked.out.mkdir(parents=True, exist_ok=True)
    print("| pool | N | labels | method | left | peeking | at 100 | at 200 | planned 100 |")
    print("|---" * 9 + "|")
    for name in asked.only:
        if not name.startswith("sim-") and not (asked.data / f"{name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
            continue
        full = read_full(asked.data, name)
        full = FullPool(name, full.pool, full.y)
        print("\n".join(lines(full, measure(full, asked))), flush=True)


if __name__ == "__main__":
    main()
