"""In which stage each drawn item was drawn, and by what chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray

__all__ = ["Stages"]


@dataclass(frozen=True, eq=False)
class Stages:
    """The stages of an adaptive draw.

    Parameters
    ----------
    stage : (m,) int64
        Stage of each drawn item: 0 for the pilot, then 1, 2, ...
    chance : (m,) float64
        Of two stages, chance with which it was drawn in its own, had it not been drawn before. Of
        more, chance to be in pilot or second stage for items of these, which are the first batch;
        then that of its own stage.
    fold : (m,) int64
        Fold of the hardness that the weight of a pilot item comes from, which has not seen the
        item's label; -1 where none was held out.
    shares : tuple of float
        Share of the labels that each batch was expected to give; they sum to one.
    everyone : (N,) float64 or None
        Of two stages, chance of every item to be drawn in either, in the order of sorted ids, by
        the hardness that drew; None of more stages, where it is unknown.
    """

    stage: IntArray
    chance: FloatArray
    fold: IntArray
    shares: tuple[float, ...] = (1.0,)
    everyone: FloatArray | None = None

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "stage", "chance", "fold", "everyone")

    @property
    def n_stages(self) -> int:
        """Number of stages."""
        return len(self.shares) + 1

    @property
    def batch(self) -> IntArray:
        """Batch (m,) of each drawn item: 0 for pilot and second stage, then one a stage."""
        return np.maximum(self.stage - 1, 0)

    @property
    def n_last(self) -> int:
        """Number of items drawn in the last stage."""
        return int((self.stage == self.n_stages - 1).sum())
