"""Labels of a simple draw in drawn order, and what each says of the mean of the pool.

The t-th label is that of an item drawn at random from the set R of items not labelled before it
(itself among them). With a prediction f that knows the labels before it alone,

    z_t = [sum of the labels before + sum_R f + |R| (y_t - f_t)] / N

has the mean of the pool as its mean, given all that came before. Its standard deviation is |R|/N
times that of y - f over R: with weights N/|R| all labels weigh alike in the variance, which falls
nearly as 1/n - 1/N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.betting import betting_sequence
from bacon.estimation.sequential import (
    LEAST,
    asymptotic_sequence,
    mixture_radius,
    running_intersection,
    tightest,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray, IntArray

__all__ = [
    "FIRST_FIT",
    "GROWTH",
    "PoolStream",
    "first_interval",
    "pool_asymptotic",
    "pool_betting",
    "pool_sequence",
    "pool_stream",
    "possible",
    "refit_times",
    "width_ahead",
]

FIRST_FIT = 10
"""Labels before the first model; until then nothing is predicted."""

GROWTH = 1.1
"""The model is fitted again each time the labels have grown by this factor."""

SKEWED = 0.75
"""Skewness of the first labels beyond which a normal limit needs more of them."""

LATE = 200
"""Labels before the first asymptotic interval of skewed labels."""


@dataclass(frozen=True, eq=False)
class PoolStream:
    """The first t labels of a simple draw without replacement, with predictions made before them.

    Parameters
    ----------
    n_items : int
        Size N of the pool.
    y : (t,) float64
        Labels in drawn order.
    f : (t,) float64
        Prediction of each item from the labels before it.
    f_sum : (t,) float64
        Sum of the same prediction over the items not labelled before, itself included.
    f_low, f_high : (t,) float64
        Least and largest prediction among them.
    """

    n_items: int
    y: FloatArray
    f: FloatArray
    f_sum: FloatArray
    f_low: FloatArray
    f_high: FloatArray

    @property
    def remaining(self) -> FloatArray:
        """Number |R| of items not labelled before each label, (t,)."""
        return self.n_items - np.arange(float(len(self.y)))

    @property
    def before(self) -> FloatArray:
        """Sum of the labels before each label, (t,)."""
        return np.concatenate([[0.0], np.cumsum(self.y)[:-1]])

    def increments(self) -> FloatArray:
        """Return z (t,), each with the mean of the pool as its mean given the ones before."""
        z = self.before + self.f_sum + self.remaining * (self.y - self.f)
        return np.asarray(z / self.n_items)

    def estimates(self) -> FloatArray:
        """Return the weighted mean of the increments after each label, (t,)."""
        w = self.weights()
        return np.asarray(np.cumsum(w * self.increments()) / np.cumsum(w))

    def weights(self) -> FloatArray:
        """Return N/|R| (t,), by which the spread of each increment is that of y - f alone.

        Inverse variances, (N/|R|)^2, would be tighter by 2 % at half of the pool and by a fifth
        at 0.9 of it, but let the last labels outweigh all others: no sum of theirs is normal.
        """
        return np.asarray(self.n_items / self.remaining)


def refit_times(n: int, *, first: int = FIRST_FIT, growth: float = GROWTH) -> list[int]:
    """Return the numbers of labels, below n, at which the model is fitted.

    Examples
    --------
    >>> refit_times(20)
    [10, 11, 13, 15, 17, 19]
    """
    times, at = [], first
    while at < n:
        times.append(at)
        at = max(at + 1, int(np.ceil(round(at * growth, 9))))
    return times


def pool_stream(
    y: FloatArray,
    rows: IntArray,
    n_items: int,
    predict: Callable[[int], FloatArray] | None,
    *,
    times: list[int] | None = None,
) -> PoolStream:
    """Return the stream of labels `y` (t,) of the pool rows `rows` (t,), in drawn order.

    Parameters
    ----------
    y : (t,) float64
        Labels in drawn order.
    rows : (t,) int64
        Their rows in the pool.
    n_items : int
        Size N of the pool.
    predict : callable or None
        ``predict(k)`` gives predictions (N,) of all items from the first k labels alone; they
        are held between the least and the largest of these. None predicts nothing.
    times : list of int, optional
        Numbers of labels at which `predict` is called; by default :func:`refit_times`.

    Examples
    --------
    >>> stream = pool_stream(np.array([2.0, 4.0]), np.array([1, 0]), 3, None)
    >>> stream.increments()
    array([2.        , 3.33333333])
    """
    t = len(y)
    f, total, low, high = (np.zeros(t) for _ in range(4))
    marks = [] if predict is None else (refit_times(t) if times is None else times)
    left = np.ones(n_items, dtype=bool)
    for k, start in enumerate(marks):
        stop = marks[k + 1] if k + 1 < len(marks) else t
        left[rows[(marks[k - 1] if k else 0) : start]] = False
        said = predict(start) if predict is not None else np.zeros(n_items)
        said = np.clip(said, y[:start].min(), y[:start].max())
        own = said[rows[start:stop]]
        f[start:stop] = own
        total[start:stop] = said[left].sum() - np.concatenate([[0.0], np.cumsum(own)[:-1]])
        # The ends over the items left at the refit cover those left later.
        low[start:stop], high[start:stop] = said[left].min(), said[left].max()
    return PoolStream(n_items, y, f, total, low, high)


def pool_asymptotic(
    stream: PoolStream, *, level: float, best_at: float
) -> tuple[FloatArray, FloatArray]:
    """Return the asymptotic confidence sequence of the pool's mean, each time by itself.

    `best_at` is the number of labels at which it is to be tightest. It begins at `LEAST` labels,
    at `LATE` where the skewness of those is beyond `SKEWED`.
    """
    return asymptotic_sequence(
        stream.increments(),
        level=level,
        best_at=best_at,
        weights=stream.weights(),
        start=first_interval(stream.y),
        corrected=True,
    )


def first_interval(y: FloatArray) -> int:
    """Return the number of labels at which asymptotic intervals begin, for labels `y` (t,)."""
    return LATE if abs(_skewness(y[:LEAST])) > SKEWED else LEAST


def _skewness(y: FloatArray) -> float:
    """Return the skewness of labels (n,), 0 where they are alike."""
    gap = y - y.mean() if len(y) else y
    spread = float(np.sqrt(np.mean(gap**2))) if len(y) else 0.0
    return float(np.mean((gap / spread) ** 3)) if spread > 0.0 else 0.0


def pool_betting(
    stream: PoolStream, scale: tuple[float, float], *, level: float, best_at: float
) -> tuple[FloatArray, FloatArray]:
    """Return the betting confidence sequence of the mean of a pool whose labels are on a scale.

    The bets are on y - f, whose mean over R under a candidate m is (N m - sum of the labels
    before - sum_R f)/|R|.
    """
    size = stream.remaining
    return betting_sequence(
        stream.y - stream.f,
        low=scale[0] - stream.f_high,
        high=scale[1] - stream.f_low,
        scale=scale,
        best_at=_worth(stream.n_items, best_at),
        level=level,
        intercept=-(stream.before + stream.f_sum) / size,
        slope=stream.n_items / size,
    )


def pool_sequence(
    stream: PoolStream, scale: tuple[float, float] | None, *, level: float, best_at: float
) -> tuple[FloatArray, FloatArray, int | None]:
    """Return intervals of the pool's mean that hold at all times together.

    Betting where the labels are on a scale, else asymptotic; each is the intersection of all so
    far, and of what the labels leave possible.

    Parameters
    ----------
    stream : PoolStream
        The labels.
    scale : (float, float) or None
        Least and largest possible label, if known.
    level : float
        Confidence level, for all times together.
    best_at : float
        Number of labels at which the interval is to be tightest.

    Returns
    -------
    lower, upper : (t,) float64
        NaN where there is no interval yet, and from `empty_at` on. A census gives the mean.
    empty_at : int or None
        Position from which the intervals contradict each other; None if they never do.

    Examples
    --------
    >>> stream = pool_stream(np.array([0.0, 1.0, 1.0]), np.arange(3), 3, None)
    >>> lower, upper, _ = pool_sequence(stream, (0.0, 1.0), level=0.95, best_at=2)
    >>> lower, upper
    (array([0.        , 0.33333333, 0.66666667]), array([0.66666667, 0.66666667, 0.66666667]))
    """
    if scale is None:
        lower, upper = pool_asymptotic(stream, level=level, best_at=best_at)
    else:
        lower, upper = pool_betting(stream, scale, level=level, best_at=best_at)
    gone = np.isnan(lower) if scale is not None else np.zeros(len(lower), dtype=bool)
    least, most = possible(stream, scale)
    if len(stream.y) == stream.n_items and not gone[-1]:
        # The same sum in two orders differs in its last digits.
        lower[-1], upper[-1] = np.nan, np.nan
    low, high, empty_at = running_intersection(np.fmax(lower, least), np.fmin(upper, most))
    if gone.any():
        first = int(np.argmax(gone))
        empty_at = first if empty_at is None else min(first, empty_at)
        low[first:], high[first:] = np.nan, np.nan
    low, high = (np.where(np.isfinite(ends), ends, np.nan) for ends in (low, high))
    return low, high, empty_at


def _worth(n_items: int, n: float) -> float:
    """Return sum (N/|R|)^2 over the first n labels, n N/(N - n) nearly."""
    return float(np.sum((n_items / (n_items - np.arange(float(np.ceil(n))))) ** 2))


def width_ahead(
    stream: PoolStream, n: FloatArray, *, level: float, best_at: float
) -> FloatArray | None:
    """Return the width (k,) of the asymptotic interval after n (k,) labels, about.

    As if y - f kept the spread it has had in the later half of the labels; None where it had none.
    """
    gap = (stream.y - stream.f)[len(stream.y) // 2 :]
    spread = float(gap.std())
    if not spread > 0.0:
        return None
    remaining = stream.n_items - np.arange(float(stream.n_items))
    weight = np.cumsum(stream.n_items / remaining)[n.astype(np.int64) - 1]
    alpha = 1.0 - level
    radius = mixture_radius(n, tightest(alpha, "both") / best_at, alpha, "both")
    return np.asarray(2.0 * spread * radius / weight)


def possible(
    stream: PoolStream, scale: tuple[float, float] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the least and largest mean (t,) that the labels so far leave possible.

    Infinite without a scale, but for a census, whose mean is known.
    """
    past = np.cumsum(stream.y)
    rest = stream.remaining - 1.0
    low, high = (-np.inf, np.inf) if scale is None else scale
    ends = [
        np.where(rest > 0.0, rest * end if np.isfinite(end) else end, 0.0) for end in (low, high)
    ]
    return (past + ends[0]) / stream.n_items, (past + ends[1]) / stream.n_items
