"""Labels against the draw: set aside, unanswered, assumed, and every design's weights."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibration.cases import (
    PI,
    N,
    calibrated,
    codes,
    drawn,
    essays,
    labels_of,
    message,
    people,
    rows_of,
)

from bacon.calibration.alignment import align
from bacon.calibration.calibrate import calibrate
from bacon.errors import DesignError, InputError, TooFewLabelsError
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import BernoulliDesign, UniformDesign


def outside(pool, sample):
    """Rows that were not drawn, the ones the first judge likes best first."""
    kept = set(rows_of(pool, sample.ids.tolist()))
    liked = np.argsort(-pool.judges[0].scores[:, 0], kind="stable").tolist()
    return [row for row in liked if row not in kept]


def without_warnings(calibration):
    record = calibration.to_dict("mean", "quantile:0.5", "proportion:ge:4")
    return {key: value for key, value in record.items() if key != "warnings"}


def test_volunteers_are_counted_described_and_change_nothing():
    pool = essays()
    sample, labels = drawn(pool)
    volunteers = outside(pool, sample)[:10]
    more = labels_of(pool, [*volunteers, *rows_of(pool, sample.ids.tolist())])
    without = calibrate(pool, labels, sample=sample, model="ridge")
    with_them = calibrate(pool, more, sample=sample, model="ridge")
    assert without_warnings(with_them) == without_warnings(without)
    assert codes(with_them) == ["labels_outside_sample"]
    told = message(with_them, "labels_outside_sample")
    assert told.startswith("10 labels are not of drawn items and were set aside")
    # They were taken for the first judge's liking, and that is the judge named.
    assert "On judge_gpt they score +" in told


def test_volunteers_off_the_scale_do_not_stop_the_estimate():
    pool = essays()
    sample, _ = drawn(pool)
    volunteer = outside(pool, sample)[0]
    y = people(pool)
    y[volunteer] = 99.0
    rows = [*rows_of(pool, sample.ids.tolist()), volunteer]
    labels = labels_of(pool, rows, human=y.tolist())
    assert calibrate(pool, labels, sample=sample, scale=(1, 6), model="ridge").n_labels == 30


def test_volunteers_of_a_stratified_draw_name_their_strata():
    pool = essays()
    sample = StratifiedDesign(n=30, strata="system").draw(pool, seed=3)
    rows = rows_of(pool, sample.ids.tolist())
    system = pool.table["system"].to_list()
    left = [row for row in range(N) if row not in set(rows)]
    cygnus = [row for row in left if system[row] == "cygnus"][:4]
    atlas = [row for row in left if system[row] == "atlas"][:1]
    cal = calibrate(pool, labels_of(pool, [*rows, *cygnus, *atlas]), sample=sample, model="ridge")
    assert "From cygnus: 4, atlas: 1." in message(cal, "labels_outside_sample")


def test_labels_of_undrawn_items_alone_are_refused():
    pool = essays()
    sample, _ = drawn(pool)
    labels = labels_of(pool, outside(pool, sample)[:5])
    with pytest.raises(DesignError, match="none of the 5 labels belongs to the 30 drawn items"):
        calibrate(pool, labels, sample=sample, model="ridge")


def test_a_finished_prefix_of_a_uniform_draw_is_itself_a_sample():
    pool = essays()
    sample, _ = drawn(pool)
    rows = rows_of(pool, sample.ids.tolist())
    cal = calibrate(pool, labels_of(pool, rows[:20]), sample=sample, model="ridge")
    assert codes(cal) == ["finished_prefix"]
    assert "first 20 of 30 drawn items are labelled" in message(cal, "finished_prefix")
    # Exactly what a draw of 20 would have been.
    np.testing.assert_allclose(cal.aligned.design.pi, 20 / N)
    assert (cal.aligned.n_drawn, cal.n_labels) == (30, 20)


def test_a_gap_in_the_sheet_is_told_as_an_assumption():
    pool = essays()
    sample, _ = drawn(pool)
    rows = rows_of(pool, sample.ids.tolist())
    cal = calibrate(pool, labels_of(pool, [*rows[:19], *rows[25:27]]), sample=sample, model="ridge")
    told = message(cal, "unanswered")
    assert told.startswith("9 of 30 drawn items have no label. The claim now assumes that they are")
    assert "finished_prefix" not in codes(cal)
    np.testing.assert_allclose(cal.aligned.design.pi, 21 / N)


def test_a_prefix_of_a_stratified_draw_is_not_called_a_sample():
    pool = essays()
    sample = StratifiedDesign(n=30, strata="system").draw(pool, seed=3)
    rows = rows_of(pool, sample.ids.tolist())
    cal = calibrate(pool, labels_of(pool, rows[:24]), sample=sample, model="ridge")
    told = message(cal, "unanswered")
    assert "missing at random within strata" in told
    assert "From " in told
    # Weights follow who answered in each stratum.
    system = np.array(pool.table["system"].to_list())
    for name in np.unique(system):
        at = system[cal.aligned.design.rows] == name
        np.testing.assert_allclose(cal.aligned.design.pi[at], at.sum() / 30)


@pytest.mark.parametrize("method", ["systematic", "poisson"])
def test_unanswered_items_scale_given_probabilities(method):
    pool = essays(pi=PI)
    sample = ProbabilityDesign(method=method).draw(pool, seed=3)
    ids = sample.ids.tolist()
    cal = calibrate(pool, labels_of(pool, rows_of(pool, ids[:-3])), sample=sample, model="ridge")
    rate = (len(ids) - 3) / len(ids)
    np.testing.assert_allclose(
        cal.aligned.design.pi, np.array(PI)[cal.aligned.design.rows] * rate, rtol=1e-12
    )
    assert message(cal, "unanswered").startswith(f"3 of {len(ids)} drawn items")


def test_a_partly_labelled_cluster_speaks_for_itself():
    pool = essays()
    sample = ClusterDesign(n_clusters=8, column="prompt_id").draw(pool, seed=3)
    ids = sample.ids.tolist()
    cal = calibrate(pool, labels_of(pool, rows_of(pool, ids[:-1])), sample=sample, model="ridge")
    assert message(cal, "unanswered").startswith("1 of 24 drawn items")
    # Eight of thirty clusters; in one of them two of three items speak for all.
    expected = np.full(23, 8 / 30)
    short = rows_of(pool, ids[-1:])[0] // 3
    expected[cal.aligned.design.rows // 3 == short] *= 2 / 3
    np.testing.assert_allclose(cal.aligned.design.pi, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("design", "kind", "pi"),
    [
        (UniformDesign(n=30), "uniform", lambda rows: np.full(len(rows), 30 / N)),
        (
            BernoulliDesign(rate=0.4),
            "bernoulli",
            lambda rows: np.full(len(rows), len(rows) / N),
        ),
        (ProbabilityDesign(), "systematic", lambda rows: np.array(PI)[rows]),
        (ProbabilityDesign(method="poisson"), "poisson", lambda rows: np.array(PI)[rows]),
        (ClusterDesign(10, "prompt_id"), "clusters", lambda rows: np.full(len(rows), 1 / 3)),
    ],
)
def test_a_recorded_draw_brings_its_own_probabilities(design, kind, pi):
    pool = essays(pi=PI)
    sample = design.draw(pool, seed=3)
    aligned = align(
        pool, labels_of(pool, rows_of(pool, sample.ids.tolist())), "human", sample=sample
    )
    rows = aligned.design.rows
    assert (aligned.kind, aligned.assumed, aligned.notices) == (kind, False, sample.notices)
    assert aligned.n_drawn == len(rows) == sample.n_drawn
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(aligned.y, people(pool)[rows])
    np.testing.assert_allclose(aligned.design.pi, pi(rows), rtol=1e-12)


@pytest.mark.parametrize("allocation", ["proportional", "equal", "neyman"])
def test_a_stratified_draw_weighs_each_stratum_by_its_size(allocation):
    pool = essays()
    design = StratifiedDesign(n=30, strata="judge_llama:3", allocation=allocation)
    sample = design.draw(pool, seed=3)
    aligned = align(
        pool, labels_of(pool, rows_of(pool, sample.ids.tolist())), "human", sample=sample
    )
    assert aligned.stratum is not None
    sizes = np.bincount(aligned.stratum)
    counts = np.bincount(aligned.stratum[aligned.design.rows])
    np.testing.assert_allclose(
        aligned.design.pi, (counts / sizes)[aligned.stratum[aligned.design.rows]], rtol=1e-12
    )
    np.testing.assert_allclose((1 / aligned.design.pi).sum(), N)


def test_a_sample_of_another_pool_is_refused():
    pool = essays()
    sample, _ = drawn(pool)
    other = essays(ids=[*range(1, N), 5000])
    kept = [row for row in rows_of(pool, sample.ids.tolist()) if row < N - 1]
    with pytest.raises(DesignError, match=r"drawn from another pool .* their ids differ"):
        calibrate(other, labels_of(other, kept), sample=sample, model="ridge")


def test_without_a_sample_a_simple_draw_is_assumed_and_told_first():
    pool = essays()
    cal = calibrate(pool, labels_of(pool, range(0, N, 3)), model="ridge")
    assert codes(cal)[0] == "assumed_sample"
    assert "30 labelled rows are taken as a simple random sample" in message(cal, "assumed_sample")
    assert cal.to_dict()["design"]["assumed"] is True
    assert cal.summary().startswith("No sample file given:")


def test_assumed_and_recorded_draws_give_the_same_numbers():
    pool = essays()
    sample, labels = drawn(pool)
    recorded, assumed = (
        calibrate(pool, labels, sample=sample, model="ridge"),
        calibrate(pool, labels, model="ridge"),
    )
    assert assumed.mean().value == recorded.mean().value
    assert assumed.mean().interval() == recorded.mean().interval()


def test_strata_without_a_sample_are_an_assumption_too():
    pool = essays()
    cal = calibrate(pool, labels_of(pool, range(0, N, 4)), strata="system", model="ridge")
    assert "taken as a random sample stratified by system" in message(cal, "assumed_sample")
    design = cal.to_dict()["design"]
    assert (design["kind"], design["assumed"]) == ("stratified by system", True)
    with pytest.raises(InputError, match="no column 'sytem' for the strata"):
        calibrate(pool, labels_of(pool, range(0, N, 4)), strata="sytem", model="ridge")


def test_probabilities_of_the_pool_are_no_assumption():
    pool = essays(pi=PI)
    rows = np.flatnonzero(np.random.default_rng(0).random(N) < PI)
    cal = calibrate(pool, labels_of(pool, rows), model="ridge")
    assert cal.to_dict()["design"]["assumed"] is False
    assert codes(cal) == []
    np.testing.assert_array_equal(cal.aligned.design.pi, np.array(PI)[rows])


def test_probabilities_far_from_the_number_labelled_are_told():
    pool = essays(pi=[share / 10 for share in PI])
    cal = calibrate(pool, labels_of(pool, range(0, N, 2)), model="ridge")
    assert f"sum to {sum(PI) / 10:,.1f}, but 45 items" in message(cal, "probabilities_do_not_fit")


def test_a_sample_or_probabilities_leave_nothing_for_strata_to_say():
    pool = essays(pi=PI)
    sample, labels = drawn(pool)
    with pytest.raises(InputError, match="leave strata out"):
        calibrate(essays(), labels, sample=sample, strata="system", model="ridge")
    with pytest.raises(InputError, match="leave strata out"):
        calibrate(pool, labels, strata="system", model="ridge")


def test_a_census_assumes_nothing_and_has_no_pool_error():
    pool = essays()
    y = people(pool)
    cal = calibrate(pool, labels_of(pool, range(N)), model="ridge")
    est = cal.mean()
    np.testing.assert_allclose(est.value, y.mean(), rtol=1e-14)
    assert est.se() == 0.0
    np.testing.assert_allclose(est.se("population") ** 2, y.var(ddof=1) / N, rtol=1e-12)
    record = cal.to_dict()
    assert record["effective_labels"] is None
    assert "every item is labelled" in record["effective_labels_reason"]
    assert record["design"]["assumed"] is False
    assert codes(cal) == []


def test_a_drawn_census_is_the_same_census():
    pool = essays()
    sample, labels = drawn(pool, n=N)
    assert sample.n_drawn == N
    cal = calibrate(pool, labels, sample=sample, model="ridge")
    assert (cal.mean().se(), cal.to_dict()["effective_labels"]) == (0.0, None)


def test_one_label_is_refused_whichever_way_it_was_drawn():
    pool = essays(pi=PI)
    one = labels_of(pool, [4])
    plain = essays()
    sample, _ = drawn(plain)
    first = labels_of(plain, rows_of(plain, sample.ids.tolist())[:1])
    for args, options in [
        ((pool, one), {}),
        ((plain, one), {}),
        ((plain, one), {"strata": "system"}),
        ((plain, first), {"sample": sample}),
    ]:
        with pytest.raises(TooFewLabelsError, match="at least 2 labels, and 30 make a useful one"):
            calibrate(*args, **options)


def test_no_label_of_the_pool_for_this_outcome():
    pool = essays()
    sample, _ = drawn(pool)
    rows = rows_of(pool, sample.ids.tolist())[:4]
    empty = outside(pool, sample)[0]
    style = [None] * N
    style[empty] = 3.0
    labels = labels_of(pool, [*rows, empty], human=people(pool).tolist(), style=style)
    with pytest.raises(DesignError, match="none of the 1 labels belongs"):
        calibrate(pool, labels, sample=sample, outcomes=["style"], model="ridge")


def test_two_labels_make_an_estimate_with_a_warning():
    cal = calibrated(n=2)
    assert cal.mean().n_labels == 2
    assert [notice.code for notice in cal.mean().notices] == ["few_labels"]
