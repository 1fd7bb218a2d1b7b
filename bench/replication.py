"""CPU of the paper's protocols: six budgets, its four configurations, systems where there are any.

    python bench/replication.py --data ../shared/data --trials 200 --workers 2

essays          as large as the paper's PERSUADE study: 4,600 items, scores 1 to 6, eight judges
                that tell their entropy and perplexity, 64 embedding components; ordinal model.
wmt20_ende_mqm  14,180 items, 10 systems; wmt23_ende_mqm: 5,980 items, 13 systems. The paper's
                hurdle and t intervals, embeddings by `bacon embed` in the folder of `--out`;
                one model of all systems, and (`systems apart`) one for each.

Prints wall time and CPU seconds a trial. `--quick` takes 5 trials of the outer budgets.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import bacon
from bacon.engine.embedding.request import requested
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate
from bacon.random import stream
from bacon.replication.protocol import configurations_of, designs_of

BUDGETS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
N_ESSAYS, N_JUDGES, N_COMPONENTS = 4_600, 8, 64
MODELS = {"essays": "ordinal", "wmt20_ende_mqm": "hurdle-ridge", "wmt23_ende_mqm": "hurdle-ridge"}
TEXT = {"wmt20_ende_mqm": "source_text", "wmt23_ende_mqm": "text"}


def essays() -> FullPool:
    """Return a pool of the size of the paper's essays."""
    rng = stream(0, "essays")
    quality = rng.normal(size=N_ESSAYS)
    columns: dict[str, object] = {"item_id": np.arange(N_ESSAYS)}
    for m in range(N_JUDGES):
        noise = rng.uniform(0.5, 1.2)
        score = np.clip(np.round(3.5 + quality + noise * rng.normal(size=N_ESSAYS)), 1, 6)
        columns[f"judge_{m}"] = score
        columns[f"judge_{m}__entropy"] = rng.gamma(2.0, 0.2, N_ESSAYS)
        columns[f"judge_{m}__logppl"] = rng.gamma(2.0, 0.1, N_ESSAYS)
    weights = rng.normal(size=N_COMPONENTS) / np.sqrt(N_COMPONENTS)
    embeddings = rng.normal(size=(N_ESSAYS, N_COMPONENTS)) + np.outer(quality, weights)
    people = np.clip(np.round(3.5 + quality + 0.4 * rng.normal(size=N_ESSAYS)), 1, 6)
    table = pl.DataFrame({**columns, "human": people})
    pool = bacon.read_pool(table, label="human", embeddings=embeddings)
    return full_pool(pool, table, label="human", name="essays", scale=(1.0, 6.0))


def translations(data: Path, name: str, folder: Path) -> FullPool:
    """Return a pool of translations with embeddings of its text."""
    from bacon.engine.embedding.run import embed

    table = pl.read_parquet(data / f"{name}.parquet")
    out = folder / f"{name}.parquet"
    embed(
        requested(
            data / f"{name}.parquet",
            out=out,
            columns=(TEXT[name],),
            id="item_id",
            fill_mean=True,
            overwrite=True,
        )
    )
    table = table.select("item_id", "system", "seg_id", "human", pl.col("^judge_.*$"))
    pool = bacon.read_pool(table, label="human", group="system", cluster="seg_id", embeddings=out)
    return full_pool(pool, table, label="human", name=name)


def timed(full: FullPool, configurations: list[str], asked: argparse.Namespace) -> None:
    """Draw the protocol and print what it took."""
    plan = Plan(
        full,
        designs_of(full, asked.budgets),
        configurations,
        by_group=full.pool.group is not None,
    )
    started = time.perf_counter()
    measured = simulate(plan, trials=asked.trials, workers=asked.workers)
    wall = time.perf_counter() - started
    seconds = measured.timing.group_by("configuration", maintain_order=True).agg(
        pl.col("cpu_seconds").mean()
    )
    shown = ", ".join(f"{name} {value:.3f}" for name, value in seconds.iter_rows())
    print(
        f"{full.name}: {wall / 60:.1f} min for {len(asked.budgets)} x {asked.trials} draws; "
        f"CPU s a trial: {shown}; all {seconds['cpu_seconds'].sum():.3f}",
        flush=True,
    )


def main() -> None:
    """Time the protocols."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budgets", type=float, nargs="+", default=BUDGETS)
    parser.add_argument("--only", nargs="+", default=list(MODELS), help="pools")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.trials, asked.budgets = 5, (BUDGETS[0], BUDGETS[-1])
    asked.budgets = tuple(asked.budgets)
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.only:
            if name == "essays":
                full = essays()
            elif (asked.data / f"{name}.parquet").exists():
                full = translations(asked.data, name, Path(folder))
            else:
                print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
                continue
            four = [one for one in configurations_of(full, MODELS[name]) if one != "raw-judges"]
            timed(full, four, asked)
            if full.pool.group is not None:
                apart = [f"{one},pooling=none" for one in four if ":" in one]
                print("systems apart: ", end="")
                timed(full, ["human-only", *apart], asked)


if __name__ == "__main__":
    main()
