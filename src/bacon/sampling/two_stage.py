"""A pilot drawn at random, then items that are hard to predict more often than easy ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bacon.checks import is_number
from bacon.errors import InputError
from bacon.sampling.assemble import check_rate, settled_seed
from bacon.sampling.columns import categories
from bacon.sampling.extending import extended
from bacon.sampling.uniform import UniformDesign

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bacon.data.hardness import Hardness
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["TwoStageDesign"]

METHODS = ("poisson", "systematic")
FIELDS = ("rate", "pilot", "floor", "cap", "method", "groups", "least")


@dataclass(frozen=True)
class TwoStageDesign:
    """A simple random pilot, and a second stage that prefers items that are hard to predict.

    Parameters
    ----------
    rate : float
        Budget: share of the pool to label in both stages together, on average.
    pilot : float
        Share of the pool to label in the pilot, below `rate`.
    floor : float
        Least chance of an item in the second stage, as a share of the average one. The pilot
        already keeps every weight at or below 1 / `pilot`.
    cap : float
        Largest chance of an item in the second stage.
    method : {"poisson", "systematic"}
        Second stage by independent draws, or of a fixed size (up to rounding).
    groups : str, optional
        Column of groups none of which may be starved: each is labelled at `least` times the
        budget or more, on average.
    least : float
        See `groups`.

    Raises
    ------
    InputError
        A number is out of range, or the pilot takes the whole budget.

    Notes
    -----
    The paper, appendix D. An item's chance of being labelled in either stage is
    e = p + (1 - p) sigma, and 1 / e is its weight. A pilot item's weight takes the hardness that
    has not seen its label.

    Examples
    --------
    >>> import bacon, numpy as np
    >>> table = {"item_id": list(range(100)), "judge_a": [float(i % 7) for i in range(100)]}
    >>> pool = bacon.read_pool(table)
    >>> design = TwoStageDesign(rate=0.3, pilot=0.1)
    >>> pilot = design.draw(pool, seed=1)
    >>> pilot.n_drawn
    10
    >>> hard = 1.0 + np.arange(100) / 50.0
    >>> design.extend(pilot, hard, pool=pool, seed=2).kind
    'two-stage'
    """

    rate: float
    pilot: float
    floor: float = 0.0
    cap: float = 1.0
    method: str = "poisson"
    groups: str | None = None
    least: float = 0.5

    def __post_init__(self) -> None:
        check_rate(self.rate)
        if not is_number(self.pilot) or not 0.0 < self.pilot < self.rate:
            raise InputError(
                f"pilot must lie above 0 and below rate = {self.rate:g}, so that the second stage "
                f"has something to draw; got {self.pilot!r}."
            )
        if self.rate >= 1.0:
            raise InputError(
                f"rate must lie below 1, as all items are labelled otherwise; got {self.rate!r}."
            )
        for name, low in (("floor", 0.0), ("cap", 0.0), ("least", 0.0)):
            value = getattr(self, name)
            if not is_number(value) or not low <= value <= 1.0:
                raise InputError(f"{name} must lie between 0 and 1; got {value!r}.")
        if self.method not in METHODS:
            raise InputError(f'method must be "poisson" or "systematic"; got {self.method!r}.')
        average = (self.rate - self.pilot) / (1.0 - self.pilot)
        if self.cap < average:
            raise InputError(
                f"cap = {self.cap:g} is below {average:.4g}, the average chance of the second "
                "stage that the budget asks for; raise cap or lower rate."
            )

    def draw(self, pool: Pool, *, seed: int | None = None, hide: Sequence[str] = ()) -> Sample:
        """Draw the pilot.

        Parameters
        ----------
        pool : Pool
            The items to draw from.
        seed : int, optional
            Seed; taken from the system and recorded where none is given.
        hide : sequence of str
            Columns raters must not see, beside the judges', the group and the probabilities.

        Returns
        -------
        Sample
            A simple random sample, which :meth:`extend` goes on from.

        Raises
        ------
        InputError
            The pilot comes to less than one item, or there is no such column of groups.
        """
        if self.groups is not None:
            categories(pool, self.groups, role="the groups")
        sample = UniformDesign(rate=self.pilot).draw(pool, seed=seed, hide=hide)
        return replace(sample, parameters={**sample.parameters, **self.settings()})

    @staticmethod
    def of(pilot: Sample, **changes: float | str | None) -> TwoStageDesign:
        """Return the design that a pilot was drawn by, with `changes`.

        Parameters
        ----------
        pilot : Sample
            A pilot, or a simple random sample with at least `rate` among the changes.
        **changes
            Settings in place of the pilot's.

        Raises
        ------
        InputError
            The sample says nothing of a second stage, and no rate is given.
        """
        given: dict[str, Any] = {"pilot": pilot.n_drawn / pilot.n_items}
        if pilot.parameters.get("design") == "two-stage":
            given = {name: pilot.parameters.get(name) for name in FIELDS} | given
        given |= {name: value for name, value in changes.items() if value is not None}
        if not is_number(given.get("rate")):
            raise InputError(
                "the sample was not drawn as a pilot, so it does not say how much to label in "
                "all: give the rate of all stages together (--rate)."
            )
        if pilot.n_drawn >= given["rate"] * pilot.n_items:
            raise InputError(
                f"{pilot.n_drawn:,} of {pilot.n_items:,} items are drawn already, which is the "
                f"whole budget of rate = {given['rate']:g}; raise the rate (--rate)."
            )
        return TwoStageDesign(**given)

    def extend(
        self,
        pilot: Sample,
        hardness: Hardness | npt.ArrayLike,
        seed: int | None = None,
        *,
        pool: Pool,
        hide: Sequence[str] = (),
    ) -> Sample:
        """Draw the next stage.

        Parameters
        ----------
        pilot : Sample
            The pilot (any simple random sample does), or a sample of two stages or more, which
            then gets one more.
        hardness : Hardness or (N,) array_like
            Expected size of every item's prediction error, as ``cal.hardness(...)`` gives it; or
            positive numbers, in the order of the pool's rows, that no label was used for.
        seed : int, optional
            Seed of this stage; taken from the system and recorded where none is given.
        pool : Pool
            The pool the pilot was drawn from.
        hide : sequence of str
            Columns raters must not see.

        Returns
        -------
        Sample
            The items drawn before, in their order, and the new ones in random order. Its sheet
            holds the new ones.

        Raises
        ------
        DesignError
            The pilot was drawn from another pool, or by a design that cannot be extended.
        InputError
            The hardness has another length, or holds a number that is not above 0; the budget is
            spent already, or the bounds leave no chances that spend it.
        """
        return extended(self, pool, pilot, hardness, settled_seed(seed), hide)

    def settings(self) -> dict[str, str | int | float | None]:
        """Return the settings, for the record."""
        return {"design": "two-stage", **{name: getattr(self, name) for name in FIELDS}}
