"""Everything to know before trusting a number, as one immutable value."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bacon.calibration.diagnostics.sentences import (
    best_sentence,
    curve_is_off,
    curve_sentences,
    driver_sentence,
    gain_sentence,
    significant,
)
from bacon.calibration.diagnostics.views import (
    curve_record,
    curve_table,
    driver_record,
    driver_table,
    fit_record,
    fit_table,
    gain_record,
)
from bacon.data.notice import Notice
from bacon.errors import InputError

if TYPE_CHECKING:
    from bacon.calibration.diagnostics.curve import Curve
    from bacon.calibration.diagnostics.driver_tests import DriverTest
    from bacon.calibration.diagnostics.fits import Fit
    from bacon.calibration.diagnostics.gain import Gain
    from bacon.calibration.diagnostics.tables import Table

__all__ = ["Diagnostics", "gain_notices"]

DOUBT = ("uncertainty", "runs")
"""Kinds of drivers that are a judge's own."""

MOST_DRIVERS = 8
"""Errors that go with something told in sentences; the table has all."""


def gain_notices(gain: Gain) -> tuple[Notice, ...]:
    """Return a warning where judges are used and the labels show no gain from them."""
    if gain.verdict in ("open", "loss"):
        return (Notice("no_gain", gain_sentence(gain)),)
    return ()


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """How far model and judges can be trusted; made by ``cal.diagnostics()``.

    Parameters
    ----------
    n_labels : int
        Labels that everything rests on.
    level : float
        Level of all intervals.
    gain : Gain or None
        What the judges gain over the labels alone; None where it was not asked for.
    fits : tuple of Fit
        How well the model (out of fold), the raw judge average and each judge follow the
        labels.
    curve : Curve or None
        Labels against out-of-fold predictions; None where `no_curve` says why.
    drivers : tuple of DriverTest
        What each error was held against, with p-values adjusted over all of them.
    no_curve : str or None
        Why there is no curve.
    untested : tuple of str
        What errors could not be held against, and why.
    backend : str
        Library of the frames.
    """

    n_labels: int
    level: float
    gain: Gain | None
    fits: tuple[Fit, ...]
    curve: Curve | None
    drivers: tuple[DriverTest, ...]
    no_curve: str | None
    untested: tuple[str, ...]
    backend: str

    @property
    def notices(self) -> tuple[Notice, ...]:
        """A warning where the judges are used and show no gain."""
        return () if self.gain is None else gain_notices(self.gain)

    def sentences(self) -> tuple[str, ...]:
        """Return everything in words: gain, judges, calibration curve, drivers of errors."""
        told = [] if self.gain is None else [gain_sentence(self.gain)]
        best = best_sentence(self.fits)
        if best is not None:
            told.append(best)
        if self.curve is not None:
            told += curve_sentences(self.curve, self.n_labels)
        elif self.no_curve is not None:
            told.append(f"No calibration curve: {self.no_curve}.")
        told += self._of_drivers(MOST_DRIVERS)
        if self.untested:
            told.append(f"Not tested: {'; '.join(self.untested)}.")
        return tuple(told)

    def short(self) -> tuple[str, ...]:
        """Return what matters most of judges, errors and predictions in a few sentences."""
        best = best_sentence(self.fits)
        told = [] if best is None else [best]
        if significant(self.drivers):
            told += self._of_drivers(1)
        if self.curve is not None and curve_is_off(self.curve):
            told += curve_sentences(self.curve, self.n_labels)[:1]
        return tuple(told)

    def _of_drivers(self, most: int) -> list[str]:
        """Return a sentence for each error that goes with something, the surest first."""
        tested = [test for test in self.drivers if not math.isnan(test.p)]
        if not tested:
            return []
        sure = significant(tested)
        count = f"{len(tested)} {'test' if len(tested) == 1 else 'tests'}"
        if not sure:
            names = dict.fromkeys(test.words for test in tested if test.kind not in DOUBT)
            what = ", ".join(names) or "the judges' own doubt"
            return [f"No error goes with {what} beyond chance (over {count} together)."]
        told = [driver_sentence(test) for test in sure[:most]]
        left = len(sure) - most
        if left > 0:
            told[-1] += f" {left} more such {'relation holds' if left == 1 else 'relations hold'}."
        return told

    def tables(self) -> tuple[Table, ...]:
        """Return the figures: fits, calibration curve, drivers of errors."""
        found = [fit_table(self.fits, self.level)]
        if self.curve is not None:
            found.append(curve_table(self.curve, self.level))
        if self.drivers:
            found.append(driver_table(self.drivers, self.level))
        return tuple(found)

    def to_text(self) -> str:
        """Return sentences, then tables."""
        return "\n\n".join(["\n".join(self.sentences()), *(t.to_text() for t in self.tables())])

    __str__ = to_text

    def __repr__(self) -> str:
        """Return everything in words."""
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        """Return sentences and tables for a notebook."""
        told = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self.sentences())
        return told + "".join(table.to_html() for table in self.tables())

    def to_frame(self, which: str = "fits") -> Any:
        """Return one of the tables as a frame, in the library the pool came from.

        Parameters
        ----------
        which : {"fits", "curve", "drivers"}
            The table. A figure with an interval, such as ``r2``, has the columns ``r2``,
            ``r2_se``, ``r2_low`` and ``r2_high``.

        Raises
        ------
        InputError
            There is no such table.
        """
        if which == "fits":
            return fit_table(self.fits, self.level).to_frame(self.backend)
        if which == "curve" and self.curve is not None:
            return curve_table(self.curve, self.level).to_frame(self.backend)
        if which == "drivers":
            return driver_table(self.drivers, self.level).to_frame(self.backend)
        if which == "curve":
            raise InputError(f"there is no calibration curve: {self.no_curve}.")
        raise InputError(f'which must be "fits", "curve" or "drivers"; got {which!r}.')

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object ``diagnostics`` of ``bacon estimate --json``."""
        record: dict[str, Any] = {
            "level": self.level,
            **({} if self.gain is None else {"gain": gain_record(self.gain)}),
            "fits": [fit_record(fit) for fit in self.fits],
            "curve": None if self.curve is None else curve_record(self.curve),
            "drivers": [driver_record(test) for test in self.drivers],
            "adjustment": {"fits": "Holm", "curve": "Holm", "drivers": "sign flips"},
            "sentences": list(self.sentences()),
        }
        if self.curve is None:
            record["curve_reason"] = self.no_curve
        return record
