"""`bacon sample`: a blind sheet, the design beside it, and what is refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from bacon.io.samples import read_sample

TEXT = "Note: Raters are shown column answer, which looks like the text; --show names others.\n"
BARE = "Note: the sheet shows nothing but the ids; --show COLUMN adds what to read.\n"


def test_a_sheet_and_its_design_are_written(bacon, pool):
    ran = bacon("sample", pool, "-n", 30, "--seed", 3, "--out", "sheet.csv")
    assert ran.code == 0
    assert ran.err == TEXT
    assert ran.made == ("sheet.csv", "sheet.csv.design.json")
    lines = ran.out.splitlines()
    assert lines[0] == "Drew 30 of 90 items (uniform, seed 3)."
    assert lines[1].startswith("To label: sheet.csv   (keep sheet.csv.design.json beside it")
    assert lines[2].startswith("Rows are in random order: label from the top")
    assert lines[3] == "Then: bacon estimate pool.csv --sample sheet.csv --judges 'judge_*'"
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    assert sheet.columns == ["order", "item_id", "answer", "score", "comment"]
    assert sheet["order"].to_list() == [str(k) for k in range(1, 31)]
    assert sheet["score"].null_count() == sheet["comment"].null_count() == 30


def test_the_printed_command_runs(bacon, pool, label):
    ran = bacon("sample", pool, "-n", 30, "--seed", 3, "--out", "my sheet.csv")
    label("my sheet.csv")
    words = shlex.split(ran.out.splitlines()[-1].removeprefix("Then: bacon "))
    assert words[3] == "my sheet.csv"
    assert bacon(*words).code == 0


def test_the_same_seed_writes_the_same_bytes(bacon, pool):
    for name in ("a.csv", "b.csv"):
        bacon("sample", pool, "-n", 30, "--seed", 3, "--out", name)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    for name in ("a.csv.design.json", "b.csv.design.json"):
        json.loads(Path(name).read_text())
    assert Path("a.csv.design.json").read_bytes() == Path("b.csv.design.json").read_bytes()


def test_without_a_seed_one_is_taken_told_and_recorded(bacon, pool):
    seeds = []
    for name in ("a.csv", "b.csv"):
        ran = bacon("sample", pool, "-n", 30, "--out", name)
        seeds.append(read_sample(name).seed)
        assert f"seed {seeds[-1]})." in ran.out
    assert seeds[0] != seeds[1]
    bacon("sample", pool, "-n", 30, "--seed", seeds[0], "--out", "again.csv")
    assert Path("again.csv").read_bytes() == Path("a.csv").read_bytes()


DRAWS = {
    "uniform rate": (["--rate", 0.2], "uniform", 18),
    "bernoulli": (["--design", "bernoulli", "--rate", 0.4], "bernoulli", None),
    "stratified": (["--design", "stratified", "--strata", "system", "-n", 30], "stratified", 30),
    "quantiles": (
        ["--design", "stratified", "--strata", "judge_llama:3", "-n", 30, "--allocation", "neyman"],
        "stratified",
        30,
    ),
    "equal": (
        ["--design", "stratified", "--strata", "system", "-n", 30, "--allocation", "equal"],
        "stratified",
        30,
    ),
    "systematic": (["--design", "probability", "--pi", "chance"], "systematic", None),
    "sizes": (["--design", "probability", "--pi", "chance", "-n", 20], "systematic", 20),
    "poisson": (
        ["--design", "probability", "--pi", "chance", "--method", "poisson"],
        "poisson",
        None,
    ),
    "clusters": (["--design", "cluster", "--draw-clusters", "prompt_id", "-n", 8], "clusters", 24),
}


@pytest.mark.parametrize("name", DRAWS)
def test_every_design_draws(bacon, pool, name):
    options, kind, n = DRAWS[name]
    ran = bacon("sample", pool, *options, "--seed", 3, "--out", "sheet.csv")
    assert ran.code == 0, ran.err
    drawn = read_sample("sheet.csv")
    assert drawn.kind == kind
    assert drawn.n_drawn == n or (n is None and 10 < drawn.n_drawn < 80)
    what = f"{drawn.n_drawn} of 90 items ({kind}, seed 3)."
    whole = "8 of 30 values of prompt_id, " if kind == "clusters" else ""
    assert ran.out.startswith(f"Drew {whole}{what}")
    assert ("Rows are in random order" in ran.out) == (kind == "uniform")


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (["--strata", "system", "-n", 30], "stratified"),
        (["--draw-clusters", "prompt_id", "-n", 8], "clusters"),
        (["--pi", "chance"], "systematic"),
    ],
)
def test_a_column_says_which_design_is_meant(bacon, pool, options, kind):
    assert bacon("sample", pool, *options, "--out", "sheet.csv").code == 0
    assert read_sample("sheet.csv").kind == kind


def test_the_sheet_is_blind(bacon, pool):
    blind = ["--group", "system", "--show", "answer", "--show", "prompt_id"]
    ran = bacon("sample", pool, "-n", 10, *blind, "--out", "sheet.csv")
    assert ran.code == 0
    sheet = pl.read_csv("sheet.csv", infer_schema=False)
    assert sheet.columns == ["order", "item_id", "answer", "prompt_id", "score", "comment"]


def test_the_text_is_shown_with_what_else_is_asked_for(bacon, pool):
    bacon("sample", pool, "-n", 10, "--text", "answer", "--out", "a.csv")
    assert pl.read_csv("a.csv").columns[2:-2] == ["answer"]
    bacon("sample", pool, "-n", 10, "--text", "answer", "--show", "prompt_id", "--out", "b.csv")
    assert pl.read_csv("b.csv").columns[2:-2] == ["answer", "prompt_id"]


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("judge_gpt", ["-n", 5]),
        ("system", ["-n", 5, "--group", "system"]),
        ("chance", ["--design", "probability", "--pi", "chance"]),
        ("chance", ["--design", "probability", "--pi", "chance", "-n", 20]),
        ("prompt_id", ["-n", 5, "--label", "prompt_id"]),
        ("chance", ["-n", 5, "--judges", "chance"]),
    ],
)
def test_columns_that_would_not_leave_it_blind_are_refused(refused, pool, column, options):
    text = refused("sample", pool, *options, "--show", column, "--out", "sheet.csv")
    assert f"column {column} cannot be shown: the sheet has to be blind" in text


def test_judges_by_other_names_are_hidden_too(bacon, refused):
    Path("bare.csv").write_text("item_id,gpt\n" + "".join(f"{k},{k % 6}\n" for k in range(20)))
    text = refused("sample", "bare.csv", "-n", 5, "--show", "gpt", "--out", "sheet.csv")
    assert "column gpt cannot be shown" in text
    ran = bacon("sample", "bare.csv", "-n", 5, "--out", "sheet.csv")
    assert ran.out.splitlines()[-1].endswith("--judges gpt")


def test_earlier_labels_are_hidden_under_any_name(refused, one):
    text = refused("sample", one, "-n", 5, "--show", "human", "--out", "sheet.csv")
    assert "column human cannot be shown" in text


def test_pools_without_judges_can_be_drawn_from(bacon):
    rows = "".join(f"{k},some words and number {k}\n" for k in range(20))
    Path("bare.csv").write_text(f"item_id,prose\n{rows}")
    ran = bacon("sample", "bare.csv", "-n", 5, "--show", "prose", "--out", "sheet.csv")
    assert (ran.code, ran.err) == (0, "")
    assert pl.read_csv("sheet.csv").columns == ["order", "item_id", "prose", "score", "comment"]


def test_row_numbers_serve_as_ids_and_are_told(bacon):
    Path("bare.csv").write_text("judge_a\n" + "".join(f"{k % 6}\n" for k in range(20)))
    ran = bacon("sample", "bare.csv", "-n", 5, "--out", "sheet.csv")
    assert ran.code == 0
    told = "Note: bare.csv has no column of ids: items are numbered by row, from 0.\n"
    assert ran.err == told + BARE


def test_the_id_column_goes_into_the_next_command(bacon):
    Path("keys.csv").write_text("key,judge_a\n" + "".join(f"k{k},{k % 6}\n" for k in range(20)))
    ran = bacon("sample", "keys.csv", "-n", 5, "--id", "key", "--out", "sheet.csv")
    assert ran.out.splitlines()[-1].endswith("--judges 'judge_*' --id key")


def test_what_was_scaled_is_told(bacon, pool):
    options = ["--design", "probability", "--pi", "chance", "-n", 20]
    ran = bacon("sample", pool, *options, "--seed", 3, "--out", "sheet.csv")
    assert ran.err.startswith("Note: The probabilities summed to ")
    assert "scaled to sum to 20" in ran.err


def test_files_that_exist_are_kept_unless_told_otherwise(bacon, refused, pool):
    Path("sheet.csv").write_text("mine")
    text = refused("sample", pool, "-n", 5, "--out", "sheet.csv")
    assert text.startswith("sheet.csv exists already")
    assert bacon("sample", pool, "-n", 5, "--out", "other.csv").code == 0
    # The sheet is named, not the design beside it.
    again = refused("sample", pool, "-n", 5, "--out", "other.csv")
    assert again.startswith("other.csv exists already")
    assert Path("sheet.csv").read_text() == "mine"
    assert bacon("sample", pool, "-n", 5, "--out", "sheet.csv", "--force").code == 0
    assert Path("sheet.csv").read_text().startswith("order,item_id")


def test_a_design_that_exists_is_kept_too(refused, pool):
    Path("sheet.csv.design.json").write_text("mine")
    assert "exists already" in refused("sample", pool, "-n", 5, "--out", "sheet.csv")
    assert not Path("sheet.csv").exists()


@pytest.mark.parametrize("name", ["pool.csv", "./pool.csv", "folder/../pool.csv"])
def test_the_pool_is_never_overwritten(refused, pool, name):
    Path("folder").mkdir()
    before = pool.read_bytes()
    text = refused("sample", pool, "-n", 5, "--out", name, "--force")
    assert "is the pool itself; give the sheet another name with --out" in text
    assert pool.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["-n", 91], "n = 91 is more than the 90 items of the pool; draw 90 at most"),
        (["-n", 0], "n must be a whole number from 1 up; got 0"),
        ([], "give either n, the number of items to draw, or rate"),
        (["-n", 5, "--rate", 0.1], "give one of -n and --rate, not both"),
        (["--rate", 1.5], "rate must lie above 0 and at most at 1"),
        (["-n", 5, "--seed", -1], "seed must be a whole number from 0 up; got -1"),
        (["-n", 5, "--design", "simple"], "--design must be one of uniform, bernoulli, stratified"),
        (
            ["-n", 5, "--design", "uniform", "--strata", "system"],
            "--strata does not go with --design uniform",
        ),
        (["-n", 5, "--strata", "system", "--pi", "chance"], "--pi does not go with --design strat"),
        (["-n", 5, "--strata", "system"], "n = 5 cannot cover 3 strata"),
        (["-n", 5, "--design", "stratified"], "--design stratified needs --strata COLUMN"),
        (["--design", "stratified", "--strata", "system"], "--design stratified needs -n"),
        (["--design", "cluster", "--draw-clusters", "system"], "--design cluster needs -n"),
        (["--design", "cluster", "-n", 5], "--design cluster needs --draw-clusters COLUMN"),
        (["--design", "probability"], "--design probability needs --pi COLUMN"),
        (["--design", "bernoulli", "-n", 5], "bernoulli needs it"),
        (["--design", "bernoulli", "-n", 5, "--rate", 0.1], "not both"),
        (
            ["-n", 30, "--design", "stratified", "--strata", "sytem"],
            "pool.csv has no column 'sytem' for the strata",
        ),
        (
            ["-n", 30, "--design", "stratified", "--strata", "system", "--allocation", "fair"],
            "allocation must be",
        ),
        (
            ["--design", "probability", "--pi", "chance", "--method", "fair"],
            'method must be "systematic" or "poisson"',
        ),
        (
            ["-n", 5, "--design", "cluster", "--draw-clusters", "x"],
            "no column 'x' for the clusters",
        ),
        (["--design", "probability", "--pi", "x"], "no column x for the inclusion probability"),
        (["-n", 5, "--show", "anser"], "there is no column 'anser' to show"),
        (["-n", 5, "--judges", "jugde_*"], "no column matches 'jugde_*' for the judges"),
        (["-n", 5, "--id", "key"], "pool.csv has no column key for the id"),
        (["-n", 5, "--label", "human"], "pool.csv has no column human for the label"),
    ],
)
def test_wrong_options_are_answered_in_one_sentence(refused, pool, options, text):
    assert text in refused("sample", pool, *options, "--out", "sheet.csv")


def test_a_sheet_needs_a_name_and_a_folder(bacon, refused, pool):
    text = refused("sample", pool, "-n", 5, "--out", "sheet.parquet")
    assert "the sheet is a CSV file; give --out a name that ends in .csv" in text
    ran = bacon("sample", pool, "-n", 5)
    assert ran.code == 2
    assert "Missing option '--out'" in ran.err
    text = refused("sample", pool, "-n", 5, "--out", "none/sheet.csv")
    assert "there is no folder none; make it first" in text


@pytest.mark.parametrize(
    ("value", "why"),
    [(0.0, "of 0 means the item can never be drawn"), (1.5, "1.5 is above 1"), (None, "missing")],
)
def test_probabilities_that_are_none_are_refused_with_their_row(refused, table, pool, value, why):
    chance = table["chance"].to_list()
    chance[6] = value
    table.with_columns(chance=pl.Series(chance)).write_csv(pool)
    draw = ["--design", "probability", "--pi", "chance"]
    text = refused("sample", pool, *draw, "--out", "sheet.csv")
    assert text.startswith("pool.csv row 7, column chance:")
    assert why in text


def test_the_text_that_is_found_is_shown(bacon, pool):
    ran = bacon("sample", pool, "-n", 5, "--out", "sheet.csv")
    assert ran.err == TEXT
    assert "answer" in pl.read_csv("sheet.csv").columns
    other = bacon("sample", pool, "-n", 5, "--show", "prompt_id", "--out", "other.csv")
    assert other.err == ""
    assert pl.read_csv("other.csv").columns == [
        *("order", "item_id", "prompt_id", "score", "comment")
    ]


def test_showing_the_systems_is_told(bacon, pool):
    ran = bacon("sample", pool, "-n", 5, "--show", "system", "--out", "sheet.csv")
    assert "Note: Raters are shown column system, which looks like the systems compared" in ran.err


def test_the_items_of_a_cluster_stand_together(bacon, pool):
    words = ("--draw-clusters", "prompt_id", "-n", 8, "--show", "prompt_id")
    ran = bacon("sample", pool, *words, "--seed", 3, "--out", "sheet.csv")
    assert ran.out.startswith("Drew 8 of 30 values of prompt_id, 24 of 90 items (clusters, seed 3)")
    column = pl.read_csv("sheet.csv")["prompt_id"]
    runs = [key for k, key in enumerate(column) if k == 0 or column[k - 1] != key]
    assert len(runs) == 8
    assert runs != sorted(runs)


def test_options_go_on_into_the_next_command(bacon, pool):
    words = ("--group", "system", "--judges", "judge_gpt", "--na", "x", "--id", "item_id")
    ran = bacon("sample", pool, "-n", 5, *words, "--out", "sheet.csv")
    then = ran.out.splitlines()[-1]
    assert then.endswith("--judges judge_gpt --id item_id --group system --na x")


def test_a_uniform_sheet_is_made_longer_and_keeps_its_labels(bacon, pool, label):
    bacon("sample", pool, "-n", 30, "--seed", 3, "--out", "sheet.csv")
    label("sheet.csv", first=20)
    old = pl.read_csv("sheet.csv", infer_schema=False).with_columns(
        who=pl.lit("ann"), comment=pl.lit("seen")
    )
    old.write_csv("sheet.csv")
    ran = bacon("sample", pool, "-n", 50, "--extend", "sheet.csv", "--out", "longer.csv")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == (
        "Drew 50 of 90 items (uniform, seed 3). 20 of them are new, below the rows of sheet.csv "
        "with their labels."
    )
    assert "--labels" not in ran.out
    longer = pl.read_csv("longer.csv", infer_schema=False)
    assert longer[:30].equals(old)
    assert longer["order"].to_list() == [str(k) for k in range(1, 51)]
    assert longer["item_id"].n_unique() == 50
    assert longer["answer"].null_count() == 0
    assert longer["score"].null_count() == 30
    design = read_sample("longer.csv")
    assert (design.kind, design.seed, design.parameters["drawn"]) == ("uniform", 3, "30+20")
    assert design.pi.tolist() == [50 / 90] * 50
    ran = bacon("estimate", pool, "--sample", "longer.csv", "--model", "ridge", "--json")
    assert json.loads(ran.out)["n_labels"] == 20
    again = bacon("sample", pool, "-n", 50, "--extend", "sheet.csv", "--out", "again.csv")
    assert again.code == 0
    assert Path("again.csv").read_bytes() == Path("longer.csv").read_bytes()
    bacon("sample", pool, "-n", 60, "--extend", "longer.csv", "--out", "longest.csv")
    assert read_sample("longest.csv").parameters["drawn"] == "30+20+10"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["-n", 30], "n = 30 is the number of items in all, and 30 are drawn already"),
        (["-n", 91], "n = 91 is more than the 90 items of the pool"),
        (["-n", 40, "--seed", 9], "goes on with the seed of sheet.csv, 3; leave --seed out"),
        (["-n", 40, "--rate", 0.5], "--rate does not go with --extend"),
        (["-n", 40, "--hardness", "gamma"], "--hardness does not go with -n"),
    ],
)
def test_what_a_longer_sheet_cannot_take_is_refused(bacon, pool, options, why):
    bacon("sample", pool, "-n", 30, "--seed", 3, "--out", "sheet.csv")
    ran = bacon("sample", pool, "--extend", "sheet.csv", *options, "--out", "longer.csv")
    assert ran.code == 2
    assert why in ran.err
    assert ran.made == ()


def test_only_a_uniform_sheet_is_made_longer(bacon, pool):
    bacon("sample", pool, "-n", 30, "--strata", "system", "--out", "sheet.csv")
    ran = bacon("sample", pool, "-n", 40, "--extend", "sheet.csv", "--out", "longer.csv")
    assert ran.code == 2
    assert "-n makes a uniform sheet longer, and sheet.csv was drawn otherwise" in ran.err
