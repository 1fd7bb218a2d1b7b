"""Every item with the same chance: a fixed number, or an independent draw of each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.data.sample import PARTS
from bacon.errors import InputError
from bacon.random import stream
from bacon.sampling.assemble import (
    check_count,
    check_fits,
    check_rate,
    make_sample,
    rows_drawn,
    settled_seed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["BernoulliDesign", "UniformDesign", "draw_independent", "draw_without_replacement"]


def draw_without_replacement(n_items: int, n: int, rng: np.random.Generator) -> IntArray:
    """Return `n` of the positions 0..n_items-1, every set equally likely, in random order."""
    return rng.choice(n_items, size=n, replace=False, shuffle=True).astype(np.int64)


def draw_independent(pi: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return the positions drawn when each is taken with its own chance `pi`, in random order."""
    return rng.permutation(np.flatnonzero(rng.random(len(pi)) < pi))


@dataclass(frozen=True)
class UniformDesign:
    """Simple random sampling: exactly n items, every set of n equally likely.

    Parameters
    ----------
    n : int, optional
        Number of items to draw.
    rate : float, optional
        Share of the pool to draw, in place of `n`; rounded to a whole number of items.

    Raises
    ------
    InputError
        Neither or both are given, or the value is no usable number.

    Examples
    --------
    >>> import bacon
    >>> pool = bacon.read_pool({"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0]})
    >>> sample = UniformDesign(n=2).draw(pool, seed=7)
    >>> sample.n_drawn, sample.pi.tolist()
    (2, [0.5, 0.5])
    """

    n: int | None = None
    rate: float | None = None

    def __post_init__(self) -> None:
        if (self.n is None) == (self.rate is None):
            raise InputError("give either n, the number of items to draw, or rate, their share.")
        if self.n is not None:
            check_count("n", self.n)
        else:
            check_rate(self.rate)

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
            The items in random order: any first part of them is itself a simple random sample.

        Raises
        ------
        InputError
            More items are asked for than there are, or the rate comes to less than one.
        """
        seed = settled_seed(seed)
        n = self._count(pool)
        positions = draw_without_replacement(pool.n_items, n, stream(seed, "uniform"))
        return make_sample(
            pool,
            pool.order[positions],
            np.full(n, n / pool.n_items),
            kind="uniform",
            parameters={"n": n, "rate": None if self.rate is None else float(self.rate)},
            seed=seed,
            hide=hide,
        )

    def extend(self, before: Sample, pool: Pool, *, hide: Sequence[str] = ()) -> Sample:
        """Draw more items after those of an earlier uniform draw.

        What is added is a simple random sample of the items that were not drawn, so all of them
        together are one of the pool, and in random order.

        Parameters
        ----------
        before : Sample
            The draw so far.
        pool : Pool
            The pool it was drawn from.
        hide : sequence of str
            Columns raters must not see, beside the judges', the group and the probabilities.

        Returns
        -------
        Sample
            `n` items in all, those of `before` first. The seed is that of `before`; the
            parameter ``drawn`` has the sizes of the parts, such as ``"100+60"``.

        Raises
        ------
        InputError
            `before` is no uniform draw, has as many items already, or the pool has fewer.
        DesignError
            `before` was drawn from another pool.

        Examples
        --------
        >>> import bacon
        >>> pool = bacon.read_pool({"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0]})
        >>> first = UniformDesign(n=2).draw(pool, seed=7)
        >>> longer = UniformDesign(n=3).extend(first, pool)
        >>> longer.ids[:2].tolist() == first.ids.tolist(), longer.pi.tolist()
        (True, [0.75, 0.75, 0.75])
        """
        if before.kind != "uniform":
            raise InputError(f"a draw of kind {before.kind} is not made longer; draw a new one.")
        n, had = self._count(pool), before.n_drawn
        if n <= had:
            raise InputError(
                f"n = {n:,} is the number of items in all, and {had:,} are drawn already; give a "
                "larger one."
            )
        first = rows_drawn(pool, before)
        # In the order of the ids, so that the order of the rows does not matter.
        left = pool.order[~np.isin(pool.order, first)]
        more = draw_without_replacement(
            len(left), n - had, stream(before.seed, f"uniform after {had}")
        )
        parts = before.parameters.get(PARTS, had)
        return make_sample(
            pool,
            np.concatenate([first, left[more]]),
            np.full(n, n / pool.n_items),
            kind="uniform",
            parameters={
                "n": n,
                "rate": None if self.rate is None else float(self.rate),
                PARTS: f"{parts}+{n - had}",
            },
            seed=before.seed,
            hide=hide,
        )

    def _count(self, pool: Pool) -> int:
        if self.rate is None:
            n = int(self.n or 0)
            check_fits("n", n, pool.n_items, "items of the pool")
            return n
        n = round(self.rate * pool.n_items)
        if n < 1:
            raise InputError(
                f"rate = {self.rate:g} of {pool.n_items:,} items is less than one; raise the rate."
            )
        return n


@dataclass(frozen=True)
class BernoulliDesign:
    """Every item is drawn independently with the same chance, so the number varies.

    Parameters
    ----------
    rate : float
        Chance of each item, above 0 and at most 1.

    Raises
    ------
    InputError
        The rate is no such number.

    Examples
    --------
    >>> import bacon
    >>> pool = bacon.read_pool({"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0]})
    >>> BernoulliDesign(rate=0.5).draw(pool, seed=1).pi[0].item()
    0.5
    """

    rate: float

    def __post_init__(self) -> None:
        check_rate(self.rate)

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
            The items in random order.

        Raises
        ------
        InputError
            No item was drawn.
        """
        seed = settled_seed(seed)
        rate = float(self.rate)
        positions = draw_independent(np.full(pool.n_items, rate), stream(seed, "bernoulli"))
        return make_sample(
            pool,
            pool.order[positions],
            np.full(len(positions), rate),
            kind="bernoulli",
            parameters={"rate": rate},
            seed=seed,
            hide=hide,
        )
