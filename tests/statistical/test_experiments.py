"""The design variance of an experiment is the mean squared error of the draws it describes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bacon
from bacon.experiments.montecarlo import Z99
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate
from bacon.experiments.simulators import simulated_pool

DRAWS = 4_000
CASES = [("ordinal", 30, "ridge"), ("lognormal", 30, "ridge"), ("ordinal", 200, "ridge")]


def compare(simulator: str, n: int, configuration: Any, *, n_items: int = 400) -> tuple[float, ...]:
    """Return mean design variance over mean squared error, with its 99 % interval."""
    full = simulated_pool(simulator, n_items=n_items)
    plan = Plan(full, [bacon.UniformDesign(n=n)], [configuration])
    results = simulate(plan, trials=DRAWS).results
    squares = results["error"].to_numpy() ** 2
    variance = results["design_variance"].to_numpy()
    spread = float(np.std(variance / variance.mean() - squares / squares.mean(), ddof=1))
    ratio = float(variance.mean() / squares.mean())
    reach = Z99 * spread / np.sqrt(DRAWS)
    return ratio, ratio * np.exp(-reach), ratio * np.exp(reach)


@pytest.mark.slow
@pytest.mark.parametrize(("simulator", "n", "model"), CASES)
def test_design_variance_is_the_mean_squared_error(simulator: str, n: int, model: str) -> None:
    ratio, low, high = compare(simulator, n, model)
    # Products between folds are left out, which is worth 3 % of the variance at most.
    assert low <= 1.03, ratio
    assert high >= 0.97, ratio
