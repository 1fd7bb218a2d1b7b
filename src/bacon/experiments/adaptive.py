"""Draws in two stages: the pilot's labels are revealed, and decide who is drawn next."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import numpy as np

from bacon.calibration.calibrate import calibrate
from bacon.calibration.hardness import HardnessKind
from bacon.calibration.model_choice import check_model
from bacon.errors import BaconError, InputError
from bacon.experiments.baselines import InSample, PowerTuned
from bacon.sampling.two_stage import TwoStageDesign

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bacon.arrays import FloatArray
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.experiments.configurations import Named
    from bacon.experiments.full_pool import FullPool

__all__ = ["AdaptiveDraw", "Drawn", "check_together", "everyones_chances"]

UNWEIGHTED = (PowerTuned, InSample)
"""What takes its labels for a simple draw, whatever they are."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """The draw of a trial.

    Parameters
    ----------
    sample : Sample
        What was drawn; of a draw that was refused, the pilot.
    problem : str or None
        Why nothing could be learnt from the pilot, so that no second stage was drawn.
    """

    sample: Sample
    problem: str | None = None


@dataclass(frozen=True)
class AdaptiveDraw(TwoStageDesign):
    """A two-stage design for experiments, with what learns from its pilot.

    In a trial the pilot is drawn, its labels are revealed, a calibration on them gives the
    hardness of every item, and the rest of the budget is drawn by it. Every configuration of the
    trial sees the same draw, whatever its own model.

    Parameters
    ----------
    rate, pilot, floor, cap, method, groups, least
        As of :class:`bacon.TwoStageDesign`.
    model : str
        Outcome model of the pilot's calibration.
    hardness : {"gamma", "optimal", "logistic", "uniform"}
        How hardness is learnt from its residuals.

    Raises
    ------
    InputError
        A setting cannot be used.

    Examples
    --------
    >>> from bacon.experiments.simulators import simulated_pool
    >>> full = simulated_pool("lognormal", n_items=400)
    >>> drawn = AdaptiveDraw(rate=0.3, pilot=0.1).drawn(full, seed=1).sample
    >>> drawn.kind, round(float(drawn.stages.everyone.mean()), 9)
    ('two-stage', 0.3)
    """

    model: str = "ridge"
    hardness: str = "gamma"

    kind: ClassVar[str] = "two-stage"

    def __post_init__(self) -> None:
        """Check the settings."""
        super().__post_init__()
        if not isinstance(self.model, str):
            raise InputError(
                f'model is the name of an outcome model, such as "ridge"; got {self.model!r}.'
            )
        check_model(self.model)
        if self.hardness not in get_args(HardnessKind):
            raise InputError(
                f"hardness must be one of {', '.join(get_args(HardnessKind))}; "
                f"got {self.hardness!r}."
            )

    @classmethod
    def by(cls, design: TwoStageDesign) -> AdaptiveDraw:
        """Return a two-stage design with the usual way to learn from its pilot."""
        if isinstance(design, cls):
            return design
        return cls(**{one.name: getattr(design, one.name) for one in fields(design)})

    def drawn(self, full: FullPool, seed: int, *, outcome: str = "auto") -> Drawn:
        """Draw both stages.

        Parameters
        ----------
        full : FullPool
            The pool, whose labels of the pilot are revealed.
        seed : int
            Seed of both stages and of the folds.
        outcome : str
            Kind of outcome stated to the pilot's calibration.
        """
        pilot = self.draw(full.pool, seed=seed)
        settings: dict[str, Any] = {"scale": full.scale, "outcome": outcome, "model": self.model}
        try:
            labels = full.labels(full.rows_of(pilot))
            cal: Any = calibrate(full.pool, labels, sample=pilot, seed=seed, **settings)
            hardness = cal.hardness(self.hardness, rate=self.rate)
            return Drawn(self.extend(pilot, hardness, seed, pool=full.pool))
        except BaconError as error:
            return Drawn(pilot, f"the pilot says nothing of a second stage: {error}")


def everyones_chances(pool: Pool, sample: Sample) -> FloatArray | None:
    """Return the chance (N,) of each pool row under a draw in two stages; None of other draws."""
    if sample.stages is None or sample.stages.everyone is None:
        return None
    e = np.empty(pool.n_items)
    e[pool.order] = sample.stages.everyone
    return e


def check_together(designs: Iterable[object], configurations: Iterable[Named]) -> None:
    """Refuse configurations without weights where items have unequal chances."""
    unweighted = [one.name for one in configurations if isinstance(one.run, UNWEIGHTED)]
    if unweighted and any(isinstance(design, AdaptiveDraw) for design in designs):
        raise InputError(
            f"the configuration {unweighted[0]} takes its labels for a simple draw, and in two "
            "stages some items are drawn more often than others; leave one of them out."
        )
