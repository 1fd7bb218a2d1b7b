"""Configurations at several values of a setting."""

from __future__ import annotations

import pytest

from bacon.errors import InputError
from bacon.experiments.configurations import Asked, named
from bacon.experiments.sweeps import parse_sweep, parse_sweeps, settings_of, swept


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


@pytest.mark.parametrize(
    "text", ["folds", "folds=2", "fold=2,3", "=1,2", "seed=1,2", "folds=,", "folds=2,2"]
)
def test_what_is_no_sweep_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"write SETTING=VALUE,VALUE .* folds"):
        parse_sweep(text)


def test_sweeps_cross_and_none_comes_twice() -> None:
    assert parse_sweeps([]) == {}
    found = parse_sweeps(["folds=2,5", "use=judges,all"])
    assert found == {"folds": ("2", "5"), "use": ("judges", "all")}
    with pytest.raises(InputError, match="--sweep folds= is given twice"):
        parse_sweeps(["folds=2,5", "folds=10,20"])


@pytest.mark.parametrize(
    ("sweeps", "said"),
    [
        ({"seed": (1, 2)}, "seed cannot be swept; settings are"),
        ({"folds": ()}, "folds: values must be a list with at least one"),
        ({"folds": "25"}, "folds: values must be a list"),
        ({"scale": ((1, 6), (1, 5))}, "holds a comma and cannot be swept"),
    ],
)
def test_what_cannot_be_swept_is_refused(sweeps: dict[str, tuple[object]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        swept(["ridge"], sweeps)


def test_a_sweep_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="human-only, paper: none calibrates, so folds cannot"):
        swept(["human-only", "paper"], {"folds": (2, 5)})
    assert swept(["human-only", "paper"], {}) == ("human-only", "paper")


def test_values_are_told_from_names() -> None:
    sweeps = {"use": ("judge:a@b=c", "all"), "folds": (2, 5)}
    (first, *_) = swept(["x@y"], sweeps)
    assert first == "x@y@use=judge.a.b.c@folds=2:model=x@y,use=judge:a@b=c,folds=2"
    called = named(first, Asked())
    assert called.run.use == "judge:a@b=c"  # type: ignore[union-attr]
    assert settings_of(called.name, sweeps) == ("x@y", {"use": "judge.a.b.c", "folds": "2"})
    assert settings_of("x@y", sweeps) == ("x@y", {})
