"""What columns derived from judges' doubt are worth to the ridge, one kind at a time and together.

    python bench/uncertainty.py --data ../shared/data

For each pool and n: draw labels, fit the ridge without one fold (K = 10 with 100 labels or
fewer, else 5), and take the variance of its errors over the items left. The root of its mean
over draws is the error of a cross-fitted estimate of the mean; the table has it as a share of
that with scores alone, with its Monte Carlo error over the same draws. "log" has
the logarithm of the runs' variance in place of its root, with and without the flag; "runs / log"
is the error with roots as a share of that with logarithms.

Simulated pools (N = 5,000, q and e standard normal, people 1 + the number of cuts
(-1.6, -.8, -.1, .7, 1.5) below q + .4 e, judges on 1 to 6):
sim-ordinal   of bacon.experiments: a judge's doubt says nothing of its error.
sim-doubtful  six judges 3.5 + 1.2 (b + k (q + .35 h) + g U e) rounded, U gamma(2, 1/2), which
              they tell as entropy, and as log-perplexity log(1 + U) + .1 e'; their expected
              score is the same before rounding, plus .1 e''.
sim-agreeing  four judges, four runs; half the items have all runs alike (A = 0), else A is
              gamma(2, .4): a judge errs by g (.4 + A) e, a run by .8 A e' besides.

Two minutes; `--quick` half a minute.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import bacon
from bacon.experiments.simulators import NOISE, OFFSET, ORDINAL_CUTS, SLOPE, simulated_pool
from bacon.features.columns import BY_DEFAULT, DERIVED
from bacon.features.feature_map import feature_matrix, fit_feature_map
from bacon.judge_scores import spread_of_present
from bacon.outcome.ridge_fit import fit_ridge
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

N_ITEMS = 5_000
DRAWS = {50: 300, 200: 100, 500: 40}
RUNS = ("spread", "score x spread")
FLOOR = 1e-6
"""Variance of runs that never differ, for its logarithm: in squares of the judge's SD."""

Features = tuple["FloatArray", "IntArray"]


def real(data: Path, name: str) -> tuple[bacon.Pool, FloatArray]:
    """Return a pool of the data folder and all its labels."""
    pool = bacon.read_pool(data / f"{name}.parquet", judges="judge_*", label="human")
    return pool, pool.table["human"].to_numpy().astype(np.float64)


def people(q: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return what people say of items of quality q."""
    latent = q + 0.4 * rng.normal(size=len(q))
    return 1.0 + np.searchsorted(ORDINAL_CUTS, latent).astype(np.float64)


def doubtful() -> tuple[bacon.Pool, FloatArray]:
    """Return judges who tell how far they err, and people's scores."""
    rng = stream(1, "sim-doubtful")
    q, h = rng.normal(size=(2, N_ITEMS))
    columns: dict[str, FloatArray] = {}
    for m, (k, b, g) in enumerate(zip(SLOPE, OFFSET, NOISE, strict=True)):
        doubt = rng.gamma(2.0, 0.5, N_ITEMS)
        latent = 3.5 + 1.2 * (b + k * (q + 0.35 * h) + g * doubt * rng.normal(size=N_ITEMS))
        columns[f"judge_{m}"] = np.clip(np.round(latent), 1.0, 6.0)
        columns[f"judge_{m}__entropy"] = doubt
        columns[f"judge_{m}__logppl"] = np.log1p(doubt) + 0.1 * rng.normal(size=N_ITEMS)
        columns[f"judge_{m}__expected"] = np.clip(latent + 0.1 * rng.normal(size=N_ITEMS), 1.0, 6.0)
    return bacon.read_pool(columns, judges="judge_*"), people(q, rng)


def agreeing() -> tuple[bacon.Pool, FloatArray]:
    """Return judges whose runs agree on half the items, and people's scores."""
    rng = stream(1, "sim-agreeing")
    q = rng.normal(size=N_ITEMS)
    hard = np.where(rng.random(N_ITEMS) < 0.5, 0.0, rng.gamma(2.0, 0.4, N_ITEMS))
    columns = {}
    for m, (k, g) in enumerate(((0.9, 0.5), (0.7, 0.7), (0.6, 0.9), (0.8, 0.6))):
        score = 3.5 + 1.2 * (k * q + g * (0.4 + hard) * rng.normal(size=N_ITEMS))
        for r in range(4):
            run = np.round(score + 0.8 * hard * rng.normal(size=N_ITEMS))
            columns[f"judge_{m}_run{r}"] = np.clip(run, 1.0, 6.0)
    return bacon.read_pool(columns, judges="judge_*"), people(q, rng)


def ordinal() -> tuple[bacon.Pool, FloatArray]:
    """Return the ordinal simulator without its embeddings."""
    full = simulated_pool("ordinal", n_items=N_ITEMS)
    table = full.pool.table
    return bacon.read_pool(table, judges="judge_*"), full.y


def scaled(column: FloatArray) -> FloatArray:
    """Return a derived column cut to its 5 and 95 % quantiles, standardised, gaps at 0."""
    cut = np.clip(column, *np.nanquantile(column, (0.05, 0.95)))
    return np.nan_to_num((cut - np.nanmean(cut)) / np.nanstd(cut))


def logarithms(pool: bacon.Pool, *, flag: bool) -> Features:
    """Return the features with log-variance, and its product with the score, for each judge."""
    base = fit_feature_map(pool, derived=("varies",) if flag else ())
    x = feature_matrix(pool, base)
    more = []
    for judge in pool.judges:
        k = base.names.index(judge.name)
        spread = spread_of_present(judge.scores) / abs(base.columns[k].scale)
        logs = np.log(spread**2 + FLOOR)
        more += [scaled(logs), scaled(x[:, k] * (logs - np.nanmean(logs)))]
    blocks = np.concatenate([base.blocks, np.full(len(more), 2, dtype=np.int64)])
    return np.column_stack([x, *more]), blocks


def variants(pool: bacon.Pool) -> dict[str, Features]:
    """Return the features with each set of derived columns that the pool can have."""
    choices: dict[str, tuple[str, ...]] = {"scores": (), **{kind: (kind,) for kind in DERIVED}}
    choices |= {"default": BY_DEFAULT, "runs": RUNS, "runs + flag": (*RUNS, "varies")}
    found: dict[str, Features] = {}
    for name, kinds in choices.items():
        made = fit_feature_map(pool, derived=kinds)
        if name == "scores" or (made.blocks == 2).any():
            found[name] = feature_matrix(pool, made), made.blocks
    made = fit_feature_map(pool, derived=())
    plain = np.array([column.kind != "expected" for column in made.columns])
    if not plain.all():
        found["no expected"] = found["scores"][0][:, plain], made.blocks[plain]
    if "runs" in found:
        found["log"] = logarithms(pool, flag=False)
        found["log + flag"] = logarithms(pool, flag=True)
    return found


def errors(features: dict[str, Features], y: FloatArray, n: int, draws: int) -> FloatArray:
    """Return the variance of errors (draws, variants)."""
    kept = n - math.ceil(n / (10 if n <= 100 else 5))
    found = np.empty((draws, len(features)))
    for draw in range(draws):
        order = stream(draw, f"labels {n}").permutation(len(y))
        rows, rest = order[:kept], order[kept:]
        for k, (x, blocks) in enumerate(features.values()):
            model = fit_ridge(x[rows], y[rows], blocks)
            found[draw, k] = np.var(y[rest] - model.predict(x[rest]))
    return found


def compared(one: FloatArray, other: FloatArray) -> str:
    """Return the root of the ratio of mean variances (draws,), with its Monte Carlo error."""
    ratio = float(np.sqrt(one.mean() / other.mean()))
    error = float((one / one.mean() - other / other.mean()).std(ddof=1)) / math.sqrt(len(one))
    return f"{ratio:.4f} ({ratio * error / 2.0:.4f})"


def main() -> None:
    """Print a table for each pool."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--quick", action="store_true", help="a fifth of the draws")
    asked = parser.parse_args()
    pools = {"sim-ordinal": ordinal, "sim-doubtful": doubtful, "sim-agreeing": agreeing}
    for name in ("rewardbench2_runs", "hanna"):
        if (asked.data / f"{name}.parquet").exists():
            pools[name] = lambda name=name: real(asked.data, name)
        else:
            print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
    for name, make in pools.items():
        pool, y = make()
        features = variants(pool)
        columns = {
            n: errors(features, y, n, d // 5 if asked.quick else d) for n, d in DRAWS.items()
        }
        print(f"\n{name:<18}" + "".join(f"{f'n = {n}':>18}" for n in columns))
        r2 = [1.0 - found[:, 0].mean() / y.var() for found in columns.values()]
        print(f"{'R2, scores alone':<18}" + "".join(f"{value:>18.3f}" for value in r2))
        names = list(features)
        pairs = {names[k]: (k, 0) for k in range(1, len(names))}
        for other in ("log", "log + flag"):
            if other in names:
                pairs[f"runs / {other}"] = (names.index("runs"), names.index(other))
        for label, (k, base) in pairs.items():
            cells = [compared(found[:, k], found[:, base]) for found in columns.values()]
            print(f"{label:<18}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
