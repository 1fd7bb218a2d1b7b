"""Configurations at several values of a setting."""

from __future__ import annotations

import pytest

from bacon.errors import InputError
from bacon.experiments.configurations import Asked, named
from bacon.experiments.sweeps import parse_sweep, swept


def test_calibrating_configurations_are_multiplied() -> None:
    found = swept(
        ["human-only", "paper", "ridge", "bacon", "mine:model=hurdle,folds=3"],
        {"folds": (2, 5), "use": ("judges", "all")},
    )
    assert found[:2] == ("human-only", "paper")
    assert found[2] == "ridge@folds=2@use=judges:model=ridge,folds=2,use=judges"
    assert found[6] == "bacon@folds=2@use=judges:folds=2,use=judges"
    assert found[10] == "mine@folds=2@use=judges:model=hurdle,folds=2,use=judges"
    assert len(found) == 2 + 3 * 4
    run = named(found[10], Asked()).run
    assert (run.arguments["folds"], run.arguments["model"], run.use) == (2, "hurdle", "judges")  # type: ignore[union-attr]


def test_a_sweep_is_read() -> None:
    assert parse_sweep(" folds = 2, 5,10 ") == ("folds", ("2", "5", "10"))


@pytest.mark.parametrize("text", ["folds", "folds=2", "fold=2,3", "=1,2", "seed=1,2", "folds=,"])
def test_what_is_no_sweep_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"write SETTING=VALUE,VALUE .* folds"):
        parse_sweep(text)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(InputError, match="seed cannot be swept"):
        swept(["ridge"], {"seed": (1, 2)})
