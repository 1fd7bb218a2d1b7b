"""Every outcome model through the main job: what it says, what it refuses, what must not matter."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from tests.calibration.cases import N, essays, labels_of, people, rescaled
from tests.factories import permuted

from bacon.calibration.calibrate import calibrate
from bacon.calibration.saved import load_calibration
from bacon.errors import EstimationError, InputError
from bacon.outcome.models import MODELS

ROWS = list(range(0, N, 2))
FOLDS = 5


def outcomes(pool):
    """Labels of every item: ordinal, skewed with zeros, of two values, and in words."""
    score = people(pool)
    rng = np.random.default_rng(7)
    amount = np.maximum(score - 3.0, 0.0) * np.exp(0.5 * rng.normal(size=pool.n_items))
    return {
        "score": score.tolist(),
        "errors": amount.tolist(),
        "good": (score >= 4.0).astype(float).tolist(),
        "verdict": np.where(score >= 4.0, "good", "bad").tolist(),
    }


SUITABLE = {
    "stack": "score",
    "ridge": "score",
    "hurdle": "errors",
    "hurdle-ridge": "errors",
    "ordinal": "score",
    "multinomial": "verdict",
    "logistic": "good",
    "bounded": "score",
    "forest": "score",
    "log-link": "errors",
    "human-only": "score",
}
STACKS = {"errors": None, "good": None, "score": (1.0, 6.0)}


def calibrated_on(outcome, model, pool=None, rows=ROWS, **options):
    items = essays() if pool is None else pool
    labels = labels_of(items, rows, **{outcome: outcomes(essays())[outcome]})
    if model == "bounded":
        options["scale"] = (1.0, 6.0)
    return calibrate(items, labels, model=model, folds=FOLDS, **options)


@cache
def suited(model):
    """The calibration of a model on labels that suit it, fitted once."""
    return calibrated_on(SUITABLE[model], model)


def numbers(cal):
    """Estimate, standard errors and intervals of what the outcome is asked for."""
    record = cal.to_dict()
    found = []
    for one in record.get("classes", [record]):
        found += [one["estimate"]]
        for interval in one["intervals"].values():
            found += [interval["se"], *interval["ci"]]
    return np.array(found, dtype=np.float64)


def test_every_name_is_tried():
    assert set(SUITABLE) == set(MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_gives_an_estimate_near_the_truth(model):
    outcome, cal = SUITABLE[model], suited(model)
    truth = outcomes(essays())[outcome]
    if outcome == "verdict":
        good = cal.proportion(eq="good")
        share = truth.count("good") / N
        assert good.interval().low < share < good.interval().high
    else:
        mean = cal.mean()
        assert 0.0 < mean.se() < 0.5
        assert abs(mean.value - np.mean(truth)) < 4.0 * mean.se()
        assert mean.interval().low < mean.value < mean.interval().high
    assert np.isfinite(cal.f).all()
    record = cal.to_dict()
    assert record["model"] == model
    assert "constant_prediction" not in [w["code"] for w in record["warnings"]]


@pytest.mark.parametrize("model", MODELS)
def test_every_number_in_the_record_is_finite_or_null(model):
    record = suited(model).to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record


@pytest.mark.parametrize("outcome", ["score", "errors", "good", "verdict"])
def test_weights_sum_to_one_and_are_told(outcome):
    cal = calibrated_on(outcome, "stack")
    weights = cal.to_dict()["model_weights"]
    assert len(weights) > 1
    assert math.isclose(sum(weights.values()), 1.0, abs_tol=1e-12)
    assert min(weights.values()) > 0.0
    assert list(weights.values()) == sorted(weights.values(), reverse=True)
    text = " ".join(cal.summary().split())
    told = {
        name: f"{name} {weight * 100:.0f} %" for name, weight in weights.items() if weight >= 0.01
    }
    assert all(words in text for words in told.values())


@pytest.mark.parametrize("model", [name for name in MODELS if name != "stack"])
def test_a_model_alone_has_all_of_the_weight(model):
    weights = suited(model).to_dict()["model_weights"]
    assert weights == {model: 1.0}


@pytest.mark.parametrize(
    "model", ["stack", "ridge", "hurdle", "ordinal", "logistic", "bounded", "forest", "log-link"]
)
def test_saved_models_score_the_unlabelled_items_as_the_calibration_does(tmp_path, model):
    cal = suited(model)
    cal.save(tmp_path / "cal")
    saved = load_calibration(tmp_path / "cal")
    score = saved.predict(cal.pool)["score"].to_numpy()
    rest = np.setdiff1d(np.arange(N), ROWS)
    np.testing.assert_allclose(score[rest], cal.f[rest], rtol=1e-12, atol=1e-12)
    assert saved.result["model_weights"] == cal.model_weights


@pytest.mark.parametrize("model", MODELS)
def test_the_order_of_rows_changes_nothing(model):
    pool, outcome = essays(), SUITABLE[model]
    order = np.random.default_rng(1).permutation(N)
    other = replace(permuted(pool, order), cluster=None)
    values = [outcomes(pool)[outcome][row] for row in order]
    rows = [int(np.flatnonzero(order == row)[0]) for row in ROWS]
    options = {"scale": (1.0, 6.0)} if model == "bounded" else {}
    labels = labels_of(other, rows, **{outcome: values})
    two = calibrate(other, labels, model=model, folds=FOLDS, **options)
    np.testing.assert_allclose(numbers(two), numbers(suited(model)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_units_and_the_sign_of_a_judge_change_nothing(model):
    pool = essays()
    other = replace(pool, judges=(rescaled(pool.judges[0]), pool.judges[1]))
    two = calibrated_on(SUITABLE[model], model, other)
    np.testing.assert_allclose(numbers(two), numbers(suited(model)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("model", ["stack", "forest", "hurdle"])
def test_two_runs_give_the_same_bytes(tmp_path, model):
    for name in ("a", "b"):
        calibrated_on(SUITABLE[model], model, seed=3).save(tmp_path / name)
    for ending in ("json", "npz"):
        first, second = (tmp_path / f"{name}.{ending}" for name in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("outcome", ["score", "errors", "good"])
def test_events_have_shares_from_zero_to_one(outcome):
    for model in ("stack", "ridge", "forest"):
        cal = calibrated_on(outcome, model, scale=STACKS[outcome])
        share = cal.proportion(ge=1.0)
        truth = np.mean(np.array(outcomes(essays())[outcome]) >= 1.0)
        assert 0.0 <= share.value <= 1.0
        assert share.interval().low - 0.02 <= truth <= share.interval().high + 0.02


@pytest.mark.parametrize("model", ["stack", "ordinal", "hurdle", "bounded", "log-link", "forest"])
def test_quantiles_and_spread_come_from_the_predictive_distribution(model):
    outcome, cal = SUITABLE[model], suited(model)
    truth = np.array(outcomes(essays())[outcome])
    median = cal.quantile(0.5)
    assert median.value in truth
    assert median.interval().low <= np.median(truth) <= median.interval().high
    sd = cal.sd()
    assert abs(sd.value - truth.std(ddof=1)) < 4.0 * sd.se()


# --- What does not suit.


@pytest.mark.parametrize(
    ("model", "values", "options", "text"),
    [
        ("hurdle", "negative", {}, "model hurdle needs labels from 0 up; the smallest is -"),
        ("log-link", "negative", {}, "model log-link needs labels from 0 up; the smallest is -"),
        ("hurdle", "zero", {}, "model hurdle needs labels above 0; all are 0"),
        ("log-link", "zero", {}, "needs labels above 0; all are 0"),
        ("logistic", "score", {}, "needs labels with two values; these have [3-6];"),
        ("bounded", "score", {}, r"needs the scale: --scale LO:HI \(scale=\(lo, hi\)\)"),
        ("multinomial", "score", {}, "model multinomial needs labels in words"),
        ("ordinal", "many", {}, "needs labels with few ordered values; these have 500"),
        ("hurdle", "words", {}, "the labels are words, which model hurdle cannot predict"),
        ("ridge", "words", {}, "use stack, multinomial or human-only"),
        (LinearRegression(), "words", {}, "words, which model LinearRegression cannot predict"),
        ("lasso", "score", {}, "model must be one of stack, ridge, .*; got 'lasso'"),
        (LinearRegression, "score", {}, "an instance of a scikit-learn regressor"),
        (LogisticRegression(), "score", {}, "LogisticRegression is a classifier"),
        (None, "score", {}, "got None"),
    ],
)
def test_labels_that_a_model_cannot_describe_are_refused(model, values, options, text):
    pool = essays(1_000)
    score = people(pool)
    given = {
        "score": score,
        "negative": score - 4.0,
        "zero": 0.0 * score,
        "many": np.arange(1_000.0),
        "words": np.where(score > 3.0, "good", "bad"),
    }[values]
    labels = labels_of(pool, range(0, 1_000, 2), human=given.tolist())
    with pytest.raises(InputError, match=text):
        calibrate(pool, labels, model=model, **options)


def test_more_levels_than_a_model_of_levels_can_have_are_refused_in_the_stack_too():
    pool = essays(800)
    labels = labels_of(pool, range(700), human=np.arange(800.0).tolist())
    with pytest.raises(InputError, match="at most 500 different values, got 560"):
        calibrate(pool, labels, outcome="ordinal")


# --- A model of the user's own.


def test_a_random_forest_of_the_users_works():
    model = RandomForestRegressor(n_estimators=10, min_samples_leaf=3)
    cal = calibrated_on("score", model)
    truth = np.mean(outcomes(essays())["score"])
    assert abs(cal.mean().value - truth) < 4.0 * cal.mean().se()
    record = cal.to_dict()
    assert record["model"] == "RandomForestRegressor"
    assert record["model_weights"] == {"RandomForestRegressor": 1.0}
    assert record["r2"] > 0.2
    assert "model: RandomForestRegressor" in cal.summary()
    assert np.isfinite(cal.sd().value)
    assert 0.0 < cal.proportion(ge=4).value < 1.0
    # Its trees draw from the seed of the calibration.
    same = RandomForestRegressor(n_estimators=10, min_samples_leaf=3)
    again = calibrated_on("score", same)
    assert again.to_dict() == record
    assert not hasattr(model, "estimators_")


def test_a_model_of_the_users_is_not_saved(tmp_path):
    cal = calibrated_on("score", LinearRegression())
    with pytest.raises(InputError, match="model LinearRegression is your own and cannot be kept"):
        cal.save(tmp_path / "cal")
    assert list(tmp_path.iterdir()) == []


class Silent(LinearRegression):
    """A regressor that has no answer."""

    def predict(self, X):
        return np.full(len(X), np.nan)


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Silent(), "Silent must predict one finite number a row"),
        (KNeighborsRegressor(n_neighbors=60), "KNeighborsRegressor failed to predict"),
    ],
)
def test_failures_of_a_model_of_the_users_are_told(model, text):
    with pytest.raises(EstimationError, match=text):
        calibrated_on("score", model)
