"""`bacon estimate`: from files to numbers, in every way labels can come."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.calibration.test_record import check_record

from bacon.calibration.calibrate import calibrate
from bacon.io.labels import read_labels
from bacon.io.pools import read_pool
from bacon.io.samples import read_sample

N = 90
SCALED = ("--scale", "1:6")
RIDGE = ("--model", "ridge")


def json_of(ran):
    """The one JSON object of a run, checked against the contract."""
    assert ran.code == 0, ran.err
    assert ran.made == ()
    assert ran.out.count("\n") == 1
    return check_record(json.loads(ran.out))


def drawn(bacon, pool, label, *options, first=None):
    ran = bacon("sample", pool, *(options or ["-n", 30]), "--seed", 3, "--out", "sheet.csv")
    assert ran.code == 0, ran.err
    label("sheet.csv", first)


def without(record, *keys):
    return {key: value for key, value in record.items() if key not in keys}


def test_one_file_with_blanks(bacon, one):
    ran = bacon("estimate", one, "--label", "human", *SCALED)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == (
        "No sample file given: the 30 labelled rows are taken as a simple random sample."
    )
    assert re.split(r"\s{2,}", lines[1]) == ["", "mean", "95 % interval", "half-width"]
    assert re.fullmatch(r"BACON\s+\d\.\d\d\s+\d\.\d\d - \d\.\d\d\s+0\.\d\d", lines[2])
    assert lines[3].startswith("labels alone")
    assert lines[4].startswith("judges, raw average")
    assert lines[5].startswith("People would score these 90 items")


def test_json_of_one_file(bacon, one):
    record = json_of(bacon("estimate", one, "--label", "human", *SCALED, "--json"))
    assert record["design"]["assumed"] is True
    assert record["warnings"][0]["code"] == "assumed_sample"
    assert (record["n_items"], record["n_labels"], record["scale"]) == (N, 30, [1.0, 6.0])
    # The same as in Python.
    cal = calibrate(
        read_pool(one, label="human"), read_labels(one, value="human"), scale=(1.0, 6.0)
    )
    assert record == json.loads(json.dumps(cal.to_dict()))


def test_draw_label_and_estimate_with_the_sheet_alone(bacon, pool, label, truth):
    drawn(bacon, pool, label)
    record = json_of(bacon("estimate", pool, "--sample", "sheet.csv", *SCALED, "--json"))
    assert record["design"] == {
        "kind": "uniform",
        "assumed": False,
        "n_drawn": 30,
        "n_answered": 30,
        "ess": pytest.approx(30),
        "max_weight": pytest.approx(3),
    }
    assert record["outcome_name"] == "score"
    assert {warning["code"] for warning in record["warnings"]} <= {"no_gain"}
    assert abs(record["estimate"] - truth.mean()) < 4 * record["se"]
    assert record["se"] < record["human_only"]["intervals"]["pool"]["se"]


def test_labels_from_another_file_are_the_same(bacon, pool, label, table):
    drawn(bacon, pool, label)
    table.select("item_id", score="people").filter(
        pl.col("item_id").is_in(read_sample("sheet.csv").ids.tolist())
    ).write_csv("labels.csv")
    sheet = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", "--json"))
    files = [
        ["--labels", "labels.csv", "--value", "score"],
        ["--labels", "labels.csv"],
        ["--labels", "sheet.csv"],
    ]
    for options in files:
        other = json_of(
            bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", *options, "--json")
        )
        assert other == sheet


def test_a_column_of_labels_that_was_guessed_is_told(bacon, pool, label):
    drawn(bacon, pool, label)
    ran = bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", "--labels", "sheet.csv")
    assert ran.err == "Labels: column score of sheet.csv; --value names another.\n"
    ran = bacon("estimate", pool, *RIDGE, "--labels", "sheet.csv", "--value", "score")
    assert ran.err == ""


def test_labels_in_the_pool_with_a_sample(bacon, pool, label, table):
    drawn(bacon, pool, label)
    sheet = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", "--json"))
    at = pl.col("item_id").is_in(read_sample("sheet.csv").ids.tolist())
    table.with_columns(score=pl.when(at).then("people")).drop("people").write_csv("with.csv")
    other = json_of(
        bacon("estimate", "with.csv", *RIDGE, "--sample", "sheet.csv", "--label", "score", "--json")
    )
    assert other == sheet


DESIGNS = {
    "stratified": ["--design", "stratified", "--strata", "system", "-n", 30],
    "neyman": [
        *["--design", "stratified", "--strata", "judge_llama:3"],
        *["-n", 30, "--allocation", "neyman"],
    ],
    "bernoulli": ["--design", "bernoulli", "--rate", 0.4],
    "poisson": ["--design", "probability", "--pi", "chance", "--method", "poisson"],
    "systematic": ["--design", "probability", "--pi", "chance"],
    "sizes": ["--design", "probability", "--pi", "chance", "-n", 30],
    "clusters": ["--design", "cluster", "--draw-clusters", "prompt_id", "-n", 12],
}


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_from_draw_to_estimate(bacon, pool, label, truth, name):
    drawn(bacon, pool, label, *DESIGNS[name])
    sample = read_sample("sheet.csv")
    record = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", *SCALED, "--json"))
    design = record["design"]
    assert (design["kind"], design["assumed"]) == (sample.kind, False)
    assert design["n_drawn"] == design["n_answered"] == sample.n_drawn
    weights = 1 / sample.pi
    if name != "bernoulli":  # which is weighed by the number it happened to draw
        np.testing.assert_allclose(design["max_weight"], weights.max(), rtol=1e-12)
        np.testing.assert_allclose(
            design["ess"], weights.sum() ** 2 / (weights**2).sum(), rtol=1e-12
        )
    assert {warning["code"] for warning in record["warnings"]} <= {"no_gain", "very_skewed"}
    assert abs(record["estimate"] - truth.mean()) < 4 * record["se"]
    for target in ("pool", "population"):
        low, high = record["intervals"][target]["ci"]
        assert low < record["estimate"] < high
    widths = [np.diff(record["intervals"][t]["ci"])[0] for t in ("pool", "population")]
    assert widths[0] < widths[1]


def test_given_probabilities_and_strata_without_a_sample(bacon, table):
    chosen = np.random.default_rng(8).random(N) < table["chance"].to_numpy()
    human = pl.select(pl.when(pl.Series(chosen)).then(table["people"])).to_series()
    table.with_columns(human=human).drop("people").write_csv("one.csv")
    start = ["estimate", "one.csv", "--label", "human", *SCALED, *RIDGE, "--json"]
    record = json_of(bacon(*start, "--pi", "chance"))
    assert (record["design"]["kind"], record["design"]["assumed"]) == ("probability", False)
    largest = (1 / table["chance"].to_numpy()[chosen]).max()
    np.testing.assert_allclose(record["design"]["max_weight"], largest)
    for strata in ("system", "judge_llama:3"):
        record = json_of(bacon(*start, "--strata", strata))
        column = strata.removesuffix(":3")
        assert record["design"]["kind"] == f"stratified by {column}"
        assert record["design"]["assumed"] is True
        assert f"random sample stratified by {column}" in record["warnings"][0]["message"]


def test_volunteers_are_set_aside(bacon, pool, label, table):
    drawn(bacon, pool, label, *DESIGNS["stratified"])
    before = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", "--json"))
    inside = read_sample("sheet.csv").ids.tolist()
    others = [item for item in table["item_id"] if item not in set(inside)][:7]
    table.select("item_id", score="people").filter(
        pl.col("item_id").is_in([*inside, *others])
    ).write_csv("labels.csv")
    more = ["--labels", "labels.csv", "--value", "score", "--json"]
    after = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", *more))
    assert without(after, "warnings") == without(before, "warnings")
    told = after["warnings"][0]
    assert told["code"] == "labels_outside_sample"
    assert told["message"].startswith("7 labels are not of drawn items")
    assert re.search(r"From (atlas|borealis|cygnus): \d", told["message"])
    text = bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", *more[:-1]).out
    assert text.startswith("7 labels are not of drawn items and were set aside")


def test_a_finished_prefix_is_told_as_a_sample(bacon, pool, label):
    drawn(bacon, pool, label, first=20)
    record = json_of(bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv", "--json"))
    assert (record["design"]["n_drawn"], record["design"]["n_answered"]) == (30, 20)
    assert record["warnings"][0]["code"] == "finished_prefix"
    text = bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv").out
    assert "The first 20 of 30 drawn items are labelled." in text


def test_unanswered_items_are_counted(bacon, pool, label):
    drawn(bacon, pool, label, *DESIGNS["stratified"], first=25)
    ran = bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv")
    assert ran.out.startswith("5 of 30 drawn items have no label. The claim now assumes")


def test_a_sheet_that_lost_rows_counts_them_as_unanswered(bacon, pool, label):
    drawn(bacon, pool, label)
    kept = Path("sheet.csv").read_text().splitlines()
    Path("sheet.csv").write_text("\n".join([*kept[:5], *kept[7:]]) + "\n")
    ran = bacon("estimate", pool, *RIDGE, "--sample", "sheet.csv")
    assert ran.out.startswith("2 of 30 drawn items have no label.")


def test_another_pool_is_refused(bacon, refused, pool, label, table):
    drawn(bacon, pool, label)
    table.drop("people").head(N - 1).write_csv("shorter.csv")
    text = refused("estimate", "shorter.csv", "--sample", "sheet.csv")
    assert "sheet.csv was drawn from a pool of 90 items, and shorter.csv is another" in text
    Path("sheet.csv.design.json").unlink()
    text = refused("estimate", pool, "--sample", "sheet.csv")
    assert "sheet.csv.design.json does not exist" in text


def test_an_empty_sheet_has_no_labels_yet(bacon, refused, pool):
    bacon("sample", pool, "-n", 30, "--seed", 3, "--out", "sheet.csv")
    text = refused("estimate", pool, "--sample", "sheet.csv")
    assert text.startswith("sheet.csv has no label in column score; fill in some")


@pytest.mark.parametrize("first", [1])
def test_one_label_is_refused(bacon, refused, pool, label, first):
    drawn(bacon, pool, label, first=first)
    text = refused("estimate", pool, "--sample", "sheet.csv")
    assert text.startswith("1 label cannot show its own error")


def test_a_census_has_no_pool_error(bacon, table, truth):
    table.rename({"people": "human"}).write_csv("all.csv")
    ran = bacon("estimate", "all.csv", "--label", "human", *SCALED, *RIDGE, "--json")
    record = json_of(ran)
    assert record["estimate"] == pytest.approx(truth.mean(), rel=1e-14)
    assert record["intervals"]["pool"]["se"] == 0.0
    expected = np.sqrt(truth.var(ddof=1) / N)
    assert record["intervals"]["population"]["se"] == pytest.approx(expected, rel=1e-12)
    assert record["effective_labels"] is None
    assert "assumed_sample" not in [warning["code"] for warning in record["warnings"]]


def test_the_best_judged_items_are_detected(bacon, table):
    best = pl.col("judge_gpt").rank("ordinal", descending=True) <= 30
    table.with_columns(human=pl.when(best).then("people")).drop("people").write_csv("best.csv")
    lines = bacon("estimate", "best.csv", "--label", "human", *RIDGE).out.splitlines()
    assert lines[0].startswith("No sample file given")
    assert lines[1].startswith("The labelled rows differ from the pool more than a random draw")


def test_raters_in_several_rows(bacon, pool, table):
    some = table.head(30).select("item_id", score="people")
    long = pl.concat(
        [
            some.with_columns(rater=pl.lit("ann")),
            some.with_columns(pl.col("score") + 1, rater=pl.lit("bob")),
        ]
    )
    long.write_csv("long.csv")
    files = ["--labels", "long.csv", "--value", "score"]
    record = json_of(bacon("estimate", pool, *RIDGE, *files, "--rater", "rater", "--json"))
    assert record["n_labels"] == 30
    assert record["human_only"]["estimate"] == pytest.approx(table["people"][:30].mean() + 0.5)
    assert "ratings_averaged" in [warning["code"] for warning in record["warnings"]]


def test_raters_that_are_not_named_are_asked_for(refused, pool, table):
    twice = table.head(10).select("item_id", score="people")
    pl.concat([twice, twice]).write_csv("long.csv")
    text = refused("estimate", pool, "--labels", "long.csv", "--value", "score")
    assert "rows 1 and 11 both have item_id" in text
    assert "--rater" in text


def test_labels_in_words(bacon, refused, table):
    words = pl.when(pl.col("people") > 4).then(pl.lit("good")).otherwise(pl.lit("so so"))
    labelled = pl.int_range(pl.len()) % 3 == 0
    frame = table.with_columns(human=pl.when(labelled).then(words)).drop("people")
    frame.write_csv("words.csv")
    start = ["estimate", "words.csv", "--label", "human"]
    record = json_of(bacon(*start, "--json"))
    assert (record["estimand"], record["outcome"]) == ("shares", "categorical")
    good, so_so = record["classes"]
    assert (good["class"], so_so["class"]) == ("good", "so so")
    assert so_so["estimate"] == pytest.approx(1 - good["estimate"])
    one = json_of(bacon(*start, "--estimand", "proportion:eq:good", "--json"))
    # All classes at once or one alone: BLAS adds in another order on some processors.
    same = pytest.approx([one["estimate"], *one["ci"]], rel=1e-12)
    assert [good["estimate"], *good["ci"]] == same
    assert "items would be 'good'" in bacon(*start, "--estimand", "proportion:eq:good").out
    assert "all at once" in bacon(*start).out
    text = refused(*start, "--require", "shares:ge:0.4")
    assert "shares are one number for each class; ask for one of them" in text
    text = refused(*start, "--estimand", "mean")
    assert "the labels of human are words, which have no mean; ask for the share of" in text
    text = refused(*start, "--estimand", "proportion:eq:goud")
    assert "the classes are good, so so" in text
    text = refused(*start, "--estimand", "proportion:ge:4")
    assert "the classes are good, so so" in text
    ordered = json_of(bacon(*start, "--levels", "so so,good", "--json"))
    assert [one["class"] for one in ordered["classes"]] == ["so so", "good"]
