"""Readers of the stored pools and of the figures that R gave for them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

HERE = Path(__file__).parent
TEXT_COLUMNS = ("stratum",)

Case = dict[str, npt.NDArray[Any]]


def read_case(name: str) -> Case:
    """Return the columns of a pool, float64 with NaN where blank; strata as text."""
    with (HERE / "cases" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    return {
        key: np.array(cells)
        if key in TEXT_COLUMNS
        else np.array([float(cell) if cell else np.nan for cell in cells])
        for key, cells in columns.items()
    }


@pytest.fixture(scope="session")
def cases() -> dict[str, Case]:
    """Return every stored pool by name."""
    return {path.stem: read_case(path.stem) for path in sorted((HERE / "cases").glob("*.csv"))}


@pytest.fixture(scope="session")
def figures() -> dict[str, Any]:
    """Return the figures of R survey by pool."""
    text = (HERE / "figures.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
