"""The paper's propensities by elimination of the budget, beside its augmented Lagrangian.

    python bench/propensity.py

Twenty seeded problems: minimise sum r^2 / e over a pilot with e = p + (1 - p) sigmoid(b + x'beta)
and mean e at most eta. The paper's optimiser (appendix D.1) is an augmented Lagrangian with a
hinge-squared penalty; its inner problem is solved by Adam, in plain numpy. Printed are the ratios
of objectives (its beta given the intercept that spends the budget exactly, so that none gains by
overspending), how far each is off the budget, and of times; then the time of a million items.

`--quick` takes five problems.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from bacon.random import stream
from bacon.sampling.propensity import fit_propensity

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

N_ITEMS, N_FEATURES = 4600, 16
ROUNDS, STEPS, RATE = 10, 1000, 0.02
"""Of Adam: rounds of the multiplier, steps a round, and the first learning rate."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Features (N, d), pilot rows, squared residuals of the pilot, budget and pilot rate."""

    x: FloatArray
    rows: IntArray
    squares: FloatArray
    rate: float
    pilot: float


def problem(seed: int, n_items: int = N_ITEMS) -> Problem:
    """Return a seeded problem: log-linear hardness in a few features, heavy or light."""
    rng = stream(seed, "propensity problem")
    x = rng.normal(size=(n_items, N_FEATURES))
    pilot, rate = rng.choice([0.05, 0.1, 0.15]), rng.choice([0.2, 0.3, 0.4])
    rows = np.sort(rng.choice(n_items, round(pilot * n_items), replace=False))
    coef = rng.uniform(0.2, 1.5) * rng.normal(size=N_FEATURES) / np.sqrt(4.0)
    squares = np.exp(x[rows] @ coef) * rng.normal(size=len(rows)) ** 2
    return Problem(x, rows, squares, float(rate), float(pilot))


def augmented_lagrangian(task: Problem) -> tuple[float, FloatArray]:
    """Return b and beta by the paper's method.

    Each round minimises objective + multiplier g + penalty / 2 max(0, g)^2, with g = mean e - eta,
    by Adam; then multiplier += penalty max(0, g), and the penalty grows.
    """
    x, own, p = task.x, task.x[task.rows], task.pilot
    scale = task.rate / task.squares.sum()
    aim = (task.rate - p) / (1.0 - p)
    theta = np.zeros(1 + x.shape[1])
    theta[0] = np.log(aim / (1.0 - aim))
    multiplier, penalty = 0.0, 10.0
    for turn in range(ROUNDS):
        first, second = np.zeros_like(theta), np.zeros_like(theta)
        for step in range(1, STEPS + 1):
            sigma = expit(theta[0] + x @ theta[1:])
            slope = (1.0 - p) * sigma * (1.0 - sigma) / len(x)
            over = p + (1.0 - p) * float(sigma.mean()) - task.rate
            e = p + (1.0 - p) * sigma[task.rows]
            pull = -scale * task.squares / e**2 * slope[task.rows] * len(x)
            price = (multiplier + penalty * over) if over > 0.0 else 0.0
            gradient = np.concatenate(
                [[pull.sum() + price * slope.sum()], own.T @ pull + price * (x.T @ slope)]
            )
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            rate = RATE * 0.5**turn
            theta = theta - rate * (first / (1.0 - 0.9**step)) / (
                np.sqrt(second / (1.0 - 0.999**step)) + 1e-8
            )
        sigma = expit(theta[0] + x @ theta[1:])
        over = p + (1.0 - p) * float(sigma.mean()) - task.rate
        multiplier += penalty * max(0.0, over)
        penalty *= 2.0
    return float(theta[0]), theta[1:]


def on_budget(task: Problem, beta: FloatArray) -> float:
    """Return the objective of beta with the intercept that spends the budget."""
    linear, p = task.x @ beta, task.pilot

    def gap(b: float) -> float:
        return p + (1.0 - p) * float(expit(linear + b).mean()) - task.rate

    far = float(np.abs(linear).max()) + 20.0
    b = float(brentq(gap, -far, far, xtol=1e-13))
    return objective(task, b, beta)


def objective(task: Problem, b: float, beta: FloatArray) -> float:
    """Return sum r^2 / e."""
    e = task.pilot + (1.0 - task.pilot) * expit(b + task.x[task.rows] @ beta)
    return float(np.sum(task.squares / e))


def compare(seeds: range) -> None:
    """Print a line for each problem and the worst of all."""
    print("seed  objective ours/theirs   budget off: ours   theirs   seconds: ours   theirs  ratio")
    found = []
    for seed in seeds:
        task = problem(seed)
        started = time.perf_counter()
        ours = fit_propensity(
            task.x, task.squares, task.rows, rate=task.rate, pilot=task.pilot, ridge=0.0
        )
        between = time.perf_counter()
        b, beta = augmented_lagrangian(task)
        ended = time.perf_counter()
        e = task.pilot + (1.0 - task.pilot) * expit(b + task.x @ beta)
        off = abs(float(ours.e.mean()) - task.rate), abs(float(e.mean()) - task.rate)
        row = (
            ours.objective / on_budget(task, beta),
            *off,
            between - started,
            ended - between,
            (ended - between) / (between - started),
        )
        found.append(row)
        print("{:4d}  {:.9f}   {:.1e}   {:.1e}   {:.4f}   {:.2f}   {:.0f}".format(seed, *row))
    worst = np.array(found)
    print(
        f"{len(worst)} problems: objective at most 1 {worst[:, 0].max() - 1.0:+.1e} of theirs, "
        f"budget off by at most {worst[:, 1].max():.1e}; times as fast: "
        f"{worst[:, 4].sum() / worst[:, 3].sum():.0f} over all, median "
        f"{np.median(worst[:, 5]):.0f}, least {worst[:, 5].min():.0f}"
    )


def main() -> None:
    """Compare on the problems, then time a large one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="five problems")
    parser.add_argument("--items", type=int, default=1_000_000, help="of the large problem")
    asked = parser.parse_args()
    warm = problem(0, 1000)
    fit_propensity(warm.x, warm.squares, warm.rows, rate=warm.rate, pilot=warm.pilot)
    compare(range(5 if asked.quick else 20))
    large = problem(0, asked.items)
    started, busy = time.perf_counter(), time.process_time()
    found = fit_propensity(large.x, large.squares, large.rows, rate=large.rate, pilot=large.pilot)
    print(
        f"{asked.items:,} items, {N_FEATURES} features: {time.perf_counter() - started:.2f} s "
        f"({time.process_time() - busy:.2f} s of one processor), "
        f"budget off by {abs(float(found.e.mean()) - large.rate):.1e}"
    )


if __name__ == "__main__":
    main()
