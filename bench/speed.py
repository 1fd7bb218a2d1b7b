"""Time and memory of calibrations, the array function, the diagnostics, and of loading.

    python bench/speed.py

Each figure is the median of several runs in one process, side by side with the plain numpy
lines it is compared with, so that the machine's own speed cancels in the ratio.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import bacon
from bacon.calibration import model_choice

if TYPE_CHECKING:
    from collections.abc import Callable

N_LABELS = 1000


def pool(n_items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels (NaN elsewhere), predictions and the mask of labelled items."""
    rng = np.random.default_rng(0)
    f = rng.normal(size=n_items)
    y = np.full(n_items, np.nan)
    rows = rng.choice(n_items, N_LABELS, replace=False)
    y[rows] = f[rows] + rng.normal(size=N_LABELS)
    return y, f, ~np.isnan(y)


def median_seconds(*works: Callable[[], object], runs: int = 7) -> list[float]:
    """Return the median time of each piece of work, run in turn."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for kept, work in zip(times, works, strict=True):
            start = time.perf_counter()
            work()
            kept.append(time.perf_counter() - start)
    return [statistics.median(kept) for kept in times]


def extra_megabytes(work: Callable[[], object]) -> float:
    """Return the peak of memory allocated while `work` runs."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def startup(code: str, runs: int = 7) -> float:
    """Return the median time of a fresh interpreter running `code`, less an empty one."""

    def run(what: str) -> Callable[[], object]:
        return lambda: subprocess.run(  # noqa: S603 (our own interpreter and code)
            [sys.executable, "-c", what], check=True, capture_output=True
        )

    empty, full = median_seconds(run("pass"), run(code), runs=runs)
    return full - empty


def calibration(
    n_items: int, n_labels: int, n_judges: int, n_components: int
) -> Callable[[], object]:
    """Return a default calibration with the mean and its interval, ready to run."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=n_items)
    people = np.clip(np.round(3.5 + quality + 0.6 * rng.normal(size=n_items)), 1, 6)
    table = {"item_id": np.arange(n_items)}
    for m in range(n_judges):
        table[f"judge_{m}"] = 3.8 + quality + rng.normal(size=n_items)
    items = bacon.read_pool(table, judges="judge_*")
    if n_components:
        noise = rng.normal(size=(n_items, n_components))
        items = replace(items, embeddings=noise + 0.3 * quality[:, None])
    rows = rng.choice(n_items, n_labels, replace=False)
    labels = bacon.read_labels({"item_id": rows, "human": people[rows]}, value="human")
    return lambda: bacon.calibrate(items, labels).mean().interval()


def calibrated() -> None:
    """Print the CPU seconds of default calibrations, without and with the forest."""
    for sizes in ((5_000, 200, 20, 0), (100_000, 1_000, 30, 64)):
        work, limit, seconds = calibration(*sizes), model_choice.MOST_FOREST_ITEMS, []
        work()
        # A pool above the limit has no forest; here it is lowered for a pool of any size.
        for most in (0, limit):
            model_choice.MOST_FOREST_ITEMS = most
            times = []
            for _ in range(3):
                start = time.process_time()
                work()
                times.append(time.process_time() - start)
            seconds.append(statistics.median(times))
        n_items, n_labels, n_judges, n_components = sizes
        what = f"{n_items:,} items, {n_labels:,} labels, {n_judges} judges"
        print(f"calibrate {what}, {n_components} components, CPU seconds (median of 3)")
        print(f"without a forest        {seconds[0]:8.3f}")
        print(f"with a forest           {seconds[1]:8.3f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"largest memory of the process so far {peak:6.0f} MB")


def diagnosed() -> float:
    """Return the CPU seconds of the diagnostics of 5,000 items, 42 judges and 200 labels."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=5000)
    people = np.clip(np.round(3.5 + quality + 0.6 * rng.normal(size=5000)), 1, 6)
    table = {
        "item_id": list(range(5000)),
        "answer": ["x" * int(k) for k in rng.lognormal(6.0, 0.5, 5000)],
        "system": [f"system {k}" for k in rng.integers(0, 6, 5000)],
    }
    for m in range(42):
        table[f"judge_{m}"] = np.clip(np.round(3.8 + quality + rng.normal(size=5000)), 1, 6)
    items = bacon.read_pool(table, group="system", text="answer")
    rows = rng.choice(5000, 200, replace=False)
    labels = bacon.read_labels({"item_id": rows, "human": people[rows]}, value="human")
    cal = bacon.calibrate(items, labels, scale=(1, 6))
    times = []
    for _ in range(8):
        start = time.process_time()
        cal.diagnostics()
        times.append(time.process_time() - start)
    return statistics.median(times[1:])


def systems() -> tuple[float, float, float]:
    """Return CPU seconds of 200 systems of 500 items: calibration, joint intervals, ranking."""
    rng = np.random.default_rng(0)
    system, prompt = np.repeat(np.arange(200), 500), np.tile(np.arange(500), 200)
    quality = 0.3 * rng.normal(size=200)[system] + rng.normal(size=100_000)
    table = {
        "item_id": np.arange(100_000),
        "system": [f"s{k:03d}" for k in system],
        "prompt_id": prompt,
    }
    for m in range(6):
        table[f"judge_{m}"] = quality + rng.normal(size=100_000)
    items = bacon.read_pool(table, group="system", cluster="prompt_id")
    rows = rng.choice(100_000, 5_000, replace=False)
    human = quality[rows] + 0.5 * rng.normal(size=5_000)
    labels = bacon.read_labels({"item_id": rows, "human": human}, value="human")
    marks = [time.process_time()]
    cal = bacon.calibrate(items, labels, model="ridge", better="higher")
    marks.append(time.process_time())
    cal.mean(by="system").simultaneous()
    marks.append(time.process_time())
    cal.rank(by="system")
    marks.append(time.process_time())
    first, second, third = np.diff(marks).tolist()
    return first, second, third


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a million items, not ten")
    n_items = 1_000_000 if parser.parse_args().quick else 10_000_000
    calibrated()
    y, f, s = pool(n_items)

    def plain() -> tuple[float, float, float]:
        return f.mean() + (y[s] - f[s]).mean(), f.var(), np.var(y[s] - f[s])

    def mean() -> bacon.Estimate:
        estimate = bacon.aee(y, f, s=s)
        estimate.interval()
        return estimate

    def median() -> object:
        return bacon.aee(y, f, s=s, estimand="quantile", tau=0.5).interval()

    ours, floor, ours_quantile = median_seconds(mean, plain, median)
    print(f"{n_items:,} items, {N_LABELS:,} labels, seconds (median of 7, in turn)")
    print(f"mean with interval      {ours:8.3f}   {ours / floor:.2f} of plain numpy ({floor:.3f})")
    print(f"quantile with interval  {ours_quantile:8.3f}")
    print(f"extra memory of the mean      {extra_megabytes(mean):6.1f} MB")
    print(f"extra memory of the quantile  {extra_megabytes(median):6.1f} MB")
    print(f"diagnostics, 42 judges, 200 labels (CPU)  {diagnosed():.3f}")
    ridge, joint, ranked = systems()
    print(f"200 systems, ridge (CPU)     {ridge:.2f}")
    print(f"... intervals, ranking (CPU) {joint:.2f}, {ranked:.2f}")
    print(f"import bacon            {startup('import bacon'):8.3f}")
    everything = "import bacon; [getattr(bacon, name) for name in bacon.__all__]"
    print(f"... and every name used {startup(everything):8.3f}")
    help_page = "import sys; sys.argv=['bacon','--help']; from bacon.cli.main import main; main()"
    print(f"bacon --help            {startup(help_page):8.3f}")


if __name__ == "__main__":
    main()
