"""Shares of all classes from a calibration: words, small numbers, text, record, raw judges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.calibration.cases import SCALE, N, calibrated, drawn, essays, labels_of, people, rows_of
from tests.calibration.test_record import check_record

from bacon.calibration.calibrate import calibrate
from bacon.calibration.estimand import parse_estimand
from bacon.calibration.model_choice import class_votes
from bacon.calibration.raw_judges import raw_shares
from bacon.errors import InputError
from bacon.features.feature_map import feature_matrix, fit_feature_map
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool

CLASSES = ("bad", "good", "ok")


def spoken(n: int = 240, labelled: int = 60, *, right: float = 0.8, seed: int = 1, **columns):
    """Return a table of three judges that answer in words, one of them in two runs."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    table = {"item_id": list(range(n))}
    for name in ("judge_a", "judge_b", "judge_c_run1", "judge_c_run2"):
        heard = np.where(rng.random(n) < right, truth, rng.integers(0, 3, n))
        table[name] = [CLASSES[k] for k in heard]
    table["human"] = [CLASSES[k] if i < labelled else None for i, k in enumerate(truth)]
    return table | columns, truth


def shares_of(table, **options):
    pool = read_pool(table, label="human")
    return calibrate(pool, read_labels(table, value="human"), folds=5, **options)


def test_shares_of_words_sum_to_one_and_are_the_single_shares():
    table, truth = spoken()
    cal = shares_of(table)
    found = cal.shares()
    assert list(found) == list(CLASSES)
    assert sum(one.value for one in found.values()) == pytest.approx(1.0)
    for k, name in enumerate(CLASSES):
        single = cal.proportion(eq=name)
        assert found[name].value == pytest.approx(single.value)
        assert list(found[name].interval()) == pytest.approx(list(single.interval()))
        assert abs(found[name].value - (truth == k).mean()) < 4 * found[name].se()
    assert cal.f.shape == (240, 3)
    assert cal.f.sum(axis=1) == pytest.approx(1.0)


def test_judges_in_words_sharpen_every_share():
    cal = shares_of(spoken()[0])
    found, alone = cal.shares(), cal.shares(labels_alone=True)
    for name in CLASSES:
        assert found[name].se() < 0.75 * alone[name].se()
        assert alone[name].interval().method == "hypergeometric"
    assert set(cal.model_weights) <= {"overall shares", "judge average", "ridge", "multinomial"}
    assert sum(cal.model_weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("model", ["multinomial", "human-only"])
def test_other_models_of_words(model):
    cal = shares_of(spoken()[0], model=model)
    assert cal.model_weights == {model: 1.0}
    found = cal.shares()
    assert sum(one.value for one in found.values()) == pytest.approx(1.0)
    if model == "human-only":
        alone = cal.shares(labels_alone=True)
        for name in CLASSES:
            assert found[name].value == pytest.approx(alone[name].value)
            assert list(found[name].interval()) == pytest.approx(list(alone[name].interval()))


def test_class_no_fold_may_have_seen():
    table, _ = spoken()
    table["human"] = ["rare" if i == 7 else v for i, v in enumerate(table["human"])]
    found = shares_of(table).shares()
    low, high = found["rare"].interval()
    assert 0.0 <= low < 0.02
    assert 0.02 < high < 0.15


@pytest.mark.parametrize("crossfit", ["ensemble", "refit"])
def test_order_of_rows_does_not_matter(crossfit):
    table, _ = spoken()
    order = np.random.default_rng(0).permutation(240)
    moved = {name: [values[i] for i in order] for name, values in table.items()}
    one, other = (shares_of(t, crossfit=crossfit).shares() for t in (table, moved))
    for name in CLASSES:
        assert other[name].value == pytest.approx(one[name].value, abs=1e-6)


def test_votes_are_the_average_share_of_runs():
    table, _ = spoken(judge_n=np.random.default_rng(0).normal(size=240).tolist())
    pool = read_pool(table, label="human")
    feature_map = fit_feature_map(pool)
    votes = class_votes(feature_map, CLASSES)
    given = feature_matrix(pool, feature_map) @ votes
    a, b, *both = (
        (np.array(table[f"judge_{name}"])[:, None] == np.array(CLASSES)).astype(float)
        for name in ("a", "b", "c_run1", "c_run2")
    )
    expected = (a + b + (both[0] + both[1]) / 2.0) / 3.0
    assert given == pytest.approx(expected - expected.mean(axis=0))
    assert class_votes(feature_map, ("yes", "no")) is None
    assert class_votes(feature_map, ()) is None


def test_frame_comes_back_in_the_pools_library():
    table, _ = spoken()
    cal = calibrate(
        read_pool(pd.DataFrame(table), label="human"), read_labels(table, value="human")
    )
    frame = cal.shares().to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["class"].tolist() == list(CLASSES)


class TestNumbers:
    """Labels that are numbers with few values."""

    def test_shares_of_ordinal_labels_near_the_truth(self):
        pool = essays()
        found = calibrated(pool, n=40).shares()
        assert sum(one.value for one in found.values()) == pytest.approx(1.0)
        for name, one in found.items():
            assert abs(one.value - np.mean(people(pool) == float(name))) < 5 * one.se() + 0.05

    def test_stated_scale_has_every_value(self):
        assert list(calibrated(scale=SCALE).shares()) == ["1", "2", "3", "4", "5", "6"]

    def test_mean_follows_from_the_shares_of_the_labels_alone(self):
        cal = calibrated()
        alone = cal.shares(labels_alone=True)
        mean = sum(float(name) * one.value for name, one in alone.items())
        assert mean == pytest.approx(cal.estimate("mean", labels_alone=True).value)

    def test_many_values_are_refused(self):
        pool = essays()
        sample, _ = drawn(pool)
        y = (people(pool) + np.random.default_rng(0).normal(size=N)).tolist()
        labels = labels_of(pool, rows_of(pool, sample.ids.tolist()), human=y)
        with pytest.raises(InputError, match=r"human has 30 in 30 labels: ask for quantile"):
            calibrate(pool, labels, sample=sample).shares()


def test_one_number_cannot_hold_the_shares():
    with pytest.raises(InputError, match=r"one number for each class; .*such as proportion:eq:bad"):
        shares_of(spoken()[0]).estimate("shares")


class TestRecord:
    """The JSON object."""

    def test_classes_stand_in_the_record(self):
        cal = shares_of(spoken()[0])
        record = check_record(cal.to_dict(level=0.9), "pool")
        assert (record["estimand"], record["estimate"]) == ("shares", None)
        assert [one["class"] for one in record["classes"]] == list(CLASSES)
        joint = cal.shares().simultaneous(0.9)
        for one in record["classes"]:
            estimate = cal.shares()[one["class"]]
            assert one["estimate"] == pytest.approx(estimate.value)
            assert one["ci"] == pytest.approx(list(estimate.interval(0.9)))
            assert one["ci_simultaneous"] == pytest.approx(list(joint[one["class"]]))
            assert one["effective_labels"] > 60
            assert 0.2 < one["raw_judges"]["estimate"] < 0.5
            assert one["human_only"]["intervals"]["pool"]["method"] == "hypergeometric"

    def test_shares_beside_other_estimands(self):
        record = check_record(calibrated().to_dict("mean", "shares"))
        assert record["estimand"] == "mean"
        assert "classes" not in record
        assert len(record["estimates"][1]["classes"]) >= 3


class TestText:
    """What a person reads."""

    def test_table_and_sentences(self):
        text = shares_of(spoken()[0]).summary()
        head = next(line for line in text.splitlines() if "all at once" in line)
        assert " ".join(head.split()) == "share 95 % interval all at once labels alone judges"
        assert "By people's word these 240 items would be 0." in text
        assert "The judges alone would have said 0." in text
        assert "Your 60 labels worked like " in text
        assert "for items like them that you have not seen: " in text.lower()

    def test_only_some_judges_answer_with_the_classes(self):
        table, _ = spoken(judge_n=np.random.default_rng(0).normal(size=240).tolist())
        text = shares_of(table).summary()
        assert "(3 of 4, those that answer with the classes)" in text

    def test_no_judge_answers_with_the_classes(self):
        pool = essays()
        words = np.where(people(pool) > 3, "good", "bad").tolist()
        cal = calibrate(pool, labels_of(pool, range(0, N, 3), human=words))
        text = cal.summary()
        assert "The judges alone" not in text
        assert "judges" not in next(line for line in text.splitlines() if "all at once" in line)

    def test_human_only_says_so(self):
        text = shares_of(spoken()[0], model="human-only").summary()
        assert "The 60 labels speak alone" in text

    def test_many_classes_are_named_in_the_table_alone(self):
        rng = np.random.default_rng(0)
        words = [f"class {k}" for k in rng.integers(0, 9, 200)]
        text = shares_of(
            {"item_id": list(range(200)), "judge_a": words, "human": words[:80] + [None] * 120}
        ).summary()
        assert " and 3 smaller classes." in text
        assert all(f"class {k}  " in text for k in range(9))


def test_raw_shares_by_hand():
    table = {
        "item_id": [1, 2, 3, 4],
        "judge_a_run1": ["bad", "ok", "ok", None],
        "judge_a_run2": ["ok", "ok", "ok", None],
        "judge_b": ["bad", "bad", "no idea", "bad"],
        "judge_n": [1, 2, 3, 4],
        "judge_other": ["x", "y", "x", "y"],
    }
    raw = raw_shares(read_pool(table), ("bad", "ok"))
    # Judge a answered three items: bad 1/6, ok 5/6; judge b four: bad 3/4.
    assert raw.shares["bad"] == pytest.approx((1 / 6 + 3 / 4) / 2)
    assert raw.shares["ok"] == pytest.approx(5 / 12)
    assert raw.used == ("judge_a", "judge_b")
    assert raw.reason == "2 of 4 judges do not answer with the classes"
    asked = parse_estimand("proportion:eq:ok", ("bad", "ok"))
    assert raw.estimate(asked) == raw.shares["ok"]
    assert raw_shares(read_pool(table), ("yes", "no")).shares == {}
