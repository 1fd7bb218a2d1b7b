"""Coverage and width of item intervals and sets, and the false-discovery rate of flags.

    python bench/items.py --data ../shared/data --model ridge --draws 300

Real pools with every label known; 100 and 200 labels drawn at random, by strata of the judges'
average at unequal rates (40, 30, 20 and 10 % of the items, a quarter of the labels each), and
independently with chances in proportion to exp(spread of the judges) (its z score, cut at 2).
Intervals of 90 % for the items without a label; flags of the quarter of the items with the worst
labels (or the best, or the relevant ones) at a rate of 10 %. `--method split` takes the split
version. Prints two tables, with Monte Carlo standard errors after the signs. Widths are of
intervals that end; `to unscaled` is the share of the width that errors which are not scaled would
give (before ends move to possible values), `no end` that of intervals without. `--quick`: 10 draws.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import bacon
from bacon.arrays import read_only
from bacon.calibration.item_basis import basis_of
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.items.conformal import error_bounds, interval_ends, spread_scale
from bacon.judge_scores import judge_mean, numeric_judges
from bacon.sampling.probability import scale_to_size

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.item_scores import ItemScores
    from bacon.data.pool import Pool

LEVEL, FDR = 0.9, 0.1
CUTS = (0.1, 0.3, 0.6)
"""Quantiles of the judges' average between the strata."""


@dataclass(frozen=True)
class Case:
    """A pool: its scale if it has one, what is flagged, and its classes if they are numbers."""

    name: str
    scale: tuple[float, float] | None = None
    side: str = "below"
    cut: float | None = None
    levels: tuple[str, ...] | None = None


CASES = (
    Case("hanna", (1.0, 5.0)),
    Case("summeval", (1.0, 5.0)),
    Case("llmjudge_trecdl23", (0.0, 3.0), "above", 1.0),
    Case("rewardbench2_runs", None, "above", 0.5),
    Case("wmt20_ende_mqm", (0.0, 25.0), "above"),
    Case("wmt23_ende_mqm", None, "above"),
    Case("css_stance"),
    Case("pandalm_testset", levels=("1", "2", "tie")),
)
DESIGNS = ("uniform", "stratified", "hardness")


def read(data: Path, case: Case) -> FullPool:
    """Return the pool with all labels, its strata and its chances."""
    table = pl.read_parquet(data / f"{case.name}.parquet").select("item_id", "human", "^judge_.*$")
    pool = bacon.read_pool(table, label="human", levels=case.levels)
    full = full_pool(
        pool, table, label="human", name=case.name, scale=case.scale, levels=case.levels
    )
    if full.levels is not None:
        return full
    average = judge_mean(pool)
    stratum = np.searchsorted(np.quantile(average, CUTS), average, side="right")
    return replace(full, pool=replace(pool, table=pool.table.with_columns(stratum=stratum)))


def hardness(pool: Pool) -> np.ndarray:
    """Return exp(z) of the spread of the standardised judges (N,)."""
    columns = [values for _, values in numeric_judges(pool)]
    scores = np.column_stack(columns)
    spread = np.nanstd((scores - np.nanmean(scores, axis=0)) / np.nanstd(scores, axis=0), axis=1)
    return np.exp(np.clip((spread - spread.mean()) / spread.std(), -2.0, 2.0))


def drawn(full: FullPool, design: str, n: int, seed: int) -> tuple[Pool, bacon.Sample]:
    """Return the pool as the design needs it, and a draw."""
    if design == "uniform":
        return full.pool, bacon.UniformDesign(n=n).draw(full.pool, seed=seed)
    if design == "stratified":
        by = bacon.StratifiedDesign(n=n, strata="stratum", allocation="equal")
        return full.pool, by.draw(full.pool, seed=seed)
    pi = read_only(scale_to_size(hardness(full.pool), n)[0])
    pool = replace(full.pool, table=full.pool.table.with_columns(pi=pi), pi=pi, pi_name="pi")
    return pool, bacon.ProbabilityDesign("pi", method="poisson").draw(pool, seed=seed)


def cut_of(full: FullPool, case: Case) -> float:
    """Return the cut beyond which a quarter of the labels lies, unless it is named."""
    if case.cut is not None:
        return case.cut
    return float(np.quantile(full.y, 0.25 if case.side == "below" else 0.75))


def outcome(full: FullPool, case: Case, items: ItemScores) -> dict[str, float]:
    """Return what one draw showed."""
    frame = items.frame.filter(~pl.col("labelled"))
    position = {one: row for row, one in enumerate(full.pool.ids.tolist())}
    y = full.y[[position[one] for one in frame["item_id"].to_list()]]
    size = np.nan if items.set_size is None else items.set_size
    if full.levels is not None:
        said = zip(frame["set"], y.astype(int), strict=True)
        held = np.mean([full.levels[code] in found.split(" | ") for found, code in said])
        return {"coverage": float(held), "width": np.nan, "open": 0.0, "size": size}
    held = np.mean((frame["lower"].to_numpy() <= y) & (y <= frame["upper"].to_numpy()))
    gaps = (frame["upper"] - frame["lower"]).to_numpy()
    ends = np.isfinite(gaps)
    width = float(gaps[ends].mean()) if ends.any() else np.nan
    found = {"coverage": float(held), "width": width, "open": float(np.mean(~ends)), "size": size}
    cut, flagged = cut_of(full, case), frame["flagged"].to_numpy()
    beyond = y < cut if case.side == "below" else y > cut
    false = items.flags.false_share
    known = false is not None and false.upper is not None
    share = float(np.mean(~beyond[flagged])) if flagged.any() else 0.0
    return found | {
        "fdp": share,
        "any": float(flagged.any()),
        "power": float(np.sum(flagged & beyond) / beyond.sum()),
        "estimated": false.value if known else np.nan,
        "predicted": false.predicted if known else np.nan,
        "bound": false.upper if known else np.nan,
        "actual": share if known else np.nan,
        "bounded": float(share <= false.upper) if known else np.nan,
    }


def narrowing(cal: Calibration, items: ItemScores, case: Case) -> float:
    """Return the mean width as a share of what it is with errors that are not scaled."""
    basis = basis_of(cal, items.method)
    limits = case.scale or ((0.0, 1.0) if cal.kind.kind == "binary" else (-np.inf, np.inf))
    free = np.setdiff1d(basis.inside, basis.rows)
    f, widths = np.clip(basis.f, *limits), []
    for usual in (spread_scale(basis.variance), np.ones(len(f))):
        errors = np.abs(basis.y - f[basis.rows]) / usual[basis.rows]
        bound = error_bounds(errors, basis.weights, basis.own[free], LEVEL)
        lower, upper = interval_ends(f[free], bound * usual[free], limits)
        widths.append((upper - lower).mean())
    return float(widths[0] / widths[1]) if np.isfinite(widths).all() else np.nan


def measure(
    full: FullPool, case: Case, design: str, n: int, asked: argparse.Namespace
) -> dict[str, np.ndarray]:
    """Return what every draw of a cell showed."""
    flag = {} if full.levels is not None else {f"flag_{case.side}": cut_of(full, case), "fdr": FDR}
    found: dict[str, list[float]] = {}
    for seed in range(asked.draws):
        pool, sample = drawn(full, design, n, seed)
        labels = full.labels(full.rows_of(sample))
        model = asked.model if full.levels is None else "stack"
        cal = bacon.calibrate(pool, labels, sample=sample, model=model, scale=case.scale, seed=seed)
        items = cal.item_scores(level=LEVEL, method=asked.method, **flag)
        got = outcome(full, case, items)
        if full.levels is None:
            got["ratio"] = narrowing(cal, items, case)
        for key, value in got.items():
            found.setdefault(key, []).append(value)
    return {key: np.array(values) for key, values in found.items()}


def figure(values: np.ndarray, digits: int = 3) -> str:
    """Return mean and Monte Carlo standard error."""
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return ""
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"


def plain(values: np.ndarray, digits: int) -> str:
    """Return the mean, blank where there is none."""
    values = values[~np.isnan(values)]
    return f"{values.mean():.{digits}f}" if len(values) else ""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--model", default="ridge")
    parser.add_argument("--method", default="out-of-fold")
    parser.add_argument("--only", nargs="*", default=[case.name for case in CASES])
    parser.add_argument("--n", nargs="*", type=int, default=[100, 200])
    parser.add_argument("--designs", nargs="*", default=list(DESIGNS))
    parser.add_argument("--quick", action="store_true", help="10 draws")
    asked = parser.parse_args()
    asked.draws = 10 if asked.quick else asked.draws
    flags = []
    print("| pool | n | draw | coverage | width | to unscaled | no end | set size |")
    print("|---|---|---|---|---|---|---|---|")
    for case in (case for case in CASES if case.name in asked.only):
        if not (asked.data / f"{case.name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {case.name}.parquet; name the folder with --data")
            continue
        full = read(asked.data, case)
        for n in asked.n:
            for design in asked.designs if full.levels is None else ("uniform",):
                got = measure(full, case, design, n, asked)
                name = f"| {case.name} | {n} | {design} |"
                ratio = plain(got.get("ratio", np.array([])), 3)
                widths = f"{plain(got['width'], 2)} | {ratio} | {plain(got['open'], 3)}"
                size = plain(got["size"], 2)
                print(f"{name} {figure(got['coverage'])} | {widths} | {size} |", flush=True)
                if "fdp" in got:
                    flags.append(
                        f"{name} {figure(got['fdp'])} | {plain(got['any'], 2)} | "
                        f"{plain(got['power'], 2)} | {plain(got['actual'], 2)} | "
                        f"{plain(got['predicted'], 2)} | {plain(got['estimated'], 2)} | "
                        f"{plain(got['bound'], 2)} | {plain(got['bounded'], 2)} |"
                    )
    heads = ("false flags", "draws with flags", "share found", "false in these", "by the model")
    heads = ("pool", "n", "draw", *heads, "by the labels", "bound", "bound holds")
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    print("\n".join(flags))


if __name__ == "__main__":
    main()
