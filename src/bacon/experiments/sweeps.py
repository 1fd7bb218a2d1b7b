"""One setting at several values: configurations multiplied by what they are to be tried with."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.experiments.configurations import BUILT_IN, Asked, Calibrated, argument_names, named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["parse_sweep", "swept"]


def parse_sweep(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the setting and its values in ``folds=2,5,10``.

    Raises
    ------
    InputError
        It is not written so, or names no setting.
    """
    key, equals, values = (part.strip() for part in text.partition("="))
    found = tuple(one.strip() for one in values.split(",") if one.strip())
    if not equals or key not in argument_names() or len(found) < 2:
        raise InputError(
            f"--sweep {text!r}: write SETTING=VALUE,VALUE with two values or more; settings are "
            f"{', '.join(argument_names())}."
        )
    return key, found


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

    Examples
    --------
    >>> swept(["human-only", "ridge"], {"folds": (2, 5)})
    ('human-only', 'ridge@folds=2:model=ridge,folds=2', 'ridge@folds=5:model=ridge,folds=5')
    """
    unknown = [key for key in sweeps if key not in argument_names()]
    if unknown:
        raise InputError(
            f"{unknown[0]} cannot be swept; settings are {', '.join(argument_names())}."
        )
    found: list[str] = []
    for given in configurations:
        if not sweeps or not isinstance(named(given, Asked()).run, Calibrated):
            found.append(given)
            continue
        name, colon, rest = given.partition(":")
        fixed = rest if colon else ("" if name in BUILT_IN else f"model={name}")
        kept = [part for part in fixed.split(",") if part and part.partition("=")[0] not in sweeps]
        for values in product(*sweeps.values()):
            settings = [f"{key}={value}" for key, value in zip(sweeps, values, strict=True)]
            found.append(f"{name}@{'@'.join(settings)}:{','.join([*kept, *settings])}")
    return tuple(dict.fromkeys(found))
