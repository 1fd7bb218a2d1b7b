"""The main job: what it is given, several outcomes, labels in words, gaps and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.calibration.cases import (
    SCALE,
    N,
    calibrated,
    codes,
    drawn,
    essays,
    labels_of,
    people,
    rows_of,
)
from tests.factories import make_pool

from bacon.calibration.calibrate import calibrate
from bacon.data.pool import Categories
from bacon.errors import InputError
from bacon.estimation.compare import contrast
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool


def test_judges_make_the_interval_narrower_and_human_only_ignores_them():
    cal, alone = calibrated(), calibrated(model="human-only")
    assert cal.mean().interval().half_width < 0.85 * alone.mean().interval().half_width
    y = alone.aligned.y
    np.testing.assert_allclose(alone.mean().value, y.mean(), rtol=1e-14)
    np.testing.assert_allclose(
        alone.mean().se(), np.sqrt((1 - len(y) / N) * y.var(ddof=1) / len(y)), rtol=1e-12
    )
    assert "the judges are ignored" in alone.summary()


def test_the_default_model_is_a_stack_and_its_weights_are_told():
    pool = essays()
    sample, labels = drawn(pool)
    cal = calibrate(pool, labels, sample=sample)
    assert cal.model == "stack"
    assert "; models by weight: " in cal.summary()
    assert sum(cal.model_weights.values()) == pytest.approx(1)


def test_several_outcomes_share_sample_and_folds_and_can_be_contrasted():
    pool = essays()
    sample, _ = drawn(pool)
    tone, style = people(pool, 1), people(pool, 2)
    rows = rows_of(pool, sample.ids.tolist())
    labels = labels_of(pool, rows, tone=tone.tolist(), style=style.tolist())
    found = calibrate(pool, labels, sample=sample, outcomes=["style", "tone"], model="ridge")
    assert list(found) == ["style", "tone"]
    np.testing.assert_array_equal(found["tone"].fitter.plan.fold, found["style"].fitter.plan.fold)
    alone = calibrate(pool, labels_of(pool, rows, tone=tone.tolist()), sample=sample, model="ridge")
    assert alone.mean().value == found["tone"].mean().value
    difference = contrast(found["tone"].mean(), found["style"].mean())
    np.testing.assert_allclose(
        difference.value, found["tone"].mean().value - found["style"].mean().value
    )
    # By hand: residuals of the difference under a simple draw.
    at = found["tone"].aligned.design.rows
    r = (tone - found["tone"].f)[at] - (style - found["style"].f)[at]
    by_hand = np.sqrt((1 - len(at) / N) * r.var(ddof=1) / len(at))
    np.testing.assert_allclose(difference.se(), by_hand, rtol=1e-10)
    assert difference.pools == "same"


def test_outcomes_labelled_on_different_items_are_not_contrasted():
    pool = essays()
    sample, _ = drawn(pool)
    tone, style = people(pool, 1).tolist(), people(pool, 2).tolist()
    rows = rows_of(pool, sample.ids.tolist())
    style[rows[0]] = None
    labels = labels_of(pool, rows, tone=tone, style=style)
    found = calibrate(pool, labels, sample=sample, outcomes=["tone", "style"], model="ridge")
    assert [found[name].n_labels for name in ("tone", "style")] == [30, 29]
    with pytest.raises(InputError, match="rest on different labelled items"):
        contrast(found["tone"].mean(), found["style"].mean())


def test_outcomes_are_asked_for_by_name():
    pool = essays()
    labels = labels_of(pool, range(20), tone=people(pool).tolist(), style=people(pool).tolist())
    with pytest.raises(InputError, match=r"has 2 outcomes \(tone, style\); give outcomes="):
        calibrate(pool, labels, model="ridge")
    with pytest.raises(InputError, match="has no outcome 'tune'; it has tone, style"):
        calibrate(pool, labels, outcomes=["tone", "tune"], model="ridge")
    with pytest.raises(InputError, match="outcomes names no outcome"):
        calibrate(pool, labels, outcomes=[], model="ridge")
    assert list(calibrate(pool, labels, outcomes="style", model="ridge")) == ["style"]
    assert list(calibrate(pool, labels, outcomes=["style", "style"], model="ridge")) == ["style"]


def test_raters_are_averaged():
    pool = essays()
    rows = list(range(0, N, 3))
    ids = [pool.ids.tolist()[row] for row in rows]
    y = people(pool)[rows]
    long = {
        "item_id": [*ids, *ids],
        "rater": ["ann"] * 30 + ["bob"] * 30,
        "score": [*y.tolist(), *(y + 1).tolist()],
    }
    cal = calibrate(pool, read_labels(long, value="score", rater="rater"))
    np.testing.assert_array_equal(cal.aligned.y, y + 0.5)
    assert (cal.n_labels, cal.kind.kind) == (30, "real")
    assert "ratings_averaged" in codes(cal)


def test_labels_in_words_have_shares_of_classes():
    pool = essays()
    words = np.array(["bad", "good", "ok"])[(people(pool) / 2.1).astype(int)]
    sample, _ = drawn(pool, n=40)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()), human=words.tolist())
    cal = calibrate(pool, labels, sample=sample)
    shares = [cal.proportion(eq=word) for word in ("bad", "good", "ok")]
    assert sum(share.value for share in shares) == pytest.approx(1)
    for word, share in zip(("bad", "good", "ok"), shares, strict=True):
        assert abs(share.value - (words == word).mean()) < 4 * share.se()
    assert cal.kind.kind == "categorical"
    assert cal.default_estimands() == ("shares",)
    assert np.isnan(cal.r2)
    for ask in (cal.mean, cal.sd, cal.variance):
        with pytest.raises(InputError, match=r"words, which have no .*such as proportion:eq:bad"):
            ask()
    with pytest.raises(InputError, match="have no quantile"):
        cal.quantile(0.5)
    with pytest.raises(InputError, match="have no moment"):
        cal.moment(lambda y, theta: y - theta, 1.0)
    with pytest.raises(InputError, match="the classes are bad, good, ok"):
        cal.proportion(ge=1)
    with pytest.raises(InputError, match="the classes are bad, good, ok"):
        cal.proportion(eq=1)


def test_judges_that_answer_in_words_are_used():
    n = 200
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, n)
    heard = np.where(rng.random(n) < 0.8, truth, rng.integers(0, 3, n))
    names = np.array(["bad", "good", "ok"])
    table = {
        "item_id": list(range(n)),
        "judge_a": names[heard].tolist(),
        "human": [names[k] if i < 60 else None for i, k in enumerate(truth)],
    }
    pool = read_pool(table, label="human")
    cal = calibrate(pool, read_labels(table, value="human"))
    share = cal.proportion(eq="good")
    assert share.se() < 0.8 * cal.estimate("proportion:eq:good", labels_alone=True).se()
    assert abs(share.value - (truth == 1).mean()) < 4 * share.se()


def test_missing_scores_drop_no_item():
    pool = essays()
    gaps = pool.judges[0].scores.copy()
    gaps[::4] = np.nan
    _, labels = drawn(pool)
    cal = calibrate(replace(pool, judges=(replace(pool.judges[0], scores=gaps),)), labels)
    assert cal.mean().n_items == N
    assert np.isfinite(cal.f).all()
    assert cal.to_dict()["judges"][0]["missing"] == len(range(0, N, 4))


def test_embeddings_and_features_help():
    n = 300
    pool = essays(n)
    y = people(pool)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.choice(n, 60, replace=False))
    labels = labels_of(pool, rows, human=y.tolist())
    seen = rng.normal(size=(n, 6))
    seen[:, 2] = 2.0 * y + rng.normal(size=n)
    plain = calibrate(pool, labels)
    embedded = calibrate(replace(pool, embeddings=seen), labels)
    featured = calibrate(replace(pool, features=seen[:, 2:3], feature_names=("seen",)), labels)
    assert embedded.mean().se() < 0.9 * plain.mean().se()
    assert featured.mean().se() < 0.9 * plain.mean().se()


def test_labels_off_the_scale_are_named():
    pool = essays()
    y = people(pool)
    y[[4, 7]] = 7.5
    labels = labels_of(pool, range(20), human=y.tolist())
    with pytest.raises(
        InputError, match=r"label 7\.5 of item 5 lies outside the scale 1 to 6 \(2 such labels\)"
    ):
        calibrate(pool, labels, scale=SCALE, model="ridge")
    assert calibrate(pool, labels, scale=(1, 7.5), model="ridge").scale == (1, 7.5)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"model": "boosting"}, "model must be one of stack, ridge, .*; got 'boosting'"),
        ({"model": 3}, "model must be a name or an instance of a scikit-learn regressor"),
        ({"crossfit": "none"}, 'crossfit must be "ensemble" or "refit"'),
        ({"better": "up"}, 'better must be "higher" or "lower"'),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"scale": (6, 1)}, "scale must be two numbers, the lower first"),
        ({"scale": (1, float("nan"))}, "scale must be two numbers"),
        ({"folds": 1}, 'folds must be "auto" or a whole number from 2 up'),
        ({"folds": "many"}, 'folds must be "auto"'),
        ({"outcome": "sevens"}, "outcome must be auto or one of"),
        ({"outcome": "binary"}, "a binary outcome has two values"),
        ({"sample": "to_label.csv"}, r"sample must come from .* bacon\.read_sample; got a str"),
    ],
)
def test_arguments_are_checked(options, text):
    pool = essays()
    with pytest.raises(InputError, match=text):
        calibrate(pool, labels_of(pool, range(20)), **options)


def test_pool_and_labels_in_the_wrong_order():
    pool = essays()
    labels = labels_of(pool, range(20))
    with pytest.raises(InputError, match=r"pool must come from bacon\.read_pool; got a Labels"):
        calibrate(labels, pool)
    with pytest.raises(InputError, match=r"labels must come from bacon\.read_labels; got a DataF"):
        calibrate(pool, pl.DataFrame({"item_id": [1], "y": [1]}))


def test_one_cluster_for_all_items_is_no_cluster():
    pool = essays()
    one = Categories("prompt_id", np.zeros(N, dtype=np.int64), ("p0",))
    with pytest.raises(InputError, match=r"pool.csv, column prompt_id: every item is in the same"):
        calibrate(replace(pool, cluster=one), labels_of(pool, range(20)), model="ridge")


def test_labels_of_a_single_cluster_leave_nothing_to_hold_out():
    pool = make_pool(N)
    labels = labels_of(pool, [0, 1, 2])
    with pytest.raises(InputError, match="label items of another cluster, or use --model human"):
        calibrate(pool, labels, model="ridge")


def test_folds_may_be_chosen_and_never_exceed_the_labels():
    assert calibrated(folds=3).fitter.plan.k == 3
    assert calibrated(n=4, folds=10).fitter.plan.k == 4
    assert calibrated().fitter.plan.k == 10


def test_alike_labels_have_no_interval_without_a_scale():
    pool = essays()
    labels = labels_of(pool, range(0, N, 3), human=[4.0] * N)
    low, high = calibrate(pool, labels, model="ridge").mean().interval()
    assert np.isnan([low, high]).all()
    scaled = calibrate(pool, labels, scale=SCALE, model="ridge").mean().interval()
    assert scaled.low < 4 < scaled.high
    assert scaled.method == "range"
