"""Strengths of systems from comparisons of which a fifth is labelled: coverage and gain.

Simulated: 8 systems with strengths from 1 to -1, 1,500 pairs, people by Davidson's model (nu 0.5,
0.2 for the system shown first), three judges that say what people say half of the time and have
their own noise else, without ties. On pandalm_testset: 5 systems, 999 pairs, two judges. Truth is
what all labels give. With many draws (2,000; 600 of Davidson's model) the predictions are fixed,
the same for every draw: shares of outcomes by the judges' answers in half of the pool, plainly
smoothed. 300 draws with the default model show that it does as well.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import bacon
from bacon.estimation.designs import simple_design
from bacon.estimation.estimands import Setting
from bacon.estimation.pairwise import pairwise_estimates
from bacon.experiments.montecarlo import wilson

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

Array = npt.NDArray[np.float64]

DRAWS = {"half": 2_000, "davidson": 600}
WORDS = ("1", "2", "tie")
STRENGTHS = np.linspace(1.0, -1.0, 8)
OPTIONS: dict[str, dict[str, Any]] = {
    "half": {},
    "davidson": {"ties": "davidson", "order_effect": True},
}


def simulated() -> pl.DataFrame:
    rng = np.random.default_rng(11)
    n = 1_500
    first = rng.integers(8, size=n)
    second = (first + rng.integers(1, 8, size=n)) % 8
    seen = rng.normal(size=n) * 0.8
    half = (STRENGTHS[first] - STRENGTHS[second] + 0.2 + seen) / 2.0
    odds = np.exp(np.column_stack([half, -half, np.full(n, np.log(0.5))]))
    chance = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    said = (rng.random(n)[:, None] > chance).sum(axis=1)
    table = {
        "item_id": np.arange(n),
        "first": [f"s{k}" for k in first],
        "second": [f"s{k}" for k in second],
        "human": [WORDS[k] for k in said],
    }
    for judge in range(3):
        lean = 2.0 * half + 0.3 * judge + rng.logistic(size=n)
        agreed = rng.random(n) < 0.5
        answer = np.where(agreed & (said < 2), said, (lean < 0).astype(int))
        table[f"judge_{judge}"] = [WORDS[k] for k in answer]
    return pl.DataFrame(table)


def pandalm(folder: Path) -> pl.DataFrame:
    split = pl.col("pair").str.split("_").list
    return pl.read_parquet(folder / "pandalm_testset.parquet").with_columns(
        first=split.first(), second=split.last()
    )


def coded(table: pl.DataFrame) -> tuple[list[str], npt.NDArray[np.int64], Array]:
    """Return the systems, the pairs and what people said."""
    names = sorted({*table["first"], *table["second"]})
    place = {name: k for k, name in enumerate(names)}
    pairs = np.array([[place[a], place[b]] for a, b in table.select("first", "second").rows()])
    return names, pairs, np.eye(3)[[WORDS.index(word) for word in table["human"]]]


def fixed_predictions(table: pl.DataFrame, outcome: Array) -> Array:
    """Return shares of outcomes by the judges' answers over every second item, plus one each."""
    judges = [name for name in table.columns if name.startswith("judge_")]
    cells = ["|".join(str(word) for word in row) for row in table.select(judges).rows()]
    half = np.arange(table.height) % 2 == 0
    shares = {}
    for cell in set(cells):
        counts = outcome[half & (np.array(cells) == cell)].sum(axis=0) + 1.0
        shares[cell] = counts / counts.sum()
    return np.array([shares[cell] for cell in cells])


def measure(table: pl.DataFrame, ties: str, draws: int | None = None) -> dict[str, Any]:
    """Return coverage by parameter, and RMSE over that of the labels alone."""
    options, draws = OPTIONS[ties], draws or DRAWS[ties]
    names, pairs, outcome = coded(table)
    f, n = fixed_predictions(table, outcome), table.height
    census = Setting(simple_design(np.arange(n), n))
    whole = pairwise_estimates(names, pairs, outcome, None, census, **options)
    truth = np.array([one.value for one in whole.values()])
    hits, errors = np.zeros(len(truth), dtype=int), []
    for k in range(draws):
        rows = np.sort(np.random.default_rng([6, k]).choice(n, n // 5, replace=False))
        setting = Setting(simple_design(rows, n))
        found = pairwise_estimates(names, pairs, outcome[rows], f, setting, **options)
        ends = np.array([tuple(one.interval()) for one in found.values()])
        hits += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        if k % 4 == 0:
            alone = pairwise_estimates(names, pairs, outcome[rows], None, setting, **options)
            errors.append([[one.value for one in other.values()] for other in (found, alone)])
    rmse = np.sqrt(((np.array(errors) - truth) ** 2).mean(axis=0))
    return {"names": list(whole), "hits": hits, "alone": rmse[0] / rmse[1], "draws": draws}


def check(found: dict[str, Any]) -> None:
    sys.stdout.write(f"{found}\n")
    for share in found["hits"]:
        ends = wilson(int(share), found["draws"])
        assert ends.high >= 0.93
        assert ends.low <= 0.97
    assert found["alone"].mean() < 0.9


@pytest.mark.parametrize("ties", OPTIONS)
def test_simulated_strengths_are_covered(ties: str) -> None:
    check(measure(simulated(), ties))


@pytest.mark.parametrize("ties", OPTIONS)
def test_strengths_on_pandalm_are_covered(shared_data: Path, ties: str) -> None:
    check(measure(pandalm(shared_data), ties))


def with_the_default_model(table: pl.DataFrame, draws: int) -> tuple[int, int, float]:
    """Return intervals that hold, their number, and RMSE over that of the labels alone."""
    names, pairs, outcome = coded(table)
    n = table.height
    census = Setting(simple_design(np.arange(n), n))
    whole = pairwise_estimates(names, pairs, outcome, None, census)
    truth = np.array([one.value for one in whole.values()])
    pool = bacon.read_pool(table, judges="judge_*", levels="1,2,tie")
    hits, errors = 0, []
    for k in range(draws):
        sample = bacon.UniformDesign(n=n // 5).draw(pool, seed=k)
        kept = table.filter(pl.col("item_id").is_in(sample.ids.tolist()))
        labels = bacon.read_labels(kept, id="item_id", value="human", levels="1,2,tie")
        cal = bacon.calibrate(pool, labels, sample=sample)
        found = cal.bradley_terry("first", "second")
        alone = cal.bradley_terry("first", "second", labels_alone=True)
        ends = np.array([tuple(one.interval()) for one in found.values()])
        hits += int(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).sum())
        errors.append([[one.value for one in other.values()] for other in (found, alone)])
    rmse = np.sqrt(((np.array(errors) - truth) ** 2).mean(axis=(0, 2)))
    return hits, draws * len(names), float(rmse[0] / rmse[1])


def test_the_default_model_covers_and_gains_on_pandalm(shared_data: Path) -> None:
    hits, number, ratio = with_the_default_model(pandalm(shared_data), 300)
    sys.stdout.write(f"{hits} of {number} intervals hold, RMSE {ratio:.3f} of labels alone\n")
    assert 0.93 <= hits / number <= 0.97
    assert ratio < 0.9
