"""Error, coverage and width of every model against labels alone, PPI++ and the paper's recipe.

    python bench/efficiency.py --data ../shared/data --out efficiency --workers 2

Real pools with every label known, and simulators with a new pool in every draw; 30, 50, 100, 200
and 500 labels, at most half of the items. Every configuration sees the same draws, and the length
of the text where a pool has it. First each cell gets `--first` draws of every configuration; then
those that claims rest on go on until their 99 % Monte Carlo intervals are narrow (0.015 on
coverage, 0.03 on ratios) or they have `--draws`. The folder of `--out` keeps every draw: stopped,
the same command goes on where it was. The tables go to docs/efficiency.md, after every pool;
`--page` writes them from the draws there are.

`--quick` takes two sizes, 50 draws and four configurations: 10 minutes, its own folder, the
tables on the screen. `--only`, `--n` and `--configs` narrow a run.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import bacon
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.plan import Plan
from bacon.experiments.run import Precision, kept, simulate
from bacon.experiments.simulators import simulated_pool
from lib.efficiency_page import page_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = (30, 50, 100, 200, 500)
PAGE = Path(__file__).parents[1] / "docs" / "efficiency.md"
CLAIMED = ("human-only", "ppi++", "paper", "ridge", "bacon")
"""What is drawn until it is precise; the others keep their first draws."""


@dataclass(frozen=True)
class Case:
    """A pool of the benchmark.

    Parameters
    ----------
    name : str
        File of the data folder, or sim:<simulator>.
    kind : str
        bounded, ordinal, binary, skewed or classes: which bars hold.
    models : tuple of str
        Single models that suit the outcome, beside ridge.
    sizes : tuple of int
        Numbers of labels.
    levels : tuple of str or None
        Classes, where some are called by numbers.
    text : str or None
        Column with the item's text, where the file has it; its length is a feature.
    """

    name: str
    kind: str
    models: tuple[str, ...] = ("forest",)
    sizes: tuple[int, ...] = SIZES
    levels: tuple[str, ...] | None = None
    text: str | None = None


PENALTY = ("hurdle", "log-link", "forest")
CASES = (
    Case("hanna", "bounded", text="story_text"),
    Case("summeval", "bounded", text="text"),
    Case("llmjudge_trecdl23", "ordinal", ("ordinal", "forest")),
    Case("rewardbench2_runs", "binary", ("logistic", "forest")),
    Case("wmt20_ende_mqm", "skewed", PENALTY),
    Case("wmt23_ende_mqm", "skewed", PENALTY, text="text"),
    Case("sim:ordinal", "ordinal", ("ordinal", "forest"), (30, 50, 100, 200, 250, 500)),
    Case("sim:mqm", "skewed", PENALTY),
    Case("sim:lognormal", "skewed", ("log-link", "forest")),
    Case("sim:binary", "binary", ("logistic", "forest")),
    Case("sim:noise", "ordinal", ("ordinal", "forest")),
    Case("css_stance", "classes", ("multinomial",), text="text"),
    Case("pandalm_testset", "classes", ("multinomial",), levels=("1", "2", "tie")),
)


def read_case(data: Path, case: Case) -> FullPool:
    """Return the pool with all its labels."""
    if case.name.startswith("sim:"):
        return simulated_pool(case.name.removeprefix("sim:"))
    table = pl.read_parquet(data / f"{case.name}.parquet")
    text = [] if case.text is None else [case.text]
    table = table.select("item_id", "human", *text, pl.col("^judge_.*$"))
    pool = bacon.read_pool(table, label="human", levels=case.levels, text=case.text)
    return full_pool(pool, table, label="human", name=case.name, levels=case.levels)


def all_configurations(case: Case) -> list[str]:
    """Return the names of the configurations that suit a pool."""
    if case.kind == "classes":
        return ["human-only", "raw-judges", "paper", *case.models, "bacon"]
    return ["human-only", "raw-judges", "ppi++", "paper", "ridge", *case.models, "bacon"]


def configurations(case: Case, asked: argparse.Namespace) -> list[str]:
    """Return the names of the configurations to draw."""
    if asked.configs:
        return list(dict.fromkeys(["human-only", *asked.configs]))
    names = all_configurations(case)
    if asked.quick:
        names = [name for name in names if name in ("human-only", "ppi++", "ridge", "bacon")]
    return names


def experiments(asked: argparse.Namespace) -> Iterator[tuple[Case, FullPool]]:
    """Yield every pool asked for that is there."""
    for case in CASES:
        simulated = case.name.startswith("sim:")
        if asked.only and case.name not in asked.only:
            continue
        if not simulated and not (asked.data / f"{case.name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {case.name}.parquet; name its folder with --data")
            continue
        yield case, read_case(asked.data, case)


def plan_of(full: FullPool, names: list[str], sizes: Sequence[int]) -> Plan:
    """Return the experiment of a pool with some configurations."""
    return Plan(
        full,
        [bacon.UniformDesign(n=n) for n in sizes if 2 * n <= full.pool.n_items],
        names,
        estimands=full.default_estimands(),
        fresh=full.simulator is not None,
    )


def draw(asked: argparse.Namespace, *, precisely: bool) -> None:
    """Draw every cell, `precisely` only what claims rest on."""
    for case, full in experiments(asked):
        names = configurations(case, asked)
        if precisely:
            names = [name for name in names if name in CLAIMED]
        (asked.out / full.name).mkdir(parents=True, exist_ok=True)
        measured = simulate(
            plan_of(full, names, asked.n or case.sizes),
            trials=asked.first,
            precision=Precision(max_trials=asked.draws) if precisely else None,
            workers=asked.workers,
            out=asked.out / full.name,
            again=() if precisely else [name for name in asked.again if name in names],
            progress=show if sys.stderr.isatty() else None,
        )
        for notice in measured.notices:
            print(f"{full.name}: {notice.message}")
        print(f"{full.name}: {measured.summary['trials'].min():,} draws or more", flush=True)
        if not asked.quick:
            write_page(asked)


def write_page(asked: argparse.Namespace) -> str:
    """Write the tables of the draws there are, and return them."""
    found = []
    for case in CASES:
        simulated = case.name.startswith("sim:")
        folder = asked.out / case.name.replace(":", "-")
        if not folder.is_dir() or not (simulated or (asked.data / f"{case.name}.parquet").exists()):
            continue
        full = read_case(asked.data, case)
        names = list(dict.fromkeys([*all_configurations(case), *(asked.configs or ())]))
        plan = plan_of(full, names, sorted({*case.sizes, *(asked.n or ())}))
        found.append((case.name, case.kind, full.pool.n_items, kept(plan, folder).results))
    text = page_text(found)
    if not asked.quick:
        PAGE.write_text(text, encoding="utf-8")
    return text


def show(done: int, total: int) -> None:
    """Show progress on one line of the terminal."""
    sys.stderr.write(f"\r{done:,} of {total:,} draws" + ("\n" if done >= total else ""))
    sys.stderr.flush()


def main() -> None:
    """Run every cell, first coarsely, then until it is precise, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--first", type=int, default=None, help="draws of every cell (200)")
    parser.add_argument("--draws", type=int, default=2500, help="most draws of a cell")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--n", type=int, nargs="+", default=None)
    parser.add_argument("--only", nargs="+", help="pools")
    parser.add_argument("--configs", nargs="+", help="configurations, in place of all")
    parser.add_argument("--again", nargs="+", default=[], help="configurations to draw again")
    parser.add_argument("--quick", action="store_true", help="10 minutes")
    parser.add_argument("--page", action="store_true", help="tables of what is there, no draws")
    asked = parser.parse_args()
    asked.n = (30, 200) if asked.quick and asked.n is None else asked.n
    asked.first = asked.first or (50 if asked.quick else 200)
    asked.out = asked.out or Path("efficiency-quick" if asked.quick else "efficiency")
    if not asked.page:
        draw(asked, precisely=False)
        if not asked.quick:
            draw(asked, precisely=True)
    text = write_page(asked)
    if asked.quick:
        print(text)


if __name__ == "__main__":
    main()
