"""Several estimates that belong together: shares of classes, means of groups."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.checks import check_level, check_target
from bacon.estimation.domains import covariance_parts
from bacon.estimation.intervals import family_level
from bacon.estimation.results import Estimate
from bacon.estimation.sandwich import population_part
from bacon.estimation.units import pool_variance
from bacon.words import escaped

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from bacon.arrays import FloatArray
    from bacon.data.notice import Notice
    from bacon.estimation.influence import Influence
    from bacon.estimation.intervals import Interval, Target

__all__ = ["Estimates"]


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Mapping[str, Estimate]):
    """A read-only mapping from names to estimates: classes of the same items, or groups of a pool.

    Made by a calibration; not built by hand.

    Parameters
    ----------
    kind : str
        What the names are, such as ``"class"``; the first column of :meth:`to_frame`.
    members : mapping of str to Estimate
        The estimates, in order.
    n_claims : int
        How many claims the estimates make when taken together: their number, less those that
        follow from the others (the two shares of two classes are one claim).
    notices : tuple of Notice
        What a reader must know.
    left_out : mapping of str to str
        Groups without an estimate, and why; they are in no interval and no ranking.
    frame_of : callable, optional
        Turns a polars frame into the user's library.

    Examples
    --------
    >>> import bacon
    >>> said = ["yes", "no", "yes", "no", "yes", "no"] * 3
    >>> table = {
    ...     "item_id": list(range(18)),
    ...     "judge_a": said,
    ...     "human": said[:10] + [None] * 8,
    ... }
    >>> labels = bacon.read_labels(table, value="human")
    >>> shares = bacon.calibrate(bacon.read_pool(table, label="human"), labels).shares()
    >>> list(shares)
    ['no', 'yes']
    >>> round(sum(share.value for share in shares.values()), 6)
    1.0
    """

    kind: str
    members: Mapping[str, Estimate]
    n_claims: int
    notices: tuple[Notice, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    frame_of: Callable[[pl.DataFrame], Any] | None = field(default=None)

    def __getitem__(self, name: str) -> Estimate:
        """Return the estimate of `name`."""
        if name not in self.members:
            raise KeyError(f"no {self.kind} {name!r}; there are {', '.join(self.members)}")
        return self.members[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names in order."""
        return iter(self.members)

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.members)

    def covariance(self, target: Target = "pool") -> FloatArray:
        """Return the covariance matrix of the estimates for `target`.

        Returns
        -------
        (K, K) float64
            In the order of the names; the diagonal holds the squared standard errors. 0 for
            the pool at a census, NaN where an estimate has no standard error.

        Notes
        -----
        Every variance here is a quadratic form Q in influence values, so that
        Cov(a, b) = [Q(a + b) - Q(a - b)] / 4. What the population adds may have directions
        below 0, as a single variance may; they are set to 0. Groups of a pool share drawn clusters
        and, for the population, others: see :mod:`bacon.estimation.domains`.
        """
        check_target(target)
        members = list(self.members.values())
        matrix = self._covariance(members, target)
        unknown = np.array([math.isnan(one.se(target)) for one in members])
        matrix[unknown] = matrix[:, unknown] = math.nan
        return matrix

    def _covariance(self, members: list[Estimate], target: Target) -> FloatArray:
        """Return the covariance matrix, whether or not the labels show an error."""
        first = members[0]
        if first.domain is not None:
            return _of_groups(members, target)
        design, cluster = first.design, first.cluster
        parts = [estimate.influence_values for estimate in members]
        pool = _polarised(lambda h: pool_variance(h.residual, design), parts)
        if target == "pool":
            return pool
        added = _polarised(lambda h: population_part(h, design, cluster), parts)
        return pool + _nonnegative(added)

    def simultaneous(self, level: float = 0.95, target: Target = "pool") -> dict[str, Interval]:
        """Return intervals that hold all at once with probability `level`.

        Each is the estimate's own interval at the level 1 - (1 - level) / `n_claims`
        (Bonferroni).
        """
        check_level(level)
        own_level = family_level(level, self.n_claims)
        found = {}
        for name, estimate in self.members.items():
            own = estimate.interval(own_level, target)
            found[name] = replace(own, level=level, method=f"{own.method}, Bonferroni")
        return found

    def shrunken(self, target: Target = "pool") -> dict[str, float]:
        """Return empirical-Bayes estimates: each moved toward the mean of all.

        Closer to the truth over all groups together, biased for those at the ends, and without a
        frequentist interval: for looking at, not for claims. See
        :func:`bacon.estimation.shrinkage.shrunken`.

        Raises
        ------
        InputError
            Fewer than three groups.
        """
        from bacon.estimation.shrinkage import shrunken

        check_target(target)
        values = np.array([one.value for one in self.members.values()])
        own = np.array([one.variances.of(target) for one in self.members.values()])
        return dict(zip(self.members, shrunken(values, own).tolist(), strict=True))

    def to_frame(self, level: float = 0.95, target: Target = "pool") -> Any:
        """Return a row for each estimate.

        Returns
        -------
        frame
            Name, estimate, se, lower, upper, lower_simultaneous, upper_simultaneous, n_items,
            n_labels; NaN where there is no interval. In the library the pool came from.
        """
        import polars as pl

        joint = self.simultaneous(level, target)
        rows = []
        for name, estimate in self.members.items():
            low, high = estimate.interval(level, target)
            rows.append(
                {
                    self.kind: name,
                    "estimate": estimate.value,
                    "se": estimate.se(target),
                    "lower": low,
                    "upper": high,
                    "lower_simultaneous": joint[name].low,
                    "upper_simultaneous": joint[name].high,
                    "n_items": estimate.n_items,
                    "n_labels": estimate.n_labels,
                }
            )
        frame = pl.DataFrame(rows)
        return frame if self.frame_of is None else self.frame_of(frame)

    def __str__(self) -> str:
        """Return a line for each estimate, with its 95 % pool interval."""
        names = [escaped(name) for name in self.members]
        width = max(map(len, names))
        lines = zip(names, self.members.values(), strict=True)
        return "\n".join(f"{name:{width}}  {one}" for name, one in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the estimates with their 95 % pool intervals as a small table."""
        rows = []
        for name, estimate in self.members.items():
            interval = estimate.interval()
            ends = f"{interval.low:.4g} &ndash; {interval.high:.4g}"
            if math.isnan(interval.low):
                ends = html.escape(interval.reason or "")
            rows.append(
                f"<tr><td>{html.escape(name)}</td><td>{estimate.value:.4g}</td><td>{ends}</td></tr>"
            )
        head = f"<tr><th>{self.kind}</th><th>estimate</th><th>95 % interval</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


def _of_groups(members: list[Estimate], target: Target) -> FloatArray:
    """Return the covariance matrix of the estimates of groups."""
    pool = np.diag([one.variances.pool for one in members])
    added = np.diag([one.variances.population - one.variances.pool for one in members])
    for i, a in enumerate(members):
        for j, b in enumerate(members[:i]):
            shared, more = covariance_parts(a, b)
            pool[i, j] = pool[j, i] = shared
            added[i, j] = added[j, i] = more
    return pool if target == "pool" else pool + _nonnegative(added)


def _polarised(form: Callable[[Influence], float], parts: list[Influence]) -> FloatArray:
    """Return the matrix of the bilinear form that belongs to a quadratic form of influences."""
    matrix = np.empty((len(parts), len(parts)))
    for i, a in enumerate(parts):
        matrix[i, i] = form(a)
        for j, b in enumerate(parts[:i]):
            both = (form(a.plus(b)) - form(a.plus(b.scaled(-1.0)))) / 4.0
            matrix[i, j] = matrix[j, i] = both
    return matrix


def _nonnegative(matrix: FloatArray) -> FloatArray:
    """Return a symmetric matrix without negative directions, its diagonal as it was."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= 0.0:
        return matrix
    found = (vectors * np.maximum(values, 0.0)) @ vectors.T
    made, wanted = np.diag(found), np.maximum(np.diag(matrix), 0.0)
    stretch = np.sqrt(np.divide(wanted, made, out=np.zeros_like(made), where=made > 0.0))
    return np.asarray(found * stretch * stretch[:, None])
