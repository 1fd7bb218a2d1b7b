"""What simulated items are like as a whole: exact values of estimands for the population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import special

from bacon.calibration.estimand import parse_estimand
from bacon.errors import InputError
from bacon.estimation.events import event_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray
    from bacon.estimation.events import Cut

__all__ = ["Population", "cut_scores", "lognormal", "population_truth", "zero_inflated"]


class Population(Protocol):
    """Distribution of an outcome."""

    def mean(self) -> float:
        """Return the mean."""
        ...

    def variance(self) -> float:
        """Return the variance."""
        ...

    def quantile(self, tau: float) -> float:
        """Return the smallest value that at least `tau` of the items do not exceed."""
        ...

    def share(self, cut: Cut) -> float:
        """Return the share of items in an event."""
        ...


@dataclass(frozen=True, eq=False)
class Discrete:
    """An outcome with the ascending values `support` (L,) and their `probability` (L,)."""

    support: FloatArray
    probability: FloatArray

    def mean(self) -> float:
        """Return the mean."""
        return float(self.support @ self.probability)

    def variance(self) -> float:
        """Return the variance."""
        return float((self.support - self.mean()) ** 2 @ self.probability)

    def quantile(self, tau: float) -> float:
        """Return the smallest value that at least `tau` of the items do not exceed."""
        return float(self.support[np.searchsorted(np.cumsum(self.probability), tau)])

    def share(self, cut: Cut) -> float:
        """Return the share of items in an event."""
        return float(event_of(self.support, cut)[1] @ self.probability)


@dataclass(frozen=True)
class Lognormal:
    """The exponential of a centred normal with SD `sigma`."""

    sigma: float

    def mean(self) -> float:
        """Return the mean."""
        return math.exp(self.sigma**2 / 2.0)

    def variance(self) -> float:
        """Return the variance."""
        return math.expm1(self.sigma**2) * math.exp(self.sigma**2)

    def quantile(self, tau: float) -> float:
        """Return the value that `tau` of the items do not exceed."""
        return math.exp(self.sigma * float(special.ndtri(tau)))

    def share(self, cut: Cut) -> float:
        """Return the share of items in an event."""
        below = [self._below(float(value)) for value in cut[1:]]
        if cut[0] == "eq":
            return 0.0
        if cut[0] == "between":
            return below[1] - below[0]
        return below[0] if cut[0] == "le" else 1.0 - below[0]

    def _below(self, value: float) -> float:
        """Return the share of items up to `value`."""
        return float(special.ndtr(math.log(value) / self.sigma)) if value > 0.0 else 0.0


def cut_scores(cuts: Sequence[float], sd: float, first: float) -> Discrete:
    """Return the distribution of `first` + the number of `cuts` below a centred normal."""
    below = np.concatenate([[0.0], special.ndtr(np.array(cuts) / sd), [1.0]])
    return Discrete(first + np.arange(len(cuts) + 1.0), np.diff(below))


def lognormal(sigma: float) -> Lognormal:
    """Return the lognormal distribution of log-SD `sigma`."""
    return Lognormal(float(sigma))


@cache
def zero_inflated() -> Discrete:
    """Return the distribution of the MQM-like outcome.

    Given s the penalty is 0, or 1 + A + 5 B with A and B Poisson: both are summed out, and s,
    a normal of variance 1 + 0.35^2, by Gauss and Hermite's quadrature. Sums stop at a penalty
    of 800, beyond which less than 1e-12 of the items lie.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(160)
    total = np.zeros(801)
    k = np.arange(800)
    log_factorial = special.gammaln(k + 1.0)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        if weight < 1e-18:
            continue
        s = node * math.sqrt(1.0 + 0.35**2)
        faulty = float(special.expit(-0.7 + 1.5 * s))
        minor, major = 0.6 * math.exp(0.4 * s), 0.25 * math.exp(0.7 * s)
        p_minor = np.exp(k * math.log(minor) - minor - log_factorial)
        p_major = np.exp(k * math.log(major) - major - log_factorial)
        fives = np.zeros(len(k))
        fives[::5] = p_major[: len(fives[::5])]
        total[0] += weight * (1.0 - faulty)
        total[1:] += weight * faulty * np.convolve(p_minor, fives)[: len(k)]
    return Discrete(np.arange(801.0), total)


def population_truth(population: Population, estimands: tuple[str, ...]) -> dict[str, float]:
    """Return the value of each estimand over the population."""
    found = {}
    for name in estimands:
        asked = parse_estimand(name)
        if asked.kind == "mean":
            found[name] = population.mean()
        elif asked.kind in ("variance", "sd"):
            variance = population.variance()
            found[name] = variance if asked.kind == "variance" else math.sqrt(variance)
        elif asked.tau is not None:
            found[name] = population.quantile(asked.tau)
        elif asked.cut is not None:
            found[name] = population.share(asked.cut)
        else:
            raise InputError(f"the value of {name} over the population is not known.")
    return found
