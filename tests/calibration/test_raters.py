"""Claims for these raters and for raters like them, through a calibration."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.cases import drawn, essays, people, rows_of

import bacon
from bacon.calibration.calibrate import calibrate
from bacon.calibration.raters import row_ratings
from bacon.errors import InputError
from bacon.estimation.raters import rater_spread
from bacon.io.labels import match_ids, read_labels

LEAN = {"ann": -0.5, "bob": 0.0, "cy": 0.6}


def rated(pool, sample, *, several=0, raters=("ann", "bob", "cy"), words=False):
    """Return labels in turn by the raters; each `several`-th item has a second rating."""
    y = people(pool)
    table = {"item_id": [], "who": [], "score": []}
    for k, row in enumerate(rows_of(pool, sample.ids.tolist())):
        by = [raters[k % len(raters)]]
        if several and k % several == 0:
            by.append(raters[(k + 1) % len(raters)])
        for name in by:
            score = y[row] + LEAN[name]
            table["item_id"].append(pool.ids[row])
            table["who"].append(name)
            table["score"].append(("good" if score > 3.4 else "bad") if words else score)
    return read_labels(table, value="score", rater="who")


def run(several=0, n=60, by=("ann", "bob", "cy"), words=False, **options):
    pool = essays(300)
    sample, _ = drawn(pool, n)
    labels = rated(pool, sample, several=several, raters=by, words=words)
    return calibrate(pool, labels, sample=sample, **{"model": "ridge", **options})


def test_ratings_follow_the_labelled_rows():
    pool = essays(300)
    sample, _ = drawn(pool, 20)
    labels = rated(pool, sample, several=4)
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    ratings, rows = cal.ratings, cal.aligned.design.rows
    mean = np.bincount(ratings.item, weights=ratings.values) / np.bincount(ratings.item)
    np.testing.assert_allclose(mean, cal.aligned.y)
    assert (ratings.n_raters, ratings.is_single) == (3, False)
    # Ratings of items that were set aside are left out, and a rater of those alone with them.
    found = match_ids(pool, labels.ids)
    fewer = row_ratings(pool, labels, "score", rows[:2])
    assert len(fewer.item) == np.isin(found[labels.ratings.item], rows[:2]).sum()
    assert set(fewer.raters) <= {"ann", "bob", "cy"}
    np.testing.assert_allclose(
        np.bincount(fewer.item, weights=fewer.values) / np.bincount(fewer.item),
        cal.aligned.y[:2],
    )


def test_both_claims_of_the_mean():
    cal = run(several=5)
    these, others = cal.mean(), cal.estimate("mean", raters="like-them")
    assert (these.value, these.raters, others.raters) == (others.value, "these", "like-them")
    ratings = cal.ratings
    spread = rater_spread(
        ratings.values - cal.f[cal.aligned.design.rows][ratings.item], ratings.item, ratings.rater
    )
    assert 0.3 < spread.sd < 0.9
    for target in ("pool", "population"):
        assert others.se(target) ** 2 - these.se(target) ** 2 == pytest.approx(
            spread.variance / 3.0, rel=0.05
        )
        assert others.interval(0.9, target).low < these.interval(0.9, target).low


def test_a_calibration_for_other_raters_claims_it_everywhere():
    cal, other = (run(scale=(0.0, 7.0), raters=raters) for raters in ("these", "like-them"))
    assert cal.mean().raters == "these"
    assert other.mean().raters == other.proportion(ge=3.0).raters == "like-them"
    assert other.estimate("mean", raters="these").interval() == cal.mean().interval()
    # One rating an item: a share has a part for each rater as well.
    wider = other.proportion(ge=3.0).interval().half_width
    assert wider > 1.5 * cal.proportion(ge=3.0).interval().half_width
    assert other.proportion(ge=3.0).interval().low >= 0.0


def test_labels_alone_have_the_same_raters():
    cal = run(several=3)
    alone = [cal.estimate("mean", labels_alone=True, raters=r) for r in ("these", "like-them")]
    ours = [cal.estimate("mean", raters=r) for r in ("these", "like-them")]
    gained = [b.se() ** 2 - a.se() ** 2 for a, b in (alone, ours)]
    assert gained[0] == pytest.approx(gained[1], rel=0.05)


def test_other_estimands_stay_with_these_raters_and_say_so():
    cal = run(several=4, raters="like-them")
    for estimate in (cal.sd(), cal.quantile(0.5), cal.proportion(ge=3.0)):
        assert estimate.raters == "these"
        assert "raters_not_counted" in [notice.code for notice in estimate.notices]
    root = cal.moment(lambda y, theta: y - theta, 3.0)
    assert "raters_not_counted" in [notice.code for notice in root.notices]
    with pytest.raises(InputError, match="there is one for means and shares, and none for sd"):
        cal.estimate("sd", raters="like-them")
    with pytest.raises(InputError, match="a share of means has no part for each rater"):
        cal.estimate("proportion:ge:3", raters="like-them")


def test_shares_of_words():
    cal = run(words=True, n=90, model="human-only")
    these = cal.proportion(eq="good")
    others = cal.estimate("proportion:eq:good", raters="like-them")
    assert others.interval().half_width > 1.5 * these.interval().half_width
    assert cal.to_dict("proportion:eq:good")["raters"]["correlation"] is None


def test_one_rater_says_nothing_of_others():
    cal = run(by=("bob",))
    assert "other raters" not in cal.summary()
    record = cal.to_dict()["raters"]
    assert (record["other_claim"], "bob gave every label" in record["reason"]) == (None, True)
    with pytest.raises(InputError, match=r"bob gave every label, .*; ask for these raters"):
        run(by=("bob",), raters="like-them")


def test_labels_without_names_of_raters():
    pool = essays(300)
    sample, labels = drawn(pool, 30)
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    assert cal.ratings is None
    assert "raters" not in cal.to_dict()
    with pytest.raises(InputError, match="do not say who gave them"):
        cal.estimate("mean", raters="like-them")
    with pytest.raises(InputError, match="do not say who gave them"):
        calibrate(pool, labels, sample=sample, model="ridge", raters="like-them")
    with pytest.raises(InputError, match=r"raters must be .these. .* got 'all'"):
        calibrate(pool, labels, sample=sample, raters="all", model="ridge")


def test_a_rater_for_each_item_cannot_be_told_from_it():
    pool = essays(300)
    rows = list(range(0, 300, 30))
    table = {
        "item_id": pool.ids[rows].tolist(),
        "who": [f"r{k}" for k in range(10)],
        "score": people(pool)[rows].tolist(),
    }
    cal = calibrate(pool, read_labels(table, value="score", rater="who"), model="ridge")
    with pytest.raises(InputError, match="no rater labelled two items"):
        cal.estimate("mean", raters="like-them")


def test_two_raters_and_like_minded_raters_are_told():
    cal = run(by=("ann", "bob"))
    told = [notice.code for notice in cal.estimate("mean", raters="like-them").notices]
    assert "few_raters" in told
    pool = essays(300)
    sample, _ = drawn(pool, 60)
    rows = rows_of(pool, sample.ids.tolist())
    y = people(pool)
    table = {
        "item_id": pool.ids[rows].tolist(),
        "who": [f"r{k % 3}" for k in range(60)],
        "score": y[rows].tolist(),
    }
    same = calibrate(
        pool, read_labels(table, value="score", rater="who"), sample=sample, model="ridge"
    )
    others = same.estimate("mean", raters="like-them")
    assert same.to_dict()["raters"]["sd"] == 0.0
    assert "raters_alike" in [notice.code for notice in others.notices]
    assert "by no more than chance makes them." in same.summary()


def test_the_summary_has_both_claims():
    these, others = (run(several=2, raters=raters) for raters in ("these", "like-them"))
    assert "The 3 raters, who agree by a mean correlation of 1.00 (3 pairs), differ" in (
        these.summary()
    )
    assert "For other raters like them: " in these.summary()
    assert "For these raters alone: " in others.summary()
    # What the labels are worth is a matter of the items, whoever rates them.
    worth = [line for line in these.summary().splitlines() if "worked like" in line]
    assert worth == [line for line in others.summary().splitlines() if "worked like" in line]
    assert these.to_dict()["effective_labels"] == others.to_dict()["effective_labels"]


def test_the_record_has_both_claims():
    cal = run(several=2)
    record = cal.to_dict()["raters"]
    assert (record["claim"], record["n"], record["pairs"]) == ("these", 3, 3)
    assert record["correlation"] == pytest.approx(1.0)
    assert 0.0 < record["share"] < 1.0
    other = record["other_claim"]
    assert other["raters"] == "like-them"
    estimate = cal.estimate("mean", raters="like-them")
    assert other["intervals"]["pool"]["ci"] == list(estimate.interval())
    assert other["intervals"]["pool"]["df"] == pytest.approx(estimate.interval().df)


def test_estimates_of_two_outcomes_are_compared_for_these_raters():
    cal = run(raters="like-them")
    alone = cal.estimate("mean", labels_alone=True, raters="these")
    with pytest.raises(InputError, match="compare estimates for these raters"):
        bacon.contrast(cal.mean(), alone)
    assert bacon.contrast(cal.estimate("mean", raters="these"), alone).value != 0.0
