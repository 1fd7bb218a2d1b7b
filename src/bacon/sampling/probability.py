"""Items with probabilities of their own: independent draws, or a fixed size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bacon.checks import check_vector, first_row
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.random import stream
from bacon.sampling.assemble import check_count, check_fits, make_sample, settled_seed
from bacon.sampling.columns import numbers
from bacon.sampling.uniform import draw_independent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["ProbabilityDesign", "draw_systematic", "scale_to_size"]


def scale_to_size(sizes: FloatArray, n: int) -> tuple[FloatArray, BoolArray]:
    """Return inclusion probabilities in proportion to `sizes` that sum to `n`.

    Parameters
    ----------
    sizes : (N,) float64
        Positive numbers; only their ratios matter.
    n : int
        Sum wanted, at most N.

    Returns
    -------
    pi : (N,) float64
        Probabilities in (0, 1].
    certain : (N,) bool
        Items that came out above 1 and were set to 1, the rest being scaled again.

    Examples
    --------
    >>> import numpy as np
    >>> pi, certain = scale_to_size(np.array([10.0, 1.0, 1.0, 2.0]), 3)
    >>> pi.tolist(), certain.tolist()
    ([1.0, 0.5, 0.5, 1.0], [True, False, False, False])
    """
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        pi = np.ones(len(sizes))
        rest = ~certain
        pi[rest] = sizes[rest] / sizes[rest].sum() * (n - certain.sum())
        # The margin keeps a probability of exactly 1 from counting as above it.
        above = pi > 1.0 + 1e-12
        if not above.any():
            return np.minimum(pi, 1.0), certain
        certain |= above


def draw_systematic(pi: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw by equal steps along a randomly ordered list.

    Parameters
    ----------
    pi : (N,) float64
        Inclusion probabilities in (0, 1].
    rng : Generator
        Source of chance.

    Returns
    -------
    (m,) int64
        Positions drawn, in random order. m is the sum of `pi`, or one of the two whole
        numbers next to it.

    Notes
    -----
    An item is drawn when a whole number plus the random start falls on its stretch of the
    cumulated probabilities: Madow (1949); Tillé, Sampling Algorithms (2006), section 7.1.
    """
    listed = rng.permutation(len(pi))
    reached = np.cumsum(pi[listed])
    total = reached[-1]
    if math.isclose(total, round(total), rel_tol=1e-9, abs_tol=1e-9):
        # Rounding in the sum must not change a size that is fixed by design.
        reached *= round(total) / total
        reached[-1] = round(total)
    steps = np.ceil(reached - rng.random())
    return rng.permutation(listed[np.diff(steps, prepend=0.0) > 0.0])


@dataclass(frozen=True, eq=False)
class ProbabilityDesign:
    """Sampling with given inclusion probabilities.

    Parameters
    ----------
    pi : str or (N,) array_like, optional
        Column of the pool, or one probability an item in the order of the pool's rows.
        None takes the probabilities the pool was read with.
    n : int, optional
        Scale the probabilities to sum to n; those that come out above 1 are set to 1 and
        the rest is scaled again. None takes them as they are.
    method : {"systematic", "poisson"}
        A fixed size, by steps along a randomly ordered list; or independent draws.

    Raises
    ------
    InputError
        `n` is not a whole number from 1 up, or the method is unknown.

    Examples
    --------
    >>> import bacon
    >>> pool = bacon.read_pool({"item_id": [1, 2, 3, 4], "judge_a": [2.0, 5.0, 3.0, 4.0]})
    >>> sample = ProbabilityDesign(pi=[0.1, 0.2, 0.3, 0.4], n=2).draw(pool, seed=0)
    >>> sample.n_drawn
    2
    """

    pi: str | npt.ArrayLike | None = None
    n: int | None = None
    method: str = "systematic"

    def __post_init__(self) -> None:
        if self.n is not None:
            check_count("n", self.n)
        if self.method not in ("systematic", "poisson"):
            raise InputError(f'method must be "systematic" or "poisson"; got {self.method!r}.')

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
            The items in random order, with their probabilities.

        Raises
        ------
        InputError
            A probability is missing, 0, negative or above 1, `n` is larger than the pool, or
            no item was drawn.
        """
        seed = settled_seed(seed)
        name = self._given(pool)[0]
        pi, notices = self.chances(pool)
        ordered = pi[pool.order]
        rng = stream(seed, self.method)
        drawing = draw_systematic if self.method == "systematic" else draw_independent
        rows = pool.order[drawing(ordered, rng)]
        shown_in_table = [name] if name in pool.table.columns else []
        return make_sample(
            pool,
            rows,
            pi[rows],
            kind=self.method,
            parameters={
                "pi": name if self.pi is None or isinstance(self.pi, str) else "array",
                "n": None if self.n is None else int(self.n),
                "method": self.method,
            },
            seed=seed,
            hide=[*([hide] if isinstance(hide, str) else hide), *shown_in_table],
            notices=notices,
        )

    def chances(self, pool: Pool) -> tuple[FloatArray, tuple[Notice, ...]]:
        """Return the inclusion probability (N,) of every item, and what scaling them did.

        Parameters
        ----------
        pool : Pool
            The items to draw from.

        Raises
        ------
        InputError
            A probability is missing, 0, negative or above 1, or `n` is larger than the pool.
        """
        name, given = self._given(pool)
        _refuse_improper(pool, name, given)
        if self.n is not None:
            check_fits("n", self.n, pool.n_items, "items of the pool")
            return _scaled(pool, name, given, int(self.n))
        if self.method == "systematic":
            return given, _size_notices(float(given[pool.order].sum()))
        return given, ()

    def _given(self, pool: Pool) -> tuple[str, FloatArray]:
        """Return the probabilities before scaling and what they are called."""
        if isinstance(self.pi, str):
            return self.pi, numbers(pool, self.pi, role="the probabilities")
        if self.pi is not None:
            return "pi", check_vector("pi", self.pi, length=pool.n_items, missing=True)
        if pool.pi is None:
            raise InputError(
                f"{pool.source} was read without inclusion probabilities; name their column "
                "with pi."
            )
        return pool.pi_name or "pi", pool.pi


def _refuse_improper(pool: Pool, name: str, pi: FloatArray) -> None:
    bad = ~((pi > 0.0) & (pi <= 1.0))
    if not bad.any():
        return
    row = first_row(bad)
    value = float(pi[row])
    if value == 0.0:
        why = "0, so the item can never be drawn and no claim covers it; drop it from the pool "
        why += "or give it a chance"
    elif math.isnan(value):
        why = "missing; every item needs its chance of being drawn"
    else:
        why = f"{value:g}, but a chance of being drawn lies above 0 and at most at 1; divide the "
        why += "column by its largest value if only the ratios matter"
    raise InputError(f"{pool.source} row {row + 1}, column {name}: the probability is {why}.")


def _scaled(
    pool: Pool, name: str, given: FloatArray, n: int
) -> tuple[FloatArray, tuple[Notice, ...]]:
    """Return the probabilities scaled to sum to `n`, and what that did."""
    # Summed in the order of sorted ids, so that the order of rows does not enter.
    scaled, certain = scale_to_size(given[pool.order], n)
    pi = np.empty_like(given)
    pi[pool.order] = scaled
    _refuse_improper(pool, name, pi)
    total = float(given[pool.order].sum())
    if math.isclose(total, n, rel_tol=1e-9):
        return pi, ()
    message = f"The probabilities summed to {total:,.4g} and were scaled to sum to {n:,}"
    if certain.any():
        message += "; what came out above 1 was set to 1, drawn for certain "
        message += f"({certain.sum():,} of {len(pi):,})"
    return pi, (Notice("probabilities_scaled", f"{message}."),)


def _size_notices(total: float) -> tuple[Notice, ...]:
    if math.isclose(total, round(total), rel_tol=1e-9, abs_tol=1e-9):
        return ()
    low = math.floor(total)
    message = (
        f"The probabilities sum to {total:,.4g}, so the sample has {low:,} or {low + 1:,} items."
    )
    return (Notice("size_not_whole", message),)
