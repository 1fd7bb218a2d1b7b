"""What an experiment is: pool, designs, configurations and seed, checked and told apart."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bacon.calibration.outcomes import outcome_kind
from bacon.checks import check_level, check_scale, check_seed
from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.estimation.intervals import family_level
from bacon.experiments.adaptive import AdaptiveDraw, Drawn, check_together
from bacon.experiments.configurations import Asked, all_named
from bacon.experiments.leaks import refuse_labels_in
from bacon.experiments.simulators import simulated_pool
from bacon.experiments.subpools import resampled
from bacon.random import stream
from bacon.sampling.two_stage import TwoStageDesign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.experiments.answers import Configuration
    from bacon.experiments.configurations import Named
    from bacon.experiments.full_pool import FullPool

__all__ = ["Design", "Plan", "design_name", "is_simple", "trial_seed"]

SIMPLE = ("uniform", "bernoulli")
"""Designs under which the labelled items are a simple draw, given how many they are."""

KEPT = 25
"""Draws in two stages that are kept for the next configuration: those of one part."""


class Design(Protocol):
    """A sampling design of the package."""

    def draw(self, pool: Pool, *, seed: int | None = None, hide: Sequence[str] = ()) -> Sample:
        """Draw a sample."""
        ...


def trial_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial: of its draw, its folds and, where it is fresh, its pool."""
    return int(np.random.SeedSequence([seed, trial]).generate_state(1, np.uint64)[0] >> 1)


def _kind(design: Design) -> str:
    """Return the kind of a design, such as uniform."""
    return str(getattr(design, "kind", type(design).__name__.removesuffix("Design").lower()))


def _with_model(design: Design) -> Design:
    """Return a design with what learns from its labels, where it needs labels to draw on."""
    return AdaptiveDraw.by(design) if isinstance(design, TwoStageDesign) else design


def is_simple(design: Design) -> bool:
    """Whether the labelled items, of the pool or of a group, are a simple draw."""
    return _kind(design) in SIMPLE


def _settings(design: Design) -> dict[str, Any]:
    """Return the settings of a design that are not the usual ones."""
    if not is_dataclass(design):
        return {}
    values = {one.name: (getattr(design, one.name), one.default) for one in fields(design)}
    return {
        name: value
        for name, (value, usual) in values.items()
        if not isinstance(value, str | int | float | None) or value != usual
    }


def design_name(design: Design) -> str:
    """Return kind and settings of a design, such as ``uniform n=50``."""
    design = _with_model(design)
    shown = [
        f"{name}={value if isinstance(value, str | int | float) else _digest(value)}"
        for name, value in _settings(design).items()
    ]
    return " ".join([_kind(design), *shown])


def _digest(values: object) -> str:
    """Return a fingerprint of an array that a design was given."""
    return hashlib.blake2b(np.asarray(values).tobytes(), digest_size=4).hexdigest()


@dataclass(frozen=True, eq=False)
class Plan:
    """An experiment: every configuration on the same draws of every design.

    Parameters
    ----------
    full : FullPool
        The pool with all labels.
    designs : sequence
        Designs to draw by, such as ``[bacon.UniformDesign(n=50)]``; of two stages an
        :class:`bacon.experiments.adaptive.AdaptiveDraw`, which a `bacon.TwoStageDesign` is
        taken for.
    configurations : sequence of str or (str, callable)
        Names as :func:`bacon.experiments.configurations.named` takes them, or a name with a
        function ``(pool, labels, sample, seed)`` that returns a `Calibration` or a mapping
        from estimands to estimates.
    estimands : sequence of str
        Estimands.
    level : float
        Confidence level.
    outcome : str
        Kind of outcome stated to the configurations.
    seed : int
        Seed of all draws.
    by_group : bool
        Estimate every group as well: calibrations by one model of all groups, other
        configurations with a call for each group.
    fresh : bool
        A new pool in every trial, for the population target: simulated anew, or drawn with
        replacement from the table's items, by cluster where one is named. The table's truth is
        then that of the population.

    Raises
    ------
    InputError
        A setting cannot be used, or settings do not go together.
    """

    full: FullPool
    designs: Sequence[Design]
    configurations: Sequence[str | tuple[str, Configuration]]
    estimands: Sequence[str] = ("mean",)
    level: float = 0.95
    outcome: str = "auto"
    seed: int = 0
    by_group: bool = False
    fresh: bool = False

    def __post_init__(self) -> None:
        """Check the settings."""
        check_level(self.level)
        check_seed(self.seed)
        check_scale(self.full.scale)
        for what, given in (
            ("designs", self.designs),
            ("configurations", self.configurations),
            ("estimands", self.estimands),
        ):
            if isinstance(given, str) or len(given) == 0:
                raise InputError(f"{what} must be a list with at least one entry; got {given!r}.")
        if self.fresh and self.by_group:
            raise InputError("groups are estimated in the one pool; leave fresh pools out.")
        if self.by_group and self.full.pool.group is None:
            raise InputError(f"{self.full.name} names no group; name its column.")
        for name in self.estimands:
            self.full.truth(name)
        object.__setattr__(self, "designs", tuple(_with_model(one) for one in self.designs))
        for design in self.designs:
            self._check_design(design)
        names = [design_name(one) for one in self.designs]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise InputError(f"{twice[0]} is among the designs twice; leave one out.")
        check_together(self.designs, self.named)

    def _check_design(self, design: Design) -> None:
        """Refuse a draw of everything, and groups under designs that do not respect them."""
        refuse_labels_in(design, self.full.outcome)
        group = self.full.pool.group
        by_it = group is not None and getattr(design, "strata", None) == group.name
        if self.by_group and not (is_simple(design) or by_it):
            raise InputError(
                "groups are estimated under uniform and bernoulli draws, and those stratified by "
                f"the group, not {design_name(design)}; leave the group out."
            )
        if self.expected(design) >= self.full.pool.n_items:
            raise InputError(
                f"{design_name(design)} labels all {self.full.pool.n_items:,} items, and nothing "
                f"is left to estimate; label at most half of them, "
                f"{self.full.pool.n_items // 2:,}."
            )
        if isinstance(design, AdaptiveDraw):
            # A pilot of no items, or a column that is not there, would fail in every draw.
            design.draw(self.full.pool, seed=self.seed)

    def expected(self, design: Design) -> float:
        """Return how many items a design labels, as far as its settings say."""
        n, rate = getattr(design, "n", None), getattr(design, "rate", None)
        if _kind(design) == "cluster":
            return 0.0
        return float(n) if n is not None else float(rate or 0.0) * self.full.pool.n_items

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a reader of the results must know."""
        n_items = self.full.pool.n_items
        many = [design_name(d) for d in self.designs if self.expected(d) > n_items / 2]
        if not many:
            return ()
        return (
            Notice(
                "most_items_labelled",
                f"{', '.join(many)}: more than half of the {n_items:,} items are labelled, so the "
                "finite-pool factor makes every configuration look alike.",
            ),
        )

    @cached_property
    def asked(self) -> Asked:
        """What every configuration is asked for."""
        full = self.full
        kind = outcome_kind(full.y, full.levels, self.outcome, full.scale).kind
        return Asked(
            tuple(self.estimands),
            self.level,
            full.scale,
            self.outcome,
            kind,
            full.judges_fall,
            family_level(self.level, len(full.groups)) if self.by_group else None,
        )

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The configurations, by name."""
        return all_named(self.configurations, self.asked)

    def draw(self, design: Design, full: FullPool, seed: int) -> Drawn:
        """Return the draw of a trial from its pool and seed, the same for every configuration."""
        design = _with_model(design)
        if not isinstance(design, AdaptiveDraw):
            return Drawn(design.draw(full.pool, seed=seed))
        key = design, seed
        if key not in self._drawn:
            if len(self._drawn) >= KEPT:
                self._drawn.clear()
            self._drawn[key] = design.drawn(full, seed, outcome=self.outcome)
        return self._drawn[key]

    @cached_property
    def _drawn(self) -> dict[tuple[AdaptiveDraw, int], Drawn]:
        """Draws in two stages that took a calibration each, until the next part begins."""
        return {}

    def full_of(self, trial: int) -> FullPool:
        """Return the pool of a trial."""
        return self.full if not self.fresh else self._fresh(trial_seed(self.seed, trial))

    def _fresh(self, seed: int) -> FullPool:
        """Return another pool from the same population."""
        full = self.full
        if full.simulator is not None:
            return simulated_pool(
                full.simulator,
                seed=seed,
                n_items=full.pool.n_items,
                estimands=tuple(self.estimands),
                scale=full.scale,
            )
        pool, rows = resampled(full.pool, stream(seed, "resampled pool"))
        truth = {name: full.truth(name) for name in self.estimands}
        return replace(full, pool=pool, y=full.y[rows], population=truth)

    def record(self) -> dict[str, Any]:
        """Return all that results depend on, but for designs and configurations."""
        return {
            "pool": self.full.name,
            "n_items": self.full.pool.n_items,
            "items and labels": self.full.digest,
            "estimands": list(self.estimands),
            "level": self.level,
            "outcome": self.outcome,
            "seed": self.seed,
            "groups": None if not self.by_group else getattr(self.full.pool.group, "name", None),
            "fresh pools": self.fresh,
        }

    def drawn_by(self) -> dict[str, str]:
        """Return the designs by name, each with a fingerprint of the columns it draws by."""
        table = self.full.pool.table
        found = {}
        for design in self.designs:
            digest = hashlib.blake2b(digest_size=16)
            for value in _settings(design).values():
                column = str(value).partition(":")[0]
                if isinstance(value, str) and column in table.columns:
                    digest.update(repr((column, table[column].to_list())).encode())
            found[design_name(design)] = digest.hexdigest()
        return found
