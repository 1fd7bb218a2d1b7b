"""What a calibration refuses before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bacon.checks import first_row
from bacon.errors import InputError, TooFewLabelsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.calibration.alignment import Aligned
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["check_kinds", "check_labels", "listed"]


def check_kinds(pool: Pool, labels: Labels, sample: Sample | None) -> None:
    """Refuse arguments in the wrong order, and files that were not read."""
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

    for name, value, kind in (("pool", pool, Pool), ("labels", labels, Labels)):
        if not isinstance(value, kind):
            raise InputError(
                f"{name} must come from bacon.read_{name}; got a {type(value).__name__}."
            )
    if sample is not None and not isinstance(sample, Sample):
        raise InputError(
            "sample must come from a design's draw or from bacon.read_sample; got a "
            f"{type(sample).__name__}."
        )


def listed(outcomes: Sequence[str]) -> tuple[str, ...]:
    """Return the outcomes asked for, each once."""
    names = (outcomes,) if isinstance(outcomes, str) else tuple(dict.fromkeys(outcomes))
    if not names:
        raise InputError("outcomes names no outcome; leave it out for the only one there is.")
    return names


def check_labels(
    pool: Pool,
    aligned: Aligned,
    levels: tuple[str, ...] | None,
    scale: tuple[float, float] | None,
) -> None:
    """Refuse one label, labels off the scale, and a cluster column with a single value."""
    m = len(aligned.y)
    if m < 2:
        raise TooFewLabelsError(
            "1 label cannot show its own error: an estimate needs at least 2 labels, and 30 make "
            "a useful one."
        )
    if pool.cluster is not None and len(pool.cluster.levels) < 2:
        raise InputError(
            f"{pool.source}, column {pool.cluster.name}: every item is in the same cluster "
            f"{pool.cluster.levels[0]!r}; leave cluster out."
        )
    if scale is not None and levels is not None:
        raise InputError("a scale goes with labels that are numbers; these are words.")
    if scale is None:
        return
    outside = (aligned.y < scale[0]) | (aligned.y > scale[1])
    if outside.any():
        k = first_row(outside)
        item = pool.ids[aligned.design.rows[k]]
        raise InputError(
            f"the label {aligned.y[k]:g} of item {item} lies outside the scale {scale[0]:g} to "
            f"{scale[1]:g} ({int(np.sum(outside))} such labels); mend the labels or the scale."
        )
