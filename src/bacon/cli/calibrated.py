"""A calibration made from the options of a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bacon.cli.output import say

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration

__all__ = ["Calibrated"]


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A calibration made from the options of a command.

    Parameters
    ----------
    cal : Calibration
        The calibration.
    label_column : str or None
        Column the labels were found in, where no option names it.
    label_source : str
        File of the labels.
    """

    cal: Calibration
    label_column: str | None
    label_source: str

    def tell(self) -> None:
        """Tell where the labels were found, if no option said so."""
        if self.label_column is not None:
            text = (
                f"Labels: column {self.label_column} of {self.label_source}; --value names another."
            )
            say(text, err=True)
