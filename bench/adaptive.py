"""Two-stage draws against one stage: the paper's synthetic study, and real pools.

    python bench/adaptive.py --data ../shared/data --out adaptive

First the paper's appendix D.3 (ridge, 400 draws a point): its sweeps of lambda, pilot and budget.
Then real pools with the default model: pilot 0.1 and budget 0.2, a pilot of 50 for 200 labels,
and the same with residuals dealt anew, so that there is nothing to learn; and 2,000 draws of two
pools (ridge) for coverage. The folder of `--out` keeps every draw; stopped, the same command goes
on. Figures go to docs/figures, tables between the marks of docs/adaptive.md; `--page` makes both
from the draws there are.

`--quick` takes 10 draws of a few cells: 10 minutes, its own folder, tables on the screen.
`--only`, `--kinds` and `--trials` narrow a run.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bacon.experiments.plan import trial_seed
from bacon.replication.synthetic import synthetic_cells as study_cells
from bacon.replication.synthetic import synthetic_pool
from bacon.replication.synthetic_figures import draw_figures
from efficiency import CASES, read_case
from lib.adaptive_page import page_text, points_of
from lib.adaptive_trials import Cell, frame, trial

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from bacon.experiments.full_pool import FullPool

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "adaptive.md"
MARKS = ("<!-- measured -->", "<!-- end of measured -->")
ROUNDS = (5, 10, 20, 40, 60, 100, 200, 400, 1000, 2000)
POOLS = tuple(case.name for case in CASES if not case.name.startswith("sim:"))
COVERED = ("wmt20_ende_mqm", "wmt23_ende_mqm")
QUICK = ("synthetic:1.5", "synthetic:3", "wmt23_ende_mqm", "hanna")


def synthetic_cells() -> Iterator[Cell]:
    """Yield the points of the paper's grids."""
    for one in study_cells():
        yield Cell(f"synthetic:{one.lam:g}", one.pilot, one.rate, "ridge", trials=400)


def pool_cells() -> Iterator[Cell]:
    """Yield the settings of the real pools, and of one whose residuals are alike."""
    for pool in (*POOLS, "synthetic:0"):
        yield Cell(pool, 0.1, 0.2)
        yield Cell(pool, 50, 200, trials=60)
        yield Cell(pool, 0.1, 0.2, shuffled=True, trials=20)
        yield Cell(pool, 50, 200, shuffled=True, trials=60)


def kind_cells() -> Iterator[Cell]:
    """Yield the other ways of learning hardness."""
    for kind in ("optimal", "logistic"):
        for lam in (1.5, 3.0):
            yield Cell(f"synthetic:{lam:g}", 0.15, 0.4, "ridge", kind, trials=60)
        for pool in COVERED:
            yield Cell(pool, 0.1, 0.2, hardness=kind, trials=20)


def coverage_cells() -> Iterator[Cell]:
    """Yield the settings whose intervals are counted."""
    for pool in COVERED:
        yield Cell(pool, 0.1, 0.2, "ridge", alone=True, trials=2000)


KINDS = {
    "synthetic": synthetic_cells,
    "pools": pool_cells,
    "hardness": kind_cells,
    "coverage": coverage_cells,
}


@cache
def read_full(data: Path, name: str) -> FullPool:
    """Return a pool with all its labels."""
    if name.startswith("synthetic:"):
        return synthetic_pool(float(name.removeprefix("synthetic:")))
    return read_case(data, next(case for case in CASES if case.name == name))


def kept(path: Path) -> list[dict[str, Any]]:
    """Return the draws in a file; a line that was cut off ends them, and is taken out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
        path.write_text("".join(lines), encoding="utf-8")
    return [json.loads(line) for line in lines]


def draw(cell: Cell, asked: argparse.Namespace, upto: int) -> None:
    """Draw a cell until it has so many draws."""
    path = asked.out / f"{cell.name}.jsonl"
    done = len(kept(path))
    if done >= upto:
        return
    full = read_full(asked.data, cell.pool)
    with path.open("a", encoding="utf-8") as file:
        for number in range(done, upto):
            file.write(json.dumps(trial(full, cell, trial_seed(0, number))) + "\n")
            file.flush()
    print(f"{cell.name}: {upto:,} draws", flush=True)


def cells_of(asked: argparse.Namespace) -> list[Cell]:
    """Return the cells asked for whose data are there."""
    found = []
    for cell in (cell for kind in asked.kinds for cell in KINDS[kind]()):
        there = (asked.data / f"{cell.pool}.parquet").exists() or ":" in cell.pool
        if (asked.only and cell.pool not in asked.only) or not there:
            continue
        found.append(cell if asked.trials is None else replace(cell, trials=asked.trials))
    return found


def write_page(asked: argparse.Namespace) -> str:
    """Return the tables of the draws there are; in a full run put them and figures into docs."""
    drawn: dict[str, list[tuple[Cell, pl.DataFrame]]] = {}
    for kind, cells in KINDS.items():
        files = [(cell, kept(asked.out / f"{cell.name}.jsonl")) for cell in cells()]
        drawn[kind] = [(cell, frame(rows)) for cell, rows in files if len(rows) > 1]
    text = page_text(drawn)
    if asked.quick:
        return text
    draw_figures(points_of(drawn["synthetic"]), DOCS / "figures")
    page = PAGE.read_text(encoding="utf-8")
    if MARKS[0] in page:
        head, rest = page.split(MARKS[0])
        tail = rest.split(MARKS[1])[1]
        PAGE.write_text(f"{head}{MARKS[0]}\n{text}\n{MARKS[1]}{tail}", encoding="utf-8")
    return text


def main() -> None:
    """Draw every cell, a few times first, and write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--trials", type=int, default=None, help="draws of every cell")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--only", nargs="+", help="pools")
    parser.add_argument("--quick", action="store_true", help="10 minutes")
    parser.add_argument("--page", action="store_true", help="tables of what is there, no draws")
    asked = parser.parse_args()
    if asked.quick:
        asked.trials = asked.trials or 10
        asked.only = asked.only or QUICK
    asked.out = asked.out or Path("adaptive-quick" if asked.quick else "adaptive")
    asked.out.mkdir(parents=True, exist_ok=True)
    cells = [] if asked.page else cells_of(asked)
    for upto in ROUNDS:
        for cell in cells:
            draw(cell, asked, min(upto, cell.trials))
    print(write_page(asked))


if __name__ == "__main__":
    main()
