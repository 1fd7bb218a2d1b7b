"""What labels arriving in drawn order say: the result of :meth:`Calibration.anytime`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bacon.arrays import freeze
from bacon.calibration.figures import number
from bacon.estimation.intervals import Interval

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.data.notice import Notice

__all__ = ["Anytime"]


@dataclass(frozen=True, eq=False)
class Anytime:
    """Intervals after each label, which hold at all times together.

    Parameters
    ----------
    name : str
        The estimand: mean, or a share.
    level : float
        Confidence level, for all times together.
    width : float or None
        Full width at which labelling stops, if one is wanted.
    method : {"betting", "asymptotic"}
        betting where the scale is stated, and for shares: valid for every number of labels.
        asymptotic else: from 30 labels on (200 where labels are skewed), without a guarantee for
        finite samples.
    n_items, n_drawn : int
        Items of the pool and of the draw.
    estimates : (t,) float64
        Estimate after each label of the first answered part of the draw; NaN is never in it.
    lower, upper : (t,) float64
        The intersection of all intervals so far; NaN where there is none.
    needed : int or None
        About how many labels the width takes in all; None where it is reached, not asked for, or
        unknown.
    notices : tuple of Notice
        Labels that do not count yet, or intervals that contradict each other.
    backend : str
        Library of the pool's table, in which frames come back.
    """

    name: str
    level: float
    width: float | None
    method: Literal["betting", "asymptotic"]
    n_items: int
    n_drawn: int
    estimates: FloatArray
    lower: FloatArray
    upper: FloatArray
    needed: int | None
    notices: tuple[Notice, ...] = ()
    backend: str = "polars"

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self, "estimates", "lower", "upper")

    @property
    def n_labels(self) -> int:
        """Number t of labels that count."""
        return len(self.estimates)

    @property
    def times(self) -> FloatArray:
        """Number of labels 1..t at each time."""
        return np.arange(1.0, self.n_labels + 1.0)

    @property
    def estimate(self) -> float:
        """Estimate after the last label."""
        return float(self.estimates[-1])

    @property
    def interval(self) -> Interval:
        """Interval after the last label, which holds whenever and why ever labelling stops."""
        low, high = float(self.lower[-1]), float(self.upper[-1])
        return Interval(low, high, self.level, "pool", math.inf, self.method, self.reason)

    @property
    def reason(self) -> str | None:
        """Why there is no interval after the last label; None where there is one."""
        if not math.isnan(self.lower[-1]):
            return None
        if any(notice.code == "anytime_contradiction" for notice in self.notices):
            return "the intervals so far contradict each other"
        return (
            "without a stated scale intervals begin at 30 labels, 200 where labels are skewed, and "
            "labels that are alike show none"
        )

    @property
    def stopped_at(self) -> int | None:
        """Number of labels at which the width was first reached; None if it is not."""
        if self.width is None:
            return None
        reached = self.upper - self.lower <= self.width
        return int(np.argmax(reached)) + 1 if reached.any() else None

    @property
    def may_stop(self) -> bool:
        """Whether the width is reached, and the intervals do not contradict each other."""
        return self.stopped_at is not None and self.reason is None

    @property
    def more(self) -> int | None:
        """About how many more labels the width takes; 0 where it is reached, None if unknown."""
        if self.may_stop:
            return 0
        return None if self.needed is None else self.needed - self.n_labels

    def to_frame(self) -> Any:
        """Return a row for each label.

        Returns
        -------
        frame
            n_labels, estimate, lower, upper; NaN where there is no interval. In the library the
            pool came from.
        """
        import polars as pl

        from bacon.io.frames import to_backend

        frame = pl.DataFrame(
            {
                "n_labels": np.arange(1, self.n_labels + 1),
                "estimate": self.estimates,
                "lower": self.lower,
                "upper": self.upper,
            }
        )
        return to_backend(frame, self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the object ``anytime`` of ``bacon estimate --json``."""
        return {
            "estimand": self.name,
            "estimate": number(self.estimate),
            "ci": [number(self.lower[-1]), number(self.upper[-1])],
            **({} if self.reason is None else {"reason": self.reason}),
            "level": self.level,
            "method": self.method,
            "n_labels": self.n_labels,
            "n_drawn": self.n_drawn,
            "width": number(self.upper[-1] - self.lower[-1]),
            "stop_width": self.width,
            "stop": self.may_stop,
            "stopped_at": self.stopped_at,
            "more_labels": self.more,
            "warnings": [{"code": one.code, "message": one.message} for one in self.notices],
        }

    def summary(self) -> str:
        """Return the interval, and whether to stop, in plain sentences."""
        from bacon.calibration.text import decimals, ends_text

        size = (self.upper[-1] - self.lower[-1]) / 2.0
        digits = decimals(size if math.isfinite(size) and size > 0.0 else self.estimate)
        percent = f"{self.level * 100:g} %"
        head = f"{self.name} after {self.n_labels:,} labels in drawn order: "
        if self.reason is not None:
            lines = [f"{head}{self.estimate:.{digits}f}; no interval, for {self.reason}."]
        else:
            lines = [
                f"{head}{self.estimate:.{digits}f}; {percent} interval "
                f"{ends_text(self.interval, digits)}, which holds at every label at once "
                f"({self._valid()})."
            ]
        if self.width is not None:
            lines.append(self.verdict())
        lines += [f"Note: {notice.message}" for notice in self.notices]
        return "\n".join(lines)

    def _valid(self) -> str:
        """Say what the method rests on."""
        if self.method == "betting":
            return "by betting: valid for any number of labels"
        return "asymptotic: no guarantee with few labels"

    def verdict(self) -> str:
        """Say whether labelling may stop, in one sentence."""
        drawn = f"of {self.n_drawn:,} drawn"
        if self.may_stop:
            return f"stop: the width is reached at label {self.stopped_at:,} {drawn}."
        if self.more is None:
            return f"go on: the width of {self.width:g} is not reached at label {self.n_labels:,}."
        labels = "label" if self.more == 1 else "labels"
        text = f"go on: about {self.more:,} more {labels} for a width of {self.width:g}"
        left = self.n_drawn - self.n_labels
        if self.more <= left:
            return f"{text}."
        return f"{text}, and the sheet has {left:,} left: make it longer."
