"""Every item with the same chance: a fixed number, or an independent draw of each item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.random import stream
from bacon.sampling.assemble import check_count, check_fits, check_rate, make_sample, settled_seed

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
