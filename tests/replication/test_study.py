"""A study read from its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.replication.cases import TOML, N, items, study_folder

from bacon.config import parse_config
from bacon.errors import InputError
from bacon.experiments.plan import design_name
from bacon.replication.protocol import designs_of
from bacon.replication.study import read_study

if TYPE_CHECKING:
    from pathlib import Path


def test_a_study_is_read_from_its_folder_or_its_file(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    study = read_study(folder)
    (part,) = study.parts
    assert (part.name, part.pool.n_items, part.scale) == ("human", N, (1.0, 6.0))
    assert [one.name for one in part.pool.judges] == ["judge_a", "judge_b"]
    assert (study.model, study.by_group, study.budgets) == ("ordinal", True, (0.2, 0.4))
    assert read_study(folder / "bacon.toml").name == study.name == folder.name
    (folder / "own.toml").write_text(TOML)
    assert read_study(folder / "own.toml").name == "own"


def test_every_outcome_is_a_part_and_no_label_is_a_judge(tmp_path: Path) -> None:
    toml = TOML.replace('["human"]', '["human", "style"]').replace("judge_*", "*_[ab]*")
    study = read_study(study_folder(tmp_path, toml))
    assert [part.name for part in study.parts] == ["human", "style"]
    assert all(part.pool.n_judges == 2 for part in study.parts)
    assert study.parts[0].y.mean() == pytest.approx(items()["human"].mean())


def test_judged_tables_are_taken_where_no_judges_are_named(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, TOML.replace('judges = ["judge_*"]\n', ""))
    items().drop("judge_b").write_parquet(folder / "items.parquet")
    items().write_parquet(folder / "judged.parquet")
    assert read_study(folder).parts[0].pool.n_judges == 2
    items().drop("judge_b").write_parquet(folder / "judged_human.parquet")
    assert read_study(folder).parts[0].pool.n_judges == 1


def test_a_study_without_judges_is_labels_alone(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, TOML.replace('judges = ["judge_*"]\n', ""))
    bare = items().select("item_id", "system", "human")
    bare.write_parquet(folder / "items.parquet")
    assert read_study(folder).parts[0].pool.n_judges == 0


def test_judges_that_are_not_named_are_asked_for(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, TOML.replace('judges = ["judge_*"]\n', ""))
    own = {"judge_a_run1": "gpt_score", "judge_b": "claude_score"}
    items().drop("style", "judge_a_run2").rename(own).write_parquet(folder / "items.parquet")
    with pytest.raises(InputError, match=r'judges = \["\*_score"\] in \[study\]'):
        read_study(folder)


def test_labels_in_words_take_their_own_model(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, TOML.replace("scale = [1, 6]\n", ""))
    good = pl.when(pl.col("style") > 4).then(pl.lit("fine")).otherwise(pl.lit("poor"))
    items().with_columns(human=good).write_parquet(folder / "items.parquet")
    study = read_study(folder)
    assert (study.model, study.parts[0].levels) == ("multinomial", ("fine", "poor"))


def test_a_missing_label_is_named_with_its_file(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    gap = items().with_columns(
        human=pl.when(pl.col("item_id") == "e003").then(None).otherwise(pl.col("human"))
    )
    gap.write_parquet(folder / "items.parquet")
    with pytest.raises(InputError, match=r"^items.parquet, column human: 1 of 180 items"):
        read_study(folder)


def test_a_budget_that_cannot_reach_every_group_is_named(tmp_path: Path) -> None:
    part = read_study(study_folder(tmp_path)).parts[0]
    with pytest.raises(InputError, match=r"a budget of 0.02 cannot be drawn from every value of"):
        designs_of(part, (0.02,))


@pytest.mark.parametrize(
    ("model", "labels", "expected"),
    [("auto", "human", "ordinal"), ("ridge", "human", "ridge"), ("auto", "judge_b", "ridge")],
)
def test_the_model_follows_the_outcome(
    tmp_path: Path, model: str, labels: str, expected: str
) -> None:
    toml = TOML.replace('"human"', f'"{labels}"').replace("scale = [1, 6]", f'model = "{model}"')
    assert read_study(study_folder(tmp_path, toml)).model == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[study]", "[nothing]", "nothing"),
        ("[pool]\nfile", "[pool]\nfeil", "feil"),
        ('["human"]', "[]", "labels"),
        ("[0.2, 0.4]", "[0.2, 1.4]", "budgets, entry 2"),
        ("trials = 5", "trials = 0", "trials"),
        ("trials = 5", 'paper = "nature"', "paper"),
        ('"human"', '"humane"', "humane"),
        ("items.parquet", "item.parquet", "item.parquet"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_study(study_folder(tmp_path, TOML.replace(old, new)))


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no table \[study\]"):
        read_study(study_folder(tmp_path, '[pool]\nfile = "items.parquet"\n'))
    assert parse_config(TOML, "bacon.toml").study is not None


def test_labels_of_some_items_are_refused(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    import polars as pl

    some = items().with_columns(human=pl.when(pl.int_range(pl.len()) > 3).then("human"))
    some.write_parquet(folder / "items.parquet")
    with pytest.raises(InputError, match="4 of 180 items have no label"):
        read_study(folder)


def test_budgets_are_shares_of_every_group(tmp_path: Path) -> None:
    part = read_study(study_folder(tmp_path)).parts[0]
    assert [design_name(one) for one in designs_of(part, (0.2, 0.4))] == [
        "stratified n=36 strata=system",
        "stratified n=72 strata=system",
    ]
    assert design_name(designs_of(part, (0.2,), grouped=False)[0]) == "uniform n=36"
    with pytest.raises(InputError, match="a draw needs two labels"):
        designs_of(part, (0.001,))


def test_two_budgets_of_the_same_size_are_refused(tmp_path: Path) -> None:
    (part,) = read_study(study_folder(tmp_path)).parts
    with pytest.raises(InputError, match=r"budgets of 0\.2 and 0\.201 are both 36 of 180 items"):
        designs_of(part, (0.2, 0.201, 0.4))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["human"]', '["human", "human"]', '"human" stands there twice'),
        ('group = "system"', 'group = "human"', "named as a label and as the group"),
        ('group = "system"', 'cluster = "human"', "named as a label and as the cluster"),
        ('group = "system"', 'text = "human"', "named as a label and as the text"),
        ('["human"]', '["human", "system"]', "named as a label and as the group"),
    ],
)
def test_labels_have_no_other_role(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = study_folder(tmp_path, TOML.replace(old, new))
    with pytest.raises(InputError, match=said):
        read_study(folder)


def test_a_single_item_is_refused_by_its_budget(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    items().head(1).write_parquet(folder / "items.parquet")
    (part,) = read_study(folder).parts
    with pytest.raises(InputError, match="0 of 1 items; a draw needs two labels"):
        designs_of(part, (0.2,))
