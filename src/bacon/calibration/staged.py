"""The design of labels that were drawn in stages, some of which may have no answer yet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.notice import Notice
from bacon.data.survey_design import SurveyDesign
from bacon.errors import DesignError
from bacon.sampling.batches import batch_weights

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.data.stages import Stages
    from bacon.data.survey_design import DesignKind

__all__ = ["answered_stages", "everyones_chance", "staged_design"]


def answered_stages(sample: Sample, positions: IntArray) -> tuple[Sample, tuple[Notice, ...]]:
    """Return the sample without a second stage that has no answer yet, and tell of it.

    Parameters
    ----------
    sample : Sample
        Drawn at once or in stages.
    positions : (m,) int64
        Answered items among the drawn ones.

    Raises
    ------
    DesignError
        Another stage has no answer at all.
    """
    stages = sample.stages
    if stages is None:
        return sample, ()
    lacking = np.flatnonzero(np.bincount(stages.stage[positions], minlength=stages.n_stages) == 0)
    if not len(lacking):
        return sample, ()
    if stages.everyone is None or lacking[0] == 0:
        which = "pilot" if lacking[0] == 0 else f"stage number {lacking[0] + 1}"
        raise DesignError(
            f"no item of the {which} has a label; give the labels of all stages together, or the "
            "sample as it was before that stage was drawn."
        )
    pilot = stages.stage == 0
    told = Notice(
        "stage_unanswered",
        f"The second stage ({int((~pilot).sum()):,} items) has no label yet: the estimate rests "
        "on the pilot alone.",
    )
    # The pilot is a simple random sample of its own.
    chance = stages.chance[pilot]
    alone = replace(sample, kind="uniform", ids=sample.ids[pilot], pi=chance, stages=None)
    return alone, (told,)


def staged_design(
    pool: Pool, sample: Sample, stages: Stages, rows: IntArray, positions: IntArray
) -> SurveyDesign:
    """Return the design of answered items, which speak for the others drawn in their stage.

    Parameters
    ----------
    rows : (m,) int64
        Answered pool rows, ascending.
    positions : (m,) int64
        Their positions among the drawn items.

    Notes
    -----
    Of two stages an item's chance to be drawn and answered is p rho_0 + (1 - p) sigma rho_1, rho_b
    the answered share of a stage. Without an answer in the second stage, a simple pilot is left.
    """
    n_items = pool.n_items
    kind: DesignKind = "fixed" if sample.parameters.get("method") == "systematic" else "poisson"
    if len(rows) == n_items:
        return SurveyDesign(kind, n_items, rows, np.ones(n_items))
    rates = _answered_shares(stages, positions)
    if stages.everyone is not None:
        pi = _joint(sample.pi, float(stages.chance[0]), rates)[positions]
        return SurveyDesign(kind, n_items, rows, np.minimum(pi, 1.0))
    batch, chance = stages.batch[positions], stages.chance[positions]
    weight, unseen = batch_weights(batch, chance, np.array(stages.shares))
    rate = rates[stages.stage[positions]]
    return SurveyDesign(
        kind, n_items, rows, rate / weight, batch_unseen=1.0 - (1.0 - unseen) * rate
    )


def everyones_chance(
    pool: Pool, sample: Sample, stages: Stages, drawn: IntArray, positions: IntArray
) -> FloatArray | None:
    """Return the chance (N,) of every item to be drawn and answered; None of batches.

    Raises
    ------
    DesignError
        The chances of all items are not those of the drawn ones.
    """
    if stages.everyone is None:
        return None
    e = np.empty(pool.n_items)
    e[pool.order] = stages.everyone
    later = stages.stage > 0
    if not np.allclose(e[drawn][later], sample.pi[later], rtol=1e-9):
        raise DesignError(
            "the sample's chances of all items do not fit those of the drawn ones: the design "
            "file is not as it was written, so take it from a copy or draw again with the same "
            "seeds."
        )
    rates = _answered_shares(stages, positions)
    return np.minimum(_joint(e, float(stages.chance[0]), rates), 1.0)


def _answered_shares(stages: Stages, positions: IntArray) -> FloatArray:
    """Return the answered share rho_b (B,) of each stage."""
    drawn = np.bincount(stages.stage, minlength=stages.n_stages)
    answered = np.bincount(stages.stage[positions], minlength=stages.n_stages)
    return np.asarray(answered / drawn)


def _joint(e: FloatArray, p: float, rates: FloatArray) -> FloatArray:
    """Return p rho_0 + (1 - p) sigma rho_1 for chances e = p + (1 - p) sigma."""
    return np.asarray(p * rates[0] + (e - p) * rates[1])
