"""The paper's protocol: every ablation on the same draws of every budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.experiments.plan import Plan
from bacon.replication.ablations import FULL, ablations
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.experiments.full_pool import FullPool
    from bacon.experiments.plan import Design
    from bacon.replication.study import Study

__all__ = ["OPEN", "Question", "configurations_of", "designs_of", "plan_of", "questions_of"]


@dataclass(frozen=True)
class Question:
    """A choice that the paper leaves open, as two configurations on the same draws.

    Parameters
    ----------
    title : str
        What is compared.
    ours, other : str
        Configurations; ratios are the first over the second.
    needs_groups : bool
        Whether it is about systems.
    makes : tuple of str
        The configurations it adds to the ablations, with ``{model}`` for the study's model.
    """

    title: str
    ours: str
    other: str
    needs_groups: bool = False
    makes: tuple[str, ...] = ()


OPEN = (
    Question(
        "fold models' mixture against one refit",
        FULL,
        "refit",
        makes=("refit:model={model},crossfit=refit,interval=t",),
    ),
    Question(
        "one model of all systems against one for each",
        FULL,
        "per-system",
        needs_groups=True,
        makes=("per-system:model={model},pooling=none,interval=t",),
    ),
    Question("stack against the single model", "bacon", FULL, makes=("bacon",)),
    Question(
        "skew-aware intervals against t",
        "skew-aware",
        FULL,
        makes=("skew-aware:model={model}",),
    ),
    Question("t and finite pool against the paper's recipe", FULL, "paper", makes=("paper",)),
    Question("cross-fitted against in-sample", FULL, "in-sample", makes=("in-sample",)),
)
"""Adaptive draws and the population are compared by draws of their own."""


def configurations_of(full: FullPool, model: str) -> list[str]:
    """Return the ablations as configurations, labels alone first.

    Parameters
    ----------
    full : FullPool
        The pool, which says what can be left out.
    model : str
        Outcome model of those that fit one.
    """
    found = [one.configuration(model) for one in ablations(full.pool)]
    return ["human-only", *(one for one in found if one != "human-only")]


def questions_of(full: FullPool, *, by_group: bool) -> list[Question]:
    """Return the open questions that a pool can answer.

    Parameters
    ----------
    full : FullPool
        The pool: without judges and embeddings there is nothing to ask, and in-sample models
        have means only.
    by_group : bool
        Whether systems are compared.
    """
    means = full.levels is None
    modelled = any(one.name == FULL for one in ablations(full.pool))
    return [
        one
        for one in OPEN
        if modelled and (by_group or not one.needs_groups) and (means or one.other != "in-sample")
    ]


def plan_of(
    study: Study,
    full: FullPool,
    configurations: Sequence[str],
    *,
    seed: int = 0,
    fresh: bool = False,
) -> Plan:
    """Return the plan of a part of a study.

    Parameters
    ----------
    study : Study
        The study, for its budgets and the kind of outcome.
    full : FullPool
        The part.
    configurations : sequence of str
        What is drawn.
    seed : int
        Seed of draws and folds.
    fresh : bool
        A new pool in every draw, for the population; then without groups.

    Raises
    ------
    InputError
        A budget, a configuration or the labels cannot be used.
    """
    return Plan(
        full,
        designs_of(full, study.budgets, grouped=not fresh),
        configurations,
        estimands=full.default_estimands(),
        outcome=study.outcome,
        seed=seed,
        by_group=study.by_group and not fresh,
        fresh=fresh,
    )


def designs_of(part: FullPool, budgets: tuple[float, ...], *, grouped: bool = True) -> list[Design]:
    """Return the draws of the budgets: the same share of every group, or of the pool.

    Parameters
    ----------
    part : FullPool
        The pool.
    budgets : tuple of float
        Shares of its items.
    grouped : bool
        Whether groups are drawn from one by one.

    Raises
    ------
    InputError
        A budget is less than two labels, or as many as another.
    """
    group, n_items = part.pool.group, part.pool.n_items
    designs: list[Design] = []
    sizes: dict[int, float] = {}
    for budget in budgets:
        n = round(budget * n_items)
        other = sizes.setdefault(n, budget)
        if other != budget:
            raise InputError(
                f"budgets of {other:g} and {budget:g} are both {n:,} of {n_items:,} items; leave "
                "one of them out."
            )
        if n < 2:
            raise InputError(
                f"a budget of {budget:g} is {n} of {n_items:,} items; a draw needs two labels."
            )
        if grouped and group is not None:
            designs.append(_of_groups(part, n, budget, group.name))
        else:
            designs.append(UniformDesign(n=n))
    return designs


def _of_groups(part: FullPool, n: int, budget: float, column: str) -> StratifiedDesign:
    """Return the draw of the same share of every group, refusing a share it cannot draw."""
    design = StratifiedDesign(n=n, strata=column)
    try:
        design.draw(part.pool, seed=0)
    except InputError as error:
        raise InputError(
            f"a budget of {budget:g} cannot be drawn from every value of {column}: {error}"
        ) from None
    return design
