"""Drawn items without a label: when their weights are modelled, and what is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import codes, essays, labels_of, message, people, rows_of

from bacon.calibration.alignment import align
from bacon.calibration.calibrate import calibrate
from bacon.errors import InputError
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import UniformDesign

N_ITEMS = 400


def situation(design=None, *, tie=2.0, pool=None, seed=0):
    """Return pool, sample, labels and answered rows, answers tied to the first judge."""
    pool = essays(N_ITEMS) if pool is None else pool
    sample = (design or UniformDesign(n=120)).draw(pool, seed=3)
    rows = np.array(rows_of(pool, sample.ids.tolist()))
    score = pool.judges[0].scores[rows, 0]
    chance = 1.0 / (1.0 + np.exp(-tie * (score - score.mean())))
    kept = rows[np.random.default_rng(seed).random(len(rows)) < chance]
    return pool, sample, labels_of(pool, sorted(kept)), np.sort(kept)


def run(pool, sample, labels, **options):
    return calibrate(pool, labels, sample=sample, **{"model": "ridge", **options})


def test_answers_that_go_with_a_judge_are_weighted():
    pool, sample, labels, rows = situation()
    cal = run(pool, sample, labels)
    assert cal.response.method == "model"
    assert cal.response.p_value < 1e-6
    assert cal.response.n_unanswered == 120 - len(rows)
    design = cal.aligned.design
    assert (design.kind, cal.aligned.kind) == ("poisson", "uniform")
    # The less a judge likes an item, the more an answered one stands for.
    score = pool.judges[0].scores[rows, 0]
    assert np.corrcoef(score, 1.0 / design.pi)[0, 1] < -0.5
    assert (1.0 / design.pi).sum() == pytest.approx(N_ITEMS)
    told = message(cal, "unanswered")
    assert "who answered goes (p below 0.001) with judges or features" in told
    assert "which nothing here checks" in told


def test_answers_by_chance_keep_the_plain_weights():
    pool, sample, labels, rows = situation(tie=0.0)
    cal = run(pool, sample, labels)
    assert (cal.response.method, cal.response.p_value > 0.2) == ("rate", True)
    np.testing.assert_allclose(cal.aligned.design.pi, len(rows) / N_ITEMS)
    assert cal.aligned.design.kind == "simple"
    assert "shows no clear tie to judges and features (p 0." in message(cal, "unanswered")


def test_a_weak_tie_is_told_as_one():
    found = [run(*situation(tie=0.35, seed=seed)[:3]) for seed in range(8)]
    weak = [cal for cal in found if 0.01 < cal.response.p_value < 0.2]
    assert weak
    for cal in weak:
        assert cal.response.method == "model"
        assert "who answered may go (p 0." in message(cal, "unanswered")


def test_the_user_decides():
    pool, sample, labels, rows = situation()
    plain = run(pool, sample, labels, nonresponse="rate")
    np.testing.assert_allclose(plain.aligned.design.pi, len(rows) / N_ITEMS)
    assert "--nonresponse model" in message(plain, "unanswered")
    by_chance = situation(tie=0.0)
    assert run(*by_chance[:3], nonresponse="model").response.method == "model"
    with pytest.raises(InputError, match="nonresponse must be one of auto, model, rate; got 'no'"):
        run(pool, sample, labels, nonresponse="no")


def test_human_only_estimates_are_mended_as_well():
    pool, sample, labels, _ = situation()
    truth = people(pool).mean()
    plain = run(pool, sample, labels, model="human-only", nonresponse="rate").mean()
    mended = run(pool, sample, labels, model="human-only").mean()
    assert plain.interval().low > truth
    assert mended.interval().low < truth < mended.interval().high


def test_too_few_of_a_kind_are_told_or_refused():
    pool, sample, _, _ = situation()
    rows = rows_of(pool, sample.ids.tolist())
    labels = labels_of(pool, [*rows[:5], *rows[14:]])
    cal = run(pool, sample, labels)
    assert cal.response.method == "rate"
    assert np.isnan(cal.response.p_value)
    assert "too few to see" in message(cal, "unanswered")
    with pytest.raises(InputError, match=r"needs 10 answered and 10 unanswered .* there are 9"):
        run(pool, sample, labels, nonresponse="model")


def test_nothing_known_of_the_items_is_told_or_refused():
    pool, sample, labels, _ = situation()
    bare = replace(pool, judges=(), text=None)
    cal = run(bare, sample, labels, model="human-only")
    assert cal.response.method == "rate"
    with pytest.raises(InputError, match="nothing is known of the drawn items"):
        run(bare, sample, labels, model="human-only", nonresponse="model")


def test_a_finished_prefix_is_a_sample_unless_a_model_is_asked_for():
    pool, sample, _, _ = situation()
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()[:80]))
    cal = run(pool, sample, labels)
    assert cal.response is None
    assert "finished_prefix" in codes(cal)
    assert run(pool, sample, labels, nonresponse="model").response.method == "model"


def test_a_full_sheet_has_nothing_to_weigh():
    pool, sample, _, _ = situation()
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    assert run(pool, sample, labels).response is None
    assert run(pool, sample, labels, nonresponse="model").response is None


def test_strata_are_stood_for_by_their_own_answers():
    pool, sample, labels, rows = situation(StratifiedDesign(n=120, strata="system"))
    cal = run(pool, sample, labels)
    assert cal.response.method == "model"
    system = np.array(pool.table["system"].to_list())
    for name in np.unique(system):
        weight = (1.0 / cal.aligned.design.pi)[system[rows] == name].sum()
        assert weight == pytest.approx((system == name).sum())


def test_given_chances_are_multiplied_by_the_modelled_ones():
    pi = np.random.default_rng(5).uniform(0.15, 0.7, size=N_ITEMS).tolist()
    pool, sample, labels, rows = situation(ProbabilityDesign(), pool=essays(N_ITEMS, pi=pi))
    cal = run(pool, sample, labels)
    assert (cal.response.method, cal.aligned.design.kind) == ("model", "fixed")
    drawn = rows_of(pool, sample.ids.tolist())
    total = (1.0 / np.array(pi)[drawn]).sum()
    assert (1.0 / cal.aligned.design.pi).sum() == pytest.approx(total)
    assert np.all(cal.aligned.design.pi <= np.array(pi)[rows])


def test_clusters_stay_the_units_and_are_not_tested():
    pool, sample, labels, _ = situation(ClusterDesign(n_clusters=40, column="prompt_id"))
    cal = run(pool, sample, labels)
    # Prompts that go unanswered together are no sign of a tie.
    assert (cal.response.method, np.isnan(cal.response.p_value)) == ("rate", True)
    modelled = run(pool, sample, labels, nonresponse="model")
    design = modelled.aligned.design
    assert design.kind == "clusters"
    assert design.psu is not None
    assert (1.0 / design.pi).sum() == pytest.approx(sample.n_drawn * 134 / 40)
    assert modelled.mean().df == design.psu.max()


def test_the_drawn_design_is_that_of_a_full_answer():
    for design in (UniformDesign(n=60), StratifiedDesign(n=60, strata="system")):
        pool, sample, labels, _ = situation(design)
        full = labels_of(pool, rows_of(pool, sample.ids.tolist()))
        part = align(pool, labels, "human", sample=sample).drawn
        whole = align(pool, full, "human", sample=sample)
        assert whole.drawn is None
        np.testing.assert_array_equal(part.design.rows, whole.design.rows)
        np.testing.assert_allclose(part.design.pi, whole.design.pi)
        assert part.answered.sum() == labels.n_labels


def test_the_same_seed_gives_the_same_weights():
    pool, sample, labels, _ = situation()
    first, second = (run(pool, sample, labels, seed=4) for _ in range(2))
    np.testing.assert_array_equal(first.aligned.design.pi, second.aligned.design.pi)
    other = run(pool, sample, labels, seed=5)
    assert not np.array_equal(first.aligned.design.pi, other.aligned.design.pi)


def test_features_can_tell_who_answers():
    pool = essays(N_ITEMS)
    words = np.random.default_rng(1).normal(size=N_ITEMS)
    pool = replace(pool, features=words[:, None], feature_names=("words",))
    sample = UniformDesign(n=160).draw(pool, seed=3)
    rows = np.array(rows_of(pool, sample.ids.tolist()))
    labels = labels_of(pool, sorted(rows[words[rows] < 0.5]))
    assert run(pool, sample, labels).response.p_value < 1e-3


def test_raised_chances_are_told():
    pool, sample, labels, _ = situation(tie=4.0)
    cal = run(pool, sample, labels)
    assert "below a fifth of the average" in message(cal, "response_floored")
    floor = 0.2 * len(labels.ids) / 120
    assert cal.aligned.design.pi.min() >= floor * 120 / N_ITEMS * (1.0 - 1e-12)
