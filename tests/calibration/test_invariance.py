"""What must not matter: a judge's units and sign, the order of rows and labels, the time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import PI, N, calibrated, drawn, essays, labels_of, rescaled, rows_of
from tests.factories import make_pool, permuted

from bacon.calibration.calibrate import calibrate
from bacon.data.pool import Judge, Uncertainty
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import UniformDesign

ESTIMANDS = ("mean", "sd", "quantile:0.5", "proportion:ge:4", "proportion:between:2:3")
DESIGNS = {
    "uniform": UniformDesign(n=30),
    "stratified": StratifiedDesign(n=30, strata="system"),
    "poisson": ProbabilityDesign(method="poisson"),
    "systematic": ProbabilityDesign(),
    "clusters": ClusterDesign(n_clusters=12, column="prompt_id"),
}


def numbers(calibration):
    """Every estimate, standard error and interval end, without figures of raw judges."""
    record = calibration.to_dict(*ESTIMANDS)
    found = [record["r2"]]
    for one in record["estimates"]:
        found += [one["estimate"], one["effective_labels"], one["human_only"]["estimate"]]
        for place in (one["intervals"], one["human_only"]["intervals"]):
            for interval in place.values():
                found += [interval["se"], *interval["ci"], interval["df"]]
    return np.array(found, dtype=np.float64)


def draw_and_label(pool, design):
    sample = design.draw(pool, seed=3)
    return sample, labels_of(pool, rows_of(pool, sample.ids.tolist()))


def options_for(name):
    """Return the default model for one design, and for the others the quick one."""
    return {"model": "stack" if name == "uniform" else "ridge", "folds": 5}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("turned", [(0,), (1,), (0, 1)])
def test_the_units_and_the_sign_of_a_judge_change_nothing(name, turned):
    pool = essays(pi=PI)
    sample, labels = draw_and_label(pool, DESIGNS[name])
    judges = tuple(rescaled(j) if k in turned else j for k, j in enumerate(pool.judges))
    other = replace(pool, judges=judges)
    one, two = (calibrate(p, labels, sample=sample, **options_for(name)) for p in (pool, other))
    np.testing.assert_allclose(numbers(two), numbers(one), rtol=0, atol=1e-8)


@pytest.mark.parametrize("crossfit", ["ensemble", "refit"])
@pytest.mark.parametrize(
    ("model", "turned"), [("stack", (0, 1, 2)), ("ridge", (0,)), ("ridge", (1,)), ("ridge", (2,))]
)
def test_units_do_not_matter_with_gaps_embeddings_and_clusters_either(crossfit, model, turned):
    pool = make_pool(N)
    rng = np.random.default_rng(2)
    gaps = pool.judges[0].scores.copy()
    gaps[rng.choice(N, 9, replace=False)] = np.nan
    third = Judge("judge_third", ("a", "b"), rng.normal(size=(N, 2)) + gaps / 3)
    pool = replace(
        pool,
        judges=(replace(pool.judges[0], scores=gaps), pool.judges[1], third),
        embeddings=rng.normal(size=(N, 5)),
    )
    whole = replace(pool, judges=(make_pool(N).judges[0], make_pool(N).judges[1]))
    sample, labels = drawn(whole)
    judges = tuple(rescaled(j) if k in turned else j for k, j in enumerate(pool.judges))
    one, two = (
        calibrate(p, labels, sample=sample, crossfit=crossfit, model=model, folds=5)
        for p in (pool, replace(pool, judges=judges))
    )
    np.testing.assert_allclose(numbers(two), numbers(one), rtol=0, atol=1e-8)


def doubting(pool, seed=4):
    """The pool with runs, entropy, log-probability and expected scores, some of them missing."""
    rng = np.random.default_rng(seed)

    def told(judge, kind, values):
        values = np.where(rng.random(len(values)) < 0.1, np.nan, values)
        return Uncertainty(kind, (f"{judge.name}__{kind}",), values.reshape(-1, 1))

    gpt, llama = pool.judges
    score = llama.scores[:, 0]
    gpt = replace(gpt, uncertainty=(told(gpt, "entropy", rng.random(N)),))
    unsure = (
        told(llama, "expected", score + 0.2 * rng.normal(size=N)),
        told(llama, "logprob", -rng.gamma(2.0, size=N)),
    )
    llama = replace(llama, uncertainty=unsure)
    runs = score[:, None] + rng.gamma(1.0, size=(N, 1)) * rng.normal(size=(N, 3))
    return replace(pool, judges=(gpt, llama, Judge("judge_runs", ("r1", "r2", "r3"), runs)))


def in_other_units(judge):
    """The judge turned round and shifted, with its expected score."""
    unsure = tuple(
        replace(u, values=-0.1 * u.values + 7.0) if u.kind == "expected" else u
        for u in judge.uncertainty
    )
    return replace(rescaled(judge), uncertainty=unsure)


@pytest.mark.parametrize("turned", [(0,), (1,), (2,), (0, 1, 2)])
def test_units_do_not_matter_with_uncertainty_either(turned):
    pool = doubting(essays())
    sample, labels = drawn(pool, n=45)
    judges = tuple(in_other_units(j) if k in turned else j for k, j in enumerate(pool.judges))
    one, two = (
        calibrate(p, labels, sample=sample, model="ridge")
        for p in (pool, replace(pool, judges=judges))
    )
    assert (one.feature_map.blocks == 2).sum() == 5
    np.testing.assert_allclose(numbers(two), numbers(one), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_order_of_rows_changes_nothing(name):
    pool = essays(pi=PI)
    sample, labels = draw_and_label(pool, DESIGNS[name])
    order = np.random.default_rng(1).permutation(N)
    other = replace(permuted(pool, order), cluster=None)
    one, two = (calibrate(p, labels, sample=sample, **options_for(name)) for p in (pool, other))
    np.testing.assert_allclose(numbers(two), numbers(one), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strata": "system", "model": "ridge"},
        {"crossfit": "refit", "model": "ridge"},
        {"model": "human-only"},
    ],
)
def test_the_order_of_rows_changes_nothing_where_the_draw_is_assumed(options):
    pool = make_pool(N)
    labels = labels_of(pool, np.random.default_rng(1).choice(N, 36, replace=False))
    shuffled = permuted(pool, np.random.default_rng(3).permutation(N))
    one, two = (calibrate(p, labels, folds=5, **options) for p in (pool, shuffled))
    np.testing.assert_allclose(numbers(two), numbers(one), rtol=1e-12, atol=1e-12)


def test_the_order_of_labels_changes_nothing():
    pool = essays()
    rows = list(range(0, N, 3))
    one, two = (calibrate(pool, labels_of(pool, order), folds=5) for order in (rows, rows[::-1]))
    np.testing.assert_array_equal(numbers(one), numbers(two))


def test_the_same_seed_gives_the_same_and_another_seed_other_folds():
    one, two, other = (calibrated(seed=seed) for seed in (5, 5, 6))
    assert one.to_dict(*ESTIMANDS) == two.to_dict(*ESTIMANDS)
    assert one.mean().value != other.mean().value
    np.testing.assert_allclose(one.mean().value, other.mean().value, atol=one.mean().se())
