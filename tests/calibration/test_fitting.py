"""Which folds suit which design."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import PI, N, essays, labels_of, rows_of
from tests.factories import make_pool

from bacon.calibration.alignment import align
from bacon.calibration.calibrate import calibrate
from bacon.calibration.fitting import fold_plan
from bacon.errors import InputError
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import UniformDesign


def plan_of(pool, design, folds="auto", draw=3):
    sample = design.draw(pool, seed=draw)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    aligned = align(pool, labels, "human", sample=sample)
    return fold_plan(pool, aligned, folds, 0), aligned


def test_a_simple_draw_deals_its_labels_evenly():
    plan, aligned = plan_of(essays(), UniformDesign(n=33))
    rows = aligned.design.rows
    assert plan.k == 10
    assert sorted(np.bincount(plan.fold[rows]).tolist()) == [3] * 7 + [4] * 3
    assert (np.delete(plan.fold, rows) == -1).all()
    assert plan.stratum is None


def test_strata_are_dealt_within():
    plan, aligned = plan_of(essays(), StratifiedDesign(n=30, strata="system"), folds=5)
    for stratum in range(3):
        own = aligned.design.rows[aligned.stratum[aligned.design.rows] == stratum]
        assert np.bincount(plan.fold[own], minlength=5).tolist() == [2] * 5


def test_an_unlabelled_item_mixes_the_fold_models_as_its_stratum_has_them():
    pool = essays()
    sample = StratifiedDesign(n=24, strata="system").draw(pool, seed=3)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    found, plan, rows = cal.fitted.predictions, cal.fitter.plan, cal.aligned.design.rows
    for stratum in range(3):
        own = rows[found.stratum[rows] == stratum]
        shares = np.bincount(plan.fold[own], minlength=10) / 8
        np.testing.assert_allclose(found.weights[stratum], shares)
        rest = np.setdiff1d(np.flatnonzero(found.stratum == stratum), rows)
        said = [model.predict(cal.fitter.x[rest]) for model in cal.fitted.models]
        np.testing.assert_allclose(cal.f[rest], shares @ said)
    assert not np.allclose(found.weights[0], found.weights[1])


def test_drawn_clusters_stay_whole():
    pool = essays()
    plan, aligned = plan_of(pool, ClusterDesign(12, "prompt_id"))
    rows = aligned.design.rows
    for prompt in np.unique(rows // 3):
        assert len(np.unique(plan.fold[rows[rows // 3 == prompt]])) == 1
    assert plan.k == 10


@pytest.mark.parametrize("method", ["poisson", "systematic"])
def test_unequal_probabilities_deal_the_whole_pool(method):
    pool = essays(pi=PI)
    plan, _ = plan_of(pool, ProbabilityDesign(method=method))
    assert sorted(np.bincount(plan.fold).tolist()) == [9] * 10
    other, _ = plan_of(pool, ProbabilityDesign(method=method), draw=4)
    # Dealt without a look at who was drawn.
    np.testing.assert_array_equal(plan.fold, other.fold)


def test_shared_clusters_deal_the_whole_pool_by_cluster():
    pool = make_pool(N)
    plan, _ = plan_of(pool, UniformDesign(n=33))
    for prompt in range(30):
        assert len(np.unique(plan.fold[pool.cluster.codes == prompt])) == 1
    assert (plan.fold >= 0).all()


def test_a_labelled_item_never_helps_to_predict_itself():
    for pool in (essays(), make_pool(N)):
        sample = UniformDesign(n=30).draw(pool, seed=3)
        rows = np.array(rows_of(pool, sample.ids.tolist()))
        y = np.full(N, 3.0)
        y[rows] = np.random.default_rng(0).integers(1, 7, 30)
        before = calibrate(
            pool, labels_of(pool, rows, human=y.tolist()), sample=sample, model="ridge"
        )
        y[rows[0]] += 100
        after = calibrate(
            pool, labels_of(pool, rows, human=y.tolist()), sample=sample, model="ridge"
        )
        assert after.f[rows[0]] == before.f[rows[0]]
        assert not np.allclose(after.f, before.f)


def test_pools_without_anything_to_learn_from_are_refused():
    pool = replace(essays(), text=None)
    flat = tuple(replace(judge, scores=np.full((N, 1), 3.0)) for judge in pool.judges)
    labels = labels_of(pool, range(0, N, 3))
    with pytest.raises(InputError, match="nothing to calibrate; use --model human-only"):
        calibrate(replace(pool, judges=flat), labels, model="ridge")
    assert calibrate(replace(pool, judges=flat), labels, model="human-only").n_labels == 30


def test_a_constant_judge_is_left_out_and_told():
    pool = essays()
    flat = replace(pool.judges[1], scores=np.full((N, 1), 3.0))
    cal = calibrate(
        replace(pool, judges=(pool.judges[0], flat)), labels_of(pool, range(0, N, 3)), model="ridge"
    )
    (told,) = (n.message for n in cal.notices if n.code == "constant_columns")
    assert told.startswith("Left out because")
    assert told.endswith("for every item: judge_llama.")
