"""One setting at several values: configurations multiplied by what they are to be tried with."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.experiments.configurations import BUILT_IN, Asked, Calibrated, argument_names, named
from bacon.words import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["in_name", "parse_sweep", "parse_sweeps", "settings_of", "swept"]


def parse_sweep(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the setting and its values in ``folds=2,5,10``.

    Raises
    ------
    InputError
        It is not written so, or names no setting.
    """
    key, equals, values = (part.strip() for part in text.partition("="))
    found = tuple(dict.fromkeys(one.strip() for one in values.split(",") if one.strip()))
    if not equals or key not in argument_names() or len(found) < 2:
        raise InputError(
            f"--sweep {shown(text, 60)!r}: write SETTING=VALUE,VALUE with two values or more; "
            f"settings are {', '.join(argument_names())}."
        )
    return key, found


def parse_sweeps(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return several sweeps, which cross.

    Raises
    ------
    InputError
        One is not written as `parse_sweep` takes it, or a setting is swept twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        key, values = parse_sweep(text)
        if key in found:
            raise InputError(f"--sweep {key}= is given twice; write all its values in one.")
        found[key] = values
    return found


def swept(configurations: Sequence[str], sweeps: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Return every calibrating configuration at every combination of values.

    Parameters
    ----------
    configurations : sequence of str
        As :func:`bacon.experiments.configurations.named` takes them. Those that calibrate
        nothing (human-only, raw-judges, ppi++, paper, in-sample) stay as they are.
    sweeps : mapping of str to sequence
        Setting -> values: arguments of calibrate, `use`, `interval` and `pooling`.

    Returns
    -------
    tuple of str
        Configurations named ``ridge@folds=5``.

    Raises
    ------
    InputError
        A setting or value cannot be swept, or there is no configuration to sweep.

    Examples
    --------
    >>> swept(["human-only", "ridge"], {"folds": (2, 5)})
    ('human-only', 'ridge@folds=2:model=ridge,folds=2', 'ridge@folds=5:model=ridge,folds=5')
    """
    for key, values in sweeps.items():
        _check(key, values)
    found: list[str] = []
    for given in configurations:
        if not sweeps or not isinstance(named(given, Asked()).run, Calibrated):
            found.append(given)
            continue
        name, colon, rest = given.partition(":")
        fixed = rest if colon else ("" if name in BUILT_IN else f"model={name}")
        kept = [part for part in fixed.split(",") if part and _key(part) not in sweeps]
        for values in product(*sweeps.values()):
            pairs = list(zip(sweeps, values, strict=True))
            settings = [f"{key}={value}" for key, value in pairs]
            called = "".join(f"@{key}={in_name(value)}" for key, value in pairs)
            found.append(f"{name}{called}:{','.join([*kept, *settings])}")
    if sweeps and tuple(configurations) == tuple(found):
        raise InputError(
            f"{', '.join(configurations)}: none calibrates, so {next(iter(sweeps))} cannot be "
            "swept; add one that does, such as bacon or ridge."
        )
    return tuple(dict.fromkeys(found))


def settings_of(name: str, sweeps: Mapping[str, Sequence[object]]) -> tuple[str, dict[str, str]]:
    """Return what a swept configuration was called before, and the values of its settings.

    Values are as they stand in the name; none where the configuration was not swept.

    Examples
    --------
    >>> settings_of("ridge@folds=2", {"folds": (2, 5)})
    ('ridge', {'folds': '2'})
    >>> settings_of("human-only", {"folds": (2, 5)})
    ('human-only', {})
    """
    base, *parts = name.rsplit("@", len(sweeps))
    settings = {_key(part): part.partition("=")[2] for part in parts}
    return (base, settings) if list(settings) == list(sweeps) else (name, {})


def _check(key: str, values: Sequence[object]) -> None:
    """Refuse what cannot be swept."""
    if key not in argument_names():
        raise InputError(f"{key} cannot be swept; settings are {', '.join(argument_names())}.")
    if isinstance(values, str) or len(values) == 0:
        raise InputError(f"{key}: values must be a list with at least one; got {values!r}.")
    for value in values:
        if "," in str(value):
            raise InputError(f"{key}: the value {value!r} holds a comma and cannot be swept.")


def _key(part: str) -> str:
    """Return the key of ``key=value``."""
    return part.partition("=")[0].strip()


def in_name(value: object) -> str:
    """Return a value as a configuration's name can hold it."""
    return "".join(sign if sign.isalnum() or sign in "+-_." else "." for sign in str(value))
