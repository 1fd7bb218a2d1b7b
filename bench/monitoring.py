"""Monitoring a calibration of 200 labels: false alarms, and how soon a shift is found.

    python bench/monitoring.py --data ../shared/data --out monitoring --trials 1000

Each trial halves a pool at random, calibrates one half on 200 labels (ridge; `--model`), and
draws streams of labels from the other half, with replacement. Rows of the table:

quiet             alarms over 2,000 labels without any shift: of the overall test, of any test, and
                  of the scores of judges in the other half; of the overall test at tolerance 0.
end of the margin alarms over 2,000 labels whose mean error is off by exactly the margin.
0.7 SD            a shift of 0.7 SD of the calibration's errors (the unit of tolerance and margin),
                  up and down, found within 150 labels by the overall test; and of the errors over
                  all items of the other half. 10 streams for each calibration.
0.5 SD            the same at tolerance 0.
after 500         0.7 SD after 500 quiet labels: found within the next 400.
one judge         one judge's scores move by 1.5 of their SD in the other half: whether the tests of
                  judges name it, or another, within 500 labels; whether its scores drift.

The folder keeps every trial; the same command goes on. `--quick` takes 25 trials.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import bacon
from bacon.calibration.baseline import baseline_record
from bacon.data.subpool import pool_of_rows
from bacon.experiments.full_pool import FullPool, full_pool
from bacon.experiments.montecarlo import Figure, mean_figure, wilson
from bacon.experiments.simulators import simulated_pool
from bacon.features.feature_map import feature_matrix
from bacon.monitor.evidence import Expected, shift_of
from bacon.monitor.fresh import errors_alone
from bacon.monitor.scores import compare_judges, drift_bound
from bacon.monitor.shifts import find_shifts
from bacon.monitor.state import Settings, Stream
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Pool

POOLS = ("sim-ordinal", "sim-mqm", "hanna", "llmjudge_trecdl23")
N_LABELS = 200
QUIET, SOON, BEFORE, AFTER, BY_JUDGE = 2_000, 150, 500, 400, 500
LARGE, SMALL, JUDGE_MOVES = 0.7, 0.5, 1.5
REPEATS = 10
"""Streams of a calibration for each figure of detection, half of them shifted up."""

DEFAULT = Settings()


def read_full(data: Path, name: str) -> FullPool:
    """Return a pool with all labels, simulated or of the data folder."""
    if name.startswith("sim-"):
        return simulated_pool(name.removeprefix("sim-"), n_items=10_000)
    table = pl.read_parquet(data / f"{name}.parquet")
    group = "system" if "system" in table.columns else None
    kept = ["item_id", "human", *([group] if group else []), pl.col("^judge_.*$")]
    table = table.select(kept)
    pool = bacon.read_pool(table, label="human", group=group)
    return full_pool(pool, table, label="human", name=name)


@dataclass(frozen=True, eq=False)
class Frozen:
    """A calibration as its files hold it: the mixture of fold models, and the baseline."""

    cal: Calibration
    record: dict[str, Any]

    def scores(self, pool: Pool) -> FloatArray:
        """Return the scores of another pool, as those of a saved calibration."""
        x = feature_matrix(pool, self.cal.feature_map)
        # A simple draw has one stratum: one mixture for every item without a label.
        weights = self.cal.fitted.predictions.weights[0]
        pairs = zip(weights, self.cal.fitted.models, strict=True)
        return np.asarray(sum(weight * model.predict(x) for weight, model in pairs))


def calibrated(full: FullPool, rows: IntArray, seed: int, model: str) -> Frozen:
    """Return a calibration on 200 labels of some rows."""
    pool = pool_of_rows(full.pool, rows)
    sample = bacon.UniformDesign(n=N_LABELS).draw(pool, seed=seed)
    place = {one: k for k, one in enumerate(pool.ids.tolist())}
    drawn = np.array([place[one] for one in sample.ids.tolist()])
    labels = bacon.read_labels(
        {"item_id": pool.ids[drawn], "human": full.y[rows][drawn]}, value="human"
    )
    cal = bacon.calibrate(pool, labels, sample=sample, model=model, seed=seed)
    return Frozen(cal, baseline_record(cal))


def as_stream(frozen: Frozen, pool: Pool, score: FloatArray, y: FloatArray, k: IntArray) -> Stream:
    """Return labels `y` of the rows `k` of a pool as a stream."""
    names: list[str | None] = [None] * len(k)
    if pool.group is not None:
        names = [pool.group.levels[code] for code in pool.group.codes[k]]
    return Stream(
        ids=tuple(map(str, range(len(k)))),
        labels=tuple(y.tolist()),
        errors=tuple((y - score[k]).tolist()),
        groups=tuple(names),
        alone=errors_alone(pool, k, y, frozen.record["judges"]),
    )


def moved(pool: Pool, k: int) -> Pool:
    """Return the pool with the scores of the k-th judge moved up."""
    judge = pool.judges[k]
    scores = judge.scores + JUDGE_MOVES * np.nanstd(judge.scores)
    return replace(
        pool, judges=(*pool.judges[:k], replace(judge, scores=scores), *pool.judges[k + 1 :])
    )


def one_trial(full: FullPool, trial: int, model: str) -> dict[str, Any]:
    """Return what one calibration and its streams show."""
    rng = stream(trial, f"monitoring {full.name}")
    halves = rng.permutation(full.pool.n_items)
    half = full.pool.n_items // 2
    frozen = calibrated(full, np.sort(halves[:half]), trial, model)
    record, later = frozen.record, np.sort(halves[half:])
    pool, y = pool_of_rows(full.pool, later), full.y[later]
    score = frozen.scores(pool)
    sd = float(np.std(y - score))
    errors = y - score
    rows = rng.integers(0, len(later), QUIET)
    calm = as_stream(frozen, pool, score, y[rows], rows)
    quiet = find_shifts(calm, record, DEFAULT)
    # At tolerance 0 the overall test alone, which has the same part of alpha.
    usual = quiet.overall.expected
    strict = replace(usual, margin=usual.margin - DEFAULT.tolerance * record["error"]["sd"])

    def found(size: float, n: int, held: Expected, start: int = 0) -> list[int | None]:
        alarms = []
        for k in range(REPEATS):
            some = errors[rng.integers(0, len(later), n)]
            some[start:] += size if k % 2 == 0 else -size
            alarms.append(shift_of(some, held).alarm_at)
        return alarms

    # As if the calibration had its mean error right, at the very end of the margin.
    side = usual.margin if trial % 2 == 0 else -usual.margin
    at_edge = shift_of(errors[rows] - errors.mean() + usual.mean + side, usual)
    bound = drift_bound(1.0 - DEFAULT.level, 1)
    scores, _ = compare_judges(pool, record["judges"], bound=bound)
    k = trial % len(pool.judges)
    wrong = moved(pool, k)
    some = rows[:BY_JUDGE]
    judged = as_stream(frozen, wrong, frozen.scores(wrong), y[some], some)
    named = [one.name for one in find_shifts(judged, record, DEFAULT).judges if one.alarms]
    wrong_scores, _ = compare_judges(wrong, record["judges"], bound=bound)
    return {
        "quiet": quiet.overall.shift.alarm_at,
        "quiet_any": any(one.alarms for one in quiet.every),
        "quiet_scores": any(one.drifts or one.missing_drifts for one in scores),
        "quiet_strict": shift_of(np.array(calm.errors), strict).alarm_at,
        "edge": at_edge.alarm_at,
        "large": found(LARGE * record["error"]["sd"], SOON, usual),
        "large_true": found(LARGE * sd, SOON, usual),
        "small": found(SMALL * record["error"]["sd"], SOON, strict),
        "small_true": found(SMALL * sd, SOON, strict),
        "late": found(LARGE * record["error"]["sd"], BEFORE + AFTER, usual, BEFORE),
        "right_judge": pool.judges[k].name in named,
        "other_judge": any(name != pool.judges[k].name for name in named),
        "right_scores": next(one.drifts for one in wrong_scores if one.name == pool.judges[k].name),
    }


def measure(full: FullPool, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Return all trials of a pool, going on where the folder stops."""
    path = asked.out / f"{full.name}-{asked.model}.jsonl"
    done = path.read_text().splitlines() if path.exists() else []
    kept = [json.loads(line) for line in done if line.endswith("}")]
    # A line that was cut off by a kill is drawn again.
    path.write_text("".join(json.dumps(one) + "\n" for one in kept))
    with path.open("a") as file:
        for trial in range(len(kept), asked.trials):
            kept.append(one_trial(full, trial, asked.model))
            file.write(json.dumps(kept[-1]) + "\n")
            file.flush()
    return kept[: asked.trials]


def share(hits: list[bool]) -> str:
    """Return a share of trials with its 99 % Monte Carlo interval."""
    return shown(wilson(sum(hits), len(hits)))


def shown(figure: Figure) -> str:
    """Return a share with the ends of its interval."""
    return f"{figure.value:.3f} ({max(figure.low, 0.0):.3f}-{min(figure.high, 1.0):.3f})"


def median(found: list[int | None]) -> str:
    """Return the median label at which a shift was found."""
    value = float(np.median([np.inf if one is None else one for one in found]))
    return "-" if np.isinf(value) else f"{value:.0f}"


def figures(trials: list[dict[str, Any]]) -> dict[str, str]:
    """Return the figures of one pool by their names."""

    def alarms(key: str) -> str:
        return share([one[key] is not None for one in trials])

    def detected(key: str, after: int = 0, part: slice = slice(None)) -> str:
        hits = [[k is not None and k > after for k in one[key][part]] for one in trials]
        return shown(mean_figure(np.mean(hits, axis=1)))

    return {
        "quiet: overall test": alarms("quiet"),
        "quiet: any test": share([one["quiet_any"] for one in trials]),
        "quiet: scores of judges": share([one["quiet_scores"] for one in trials]),
        "quiet, tolerance 0: overall test": alarms("quiet_strict"),
        "at the end of the margin": alarms("edge"),
        "0.7 SD, within 150 labels": detected("large"),
        "0.7 SD up": detected("large", part=slice(0, None, 2)),
        "0.7 SD down": detected("large", part=slice(1, None, 2)),
        "0.7 SD, median label": median([k for one in trials for k in one["large"]]),
        "0.7 SD of the pool's errors": detected("large_true"),
        "0.5 SD, tolerance 0, within 150 labels": detected("small"),
        "0.5 SD of the pool's errors, tolerance 0": detected("small_true"),
        "0.7 SD after 500, within 400 more": detected("late", BEFORE),
        "one judge wrong: named": share([one["right_judge"] for one in trials]),
        "one judge wrong: another named": share([one["other_judge"] for one in trials]),
        "one judge wrong: its scores drift": share([one["right_scores"] for one in trials]),
    }


def table(found: dict[str, dict[str, str]]) -> list[str]:
    """Return a line for each figure and a column for each pool."""
    names = list(next(iter(found.values()))) if found else []
    return [
        f"| | {' | '.join(found)} |",
        "|---" * (len(found) + 1) + "|",
        *(f"| {name} | {' | '.join(one[name] for one in found.values())} |" for name in names),
    ]


def main() -> None:
    """Draw, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("monitoring"))
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", nargs="+", default=POOLS, help="pools")
    parser.add_argument("--model", default="ridge", help="outcome model of the calibration")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    if asked.quick:
        asked.trials = 25
    asked.out.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in asked.only:
        if not name.startswith("sim-") and not (asked.data / f"{name}.parquet").exists():
            print(f"skipped: {asked.data} lacks {name}.parquet; name its folder with --data")
            continue
        full = read_full(asked.data, name)
        found[name] = figures(measure(full, asked))
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
