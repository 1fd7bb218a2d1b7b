"""Simulated pools whose population is known: judges of quality, embeddings, people's scores.

With q, r, h and e standard normal, six judges see the latent

    Z_m = b_m + k_m (q + 0.35 h) + g_m e_m,

and say of themselves U_m = |g_m + 0.2 e'_m| (column ``judge_<m>__entropy``). The embedding E
of an item is 16 standard normals moved along a fixed unit vector a so that E a = r. People's
outcome is a function of q and r:

ordinal    1 + the number of cuts below q + 0.35 r + 0.4 e; judges 3.5 + 1.2 Z on 1 to 6.
mqm        0 with probability 1 - logit^-1(-0.7 + 1.5 s), else 1 + A + 5 B, with A and B Poisson
           of means 0.6 exp(0.4 s) and 0.25 exp(0.7 s), s = q + 0.35 r; judges
           max(0, round(1.2 exp(0.6 Z) - 1)).
lognormal  exp(0.8 q + 0.35 r + 0.4 e); judges 50 + 18 Z on 0 to 100.
binary     whether q + 0.35 r + 0.4 e > -0.9; judges as lognormal.
noise      people as ordinal; 42 judges of standard normal noise and no embeddings, so that
           nothing known of an item says anything of its score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.errors import InputError
from bacon.experiments.full_pool import FullPool
from bacon.experiments.populations import cut_scores, lognormal, population_truth, zero_inflated
from bacon.io.pools import read_pool
from bacon.random import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bacon.arrays import FloatArray
    from bacon.experiments.populations import Population

__all__ = ["N_ITEMS", "POOL_SEED", "SIMULATORS", "Simulator", "simulated_pool", "simulator"]

N_ITEMS = 5_000
"""Items of a simulated pool."""

POOL_SEED = 1
"""Seed of the one pool that the pool target is measured on."""

N_COMPONENTS = 16
N_NOISE_JUDGES = 42
ORDINAL_CUTS = (-1.6, -0.8, -0.1, 0.7, 1.5)
BINARY_CUT = -0.9
SLOPE = (0.9, 0.7, 0.6, 0.8, 0.5, 0.3)
OFFSET = (0.5, -0.3, 0.2, 0.8, 0.0, -0.5)
NOISE = (0.5, 0.7, 0.9, 0.6, 1.0, 1.3)


@dataclass(frozen=True)
class Simulator:
    """How items, judges and people of one kind are made.

    Parameters
    ----------
    name : str
        Name of the simulator.
    people : callable
        ``people(q, r, rng)`` gives the outcome (N,) from quality and the embedded part.
    score : callable or None
        ``score(z)`` gives judge scores from latents (N, 6); None for judges of pure noise.
    population : callable
        Gives the distribution of the outcome over all items that could be simulated.
    scale : (float, float) or None
        Lowest and highest possible outcome.
    """

    name: str
    people: Callable[[FloatArray, FloatArray, np.random.Generator], FloatArray]
    score: Callable[[FloatArray], FloatArray] | None
    population: Callable[[], Population]
    scale: tuple[float, float] | None = None


def _latent(q: FloatArray, r: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return q + 0.35 r + 0.4 e."""
    return q + 0.35 * r + 0.4 * rng.normal(size=len(q))


def _ordinal(q: FloatArray, r: FloatArray, rng: np.random.Generator) -> FloatArray:
    return 1.0 + np.searchsorted(ORDINAL_CUTS, _latent(q, r, rng)).astype(np.float64)


def _mqm(q: FloatArray, r: FloatArray, rng: np.random.Generator) -> FloatArray:
    s = q + 0.35 * r
    faulty = rng.random(len(q)) < 1.0 / (1.0 + np.exp(0.7 - 1.5 * s))
    minor, major = rng.poisson(0.6 * np.exp(0.4 * s)), rng.poisson(0.25 * np.exp(0.7 * s))
    return np.where(faulty, 1.0 + minor + 5.0 * major, 0.0)


def _lognormal(q: FloatArray, r: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.exp(0.8 * q + 0.35 * r + 0.4 * rng.normal(size=len(q)))


def _binary(q: FloatArray, r: FloatArray, rng: np.random.Generator) -> FloatArray:
    return (_latent(q, r, rng) > BINARY_CUT).astype(np.float64)


def _six(z: FloatArray) -> FloatArray:
    return np.clip(np.round(3.5 + 1.2 * z), 1.0, 6.0)


def _penalty(z: FloatArray) -> FloatArray:
    return np.maximum(0.0, np.round(1.2 * np.exp(0.6 * z) - 1.0))


def _hundred(z: FloatArray) -> FloatArray:
    return np.clip(50.0 + 18.0 * z, 0.0, 100.0)


LATENT_SD = float(np.sqrt(1.0 + 0.35**2 + 0.4**2))

SIMULATORS = {
    one.name: one
    for one in (
        Simulator(
            "ordinal", _ordinal, _six, lambda: cut_scores(ORDINAL_CUTS, LATENT_SD, 1.0), (1.0, 6.0)
        ),
        Simulator("mqm", _mqm, _penalty, zero_inflated),
        Simulator(
            "lognormal", _lognormal, _hundred, lambda: lognormal(np.sqrt(0.8**2 + 0.35**2 + 0.4**2))
        ),
        Simulator(
            "binary", _binary, _hundred, lambda: cut_scores((BINARY_CUT,), LATENT_SD, 0.0), (0, 1)
        ),
        Simulator(
            "noise", _ordinal, None, lambda: cut_scores(ORDINAL_CUTS, LATENT_SD, 1.0), (1.0, 6.0)
        ),
    )
}


def simulator(name: str) -> Simulator:
    """Return the simulator called `name`, refusing an unknown one."""
    if name not in SIMULATORS:
        raise InputError(f"there is no simulator {name!r}; take one of {', '.join(SIMULATORS)}.")
    return SIMULATORS[name]


def simulated_pool(
    name: str,
    *,
    seed: int = POOL_SEED,
    n_items: int = N_ITEMS,
    estimands: Sequence[str] = ("mean",),
    scale: tuple[float, float] | None = None,
) -> FullPool:
    """Simulate a pool.

    Parameters
    ----------
    name : str
        ordinal, mqm, lognormal, binary or noise.
    seed : int
        Seed of the items; `POOL_SEED` is the one pool of the published figures.
    n_items : int
        Number of items N.
    estimands : sequence of str
        Estimands whose value over the population is needed.
    scale : (float, float), optional
        Scale stated to the configurations; none by default.

    Returns
    -------
    FullPool

    Raises
    ------
    InputError
        There is no such simulator.

    Examples
    --------
    >>> full = simulated_pool("ordinal")
    >>> round(full.truth("mean"), 3), round(full.population["mean"], 3)
    (3.571, 3.577)
    """
    made = simulator(name)
    rng = stream(seed, f"simulator {name}")
    q, r, h = rng.normal(size=(3, n_items))
    y = made.people(q, r, rng)
    columns: dict[str, FloatArray] = {}
    embeddings = None
    if made.score is None:
        for m, scores in enumerate(rng.normal(size=(N_NOISE_JUDGES, n_items))):
            columns[f"judge_{m + 1:02d}"] = scores
    else:
        z = (
            np.array(OFFSET)
            + np.outer(q + 0.35 * h, SLOPE)
            + np.array(NOISE) * rng.normal(size=(n_items, len(NOISE)))
        )
        unsure = np.abs(np.array(NOISE) + 0.2 * rng.normal(size=z.shape))
        scores = made.score(z)
        for m in range(len(NOISE)):
            columns[f"judge_{m + 1}"] = scores[:, m]
            columns[f"judge_{m + 1}__entropy"] = unsure[:, m]
        embeddings = _embeddings(r, rng)
    pool = read_pool({"item_id": np.arange(n_items), **columns}, embeddings=embeddings)
    return FullPool(
        name=f"sim-{name}",
        # That embeddings go by row is no news here.
        pool=replace(pool, notices=()),
        y=y,
        scale=scale,
        population=population_truth(made.population(), tuple(estimands)),
        simulator=name,
    )


def _embeddings(r: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return 16 standard normals an item (N, 16), moved along a so that E a = r."""
    direction = np.arange(1.0, N_COMPONENTS + 1.0)
    direction /= np.linalg.norm(direction)
    free = rng.normal(size=(len(r), N_COMPONENTS))
    return free + np.outer(r - free @ direction, direction)
