"""What is known of every item, as an object with its notices, text and JSON record."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bacon.calibration.figures import number
from bacon.calibration.item_flags import BOUND_LEVEL
from bacon.calibration.text import decimals

if TYPE_CHECKING:
    from bacon.calibration.item_flags import FalseShare, Flags
    from bacon.data.notice import Notice

__all__ = ["SCHEMA", "ItemScores"]

SCHEMA = "bacon-items/1"


@dataclass(frozen=True, eq=False, repr=False)
class ItemScores:
    """Scores, intervals and flags of every item; made by :meth:`Calibration.item_scores`.

    Parameters
    ----------
    frame : frame
        A row for each item, in the library the pool came from; see :meth:`Calibration.items`.
    level : float
        Probability with which an interval or set holds the label of an item without one.
    method : {"out-of-fold", "split"}
        How the labels calibrate.
    better : str or None
        Which end of the scale has rank 1; None for classes.
    by : str or None
        Column within whose groups the level holds.
    n_items, n_labels : int
        Items, and labelled ones among them.
    mean_width : float
        Mean width of the intervals of items without a label; infinite where one has no end, NaN
        for classes and where every item has a label.
    set_size : float or None
        Mean number of values or classes that an item without a label may have; None for
        outcomes that are not discrete.
    n_most : int or None
        Number of classes.
    n_unknown : int
        Items for which the labels are too few to say anything.
    flags : Flags or None
        Flagged items, where asked for.
    notices : tuple of Notice
        What a reader must know.
    """

    frame: Any
    level: float
    method: str
    better: str | None
    by: str | None
    n_items: int
    n_labels: int
    mean_width: float
    set_size: float | None
    n_most: int | None
    n_unknown: int
    flags: Flags | None = field(repr=False)
    notices: tuple[Notice, ...] = ()

    @property
    def n_unlabelled(self) -> int:
        """Number of items without a label."""
        return self.n_items - self.n_labels

    def summary(self) -> str:
        """Return what was found in plain sentences, and the notices."""
        assumed = [one.message for one in self.notices if one.code == "assumed_sample"]
        notes = [f"Note: {one.message}" for one in self.notices if one.code != "assumed_sample"]
        lines = [self._items(), *self._widths()]
        if self.flags is not None:
            lines += _flag_lines(self.flags)
        return "\n".join([*assumed, *lines, *notes])

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the frame as one JSON object."""
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "level": self.level,
            "method": self.method,
            "by": self.by,
            "better": self.better,
            "n_items": self.n_items,
            "n_labels": self.n_labels,
            "mean_width": number(self.mean_width),
        }
        if found["mean_width"] is None:
            found["mean_width_reason"] = self._no_width()
        found["set_size"] = None if self.set_size is None else number(self.set_size)
        if found["set_size"] is None:
            found["set_size_reason"] = self._no_size()
        return found | {
            "n_unknown": self.n_unknown,
            "flags": None if self.flags is None else self.flags.to_dict(),
            "warnings": [{"code": one.code, "message": one.message} for one in self.notices],
        }

    def _no_width(self) -> str:
        """Say why there is no mean width."""
        if self.n_unlabelled == 0:
            return "every item has a label"
        return "classes have sets" if self.n_most is not None else "some intervals have no end"

    def _no_size(self) -> str:
        """Say why there is no mean size of the sets."""
        if self.set_size is None:
            return "the outcome is not discrete"
        return "every item has a label" if self.n_unlabelled == 0 else "some intervals have no end"

    def _items(self) -> str:
        """Say how many items have a score, and of which kind."""
        what = "a score" if self.n_most is None else "a class"
        if self.n_unlabelled == 0:
            return f"All {self.n_items:,} items have a label, which is {what} people gave."
        return (
            f"{self.n_unlabelled:,} of {self.n_items:,} items have {what} predicted from the "
            f"judges; the other {self.n_labels:,} show their label."
        )

    def _widths(self) -> list[str]:
        """Say how wide intervals or sets are."""
        if self.n_unlabelled == 0:
            return []
        percent = f"{self.level * 100:g} %"
        where = "" if self.by is None else f", in every group of {self.by}"
        if self.n_most is not None:
            return [
                f"Sets that hold the label with {percent}{where}: {self.set_size:.2f} of "
                f"{self.n_most} classes on average."
            ]
        start = f"Intervals that hold the label with {percent}{where}:"
        if not math.isfinite(self.mean_width):
            return [f"{start} some have no end."]
        if self.set_size is not None:
            return [f"{start} {self.set_size:.2f} possible values on average."]
        return [f"{start} {self.mean_width:.{decimals(self.mean_width)}f} wide on average."]

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the summary for a notebook."""
        return f"<pre>{html.escape(self.summary())}</pre>"


def _flag_lines(flags: Flags) -> list[str]:
    """Say how many items are flagged and how many of them falsely at most, then why."""
    rule, share = flags.rule, flags.false_share
    low, high = flags.smallest
    least = f"{low * 100:.2g} %"
    if high > low * 1.01:
        least += f" to {high * 100:.2g} % (by their weight)"
    found = (
        f"Flagged as {rule.name}: {flags.n_flagged:,} of {flags.n_unlabelled:,} items without a "
        "label"
    )
    known = f"{flags.n_known:,} labelled items are {rule.name} by their label."
    if share is not None and share.upper is not None:
        found += (
            f"; at most {share.upper * 100:.2g} % of them falsely (with {BOUND_LEVEL * 100:g} %)"
        )
    lines = [f"{found}. {known}"]
    if share is not None:
        lines.append(_false_line(share, rule.name, rule.fdr))
    lines.append(
        f"Items can be flagged only if {least} of those without a label are"
        f"{': more labels are needed' if low > 1.0 else ', all at once'}."
    )
    return lines


def _false_line(share: FalseShare, name: str, fdr: float) -> str:
    """Say where the bound is from, and what it is beside the rate that was asked for."""
    asked = (
        f"the {fdr * 100:g} % asked for are kept on average over "
        "draws, and may be missed in any one"
    )
    expected = f"the model expects {share.predicted * 100:.2g} % not {name}"
    if share.value is None or share.upper is None:
        return f"How many falsely: {expected}; {share.reason}, so that there is no bound; {asked}."
    return (
        f"That bound and a best guess of {share.value * 100:.2g} % come from {share.n_labels:,} "
        f"labels among items scored like them; {expected}; {asked}."
    )
