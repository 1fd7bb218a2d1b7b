"""Which group is best, and which ranks each could hold.

With all K (K - 1) / 2 differences held simultaneously, a group that is significantly behind b
others and ahead of w others has a rank from 1 + b to K - w; all these sets hold together with the
stated probability. The best is in a confidence set of its own: a group leaves it when some other
is ahead of it by a one-sided test at (1 - level) / (K - 1), so that the true best, which K - 1
others could only seem to beat, stays with the stated probability.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.checks import check_seed
from bacon.data.notice import Notice
from bacon.errors import EstimationError, InputError
from bacon.estimation.comparisons import POWER, Comparison, Comparisons, compare_estimates
from bacon.estimation.intervals import family_level, t_quantile
from bacon.words import escaped, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.estimation.intervals import Target
    from bacon.estimation.vector import Estimates

__all__ = ["Ranking", "labels_to_tell", "rank_estimates", "rank_words"]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Groups from the best to the worst, with what the labels can tell apart.

    Made by :meth:`Calibration.rank`; not built by hand.

    Parameters
    ----------
    estimates : Estimates
        The groups' estimates.
    comparisons : Comparisons
        All pairs.
    order : tuple of str
        Names from the best to the worst estimate.
    rank : mapping of str to int
        Rank of the estimate; groups with equal estimates share the better one.
    rank_set : mapping of str to (int, int)
        Best and worst rank that a group could hold; all of them hold together.
    best : tuple of str
        Groups among which the best one is, at the same level.
    better : {"higher", "lower"}
        Which end of the scale is good.
    level : float
        Confidence level.
    target : {"pool", "population"}
        What the ranking is of.
    notices : tuple of Notice
        What a reader must know.
    frame_of : callable, optional
        Turns a polars frame into the user's library.
    """

    estimates: Estimates
    comparisons: Comparisons
    order: tuple[str, ...]
    rank: dict[str, int]
    rank_set: dict[str, tuple[int, int]]
    best: tuple[str, ...]
    better: str
    level: float
    target: Target
    notices: tuple[Notice, ...] = ()
    frame_of: Callable[[pl.DataFrame], Any] | None = field(default=None, repr=False)

    def to_frame(self) -> Any:
        """Return a row for each group, the best first.

        Returns
        -------
        frame
            rank, the group, estimate, se, lower_simultaneous, upper_simultaneous, rank_low,
            rank_high, could_be_best, n_items, n_labels.
        """
        import polars as pl

        joint = self.estimates.simultaneous(self.level, self.target)
        rows = [
            {
                "rank": self.rank[name],
                self.estimates.kind: name,
                "estimate": self.estimates[name].value,
                "se": self.estimates[name].se(self.target),
                "lower_simultaneous": joint[name].low,
                "upper_simultaneous": joint[name].high,
                "rank_low": self.rank_set[name][0],
                "rank_high": self.rank_set[name][1],
                "could_be_best": name in self.best,
                "n_items": self.estimates[name].n_items,
                "n_labels": self.estimates[name].n_labels,
            }
            for name in self.order
        ]
        frame = pl.DataFrame(rows)
        return frame if self.frame_of is None else self.frame_of(frame)

    def probability_of_best(self, *, draws: int = 10_000, seed: int = 0) -> dict[str, float]:
        """Return how often each group is best in draws from N(estimates, covariance).

        A picture of the uncertainty, and no frequentist probability: no claim of this package
        rests on it.

        Parameters
        ----------
        draws : int
            Number of draws.
        seed : int
            Seed of the draws.

        Raises
        ------
        InputError
            An argument has no usable value.
        EstimationError
            A group has no standard error.
        """
        from bacon.random import stream

        if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
            raise InputError(f"draws must be a whole number from 1 up; got {draws!r}.")
        check_seed(seed)
        names = list(self.estimates)
        values = np.array([self.estimates[name].value for name in names])
        covariance = self.estimates.covariance(self.target)
        unknown = [name for name, v in zip(names, np.diag(covariance), strict=True) if np.isnan(v)]
        if unknown:
            raise EstimationError(
                f"{listed(unknown)}: no standard error, so that there is nothing to draw from."
            )
        rng = stream(seed, "probability of best")
        drawn = rng.multivariate_normal(values, covariance, size=draws, method="eigh")
        first = drawn.argmax(axis=1) if self.better == "higher" else drawn.argmin(axis=1)
        counts = np.bincount(first, minlength=len(names))
        return {name: float(count) / draws for name, count in zip(names, counts, strict=True)}

    def __str__(self) -> str:
        """Return a line for each group, the best first."""
        joint = self.estimates.simultaneous(self.level, self.target)
        width = max(len(escaped(name)) for name in self.order)
        lines = []
        for name in self.order:
            low, high = joint[name]
            ends = "no valid interval" if math.isnan(low) else f"{low:.4g}, {high:.4g}"
            could = rank_words(self.rank_set[name])
            lines.append(
                f"{self.rank[name]:>3}  {escaped(name):{width}}  "
                f"{self.estimates[name].value:.4g} ({ends})  ranks {could}"
            )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the ranking as text for a notebook."""
        return f"<pre>{html.escape(str(self))}</pre>"


def labels_to_tell(ranking: Ranking, one: Comparison, level: float) -> float:
    """Return how many labels in all would find the estimated difference with a chance of 80 %.

    At the design at hand: V = S^2 (1/n - 1/N) for the pool, so that the wanted variance
    (gap / (t_level + t_80))^2 needs n = 1 / (V_wanted / S^2 + 1/N); S^2 / n for the population.
    """
    reach = t_quantile(level, math.inf) + t_quantile(2.0 * POWER - 1.0, math.inf)
    wanted = (abs(one.contrast.value) / reach) ** 2
    n = sum(estimate.n_labels for estimate in ranking.estimates.values())
    n_items = sum(estimate.n_items for estimate in ranking.estimates.values())
    found = one.contrast.se(ranking.target) ** 2
    if not wanted > 0.0 or math.isnan(found):
        return math.nan
    if ranking.target == "population":
        return n * found / wanted
    if n >= n_items:
        return math.nan
    return 1.0 / (wanted / (found / (1.0 / n - 1.0 / n_items)) + 1.0 / n_items)


def rank_words(ranks: tuple[int, int]) -> str:
    """Return 2, or 2-4."""
    low, high = ranks
    return str(low) if low == high else f"{low}-{high}"


def rank_estimates(
    estimates: Estimates, *, better: str, level: float, target: Target = "pool", outcome: str = ""
) -> Ranking:
    """Rank groups by their estimates.

    Parameters
    ----------
    estimates : Estimates
        Of the groups of one calibration.
    better : {"higher", "lower"}
        Which end of the scale is good.
    level, target
        Of the rank sets.
    outcome : str
        Name of what is compared.

    Raises
    ------
    TooFewLabelsError
        Fewer than two groups have an estimate.
    """
    names = list(estimates)
    sign = 1.0 if better == "higher" else -1.0
    values = sign * np.array([estimates[name].value for name in names])
    pairs = compare_estimates({outcome: estimates})
    ahead = _ahead(pairs, names, sign, family_level(level, pairs.n_claims), target)
    # A one-sided test at a is a two-sided one at 2 a that is won on one side.
    one_sided = 1.0 - 2.0 * (1.0 - level) / (len(names) - 1)
    beaten = np.any(_ahead(pairs, names, sign, max(one_sided, 0.0), target), axis=0)
    lost = set(np.flatnonzero(beaten).tolist())
    rank = _ranks(values)
    order = np.lexsort((np.arange(len(names)), rank))
    sets = {
        name: (1 + int(ahead[:, k].sum()), len(names) - int(ahead[k].sum()))
        for k, name in enumerate(names)
    }
    return Ranking(
        estimates=estimates,
        comparisons=pairs,
        order=tuple(names[k] for k in order),
        rank={name: int(rank[k]) for k, name in enumerate(names)},
        rank_set=sets,
        best=tuple(names[k] for k in order if k not in lost),
        better=better,
        level=level,
        target=target,
        notices=(*estimates.notices, *_ties(names, rank)),
        frame_of=estimates.frame_of,
    )


def _ahead(
    pairs: Comparisons, names: list[str], sign: float, level: float, target: Target
) -> BoolArray:
    """Return whether group i is ahead of group j (K, K): the interval at `level` leaves out 0."""
    position = {name: k for k, name in enumerate(names)}
    found = np.zeros((len(names), len(names)), dtype=bool)
    for one in pairs:
        i, j = position[one.first], position[one.second]
        low, high = (
            one.contrast.interval(level, target) if level > 0.0 else (one.contrast.value,) * 2
        )
        if sign < 0.0:
            low, high = -high, -low
        found[i, j], found[j, i] = low > 0.0, high < 0.0
    return found


def _ranks(values: FloatArray) -> IntArray:
    """Return ranks (K,), 1 for the largest; equal values share the better one."""
    return np.asarray(1 + (values[None, :] > values[:, None]).sum(axis=1))


def _ties(names: list[str], rank: IntArray) -> tuple[Notice, ...]:
    """Tell of groups with the same estimate."""
    tied = [
        [name for name, k in zip(names, rank, strict=True) if k == r]
        for r in np.unique(rank)
        if int((rank == r).sum()) > 1
    ]
    if not tied:
        return ()
    shown = "; ".join(" and ".join(map(escaped, group)) for group in tied)
    return (Notice("ranks_tied", f"The estimates are equal, and so are the ranks, of {shown}."),)
