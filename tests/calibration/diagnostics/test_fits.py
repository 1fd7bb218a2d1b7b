"""How well each judge follows the labels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from tests.calibration.diagnostics.cases import items

from bacon.calibration.diagnostics.answers import answers_of
from bacon.calibration.diagnostics.fits import Fit, adjusted, class_fit, judge_fit
from bacon.data.pool import Judge

NAN = float("nan")
Y = np.array([1.0, 2.0, 4.0, 5.0, 3.0, 2.0, 4.0, 5.0])


def judge(scores, levels=None, name="judge_x"):
    values = np.array(scores, dtype=float).reshape(len(scores), -1)
    runs = tuple(f"{name}_run{k}" for k in range(values.shape[1]))
    return Judge(name, runs, values, levels)


def fit_of(scores, levels=None, on_scale=False, y=Y):
    answers = answers_of(judge(scores, levels), np.arange(len(y)), items(len(y)))
    return judge_fit(answers, y, on_scale=on_scale, level=0.95)


def test_a_judge_off_the_scale_is_recalibrated_without_each_item():
    scores = 100.0 - 10.0 * Y + np.array([3.0, -2.0, 5.0, 0.0, -4.0, 1.0, -1.0, 2.0])
    found = fit_of(scores)
    assert not found.r2.is_known
    predicted = np.empty(8)
    for i in range(8):
        kept = np.arange(8) != i
        predicted[i] = np.polyval(np.polyfit(scores[kept], Y[kept], 1), scores[i])
    rmse = math.sqrt(np.mean((Y - predicted) ** 2))
    assert found.rmse_recalibrated.value == pytest.approx(rmse, rel=1e-9)
    r2 = 1 - np.mean((Y - predicted) ** 2) / Y.var()
    assert found.r2_recalibrated.value == pytest.approx(r2, rel=1e-9)
    assert found.spearman.value == pytest.approx(stats.spearmanr(scores, Y)[0], rel=1e-12)
    assert found.spearman.value < -0.9


def test_a_judge_on_the_scale_has_raw_figures_too():
    found = fit_of(Y + 1.0, on_scale=True)
    assert found.rmse.value == pytest.approx(1.0)
    assert found.r2.value == pytest.approx(1 - 1 / Y.var())
    assert found.r2_recalibrated.value == pytest.approx(1.0)


def test_missing_scores_leave_the_others():
    found = fit_of([1, 2, NAN, 5, 3, NAN, 4, 5], on_scale=True)
    assert found.n == 6
    assert found.rmse.value == pytest.approx(0.0)
    assert fit_of([NAN] * 8).n == 0


def test_runs_are_averaged():
    found = fit_of(np.column_stack([Y + 1.0, Y - 1.0]), on_scale=True)
    assert found.rmse.value == pytest.approx(0.0)
    one_left = np.column_stack([Y, np.full(8, NAN)])
    assert fit_of(one_left, on_scale=True).n == 8


def test_the_p_value_is_of_ranks_with_uneven_spread():
    rng = np.random.default_rng(1)
    y, score = rng.normal(size=80), rng.normal(size=80)
    found = fit_of(score, y=y)
    ranks = [stats.rankdata(v) - 40.5 for v in (y, score)]
    t = stats.ttest_1samp(ranks[0] * ranks[1], 0.0).statistic
    assert found.p == pytest.approx(stats.f.sf(t**2 * 78 / 79, 1, 78), rel=1e-9)
    assert found.p == pytest.approx(stats.spearmanr(y, score).pvalue, abs=0.05)


def test_a_text_judge_predicts_by_the_mean_of_its_class():
    # Answers: bad bad good good good bad good bad (labels 1 2 | 4 5 3 | 2 | 4 | 5).
    found = fit_of([0, 0, 1, 1, 1, 0, 1, 0], levels=("bad", "good"))
    assert found.kind == "text judge"
    bad, good = np.array([1.0, 2, 2, 5]), np.array([4.0, 5, 3, 4])
    errors = np.concatenate([bad - bad.mean(), good - good.mean()]) / (3 / 4)
    assert found.rmse_recalibrated.value == pytest.approx(math.sqrt(np.mean(errors**2)))
    assert not found.spearman.is_known


def test_a_constant_judge_and_few_labels_are_not_recalibrated():
    assert not fit_of([3.0] * 8).r2_recalibrated.is_known
    assert math.isnan(fit_of([3.0] * 8).p)
    four = Y[:4]
    assert not fit_of(four, y=four).r2_recalibrated.is_known


def test_a_judge_in_classes_of_the_people():
    answers = answers_of(
        judge([0, 1, 2, 2, 0, 1], levels=("good", "bad", "maybe")), np.arange(6), items(6)
    )
    # People: bad good ... in the order bad, good; "maybe" is no class of theirs.
    y = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 1.0])
    found = class_fit(answers, y, ("bad", "good"), 0.95)
    assert found.agreement.value == pytest.approx(3 / 6)
    # Chance: people (1/3, 2/3), judge bad 1/3, good 1/3: 1/9 + 2/9.
    assert found.kappa.value == pytest.approx((1 / 2 - 1 / 3) / (1 - 1 / 3))


def test_numbers_say_nothing_of_words():
    answers = answers_of(judge([1, 2, 3]), np.arange(3), items(3))
    found = class_fit(answers, np.array([0.0, 1.0, 0.0]), ("a", "b"), 0.95)
    assert not found.agreement.is_known
    assert math.isnan(found.p)


def test_only_judges_are_adjusted_together():
    fits = [
        Fit("model", "model", 9, p=0.001),
        Fit("a", "judge", 9, p=0.01),
        Fit("b", "text judge", 9, p=0.04),
        Fit("c", "judge", 9),
    ]
    found = [fit.p_adjusted for fit in adjusted(fits)]
    np.testing.assert_allclose(found, [NAN, 0.02, 0.04, NAN])
