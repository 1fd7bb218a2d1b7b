"""Evidence of a shift beyond a margin, valid at every label of a stream at once.

With errors e_1, e_2, ... (label less calibrated score), the calibration's mean error b, a margin
d and s the standard deviation, the evidence for a rise is a weighted mean of

    E_{k,l}(t) = exp(l S_k - l^2 n / 2),   S_k = sum_{i = k+1}^{t} (e_i - b - d) / s,   n = t - k,

over a few rates l (`RATES`) and starts k = 0, `EVERY`, 2 `EVERY`, ...; that for a fall has the
signs turned. While every label's expected error lies within the margin, each E is a
non-negative supermartingale from 1 (asymptotically, as s is estimated), so that by Ville's
inequality the mean passes 1/alpha at any time with probability at most alpha. The first start has
most of the weight; the later ones find a change after a long quiet time (a mixture over
change points, as the e-detectors of Shin, Ramdas and Rinaldo, 2023, that spends one error rate).

Both sides share alpha. At a shift x inside the margin a term that counts only from n = `LEAST`
labels on is at most exp(-l n (d - x) / s) times a martingale, so the sides pass 1/a with
probability at most a (c(d - x) + c(d + x)), c(y) = sum_l w_l exp(-l `LEAST` y / s). This is convex
in x and largest at the ends of the margin, hence a = alpha / (1 + c(2 d)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.sequential import asymptotic_sequence

if TYPE_CHECKING:
    from bacon.arrays import FloatArray

__all__ = ["LEAST", "Expected", "Shift", "bound", "labels_to_find", "shift_of"]

RATES = np.array([0.1, 0.25, 0.4])
"""Rates of the evidence: best for shifts beyond the margin by as many SDs."""

RATE_WEIGHTS = np.array([0.1, 0.8, 0.1])

LEAST = 30
"""Labels after a start before its evidence counts."""

EVERY = 50
"""Labels from one start to the next."""

FIRST = 0.9
"""Weight of the first start; later ones share the rest as 1/(k (k + 1))."""

LONGEST = 2500
"""Labels after which a later start is dropped."""

BEST_AT = 150.0
"""Labels at which the interval of the shift is tightest."""

MOST = 600.0
"""Logarithm at which evidence is cut: far beyond any bound, and still a number."""

MOST_PLANNED = 100_000


@dataclass(frozen=True)
class Expected:
    """What the errors of a stream are held against.

    Parameters
    ----------
    mean, sd, se : float
        Mean error of the calibration, the SD of its errors and the standard error of the mean.
    n : int
        Labels they rest on.
    margin : float
        Shift that is tolerated.
    alpha : float
        Probability of a false alarm, over all labels that may ever come.
    """

    mean: float
    sd: float
    se: float
    n: int
    margin: float
    alpha: float


@dataclass(frozen=True)
class Shift:
    """What a stream says of a shift so far.

    Parameters
    ----------
    n : int
        Fresh labels.
    value : float
        Mean error of the stream less the calibration's; NaN without labels.
    interval : (float, float)
        Asymptotic confidence sequence of it, for all times together, given the calibration's
        mean error; NaN before `LEAST` labels.
    alarm_at : int or None
        Label, counted from 1, at which the evidence first passed the bound.
    evidence : float
        Largest logarithm of the evidence so far, less that of the bound: an alarm from 0 on.
    rises : bool
        Whether that evidence is for a rise.
    """

    n: int
    value: float
    interval: tuple[float, float]
    alarm_at: int | None
    evidence: float
    rises: bool


def bound(expected: Expected) -> float:
    """Return the logarithm that the evidence of one side has to reach."""
    apart = 2.0 * expected.margin / max(expected.sd, np.finfo(np.float64).tiny)
    other = float(RATE_WEIGHTS @ np.exp(-RATES * LEAST * apart))
    return math.log((1.0 + other) / expected.alpha)


def running_sd(errors: FloatArray, expected: Expected) -> FloatArray:
    """Return the standard deviation (t,) at each label: the larger of stream and both together.

    Both together is sqrt(((n - 1) sd^2 + sum (e - mean)^2) / (n + t - 1)), which keeps the few
    large errors that a short stream has not met yet.
    """
    t = np.arange(1.0, len(errors) + 1.0)
    away = errors - expected.mean
    mean = np.cumsum(away) / t
    squares = np.maximum(np.cumsum(away**2) - t * mean**2, 0.0)
    both = ((expected.n - 1) * expected.sd**2 + squares) / (expected.n + t - 1.0)
    own = squares / np.maximum(t - 1.0, 1.0)
    # A calibration without any error leaves a spread of 0 until the stream shows one.
    least = 1e-9 * max(abs(expected.mean), 1.0)
    return np.asarray(np.maximum(np.sqrt(np.maximum(both, own)), least))


def log_evidence(away: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the logarithm (t,) of the evidence that `away` (t,) has a mean above 0."""
    n_labels = len(away)
    sums = np.concatenate([[0.0], np.cumsum(away)])
    found = np.zeros(n_labels)
    for k, start in enumerate(range(0, n_labels - LEAST + 1, EVERY)):
        first = start + LEAST - 1
        last = n_labels if k == 0 else min(n_labels, start + LONGEST)
        n = np.arange(LEAST, last - start + 1.0)
        s = (sums[first + 1 : last + 1] - sums[start]) / sd[first:last]
        terms = np.outer(RATES, s) - np.outer(RATES**2 / 2.0, n)
        share = FIRST if k == 0 else (1.0 - FIRST) / (k * (k + 1))
        found[first:last] += share * (RATE_WEIGHTS @ np.exp(np.minimum(terms, MOST)))
    with np.errstate(divide="ignore"):
        return np.log(found)


def shift_of(errors: FloatArray, expected: Expected) -> Shift:
    """Return what a stream of errors says of a shift beyond the margin.

    Parameters
    ----------
    errors : (t,) float64
        Label less calibrated score, in the order of arrival.
    expected : Expected
        What they are held against.

    Examples
    --------
    >>> expected = Expected(mean=0.0, sd=1.0, se=0.07, n=200, margin=0.34, alpha=0.05)
    >>> errors = np.random.default_rng(1).normal(1.0, 1.0, 100)
    >>> shift_of(errors, expected).alarm_at
    30
    >>> shift_of(errors - 1.0, expected).alarm_at is None
    True
    """
    n = len(errors)
    if n == 0:
        return Shift(0, math.nan, (math.nan, math.nan), None, -math.inf, True)
    away = errors - expected.mean
    lower, upper = asymptotic_sequence(away, best_at=BEST_AT, level=1.0 - expected.alpha)
    interval = float(lower[-1]), float(upper[-1])
    sd = running_sd(errors, expected)
    sides = np.array([log_evidence(sign * away - expected.margin, sd) for sign in (1.0, -1.0)])
    evidence = sides - bound(expected)
    passed = np.flatnonzero((evidence >= 0.0).any(axis=0))
    alarm_at = int(passed[0]) + 1 if len(passed) else None
    # The side that raised the alarm is the one told, whatever came after.
    seen = evidence if alarm_at is None else evidence[:, :alarm_at]
    largest = seen.max(axis=1)
    rises = bool(largest[0] >= largest[1])
    return Shift(n, float(away.mean()), interval, alarm_at, float(evidence.max()), rises)


def labels_to_find(expected: Expected, shift: float, power: float) -> int | None:
    """Return about how many labels find a shift of that size with probability `power`.

    The least n at which the mean, with the standard error of the stream and the calibration
    together, passes the bound of some rate with that probability. Paths that pass earlier and
    fall back are not counted, so fewer will often do.

    Parameters
    ----------
    expected : Expected
        What the stream is held against.
    shift : float
        Size of the shift, in the units of the labels.
    power : float
        Probability with which it is to be found.

    Returns
    -------
    int or None
        None where the margin and the calibration's own error leave nothing to be found.

    Examples
    --------
    >>> expected = Expected(mean=0.0, sd=1.0, se=0.0707, n=200, margin=0.3414, alpha=0.05)
    >>> labels_to_find(expected, 0.7, 0.9)
    144
    """
    from scipy.special import ndtri

    if expected.sd <= 0.0:
        return LEAST if shift > expected.margin else None
    z = float(ndtri(power))
    n = np.arange(LEAST, MOST_PLANNED, dtype=np.float64)
    drift = n * (shift - expected.margin) / expected.sd
    reach = drift - z * np.sqrt(n + (n * expected.se / expected.sd) ** 2)
    needed = bound(expected) - math.log(FIRST) - np.log(RATE_WEIGHTS)
    line = np.min(needed[:, None] / RATES[:, None] + np.outer(RATES / 2.0, n), axis=0)
    found = np.flatnonzero(reach >= line)
    return int(n[found[0]]) if len(found) else None
