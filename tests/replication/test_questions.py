"""Open questions: ratios of three draws by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from bacon.replication.protocol import Question
from bacon.replication.questions import question_lines, question_table

WHOLE = Question("a against b", "a", "b")
SYSTEMS = Question("by system", "a", "b", needs_groups=True)


def row(name: str, trial: int, group: str | None, error: float, width: float) -> dict[str, Any]:
    return {
        "design": "uniform n=9",
        "configuration": name,
        "trial": trial,
        "group": group,
        "error": error,
        "width_pool": width,
        "covered_pool": abs(error) <= width / 2.0,
    }


@pytest.fixture(name="part")
def _part() -> Any:
    """Three draws of two configurations, of the pool and of two systems."""
    rows = []
    for name, times in (("a", 1.0), ("b", 2.0)):
        for trial, error in enumerate((0.1, -0.2, 0.4)):
            rows.append(row(name, trial, None, times * error, 0.5 * times))
            rows.append(row(name, trial, "x", 3.0 * times * error, 1.0))
            rows.append(row(name, trial, "y", 4.0 * error, 1.0 if name == "a" else 3.0))
    return SimpleNamespace(
        questions=(WHOLE, SYSTEMS),
        shares={"uniform n=9": 0.125},
        measured=SimpleNamespace(results=pl.DataFrame(rows)),
        fresh=None,
    )


def test_ratios_are_of_the_same_draws(part: Any) -> None:
    whole, systems = question_table(part).iter_rows(named=True)
    assert (whole["question"], whole["ours"], whole["other"]) == ("a against b", "a", "b")
    # Every error and width of b is twice that of a, draw by draw: no Monte Carlo error is left.
    assert [whole[f"rmse{end}"] for end in ("", "_low", "_high")] == pytest.approx([0.5] * 3)
    assert whole["width"] == pytest.approx(0.5)
    assert (whole["coverage_ours"], whole["coverage_other"]) == (2 / 3, 2 / 3)
    # Systems: the mean of 9 and 16 against that of 36 and 16, of 1 and 1 against 1 and 3.
    assert systems["rmse"] == pytest.approx(np.sqrt(25.0 / 52.0))
    assert systems["width"] == pytest.approx(0.5)
    assert systems["coverage_ours"] == pytest.approx(2 / 6)


def test_lines_say_which_over_which(part: Any) -> None:
    head, _, first, *_ = question_lines(part)
    assert head.startswith("| the first against the second | budget | RMSE, of the second's")
    assert first.startswith("| a against b | 12.5 % | 0.500 (0.500-0.500) | 0.500")
    assert first.endswith("| 0.667 | 0.667 |")
