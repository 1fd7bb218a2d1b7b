"""Which model is fitted to which columns, and what is told of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import N, codes, essays, labels_of, message

from bacon.calibration import model_choice
from bacon.calibration.calibrate import calibrate
from bacon.calibration.model_choice import (
    MOST_FOREST_ITEMS,
    check_model_fits,
    class_votes,
    layout_of,
    model_name,
    no_forest_notice,
    task_of,
)
from bacon.calibration.outcomes import OutcomeKind
from bacon.data.pool import Judge
from bacon.errors import InputError
from bacon.features.feature_map import feature_matrix, fit_feature_map

ROWS = range(0, N, 3)


def with_words(pool, seed=0):
    """The pool with two judges in words, one of them over two runs with gaps."""
    rng = np.random.default_rng(seed)
    one = Judge("judge_word", ("judge_word",), rng.integers(0, 2, (N, 1)) * 1.0, ("bad", "good"))
    runs = rng.integers(0, 3, (N, 2)) * 1.0
    runs[:7] = np.nan
    two = Judge("judge_runs", ("r1", "r2"), runs, ("bad", "good", "unsure"))
    return replace(pool, judges=(*pool.judges, one, two))


def test_the_average_is_that_of_the_judges_as_they_stand_in_the_features():
    pool = replace(essays(), embeddings=np.random.default_rng(0).normal(size=(N, 3)))
    feature_map = fit_feature_map(pool)
    layout = layout_of(feature_map)
    x = feature_matrix(pool, feature_map)
    judges = [k for k, column in enumerate(feature_map.columns) if column.kind == "judge"]
    np.testing.assert_allclose(x @ layout.average, x[:, judges].mean(axis=1), atol=1e-12)
    assert layout.average.sum() == pytest.approx(1.0)
    assert layout.votes is None
    np.testing.assert_array_equal(layout.blocks, feature_map.blocks)
    assert (layout.blocks == 1).sum() == 3


def test_votes_are_the_judges_average_share_of_each_class_less_its_mean():
    pool = with_words(essays())
    feature_map = fit_feature_map(pool)
    x = feature_matrix(pool, feature_map)
    votes = class_votes(feature_map, ("bad", "good"))
    shares = np.empty((N, 2, 2))
    for k, judge in enumerate(pool.judges[2:]):
        for level in (0, 1):
            share = np.where(np.isnan(judge.scores), np.nan, judge.scores == level)
            known = ~np.isnan(judge.scores).all(axis=1)
            mean = np.full(N, np.nan)
            mean[known] = np.nanmean(share[known], axis=1)
            shares[:, k, level] = np.where(known, mean - mean[known].mean(), 0.0)
    np.testing.assert_allclose(x @ votes, shares.mean(axis=1), atol=1e-12)
    # Judges in other words, or in numbers alone, have no votes.
    assert class_votes(feature_map, ("yes", "no")) is None
    assert class_votes(fit_feature_map(essays()), ("bad", "good")) is None


def test_the_task_says_what_is_fitted():
    feature_map = fit_feature_map(essays())
    kind = OutcomeKind("bounded", "as stated")
    task = task_of(feature_map, kind, (1.0, 6.0), levels=None, n_items=N, seed=3)
    assert (task.kind, task.scale, task.forest, task.n_classes) == ("bounded", (1.0, 6.0), True, 0)
    again = task_of(feature_map, kind, (1.0, 6.0), levels=None, n_items=N, seed=3)
    other = task_of(feature_map, kind, (1.0, 6.0), levels=("a", "b"), n_items=10**7, seed=4)
    assert task.seed == again.seed != other.seed
    assert not other.forest
    assert other.n_classes == 2


def test_large_pools_have_no_forest_and_are_told(monkeypatch):
    assert no_forest_notice(MOST_FOREST_ITEMS) == ()
    (told,) = no_forest_notice(MOST_FOREST_ITEMS + 1)
    assert told.code == "no_forest"
    assert "over 1,000,001 items it would take minutes" in told.message
    monkeypatch.setattr(model_choice, "MOST_FOREST_ITEMS", N - 1)
    pool = essays()
    labels = labels_of(pool, ROWS)
    cal = calibrate(pool, labels)
    assert "forest" not in cal.fitted.models[0].names
    assert "no_forest" in codes(cal)
    assert "no_forest" not in codes(calibrate(pool, labels, model="ridge"))
    alone = calibrate(pool, labels, model="forest")
    assert alone.model_weights == {"forest": 1.0}
    assert "no_forest" not in codes(alone)


@pytest.mark.parametrize(("seed", "where"), [(2, "4 of 10"), (3, "all")])
def test_folds_that_come_out_constant_are_told(seed, where):
    pool = replace(essays(), text=None)
    # A judge that says nothing of the labels.
    noise = np.random.default_rng(seed).normal(size=(N, 1))
    poor = replace(pool, judges=(replace(pool.judges[0], scores=noise),))
    labels = labels_of(pool, ROWS)
    cal = calibrate(poor, labels, model="ridge")
    spread = [np.ptp(model.predict(cal.fitter.x)) for model in cal.fitted.models]
    assert where == ("all" if not any(spread) else f"{spread.count(0.0)} of 10")
    told = message(cal, "constant_prediction")
    assert told.startswith(f"In {where} folds the model found nothing in the judges")
    assert told in cal.summary() or "constant_prediction" in str(cal.to_dict()["warnings"])
    assert "constant_prediction" not in codes(calibrate(pool, labels, model="ridge"))
    assert "constant_prediction" not in codes(calibrate(poor, labels, model="human-only"))


def test_labels_all_alike_are_told_as_constant():
    pool = essays()
    for values in ([3.0] * N, ["good"] * N):
        cal = calibrate(pool, labels_of(pool, ROWS, human=values))
        assert message(cal, "constant_prediction").startswith("In all folds")


def test_models_of_any_labels_fit():
    y = np.array([1.0, 2.0, 2.5, -3.0])
    for model in ("stack", "ridge", "forest", "human-only", object()):
        check_model_fits(model, y, None, None)
    check_model_fits("ordinal", y, None, None)
    check_model_fits("bounded", y, None, (-3.0, 3.0))
    check_model_fits("logistic", np.array([2.0, 5.0, 2.0]), None, None)
    check_model_fits("hurdle", np.array([0.0, 0.0, 1.0]), None, None)
    for model in ("stack", "multinomial", "human-only"):
        check_model_fits(model, np.array([0.0, 1.0]), ("a", "b"), None)
    with pytest.raises(InputError, match="the stack suits any labels"):
        check_model_fits("hurdle", y, None, None)


def test_names():
    assert model_name("ridge") == "ridge"
    assert model_name(InputError("x")) == "InputError"
