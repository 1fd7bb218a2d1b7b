"""Stratified sampling: a simple random sample of fixed size in every stratum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import BoolArray, FloatArray, IntArray, read_only
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.random import stream
from bacon.sampling import allocation as allocate
from bacon.sampling.assemble import check_count, check_fits, make_sample, settled_seed
from bacon.sampling.columns import JUDGE_MEAN, numbers
from bacon.sampling.strata import quantile_count, strata_codes, strata_rule
from bacon.sampling.uniform import draw_without_replacement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.data.pool import Pool
    from bacon.data.sample import Sample, StrataRule

__all__ = ["StratifiedDesign", "draw_strata"]


def draw_strata(codes: IntArray, counts: IntArray, rng: np.random.Generator) -> IntArray:
    """Return positions drawn at random within strata, all in random order.

    Parameters
    ----------
    codes : (N,) int64
        Stratum 0..H-1 of each position.
    counts : (H,) int64
        Positions to draw from each stratum.
    rng : Generator
        Source of chance.
    """
    sizes = np.bincount(codes, minlength=len(counts))
    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    drawn = [
        of_stratum[draw_without_replacement(len(of_stratum), int(count), rng)]
        for of_stratum, count in zip(members, counts, strict=True)
    ]
    return rng.permutation(np.concatenate(drawn))


@dataclass(frozen=True)
class StratifiedDesign:
    """Stratified sampling: n items, shared out over strata before the draw.

    Parameters
    ----------
    n : int
        Number of items to draw in total.
    strata : str
        ``"col"``: every value of the column is a stratum. ``"col:k"``: k strata by quantiles
        of a numeric column, of a judge, or of ``judge_mean``, the average of the
        standardised judges.
    allocation : {"proportional", "neyman", "equal"}
        By stratum size; by size times spread; or the same number everywhere. Every stratum
        gets two items at least, or all it has.
    spread : str, optional
        Column or judge whose standard deviation within the strata guides ``"neyman"``;
        missing values are left out. None takes ``judge_mean``.

    Raises
    ------
    InputError
        An argument has no usable value.

    Examples
    --------
    >>> import bacon
    >>> pool = bacon.read_pool(
    ...     {"item_id": [1, 2, 3, 4], "judge_a": [2, 5, 3, 4], "topic": ["a", "a", "b", "b"]}
    ... )
    >>> sample = StratifiedDesign(n=4, strata="topic").draw(pool, seed=0)
    >>> sample.strata.names, sorted(sample.stratum.tolist())
    (('a', 'b'), [0, 0, 1, 1])
    """

    n: int
    strata: str
    allocation: str = "proportional"
    spread: str | None = None

    def __post_init__(self) -> None:
        check_count("n", self.n)
        if self.allocation not in ("proportional", "neyman", "equal"):
            raise InputError(
                f'allocation must be "proportional", "neyman" or "equal"; got {self.allocation!r}.'
            )
        if self.spread is not None and self.allocation != "neyman":
            raise InputError(f'spread guides allocation="neyman" only, not {self.allocation!r}.')

    def draw(self, pool: Pool, *, seed: int | None = None, hide: Sequence[str] = ()) -> Sample:
        """Draw a sample.

        Parameters
        ----------
        pool : Pool
            The items to draw from.
        seed : int, optional
            Seed; taken from the system and recorded where none is given.
        hide : sequence of str
            Columns raters must not see, beside the judges', the group and the probabilities.

        Returns
        -------
        Sample
            The items in random order, with their strata; pi = n_h / N_h.

        Raises
        ------
        InputError
            `n` is larger than the pool or too small for the strata, or a column is missing,
            incomplete or of the wrong kind.
        """
        seed = settled_seed(seed)
        n = int(self.n)
        check_fits("n", n, pool.n_items, "items of the pool")
        rule = strata_rule(pool, self.strata)
        codes = strata_codes(pool, rule)
        allocation, told = self._allocate(pool, rule, codes)
        positions = draw_strata(codes[pool.order], allocation.counts, stream(seed, "stratified"))
        rows = pool.order[positions]
        stratum = codes[rows]
        sample = make_sample(
            pool,
            rows,
            (allocation.counts / rule.sizes)[stratum],
            kind="stratified",
            parameters={
                "n": n,
                "strata": self.strata,
                "allocation": self.allocation,
                "spread": self.spread,
            },
            seed=seed,
            hide=hide,
            notices=(
                *_fewer_strata(quantile_count(pool, self.strata), rule),
                *told,
                *_bound_notices(rule, allocation),
            ),
        )
        return replace(sample, strata=rule, stratum=read_only(stratum))

    def _allocate(
        self, pool: Pool, rule: StrataRule, codes: IntArray
    ) -> tuple[allocate.Allocation, tuple[Notice, ...]]:
        n = int(self.n)
        if self.allocation == "proportional":
            return allocate.proportional(n, rule.sizes), ()
        if self.allocation == "equal":
            return allocate.equal(n, rule.sizes), ()
        guide = self.spread or JUDGE_MEAN
        values = numbers(pool, guide, role="the spread")
        # In the order of sorted ids, so that the order of rows does not enter a sum.
        spreads, unknown = within_spreads(values[pool.order], codes[pool.order], len(rule.names))
        return allocate.neyman(n, rule.sizes, spreads), _spread_notices(
            guide, rule, spreads, unknown
        )


def within_spreads(
    values: FloatArray, codes: IntArray, n_strata: int
) -> tuple[FloatArray, BoolArray]:
    """Return the standard deviation of `values` within each stratum.

    Parameters
    ----------
    values : (N,) float64
        Values, NaN where missing (left out).
    codes : (N,) int64
        Stratum of each.
    n_strata : int
        Number H of strata.

    Returns
    -------
    spreads : (H,) float64
        Standard deviations (divisor one less than the count), in units of the largest
        absolute value.
    unknown : (H,) bool
        Strata with fewer than two values, which got the mean of the known spreads.
    """
    present = ~np.isnan(values)
    kept, strata = values[present], codes[present]
    # Only ratios matter, and dividing by the largest keeps squares of huge values finite.
    largest = float(np.abs(kept).max()) if len(kept) else 0.0
    kept = kept / largest if largest > 0.0 else kept
    count = np.bincount(strata, minlength=n_strata)
    mean = np.bincount(strata, weights=kept, minlength=n_strata) / np.maximum(count, 1)
    squares = np.bincount(strata, weights=(kept - mean[strata]) ** 2, minlength=n_strata)
    spreads = np.sqrt(squares / np.maximum(count - 1, 1))
    unknown = count < 2
    if unknown.any() and not unknown.all():
        spreads[unknown] = spreads[~unknown].mean()
    # Rounding leaves a trace of spread where all values are equal.
    spreads[spreads < 1e-12] = 0.0
    return spreads, unknown


def _fewer_strata(wanted: int | None, rule: StrataRule) -> tuple[Notice, ...]:
    if wanted is None or wanted == len(rule.names):
        return ()
    message = (
        f"{wanted} strata were asked for but equal values of {rule.column} cannot be parted: "
        f"there are {len(rule.names)}."
    )
    return (Notice("strata_fewer", message),)


def _spread_notices(
    guide: str, rule: StrataRule, spreads: FloatArray, unknown: BoolArray
) -> tuple[Notice, ...]:
    if not spreads.any():
        message = f"{guide} does not vary within any stratum, so the allocation is proportional."
        return (Notice("spread_none", message),)
    # A stratum of one item is drawn whole whatever its spread.
    strange = unknown & (rule.sizes > 1)
    if not strange.any():
        return ()
    message = (
        f"{guide} has fewer than two values in {_listed(rule, strange)}; the mean spread of the "
        "other strata was used there."
    )
    return (Notice("spread_unknown", message),)


def _bound_notices(rule: StrataRule, allocation: allocate.Allocation) -> tuple[Notice, ...]:
    notices = []
    if allocation.raised.any():
        message = (
            f"More than their share is drawn from {_listed(rule, allocation.raised)}, because a "
            f"stratum needs {allocate.SMALLEST} labels for its spread."
        )
        notices.append(Notice("allocation_raised", message))
    if allocation.capped.any():
        message = f"The whole of {_listed(rule, allocation.capped)} is drawn, less than its share."
        notices.append(Notice("allocation_capped", message))
    return tuple(notices)


def _listed(rule: StrataRule, chosen: BoolArray) -> str:
    names = [rule.names[h] for h in np.flatnonzero(chosen)]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    word = "stratum" if len(names) == 1 else "strata"
    return f"{word} {', '.join(names[:3])}{more}"
