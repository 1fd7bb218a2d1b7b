"""The stages after a pilot: chances from the hardness, the draw, and the weights of all labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.checks import check_vector, first_row
from bacon.data.hardness import Hardness
from bacon.data.notice import Notice
from bacon.data.stages import Stages
from bacon.errors import DesignError, InputError
from bacon.random import stream
from bacon.sampling.assemble import make_sample, rows_drawn
from bacon.sampling.batches import batch_weights
from bacon.sampling.budget import Bounds, joint_probabilities, second_stage
from bacon.sampling.columns import categories
from bacon.sampling.probability import draw_systematic
from bacon.sampling.uniform import draw_independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.sampling.two_stage import TwoStageDesign

__all__ = ["extended"]

EVEN = 1.005
"""Largest weight over the average one, below which weights are as good as equal."""

BATCH_FLOOR = 0.1
"""Least chance of an item in a third or later stage, as a share of the average one: there no pilot
keeps weights down."""


def extended(
    design: TwoStageDesign,
    pool: Pool,
    before: Sample,
    hardness: Hardness | npt.ArrayLike,
    seed: int,
    hide: Sequence[str],
) -> Sample:
    """Return the sample with one more stage; see TwoStageDesign.extend."""
    old = _rows_before(pool, before)
    hard = _checked(pool, hardness)
    if len(old) >= design.rate * pool.n_items:
        raise InputError(
            f"{len(old):,} of {pool.n_items:,} items are drawn already, which is the whole "
            f"budget of rate = {design.rate:g}; raise the rate."
        )
    if before.stages is None:
        new, pi, stages = _second(design, pool, float(before.pi[0]), old, hard, seed)
    else:
        new, pi, stages = _further(design, pool, before, old, hard, seed)
    made = make_sample(
        pool,
        np.concatenate([old, new]),
        pi,
        kind="batches" if stages.everyone is None else "two-stage",
        parameters={
            **design.settings(),
            "hardness": hard.model,
            "uniform_share": float(hard.uniform_share),
            "seed_before": before.seed,
        },
        seed=seed,
        hide=hide,
        notices=(*hard.notices, *_weights_told(pi)),
    )
    sheet = None if made.sheet is None else made.sheet[len(old) :]
    return replace(made, stages=stages, sheet=sheet)


def _bounds(design: TwoStageDesign, pool: Pool, rows: IntArray, floor: float) -> Bounds:
    """Return floors and caps, with the groups of `rows`."""
    if design.groups is None:
        return Bounds(floor, design.cap)
    codes = categories(pool, design.groups, role="the groups")[0]
    return Bounds(floor, design.cap, codes[rows], design.least)


def _second(
    design: TwoStageDesign, pool: Pool, p: float, old: IntArray, hard: Hardness, seed: int
) -> tuple[IntArray, FloatArray, Stages]:
    """Return the rows of the second stage, the chances of all drawn to be in either, the stages."""
    bounds = _bounds(design, pool, pool.order, design.floor)

    def chances(values: FloatArray) -> FloatArray:
        """Return e (N,) in the order of rows, summed in the order of sorted ids."""
        e = np.empty(pool.n_items)
        ordered = values[pool.order]
        e[pool.order] = joint_probabilities(ordered, rate=design.rate, pilot=p, bounds=bounds)
        return e

    e = chances(hard.drawing)
    sigma = second_stage(e, p)
    new = _drawn(design.method, pool, sigma, old, seed)
    fold = np.full(len(old) + len(new), -1, dtype=np.int64)
    pi = e[np.concatenate([old, new])]
    if hard.held_out is not None and hard.fold is not None:
        fold[: len(old)] = hard.fold[old]
        for k, values in enumerate(hard.held_out):
            own = np.flatnonzero(fold == k)
            if len(own):
                pi[own] = chances(values)[old[own]]
    stages = Stages(
        stage=np.repeat([0, 1], [len(old), len(new)]),
        chance=np.concatenate([np.full(len(old), p), sigma[new]]),
        fold=fold,
        everyone=e[pool.order],
    )
    return new, pi, stages


def _further(
    design: TwoStageDesign, pool: Pool, before: Sample, old: IntArray, hard: Hardness, seed: int
) -> tuple[IntArray, FloatArray, Stages]:
    """Return the rows of a third or later stage, one over the weights of all drawn, the stages.

    What is left of the pool is a pool of its own, of which nothing is drawn yet.
    """
    stages = before.stages
    if stages is None:
        raise ValueError("the sample has no stages")
    rows = _left(pool, old)
    wanted = design.rate * pool.n_items - len(old)
    chance = joint_probabilities(
        hard.drawing[rows],
        rate=wanted / len(rows),
        pilot=0.0,
        bounds=_bounds(design, pool, rows, max(design.floor, BATCH_FLOOR)),
    )
    sigma = np.zeros(pool.n_items)
    sigma[rows] = chance
    new = _drawn(design.method, pool, sigma, old, seed)
    expected = np.array([*(np.array(stages.shares) * len(old)), wanted])
    shares = expected / expected.sum()
    made = Stages(
        stage=np.concatenate([stages.stage, np.full(len(new), stages.n_stages)]),
        chance=np.concatenate([_of_batch(before, stages), sigma[new]]),
        fold=np.concatenate([stages.fold, np.full(len(new), -1, dtype=np.int64)]),
        shares=tuple(shares.tolist()),
    )
    return new, 1.0 / batch_weights(made.batch, made.chance, shares)[0], made


def _of_batch(sample: Sample, stages: Stages) -> FloatArray:
    """Return the chance (m,) of each drawn item to be in its batch."""
    return sample.pi if stages.everyone is not None else stages.chance


def _left(pool: Pool, old: IntArray) -> IntArray:
    """Return the rows not drawn before, in the order of sorted ids."""
    free: BoolArray = np.ones(pool.n_items, dtype=bool)
    free[old] = False
    return pool.order[free[pool.order]]


def _drawn(method: str, pool: Pool, sigma: FloatArray, old: IntArray, seed: int) -> IntArray:
    """Return the rows that a stage draws among those not drawn before."""
    rows = _left(pool, old)
    rows = rows[sigma[rows] > 0.0]
    rng = stream(seed, f"stage {method}")
    drawing = draw_systematic if method == "systematic" else draw_independent
    new = rows[drawing(sigma[rows], rng)] if len(rows) else rows
    if len(new) == 0:
        raise InputError(
            f"seed {seed} draws no further item: what is left of the budget is too small for "
            "this pool; raise the rate, or keep what is drawn."
        )
    return new


def _rows_before(pool: Pool, sample: Sample) -> IntArray:
    """Return the pool rows (m,) of the items drawn before, in their order."""
    rows = rows_drawn(pool, sample)
    if sample.stages is None and sample.kind not in ("uniform", "bernoulli"):
        raise DesignError(
            f"a {sample.kind} draw cannot be extended: every item needs the same chance to be in "
            "the pilot. Draw the pilot with design two-stage or uniform."
        )
    return rows


def _checked(pool: Pool, hardness: Hardness | npt.ArrayLike) -> Hardness:
    """Return the hardness, refusing values that cannot be drawn by."""
    hard = hardness
    if not isinstance(hard, Hardness):
        hard = Hardness(check_vector("hardness", hard, length=pool.n_items, missing=True))
    vectors = [hard.drawing, *([] if hard.held_out is None else list(hard.held_out))]
    for values in vectors:
        if values.shape != (pool.n_items,):
            raise InputError(
                f"hardness has {len(values):,} values for a pool of {pool.n_items:,} items; give "
                "one an item, in the order of the pool's rows."
            )
        bad = ~(np.isfinite(values) & (values > 0.0))
        if bad.any():
            row = first_row(bad)
            raise InputError(
                f"hardness of row {row + 1} is {float(values[row]):g}, but it has to be a finite "
                "number above 0; give easy items a small one."
            )
    return hard


def _weights_told(pi: FloatArray) -> tuple[Notice, ...]:
    """Tell how unequal the weights are, if they are."""
    w = 1.0 / pi
    largest = float(w.max() / w.mean())
    if largest < EVEN:
        return ()
    ess = float(w.sum()) ** 2 / float(w @ w)
    told = (
        f"Weights 1/e differ: the largest is {largest:.3g} times the average, and the "
        f"{len(pi):,} items weigh as unevenly as {ess:,.0f} equal ones. Harder items weigh less, "
        "so that the error of the mean may be smaller all the same."
    )
    return (Notice("unequal_weights", told),)
