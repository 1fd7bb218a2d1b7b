"""Labels and judges that break outcome models: a right answer, and never a silent constant."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.calibration.cases import codes

import bacon
from bacon.errors import EstimationError

N, N_LABELS = 150, 40
FOLDS = 4
MODELS = ("stack", "ridge", "hurdle", "hurdle-ridge", "ordinal", "bounded", "forest", "log-link")
CASES = {}


def case(make):
    """Keep a case under its name; it changes judges (N, M), truth (N,) and labelled rows."""
    CASES[make.__name__] = make
    return make


def start(seed=0):
    """Return judges, what people would say (1 to 5), and the labelled rows."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=N)
    judges = quality[:, None] + 0.7 * rng.normal(size=(N, 3))
    truth = np.clip(np.round(3.0 + quality + 0.5 * rng.normal(size=N)), 1.0, 5.0)
    return judges, truth, np.sort(rng.choice(N, N_LABELS, replace=False))


@case
def plain(judges, truth, rows):
    return judges, truth, rows


@case
def one_class_only_in_most_folds(judges, truth, rows):
    truth = (truth >= 5.0).astype(float)
    truth[rows] = 0.0
    truth[rows[7]] = 1.0
    return judges, truth, rows


@case
def perfectly_separated_classes(judges, truth, rows):
    truth = (truth >= 4.0).astype(float)
    judges[:, 0] = 3.0 * truth + np.random.default_rng(1).uniform(size=N)
    return judges, truth, rows


@case
def a_constant_judge(judges, truth, rows):
    judges[:, 1] = 4.0
    return judges, truth, rows


@case
def two_identical_judges(judges, truth, rows):
    judges[:, 1] = judges[:, 0]
    return judges, truth, rows


@case
def a_judge_that_is_the_label(judges, truth, rows):
    judges[:, 2] = truth
    return judges, truth, rows


@case
def more_features_than_labels(judges, truth, rows):
    more = judges[:, [0]] + 3.0 * np.random.default_rng(1).normal(size=(N, 60))
    return np.hstack([judges, more]), truth, rows


@case
def five_labels(judges, truth, rows):
    return judges, truth, rows[::8]


@case
def scores_of_1e12(judges, truth, rows):
    return 1e12 * judges, truth, rows


@case
def one_score_of_1e12(judges, truth, rows):
    judges[rows[3], 0] = 1e12
    return judges, truth, rows


@case
def all_judges_missing_on_some_items(judges, truth, rows):
    judges[::6] = np.nan
    return judges, truth, rows


@case
def one_judge_there_for_a_single_label(judges, truth, rows):
    judges[:, 1] = np.nan
    judges[rows[0], 1] = 3.0
    judges[np.setdiff1d(np.arange(N), rows)[:4], 1] = [1.0, 2.0, 3.0, 4.0]
    return judges, truth, rows


@case
def labels_of_1e12(judges, truth, rows):
    return judges, 1e12 * truth, rows


@case
def labels_of_1e_9(judges, truth, rows):
    return judges, 1e-9 * truth, rows


@case
def labels_far_from_zero(judges, truth, rows):
    return judges, 1e9 + truth, rows


@case
def one_label_of_1e12(judges, truth, rows):
    truth[rows[5]] = 1e12
    return judges, truth, rows


@case
def labels_all_alike(judges, truth, rows):
    truth[:] = 3.0
    return judges, truth, rows


@case
def labels_all_zero_but_two(judges, truth, rows):
    truth[:] = 0.0
    truth[rows[[4, 9]]] = [2.0, 5.0]
    return judges, truth, rows


@case
def judges_that_say_nothing(judges, truth, rows):
    return np.random.default_rng(8).normal(size=judges.shape), truth, rows


@cache
def calibrated(name, model, **options):
    judges, truth, rows = CASES[name](*start())
    table = {"item_id": list(range(N))}
    table |= {f"judge_{k}": judges[:, k].tolist() for k in range(judges.shape[1])}
    pool = bacon.read_pool(table, judges="judge_*")
    labels = bacon.read_labels(
        {"item_id": rows.tolist(), "human": truth[rows].tolist()}, value="human"
    )
    if model == "bounded":
        options["scale"] = (min(truth.min(), 0.0), truth.max() * 1.25 + 1e-12)
    return bacon.calibrate(pool, labels, model=model, folds=FOLDS, **options), truth


def right(estimate, alone, truth, spread):
    """Whether an estimate is finite, near the truth, and its interval sane."""
    interval = estimate.interval()
    assert np.isfinite([estimate.value, estimate.se(), interval.low, interval.high]).all()
    slack = 1e-9 * max(abs(truth), spread)
    assert interval.low - slack <= estimate.value <= interval.high + slack
    # Four standard errors, or those of the labels alone where nearly nothing is left to err.
    error = max(estimate.se(), 0.25 * alone.se())
    assert abs(estimate.value - truth) <= 4.0 * error + slack
    assert interval.half_width <= 2.5 * alone.interval().half_width + slack


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", CASES)
def test_the_mean_is_right_and_no_constant_is_silent(name, model):
    cal, truth = calibrated(name, model)
    assert np.isfinite(cal.f).all()
    rows, mean = cal.aligned.design.rows, cal.mean()
    if name == "one_label_of_1e12":
        # One item in 150 is nearly all of the mean: its interval must reach that far.
        assert np.isfinite(mean.value)
        assert mean.interval().low <= truth.mean() <= mean.interval().high
    elif np.ptp(truth[rows]) == 0.0:
        assert mean.value == pytest.approx(truth[0], abs=1e-12)
    else:
        right(mean, cal.estimate("mean", labels_alone=True), truth.mean(), truth.std())
    if np.ptp(np.delete(cal.f, rows)) == 0.0:
        assert {"constant_prediction", "constant_columns"} & set(codes(cal))


@pytest.mark.parametrize("name", ["one_class_only_in_most_folds", "perfectly_separated_classes"])
def test_two_values_by_the_logistic_model(name):
    cal, truth = calibrated(name, "logistic")
    assert ((cal.f >= 0.0) & (cal.f <= 1.0)).all()
    share = cal.proportion(ge=1.0)
    assert share.interval().low <= truth.mean() <= share.interval().high
    if name == "perfectly_separated_classes":
        # And it pays: next to nothing is left to err.
        assert cal.mean().se() < 0.3 * cal.estimate("mean", labels_alone=True).se()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("asked", ["sd", "quantile:0.5", "proportion:ge:3"])
def test_other_estimands_of_the_default_are_finite(name, asked):
    cal, truth = calibrated(name, "stack")
    if (name, asked) == ("labels_all_alike", "sd"):
        with pytest.raises(EstimationError, match="the labels do not differ"):
            cal.estimate(asked)
        return
    estimate = cal.estimate(asked)
    assert np.isfinite(estimate.value)
    record = cal.to_dict(asked)
    assert record["estimate"] == pytest.approx(estimate.value)
    if asked == "quantile:0.5":
        assert estimate.value in truth


@pytest.mark.parametrize("model", ["stack", "multinomial"])
@pytest.mark.parametrize("name", CASES)
def test_shares_of_classes_in_words_are_right(name, model):
    judges, truth, rows = CASES[name](*start())
    words = np.where(truth > np.median(truth), "good", "bad")
    words[rows[2]] = "none"
    table = {"item_id": list(range(N))}
    table |= {f"judge_{k}": judges[:, k].tolist() for k in range(judges.shape[1])}
    labels = {"item_id": rows.tolist(), "human": words[rows].tolist()}
    cal = bacon.calibrate(
        bacon.read_pool(table, judges="judge_*"),
        bacon.read_labels(labels, value="human"),
        model=model,
        folds=FOLDS,
    )
    assert np.isfinite(cal.f).all()
    assert cal.f.sum(axis=1) == pytest.approx(1.0)
    found = cal.shares()
    assert sum(one.value for one in found.values()) == pytest.approx(1.0)
    if "good" in found:
        good = cal.estimate("proportion:eq:good", labels_alone=True)
        share = float(np.mean(words == "good"))
        error = max(found["good"].se(), 0.25 * good.se())
        assert abs(found["good"].value - share) <= 4.0 * error
    if np.ptp(np.delete(cal.f, rows, axis=0), axis=0).max() == 0.0:
        assert {"constant_prediction", "constant_columns"} & set(codes(cal))


def test_a_judge_that_is_the_label_leaves_next_to_nothing_to_err():
    cal, _ = calibrated("a_judge_that_is_the_label", "stack")
    alone = cal.estimate("mean", labels_alone=True)
    assert cal.mean().se() < 0.25 * alone.se()
    assert cal.r2 > 0.9


@pytest.mark.parametrize("unit", [1e12, 1e-9])
@pytest.mark.parametrize("model", MODELS)
def test_the_unit_of_the_labels_carries_over(model, unit):
    names = {1e12: "labels_of_1e12", 1e-9: "labels_of_1e_9"}
    options = {"outcome": "real"} if model == "stack" else {}
    cal, _ = calibrated(names[unit], model, **options)
    plain, _ = calibrated("plain", model, **options)
    one, two = cal.mean(), plain.mean()
    loose = 1e-3 if model == "bounded" else 1e-6
    assert one.value / unit == pytest.approx(two.value, rel=loose)
    assert one.se() / unit == pytest.approx(two.se(), rel=10 * loose)
    if model == "stack":
        for member, weight in plain.model_weights.items():
            assert cal.model_weights.get(member, 0.0) == pytest.approx(weight, abs=1e-3)
