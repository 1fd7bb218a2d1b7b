"""Proportional odds against R ``MASS::polr`` (two levels: ``glm``), by stored figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bacon.outcome.proportional_odds_fit import ProportionalOddsFit, fit_proportional_odds

HERE = Path(__file__).parent
FIGURES = json.loads((HERE / "ordinal_figures.json").read_text(encoding="utf-8"))
NAMES = sorted(path.stem for path in (HERE / "ordinal_cases").glob("*.csv"))

Array = npt.NDArray[np.float64]


def read_case(name: str) -> tuple[Array, Array]:
    """Return features (n, p) and labels (n,)."""
    with (HERE / "ordinal_cases" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    table = np.array(rows, dtype=np.float64)
    return table[:, 1:], table[:, 0]


def unpenalised(x: Array, y: Array) -> ProportionalOddsFit:
    """Return the maximum likelihood fit."""
    return fit_proportional_odds(x, y, np.zeros(x.shape[1], dtype=np.int64), penalty=0.0)


def test_every_case_has_figures() -> None:
    assert {*FIGURES} == {"versions", *NAMES}
    assert len(NAMES) == 4


@pytest.mark.parametrize("name", NAMES)
def test_maximum_likelihood(name: str) -> None:
    """Agree on coefficients, thresholds and log-likelihood."""
    x, y = read_case(name)
    figure: dict[str, Any] = FIGURES[name]
    model = unpenalised(x, y)
    assert model.coef_ == pytest.approx(figure["coef"], abs=1e-6)
    assert model.threshold_ == pytest.approx(figure["threshold"], abs=1e-6)
    own = model.distribution(x).probability[np.arange(len(y)), np.searchsorted(model.level_, y)]
    assert np.log(own).sum() == pytest.approx(figure["log_likelihood"], abs=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_of_the_levels(name: str) -> None:
    """Agree on the fitted probabilities of the first rows, and so on their means."""
    x, y = read_case(name)
    model = unpenalised(x, y)
    expected = np.array(FIGURES[name]["first_rows"])
    assert model.distribution(x[:5]).probability == pytest.approx(expected, abs=1e-6)
    assert model.predict(x[:5]) == pytest.approx(expected @ np.unique(y), abs=1e-4)
