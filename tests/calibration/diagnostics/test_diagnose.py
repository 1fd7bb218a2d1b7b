"""Diagnostics of a whole calibration, of numbers and of words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import SCALE, N, calibrated, codes, essays, labels_of, people
from tests.factories import make_pool, permuted

from bacon.calibration.calibrate import calibrate
from bacon.calibration.diagnostics.diagnose import predictions_without_folds
from bacon.data.pool import Judge
from bacon.errors import InputError
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool

NAN = float("nan")


def fits_of(cal):
    return {fit.name: fit for fit in cal.diagnostics().fits}


def test_the_models_figures_are_out_of_fold_by_hand():
    cal = calibrated(essays(200), 80, scale=SCALE)
    rows, y = cal.aligned.design.rows, cal.aligned.y
    model = fits_of(cal)["ridge, out of fold"]
    error = y - cal.f[rows]
    assert model.r2.value == pytest.approx(1 - np.mean(error**2) / y.var(), rel=1e-12)
    assert model.r2.value == pytest.approx(cal.r2, rel=1e-12)
    assert model.rmse.value == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-12)


def test_raw_judges_by_hand():
    pool = essays(6)
    first = replace(pool.judges[0], scores=np.array([[1.0], [2.0], [NAN], [4.0], [5.0], [6.0]]))
    other = replace(
        pool.judges[1], scores=np.array([[10.0], [0.0], [30.0], [40.0], [50.0], [60.0]])
    )
    y = [2.0, 2.0, 3.0, 5.0, 1.0, 1.0]
    cal = calibrate(
        replace(pool, judges=(first, other)),
        labels_of(pool, range(4), human=y),
        scale=SCALE,
        model="human-only",
    )
    fits = fits_of(cal)
    assert list(fits) == ["raw judge average", "judge_gpt", "judge_llama"]
    # judge_gpt on labels 2, 2, 5: errors 1, 0, 1 around a spread of 6.
    judge = fits["judge_gpt"]
    assert (judge.n, judge.on_scale) == (3, True)
    assert judge.r2.value == pytest.approx(1 - 2 / 6)
    assert judge.rmse.value == pytest.approx(np.sqrt(2 / 3))
    # Ranks 1, 2, 3 against 1.5, 1.5, 3.
    assert judge.spearman.value == pytest.approx(np.sqrt(3) / 2)
    assert (fits["judge_llama"].n, fits["judge_llama"].on_scale) == (4, False)
    assert not fits["judge_llama"].r2.is_known


def test_unequal_probabilities_weigh():
    pi = np.random.default_rng(5).uniform(0.15, 0.7, size=N)
    pool = essays(pi=pi.tolist())
    rows = np.flatnonzero(np.random.default_rng(6).random(N) < pi)
    cal = calibrate(pool, labels_of(pool, rows), scale=SCALE)
    y, score = cal.aligned.y, pool.judges[0].scores[rows, 0]
    weights = 1.0 / pi[rows]
    rmse = np.sqrt(weights @ (y - score) ** 2 / weights.sum())
    assert fits_of(cal)["judge_gpt"].rmse.value == pytest.approx(rmse, rel=1e-12)


def test_predictions_hardly_vary_and_yet_do_not_run_against_the_labels():
    # Judges are noise, so that every fold's prediction is about the mean of the others.
    pool = essays(400)
    rng = np.random.default_rng(1)
    noise = tuple(replace(j, scores=rng.normal(size=(400, 1))) for j in pool.judges)
    cal = calibrate(
        replace(pool, judges=noise),
        labels_of(pool, range(100), human=rng.normal(size=400).tolist()),
        model="ridge",
    )
    rows, y = cal.aligned.design.rows, cal.aligned.y
    plain, moved = cal.f[rows], predictions_without_folds(cal)
    assert np.corrcoef(plain, y)[0, 1] < -0.25
    assert abs(np.corrcoef(moved, y)[0, 1]) < 0.2


def test_the_curve_of_a_model_that_fits():
    cal = calibrated(essays(400), 150, scale=SCALE)
    found = cal.diagnostics()
    assert found.curve is not None
    assert found.curve.p > 0.05
    assert sum(one.n for one in found.curve.bins) == 150
    assert "right on average in every fifth of their range" in str(found)


def test_a_judge_that_rewards_length_is_named():
    pool = essays(400)
    rng = np.random.default_rng(2)
    chars = np.round(np.exp(rng.normal(6.0, 0.5, 400))).astype(int)
    y = people(pool)
    biased = y + 0.8 * (chars - 400.0) / 500.0 + 0.4 * rng.normal(size=400)
    pool = essays(400, columns={"answer": ["x" * k for k in chars]})
    judges = (replace(pool.judges[0], scores=biased[:, None]), pool.judges[1])
    cal = calibrate(
        replace(pool, judges=judges),
        labels_of(pool, range(0, 400, 2), human=y.tolist()),
        model="ridge",
    )
    found = cal.diagnostics()
    sure = [one for one in found.drivers if one.p_adjusted <= 0.05 and not one.of_model]
    assert ("judge_gpt", "answer") in [(one.judge, one.driver) for one in sure]
    text = "\n".join(found.sentences())
    assert "judge_gpt's excess over the labels grows with the length of answer (0." in text
    assert " points per 500 characters)" in text or " points per 200 characters)" in text
    assert "grows with the length of answer" in cal.summary()


def test_a_judge_who_runs_against_people_is_recalibrated_first():
    pool = essays(200)
    y = people(pool)
    against = replace(pool.judges[0], scores=(7.0 - y)[:, None])
    cal = calibrate(
        replace(pool, judges=(against, pool.judges[1])),
        labels_of(pool, range(0, 200, 2), human=y.tolist()),
        scale=SCALE,
        model="ridge",
    )
    errors = {one.judge: one.error for one in cal.diagnostics().drivers if not one.of_model}
    assert errors["judge_gpt"] == "recalibrated"


def test_words_have_agreement_and_chances():
    pool = essays(240)
    said = np.where(people(pool) > 3, "good", "bad")
    rng = np.random.default_rng(3)
    answers = np.where(rng.random(240) < 0.8, said == "good", rng.random(240) < 0.5).astype(float)
    judge = Judge("judge_words", ("judge_words",), answers[:, None], ("bad", "good"))
    cal = calibrate(
        replace(pool, judges=(judge, pool.judges[1])),
        labels_of(pool, range(0, 240, 2), human=said.tolist()),
    )
    found = cal.diagnostics()
    fits = {fit.name: fit for fit in found.fits}
    rows = cal.aligned.design.rows
    agreement = np.mean(answers[rows] == (said[rows] == "good"))
    assert fits["judge_words"].agreement.value == pytest.approx(agreement)
    assert 0.4 < fits["judge_words"].kappa.value < 0.9
    assert not fits["judge_llama"].agreement.is_known
    model = fits["stack, out of fold"]
    likeliest = cal.f[rows].argmax(axis=1)
    assert model.kind == "model"
    assert abs(model.agreement.value - np.mean(likeliest == cal.aligned.y)) < 0.03
    assert found.curve is not None
    assert found.curve.of_classes
    assert found.gain.estimand == "shares"
    assert "Predicted chances of a class are" in str(found)
    assert "judge_words" in found.short()[0]


def test_row_order_changes_no_figure():
    pool = make_pool(120)
    order = np.random.default_rng(4).permutation(120)
    turned = permuted(pool, order)
    y = people(pool)
    rows = range(0, 120, 3)
    ids = pool.ids.tolist()
    table = {"item_id": [ids[row] for row in rows], "human": y[list(rows)].tolist()}
    labels = read_labels(table, value="human")
    one, other = (
        calibrate(each, labels, scale=SCALE, model="ridge").diagnostics() for each in (pool, turned)
    )
    for a, b in zip(one.fits, other.fits, strict=True):
        np.testing.assert_allclose(
            [a.r2.value, a.spearman.se, a.p], [b.r2.value, b.spearman.se, b.p], rtol=1e-9
        )
    for c, d in zip(one.drivers, other.drivers, strict=True):
        np.testing.assert_allclose(c.p, d.p, rtol=1e-8)


def test_the_same_seed_gives_the_same_words():
    one, other = (calibrated(essays(200), 80, scale=SCALE).diagnostics() for _ in range(2))
    assert one.to_dict() == other.to_dict()


def test_uncertainty_columns_are_held_against_the_judges_own_error():
    rng = np.random.default_rng(5)
    quality, doubt = rng.normal(size=300), rng.uniform(0.0, 2.0, 300)
    table = {
        "item_id": list(range(300)),
        "judge_a": (quality + doubt * rng.normal(size=300)).tolist(),
        "judge_a__entropy": doubt.tolist(),
        "judge_b": (quality + rng.normal(size=300)).tolist(),
        "human": [q if k < 150 else None for k, q in enumerate(quality.tolist())],
    }
    pool = read_pool(table, label="human")
    labels = read_labels(table, value="human")
    cal = calibrate(pool, labels, model="ridge", scale=(-20, 20))
    found = {(one.judge, one.driver, one.of_size): one for one in cal.diagnostics().drivers}
    assert set(found) == {
        ("judge_a", "judge_a__entropy", False),
        ("judge_a", "judge_a__entropy", True),
    }
    assert found["judge_a", "judge_a__entropy", True].p_adjusted < 0.01
    assert "The size of judge_a's error grows with its entropy" in str(cal.diagnostics())


def test_hostile_pools_have_diagnostics():
    pool = essays(60)
    y = people(pool)
    rng = np.random.default_rng(6)
    constant = np.full((60, 1), 3.0)
    gone = np.where(np.arange(60)[:, None] < 30, NAN, rng.normal(size=(60, 1)))
    huge = 1e140 * (y[:, None] + rng.normal(size=(60, 1)))
    names = ("judge_same", "judge_gone", "judge_huge", "judge_copy", "judge_label")
    scores = (constant, gone, huge, huge, y[:, None])
    judges = tuple(
        Judge(name, (name,), np.asarray(s)) for name, s in zip(names, scores, strict=True)
    )
    rows = [*range(0, 28, 2), *range(31, 60, 2)]
    cal = calibrate(
        replace(pool, judges=judges), labels_of(pool, rows, human=y.tolist()), model="ridge"
    )
    found = cal.diagnostics()
    fits = {fit.name: fit for fit in found.fits}
    assert not fits["judge_same"].r2_recalibrated.is_known
    assert fits["judge_gone"].n == 15
    assert fits["judge_huge"].r2_recalibrated == fits["judge_copy"].r2_recalibrated
    assert fits["judge_label"].r2.value == 1.0
    assert "nan" not in str(found).lower()


def test_few_labels_say_little_and_do_not_fail():
    for n in (2, 3, 4, 5, 8):
        found = calibrated(n=n, model="ridge").diagnostics()
        assert found.curve is None
        assert found.drivers == ()
        assert len(found.sentences()) >= 1


def test_a_census_still_has_errors_of_its_figures():
    pool = essays()
    found = calibrate(pool, labels_of(pool, range(N)), scale=SCALE, model="ridge").diagnostics()
    assert all(fit.r2.se > 0.01 for fit in found.fits if fit.on_scale)


def test_arguments_are_checked():
    cal = calibrated()
    with pytest.raises(InputError, match="level"):
        cal.diagnostics(level=95)
    with pytest.raises(InputError, match="target"):
        cal.diagnostics(target="both")
    with pytest.raises(InputError, match="median"):
        cal.diagnostics("median")


def test_the_summary_and_the_record_carry_the_diagnostics():
    cal = calibrated(essays(200), 80, scale=SCALE)
    text, found = cal.summary(), cal.diagnostics()
    for sentence in found.short():
        assert sentence in text
    assert 1 <= len(found.short()) <= 3
    record = cal.to_dict()
    assert record["diagnostics"]["fits"] == found.to_dict()["fits"]
    assert record["gain"] == found.to_dict()["gain"]
    assert "no_gain" not in [warning["code"] for warning in record["warnings"]]
    assert codes(cal) == [notice.code for notice in cal.notices]
