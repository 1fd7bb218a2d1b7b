"""The simulated essays: known truth, biased judges, and an estimate that finds it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from bacon.demo import CUTS, essays, run_demo


def test_essays_are_as_described():
    table, human = essays(4000, seed=3)
    judges = ["judge_generous", "judge_peaked", "judge_noisy"]
    assert table.columns == ["item_id", "words", *judges]
    assert table["item_id"].n_unique() == 4000
    assert set(human) == {1, 2, 3, 4, 5, 6}
    generous, peaked, noisy = (table[name] for name in judges)
    # Generous by 0.4 or more, and pleased by length where people are not.
    assert generous.mean() > human.mean() + 0.4
    log_words = np.log(table["words"].to_numpy())
    assert np.corrcoef(generous.to_numpy(), log_words)[0, 1] > 0.2
    assert abs(np.corrcoef(human, log_words)[0, 1]) < 0.06
    # A mode at 4 that people do not have.
    assert (peaked == 4).mean() > 0.6 > 2 * (human == 4).mean() - 0.05
    assert 0.01 < noisy.null_count() / 4000 < 0.03
    for judge in (generous, peaked, noisy):
        assert set(judge.drop_nulls()) <= {1, 2, 3, 4, 5, 6}


def test_people_score_by_the_cuts():
    # The latent score is normal with variance 1.25, which fixes the shares.
    _, human = essays(40_000, seed=0)
    shares = np.bincount(human.astype(int), minlength=7)[1:] / 40_000
    edges = ndtr(np.array([-np.inf, *CUTS, np.inf]) / np.sqrt(1.25))
    np.testing.assert_allclose(shares, np.diff(edges), atol=0.01)


def test_a_seed_is_one_world():
    one, two, other = (essays(100, seed=seed) for seed in (5, 5, 6))
    assert one[0].equals(two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert not one[0].equals(other[0])


def test_the_result_holds_truth_labels_and_judges():
    shown = run_demo(600, 60, seed=4)
    assert shown.truth == shown.human.mean()
    blank = shown.table["human"]
    assert 600 - blank.null_count() == 60
    known = np.flatnonzero(blank.is_not_null().to_numpy())
    np.testing.assert_array_equal(blank.drop_nulls().to_numpy(), shown.human[known])
    assert list(shown.scores()) == ["people", "judge_generous", "judge_peaked", "judge_noisy"]
    assert shown.calibration.n_labels == 60
    assert shown.calibration.scale == (1.0, 6.0)
    assert not shown.calibration.aligned.assumed


@pytest.mark.parametrize("seed", range(8))
def test_the_estimate_finds_the_truth_and_the_judges_do_not(seed):
    shown = run_demo(1500, 120, seed=seed)
    est = shown.calibration.mean()
    assert abs(est.value - shown.truth) < 4 * est.se()
    alone = shown.calibration.estimate("mean", labels_alone=True)
    assert est.se() < 0.85 * alone.se()
    raw = shown.calibration.to_dict()["raw_judges"]["estimate"]
    assert raw - shown.truth > 0.25
