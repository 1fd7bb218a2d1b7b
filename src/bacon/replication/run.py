"""A study from its pools to its report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bacon.experiments.figure_set import draw_figures
from bacon.experiments.plan import design_name
from bacon.experiments.run import simulate
from bacon.experiments.store import parquet
from bacon.files import make_folder, write_atomically
from bacon.replication.ablations import ablations
from bacon.replication.claims import claims_of
from bacon.replication.oracle import oracle_table, system_table, variance_table
from bacon.replication.protocol import configurations_of, plan_of, questions_of
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl

    from bacon.data.notice import Notice
    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Plan
    from bacon.experiments.run import Measured
    from bacon.replication.claims import Claim
    from bacon.replication.protocol import Question
    from bacon.replication.study import Study

__all__ = ["LONGEST", "How", "Part", "run_part"]

LONGEST = 60
"""Signs of an outcome's name in a line of progress."""

POPULATION = ("full",)
"""Configurations whose intervals for the population are counted on fresh pools."""


@dataclass(frozen=True)
class How:
    """How a study is drawn.

    Parameters
    ----------
    trials : int
        Draws of each budget.
    workers : int
        Processes; results are the same for any number.
    seed : int
        Seed of draws and folds.
    ask : bool
        Whether the questions that the paper leaves open are drawn as well.
    say, progress : callable
        Told of what begins, and of draws done and in all.
    """

    trials: int
    workers: int = 1
    seed: int = 0
    ask: bool = True
    say: Callable[[str], None] = lambda _: None
    progress: Callable[[int, int], None] | None = None

    def draw(self, plan: Plan, out: Path) -> Measured:
        """Draw a plan into a folder, or go on there; another pool has a folder of its own.

        A study is run again when its judges have answered, and draws are never mixed.
        """
        out = out.with_name(f"{out.name}-{plan.full.digest[:8]}")
        return simulate(
            plan, trials=self.trials, workers=self.workers, out=out, progress=self.progress
        )


@dataclass(frozen=True, eq=False)
class Part:
    """What was found of one outcome of a study.

    Parameters
    ----------
    full : FullPool
        The pool.
    shares : dict of str to float
        Budget of each design, by its name.
    oracle, variance, systems : polars.DataFrame or None
        Fit with all labels revealed; None where the pool has no such table.
    measured : Measured
        Ablations and open questions on the same draws.
    fresh : Measured or None
        The same with a new pool in every draw, for the population.
    questions : tuple of Question
        Open questions that were asked.
    claims : tuple of Claim
        What the draws are held to.
    figures : tuple of str
        Files of figures, in the part's folder.
    notices : tuple of Notice
        What a reader must know.
    """

    full: FullPool
    shares: dict[str, float]
    oracle: pl.DataFrame
    variance: pl.DataFrame | None
    systems: pl.DataFrame | None
    measured: Measured
    fresh: Measured | None
    questions: tuple[Question, ...]
    claims: tuple[Claim, ...]
    figures: tuple[str, ...]
    notices: tuple[Notice, ...]


def run_part(study: Study, full: FullPool, out: Path, how: How) -> Part:
    """Run everything about one outcome, or go on where it was stopped.

    Parameters
    ----------
    study : Study
        The study.
    full : FullPool
        The part of it.
    out : Path
        Folder of the part: draws, tables and figures go there.
    how : How
        How it is drawn.

    Raises
    ------
    InputError
        A budget, the model or the labels cannot be used, or draws there cannot be read.
    EstimationError
        A configuration failed in every draw of its first part.
    OutputError
        The folder cannot be made or written.
    """
    configurations = configurations_of(full, study.model)
    plan = plan_of(study, full, configurations, seed=how.seed)
    make_folder(out)
    whose = shown(full.name, LONGEST)
    how.say(f"{whose}: fit with all labels revealed")
    tables = _tables(study, full, how.seed)
    for name, table in tables.items():
        write_atomically(out / f"{name}.parquet", parquet(table), overwrite=True)
    how.say(f"{whose}: {', '.join(one.partition(':')[0] for one in configurations)}")
    measured = how.draw(plan, out / "draws")
    questions = questions_of(full, by_group=study.by_group) if how.ask else []
    fresh = None
    if questions:
        more = [made.format(model=study.model) for one in questions for made in one.makes]
        how.say(f"{whose}: open questions ({', '.join(one.partition(':')[0] for one in more)})")
        plan = replace(plan, configurations=[*configurations, *more])
        measured = how.draw(plan, out / "draws")
        how.say(f"{whose}: the population, with a new pool in every draw")
        asked = [one for one in (*configurations, *more) if one.partition(":")[0] in POPULATION]
        fresh_plan = plan_of(study, full, ["human-only", *asked], seed=how.seed, fresh=True)
        fresh = how.draw(fresh_plan, out / "population")
    shares = {
        design_name(design): budget
        for design, budget in zip(plan.designs, study.budgets, strict=True)
    }
    titles = {one.name: one.title for one in ablations(full.pool)}
    figures, told = draw_figures(measured, full, shares, out, titles=titles)
    notices = tuple(dict.fromkeys((*told, *measured.notices)))
    return Part(
        full=full,
        shares=shares,
        oracle=tables["oracle"],
        variance=tables.get("variance"),
        systems=tables.get("systems"),
        measured=measured,
        fresh=fresh,
        questions=tuple(questions),
        claims=tuple(claims_of(measured)),
        figures=figures,
        notices=notices,
    )


def _tables(study: Study, full: FullPool, seed: int) -> dict[str, pl.DataFrame]:
    """Return the tables about fit with all labels revealed."""
    found = {"oracle": oracle_table(full, study.model, outcome=study.outcome, seed=seed)}
    if full.levels is not None:
        return found
    variance = variance_table(full, outcome=study.outcome, seed=seed)
    if variance is not None:
        found["variance"] = variance
    if study.by_group:
        found["systems"] = system_table(full, study.model, outcome=study.outcome, seed=seed)
    return found
