"""Small pools made in memory, for tests that need one without reading a file; bench scripts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from bacon.arrays import FloatArray, IntArray, read_only
from bacon.data.pool import Categories, Judge, Pool
from bacon.fingerprint import fingerprint_ids

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

SYSTEMS = ("atlas", "borealis", "cygnus")


def _as_categories(name: str, values: Sequence[str]) -> Categories:
    levels, codes = np.unique(np.array(values), return_inverse=True)
    return Categories(name, read_only(codes.astype(np.int64)), tuple(levels.tolist()))


def make_pool(
    n: int,
    *,
    ids: Sequence[int] | Sequence[str] | None = None,
    seed: int = 0,
    columns: Mapping[str, Sequence[object]] | None = None,
    pi: Sequence[float] | None = None,
) -> Pool:
    """Return a pool of `n` essays with two biased judges, three systems and shared prompts.

    Parameters
    ----------
    n : int
        Number of items N.
    ids : sequence, optional
        Their ids; 1..n where None.
    seed : int
        Seed of the scores.
    columns : mapping, optional
        Further columns of the table, or other values for those it has.
    pi : sequence of float, optional
        Inclusion probabilities, column ``pi``.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    gpt = np.clip(np.round(4.2 + 1.1 * quality + 0.5 * rng.normal(size=n)), 1, 6)
    llama = 3.0 + 0.7 * quality + rng.normal(size=n)
    listed = list(range(1, n + 1)) if ids is None else list(ids)
    system = [SYSTEMS[i % 3] for i in range(n)]
    prompt = [f"p{i // 3:03d}" for i in range(n)]
    table = pl.DataFrame(
        {
            "item_id": listed,
            "judge_gpt": gpt,
            "judge_gpt__entropy": rng.uniform(size=n),
            "judge_llama": llama,
            "system": system,
            "prompt_id": prompt,
            "answer": [f"answer {i}, in words" for i in range(n)],
            **({} if pi is None else {"pi": list(pi)}),
            **(columns or {}),
        }
    )
    return pool_of_table(table)


def pool_of_table(table: pl.DataFrame) -> Pool:
    """Return the pool whose table is `table`, with the roles of :func:`make_pool`."""
    is_text = table["item_id"].dtype == pl.String
    ids = np.array(table["item_id"].to_list(), dtype=object if is_text else np.int64)
    order = np.argsort(ids, kind="stable").astype(np.int64)
    judges = tuple(
        Judge(name, (name,), _scores(table, name)) for name in ("judge_gpt", "judge_llama")
    )
    return Pool(
        source="pool.csv",
        id_name="item_id",
        ids=read_only(ids),
        order=read_only(order),
        fingerprint=fingerprint_ids(ids[order]),
        judges=judges,
        features=read_only(np.zeros((len(ids), 0))),
        feature_names=(),
        table=table,
        group=_as_categories("system", table["system"].to_list()),
        cluster=_as_categories("prompt_id", table["prompt_id"].to_list()),
        text="answer",
        pi=read_only(table["pi"].to_numpy()) if "pi" in table.columns else None,
        pi_name="pi" if "pi" in table.columns else None,
    )


def permuted(pool: Pool, order: IntArray) -> Pool:
    """Return the same pool with its rows in another order."""
    return pool_of_table(pool.table[order])


def _scores(table: pl.DataFrame, name: str) -> FloatArray:
    column = table[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return read_only(column.reshape(-1, 1))


def bench_script(name: str) -> ModuleType:
    """Return a script of bench/ as a module."""
    path = Path(__file__).parents[1] / "bench" / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
