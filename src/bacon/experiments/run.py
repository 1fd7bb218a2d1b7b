"""Running an experiment: draws spread over processes, kept as they are made, until enough."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.experiments.ranking import summarise_groups
from bacon.experiments.store import CHUNK, RECORD, Store, open_store
from bacon.experiments.summary import summarise, trials_wanted
from bacon.experiments.workers import Job, run_jobs
from bacon.words import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from bacon.experiments.plan import Design, Plan

__all__ = ["Measured", "Precision", "kept", "simulate"]

LONGEST = 60
"""Signs of a group's name in a notice."""

MOST_TRIALS = 1_000_000
"""More draws than an error of coverage of 0.0006 (99 %) takes; beyond it a slip of the keys."""


@dataclass(frozen=True)
class Precision:
    """How narrow the 99 % Monte Carlo intervals are to be, by half their width.

    Parameters
    ----------
    coverage : float
        Of every coverage.
    ratio : float
        Of every ratio to the labels alone.
    max_trials : int
        Most draws of a design.
    """

    coverage: float = 0.015
    ratio: float = 0.03
    max_trials: int = 4_000


@dataclass(frozen=True, eq=False)
class Measured:
    """What an experiment measured.

    Parameters
    ----------
    results : polars.DataFrame
        One row per trial, configuration, estimand and group.
    timing : polars.DataFrame
        CPU seconds of each configuration and trial.
    summary : polars.DataFrame
        One row per design, configuration, estimand and group.
    ranking : polars.DataFrame
        One row per design, configuration and estimand about all groups together; empty where
        no groups were asked for.
    notices : tuple of Notice
        What a reader must know.
    """

    results: pl.DataFrame
    timing: pl.DataFrame
    summary: pl.DataFrame
    ranking: pl.DataFrame
    notices: tuple[Notice, ...] = ()


def simulate(
    plan: Plan,
    *,
    trials: int = 200,
    workers: int = 1,
    out: Path | str | None = None,
    precision: Precision | None = None,
    again: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Run an experiment, or go on with one that was stopped.

    Parameters
    ----------
    plan : Plan
        The experiment.
    trials : int
        Draws of each design.
    workers : int
        Processes; results are the same for any number.
    out : path, optional
        Folder that keeps the draws, so that the same call goes on where one was stopped; a
        temporary one by default.
    precision : Precision, optional
        Draw on after `trials` until this is reached.
    again : sequence of str
        Configurations whose draws in `out` are to be made again.
    progress : callable, optional
        Told of trials done and trials in all.

    Returns
    -------
    Measured

    Raises
    ------
    InputError
        A setting cannot be used, or `out` holds another experiment.
    EstimationError
        A configuration failed in every draw, or a process was ended from outside.

    Examples
    --------
    >>> import bacon
    >>> from bacon.experiments.plan import Plan
    >>> from bacon.experiments.simulators import simulated_pool
    >>> plan = Plan(simulated_pool("ordinal"), [bacon.UniformDesign(n=50)], ["human-only"])
    >>> simulate(plan, trials=10).summary["trials"].item()
    10
    """
    for name, value in (("trials", trials), ("workers", workers)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a whole number from 1 up; got {value!r}.")
    most = max(trials, 0 if precision is None else precision.max_trials)
    if most > MOST_TRIALS:
        raise InputError(f"{most:,} draws are more than {MOST_TRIALS:,}; take fewer trials.")
    if precision is not None and precision.max_trials < 1:
        raise InputError(
            f"the most trials must be a whole number from 1 up; got {precision.max_trials}."
        )
    if out is None:
        with tempfile.TemporaryDirectory(prefix="bacon-") as folder:
            store = Store(Path(folder))
            return _measured(plan, store, _draw(plan, store, trials, workers, precision, progress))
    store = open_store(Path(out), plan, again=again)
    measured = _measured(plan, store, _draw(plan, store, trials, workers, precision, progress))
    store.finish(
        results=measured.results,
        timing=measured.timing,
        summary=measured.summary,
        ranking=measured.ranking,
    )
    return measured


def kept(plan: Plan, out: Path | str) -> Measured:
    """Return what the draws kept in `out` show, without drawing; refused where there are none."""
    if not Path(out, RECORD).is_file():
        raise InputError(f"{out} holds no experiment; name the folder of one.")
    store = open_store(Path(out), plan, reading=True)
    return _measured(plan, store, dict.fromkeys(range(len(plan.designs))))


def _draw(
    plan: Plan,
    store: Store,
    trials: int,
    workers: int,
    precision: Precision | None,
    progress: Callable[[int, int], None] | None,
) -> dict[int, int | None]:
    """Draw until every design has what it needs, and return the trials of each."""
    wanted = dict.fromkeys(range(len(plan.designs)), trials)
    while True:
        jobs = [job for d, m in wanted.items() for job in _lacking(plan, store, d, m)]
        run_jobs(plan, store, jobs, workers=workers, progress=progress)
        if precision is None:
            return dict(wanted)
        more = {}
        for d, m in wanted.items():
            summary = summarise(_of_design(plan, store, plan.designs[d], m))
            enough = trials_wanted(
                summary, m, coverage=precision.coverage, ratio=precision.ratio, chunk=CHUNK
            )
            more[d] = max(m, min(enough, precision.max_trials))
        if more == wanted:
            return dict(wanted)
        wanted = more


def _lacking(plan: Plan, store: Store, design: int, n_trials: int) -> list[Job]:
    """Return the parts that are not there yet."""
    return [
        Job(design, c, start)
        for start in range(0, n_trials, CHUNK)
        for c, one in enumerate(plan.named)
        if not store.has(plan.designs[design], one, start)
    ]


def _of_design(plan: Plan, store: Store, design: Design, n_trials: int | None) -> pl.DataFrame:
    """Return the results of one design."""
    import polars as pl

    return pl.concat([store.read(design, one, n_trials) for one in plan.named])


def _measured(plan: Plan, store: Store, trials: dict[int, int | None]) -> Measured:
    """Put together what was drawn: the first `trials` of each design, all where None."""
    import polars as pl

    results = pl.concat([_of_design(plan, store, plan.designs[d], m) for d, m in trials.items()])
    if results.height == 0:
        raise InputError(f"{store.path} holds no draws of these designs and configurations yet.")
    timing = pl.concat(
        [
            store.read(plan.designs[d], one, m, timing=True)
            for d, m in trials.items()
            for one in plan.named
        ]
    )
    notices = (*plan.notices, *store.notices, *_refusals(results))
    return Measured(results, timing, summarise(results), summarise_groups(results), notices)


def _refusals(results: pl.DataFrame) -> list[Notice]:
    """Tell how often a configuration refused a draw, and why it did so first."""
    import polars as pl

    draws = ["configuration", "design", "group", "trial"]
    counts = (
        results.group_by(draws, maintain_order=True)
        .agg(pl.col("problem").drop_nulls().first())
        .group_by(draws[:-1], maintain_order=True)
        .agg(
            pl.col("problem").is_not_null().sum().alias("failed"),
            pl.len().alias("trials"),
            pl.col("problem").drop_nulls().first(),
        )
        .filter(pl.col("failed") > 0)
    )
    told: dict[tuple[str, str, bool], tuple[list[str], str]] = {}
    for row in counts.iter_rows(named=True):
        group = row["group"]
        whose = "" if group is None else f" of {shown(group, LONGEST)}"
        key = row["configuration"], row["design"], group is None
        often = f"{row['failed']:,} of {row['trials']:,} draws{whose}"
        told.setdefault(key, ([], row["problem"]))[0].append(often)
    return [
        Notice(
            "draws_refused",
            f"{name}, {design}: refused {listed(often, longest=LONGEST * 2)}, the first because: "
            f"{problem}",
        )
        for (name, design, _), (often, problem) in told.items()
    ]
