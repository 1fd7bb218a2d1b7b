"""Draws in two stages by `bacon simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bacon.cli.simulated_designs import designs_of
from bacon.errors import InputError
from bacon.experiments.adaptive import AdaptiveDraw
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Ran

COLUMNS = {"strata": None, "clusters": None, "pi": None}
SETTINGS = {"allocation": "proportional", "method": "systematic"}
STAGES = {"pilot_rate": None, "pilot_model": None, "hardness": None}


def test_two_stages_are_drawn(bacon: Callable[..., Ran]) -> None:
    words = ("simulate", "sim:lognormal", "--rate", 0.03, "--pilot-rate", 0.02)
    ran = bacon(*words, "--trials", 2, "--config", "human-only")
    assert ran.code == 0, ran
    assert ran.out.startswith("mean of sim-lognormal, two-stage rate=0.03 pilot=0.02: 2 draws")


def test_designs_from_options() -> None:
    stages = {"pilot_rate": 0.1, "pilot_model": "stack", "hardness": "uniform"}
    found = designs_of(
        None,
        [(None, 0.2), (None, 0.3), (None, 0.2)],
        columns=COLUMNS,
        settings=SETTINGS,
        stages=stages,
    )
    assert found == [
        AdaptiveDraw(rate, 0.1, model="stack", hardness="uniform") for rate in (0.2, 0.3)
    ]
    simple = designs_of(None, [(9, None)], columns=COLUMNS, settings=SETTINGS, stages=STAGES)
    assert simple == [UniformDesign(n=9)]


@pytest.mark.parametrize(
    ("kind", "size", "columns", "stages", "said"),
    [
        ("two-stage", (None, 0.2), {}, {}, "needs --rate .* and --pilot-rate"),
        ("two-stage", (50, None), {}, {"pilot_rate": 0.1}, "takes --rate alone"),
        (None, (50, None), {}, {"pilot_rate": 0.1}, "takes --rate alone"),
        ("two-stage", (None, 0.2), {"strata": "a"}, {"pilot_rate": 0.1}, "--strata does not go"),
        ("uniform", (None, 0.2), {}, {"pilot_rate": 0.1}, "--pilot-rate is .*, not --design uni"),
        (None, (None, 0.2), {}, {"pilot_model": "ridge"}, "--pilot-model is for --design two-s"),
        ("two-stage", (None, 0.2), {}, {"pilot_rate": 0.3}, "pilot must lie above 0 and below"),
    ],
)
def test_options_that_do_not_go_together(
    kind: str | None,
    size: tuple[int | None, float | None],
    columns: dict[str, str],
    stages: dict[str, object],
    said: str,
) -> None:
    with pytest.raises(InputError, match=said):
        designs_of(
            kind,
            [size],
            columns={**COLUMNS, **columns},
            settings=SETTINGS,
            stages={**STAGES, **stages},
        )
