"""Bias and coverage when drawn items go unanswered, by chance or by what the judges say.

The simulator: 600 items of quality q, standard normal; two judges q + 0.7 e; people say
min(max(round(3.5 + 1.1 q + 0.6 e), 1), 6). Of 150 drawn each answers with chance expit(a + b z),
z the standardised average of the judges and a such that 70 % answer on average; b is 0 (by
chance), 0.4 or 1. Each figure rests on 2,000 draws of items and answers from one pool.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest
from scipy import optimize, special, stats
from tests.factories import make_pool

import bacon
from bacon.data.labels import Labels
from bacon.data.pool import Judge, Pool
from bacon.sampling.uniform import UniformDesign

pytestmark = pytest.mark.slow

DRAWS = 2_000
N_ITEMS, N_DRAWN, ANSWERED = 600, 150, 0.7
TIES = {"by chance": 0.0, "a weak tie": 0.4, "a strong tie": 1.0}

Array = npt.NDArray[np.float64]


@cache
def simulated() -> tuple[Pool, Array, Array]:
    """Return the pool, what people say of every item, and the average of the judges."""
    rng = np.random.default_rng(1)
    q = rng.normal(size=N_ITEMS)
    scores = q[:, None] + 0.7 * rng.normal(size=(N_ITEMS, 2))
    y = np.clip(np.round(3.5 + 1.1 * q + 0.6 * rng.normal(size=N_ITEMS)), 1, 6)
    names = ("judge_a", "judge_b")
    judges = tuple(Judge(name, (name,), scores[:, [k]]) for k, name in enumerate(names))
    pool = replace(make_pool(N_ITEMS), judges=judges, cluster=None, group=None, text=None)
    z = scores.mean(axis=1)
    return pool, y, (z - z.mean()) / z.std()


@dataclass(frozen=True)
class Figures:
    """What the draws gave: coverage, and bias in standard deviations of the estimate."""

    hits: int
    bias: float
    rmse: float

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth."""
        return self.hits / DRAWS

    def covers(self, low: float, high: float) -> bool:
        """Whether the 99 % interval of the coverage meets `low` to `high`."""
        found = stats.binomtest(self.hits, DRAWS).proportion_ci(0.99, method="wilson")
        return bool(found.low <= high and found.high >= low)


@cache
def run(tie: str, model: str, nonresponse: str) -> Figures:
    """Draw, answer, estimate and compare with the truth."""
    pool, y, z = simulated()
    slope = TIES[tie]
    start = optimize.brentq(lambda a: special.expit(a + slope * z).mean() - ANSWERED, -9, 9)
    chance = special.expit(start + slope * z)
    truth, hits, errors = float(y.mean()), 0, []
    for seed in range(DRAWS):
        sample = UniformDesign(n=N_DRAWN).draw(pool, seed=seed)
        rows = np.searchsorted(pool.ids, np.sort(sample.ids))
        rows = rows[np.random.default_rng([2, seed]).random(N_DRAWN) < chance[rows]]
        ones = np.ones((len(rows), 1), dtype=np.int64)
        labels = Labels("drawn", pool.ids[rows], ("y",), y[rows][:, None], ones, (None,))
        cal = bacon.calibrate(pool, labels, sample=sample, model=model, nonresponse=nonresponse)
        low, high = cal.mean().interval()
        hits += bool(low <= truth <= high)
        errors.append(cal.mean().value - truth)
    spread = float(np.std(errors, ddof=1))
    bias = float(np.mean(errors))
    return Figures(hits, bias / spread, sqrt(bias**2 + spread**2))


@pytest.mark.parametrize("tie", TIES)
def test_the_default_covers_whoever_answers(tie: str) -> None:
    found = run(tie, "ridge", "auto")
    assert found.covers(0.93, 0.97), found.coverage
    assert abs(found.bias) < 0.2


@pytest.mark.parametrize("tie", TIES)
def test_labels_alone_cover_as_well(tie: str) -> None:
    # Weights from an estimated model balance the judges better than known ones would, so that
    # the variance of independent draws errs on the safe side.
    found = run(tie, "human-only", "auto")
    assert found.covers(0.93, 0.985), found.coverage
    assert abs(found.bias) < 0.4


def test_the_model_costs_little_where_it_is_not_needed() -> None:
    assert run("by chance", "ridge", "auto").rmse < 1.03 * run("by chance", "ridge", "rate").rmse


def test_without_it_labels_alone_would_be_off() -> None:
    # These checks can fail.
    found = run("a strong tie", "human-only", "rate")
    assert found.bias > 1.5
    assert found.coverage < 0.7
