"""`bacon replicate` as a person types it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.replication.cases import TOML, study_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ran

Run = "Callable[..., Ran]"
PLAIN = ("--no-open-questions",)


@pytest.fixture
def study() -> Path:
    """The folder of a small study, below the one that commands run in."""
    folder = Path("essays")
    folder.mkdir()
    return study_folder(folder, TOML.replace("scale", 'model = "ridge"\nscale'), embedded=True)


@pytest.fixture(autouse=True)
def _here(bacon: Callable[..., Ran]) -> None:
    """Commands run in an empty folder, which the study is made in."""


def test_a_study_ends_in_a_report(bacon: Callable[..., Ran], study: Path) -> None:
    ran = bacon("replicate", study, *PLAIN)
    assert ran.code == 0, ran.err
    assert "claims hold" in ran.out
    report = Path("essays/study/report.md").read_text()
    assert "180 items, 2 judges, 3 systems; outcome model ridge; 5 draws" in report
    for name in ("estimates", "models", "ranking", "scores"):
        assert f"(human/{name}.svg)" in report
        assert Path(f"essays/study/human/{name}.svg").read_bytes().startswith(b"<?xml")
    for name in ("oracle", "variance", "systems"):
        assert pl.read_parquet(f"essays/study/human/{name}.parquet").height > 0
    assert "What the paper leaves open" not in report
    assert "printed" not in report.lower()


@pytest.mark.slow
def test_open_questions_are_answered_on_the_same_draws(
    bacon: Callable[..., Ran], study: Path
) -> None:
    ran = bacon("replicate", study, "--trials", "2", "--budget", ".3")
    assert ran.code == 0, ran.err
    report = Path("essays/study/report.md").read_text()
    for question in (
        "fold models' mixture against one refit",
        "one model of all systems against one for each",
        "stack against the single model",
        "skew-aware intervals against t",
        "cross-fitted against in-sample",
        "population's holds the population",
    ):
        assert question in report
    (draws,) = Path("essays/study/human").glob("draws-*")
    results = pl.read_parquet(draws / "results.parquet")
    assert results.filter(pl.col("configuration") == "in-sample")["estimate"].null_count() == 0


@pytest.mark.slow
def test_the_same_bytes_for_any_workers_and_after_more_trials(
    bacon: Callable[..., Ran], study: Path
) -> None:
    assert bacon("replicate", study, *PLAIN, "--trials", "30", "--budget", ".3").code == 0
    first = Path("essays/study")
    ran = bacon(
        *("replicate", study, *PLAIN, "--out", "again", "--budget", ".3"),
        *("--workers", "2", "--trials", "2"),
    )
    assert ran.code == 0, ran.err
    # What was stopped early goes on to the same.
    more = bacon("replicate", study, *PLAIN, "--out", "again", "--trials", "30", "--budget", ".3")
    assert more.code == 0, more.err
    (draws,) = (first / "human").glob("draws-*")
    for name in (f"{draws.name}/results.parquet", "oracle.parquet", "estimates.svg"):
        assert (first / "human" / name).read_bytes() == Path("again/human", name).read_bytes()
    assert (first / "report.md").read_text() == Path("again/report.md").read_text()


def test_printed_values_stand_beside(bacon: Callable[..., Ran], study: Path) -> None:
    file = study / "bacon.toml"
    file.write_text(file.read_text() + 'paper = "persuade"\n')
    assert bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3").code == 0
    report = Path("essays/study/report.md").read_text()
    assert "printed R2" in report
    assert "| 0.699 | 0.602 | 0.831 |" in report


def test_names_from_files_are_shown_as_they_are(bacon: Callable[..., Ran], study: Path) -> None:
    pool = pl.read_parquet(study / "items.parquet")
    hostile = pool.with_columns(
        system=pl.col("system").replace("atlas", "<img src=x>|$a_b$ **x**\n# head")
    )
    hostile.write_parquet(study / "items.parquet")
    assert bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3").code == 0
    report = Path("essays/study/report.md").read_text()
    assert "<img" not in report.replace("\\<img", "")
    assert not any(line.startswith("# head") for line in report.splitlines())


def test_what_cannot_be_is_refused(refused: Callable[..., str], study: Path) -> None:
    assert "no folder or file of that name is here" in refused("replicate", "nothing")
    told = refused("replicate", "mqm")
    assert "name the folder of mqm_newstest2020_ende.tsv with --data" in told
    assert "published in google/wmt-mqm-human-evaluation" in told
    assert "did you mean persuade?" in refused("replicate", "persuad")
    assert "--workers must be a whole number" in refused("replicate", study, "--workers", "0")
    assert not (study / "study").exists()
    assert "--data is for persuade" in refused("replicate", study, "--data", ".")
    (study / "bacon.toml").write_text('[pool]\nfile = "items.parquet"\n')
    assert "there is no table [study]" in refused("replicate", study)


def test_a_study_is_run_again_when_its_judges_have_answered(
    bacon: Callable[..., Ran], study: Path
) -> None:
    file = study / "bacon.toml"
    file.write_text(file.read_text().replace('judges = ["judge_*"]\n', ""))
    judged = pl.read_parquet(study / "items.parquet")
    judged.drop(pl.selectors.starts_with("judge_")).write_parquet(study / "items.parquet")
    quick = (*PLAIN, "--trials", "2", "--budget", ".3")
    assert bacon("replicate", study, *quick).code == 0
    assert "180 items, 0 judges" in Path("essays/study/report.md").read_text()
    judged.write_parquet(study / "judged.parquet")
    assert bacon("replicate", study, *quick).code == 0
    assert "180 items, 2 judges" in Path("essays/study/report.md").read_text()


def test_a_quick_run_takes_the_outer_budgets(bacon: Callable[..., Ran], study: Path) -> None:
    file = study / "bacon.toml"
    file.write_text(file.read_text().replace("[0.2, 0.4]", "[0.2, 0.3, 0.4]"))
    assert bacon("replicate", study, *PLAIN, "--quick", "--trials", "2").code == 0
    report = Path("essays/study/report.md").read_text()
    assert "the budgets 20 %, 40 %" in report


@pytest.mark.parametrize("name", ["../away", "<script>a()</script>", "h" * 300, ""])
def test_no_name_of_an_outcome_leads_out_of_the_folder(
    bacon: Callable[..., Ran], study: Path, name: str
) -> None:
    table = pl.read_parquet(study / "items.parquet").rename({"human": name})
    table.write_parquet(study / "items.parquet")
    toml = study / "bacon.toml"
    toml.write_text(toml.read_text().replace('"human"', f'"{name}"'))
    ran = bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3")
    if not name:
        assert (ran.code, "Traceback" in ran.err) == (2, False)
        return
    assert ran.code == 0, ran.err
    assert [path.name for path in Path().iterdir()] == ["essays"]
    assert len(list(Path("essays/study").iterdir())) == 2
    assert "<script>" not in Path("essays/study/report.md").read_text()


def test_a_constant_outcome_and_a_single_system_are_told(
    bacon: Callable[..., Ran], study: Path
) -> None:
    table = pl.read_parquet(study / "items.parquet")
    table.with_columns(human=pl.lit(3.0), system=pl.lit("one")).write_parquet(
        study / "items.parquet"
    )
    ran = bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3")
    assert ran.code == 0, ran.err
    report = Path("essays/study/report.md").read_text()
    assert "not judged: full: less error than the intercept alone" in report
    assert "not judged: full: systems ranked better" in report


def test_a_system_with_one_item_has_no_model_of_its_own(
    bacon: Callable[..., Ran], study: Path
) -> None:
    table = pl.read_parquet(study / "items.parquet")
    few = pl.when(pl.col("item_id") == "e000").then(pl.lit("rare")).otherwise(pl.col("system"))
    table.with_columns(system=few).write_parquet(study / "items.parquet")
    ran = bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3")
    assert ran.code == 0, ran.err
    systems = pl.read_parquet("essays/study/human/systems.parquet")
    (reason,) = systems.filter(group="rare", configuration="full", pooling="none")["reason"]
    assert "1 label" in reason
    assert systems.filter(pl.col("group") != "rare")["reason"].null_count() == 24


def test_labels_in_words_end_in_a_report(bacon: Callable[..., Ran], study: Path) -> None:
    table = pl.read_parquet(study / "items.parquet")
    words = pl.when(pl.col("human") > 3).then(pl.lit("good")).otherwise(pl.lit("bad"))
    table.with_columns(human=words).write_parquet(study / "items.parquet")
    toml = (study / "bacon.toml").read_text().replace('model = "ridge"\nscale = [1, 6]\n', "")
    (study / "bacon.toml").write_text(toml)
    ran = bacon("replicate", study, *PLAIN, "--trials", "3", "--budget", ".3")
    assert ran.code == 0, ran.err
    oracle = pl.read_parquet("essays/study/human/oracle.parquet")
    full, alone = (oracle.filter(configuration=name)["r2"][0] for name in ("full", "human-only"))
    assert full > 0.3
    assert alone < 0.0


def test_folders_budgets_and_draws_that_cannot_be_used_are_named(
    bacon: Callable[..., Ran], study: Path
) -> None:
    Path("taken").write_text("")
    assert "taken/human cannot be made" in bacon("replicate", study, "--out", "taken").err
    assert "--trials must be" in bacon("replicate", study, "--trials", "0").err
    for words in (["--data", "."], ["--budget", "0.2"], ["--no-open-questions"]):
        said = bacon("replicate", "synthetic", *words).err
        assert f"{words[0]} means nothing to synthetic" in said
    assert not Path("synthetic").exists()
    for share in ("nan", "0", "1", "-1"):
        ran = bacon("replicate", study, "--budget", share)
        assert (ran.code, "over 0 and below 1" in ran.err) == (2, True)
    words = ("replicate", study, *PLAIN, "--trials", "2", "--budget", ".3")
    assert bacon(*words).code == 0
    part = next(Path("essays/study/human").rglob("full/0*.parquet"))
    part.write_bytes(part.read_bytes()[:50])
    ran = bacon(*words)
    assert (ran.code, f"{part} cannot be read" in ran.err) == (2, True)
    part.unlink()
    assert bacon(*words).code == 0
    assert "a study wants" in bacon("replicate", study / "items.parquet").err


def test_no_two_outcomes_share_a_folder_and_none_takes_the_reports(
    bacon: Callable[..., Ran], study: Path
) -> None:
    table = pl.read_parquet(study / "items.parquet")
    names = ["human", "Human", "a b", "a-b", "report.md"]
    table = table.with_columns(pl.col("style").alias(name) for name in names[1:])
    table.write_parquet(study / "items.parquet")
    text = (study / "bacon.toml").read_text().replace('["human"]', str(names).replace("'", '"'))
    (study / "bacon.toml").write_text(text)
    ran = bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", "0.3")
    assert ran.code == 0, ran.err
    folders = [path.name.casefold() for path in (study / "study").iterdir() if path.is_dir()]
    assert len(set(folders)) == len(names)
    assert (study / "study" / "report.md").is_file()


def test_a_copy_of_the_labels_is_told(bacon: Callable[..., Ran], study: Path) -> None:
    table = pl.read_parquet(study / "items.parquet")
    table.with_columns(judge_c=pl.col("human")).write_parquet(study / "items.parquet")
    ran = bacon("replicate", study, *PLAIN, "--trials", "2", "--budget", "0.3")
    assert ran.code == 0, ran.err
    assert "Note: judge_c: equal to the label of every item" in ran.err
