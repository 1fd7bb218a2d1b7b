"""The benchmark of two-stage draws: what it keeps, and how its figures come about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.factories import bench_script

import bacon
from bacon.replication.synthetic import LAMBDAS, synthetic_pool
from bacon.replication.synthetic_figures import ALONE, ONE, TWO
from bacon.sampling.budget import joint_probabilities

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(name="bench", scope="module")
def _bench() -> ModuleType:
    folder = Path(__file__).parents[2] / "bench"
    with pytest.MonkeyPatch.context() as patch:
        # It imports its neighbours, as a script can.
        patch.syspath_prepend(str(folder))
        return bench_script("adaptive.py")


@pytest.fixture(name="trials", scope="module")
def _trials() -> ModuleType:
    return bench_script("lib/adaptive_trials.py")


@pytest.fixture(name="page", scope="module")
def _page() -> ModuleType:
    return bench_script("lib/adaptive_page.py")


def test_the_papers_grids_are_drawn(bench):
    cells = list(bench.synthetic_cells())
    assert len(cells) == len({cell.name for cell in cells}) == 16
    assert {cell.pool for cell in cells} == {f"synthetic:{x:g}" for x in LAMBDAS}
    assert all(cell.trials == 400 and cell.pilot < cell.rate for cell in cells)


def test_a_line_cut_off_is_drawn_again(bench, tmp_path):
    path = tmp_path / "cell.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n{"a"', encoding="utf-8")
    assert bench.kept(path) == [{"a": 1}, {"a": 2}]
    assert path.read_text(encoding="utf-8") == '{"a": 1}\n{"a": 2}\n'
    assert bench.kept(tmp_path / "none.jsonl") == []


def test_a_trial_measures_what_it_says(trials):
    full = synthetic_pool(1.5)
    cell = trials.Cell("synthetic:1.5", 0.05, 0.1, "ridge")
    found = trials.trial(full, cell, 7)
    assert json.loads(json.dumps(found)) == found
    assert found["expected"] == pytest.approx(460.0)
    assert found["direct_variance"] == pytest.approx(full.y.var(ddof=1) * (1 / 460 - 1 / 4600))
    assert found["two_variance"] < found["one_variance"] < found["direct_variance"]
    assert trials.trial(full, cell, 7) == found
    # The same by hand.
    design = bacon.TwoStageDesign(rate=0.1, pilot=0.05)
    pilot = design.draw(full.pool, seed=7)
    hard = trials.calibrated(full, pilot, "ridge", 7).hardness(rate=0.1)
    two = trials.calibrated(full, design.extend(pilot, hard, 7, pool=full.pool), "ridge", 7)
    e = joint_probabilities(hard.drawing, rate=0.1, pilot=0.05)
    r = full.y - two.f
    by_hand = np.sum((1 - e) / e * (r - r.mean()) ** 2) / 4600**2
    assert found["two_variance"] == pytest.approx(by_hand)
    assert found["two_error"] == pytest.approx(two.mean().value - full.y.mean())


def test_shuffled_residuals_are_the_same_ones(trials):
    full = synthetic_pool(1.5)
    cal = trials.calibrated(full, bacon.UniformDesign(n=80).draw(full.pool, seed=1), "ridge", 1)
    own = cal.f[cal.aligned.design.rows]
    dealt = trials.shuffled(cal, 1).aligned.y - own
    assert sorted(dealt) == pytest.approx(sorted(cal.aligned.y - own))
    assert not np.allclose(dealt, cal.aligned.y - own)


def test_ratios_bias_and_points(page, trials):
    m = 50
    rng = np.random.default_rng(0)
    one, two = 2.0 * rng.normal(size=m), 1.0 * rng.normal(size=m)
    draws = pl.DataFrame(
        {
            **{"one_error": one, "two_error": two, "direct_error": 3.0 * one},
            "one_variance": np.full(m, 4.0),
            "two_variance": np.full(m, 1.0),
            "direct_variance": np.full(m, 36.0),
            "n_drawn": np.full(m, 11),
            "expected": np.full(m, 10.0),
            "uniform_share": np.full(m, 0.25),
            "two_covers": np.arange(m) < 48,
            "two_square": np.full(m, 1.0),
        }
    )
    assert page.by_design(draws, 1.0).value == pytest.approx(0.25)
    assert page.by_design(draws, 0.5).value == pytest.approx(0.5)
    assert page.by_error(draws).value == pytest.approx((two**2).sum() / (one**2).sum())
    assert page.bias(draws).value == pytest.approx(two.mean() / two.std(ddof=1))
    study = trials.Cell("synthetic:1.5", 0.15, 0.4, "ridge")
    cells = {
        "synthetic": [(study, draws)],
        "pools": [(trials.Cell("hanna", 0.1, 0.2, shuffled=True), draws.drop("two_error"))],
        "hardness": [],
        "coverage": [(trials.Cell("hanna", 0.1, 0.2, alone=True), draws)],
    }
    text = page.page_text(cells)
    assert "| 1.5 | 0.15 | 0.4 | 0.250 (0.250-0.250) |" in text
    assert (
        "| hanna | 0.1 | 0.2 | gamma, shuffled | 0.500 (0.500-0.500) | 0.25 | 1.100 | 50 |" in text
    )
    assert "| hanna | 0.1 | 0.2 | 0.960 (" in text
    (point,) = page.points_of(cells["synthetic"])
    assert (point.lam, point.pilot, point.rate, point.n_labels) == (1.5, 0.15, 0.4, 11.0)
    assert np.array_equal(point.errors[TWO], two)
    assert np.array_equal(point.errors[ALONE], 3.0 * one)
    assert np.array_equal(point.variances[ONE], np.full(m, 4.0))
