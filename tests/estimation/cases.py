"""Small pools labelled under every design, shared by the tests of estimation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import bacon

Array = npt.NDArray[np.float64]

NAN = float("nan")
DESIGNS = ("simple", "stratified", "poisson", "fixed", "clusters")
N_ITEMS = 40
STRATA = np.repeat(["low", "mid", "top"], [12, 18, 10])
PSU = np.repeat(np.arange(10), [2, 3, 4, 5, 6, 2, 3, 4, 5, 6])
PROMPT = np.arange(N_ITEMS) // 4


def outcomes(seed: int = 0) -> tuple[Array, Array, Array]:
    """Return y, a related second outcome and a biased prediction of all items."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N_ITEMS) + 0.5 * rng.normal(size=10)[PROMPT]
    y = 3.0 + x + 0.6 * rng.normal(size=N_ITEMS)
    second = 8.0 + 0.5 * x + 0.4 * rng.normal(size=N_ITEMS)
    f = 4.0 + 0.7 * x + 0.2 * np.sin(5.0 * x)
    return y, second, f


def chances(seed: int = 0) -> Array:
    """Return inclusion probabilities that sum to about 14."""
    pi = np.exp(np.random.default_rng([seed, 1]).normal(size=N_ITEMS) * 0.5)
    return np.clip(14.0 * pi / pi.sum(), 0.05, 0.9)


def draw(design: str, seed: int = 0) -> tuple[npt.NDArray[np.bool_], dict[str, Any]]:
    """Return which items are labelled, and the arguments of `aee` that say how."""
    rng = np.random.default_rng([seed, 2])
    s = np.zeros(N_ITEMS, dtype=bool)
    if design == "simple":
        s[rng.choice(N_ITEMS, 14, replace=False)] = True
        return s, {}
    if design == "stratified":
        for stratum, n in (("low", 4), ("mid", 7), ("top", 5)):
            s[rng.choice(np.flatnonzero(stratum == STRATA), n, replace=False)] = True
        return s, {"design": design, "strata": STRATA}
    if design == "clusters":
        return np.isin(PSU, rng.choice(10, 5, replace=False)), {"design": design, "psu": PSU}
    pi = chances(seed)
    return rng.random(N_ITEMS) < pi, {"design": design, "pi": pi}


def labelled(y: Array, s: npt.NDArray[np.bool_]) -> Array:
    """Return y with NaN where not labelled."""
    return np.where(s, y, NAN)


def estimate(design: str, *, seed: int = 0, f: Array | None = None, **options: Any) -> Any:
    """Return the estimate of the first outcome under a design."""
    y, _, own = outcomes(seed)
    s, how = draw(design, seed)
    return bacon.aee(labelled(y, s), own if f is None else f, **how, **options)


def numbers(est: Any, level: float = 0.9) -> list[float]:
    """Return everything an estimate says, for comparing two of them."""
    pool, population = (est.interval(level, target) for target in ("pool", "population"))
    return [est.value, est.se(), est.se("population"), est.df, *pool, *population]
