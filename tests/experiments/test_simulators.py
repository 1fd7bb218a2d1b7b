"""Simulated pools are as their formulas say, and their populations are exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from bacon.errors import InputError
from bacon.experiments.populations import zero_inflated
from bacon.experiments.simulators import N_ITEMS, SIMULATORS, simulated_pool

if TYPE_CHECKING:
    from bacon.experiments.full_pool import FullPool

LARGE = 200_000


def r_squared(full: FullPool, *columns: np.ndarray) -> float:
    x = np.column_stack([np.ones(len(full.y)), *columns])
    residual = full.y - x @ np.linalg.lstsq(x, full.y, rcond=None)[0]
    return 1.0 - float(residual.var() / full.y.var())


def scores(full: FullPool) -> np.ndarray:
    return np.column_stack([judge.scores[:, 0] for judge in full.pool.judges])


@pytest.mark.parametrize(
    ("name", "mean", "sd"),
    [
        ("ordinal", 3.577, 1.395),
        ("mqm", 1.664, 3.35),
        ("lognormal", 1.586, 1.95),
        ("binary", 0.787, 0.41),
        ("noise", 3.577, 1.395),
    ],
)
def test_population_values(name: str, mean: float, sd: float) -> None:
    estimands = ("mean", "sd", "variance", "quantile:0.9", "proportion:ge:3", "proportion:le:1")
    full = simulated_pool(name, n_items=LARGE, seed=8, estimands=estimands)
    known = full.population
    assert known["mean"] == pytest.approx(mean, abs=6e-4)
    assert known["sd"] == pytest.approx(sd, abs=6e-3)
    assert known["variance"] == pytest.approx(known["sd"] ** 2, rel=1e-12)
    # A pool so large has its population's values but for four standard errors.
    assert full.truth("mean") == pytest.approx(known["mean"], abs=4 * known["sd"] / LARGE**0.5)
    for share in ("proportion:ge:3", "proportion:le:1"):
        assert full.truth(share) == pytest.approx(known[share], abs=4 * 0.5 / LARGE**0.5)
    below = float(np.mean(full.y <= known["quantile:0.9"]))
    assert below > 0.9 - 4 * 0.3 / LARGE**0.5
    assert np.mean(full.y < known["quantile:0.9"]) < 0.9 + 4 * 0.3 / LARGE**0.5


def test_facts_of_the_simulators() -> None:
    ordinal = simulated_pool("ordinal", n_items=LARGE)
    assert ordinal.pool.embeddings is not None
    assert r_squared(ordinal, scores(ordinal)) == pytest.approx(0.57, abs=0.01)
    both = r_squared(ordinal, scores(ordinal), ordinal.pool.embeddings)
    assert both == pytest.approx(0.65, abs=0.01)
    mqm = simulated_pool("mqm", n_items=LARGE)
    assert np.mean(mqm.y == 0.0) == pytest.approx(0.62, abs=0.005)
    assert stats.skew(mqm.y) == pytest.approx(3.0, abs=0.3)
    assert stats.skew(simulated_pool("lognormal", n_items=LARGE).y) == pytest.approx(5.5, abs=1.5)


def test_scales_of_the_judges() -> None:
    def ends(name: str) -> tuple[float, float]:
        found = scores(simulated_pool(name))
        return float(found.min()), float(found.max())

    assert ends("ordinal") == (1.0, 6.0)
    assert ends("lognormal") == ends("binary") == (0.0, 100.0)
    low, high = ends("mqm")
    assert low == 0.0
    assert high > 10.0


def test_noise_says_nothing() -> None:
    noise = simulated_pool("noise", n_items=20_000)
    assert noise.pool.n_judges == 42
    assert noise.pool.embeddings is None
    # 42 columns of noise explain 42/N of the variance by chance.
    assert r_squared(noise, scores(noise)) < 0.006


def test_embeddings_hold_the_embedded_part() -> None:
    full = simulated_pool("ordinal", n_items=20_000)
    e = full.pool.embeddings
    assert e is not None
    assert e.shape == (20_000, 16)
    assert np.cov(e.T) == pytest.approx(np.eye(16), abs=0.05)
    weights = np.linalg.lstsq(e, full.y - full.y.mean(), rcond=None)[0]
    direction = np.arange(1.0, 17.0) / np.linalg.norm(np.arange(1.0, 17.0))
    assert weights @ direction / np.linalg.norm(weights) > 0.98


def test_uncertainty_is_read_with_the_judge() -> None:
    pool = simulated_pool("mqm").pool
    assert [judge.name for judge in pool.judges] == [f"judge_{m}" for m in range(1, 7)]
    assert [one.kind for judge in pool.judges for one in judge.uncertainty] == ["entropy"] * 6
    for judge, noise in zip(pool.judges, (0.5, 0.7, 0.9, 0.6, 1.0, 1.3), strict=True):
        assert judge.uncertainty[0].values.mean() == pytest.approx(noise, abs=0.02)


def test_the_same_seed_is_the_same_pool() -> None:
    for name in SIMULATORS:
        first, again, other = (simulated_pool(name, seed=seed) for seed in (3, 3, 4))
        assert first.digest == again.digest
        assert first.digest != other.digest
        assert first.pool.n_items == N_ITEMS


def test_the_penalty_distribution_is_whole() -> None:
    made = zero_inflated()
    assert made.probability.sum() == pytest.approx(1.0, abs=1e-12)
    assert made.probability.min() >= 0.0
    # P(Y = 0) = E[1 - logit^-1(-0.7 + 1.5 s)] over s normal of variance 1.1225.
    s = np.linspace(-12, 12, 200_001)
    weight = stats.norm.pdf(s, scale=np.sqrt(1.1225))
    zero = np.sum(weight / (1.0 + np.exp(-0.7 + 1.5 * s))) / weight.sum()
    assert made.probability[0] == pytest.approx(zero, abs=1e-9)


def test_an_unknown_simulator_is_refused() -> None:
    with pytest.raises(InputError, match="no simulator 'normal'; take one of ordinal, mqm"):
        simulated_pool("normal")
