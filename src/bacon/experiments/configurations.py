"""Configurations by name: what is measured, written as data.

A name stands for arguments to :func:`bacon.calibrate`. Beside the ones below any outcome model
is a configuration of its own name, and ``name:key=value,key=value`` gives arguments in place: those
of calibrate, ``interval`` (method of the intervals), ``pooling`` (of groups) and ``use`` (what of
the pool is used).
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bacon.calibration.calibrate import calibrate
from bacon.errors import InputError
from bacon.experiments.ablation import ALL, NOTHING, ablated, check_use
from bacon.experiments.baselines import InSample, Paper, PowerTuned, RawJudgeAverage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bacon.calibration.calibration import Calibration
    from bacon.calibration.groups import Pooling
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.experiments.answers import Configuration

__all__ = ["BASE", "BUILT_IN", "Asked", "Calibrated", "Named", "argument_names", "named"]

BASE = "human-only"
"""The configuration that others are measured against."""

NOT_ARGUMENTS = ("pool", "labels", "sample", "seed", "strata", "outcomes")
"""Arguments of calibrate that the experiment sets itself."""


@dataclass(frozen=True)
class Asked:
    """What every configuration of an experiment is asked for.

    Parameters
    ----------
    estimands : tuple of str
        Estimands.
    level : float
        Confidence level.
    scale : (float, float) or None
        Scale stated.
    outcome : str
        Kind of outcome stated, or auto.
    kind : str
        Kind of outcome that all labels of the pool show.
    judges_fall : bool
        Whether the judges' average falls as all labels of the pool rise, as quality metrics do
        against a penalty. Like the kind of outcome, people who evaluate know this beforehand.
    joint_level : float or None
        Level of each group's interval so that those of all groups hold at once.
    """

    estimands: tuple[str, ...] = ("mean",)
    level: float = 0.95
    scale: tuple[float, float] | None = None
    outcome: str = "auto"
    kind: str = "real"
    judges_fall: bool = False
    joint_level: float | None = None


@dataclass(frozen=True)
class Calibrated:
    """A call of :func:`bacon.calibrate`.

    Parameters
    ----------
    arguments : mapping
        Keyword arguments.
    pooling : {"pooled", "none"}
        Whether one model serves all groups, or each has its own.
    use : str
        What of the pool is used, as :func:`bacon.experiments.ablation.ablated` takes it.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    pooling: Pooling = "pooled"
    use: str = ALL

    @property
    def estimates_groups(self) -> bool:
        """One call estimates all groups."""
        return True

    def __call__(self, pool: Pool, labels: Labels, sample: Sample, seed: int) -> Calibration:
        """Return the calibration."""
        made: Calibration = calibrate(
            ablated(pool, self.use), labels, sample=sample, seed=seed, **self.arguments
        )
        return made


@dataclass(frozen=True)
class LabelsAlone:
    """The same estimator with a constant prediction.

    The judges are taken off the pool first: nothing of them is used, and reading them in every
    draw would take longer than the estimate.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, pool: Pool, labels: Labels, sample: Sample, seed: int) -> Calibration:
        """Return the calibration."""
        bare = ablated(pool, NOTHING)
        made: Calibration = calibrate(
            bare, labels, sample=sample, seed=seed, model="human-only", **self.arguments
        )
        return made


@dataclass(frozen=True)
class Named:
    """A configuration with its name and how it is told apart from others of that name.

    Parameters
    ----------
    name : str
        Name in the results.
    run : callable
        The configuration.
    interval : str
        Method of its intervals.
    identity : str
        Its arguments, or where its code stands: results of another identity are not mixed in.
    """

    name: str
    run: Configuration
    interval: str
    identity: str

    @property
    def estimates_groups(self) -> bool:
        """Whether one call estimates all groups; else each has a call with its part of the pool."""
        return bool(getattr(self.run, "estimates_groups", False))

    @property
    def pooling(self) -> Pooling:
        """How a calibration pools its groups."""
        return self.run.pooling if isinstance(self.run, Calibrated) else "pooled"


def _calibrated(
    interval: str = "auto", pooling: Pooling = "pooled", use: str = ALL, **arguments: Any
) -> Callable[[Asked], Any]:
    check_use(use)
    return lambda asked: (
        Calibrated({"scale": asked.scale, "outcome": asked.outcome, **arguments}, pooling, use),
        interval,
    )


FAMILY = {"ordinal": "ordinal", "zero-inflated": "hurdle-ridge", "categorical": "multinomial"}
"""The paper's model for a kind of outcome (its Table 1); ridge for any other."""


def _papers(asked: Asked) -> dict[str, Any]:
    """Return the paper's arguments for the kind of outcome."""
    kind = asked.kind if asked.outcome == "auto" else asked.outcome
    return {
        "scale": asked.scale,
        "outcome": asked.outcome,
        "model": FAMILY.get(kind, "ridge"),
        "crossfit": "refit",
        "folds": 5,
    }


BUILT_IN: dict[str, Callable[[Asked], tuple[Any, str]]] = {
    BASE: lambda asked: (LabelsAlone({"scale": asked.scale, "outcome": asked.outcome}), "t"),
    "raw-judges": lambda asked: (RawJudgeAverage(asked.estimands, asked.scale), "none"),
    "ppi++": lambda asked: (
        PowerTuned(asked.estimands, asked.level, is_turned=asked.judges_fall),
        "z",
    ),
    "paper": lambda asked: (
        Paper(asked.estimands, asked.level, _papers(asked), asked.joint_level),
        "z",
    ),
    "in-sample": lambda asked: (
        InSample(asked.estimands, asked.level, _papers(asked), asked.joint_level),
        "t",
    ),
    "bacon": _calibrated(),
}
"""Name -> what makes the configuration, and the method of its intervals."""


def named(given: str, asked: Asked) -> Named:
    """Return the configuration called ``name`` or given as ``name:key=value,...``.

    Raises
    ------
    InputError
        An argument is none of `calibrate`'s.

    Examples
    --------
    >>> named("refitted:model=ridge,crossfit=refit", Asked()).run.arguments["crossfit"]
    'refit'
    """
    name, colon, rest = given.partition(":")
    if not name or not all(sign.isalnum() or sign in "+-_.@=" for sign in name):
        raise InputError(
            f"a configuration's name is made of letters, digits and + - _ . @ =; got {name!r}."
        )
    if colon:
        make = _calibrated(**_arguments(name, rest))
    elif name in BUILT_IN:
        make = BUILT_IN[name]
    else:
        make = _calibrated(model=name)
    run, interval = make(asked)
    return Named(name, run, interval, f"{run!r} {interval}")


def argument_names() -> list[str]:
    """Return the keys of the arguments that a configuration may give."""
    known = [*inspect.signature(calibrate).parameters, "interval", "pooling", "use"]
    return [one for one in known if one not in NOT_ARGUMENTS]


def _arguments(name: str, text: str) -> dict[str, Any]:
    """Return the arguments in ``key=value,key=value``."""
    known = argument_names()
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in known:
            raise InputError(
                f"configuration {name}: {part!r} is no argument; write key=value with a key of "
                f"{', '.join(known)}."
            )
        found[key] = int(value) if value.isdigit() else value
    return found


def all_named(given: Sequence[str | tuple[str, Configuration]], asked: Asked) -> tuple[Named, ...]:
    """Return configurations given by name, or as a name with a function of one's own."""
    found = []
    for one in given:
        if isinstance(one, str):
            found.append(named(one, asked))
            continue
        name, run = one
        found.append(Named(name, run, "auto", _whose(run)))
    twice = {one.name for one in found if sum(one.name == other.name for other in found) > 1}
    if twice:
        raise InputError(f"two configurations are called {min(twice)}; give one another name.")
    return tuple(found)


def _whose(run: object) -> str:
    """Return module, name and text of a function, or the words of an object."""
    if not inspect.isfunction(run):
        return repr(run)
    try:
        text = inspect.getsource(run)
    except OSError:
        text = ""
    return f"{run.__module__}.{run.__qualname__}\n{text}"
