"""Intervals that hold while labels arrive, on a calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibration.cases import SCALE, drawn, essays, labels_of, people, rows_of

import bacon
from bacon.calibration.anytime import Anytime
from bacon.calibration.calibrate import calibrate
from bacon.data.notice import Notice
from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.io.labels import read_labels

N = 300


@pytest.fixture(name="pool", scope="module")
def _pool():
    return essays(N)


def made(pool, n=120, *, answered=None, values=None, **options):
    """Calibrate on a uniform draw of n items of which the first `answered` have labels."""
    sample, _ = drawn(pool, n)
    rows = rows_of(pool, sample.ids.tolist())[:answered]
    outcomes = {} if values is None else {"human": values}
    labels = labels_of(pool, rows, **outcomes)
    return calibrate(pool, labels, sample=sample, **{"model": "ridge", "scale": SCALE} | options)


def test_the_drawn_order_is_kept_for_uniform_draws_alone(pool):
    sample, labels = drawn(pool)
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    assert cal.aligned.order.tolist() == rows_of(pool, sample.ids.tolist())
    assert not cal.aligned.order.flags.writeable
    assert calibrate(pool, labels, model="ridge").aligned.order is None


def test_what_it_returns(pool):
    cal = made(pool)
    found = cal.anytime(width=0.8)
    assert (found.name, found.level, found.width, found.method) == ("mean", 0.95, 0.8, "betting")
    assert (found.n_items, found.n_drawn, found.n_labels) == (N, 120, 120)
    width = found.upper - found.lower
    assert found.stopped_at == int(np.argmax(width <= 0.8)) + 1
    assert width[found.stopped_at - 2] > 0.8
    assert found.may_stop
    assert (found.more, found.needed) == (0, None)
    low, high = found.interval
    assert (low, high) == (found.lower[-1], found.upper[-1])
    assert low <= people(pool).mean() <= high
    assert low < found.estimate < high
    assert (np.diff(found.lower) >= 0).all()
    assert (np.diff(found.upper) <= 0).all()
    frame = found.to_frame()
    assert frame.columns == ["n_labels", "estimate", "lower", "upper"]
    assert frame["n_labels"].to_list() == found.times.tolist()
    assert found.summary().splitlines()[1] == (
        f"stop: the width is reached at label {found.stopped_at} of 120 drawn."
    )
    assert found.to_dict()["stop"] is True
    with pytest.raises(ValueError, match="read-only"):
        found.lower[0] = 1.0


def test_without_a_width_it_only_shows_the_interval(pool):
    found = made(pool).anytime()
    assert (found.width, found.stopped_at, found.more, found.may_stop) == (None, None, None, False)
    assert len(found.summary().splitlines()) == 1


@pytest.mark.parametrize("model", ["ridge", "stack", "human-only"])
def test_later_labels_change_nothing_before_them(pool, model):
    values = people(pool)
    sample, _ = drawn(pool, 60)
    rows = rows_of(pool, sample.ids.tolist())
    changed = values.copy()
    changed[rows[40:]] = 7.0 - changed[rows[40:]]
    one, other = (
        made(pool, 60, values=v.tolist(), model=model).anytime() for v in (values, changed)
    )
    for name in ("estimates", "lower", "upper"):
        np.testing.assert_array_equal(getattr(one, name)[:40], getattr(other, name)[:40])
    assert not np.array_equal(one.estimates, other.estimates)
    early = made(pool, 60, values=values.tolist(), answered=40, model=model).anytime()
    np.testing.assert_array_equal(early.upper, one.upper[:40])


def test_labels_after_a_gap_wait(pool):
    sample, _ = drawn(pool, 60)
    rows = rows_of(pool, sample.ids.tolist())
    labels = labels_of(pool, rows[:40] + rows[41:50])
    cal = calibrate(pool, labels, sample=sample, model="ridge", scale=SCALE)
    found = cal.anytime()
    assert found.n_labels == 40
    np.testing.assert_array_equal(found.lower, made(pool, 60, answered=40).anytime().lower)
    (notice,) = found.notices
    assert notice.code == "labels_after_gap"
    assert "Item 41 of the sheet has no label, so the 9 labels after it" in notice.message
    assert notice.message in found.summary()
    assert found.to_dict()["warnings"] == [{"code": notice.code, "message": notice.message}]
    labels = labels_of(pool, rows[1:50])
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    with pytest.raises(TooFewLabelsError, match=r"item 1 in drawn order.*from the top"):
        cal.anytime()


def test_without_a_scale_it_is_asymptotic_and_starts_late(pool):
    found = made(pool, scale=None).anytime(width=0.01)
    assert found.method == "asymptotic"
    assert np.isnan(found.lower[:29]).all()
    assert np.isfinite(found.lower[29:]).all()
    assert "no guarantee" in found.summary()
    few = made(pool, 60, answered=20, scale=None).anytime(width=0.5)
    assert np.isnan(few.interval.low)
    assert "begin at 30 labels" in few.interval.reason
    assert "no interval, for" in few.summary()
    assert few.to_dict()["ci"] == [None, None]
    assert few.to_dict()["width"] is None
    assert few.more > 0


def test_a_census_leaves_no_doubt(pool):
    found = made(pool, N, scale=None).anytime(width=0.1)
    low, high = found.interval
    assert low == pytest.approx(people(pool).mean())
    assert high == pytest.approx(low)
    assert found.stopped_at < N


def test_how_many_more_comes_near_what_it_takes(pool):
    whole = made(pool, 280).anytime(width=0.5)
    for answered in (60, 90):
        found = made(pool, 280, answered=answered).anytime(width=0.5)
        assert found.stopped_at is None
        assert found.more == found.needed - answered
        assert 0.6 < found.needed / whole.stopped_at < 1.6
    assert f"go on: about {found.more} more labels for a width of 0.5." in found.summary()
    short = made(pool, 100).anytime(width=0.3)
    assert "the sheet has 0 left: make it longer." in short.summary()
    never = made(pool, 100).anytime(width=1e-9)
    assert never.needed == N


def test_a_share_is_the_mean_of_its_event(pool):
    values = people(pool)
    event = (values >= 4).astype(float)
    share = made(pool).anytime("proportion:ge:4")
    mean = made(pool, values=event.tolist(), scale=(0.0, 1.0), outcome="binary").anytime()
    assert share.method == "betting"
    np.testing.assert_allclose(share.lower, mean.lower)
    np.testing.assert_allclose(share.estimates, mean.estimates)


def test_words_have_the_share_of_a_class(pool):
    words = np.where(people(pool) >= 4, "good", "poor").tolist()
    cal = made(pool, values=words, scale=None, model="stack")
    found = cal.anytime("proportion:eq:good", width=0.5)
    low, high = found.interval
    assert low <= np.mean(np.array(words) == "good") <= high
    for name in ("mean", "shares"):
        with pytest.raises(InputError, match="proportion:eq:good"):
            cal.anytime(name)


def test_labels_that_contradict_each_other_are_told_and_never_stop():
    big = essays(20_000)
    first = bacon.UniformDesign(n=400).draw(big, seed=3)
    at = rows_of(big, first.ids.tolist())
    score = np.zeros(20_000)
    score[at[:200]], score[at[200:]] = 1.0, 6.0
    labels = labels_of(big, at, human=score.tolist())
    cal = calibrate(big, labels, sample=first, scale=SCALE, model="human-only")
    found = cal.anytime(width=4.0)
    assert found.stopped_at is not None
    assert not found.may_stop
    assert np.isnan(found.interval.low)
    assert "contradict" in found.interval.reason
    assert [notice.code for notice in found.notices] == ["anytime_contradiction"]
    assert found.summary().splitlines()[1].startswith("go on")


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan"), float("inf"), "wide", True])
def test_a_width_that_is_none_is_refused(pool, width):
    with pytest.raises(InputError, match="must be a number above 0"):
        made(pool, 40).anytime(width=width)


@pytest.mark.parametrize("name", ["sd", "variance", "quantile:0.5", "shares"])
def test_other_estimands_are_refused(pool, name):
    with pytest.raises(InputError, match="ask for mean or for a share"):
        made(pool, 40).anytime(name)


def test_draws_without_a_random_order_are_refused_with_one_that_works(pool):
    sample, labels = drawn(pool, 60)
    cases = {
        "without a sheet": calibrate(pool, labels, model="ridge"),
        "stratified": bacon.StratifiedDesign(n=60, strata="judge_gpt:3"),
        "clusters": bacon.ClusterDesign(n_clusters=20, column="prompt_id"),
    }
    for word, made_by in cases.items():
        cal = made_by
        if not hasattr(made_by, "anytime"):
            other = made_by.draw(pool, seed=1)
            given = labels_of(pool, rows_of(pool, other.ids.tolist()))
            cal = calibrate(pool, given, sample=other, model="ridge")
        with pytest.raises(DesignError, match=rf"{word}.*UniformDesign"):
            cal.anytime()
    assert sample.n_drawn == 60


def test_a_bernoulli_draw_is_in_random_order_too(pool):
    sample = bacon.BernoulliDesign(rate=0.3).draw(pool, seed=2)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = calibrate(pool, labels, sample=sample, model="ridge", scale=SCALE)
    assert cal.anytime().n_labels == sample.n_drawn


def test_it_is_for_these_raters(pool):
    sample, _ = drawn(pool, 60)
    rows = rows_of(pool, sample.ids.tolist())
    values = people(pool)
    ids = pool.ids[rows].tolist()
    table = {
        "item_id": ids + ids,
        "human": [*values[rows], *np.clip(values[rows] + 1, 1, 6)],
        "rater": ["a"] * 60 + ["b"] * 60,
    }
    labels = read_labels(table, value="human", rater="rater")
    cal = calibrate(pool, labels, sample=sample, model="ridge", raters="like-them")
    with pytest.raises(InputError, match="for these raters"):
        cal.anytime()


def test_a_width_reached_before_a_contradiction_is_no_reason_to_stop():
    found = Anytime(
        name="mean",
        level=0.9,
        width=1.0,
        method="betting",
        n_items=10,
        n_drawn=5,
        estimates=np.array([2.0, 2.0]),
        lower=np.array([1.5, np.nan]),
        upper=np.array([2.5, np.nan]),
        needed=None,
        notices=(Notice("anytime_contradiction", "They do."),),
    )
    assert (found.stopped_at, found.may_stop, found.more) == (1, False, None)
    assert replace(found, notices=()).reason.startswith("without a stated scale")


def test_the_forecast_is_not_below_the_first_interval(pool):
    skewed = np.where(np.arange(N) % 10 == 3, 6.0, 1.0) + np.arange(N) / 1000.0
    found = made(pool, 250, answered=80, values=skewed.tolist(), scale=None).anytime(width=5.0)
    assert found.reason is not None
    assert found.needed == 200
    assert "about 120 more labels" in found.summary()
