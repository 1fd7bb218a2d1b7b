"""One import, long and wide, in an empty folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from bacon.judges.importers.importing import Imported, import_scores
from bacon.judges.importers.samples import Choices

if TYPE_CHECKING:
    from pathlib import Path

Read = Callable[..., tuple[pl.DataFrame, Imported]]


@pytest.fixture(name="long")
def _long(tmp_path: Path) -> Read:
    """Read files into the long table: item_id, judge, run, score, reason and more."""

    def read(*paths: Path, **choices: Any) -> tuple[pl.DataFrame, Imported]:
        out = tmp_path / "long.parquet"
        imported = import_scores(paths, out, choices=Choices(**choices), overwrite=True)
        assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".bacon")) == []
        return pl.read_parquet(out), imported

    return read


@pytest.fixture(name="rows")
def _rows(long: Read) -> Callable[..., list[tuple[Any, ...]]]:
    """Read files into tuples of item, judge, run, score and reason."""

    def read(*paths: Path, **choices: Any) -> list[tuple[Any, ...]]:
        frame, _ = long(*paths, **choices)
        return frame.select("item_id", "judge", "run", "score", "reason").rows()

    return read
