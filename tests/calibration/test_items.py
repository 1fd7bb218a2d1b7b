"""Items of a calibration: what the frame shows, what is told, and what each design means."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy import stats
from tests.calibration.cases import PI, SCALE, calibrated, essays, labels_of, people, rows_of
from tests.factories import make_pool, permuted

import bacon
from bacon.calibration.item_basis import basis_of
from bacon.calibration.item_flags import FlagRule
from bacon.errors import InputError, TooFewLabelsError
from bacon.items.conformal import error_bounds, selection_weights, spread_scale
from bacon.outcome.models import fit_named

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.item_scores import ItemScores

METHODS = ("out-of-fold", "split")
COLUMNS = ["item_id", "score", "lower", "upper", "rank", "labelled", "label"]


def real(n: int = 60, **options: object) -> Calibration:
    """A calibration of labels that are no whole numbers."""
    pool = essays()
    y = people(pool) + np.random.default_rng(2).normal(0, 0.3, pool.n_items)
    sample = bacon.UniformDesign(n=n).draw(pool, seed=3)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()), human=y.tolist())
    return bacon.calibrate(pool, labels, sample=sample, **{"model": "ridge", **options})


def told(items: ItemScores) -> list[str]:
    return [notice.code for notice in items.notices]


def unlabelled(items: ItemScores) -> pl.DataFrame:
    return items.frame.filter(~pl.col("labelled"))


@pytest.mark.parametrize("method", METHODS)
def test_labelled_items_show_their_label_and_the_others_a_score_in_an_interval(method):
    cal = calibrated(n=50, scale=SCALE)
    frame = cal.items(method=method)
    assert frame.columns == COLUMNS
    assert frame["item_id"].to_list() == cal.pool.ids.tolist()
    known = frame.filter("labelled")
    assert known["label"].to_list() == cal.aligned.y.tolist()
    for column in ("score", "lower", "upper"):
        assert known[column].to_list() == cal.aligned.y.tolist()
    rest = frame.filter(~pl.col("labelled"))
    assert rest["label"].null_count() == len(rest) == 40
    # Whole values on the scale, and the score no further away than half a step.
    assert set(rest["lower"]) | set(rest["upper"]) <= set(np.arange(1.0, 7.0))
    assert ((rest["lower"] - 0.5 <= rest["score"]) & (rest["score"] <= rest["upper"] + 0.5)).all()


def test_out_of_fold_intervals_are_the_bound_of_scaled_errors_by_hand():
    cal = real()
    rows, y = cal.aligned.design.rows, cal.aligned.y
    variance = np.zeros(cal.pool.n_items)
    for k, model in enumerate(cal.fitted.models):
        items, share = cal.fitted.predictions.shares(k)
        variance[items] += share * model.distribution(cal.fitter.x[items]).variance()
    usual = spread_scale(variance)
    errors = np.abs(y - cal.f[rows]) / usual[rows]
    # 54.9 of 61 equal weights: the 55th smallest error.
    bound = np.sort(errors)[54] * usual
    frame = cal.items(level=0.9)
    free = ~frame["labelled"].to_numpy()
    assert frame["lower"].to_numpy()[free] == pytest.approx((cal.f - bound)[free])
    assert frame["upper"].to_numpy()[free] == pytest.approx((cal.f + bound)[free])
    assert frame["score"].to_numpy()[free] == pytest.approx(cal.f[free])


def test_a_split_trains_one_model_on_half_and_calibrates_on_the_other_half():
    cal = real()
    basis = basis_of(cal, "split")
    trained = np.setdiff1d(cal.aligned.design.rows, basis.rows)
    assert (len(trained), len(basis.rows)) == (30, 30)
    assert len(basis.inside) == cal.pool.n_items - 30
    assert basis.design.pi == pytest.approx(30 / 60)
    x = cal.fitter.x
    y = dict(zip(cal.aligned.design.rows.tolist(), cal.aligned.y, strict=True))
    model = fit_named("ridge", x[trained], np.array([y[r] for r in trained]), cal.fitter.task)
    assert basis.f == pytest.approx(model.predict(x))
    items = cal.item_scores(method="split")
    assert "items_split" in told(items)
    assert "items_out_of_fold" not in told(items)
    errors = np.abs(basis.y - basis.f[basis.rows])
    # The ridge has one variance for all, so that scaled errors are errors.
    width = 2.0 * error_bounds(errors, np.ones(30), np.ones(1), 0.9)[0]
    assert items.mean_width == pytest.approx(width)


def test_the_default_is_out_of_fold_and_says_that_it_is_approximate():
    items = calibrated(n=50).item_scores()
    assert items.method == "out-of-fold"
    assert "items_out_of_fold" in told(items)
    assert "approximate" in items.summary()
    assert "items_surrogates" in told(items)


def test_rank_1_is_the_best_and_equal_scores_share_the_better_rank():
    cal = calibrated(n=50, better="lower")
    frame = cal.items()
    score, rank = frame["score"].to_numpy(), frame["rank"].to_numpy()
    assert rank.tolist() == [1 + int(np.sum(score < one)) for one in score]
    higher = replace(cal, better="higher").items()["rank"].to_numpy()
    assert higher.tolist() == [1 + int(np.sum(score > one)) for one in score]
    assert len(np.unique(rank)) < len(rank)
    unstated = replace(cal, better=None).item_scores()
    assert unstated.frame["rank"].to_list() == higher.tolist()
    assert "better_assumed" in told(unstated)
    assert "better_assumed" not in told(cal.item_scores())


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_rows_changes_nothing(method):
    pool = essays()
    order = np.random.default_rng(0).permutation(pool.n_items)
    other = replace(permuted(pool, order), cluster=None)
    sample, y = bacon.UniformDesign(n=50).draw(pool, seed=3), people(pool)
    frames = []
    for which, truth in ((pool, y), (other, y[order])):
        labels = labels_of(which, rows_of(which, sample.ids.tolist()), human=truth.tolist())
        cal = bacon.calibrate(which, labels, sample=sample, model="ridge", scale=SCALE)
        frames.append(cal.items(method=method, flag_below=4, fdr=0.3).sort("item_id"))
    one, two = frames
    assert one.select(pl.exclude("score")).equals(two.select(pl.exclude("score")))
    assert one["score"].to_numpy() == pytest.approx(two["score"].to_numpy())


def test_too_few_labels_give_the_whole_scale_or_no_end():
    bounded = calibrated(n=8, scale=SCALE).item_scores()
    rest = unlabelled(bounded)
    assert set(zip(rest["lower"], rest["upper"], strict=True)) == {SCALE}
    assert bounded.n_unknown == len(rest)
    assert "the whole scale" in bounded.summary()
    open_ended = calibrated(n=8).item_scores()
    assert set(unlabelled(open_ended)["upper"]) == {math.inf}
    assert open_ended.mean_width == math.inf
    assert "items_too_few_labels" in told(open_ended)
    assert "state the scale" in open_ended.summary()
    assert open_ended.to_dict()["mean_width"] is None
    assert open_ended.to_dict()["mean_width_reason"] == "some intervals have no end"
    # Eight labels are enough for 80 %.
    assert calibrated(n=8).item_scores(level=0.8).n_unknown == 0


def test_groups_hold_by_themselves_and_small_ones_are_named():
    pool = essays(columns={"part": ["small"] * 12 + ["large"] * 78})
    items = calibrated(pool, n=60, scale=SCALE).item_scores(by="part")
    (notice,) = (one for one in items.notices if one.code == "items_too_few_labels")
    assert "(in small)" in notice.message
    part = pl.Series(["small"] * 12 + ["large"] * 78)
    small = items.frame.filter((part == "small") & ~items.frame["labelled"])
    assert set(zip(small["lower"], small["upper"], strict=True)) == {SCALE}
    assert items.n_unknown == len(small) > 0
    assert "in every group of part" in items.summary()


def test_two_values_stay_two_values():
    pool = essays()
    y = (people(pool) >= 4).astype(float)
    rows = range(0, 90, 2)
    cal = bacon.calibrate(pool, labels_of(pool, rows, human=y.tolist()), model="ridge")
    items = cal.item_scores()
    rest = unlabelled(items)
    assert set(rest["lower"]) | set(rest["upper"]) <= {0.0, 1.0}
    assert rest["score"].is_between(0.0, 1.0).all()
    assert items.set_size == pytest.approx((rest["upper"] - rest["lower"] + 1).mean())
    assert "possible values on average" in items.summary()


def test_labels_in_words_get_sets():
    pool = essays()
    latent = people(pool)
    words = np.where(latent <= 3, "poor", np.where(latent == 4, "fair", "=good"))
    rows = list(range(0, 90, 2))
    cal = bacon.calibrate(pool, labels_of(pool, rows, human=words.tolist()))
    for method in METHODS:
        items = cal.item_scores(method=method)
        frame = items.frame
        assert frame.columns == [
            "item_id",
            "class",
            "probability_=good",
            "probability_fair",
            "probability_poor",
            "set",
            "set_size",
            "labelled",
            "label",
        ]
        known = frame.filter("labelled")
        assert known["label"].to_list() == words[rows].tolist() == known["class"].to_list()
        assert known["set"].to_list() == words[rows].tolist()
        probability = frame.select("^probability_.*$").to_numpy()
        assert probability.sum(axis=1) == pytest.approx(1.0)
        sets = [one.split(" | ") for one in frame["set"]]
        assert [len(one) for one in sets] == frame["set_size"].to_list()
        assert all(one in kept for one, kept in zip(frame["class"], sets, strict=True))
        assert items.set_size == pytest.approx(unlabelled(items)["set_size"].mean())
        assert "of 3 classes on average" in items.summary()
        assert "better_assumed" not in told(items)
    with pytest.raises(InputError, match="words"):
        cal.items(flag_below=2)


@pytest.mark.parametrize("backend", ["pandas", "pyarrow"])
def test_the_frame_comes_back_in_the_users_library(backend):
    pool = replace(essays(), backend=backend)
    frame = calibrated(pool, n=50).items(flag_below=2)
    assert type(frame).__module__.startswith(backend)
    assert list(getattr(frame, "column_names", None) or frame.columns) == [
        *COLUMNS,
        "flagged",
        "p_value",
    ]


def test_a_census_shows_labels_and_nothing_else():
    items = calibrated(n=90).item_scores(flag_below=2)
    assert items.frame["labelled"].all()
    assert items.flags is None
    assert items.summary().startswith("All 90 items have a label")
    assert items.to_dict()["mean_width_reason"] == "every item has a label"


def test_weights_of_strata_are_their_odds():
    pool = essays()
    sample = bacon.StratifiedDesign(n=40, strata="system", allocation="equal").draw(pool, seed=1)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    basis = basis_of(cal, "out-of-fold")
    counts = np.bincount(cal.aligned.stratum[basis.rows])
    expected = (30 - counts) / counts
    assert basis.weights == pytest.approx(expected[cal.aligned.stratum[basis.rows]])
    assert basis.own == pytest.approx(expected[cal.aligned.stratum])
    assert "items_draws" in told(cal.item_scores())


def probability_sample(n: int | None = None, **options: object) -> Calibration:
    pool = essays(columns={"chance": PI})
    design = bacon.ProbabilityDesign("chance", n=n, method="poisson")
    sample = design.draw(pool, seed=4)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    return bacon.calibrate(pool, labels, sample=sample, model="ridge", **options)


@pytest.mark.parametrize("n", [None, 30])
def test_chances_of_items_that_were_not_drawn_are_found_in_the_pool(n):
    cal = probability_sample(n)
    pi = np.array(PI) if n is None else np.array(PI) * 30 / sum(PI)
    assert basis_of(cal, "out-of-fold").own == pytest.approx(selection_weights(pi))
    split = basis_of(cal, "split")
    share = len(split.rows) / cal.n_labels
    # Odds of neither being drawn nor having trained: (1 - pi) / (pi share).
    assert split.own == pytest.approx((1.0 - pi) / (pi * share))
    assert split.weights == pytest.approx(split.own[split.rows])


def test_chances_that_are_not_known_count_as_the_smallest():
    pool = essays()
    sample = bacon.ProbabilityDesign(PI, method="poisson").draw(pool, seed=4)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    basis = basis_of(cal, "out-of-fold")
    assert basis.own.tolist() == [float(basis.weights.max())] * 90
    assert "items_chances_unknown" in told(cal.item_scores())


def test_another_column_of_that_name_is_not_taken_for_the_chances():
    pool = essays(columns={"chance": PI})
    sample = bacon.ProbabilityDesign("chance", method="poisson").draw(pool, seed=4)
    for column in ([0.5] * 90, ["x"] * 90):
        other = essays(columns={"chance": column})
        labels = labels_of(other, rows_of(other, sample.ids.tolist()))
        cal = bacon.calibrate(other, labels, sample=sample, model="ridge")
        assert cal.aligned.pi is None


def test_chances_of_the_pool_are_taken_without_a_sample():
    pool = essays(pi=PI)
    drawn = np.flatnonzero(np.random.default_rng(1).random(90) < np.array(PI))
    cal = bacon.calibrate(pool, labels_of(pool, drawn), model="ridge")
    assert basis_of(cal, "out-of-fold").own == pytest.approx(selection_weights(np.array(PI)))


def test_an_item_weighs_as_much_as_its_cluster_where_clusters_are_drawn():
    pool = make_pool(90)
    sample = bacon.ClusterDesign(12, "prompt_id").draw(pool, seed=2)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge", scale=SCALE)
    basis = basis_of(cal, "out-of-fold")
    assert basis.weights == pytest.approx(18 / 12)
    assert basis.own == pytest.approx(3 * 18 / 12)
    # 12 clusters and one more: 12 of 13 are more than 90 %, 8 of 9 are not.
    assert cal.item_scores().n_unknown == 0
    split = basis_of(cal, "split")
    assert len(split.rows) == 18
    assert set(pool.cluster.codes[split.rows]).isdisjoint(
        pool.cluster.codes[np.setdiff1d(basis.rows, split.rows)]
    )
    assert cal.item_scores(method="split").n_unknown == 54
    assert "flags_of_clusters" in told(cal.item_scores(flag_below=3))


def test_too_few_labels_cannot_be_split():
    with pytest.raises(TooFewLabelsError, match="3 labels cannot be split"):
        calibrated(n=3).items(method="split")


def test_unanswered_items_are_items_without_a_label():
    pool = essays()
    sample = bacon.UniformDesign(n=60).draw(pool, seed=3)
    answered = rows_of(pool, sample.ids.tolist()[1::2])
    cal = bacon.calibrate(pool, labels_of(pool, answered), sample=sample, model="ridge")
    items = cal.item_scores()
    assert items.n_labels == 30
    assert len(unlabelled(items)) == 60
    assert "unanswered" in told(items)


def flagged_case() -> Calibration:
    """1,200 items with a good judge, 150 labels."""
    pool = essays(1200)
    return calibrated(pool, n=300, scale=SCALE, better="higher")


@pytest.mark.parametrize("method", METHODS)
def test_flags_are_of_the_lowest_scores_and_labelled_items_by_their_label(method):
    cal = flagged_case()
    items = cal.item_scores(flag_below=4, fdr=0.2, method=method)
    frame = items.frame
    assert frame.columns == [*COLUMNS, "flagged", "p_value"]
    known = frame.filter("labelled")
    assert known["flagged"].to_list() == (known["label"] < 4).to_list()
    assert known["p_value"].null_count() == len(known)
    rest = frame.filter(~pl.col("labelled")).sort("score")
    count = int(rest["flagged"].sum())
    assert 0 < count == items.flags.n_flagged < len(rest)
    assert rest["flagged"].to_list() == [True] * count + [False] * (len(rest) - count)
    assert items.flags.n_known == int((cal.aligned.y < 4).sum())
    n_calibrating = 300 if method == "out-of-fold" else 150
    assert items.flags.smallest == pytest.approx((1.0 / ((n_calibrating + 1) * 0.2),) * 2)
    truth = people(cal.pool)[~frame["labelled"].to_numpy()]
    false = float(np.mean(truth[frame.filter(~pl.col("labelled"))["flagged"].to_numpy()] >= 4))
    assert false <= 0.3
    assert 0.0 <= items.flags.false_share.predicted <= 0.4
    assert "the 20 % asked for are kept on average over draws" in items.summary()
    assert "labels among items scored like them" in items.summary()


def test_flags_above_mirror_flags_below():
    cal = flagged_case()
    turned = replace(
        cal,
        scale=(-6.0, -1.0),
        aligned=replace(cal.aligned, y=-cal.aligned.y),
        fitted=replace(
            cal.fitted,
            predictions=replace(cal.fitted.predictions, mean=-cal.fitted.predictions.mean),
        ),
    )
    below = cal.item_scores(flag_below=4, fdr=0.2)
    above = turned.item_scores(flag_above=-4, fdr=0.2)
    assert below.frame["flagged"].to_list() == above.frame["flagged"].to_list()
    assert below.flags.n_flagged > 0


def test_the_false_share_is_that_of_labels_scored_alike_less_what_is_known():
    cal = flagged_case()
    items = cal.item_scores(flag_below=4, fdr=0.2)
    share = items.flags.false_share
    rows, y = cal.aligned.design.rows, cal.aligned.y
    free = ~items.frame["labelled"].to_numpy()
    last = cal.f[free & items.flags.flagged].max()
    near = cal.f <= last
    inside = near[rows]
    event = (y[inside] >= 4).astype(float)
    assert share.n_labels == int(inside.sum())
    assert share.n_items == int((near & free).sum()) == items.flags.n_flagged
    phi = cal.fitter.fit_event((y >= 4).astype(float)).predictions.mean.clip(0.0, 1.0)
    own = phi[rows][inside]
    total = phi[near].mean() + (event - own).mean()
    rest = (near.sum() * total - event.sum()) / share.n_items
    assert share.value == pytest.approx(min(max(rest, 0.0), 1.0))
    assert share.predicted == pytest.approx(phi[near & free].mean())
    # The bound: labels alone, among items before the next labelled one, for every such item.
    k, false = int(inside.sum()), int(event.sum())
    following = cal.f[rows][cal.f[rows] > last].min()
    wide = int((cal.f < following).sum())
    error = 0.05 / (k * (1.0 / np.arange(1, 301)).sum())
    most = max(
        total
        for total in range(false, wide - k + false + 1)
        if stats.hypergeom.cdf(false, wide, total, k) > error
    )
    assert share.upper == pytest.approx((most - false) / share.n_items)
    assert 0.0 < share.upper < 0.6


def test_a_stratum_labelled_whole_may_be_a_single_item():
    pool = essays(columns={"part": ["only"] + ["rest"] * 89})
    sample = bacon.StratifiedDesign(n=60, strata="part").draw(pool, seed=1)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge", scale=SCALE)
    items = cal.item_scores(flag_below=7, fdr=0.3)
    assert items.flags.n_flagged > 0
    assert items.flags.false_share.value == 0.0


def test_no_label_scored_alike_leaves_no_estimate():
    cal = flagged_case()
    f = cal.f.copy()
    rows = cal.aligned.design.rows
    f[rows] = 6.0
    mean = replace(cal.fitted.predictions, mean=f)
    moved = replace(cal, fitted=replace(cal.fitted, predictions=mean))
    items = moved.item_scores(flag_below=4, fdr=0.2)
    assert items.flags.n_flagged > 0
    assert items.flags.false_share.value is None
    assert "there is no label among items scored like them" in items.summary()
    record = items.to_dict()["flags"]
    assert (record["false_share"]["estimate"], record["false_share"]["upper"]) == (None, None)
    assert record["false_share_reason"].startswith("there is no label")


def test_nothing_flagged_says_what_would_be_needed():
    items = calibrated(n=30, scale=SCALE).item_scores(flag_below=2, fdr=0.05)
    assert items.flags.n_flagged == 0
    assert items.flags.false_share is None
    # 1 / (31 * 0.05) is 65 %.
    assert "only if 65 % of those without a label are" in items.summary()
    assert items.to_dict()["flags"]["false_share_reason"] == "no item is flagged"
    few = calibrated(n=10, scale=SCALE).item_scores(flag_below=2, fdr=0.05)
    assert "more labels are needed" in few.summary()


def test_unequal_chances_are_pruned_and_told():
    seen = set()
    for seed in range(6):
        cal = replace(probability_sample(), seed=seed)
        items = cal.item_scores(flag_below=5, fdr=0.1)
        low, high = items.flags.smallest
        assert low < high
        assert "(by their weight)" in items.summary()
        seen.add(("flags_pruned" in told(items), items.flags.n_flagged > 0))
    # By the draw all stay, or too few to stay.
    assert seen == {(False, True), (True, False)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"method": "half"}, "method must be"),
        ({"fdr": 0.0}, "fdr must lie between 0 and 1"),
        ({"flag_below": 2, "flag_above": 5}, "flag_below or flag_above"),
        ({"flag_below": math.nan}, "flag_below must be a number"),
        ({"flag_above": "4"}, "flag_above must be a number"),
        ({"by": "nothing"}, "no column 'nothing'"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        calibrated(n=30).items(**options)


def test_a_rule_is_strict_on_both_sides():
    y = np.array([1.0, 2.0, 3.0])
    assert FlagRule("below", 2.0, 0.1).holds(y).tolist() == [True, False, False]
    assert FlagRule("above", 2.0, 0.1).holds(y).tolist() == [False, False, True]


def test_the_record_is_plain_json():
    for items in (
        calibrated(n=50, scale=SCALE).item_scores(flag_below=4, fdr=0.3),
        real().item_scores(method="split"),
    ):
        record = json.loads(json.dumps(items.to_dict(), allow_nan=False))
        assert record["schema"] == "bacon-items/1"
        assert [one["code"] for one in record["warnings"]] == told(items)


def test_human_only_and_refitted_models_work_too():
    for options in ({"model": "human-only"}, {"crossfit": "refit"}):
        for method in METHODS:
            items = real(**options).item_scores(method=method)
            assert math.isfinite(items.mean_width)
