"""The command, run in this process from an empty folder, and files for it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from tests.factories import make_pool

from bacon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray

N = 90


@dataclass(frozen=True)
class Ran:
    """What a command did: exit code, both outputs, and the files it made."""

    code: int
    out: str
    err: str
    made: tuple[str, ...]


@pytest.fixture(name="bacon")
def _bacon(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ran]:
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Ran:
        before = set(Path().rglob("*"))
        monkeypatch.setattr(sys, "argv", ["bacon", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        made = tuple(sorted(str(path) for path in set(Path().rglob("*")) - before))
        return Ran(int(stopped.value.code or 0), out, err, made)

    return run


@pytest.fixture(name="refused")
def _refused(bacon: Callable[..., Ran]) -> Callable[..., str]:
    """Run a command that must be refused in one sentence, with nothing printed or written."""

    def run(*words: object) -> str:
        ran = bacon(*words)
        assert ran.code == 2, ran
        assert ran.out == ""
        assert ran.made == ()
        assert ran.err.startswith("bacon: ")
        assert ran.err.endswith((".\n", "?\n"))
        assert ran.err.count("\n") == 1
        return ran.err.removeprefix("bacon: ").rstrip("\n")

    return run


@pytest.fixture(name="table", scope="session")
def _table() -> pl.DataFrame:
    """Every item with its judges, and what people would say of all of them."""
    pool = make_pool(N)
    latent = 0.5 * pool.table["judge_gpt"].to_numpy() + 0.3 * pool.table["judge_llama"].to_numpy()
    rng = np.random.default_rng(1)
    people = np.clip(np.round(latent + 0.5 + 0.6 * rng.normal(size=N)), 1, 6).astype(int)
    chance = np.random.default_rng(5).uniform(0.15, 0.7, size=N)
    return pool.table.drop("judge_gpt__entropy").with_columns(
        chance=pl.Series(chance), people=pl.Series(people)
    )


@pytest.fixture(name="pool")
def _pool(table: pl.DataFrame, tmp_path: Path) -> Path:
    """The pool's file, without labels."""
    table.drop("people").write_csv(tmp_path / "pool.csv")
    return Path("pool.csv")


@pytest.fixture(name="one")
def _one(table: pl.DataFrame, tmp_path: Path) -> Path:
    """One file with a label column that is blank where nobody labelled."""
    labelled = np.random.default_rng(2).permutation(N) < 30
    blank = pl.select(pl.when(pl.Series(labelled)).then(table["people"])).to_series()
    table.drop("people").with_columns(human=blank).write_csv(tmp_path / "one.csv")
    return Path("one.csv")


@pytest.fixture(name="truth", scope="session")
def _truth(table: pl.DataFrame) -> FloatArray:
    return table["people"].to_numpy().astype(np.float64)


@pytest.fixture(name="label")
def _label(table: pl.DataFrame) -> Callable[..., None]:
    """Fill the score column of a sheet, all of it or its first rows."""
    known = {str(key): str(y) for key, y in zip(table["item_id"], table["people"], strict=True)}

    def fill(sheet: str, first: int | None = None) -> None:
        rows = pl.read_csv(sheet, infer_schema=False)
        said = [known[item] for item in rows["item_id"]]
        upto = len(said) if first is None else first
        scores = [y if k < upto else None for k, y in enumerate(said)]
        rows.with_columns(score=pl.Series(scores, dtype=pl.String)).write_csv(sheet)

    return fill
