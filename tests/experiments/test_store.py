"""The folder of an experiment: what it keeps, and what it refuses to mix."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tests.experiments.cases import essays, table

import bacon
from bacon.errors import EstimationError, InputError, OutputError
from bacon.experiments.full_pool import full_pool
from bacon.experiments.plan import Plan
from bacon.experiments.run import kept, simulate
from bacon.experiments.store import CHUNK, RECORD

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.experiments.run import Measured

N40 = bacon.UniformDesign(n=40)


def run(out: Path, *configurations: Any, trials: int = CHUNK, **settings: Any) -> Measured:
    again = settings.pop("again", ())
    full = settings.pop("full", None) or essays()
    designs = settings.pop("designs", [N40])
    made = Plan(full, designs, configurations or ("human-only",), **settings)
    return simulate(made, trials=trials, out=out, again=again)


def parts(out: Path) -> dict[str, float]:
    """Every part with the time it was written."""
    return {
        str(path.relative_to(out)): path.stat().st_mtime_ns
        for path in out.glob("draws/**/*.parquet")
    }


def test_what_the_folder_holds(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    measured = run(out, "human-only", "raw-judges")
    assert {path.name for path in out.iterdir()} == {
        RECORD,
        "draws",
        "results.parquet",
        "timing.parquet",
        "summary.parquet",
        "ranking.parquet",
    }
    assert pl.read_parquet(out / "results.parquet").equals(measured.results)
    assert pl.read_parquet(out / "summary.parquet").equals(measured.summary)
    assert len(parts(out)) == 2 * 2
    record = json.loads((out / RECORD).read_text())
    assert record["seed"] == 0
    assert set(record["configurations"]) == {"human-only", "raw-judges"}


def test_more_trials_go_on_from_those_there_are(tmp_path: Path) -> None:
    run(tmp_path, trials=CHUNK)
    before = parts(tmp_path)
    more = run(tmp_path, trials=2 * CHUNK)
    after = parts(tmp_path)
    assert {name: after[name] for name in before} == before
    assert len(after) == 2 * len(before)
    assert more.results.equals(run(tmp_path / "at-once", trials=2 * CHUNK).results)


def test_fewer_trials_are_the_first_ones(tmp_path: Path) -> None:
    many = run(tmp_path, trials=2 * CHUNK).results
    few = run(tmp_path, trials=7).results
    assert few.equals(many.filter(pl.col("trial") < 7))


def test_a_new_configuration_or_design_joins(tmp_path: Path) -> None:
    run(tmp_path)
    before = parts(tmp_path)
    both = run(tmp_path, "human-only", "raw-judges", designs=[N40, bacon.UniformDesign(n=20)])
    assert {name: parts(tmp_path)[name] for name in before} == before
    assert both.results.height == 2 * 2 * CHUNK


def test_kept_shows_all_there_is_without_drawing(tmp_path: Path) -> None:
    run(tmp_path, "human-only", trials=2 * CHUNK)
    run(tmp_path, "human-only", "raw-judges", trials=CHUNK)
    before = parts(tmp_path)
    plan = Plan(essays(), [N40, bacon.UniformDesign(n=20)], ["human-only", "raw-judges", "ppi++"])
    record = (tmp_path / RECORD).read_bytes()
    found = kept(plan, tmp_path)
    assert parts(tmp_path) == before
    assert (tmp_path / RECORD).read_bytes() == record
    assert found.summary.select("configuration", "trials").rows() == [
        ("human-only", 2 * CHUNK),
        ("raw-judges", CHUNK),
    ]
    # Ratios pair the draws that both have.
    assert found.summary["rmse_ratio"][1] is not None
    with pytest.raises(InputError, match="holds no experiment"):
        kept(plan, tmp_path / "elsewhere")
    with pytest.raises(InputError, match="holds no draws of these designs"):
        kept(Plan(essays(), [bacon.UniformDesign(n=20)], ["human-only"]), tmp_path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 1}, r"another seed \(0, here 1\)"),
        ({"level": 0.9}, r"another level \(0.95, here 0.9\)"),
        ({"estimands": ("mean", "sd")}, "another estimands"),
        ({"by_group": True}, r"another groups \(None, here 'system'\)"),
        ({"full": essays(scale=(0.0, 9.0))}, "another items and labels"),
    ],
)
def test_another_experiment_is_not_mixed_in(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    run(tmp_path)
    before = parts(tmp_path)
    with pytest.raises(InputError, match=said + ".*draws are never mixed; name another folder"):
        run(tmp_path, **changed)
    assert parts(tmp_path) == before


def test_changed_labels_are_not_mixed_in(tmp_path: Path) -> None:
    run(tmp_path)
    rows = table().with_columns(human=pl.col("human") + 0.1)
    pool = bacon.read_pool(rows, label="human", group="system")
    full = full_pool(pool, rows, label="human", name="essays")
    with pytest.raises(InputError, match="another items and labels"):
        run(tmp_path, full=full)


def test_a_changed_configuration_is_told(tmp_path: Path) -> None:
    first, changed = "own:model=ridge,folds=3", "own:model=ridge,folds=3,crossfit=refit"
    run(tmp_path, "human-only", first)
    said = "configuration own was drawn with other arguments.*--again own"
    with pytest.raises(InputError, match=said):
        run(tmp_path, "human-only", changed)
    before = parts(tmp_path)
    anew = run(tmp_path, "human-only", changed, again=["own"])
    after = parts(tmp_path)
    assert after.keys() == before.keys()
    assert {name for name in before if before[name] != after[name]} == {
        name for name in before if "/own/" in name
    }
    at_once = run(tmp_path / "at-once", "human-only", changed)
    assert anew.results.equals(at_once.results)
    with pytest.raises(InputError, match="no configuration is called other"):
        run(tmp_path, again=["other"])


def test_a_changed_stratum_column_is_told(tmp_path: Path) -> None:
    design = bacon.StratifiedDesign(n=30, strata="prompt_third")

    def with_column(shift: int) -> Any:
        rows = table().with_row_index("row")
        rows = rows.with_columns(prompt_third=(pl.col("row") + shift) // 40).drop("row")
        pool = bacon.read_pool(rows, label="human", group="system")
        return full_pool(pool, rows, label="human", name="essays")

    run(tmp_path, full=with_column(0), designs=[design])
    with pytest.raises(InputError, match="column that stratified n=30 strata=prompt_third draws"):
        run(tmp_path, full=with_column(3), designs=[design])


def test_a_changed_program_is_told(tmp_path: Path) -> None:
    assert run(tmp_path).notices == ()
    record = tmp_path / RECORD
    then = json.loads(record.read_text())
    then["programs"]["human-only"] = "0" * 32
    record.write_text(json.dumps(then))
    (notice,) = run(tmp_path, "human-only", "raw-judges").notices
    assert notice.code == "program_changed"
    assert "Draws of human-only were begun with another state" in notice.message
    assert run(tmp_path, again=["human-only"]).notices == ()


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("words")
    with pytest.raises(OutputError, match="holds other files; name a new folder"):
        run(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(OutputError, match="cannot be made"):
        run(tmp_path / "thesis.tex")


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    run(tmp_path)
    for text in ("{", "[]", "{}", '{"designs": 3}'):
        (tmp_path / RECORD).write_text(text)
        with pytest.raises(InputError, match="is not the record of an experiment"):
            run(tmp_path)


def test_a_part_that_holds_other_draws_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "a", "human-only", "raw-judges", trials=2 * CHUNK)
    folder = next((tmp_path / "a" / "draws").glob("*/human-only"))
    first, second = sorted(folder.glob("0*.parquet"))
    good = first.read_bytes()
    other = next((tmp_path / "a" / "draws").glob("*/raw-judges")) / first.name
    for wrong in (second.read_bytes(), other.read_bytes()):
        first.write_bytes(wrong)
        with pytest.raises(InputError, match="holds other draws than its name and folder say"):
            run(tmp_path / "a", "human-only", trials=2 * CHUNK)
    pl.DataFrame({"a": [1]}).write_parquet(first)
    with pytest.raises(InputError, match="other columns than draws have"):
        run(tmp_path / "a", "human-only", trials=2 * CHUNK)
    first.write_bytes(good)
    run(tmp_path / "a", "human-only", trials=2 * CHUNK)


def test_draws_whose_timing_is_gone_are_made_again(tmp_path: Path) -> None:
    before = run(tmp_path / "a")
    timing = next((tmp_path / "a" / "draws").glob("*/*/timing-*"))
    timing.unlink()
    assert run(tmp_path / "a").results.equals(before.results)
    assert timing.is_file()


def test_a_configuration_that_never_drew_may_be_mended(tmp_path: Path) -> None:
    with pytest.raises(EstimationError, match="failed in each"):
        run(tmp_path / "a", "human-only", "x:model=ridge,folds=1")
    mended = run(tmp_path / "a", "human-only", "x:model=ridge,folds=2")
    assert mended.results.height == 2 * CHUNK


def test_names_that_would_share_a_folder_are_refused(tmp_path: Path) -> None:
    run(tmp_path / "a", "r:model=ridge")
    with pytest.raises(InputError, match="'r' and 'R' would share a folder"):
        run(tmp_path / "a", "R:model=ridge,folds=2")


def test_the_same_design_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="uniform n=40 is among the designs twice"):
        run(tmp_path / "a", designs=[N40, bacon.UniformDesign(n=40)])


def test_more_draws_than_anyone_makes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1,000,000,000 draws are more than"):
        run(tmp_path / "a", trials=1_000_000_000)
    assert not (tmp_path / "a").exists()
