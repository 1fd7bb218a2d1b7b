"""Time of the proportional-odds model beside mord's, on the same rows in the same run.

    python bench/proportional_odds.py

1,380 labels with six levels and 88 standardised features: six judges with four runs each, which
nearly repeat one another as runs do, and 64 embedding components; then as many features that
have nothing to do with one another, the easiest case for mord's first-order method, which takes
more steps the more judges agree. mord fits one penalty; BACON is timed at that penalty, with its
leave-one-out predictions, and over its whole search for a penalty. The median CPU time of several
fits in turn, one thread each.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bacon.outcome.proportional_odds_fit import fit_proportional_odds

if TYPE_CHECKING:
    from collections.abc import Callable

N_LABELS, N_COMPONENTS, N_RUNS = 1_380, 64, 4
PENALTY = 1.0
LOADING = np.array([0.9, 0.7, 0.6, 0.8, 0.5, 0.3])
NOISE = np.array([0.5, 0.7, 0.9, 0.6, 1.0, 1.3])
RUN_NOISE = 0.05
CUTS = (-1.6, -0.8, -0.1, 0.7, 1.5)


def judged_pool(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return standardised features and labels 1 to 6 of judged items."""
    q, r, h = rng.standard_normal((3, N_LABELS))
    direction = np.full(N_COMPONENTS, N_COMPONENTS**-0.5)
    components = rng.standard_normal((N_LABELS, N_COMPONENTS))
    components += np.outer(r - components @ direction, direction)
    latent = LOADING * (q + 0.35 * h)[:, None] + NOISE * rng.standard_normal((N_LABELS, 6))
    scores = np.repeat(latent, N_RUNS, axis=1) + RUN_NOISE * rng.standard_normal(
        (N_LABELS, 6 * N_RUNS)
    )
    y = 1.0 + np.digitize(q + 0.35 * r + 0.4 * rng.standard_normal(N_LABELS), CUTS)
    x = np.column_stack([scores, components])
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def unrelated_pool(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return independent features, of which the first ten make the labels 1 to 6."""
    x = rng.standard_normal((N_LABELS, 6 * N_RUNS + N_COMPONENTS))
    latent = 0.3 * x[:, :10].sum(axis=1) + 0.4 * rng.standard_normal(N_LABELS)
    return (x - x.mean(axis=0)) / x.std(axis=0), 1.0 + np.digitize(latent, CUTS)


def median_seconds(works: list[Callable[[], object]], runs: int) -> list[float]:
    """Return the median time of each piece of work, run in turn."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for kept, work in zip(times, works, strict=True):
            start = time.process_time()
            work()
            kept.append(time.process_time() - start)
    return [statistics.median(kept) for kept in times]


def compare(name: str, x: np.ndarray, y: np.ndarray, runs: int) -> None:
    """Print one line of the table."""
    import mord

    blocks = np.zeros(x.shape[1], dtype=np.int64)
    factors = np.ones(x.shape[1])
    codes = y.astype(np.int64) - 1
    one, path, theirs = median_seconds(
        [
            lambda: fit_proportional_odds(x, y, blocks, factors=factors, penalty=PENALTY),
            lambda: fit_proportional_odds(x, y, blocks, factors=factors),
            lambda: mord.LogisticAT(alpha=PENALTY).fit(x, codes),
        ],
        runs,
    )
    print(
        f"{name:<20} {1e3 * one:8.1f} {1e3 * path:8.1f} {1e3 * theirs:8.1f}"
        f" {theirs / one:9.1f} {theirs / path:9.1f}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    runs = 7 if parser.parse_args().quick else 25
    if find_spec("mord") is None:
        print("skipped: mord is not installed (pip install mord)")
        return
    print(f"{N_LABELS:,} labels, 88 features, 6 levels; milliseconds, median of {runs} in turn")
    print(f"{'':<20} {'one':>8} {'search':>8} {'mord':>8} {'mord/one':>9} {'/search':>9}")
    rng = np.random.default_rng(0)
    compare("judges and text", *judged_pool(rng), runs)
    compare("unrelated features", *unrelated_pool(rng), runs)


if __name__ == "__main__":
    main()
