from __future__ import annotations

import copy
import csv
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import make_pool

from bacon.data.design_file import design_path, design_record, sample_from_record, write_sheet
from bacon.errors import DesignError, OutputError
from bacon.sampling.cluster import ClusterDesign
from bacon.sampling.probability import ProbabilityDesign
from bacon.sampling.strata import strata_codes
from bacon.sampling.stratified import StratifiedDesign
from bacon.sampling.uniform import BernoulliDesign, UniformDesign

if TYPE_CHECKING:
    from pathlib import Path

    from bacon.data.sample import Sample

N = 30
PI = np.random.default_rng(1).uniform(0.1, 0.9, size=N).tolist()
DESIGNS = {
    "uniform": UniformDesign(rate=0.2),
    "bernoulli": BernoulliDesign(rate=1 / 3),
    "by column": StratifiedDesign(n=9, strata="system"),
    "by judge": StratifiedDesign(n=9, strata="judge_llama:3", allocation="neyman"),
    "systematic": ProbabilityDesign(pi=PI, n=7),
    "poisson": ProbabilityDesign(method="poisson"),
    "clusters": ClusterDesign(n_clusters=3, column="prompt_id"),
}
IDS: dict[str, list[Any]] = {
    "numbers": [10**15 * (i - 9) + i for i in range(N)],
    "text": [f'é {i:03d}, "q"\n' for i in range(N)],
}


def draw(name: str, ids: str = "numbers") -> Sample:
    return DESIGNS[name].draw(make_pool(N, ids=IDS[ids], pi=PI), seed=2**40)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("name", DESIGNS)
def test_written_and_read_back_nothing_is_lost(name: str, ids: str, tmp_path: Path) -> None:
    sample = draw(name, ids)
    path = tmp_path / "to_label.csv"
    sample.write(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "to_label.csv",
        "to_label.csv.design.json",
    ]
    record = json.loads(design_path(path).read_text(encoding="utf-8"))
    again = sample_from_record(record, "to_label.csv.design.json")
    assert again.same_as(sample)
    assert again.ids.dtype == sample.ids.dtype
    assert again.parameters == sample.parameters
    assert (again.cluster_column, again.n_clusters, again.n_clusters_pool) == (
        sample.cluster_column,
        sample.n_clusters,
        sample.n_clusters_pool,
    )
    assert again.sheet is None
    assert design_record(again) == design_record(sample)
    with pytest.raises(ValueError, match="read-only"):
        again.pi[0] = 1.0


def test_strata_come_back_for_every_item(tmp_path: Path) -> None:
    sample = draw("by judge")
    sample.write(tmp_path / "s.csv")
    record = json.loads((tmp_path / "s.csv.design.json").read_text(encoding="utf-8"))
    again = sample_from_record(record, "s")
    pool = make_pool(N, ids=IDS["numbers"], pi=PI)
    assert again.strata is not None
    assert again.stratum is not None
    codes = strata_codes(pool, again.strata)
    position = {identifier: i for i, identifier in enumerate(pool.ids.tolist())}
    assert codes[[position[i] for i in again.ids.tolist()]].tolist() == again.stratum.tolist()


@pytest.mark.parametrize("name", DESIGNS)
def test_same_seed_same_bytes(name: str, tmp_path: Path) -> None:
    for run in "ab":
        draw(name, "text").write(tmp_path / f"{run}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert (
        design_path(tmp_path / "a.csv").read_bytes() == design_path(tmp_path / "b.csv").read_bytes()
    )


def test_the_sheet_as_a_csv_reader_sees_it(tmp_path: Path) -> None:
    sample = draw("uniform", "text")
    sample.write(tmp_path / "to_label.csv", show=["prompt_id", "answer"])
    with (tmp_path / "to_label.csv").open(newline="", encoding="utf-8") as stream:
        header, *rows = list(csv.reader(stream))
    assert header == ["order", "item_id", "prompt_id", "answer", "score", "comment"]
    assert [row[1] for row in rows] == sample.ids.tolist()
    assert [row[0] for row in rows] == [str(i) for i in range(1, 7)]
    assert all(row[4:] == ["", ""] for row in rows)


def test_the_record_by_hand() -> None:
    pool = make_pool(4, columns={"t": ["a", "a", "b", "b"]})
    sample = StratifiedDesign(n=4, strata="t").draw(pool, seed=5)
    record = design_record(sample)
    items = record.pop("items")
    assert record == {
        "schema": "bacon-design/1",
        "kind": "stratified",
        "parameters": {"n": 4, "strata": "t", "allocation": "proportional", "spread": None},
        "seed": 5,
        "n_items": 4,
        "n_drawn": 4,
        "pool_fingerprint": pool.fingerprint,
        "strata": {"column": "t", "cuts": None, "names": ["a", "b"], "sizes": [2, 2]},
        "clusters": None,
    }
    assert [item["id"] for item in items] == sample.ids.tolist()
    assert {item["id"]: item["stratum"] for item in items} == {1: 0, 2: 0, 3: 1, 4: 1}
    assert all(item["pi"] == 1.0 for item in items)


def test_keys_are_sorted_and_no_judge_score_is_told(tmp_path: Path) -> None:
    draw("by judge").write(tmp_path / "s.csv")
    text = (tmp_path / "s.csv.design.json").read_text(encoding="utf-8")
    record = json.loads(text)
    assert json.dumps(record, sort_keys=True, indent=1) + "\n" == text
    assert set(record["items"][0]) == {"id", "pi", "stratum"}


@pytest.mark.parametrize("existing", ["to_label.csv", "to_label.csv.design.json"])
def test_neither_file_is_touched_if_one_exists(existing: str, tmp_path: Path) -> None:
    (tmp_path / existing).write_text("scores of a week", encoding="utf-8")
    sample = draw("uniform")
    with pytest.raises(OutputError, match=rf"{existing} exists already"):
        sample.write(tmp_path / "to_label.csv")
    assert [p.name for p in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text(encoding="utf-8") == "scores of a week"
    sample.write(tmp_path / "to_label.csv", overwrite=True)
    assert len(list(tmp_path.iterdir())) == 2


def test_notices_of_the_sheet_are_returned(tmp_path: Path) -> None:
    sample = UniformDesign(n=2).draw(make_pool(2, columns={"answer": ["=a", "b"]}), seed=0)
    (notice,) = write_sheet(sample, tmp_path / "s.csv")
    assert notice.code == "formula_cells"


Change = Callable[[dict[str, Any]], object]


def changed(name: str, change: Change) -> dict[str, Any]:
    record = copy.deepcopy(design_record(draw(name)))
    change(record)
    return record


@pytest.mark.parametrize(
    ("name", "change", "field"),
    [
        ("uniform", lambda r: r.pop("seed"), "the design"),
        ("uniform", lambda r: r.update(more=1), "the design"),
        ("uniform", lambda r: r.update(schema="bacon-design/2"), "schema"),
        ("uniform", lambda r: r.update(kind="cluster"), "kind"),
        ("uniform", lambda r: r.update(kind=["uniform"]), "kind"),
        ("uniform", lambda r: r.update(kind="stratified"), "strata"),
        ("uniform", lambda r: r.update(kind="clusters"), "clusters"),
        ("by column", lambda r: r.update(kind="uniform"), "strata"),
        ("clusters", lambda r: r.update(kind="uniform"), "clusters"),
        ("uniform", lambda r: r.update(seed=-1), "seed"),
        ("uniform", lambda r: r.update(seed=True), "seed"),
        ("uniform", lambda r: r.update(seed="7"), "seed"),
        ("uniform", lambda r: r.update(seed=2**63), "seed"),
        ("uniform", lambda r: r.update(n_items=0), "n_items"),
        ("uniform", lambda r: r.update(n_items=30.0), "n_items"),
        ("uniform", lambda r: r.update(n_items=2**63), "n_items"),
        ("uniform", lambda r: r.update(n_items=5), "n_drawn"),
        ("uniform", lambda r: r.update(n_items=31), "pi of item 1"),
        ("uniform", lambda r: r.update(n_drawn=7), "n_drawn"),
        ("uniform", lambda r: r.update(n_drawn=None), "n_drawn"),
        ("uniform", lambda r: r.update(pool_fingerprint="0" * 31), "pool_fingerprint"),
        ("uniform", lambda r: r.update(pool_fingerprint="G" * 32), "pool_fingerprint"),
        ("uniform", lambda r: r.update(pool_fingerprint=5), "pool_fingerprint"),
        ("uniform", lambda r: r.update(parameters=[]), "parameters"),
        ("uniform", lambda r: r["parameters"].update(n=[1]), r"parameters\.n"),
        ("uniform", lambda r: r["parameters"].update(n=True), r"parameters\.n"),
        ("uniform", lambda r: r["parameters"].update(rate=float("nan")), r"parameters\.rate"),
        ("uniform", lambda r: r.update(items=[]), "items"),
        ("uniform", lambda r: r.update(items={"id": 1}), "items"),
        ("uniform", lambda r: r["items"].pop(), "n_drawn"),
        ("uniform", lambda r: r["items"].__setitem__(1, 5), "item 2"),
        ("uniform", lambda r: r["items"][1].pop("pi"), "item 2"),
        ("uniform", lambda r: r["items"][1].update(stratum=0), "item 2"),
        ("uniform", lambda r: r["items"][1].update(pi=0), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(pi=1.0001), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(pi=float("nan")), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(pi="0.2"), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(pi=True), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(pi=0.21), "pi of item 2"),
        ("uniform", lambda r: r["items"][1].update(id="3"), "id of item 2"),
        ("uniform", lambda r: r["items"][1].update(id=3.0), "id of item 2"),
        ("uniform", lambda r: r["items"][1].update(id=None), "id of item 2"),
        ("uniform", lambda r: r["items"][1].update(id=2**63), "id of item 2"),
        ("uniform", lambda r: r["items"][1].update(id=r["items"][0]["id"]), "id of item 2"),
        ("uniform", lambda r: r["items"][0].update(id="x"), "id of item 2"),
        ("uniform", lambda r: r["items"][0].update(id="\ud800"), "id of item 1"),
        ("bernoulli", lambda r: r["items"][2].update(pi=0.5), "pi of item 3"),
        ("poisson", lambda r: r["items"][2].update(pi=-0.5), "pi of item 3"),
        ("by column", lambda r: r.update(strata=None), "strata"),
        ("by column", lambda r: r["strata"].pop("cuts"), "strata"),
        ("by column", lambda r: r["strata"].update(column=""), r"strata\.column"),
        ("by column", lambda r: r["strata"].update(names=["a", "a", "b"]), r"strata\.names"),
        ("by column", lambda r: r["strata"].update(names=["a", 1, "b"]), r"strata\.names"),
        ("by column", lambda r: r["strata"].update(names=[]), r"strata\.names"),
        ("by column", lambda r: r["strata"].update(sizes=[10, 20]), r"strata\.sizes"),
        ("by column", lambda r: r["strata"].update(sizes=[10, 10, 11]), r"strata\.sizes"),
        ("by column", lambda r: r["strata"].update(sizes=[0, 10, 20]), r"strata\.sizes"),
        ("by column", lambda r: r["strata"].update(sizes=[11, 9, 10]), r"pi of item \d+"),
        ("by column", lambda r: r["strata"].update(cuts=[1.0]), r"strata\.cuts"),
        ("by judge", lambda r: r["strata"].update(cuts=[2.0, 1.0]), r"strata\.cuts"),
        ("by judge", lambda r: r["strata"].update(cuts=[1.0, float("inf")]), r"strata\.cuts"),
        ("by judge", lambda r: r["strata"].update(cuts=["1", "2"]), r"strata\.cuts"),
        ("by judge", lambda r: r["items"][0].update(stratum=3), "stratum of item 1"),
        ("by judge", lambda r: r["items"][0].update(stratum=-1), "stratum of item 1"),
        ("by judge", lambda r: r["items"][0].pop("stratum"), "item 1"),
        ("clusters", lambda r: r["clusters"].update(n_drawn=11), r"clusters\.n_drawn"),
        ("clusters", lambda r: r["clusters"].update(n_pool=31), r"clusters\.n_pool"),
        ("clusters", lambda r: r["clusters"].update(n_pool=9), "pi of item 1"),
        ("clusters", lambda r: r["clusters"].update(column=None), r"clusters\.column"),
    ],
)
def test_a_damaged_record_is_refused_naming_the_field(
    name: str, change: Change, field: str
) -> None:
    with pytest.raises(
        DesignError, match=rf"^s\.json: {field}\S* should be .*draw again"
    ) as caught:
        sample_from_record(changed(name, change), "s.json")
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
BY_JUDGE = design_record(draw("by judge"))
PATHS: list[tuple[str | int, ...]] = [
    *[(key,) for key in BY_JUDGE],
    *[("strata", key) for key in ("column", "cuts", "names", "sizes")],
    *[("strata", key, 0) for key in ("cuts", "names", "sizes")],
    *[("items", 0), ("items", 0, "id"), ("items", 0, "pi"), ("items", 0, "stratum")],
]


@given(st.sampled_from(PATHS), json_values)
def test_any_value_anywhere_is_taken_or_refused(path: tuple[str | int, ...], value: object) -> None:
    record = copy.deepcopy(BY_JUDGE)
    target: Any = record
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    try:
        sample = sample_from_record(record, "s.json")
    except DesignError as error:
        str(error).encode()
        return
    assert len(sample.ids) == len(sample.pi) == 9


@given(json_values)
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(DesignError):
        sample_from_record(value, "s.json")
