"""How hard every item is to predict, as it decides who is drawn next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.arrays import freeze

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.data.notice import Notice

__all__ = ["Hardness"]


@dataclass(frozen=True, eq=False)
class Hardness:
    """Expected size of every item's prediction error; only ratios matter.

    Parameters
    ----------
    drawing : (N,) float64
        Positive, in the order of the pool's rows: what items are drawn by.
    held_out : (K, N) float64 or None
        The same from all pilot labels but those of fold k, for the weights of pilot items: a
        weight must not depend on the item's own label. None where no label was used.
    fold : (N,) int64 or None
        Fold 0..K-1 of the pool rows whose labels were used, -1 elsewhere.
    model : str
        gamma, optimal, logistic, uniform or given.
    uniform_share : float
        Weight of equal chances in the mixture, chosen on the pilot.
    notices : tuple of Notice
        What fitting had to tell.
    """

    drawing: FloatArray
    held_out: FloatArray | None = None
    fold: IntArray | None = None
    model: str = "given"
    uniform_share: float = 0.0
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "drawing", "held_out", "fold")
