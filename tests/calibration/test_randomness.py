"""Labels that were picked are detected, and random ones are left in peace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import PI, N, codes, essays, labels_of, message, people, rescaled

from bacon.calibration.calibrate import calibrate
from bacon.calibration.randomness import describe_difference, randomness_notice
from bacon.estimation.designs import simple_design, stratified_design


def test_the_best_judged_items_are_no_random_sample():
    pool = essays()
    best = np.argsort(-pool.judges[0].scores[:, 0], kind="stable")[:30]
    cal = calibrate(pool, labels_of(pool, best), model="ridge")
    assert codes(cal)[:2] == ["assumed_sample", "labels_not_random"]
    gap = pool.judges[0].scores[best].mean() - pool.judges[0].scores.mean()
    assert f"on judge_gpt by {gap:+.3g}" in message(cal, "labels_not_random")
    # Told before any number is.
    assert cal.summary().splitlines()[1].startswith("The labelled rows differ from the pool")


def test_the_worst_judged_of_each_stratum_are_not_random_either():
    pool = essays()
    score = pool.judges[0].scores[:, 0]
    worst = [row for system in range(3) for row in sorted(range(system, N, 3), key=score.item)[:10]]
    cal = calibrate(pool, labels_of(pool, worst), strata="system", model="ridge")
    assert "labels_not_random" in codes(cal)


def test_random_draws_raise_almost_no_alarm():
    # At 99.9 % over both judges together 0.2 alarms are expected in 200 draws.
    pool = essays(300)
    alarms = 0
    for seed in range(200):
        rows = np.sort(np.random.default_rng(seed).choice(300, 40, replace=False))
        alarms += len(randomness_notice(pool, simple_design(rows, 300)))
    assert alarms <= 2


def test_small_random_draws_raise_almost_no_alarm_on_many_skewed_judges():
    rng = np.random.default_rng(0)
    pool = essays(300)
    judges = tuple(
        replace(pool.judges[0], name=f"judge_{k}", scores=rng.lognormal(size=(300, 1)))
        for k in range(10)
    )
    pool = replace(pool, judges=judges)
    alarms = 0
    for _ in range(60):
        rows = np.sort(rng.choice(300, 12, replace=False))
        alarms += len(randomness_notice(pool, simple_design(rows, 300)))
    assert alarms <= 1


def test_a_rare_score_twice_in_a_small_draw_is_chance():
    # Two of five where 3 % have it: of the pool's spread 4.8 errors, but the five labelled
    # items themselves show how uncertain that is.
    pool = essays(300)
    rare = replace(pool.judges[0], scores=(np.arange(300) < 9).astype(float).reshape(-1, 1))
    rows = np.array([0, 1, 100, 200, 250])
    assert not randomness_notice(replace(pool, judges=(rare,)), simple_design(rows, 300))


def test_the_best_of_each_stratum_of_a_judge_are_found_on_that_judge():
    pool = essays(300)
    rank = np.argsort(np.argsort(pool.judges[1].scores[:, 0]))
    stratum = rank // 60
    best = np.flatnonzero(rank % 60 >= 50)
    only = replace(pool, judges=pool.judges[1:])
    design, _ = stratified_design(stratum, best)
    assert randomness_notice(only, design, stratum)


def test_the_lowest_of_a_heavy_tailed_judge_are_found():
    pool = essays(300)
    score = np.random.default_rng(1).lognormal(sigma=2.0, size=300)
    lowest = np.sort(np.argsort(score)[:30])
    judge = replace(pool.judges[0], scores=score.reshape(-1, 1))
    assert randomness_notice(replace(pool, judges=(judge,)), simple_design(lowest, 300))


def test_items_picked_for_the_same_score_show_no_spread_and_are_found_all_the_same():
    pool = essays()
    score = pool.judges[0].scores[:, 0]
    alike = np.flatnonzero(score == 6)[:8]
    assert len(alike) == 8
    only = replace(pool, judges=pool.judges[:1])
    assert randomness_notice(only, simple_design(alike, N))
    assert randomness_notice(only, stratified_design(np.arange(N) % 2, alike)[0])


def test_a_draw_stratified_by_a_judge_differs_on_it_by_design():
    # Equal numbers from unequal strata: weights undo what allocation did.
    pool = essays(300)
    low = (pool.judges[1].scores[:, 0] > np.quantile(pool.judges[1].scores, 0.9)).astype(np.int64)
    rng = np.random.default_rng(4)
    rows = np.sort(
        np.concatenate([rng.choice(np.flatnonzero(low == h), 20, replace=False) for h in (0, 1)])
    )
    assert randomness_notice(pool, simple_design(rows, 300))
    assert not randomness_notice(pool, stratified_design(low, rows)[0], low)


def test_a_recorded_draw_is_not_doubted():
    pool = essays(pi=PI)
    best = np.argsort(-pool.judges[0].scores[:, 0], kind="stable")[:30]
    assert "labels_not_random" not in codes(calibrate(pool, labels_of(pool, best), model="ridge"))


def test_the_units_of_a_judge_do_not_matter():
    pool = essays()
    best = np.sort(np.argsort(-pool.judges[0].scores[:, 0], kind="stable")[:30])
    turned = replace(pool, judges=(rescaled(pool.judges[0]), pool.judges[1]))
    one, two = (randomness_notice(p, simple_design(best, N)) for p in (pool, turned))
    assert len(one) == len(two) == 1


def test_missing_scores_count_as_the_mean_of_the_judge():
    pool = essays()
    scores = pool.judges[0].scores.copy()
    best = np.sort(np.argsort(-scores[:, 0], kind="stable")[:30])
    scores[best] = np.nan
    masked = replace(pool, judges=(replace(pool.judges[0], scores=scores), pool.judges[1]))
    assert "judge_gpt" not in "".join(
        notice.message for notice in randomness_notice(masked, simple_design(best, N))
    )


def test_strata_explain_a_difference_that_a_simple_draw_does_not():
    # Half of the low and a tenth of the high items are labelled, at random in each.
    pool = essays(300)
    low = pool.judges[0].scores[:, 0] <= 4
    rng = np.random.default_rng(2)
    rows = np.sort(
        np.concatenate(
            [
                rng.choice(np.flatnonzero(low), low.sum() // 2, replace=False),
                rng.choice(np.flatnonzero(~low), (~low).sum() // 10, replace=False),
            ]
        )
    )
    design, _ = stratified_design(low.astype(np.int64), rows)
    assert randomness_notice(pool, simple_design(rows, 300))
    assert not randomness_notice(pool, design)


@pytest.mark.parametrize("rows", [[5], list(range(N))])
def test_one_label_and_a_census_cannot_be_judged(rows):
    assert randomness_notice(essays(), simple_design(np.array(rows), N)) == ()


def test_a_pool_without_numeric_judges_cannot_be_judged():
    pool = essays()
    words = replace(pool, judges=(replace(pool.judges[0], levels=("a", "b")),))
    assert randomness_notice(words, simple_design(np.arange(20), N)) == ()


def test_the_widest_difference_of_two_sets_by_hand():
    pool = essays(4)
    judge = replace(pool.judges[0], scores=np.array([[1.0], [3.0], [5.0], [np.nan]]))
    same = replace(pool.judges[1], scores=np.full((4, 1), 2.0))
    told = describe_difference(
        replace(pool, judges=(judge, same)), np.array([2, 3]), np.array([0, 1])
    )
    # 5 against a mean of 2, in units of the SD of 1, 3, 5, which is sqrt(8/3).
    assert told == (" On judge_gpt they score +3 against the others (1.84 SD), the widest gap.")
    nobody = describe_difference(replace(pool, judges=(same,)), np.array([2]), np.array([0]))
    assert nobody == ""


def test_labels_good_for_the_estimate_are_not_what_is_tested():
    # People who like everything are no reason to doubt the draw: only judges are compared.
    pool = essays()
    rows = np.sort(np.random.default_rng(3).choice(N, 30, replace=False))
    generous = np.minimum(people(pool) + 2, 6)
    assert "labels_not_random" not in codes(
        calibrate(pool, labels_of(pool, rows, human=generous.tolist()), model="ridge")
    )
