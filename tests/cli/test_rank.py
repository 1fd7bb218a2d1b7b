"""`bacon rank`, and groups in `bacon estimate`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from tests.factories import make_pool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Ran

ASKED = ("--label", "human", "--group", "system", "--model", "ridge", "--scale", "1:6")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A pool of three systems with 60 labels."""
    pool = make_pool(240)
    table = pool.table.drop("human", strict=False)
    quality = table["judge_gpt"].cast(pl.Float64)
    bonus = table["system"].replace_strict({"atlas": 0.0, "borealis": 0.4, "cygnus": -1.5})
    human = (0.8 * quality + bonus).round().clip(1, 6)
    labelled = pl.Series([k % 4 == 0 for k in range(240)])
    path = tmp_path / "answers.csv"
    table.with_columns(human=pl.when(labelled).then(human)).write_csv(path)
    return path


def test_the_table(bacon: Callable[..., Ran], file: Path) -> None:
    ran = bacon("rank", file, *ASKED, "--better", "higher")
    assert ran.code == 0, ran
    lines = ran.out.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("rank  system"))
    assert "95 % (all 3 together)" in lines[at]
    assert [line.split()[1] for line in lines[at + 1 : at + 4]] == ["borealis", "atlas", "cygnus"]
    assert lines[at + 3].split()[-1] == "3"


def test_lower_is_better(bacon: Callable[..., Ran], file: Path) -> None:
    ran = bacon("rank", file, *ASKED, "--better", "lower")
    assert "cygnus is ahead of every other." in ran.out


def test_the_json(bacon: Callable[..., Ran], file: Path) -> None:
    ran = bacon("rank", file, *ASKED, "--json")
    assert ran.code == 0, ran
    found = json.loads(ran.out)
    assert [one["group"] for one in found["groups"]] == ["borealis", "atlas", "cygnus"]
    assert [one["rank"] for one in found["groups"]] == [1, 2, 3]
    assert found["by"] == "system"
    assert len(found["comparisons"]) == 3
    assert "better_assumed" in {one["code"] for one in found["warnings"]}


def test_estimate_adds_the_groups(bacon: Callable[..., Ran], file: Path) -> None:
    plain = bacon("estimate", file, *ASKED)
    assert plain.code == 0, plain
    ranked = bacon("rank", file, *ASKED)
    table = ranked.out[ranked.out.index("rank  system") :].split("\n")[:4]
    assert all(line in plain.out for line in table)
    assert plain.out.index("BACON") < plain.out.index("rank  system")
    as_json = json.loads(bacon("estimate", file, *ASKED, "--json").out)
    from_rank = json.loads(bacon("rank", file, *ASKED, "--json").out)
    assert as_json["groups"] == from_rank["groups"]


def test_ranked_by_a_share(bacon: Callable[..., Ran], file: Path) -> None:
    ran = bacon("rank", file, *ASKED, "--estimand", "proportion:ge:4")
    assert ran.code == 0, ran
    assert "proportion:ge:4" in ran.out


def test_no_group_named(bacon: Callable[..., Ran], file: Path) -> None:
    ran = bacon("rank", file, "--label", "human", "--model", "ridge")
    assert ran.code == 2
    assert "--group" in ran.err
