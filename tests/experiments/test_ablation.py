"""Pools with some of what is known taken away."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.experiments.cases import N, essays, table

import bacon
from bacon.errors import InputError
from bacon.experiments.ablation import ablated, check_use
from bacon.experiments.baselines import InSample
from bacon.experiments.configurations import Asked, named
from bacon.experiments.plan import Plan
from bacon.experiments.run import simulate


def rich() -> bacon.Pool:
    """A pool with judges, a feature, a text and embeddings."""
    rows = table().with_columns(text=table()["item_id"])
    embeddings = np.random.default_rng(1).normal(size=(N, 3))
    return bacon.read_pool(
        rows, label="human", features=["judge_b__entropy"], text="text", embeddings=embeddings
    )


def test_what_is_named_is_kept_and_nothing_else() -> None:
    pool = rich()
    judges = ablated(pool, "judges")
    assert [one.name for one in judges.judges] == ["judge_a", "judge_b"]
    assert judges.embeddings is None
    assert (judges.feature_names, judges.text) == ((), None)
    assert ablated(pool, "embeddings+text").embeddings is pool.embeddings
    assert ablated(pool, "embeddings+text").text == "text"
    assert ablated(pool, "features").feature_names == pool.feature_names
    single = ablated(pool, "embeddings+judge:judge_b")
    assert [one.name for one in single.judges] == ["judge_b"]
    nothing = ablated(pool, "nothing")
    assert (nothing.judges, nothing.embeddings, nothing.features.shape) == ((), None, (N, 0))


def test_a_judges_name_may_hold_a_plus() -> None:
    rows = table().rename({"judge_b": "judge_chrf++_ref"})
    pool = bacon.read_pool(rows, label="human")
    assert [one.name for one in ablated(pool, "judge:judge_chrf++_ref").judges] == [
        "judge_chrf++_ref"
    ]


def test_a_pool_is_made_once() -> None:
    pool = rich()
    assert ablated(pool, "all") is pool
    assert ablated(pool, "judges") is ablated(pool, "judges")


@pytest.mark.parametrize(
    "use", ["", "judge", "judges+magic", "judges,embeddings", "+judge:judge_a"]
)
def test_unknown_words_are_refused(use: str) -> None:
    with pytest.raises(InputError, match="write all, nothing, or some of judges"):
        check_use(use)
    with pytest.raises(InputError, match="is not known"):
        named(f"mine:use={use}", Asked()) if "," not in use else ablated(rich(), use)


@pytest.mark.parametrize("use", ["all+judges", "nothing+text", "judges+judge:a"])
def test_words_that_contradict_each_other_are_refused(use: str) -> None:
    with pytest.raises(InputError, match=r"stands alone|write one of both"):
        check_use(use)


def test_what_the_pool_has_not_is_refused() -> None:
    with pytest.raises(InputError, match="the pool has no embeddings to use"):
        ablated(essays().pool, "embeddings")
    with pytest.raises(InputError, match="the pool has no judge:judge_c to use"):
        ablated(essays().pool, "judge:judge_c")


def test_a_configuration_uses_what_it_names() -> None:
    full = essays()
    both, one = "both:model=ridge", "one:model=ridge,use=judge:judge_a"
    plan = Plan(
        full,
        [bacon.UniformDesign(n=40)],
        ["human-only", both, one, "no:model=human-only,use=nothing"],
    )
    results = simulate(plan, trials=2).results
    estimates = {
        name: results.filter(configuration=name)["estimate"].to_list()
        for name in ("human-only", "both", "one", "no")
    }
    assert estimates["no"] == pytest.approx(estimates["human-only"], abs=1e-12)
    assert all(a != b for a, b in zip(estimates["both"], estimates["one"], strict=True))


def test_in_sample_is_the_refit_and_its_own_errors() -> None:
    full = essays()
    sample = bacon.UniformDesign(n=40).draw(full.pool, seed=3)
    labels = full.labels(full.rows_of(sample))
    said = InSample(("mean",), 0.95, {"model": "ridge"})(full.pool, labels, sample, 1)
    f = said.predictions["mean"].f
    error = (full.y - f)[full.rows_of(sample)]
    answer = said.answers["mean", None]
    assert answer.value == pytest.approx(f.mean() + error.mean())
    reach = stats.t.ppf(0.975, 39) * error.std(ddof=1) / math.sqrt(40)
    assert answer.pool == pytest.approx((answer.value - reach, answer.value + reach))
    # One model: what it says follows the labels closer than models that left them out.
    cal = bacon.calibrate(full.pool, labels, sample=sample, model="ridge", seed=1)
    rows = cal.aligned.design.rows
    assert error.std() < (full.y - cal.f)[rows].std()


def test_in_sample_has_means_only() -> None:
    with pytest.raises(InputError, match="means only"):
        named("in-sample", Asked(estimands=("sd",)))
