"""Which parts of a pool are used: the ablations of the paper, as configurations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import read_only
from bacon.features.columns import run_mean
from bacon.judge_scores import spread_of_present

if TYPE_CHECKING:
    from bacon.data.pool import Judge, Pool

__all__ = ["FULL", "Ablation", "ablations", "has_runs", "with_log_variance"]

FULL = "full"
EPSILON = 1e-8
"""What the paper adds to a variance before it takes the logarithm."""


@dataclass(frozen=True)
class Ablation:
    """One way of using what is known of the items.

    Parameters
    ----------
    name : str
        Name of the configuration.
    title : str
        Its row in tables.
    use : str or None
        As :func:`bacon.experiments.ablation.ablated` takes it; None where no model is fitted.
    """

    name: str
    title: str
    use: str | None = None

    def configuration(self, model: str) -> str:
        """Return it as the experiments take it, with t intervals as in the paper's figures."""
        if self.use is None:
            return self.name
        return f"{self.name}:model={model},use={self.use},interval=t"


def ablations(pool: Pool) -> tuple[Ablation, ...]:
    """Return the ablations that a pool allows, the fullest first.

    Everything, without embeddings, embeddings alone; labels alone, which is the paper's
    intercept-only model, and the judges' raw average.
    """
    found = []
    has_judges, has_embeddings = bool(pool.judges), pool.embeddings is not None
    if has_judges or has_embeddings:
        found.append(Ablation(FULL, "all judges + embeddings" if has_embeddings else "all", "all"))
    if has_judges and has_embeddings:
        beside = [word for word, there in _beside(pool).items() if there]
        use = "+".join(["judges", *beside])
        found.append(Ablation("judges", "all judges, no embeddings", use))
        found.append(Ablation("embeddings", "embeddings only", "embeddings"))
    found.append(Ablation("human-only", "intercept only (labels alone)"))
    if has_judges:
        found.append(Ablation("raw-judges", "raw average of the judges"))
    return tuple(found)


def _beside(pool: Pool) -> dict[str, bool]:
    """Return what is used beside the judges wherever they are."""
    return {"features": bool(pool.feature_names), "text": pool.text is not None}


def has_runs(pool: Pool) -> bool:
    """Whether a judge was asked more than once, so that its runs have a variance."""
    return any(not one.is_text and len(one.runs) > 1 for one in pool.judges)


def with_log_variance(pool: Pool) -> Pool:
    """Return the pool with log(variance of runs + 1e-8) as features in place of what BACON makes.

    The paper's first encoding (appendix A.1). Each judge is left with the mean of its runs, so
    that no spread is derived from them.
    """
    varied = [one for one in pool.judges if not one.is_text and len(one.runs) > 1]
    logs = [np.log(spread_of_present(one.scores) ** 2 + EPSILON) for one in varied]
    names = [f"log variance of {one.name}" for one in varied]
    return replace(
        pool,
        judges=tuple(_averaged(one) if one in varied else one for one in pool.judges),
        features=read_only(np.column_stack([pool.features, *logs])),
        feature_names=(*pool.feature_names, *names),
    )


def _averaged(judge: Judge) -> Judge:
    """Return a judge with one run: the mean of its runs."""
    return replace(
        judge, runs=judge.runs[:1], scores=read_only(run_mean(judge)[:, None]), uncertainty=()
    )
