"""One draw after another: reveal its labels, ask a configuration, hold it against the truth."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.arrays import read_only
from bacon.data.sample import Sample
from bacon.errors import BaconError
from bacon.experiments.adaptive import everyones_chances
from bacon.experiments.answers import Answer, Said, as_said
from bacon.experiments.fit import Fit, design_variance, fit_to_truth, unequal_variance
from bacon.experiments.plan import design_name, is_simple, trial_seed
from bacon.experiments.schema import results_schema, timing_schema
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.arrays import FloatArray, IntArray
    from bacon.experiments.answers import Prediction
    from bacon.experiments.configurations import Named
    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Design, Plan

    Variance = Callable[[FloatArray, Prediction], float]

__all__ = ["run_trials"]


def run_trials(
    plan: Plan, design: Design, configuration: Named, trials: range
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Run trials of one design and configuration.

    Returns
    -------
    results : polars.DataFrame
        One row per trial, estimand and group, as :func:`results_schema` has it.
    timing : polars.DataFrame
        CPU seconds that the configuration took in each trial, apart from the results because
        no two runs agree on them.
    """
    import polars as pl

    rows: list[dict[str, Any]] = []
    times: list[dict[str, Any]] = []
    for trial in trials:
        full = plan.full_of(trial)
        seed = trial_seed(plan.seed, trial)
        drawn = plan.draw(design, full, seed)
        labelled = full.rows_of(drawn.sample)
        key = {
            "pool": full.name,
            "design": design_name(design),
            "trial": trial,
            "configuration": configuration.name,
        }
        parts = _parts(plan, configuration, full, drawn.sample, labelled)
        started = time.process_time()
        with _Where(f"trial {trial} of {design_name(design)}, configuration {configuration.name}"):
            answered = [
                (group, part, own, *_ask(plan, configuration, part, own, part_sample, seed))
                for group, part, own, part_sample in parts
                if drawn.problem is None
            ]
        if drawn.problem is not None:
            answered = [(None, full, labelled, _nothing(plan), drawn.problem)]
        times.append({**key, "cpu_seconds": time.process_time() - started})
        for group, part, own, said, problem in answered:
            record = {**key, "group": group, "problem": problem}
            variance = _by_design(design, part, own, drawn.sample, seed)
            rows += _rows(plan, part, own, said, record, variance=variance)
    return (
        pl.DataFrame(rows, schema=results_schema(), orient="row"),
        pl.DataFrame(times, schema=timing_schema(), orient="row"),
    )


@dataclass(frozen=True)
class _Where:
    """Adds to any error that leaves the block where it arose."""

    text: str

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """Add the note."""
        if error is not None:
            error.add_note(f"in {self.text}")


def _parts(
    plan: Plan, configuration: Named, full: FullPool, sample: Sample, labelled: IntArray
) -> list[tuple[str | None, FullPool, IntArray, Sample]]:
    """Return the pool and, where groups are asked for, each group with its part of the draw."""
    parts: list[tuple[str | None, FullPool, IntArray, Sample]] = [(None, full, labelled, sample)]
    if not plan.by_group or configuration.estimates_groups:
        return parts
    for name, (rows, part) in full.groups.items():
        own = np.flatnonzero(np.isin(rows, labelled))
        parts.append((name, part, own, _within(part, own, sample)))
    return parts


def _within(part: FullPool, own: IntArray, sample: Sample) -> Sample:
    """Return the draw inside a group: a simple one, given how many of its items were drawn."""
    return Sample(
        kind="uniform",
        parameters={"n": len(own), "rate": None},
        seed=sample.seed,
        n_items=part.pool.n_items,
        pool_fingerprint=part.pool.fingerprint,
        ids=read_only(part.pool.ids[own]),
        pi=read_only(np.full(len(own), len(own) / part.pool.n_items)),
    )


def _ask(
    plan: Plan, configuration: Named, full: FullPool, rows: IntArray, sample: Sample, seed: int
) -> tuple[Said, str | None]:
    """Return what the configuration says, or why it refused."""
    try:
        returned = configuration.run(full.pool, full.labels(rows), sample, seed)
        return (
            as_said(
                returned,
                plan.estimands,
                level=plan.level,
                joint_level=plan.asked.joint_level,
                interval=configuration.interval,
                by=_group_column(plan, configuration),
                pooling=configuration.pooling,
            ),
            None,
        )
    except BaconError as error:
        return _nothing(plan), str(error)


def _nothing(plan: Plan) -> Said:
    """Return what is said of a draw that was refused."""
    return Said({(name, None): Answer(math.nan) for name in plan.estimands})


def _by_design(
    design: Design, part: FullPool, own: IntArray, sample: Sample, seed: int
) -> Variance | None:
    """Return what gives the design variance of a prediction; None where there is no formula."""
    if is_simple(design):
        rng = stream(seed, "design variance")
        return lambda y, said: design_variance(y, own, said.f, said.models, rng)
    e = everyones_chances(part.pool, sample)
    if e is None:
        return None
    fixed = sample.parameters.get("method") == "systematic"
    return lambda y, said: unequal_variance(y, said.f, said.models, e, fixed=fixed)


def _group_column(plan: Plan, configuration: Named) -> str | None:
    """Return the column of the groups that a calibration is asked about."""
    group = plan.full.pool.group
    return group.name if plan.by_group and group and configuration.estimates_groups else None


def _rows(
    plan: Plan,
    full: FullPool,
    labelled: IntArray,
    said: Said,
    key: dict[str, Any],
    *,
    variance: Variance | None,
) -> list[dict[str, Any]]:
    """Return the rows of one pool or group."""
    found = []
    for (estimand, group), answer in said.answers.items():
        whose = full if group is None else full.groups[group][1]
        truth = whose.truth(estimand)
        population = whose.population.get(estimand) if plan.fresh else None
        fit, spread = Fit(), math.nan
        prediction = None if group is not None else said.predictions.get(estimand)
        if prediction is not None:
            outcome = full.outcome_of(estimand)
            fit = fit_to_truth(prediction.f, outcome)
            if variance is not None and prediction.is_augmented:
                spread = variance(outcome, prediction)
        row = {
            **key,
            "estimand": estimand,
            "n_items": whose.pool.n_items,
            "n_labels": len(labelled),
            "truth_pool": truth,
            "truth_population": population,
            "estimate": _known(answer.value),
            "error": _known(answer.value - truth),
            "r2": _known(fit.r2),
            "rmse": _known(fit.rmse),
            "spearman": _known(fit.spearman),
            "design_variance": _known(spread),
        }
        if group is not None:
            row["group"] = group
            row["n_labels"] = int(np.isin(full.groups[group][0], labelled).sum())
        if answer.ranks is not None:
            row.update(_rank_columns(full, estimand, truth, answer.ranks))
        row.update(_interval("pool", answer.se_pool, answer.pool, truth))
        row.update(_interval("population", answer.se_population, answer.population, population))
        row.update(_interval("joint", math.nan, answer.joint, truth, bare=True))
        found.append(row)
    return found


def _rank_columns(
    full: FullPool, estimand: str, truth: float, ranks: tuple[int, int]
) -> dict[str, Any]:
    """Return the columns of a group's rank set; equal true values may hold any of their ranks."""
    truths = np.array([part.truth(estimand) for _, part in full.groups.values()])
    first, last = 1 + int((truths > truth).sum()), len(truths) - int((truths < truth).sum())
    low, high = ranks
    return {"rank_low": low, "rank_high": high, "covered_rank": low <= last and first <= high}


def _interval(
    name: str,
    se: float,
    ends: tuple[float, float],
    truth: float | None,
    *,
    bare: bool = False,
) -> dict[str, Any]:
    """Return the columns of one interval, None where there is none."""
    low, high = ends
    missing = math.isnan(low) or math.isnan(high)
    found: dict[str, Any] = {
        f"low_{name}": None if missing else low,
        f"high_{name}": None if missing else high,
        f"covered_{name}": None if missing or truth is None else bool(low <= truth <= high),
    }
    if not bare:
        found[f"se_{name}"] = _known(se)
        found[f"width_{name}"] = None if missing else high - low
    return found


def _known(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if math.isnan(value) else value
