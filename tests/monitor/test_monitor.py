"""A saved calibration held against later pools: verdicts, counting once, and refusals."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.monitor.cases import answers, labels_of, save_calibration

import bacon
from bacon.calibration.baseline import id_digest
from bacon.data.pool import Judge
from bacon.errors import DesignError, InputError, OutputError


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return bacon.load_calibration(save_calibration(tmp_path_factory.mktemp("cal")))


def pool_of(table, **roles):
    return bacon.read_pool(table, **{"group": "system", **roles})


def codes(report):
    return [one.code for one in report.notices]


def plain(report):
    """Every test as plain values, which compare where there is no number yet."""
    record = report.to_dict()
    return record["shift"], record["groups"], [one["shift"] for one in record["judges"]]


def test_the_baseline_is_that_of_the_out_of_fold_errors(saved):
    table, people = answers(400, 0)
    pool = pool_of(table)
    sample = bacon.UniformDesign(n=60).draw(pool, seed=1)
    cal = bacon.calibrate(
        pool, labels_of(table, people, sample.ids.tolist()), sample=sample, model="ridge"
    )
    rows = cal.aligned.design.rows
    errors = people[rows] - cal.f[rows]
    kept = saved.monitoring["error"]
    assert kept["n_labels"] == 60
    assert kept["mean"] == pytest.approx(errors.mean())
    assert kept["sd"] == pytest.approx(errors.std(ddof=1))
    assert kept["se"] == pytest.approx(errors.std(ddof=1) / math.sqrt(60))
    mine = np.array(table["system"].to_list())[rows] == "atlas"
    group = saved.monitoring["groups"]["levels"][0]["error"]
    assert group["mean"] == pytest.approx(errors[mine].mean())
    # A judge's own line is ordinary least squares.
    x = table["judge_x"].to_numpy()[rows]
    slope, level = np.polyfit(x - x.mean(), people[rows], 1)
    alone = saved.monitoring["judges"][0]["alone"]
    assert (alone["slope"], alone["level"]) == pytest.approx((slope, level))
    assert alone["error"]["mean"] == pytest.approx(0.0, abs=1e-12)
    assert set(saved.monitoring["labelled"]) == {id_digest(one) for one in sample.ids.tolist()}


def test_quiet_drift_and_open(saved):
    table, people = answers(500, 1, first=1000)
    quiet = bacon.Monitor(saved, detect=1.5).check(
        pool_of(table), labels_of(table, people, range(300))
    )
    assert (quiet.verdict, quiet.exit_code) == ("quiet", 0)
    assert quiet.shifts.overall.shift.n == 300
    assert abs(quiet.shifts.overall.shift.value) < quiet.shifts.overall.expected.margin
    few = bacon.Monitor(saved, detect=1.5).check(
        pool_of(table), labels_of(table, people, range(20))
    )
    assert (few.verdict, few.exit_code) == ("open", 4)
    none = bacon.Monitor(saved).check(pool_of(table))
    assert (none.verdict, none.n_labels) == ("open", 0)
    higher, people = answers(500, 1, first=1000, people_move=1.0)
    moved = bacon.Monitor(saved).check(pool_of(higher), labels_of(higher, people, range(150)))
    assert (moved.verdict, moved.exit_code) == ("drift", 3)
    assert moved.shifts.overall.shift.rises
    assert moved.drifted == ()
    assert "against every judge alike" in moved.summary()


def test_the_judge_that_went_wrong_is_named_with_and_without_labels(saved):
    table, people = answers(800, 2, first=1000, x_moves=1.5)
    without = bacon.Monitor(saved).check(pool_of(table))
    assert [one.name for one in without.drifted] == ["judge_x"]
    assert without.exit_code == 3
    report = bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, range(400)))
    assert [one.name for one in report.shifts.judges if one.alarms] == ["judge_x"]
    assert "Against people, judge_x (-" in report.summary()


def test_shift_of_one_group(saved):
    table, people = answers(1600, 3, first=1000)
    people = people + np.where(np.arange(1600) % 2 == 0, 1.2, -1.2)
    report = bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, range(800)))
    assert [(one.name, one.shift.rises) for one in report.shifts.groups if one.alarms] == [
        ("atlas", True),
        ("borealis", False),
    ]
    assert "Drift in system: atlas (+" in report.summary()


def test_labels_count_once_and_weeks_add_up(saved, tmp_path):
    table, people = answers(500, 1, first=1000)
    pool, state = pool_of(table), tmp_path / "monitor.json"

    def check(rows):
        return bacon.Monitor(saved, state=state).check(pool, labels_of(table, people, rows))

    first = check(range(50))
    assert (first.n_labels, first.n_new) == (50, 50)
    again = check(range(50))
    assert (again.n_labels, again.n_new) == (50, 0)
    assert plain(again) == plain(first)
    more = check(range(120))
    assert (more.n_labels, more.n_new) == (120, 70)
    # Next week's pool has other items; the file of labels still has the old ones.
    week, others = answers(300, 4, first=2000)
    both = pl.concat([table, week])
    report = bacon.Monitor(saved, state=state).check(
        pool_of(week), labels_of(both, np.concatenate([people, others]), [*range(120), 500, 501])
    )
    assert (report.n_labels, report.n_new, report.n_pools) == (122, 2, 2)
    kept = bacon.Monitor(saved)
    kept.check(pool, labels_of(table, people, range(50)))
    assert plain(kept.check(pool, labels_of(table, people, range(120)))) == plain(more)


def test_order_in_a_file_does_not_matter(saved):
    table, people = answers(500, 1, first=1000)
    ordered = np.argsort(people)[:120].tolist()
    pool = pool_of(table)
    found = [
        plain(bacon.Monitor(saved).check(pool, labels_of(table, people, rows)))
        for rows in (ordered, ordered[::-1])
    ]
    assert found[0] == found[1]


def test_a_changed_label_is_told_and_the_first_one_counts(saved):
    table, people = answers(500, 1, first=1000)
    monitor = bacon.Monitor(saved)
    first = monitor.check(pool_of(table), labels_of(table, people, range(40)))
    people = people.copy()
    people[3] = 9.0
    again = monitor.check(pool_of(table), labels_of(table, people, range(40)))
    assert "label_changed" in codes(again)
    assert plain(again) == plain(first)
    assert any("(1003)" in one.message for one in again.notices)


def test_labels_of_the_calibration_are_not_fresh(saved):
    table, people = answers(400, 0)
    report = bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, range(400)))
    assert report.n_labels == 340
    assert "labels_of_calibration" in codes(report)


def test_unknown_items_are_refused(saved):
    table, _ = answers(50, 1, first=1000)
    strange = bacon.read_labels({"item_id": [1001, 7777], "score": [3.0, 4.0]}, value="score")
    with pytest.raises(DesignError, match=r"1 of the 2 fresh labels .* not in .*7777"):
        bacon.Monitor(saved).check(pool_of(table), strange)


def test_ids_as_text_are_the_same_items(saved):
    table, people = answers(100, 1, first=1000)
    monitor = bacon.Monitor(saved)
    monitor.check(pool_of(table), labels_of(table, people, range(40)))
    text = table.with_columns(item_id=pl.col("item_id").cast(pl.String))
    again = monitor.check(pool_of(text), labels_of(text, people, range(45)))
    assert (again.n_labels, again.n_new) == (45, 5)


def test_row_numbers_are_no_ids(saved):
    table, _ = answers(50, 1)
    labels = bacon.read_labels({"row": [1, 2], "score": [3.0, 4.0]}, id="row", value="score")
    with pytest.raises(InputError, match="row numbers of one pool mean other items in the next"):
        bacon.Monitor(saved).check(pool_of(table.drop("item_id")), labels)


def test_samples(saved):
    table, people = answers(500, 1, first=1000)
    pool = pool_of(table)
    sample = bacon.UniformDesign(n=60).draw(pool, seed=3)
    rows = (sample.ids - 1000).tolist()
    outside = [k for k in range(500) if k not in rows][:5]
    report = bacon.Monitor(saved).check(
        pool, labels_of(table, people, [*rows, *outside]), sample=sample
    )
    assert report.n_labels == 60
    assert "labels_outside_sample" in codes(report)
    assert "assumed_sample" not in codes(report)
    assert "unanswered" not in codes(report)
    part = bacon.Monitor(saved).check(pool, labels_of(table, people, rows[:40]), sample=sample)
    assert any(one.message.startswith("20 of 60 drawn items") for one in part.notices)
    labels = labels_of(table, people, rows)
    with pytest.raises(DesignError, match="drawn from another pool"):
        bacon.Monitor(saved).check(pool_of(table[:400]), labels, sample=sample)
    with pytest.raises(InputError, match="give labels as well"):
        bacon.Monitor(saved).check(pool, sample=sample)
    weighted = pool_of(table.with_columns(pi=pl.Series(np.linspace(0.05, 0.3, 500))), pi="pi")
    unequal = bacon.ProbabilityDesign("pi").draw(weighted, seed=1)
    with pytest.raises(DesignError, match=r"unequal probabilities .* draw a uniform sample"):
        bacon.Monitor(saved).check(weighted, labels, sample=unequal)
    clusters = bacon.ClusterDesign(n_clusters=1, column="system").draw(pool, seed=1)
    with pytest.raises(DesignError, match="whole clusters"):
        bacon.Monitor(saved).check(pool, labels, sample=clusters)


def test_labels_that_do_not_look_drawn_are_told(saved):
    table, people = answers(500, 1, first=1000)
    best = np.argsort(-table["judge_x"].to_numpy())[:60].tolist()
    report = bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, best))
    assert "labels_not_random" in codes(report)


def test_new_groups_and_groups_without_a_past(saved):
    table, people = answers(200, 1, first=1000)
    table = table.with_columns(system=pl.Series(["atlas", "cygnus"] * 100))
    report = bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, range(100)))
    assert report.shifts.new_groups == ("cygnus",)
    assert any(one.code == "groups_new" and "cygnus" in one.message for one in report.notices)
    halves = table.with_columns(half=pl.Series(["a", "b"] * 100))
    with pytest.raises(InputError, match="nothing is known of errors by half"):
        bacon.Monitor(saved).check(pool_of(halves, group="half"))
    without = bacon.Monitor(saved).check(pool_of(table, group=None))
    assert "groups_not_watched" in codes(without)


def test_a_pool_without_a_judge_or_with_words_is_refused(saved):
    table, _ = answers(50, 1, first=1000)
    with pytest.raises(InputError, match="lacks judge_y"):
        bacon.Monitor(saved).check(pool_of(table.drop("judge_y")))
    pool = pool_of(table)
    words = Judge("judge_y", ("judge_y",), np.zeros((50, 1)), ("good",))
    with pytest.raises(InputError, match="answered in numbers"):
        bacon.Monitor(saved).check(replace(pool, judges=(pool.judges[0], words)))


def test_words_and_values_off_the_scale_are_refused(saved):
    table, _ = answers(50, 1, first=1000)
    words = bacon.read_labels({"item_id": [1001, 1002], "score": ["a", "b"]}, value="score")
    with pytest.raises(InputError, match="the labels are words"):
        bacon.Monitor(saved).check(pool_of(table), words)
    scaled = replace(saved, scale=(1.0, 6.0))
    high = bacon.read_labels({"item_id": [1001], "score": [60.0]}, value="score")
    with pytest.raises(InputError, match="label 60 of item 1001 lies outside the scale 1 to 6"):
        bacon.Monitor(scaled).check(pool_of(table), high)


def test_versions(tmp_path):
    path = save_calibration(
        tmp_path,
        judge_x__model=pl.Series(["m1"] * 400),
        judge_x__prompt=pl.Series(["p"] * 400),
    )
    saved = bacon.load_calibration(path)
    assert [one["name"] for one in saved.monitoring["judges"]] == ["judge_x", "judge_y"]
    table, _ = answers(50, 1, first=1000)
    same = table.with_columns(judge_x__model=pl.lit("m1"), judge_x__prompt=pl.lit("p"))
    told = bacon.Monitor(saved).check(pool_of(same)).notices
    assert [one.code for one in told] == ["judge_version_unknown"]
    assert "of judge_y:" in told[0].message
    other = same.with_columns(judge_x__model=pl.lit("m2"))
    told = bacon.Monitor(saved).check(pool_of(other)).notices
    assert told[0].code == "judge_version_changed"
    assert "judge_x has another model: m2, and m1 when" in told[0].message


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"level": 1.0}, "level"),
        ({"tolerance": -0.1}, "tolerance must be 0 or more"),
        ({"tolerance": math.nan}, "tolerance must be 0 or more"),
        ({"detect": math.inf}, "detect must be 0 or more"),
        ({"detect": "big"}, "detect must be a number"),
        ({"detect": 0.2}, "no larger than tolerance = 0.2"),
        ({"detect": 0, "tolerance": 0}, "no larger than tolerance = 0"),
    ],
)
def test_wrong_arguments(saved, asked, text):
    with pytest.raises(InputError, match=text):
        bacon.Monitor(saved, **asked)


def test_only_a_saved_calibration_is_taken(saved):
    with pytest.raises(InputError, match="takes a saved calibration, not a str"):
        bacon.Monitor("cal")
    with pytest.raises(InputError, match="check takes a Pool"):
        bacon.Monitor(saved).check({"item_id": [1]})


def test_a_thin_calibration_says_so(tmp_path):
    saved = bacon.load_calibration(save_calibration(tmp_path, n=12))
    table, people = answers(500, 1, first=1000)
    report = bacon.Monitor(saved, detect=0.5).check(
        pool_of(table), labels_of(table, people, range(100))
    )
    assert report.plan.to_find is None
    assert report.verdict == "open"
    assert "too uncertain" in report.summary()
    record = report.to_dict()
    assert record["labels_to_detect"] is None
    assert record["labels_to_detect_reason"]


def test_the_record_is_json_without_nan(saved):
    table, people = answers(500, 1, first=1000)
    for report in (
        bacon.Monitor(saved).check(pool_of(table)),
        bacon.Monitor(saved).check(pool_of(table), labels_of(table, people, range(60))),
    ):
        record = json.loads(json.dumps(report.to_dict(), allow_nan=False))
        assert record["verdict"] == report.verdict
        assert [one["name"] for one in record["judges"]] == ["judge_x", "judge_y"]
        assert [one["name"] for one in record["groups"]] == ["atlas", "borealis"]
    assert "<pre>" in report._repr_html_()


def test_a_state_cannot_replace_a_folder(saved, tmp_path):
    with pytest.raises(OutputError, match="is a folder"):
        bacon.Monitor(saved, state=tmp_path)


def test_a_judge_in_words_is_watched(tmp_path):
    table, people = answers(400, 0)
    verdict = np.where(people + np.random.default_rng(1).normal(size=400) > 3.5, "good", "bad")
    table = table.with_columns(judge_words=pl.Series(verdict))
    pool = pool_of(table)
    cal = bacon.calibrate(pool, labels_of(table, people, range(0, 400, 4)), model="ridge")
    cal.save(tmp_path / "cal")
    later, people = answers(400, 5, first=1000)
    later = later.with_columns(judge_words=pl.Series(["good"] * 300 + ["awful"] * 100))
    report = bacon.Monitor(bacon.load_calibration(tmp_path / "cal")).check(
        pool_of(later), labels_of(later, people, range(200))
    )
    (words,) = (one for one in report.judges if one.name == "judge_words")
    assert words.drifts
    assert words.where == "bad"
    assert [one.name for one in report.shifts.judges][-1] == "judge_words"
