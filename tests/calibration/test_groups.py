"""Groups of a calibration: means, comparisons and rankings of systems."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.calibration.cases import labels_of, people, rows_of
from tests.factories import make_pool

import bacon
from bacon.calibration.group_record import group_result
from bacon.calibration.group_text import ranking_text
from bacon.errors import EstimationError, InputError, TooFewLabelsError
from bacon.estimation.ranking import labels_to_tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Pool

N = 180


def pool_of(**columns: Sequence[object]) -> Pool:
    """Three systems that answer sixty prompts; no prompt is named a cluster."""
    return replace(make_pool(N, columns=columns), cluster=None)


def calibrated(pool: Pool, n: int = 60, *, seed: int = 3, model: str = "ridge") -> Calibration:
    """Labels drawn within systems, twenty of each."""
    sample = bacon.StratifiedDesign(n=n, strata="system").draw(pool, seed=seed)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    return bacon.calibrate(pool, labels, sample=sample, model=model, scale=(1, 6))


def rows_in(pool: Pool, system: str) -> np.ndarray:
    """Return the rows of a system."""
    return np.flatnonzero(pool.table["system"].to_numpy() == system)


def test_everything_labelled_gives_the_plain_means() -> None:
    pool = pool_of()
    y = people(pool)
    cal = bacon.calibrate(pool, labels_of(pool, range(N)), model="ridge")
    found = cal.mean(by="system")
    assert list(found) == ["atlas", "borealis", "cygnus"]
    for name, estimate in found.items():
        assert estimate.value == pytest.approx(y[rows_in(pool, name)].mean(), rel=1e-12)
        assert tuple(estimate.interval()) == (estimate.value, estimate.value)


def test_each_group_is_the_pooled_prediction_and_its_own_correction() -> None:
    pool = pool_of()
    cal = calibrated(pool)
    y = people(pool)
    for name, estimate in cal.mean(by="system").items():
        rows = rows_in(pool, name)
        labelled = np.intersect1d(rows, cal.aligned.design.rows)
        value = cal.f[rows].mean() + (y[labelled] - cal.f[labelled]).mean()
        assert estimate.value == pytest.approx(value, rel=1e-12)
        assert (estimate.n_items, estimate.n_labels) == (60, 20)


def test_labels_alone_are_textbook_strata() -> None:
    pool = pool_of()
    cal = calibrated(pool)
    y = people(pool)
    for name, estimate in cal.groups("mean", by="system", labels_alone=True).items():
        labelled = np.intersect1d(rows_in(pool, name), cal.aligned.design.rows)
        assert estimate.value == pytest.approx(y[labelled].mean())
        assert estimate.se() ** 2 == pytest.approx((1 - 20 / 60) * y[labelled].var(ddof=1) / 20)


def test_strata_that_are_the_groups_add_up_to_the_pool() -> None:
    cal = calibrated(pool_of())
    shares = cal.mean(by="system")
    assert np.mean([one.value for one in shares.values()]) == pytest.approx(cal.mean().value)


def test_variances_are_moderated_within_reach_of_their_own() -> None:
    cal = calibrated(pool_of())
    found = cal.mean(by="system")
    assert {one.variances.is_moderated for one in found.values()} == {True}
    assert all(one.df > 19.0 for one in found.values())
    alone = [cal.groups("sd", by="system")[name] for name in found]
    assert {one.variances.is_moderated for one in alone} == {False}


def test_a_model_for_each_group_sees_its_labels_alone() -> None:
    pool = pool_of()
    cal = calibrated(pool)
    found = cal.mean(by="system", pooling="none")
    y = people(pool)
    moved = y.copy()
    others = np.setdiff1d(np.arange(N), rows_in(pool, "atlas"))
    moved[others] = 7.0 - moved[others]
    labels = labels_of(pool, cal.aligned.design.rows, human=moved.tolist())
    sample = bacon.StratifiedDesign(n=60, strata="system").draw(pool, seed=3)
    other = bacon.calibrate(pool, labels, sample=sample, model="ridge", scale=(1, 6))
    again = other.mean(by="system", pooling="none")
    assert again["atlas"].value == found["atlas"].value
    assert other.mean(by="system")["atlas"].value != cal.mean(by="system")["atlas"].value


def test_row_order_does_not_matter() -> None:
    pool = pool_of()
    order = np.random.default_rng(0).permutation(N)
    table = pool.table.with_columns(item_id=pl.Series(pool.ids))
    rows = rows_of(pool, pool.ids[::3].tolist())
    shuffled = bacon.read_pool(table[order], judges="judge_*", group="system")
    again = bacon.calibrate(shuffled, labels_of(pool, rows), model="stack")
    plain = bacon.read_pool(table, judges="judge_*", group="system")
    once = bacon.calibrate(plain, labels_of(pool, rows), model="stack")
    moved = again.mean(by="system")
    for name, one in once.mean(by="system").items():
        other = moved[name]
        assert other.value == pytest.approx(one.value, rel=1e-10)
        assert other.se() == pytest.approx(one.se(), rel=1e-10)


def test_groups_with_too_few_labels_are_told_and_left_out() -> None:
    pool = pool_of()
    rows = [*rows_in(pool, "atlas")[:9], *rows_in(pool, "cygnus")[:9], rows_in(pool, "borealis")[0]]
    cal = bacon.calibrate(pool, labels_of(pool, rows), model="ridge", better="higher")
    found = cal.mean(by="system")
    assert list(found) == ["atlas", "cygnus"]
    assert found.left_out == {"borealis": "1 label; an estimate needs at least 2"}
    assert "groups_left_out" in {one.code for one in found.notices}
    ranking = cal.rank()
    record = group_result({"warnings": []}, ranking)
    assert record["groups"][-1]["group"] == "borealis"
    assert record["groups"][-1]["estimate"] is None
    assert set(record["groups"][-1]) - {"reason"} == set(record["groups"][0])
    assert "borealis (1 label" in ranking_text(cal, ranking)


def test_no_group_with_two_labels_is_refused() -> None:
    pool = pool_of()
    rows = [rows_in(pool, name)[0] for name in ("atlas", "cygnus", "borealis")]
    cal = bacon.calibrate(pool, labels_of(pool, rows), model="human-only")
    with pytest.raises(TooFewLabelsError, match="no group of column system"):
        cal.mean(by="system")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "sytem"}, "sytem"),
        ({"name": "shares"}, "one class"),
        ({"pooling": "some"}, "pooling must be"),
    ],
)
def test_refusals(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibrated(pool_of()).groups(**arguments)


def test_a_pool_without_groups_says_how_to_name_them() -> None:
    cal = calibrated(pool_of())
    with pytest.raises(InputError, match="by=COLUMN"):
        replace(cal, pool=replace(cal.pool, group=None)).rank()


def test_words_are_compared_by_the_share_of_a_class() -> None:
    pool = pool_of()
    said = np.where(people(pool) > 3.5, "good", "poor")
    rows = range(0, N, 2)
    cal = bacon.calibrate(pool, labels_of(pool, rows, human=said.tolist()), model="multinomial")
    with pytest.raises(InputError, match="proportion:eq:good"):
        cal.rank()
    found = cal.groups("proportion:eq:good", by="system")
    whole = cal.proportion(eq="good")
    assert np.mean([one.value for one in found.values()]) == pytest.approx(whole.value, abs=0.05)
    assert all(0.0 <= end <= 1.0 for one in found.values() for end in one.interval())


def test_an_event_has_one_model_for_all_groups() -> None:
    pool = pool_of()
    cal = calibrated(pool)
    found = cal.groups("proportion:ge:4", by="system")
    whole = cal.proportion(ge=4)
    assert np.mean([one.value for one in found.values()]) == pytest.approx(whole.value, rel=1e-9)


def test_quantiles_of_groups_are_labels_on_the_scale() -> None:
    found = calibrated(pool_of()).groups("quantile:0.5", by="system")
    assert {one.value for one in found.values()} <= {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}


def test_shared_prompts_without_a_cluster_are_told() -> None:
    pool = pool_of()
    codes = {one.code for one in calibrated(pool).mean(by="system").notices}
    assert "groups_share_items" in codes
    clustered = make_pool(N)
    cal = calibrated(clustered)
    assert "groups_share_items" not in {one.code for one in cal.mean(by="system").notices}
    covariance = cal.mean(by="system").covariance("population")
    assert covariance[0, 1] != 0.0
    assert cal.mean(by="system").covariance()[0, 1] == 0.0


def test_columns_that_groups_do_not_share_are_no_clusters() -> None:
    """Sixty pages of three items, as many as a system has items, but each of one system."""
    pool = pool_of(page=[f"{'abc'[k % 3]}{k // 9}" for k in range(N)])
    pool = replace(pool, table=pool.table.drop("prompt_id"))
    assert pool.table["page"].n_unique() == 60
    found = calibrated(pool).mean(by="system")
    assert "groups_share_items" not in {notice.code for notice in found.notices}


def test_labels_alone_tell_of_skewness_and_moderated_means_do_not() -> None:
    pool = pool_of()
    y = np.ones(N)
    y[::7] = 6.0
    cal = bacon.calibrate(pool, labels_of(pool, range(0, N, 2), human=y.tolist()), model="ridge")
    y[:] = 1.0
    y[[0, 2, 4]] = 60.0
    skewed = bacon.calibrate(pool, labels_of(pool, range(0, N, 2), human=y.tolist()), model="ridge")
    alone = skewed.groups("mean", by="system", labels_alone=True)
    assert "very_skewed" in {one.code for one in alone.notices}
    assert "very_skewed" not in {one.code for one in cal.mean(by="system").notices}
    assert "very_skewed" not in {one.code for one in skewed.mean(by="system").notices}


def test_naming_the_cluster_moves_the_population_alone() -> None:
    pool = make_pool(N)
    sample = bacon.UniformDesign(n=60).draw(pool, seed=4)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    fold_free = [
        bacon.calibrate(one, labels, sample=sample, model="human-only").mean()
        for one in (pool, replace(pool, cluster=None))
    ]
    assert fold_free[0].interval() == fold_free[1].interval()
    assert fold_free[0].se("population") != fold_free[1].se("population")


def test_whole_prompts_make_paired_differences_narrower() -> None:
    pool = make_pool(N)
    shared = np.repeat(np.random.default_rng(2).normal(size=60), 3)
    y = np.clip(np.round(3.5 + 1.5 * shared), 1, 6).tolist()

    def width(sample: bacon.Sample) -> float:
        rows = rows_of(pool, sample.ids.tolist())
        cal = bacon.calibrate(pool, labels_of(pool, rows, human=y), sample=sample, model="ridge")
        return float(np.mean([one.contrast.interval().half_width for one in cal.compare()]))

    whole = bacon.ClusterDesign(n_clusters=20, column="prompt_id").draw(pool, seed=1)
    singly = bacon.StratifiedDesign(n=60, strata="system").draw(pool, seed=1)
    assert width(whole) < 0.5 * width(singly)


def test_items_that_are_groups_of_their_own_are_left_out() -> None:
    pool = pool_of(system=[f"g{k}" if k < 9 else "rest" for k in range(N)])
    pool = bacon.read_pool(pool.table.with_columns(item_id=pl.Series(pool.ids)), group="system")
    cal = bacon.calibrate(pool, labels_of(pool, range(0, N, 2)), model="ridge")
    found = cal.mean(by="system")
    assert list(found) == ["rest"]
    assert found.left_out["g0"] == "a single item, which is no group"


def test_a_group_inside_one_cluster_has_no_interval_for_the_population() -> None:
    pool = pool_of()
    table = pool.table.with_columns(item_id=pl.Series(pool.ids))
    clustered = bacon.read_pool(table, judges="judge_*", group="system", cluster="system")
    cal = bacon.calibrate(clustered, labels_of(pool, range(0, N, 4)), model="human-only")
    for estimate in cal.mean(by="system").values():
        assert np.isfinite(estimate.interval().low)
        interval = estimate.interval(target="population")
        assert np.isnan(interval.low)
        assert "share one cluster" in str(interval.reason)


def test_a_census_is_compared_without_doubt() -> None:
    pool = pool_of()
    cal = bacon.calibrate(pool, labels_of(pool, range(N)), model="ridge")
    for one in cal.compare().to_frame().iter_rows(named=True):
        assert one["lower"] == one["upper"] == one["difference"]
        assert one["p_value"] == float(one["difference"] == 0.0)


def test_a_group_of_one_cluster_stops_no_other() -> None:
    pool = make_pool(N)
    prompt = pool.table["prompt_id"].to_list()
    joined = ["Z" if k % 3 == 0 else prompt[k] for k in range(N)]
    table = pool.table.with_columns(item_id=pl.Series(pool.ids), prompt_id=pl.Series(joined))
    other = bacon.read_pool(table, judges="judge_*", group="system")
    sample = bacon.ClusterDesign(n_clusters=30, column="prompt_id").draw(other, seed=2)
    rows = rows_of(other, sample.ids.tolist())
    cal = bacon.calibrate(other, labels_of(other, rows), sample=sample, model="ridge")
    found = cal.mean(by="system")
    assert {"borealis", "cygnus"} <= set(found)
    if "atlas" in found:
        assert found["atlas"].se() == 0.0
    else:
        assert found.left_out["atlas"].startswith("no label")


def test_a_constant_difference_in_the_drawn_prompts_is_no_certainty() -> None:
    pool = make_pool(N)
    y = np.repeat(np.random.default_rng(1).integers(2, 5, 60), 3).astype(float)
    y[2::3] += 1.0
    sample = bacon.ClusterDesign(n_clusters=12, column="prompt_id").draw(pool, seed=1)
    rows = rows_of(pool, sample.ids.tolist())
    labels = labels_of(pool, rows, human=y.tolist())
    cal = bacon.calibrate(pool, labels, sample=sample, model="human-only")
    for row in cal.compare().to_frame().iter_rows(named=True):
        assert np.isnan([row[name] for name in ("lower", "se", "p_value", "detectable")]).all()


def test_groups_of_different_draws_are_not_compared() -> None:
    pool = make_pool(N)

    def means(seed: int, n: int = 15) -> bacon.Estimates:
        sample = bacon.ClusterDesign(n_clusters=n, column="prompt_id").draw(pool, seed=seed)
        labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
        return bacon.calibrate(pool, labels, sample=sample, model="ridge").mean(by="system")

    first, second = means(1), means(2)
    assert bacon.contrast(first["atlas"], first["cygnus"]).pools == "groups"
    with pytest.raises(InputError, match="different labels or draws"):
        bacon.contrast(first["atlas"], second["cygnus"])


def test_the_same_groups_by_another_column_have_the_same_difference() -> None:
    pool = make_pool(N, columns={"team": [f"team {'xyz'[k % 3]}" for k in range(N)]})
    sample = bacon.ClusterDesign(n_clusters=20, column="prompt_id").draw(pool, seed=1)
    labels = labels_of(pool, rows_of(pool, sample.ids.tolist()))
    cal = bacon.calibrate(pool, labels, sample=sample, model="ridge")
    one = bacon.contrast(cal.mean(by="system")["atlas"], cal.mean(by="system")["cygnus"])
    other = bacon.contrast(cal.mean(by="system")["atlas"], cal.mean(by="team")["team z"])
    assert other.se("population") == pytest.approx(one.se("population"), rel=1e-12)


def test_labels_all_alike_leave_no_error_anywhere() -> None:
    pool = pool_of()
    labels = labels_of(pool, range(0, N, 2), human=[2.0] * N)
    cal = bacon.calibrate(pool, labels, model="human-only")
    found = cal.mean(by="system")
    assert np.isnan(found.covariance()).all()
    row = cal.compare().to_frame().row(0, named=True)
    assert np.isnan([row["se"], row["p_value"], row["detectable"]]).all()
    with pytest.raises(EstimationError, match="no standard error"):
        cal.rank().probability_of_best()


def test_the_covariance_has_the_squared_standard_errors_on_its_diagonal() -> None:
    pool = make_pool(N)
    cal = calibrated(pool, model="ridge")
    for name in ("proportion:ge:5", "sd"):
        found = cal.groups(name, by="system")
        for target in ("pool", "population"):
            own = [one.se(target) ** 2 for one in found.values()]
            assert np.diag(found.covariance(target)) == pytest.approx(own)


def test_names_cannot_break_lines() -> None:
    names = ["a\nb", "c<b>", "=d"]
    pool = pool_of(system=[names[k % 3] for k in range(N)])
    pool = bacon.read_pool(pool.table.with_columns(item_id=pl.Series(pool.ids)), group="system")
    cal = bacon.calibrate(pool, labels_of(pool, range(0, N, 2)), model="ridge")
    ranking = cal.rank()
    for text in (ranking_text(cal, ranking), str(ranking), str(ranking.estimates)):
        assert "a\nb" not in text
        assert "a\\nb" in text


@pytest.mark.parametrize("draws", [0, 2.5, "a", True])
def test_draws_of_the_best_are_counted_in_whole_numbers(draws: object) -> None:
    ranking = calibrated(pool_of()).rank()
    with pytest.raises(InputError, match="draws must be"):
        ranking.probability_of_best(draws=draws)


def test_several_outcomes_are_one_family() -> None:
    pool = pool_of()
    y = people(pool)
    rows = range(0, N, 4)
    labels = labels_of(pool, rows, fluency=y.tolist(), adequacy=(7.0 - y).tolist())
    both = bacon.calibrate(pool, labels, model="ridge", outcomes=["fluency", "adequacy"])
    found = bacon.compare(both, "system")
    assert found.n_claims == 6
    assert {one.outcome for one in found} == {"fluency", "adequacy"}
    single = both["fluency"].compare("system")
    assert single.n_claims == 3
    frame, alone = found.to_frame(), single.to_frame()
    assert frame["lower_simultaneous"][0] < alone["lower_simultaneous"][0]
    assert frame["lower"][0] == alone["lower"][0]


def test_higher_is_better_unless_said_and_that_is_told() -> None:
    cal = calibrated(pool_of())
    ranking = cal.rank()
    assert "better_assumed" in {one.code for one in ranking.notices}
    lower = replace(cal, better="lower").rank()
    assert lower.order == ranking.order[::-1]
    assert "better_assumed" not in {one.code for one in lower.notices}


def test_the_json_is_json_and_holds_every_pair() -> None:
    cal = calibrated(pool_of())
    record = group_result(cal.to_dict(), cal.rank())
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert len(record["comparisons"]) == 3
    assert {"group", "estimate", "intervals", "ci_simultaneous", "rank", "rank_ci"} <= set(
        record["groups"][0]
    )


def test_labels_needed_follow_the_planning_formula() -> None:
    """With V = S^2 (1/n - 1/N), the answer halves the variance where the gap asks for half."""
    ranking = calibrated(pool_of()).rank()
    one = ranking.comparisons[0]
    needed = labels_to_tell(ranking, one, 0.95)
    wanted = (abs(one.contrast.value) / (1.959964 + 0.841621)) ** 2
    found = one.contrast.se() ** 2 * (1 / needed - 1 / N) / (1 / 60 - 1 / N)
    assert found == pytest.approx(wanted, rel=1e-5)


def test_groups_are_for_these_raters_and_say_so() -> None:
    pool = pool_of()
    y = people(pool)
    rows = list(range(0, N, 4))
    table = {
        "item_id": pool.ids[rows].tolist(),
        "who": ["ann", "bob", "cy"] * 15,
        "score": y[rows].tolist(),
    }
    labels = bacon.read_labels(table, value="score", rater="who")
    cal = bacon.calibrate(pool, labels, model="ridge", raters="like-them")
    found = cal.mean(by="system")
    assert "raters_not_counted" in {one.code for one in found.notices}
    assert len(cal.compare("system")) == 3
