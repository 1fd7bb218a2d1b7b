"""Fresh labels put beside the calibrated scores of their items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.baseline import id_digest
from bacon.calibration.judge_summary import expected_label
from bacon.calibration.randomness import randomness_notice
from bacon.data.notice import Notice
from bacon.errors import DesignError, InputError
from bacon.estimation.designs import simple_design
from bacon.io.ids import ROW_ID
from bacon.io.labels import match_ids
from bacon.io.matching import find_ids
from bacon.monitor.state import Stream
from bacon.signed import digest
from bacon.words import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.saved import SavedCalibration
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["check_sample", "errors_alone", "fresh_labels"]

UNEQUAL = 1e-9
"""Inclusion probabilities that differ by more, relatively, are not the same."""


def _values(labels: Labels, outcome: str) -> FloatArray:
    """Return the labels (n,) of the outcome that was calibrated."""
    if len(labels.outcomes) > 1 and outcome not in labels.outcomes:
        raise InputError(
            f"{labels.source} has the outcomes {', '.join(labels.outcomes)}, and {outcome} was "
            "calibrated; name its column."
        )
    k = labels.outcomes.index(outcome) if outcome in labels.outcomes else 0
    if labels.levels[k] is not None:
        raise InputError(
            f"{labels.source}, column {labels.outcomes[k]}: the labels are words, and numbers were "
            "calibrated; give the labels on the same scale."
        )
    return labels.values[:, k]


def check_sample(pool: Pool, sample: Sample) -> None:
    """Refuse a sheet of another pool, and draws whose items do not count alike."""
    if sample.pool_fingerprint != pool.fingerprint:
        raise DesignError(
            f"the sample was drawn from another pool ({sample.n_items:,} items) than "
            f"{pool.source} ({pool.n_items:,} items): their ids differ. Give the pool it was "
            "drawn from."
        )
    unequal = float(np.ptp(sample.pi)) > UNEQUAL * float(sample.pi.max())
    if sample.kind == "clusters" or unequal:
        what = "whole clusters" if sample.kind == "clusters" else "unequal probabilities"
        raise DesignError(
            f"the sheet was drawn with {what} ({sample.kind}), and monitoring counts every label "
            "alike; draw a uniform sample for it (bacon sample POOL -n N)."
        )


def fresh_labels(
    saved: SavedCalibration,
    pool: Pool,
    labels: Labels,
    sample: Sample | None,
    seen: Stream,
    group: IntArray | None,
) -> tuple[Stream, tuple[Notice, ...]]:
    """Return the labels that were not seen before, and what was set aside.

    Labels that come in one call have no order of their own: they are taken in the order of
    digests of their ids, which is random and the same every time.

    Parameters
    ----------
    saved : SavedCalibration
        What the labels are held against.
    pool : Pool
        The items they are of.
    labels : Labels
        The labels, earlier ones among them or not.
    sample : Sample or None
        The draw they answer.
    seen : Stream
        Labels of earlier calls.
    group : (N,) int64 or None
        Group of every item as a position in ``pool.group.levels``.

    Raises
    ------
    InputError
        The pool has no ids, or a label lies outside the scale.
    DesignError
        An item is neither in the pool nor among those seen before.
    """
    if pool.id_name == ROW_ID and ROW_ID not in pool.table.columns:
        raise InputError(
            f"{pool.source} has no column of ids, and row numbers of one pool mean other items in "
            "the next; name the ids with --id (id= in Python)."
        )
    y = _values(labels, str(saved.monitoring["outcome"]))
    given = np.flatnonzero(~np.isnan(y))
    digests = np.array([id_digest(one) for one in labels.ids[given].tolist()], dtype=object)
    known = {one: k for k, one in enumerate(seen.ids)}
    calibrated = set(saved.monitoring["labelled"])
    again = np.array([one in known for one in digests], dtype=bool)
    used = np.array([one in calibrated for one in digests], dtype=bool)
    notices = [
        *_changed(labels, given[again], y, [seen.labels[known[one]] for one in digests[again]]),
        *_used_before(labels, int((used & ~again).sum())),
    ]
    new = ~again & ~used
    given, digests = given[new], digests[new]
    rows = match_ids(pool, labels.ids[given], whose=f"fresh labels of {labels.source}")
    if sample is not None:
        labelled = {*seen.ids, *digests.tolist(), *calibrated}
        notices += _unanswered(sample, labelled)
        drawn = find_ids(sample.ids, pool.ids[rows]) >= 0
        notices += _outside(labels, int((~drawn).sum()))
        given, digests, rows = given[drawn], digests[drawn], rows[drawn]
    order = np.argsort([digest(f"{saved.digest} {one}".encode()) for one in digests.tolist()])
    given, digests, rows = given[order], digests[order], rows[order]
    _check_scale(saved, labels, given, y)
    if sample is None and len(rows):
        notices.append(_assumed(pool, len(rows)))
        notices += randomness_notice(pool, simple_design(np.sort(rows), pool.n_items))
    names: list[str | None] = [None] * len(rows)
    if group is not None and pool.group is not None:
        names = [pool.group.levels[code] for code in group[rows]]
    score = saved.scores(pool)
    return (
        Stream(
            ids=tuple(digests.tolist()),
            labels=tuple(y[given].tolist()),
            errors=tuple((y[given] - score[rows]).tolist()),
            groups=tuple(names),
            alone=errors_alone(pool, rows, y[given], saved.monitoring["judges"]),
        ),
        tuple(notices),
    )


def errors_alone(
    pool: Pool, rows: IntArray, y: FloatArray, summaries: list[Mapping[str, Any]]
) -> dict[str, tuple[float | None, ...]]:
    """Return the labels less what each judge's score alone says, None where it is missing."""
    there = {judge.name: judge for judge in pool.judges}
    found: dict[str, tuple[float | None, ...]] = {}
    for one in summaries:
        judge, alone = there.get(one["name"]), one["alone"]
        if alone is None:
            continue
        if judge is None or judge.is_text != ("answers" in one):
            found[one["name"]] = (None,) * len(rows)
            continue
        errors = y - expected_label(judge.levels, judge.scores[rows], alone)
        found[one["name"]] = tuple(
            error if math.isfinite(error) else None for error in errors.tolist()
        )
    return found


def _check_scale(saved: SavedCalibration, labels: Labels, given: IntArray, y: FloatArray) -> None:
    """Refuse labels that the calibration's scale does not have."""
    if saved.scale is None:
        return
    low, high = saved.scale
    beyond = given[(y[given] < low) | (y[given] > high)]
    if len(beyond):
        first = beyond[0]
        raise InputError(
            f"{labels.source}: the label {y[first]:g} of item {labels.ids[first]} lies outside the "
            f"scale {low:g} to {high:g} of the calibration ({len(beyond):,} such labels); correct "
            "the label, or calibrate again with the scale that people use now."
        )


def _changed(labels: Labels, again: IntArray, y: FloatArray, earlier: list[float]) -> list[Notice]:
    """Tell of labels that are another one than the first time."""
    pairs = zip(again.tolist(), earlier, strict=True)
    other = [str(labels.ids[k]) for k, was in pairs if y[k] != was]
    if not other:
        return []
    message = (
        f"{len(other):,} labels of {labels.source} differ from those given before for the same "
        f"items ({listed(other)}). The first ones count, since the tests take labels as they "
        "come; to count the corrections, begin again with a new state."
    )
    return [Notice("label_changed", message)]


def _used_before(labels: Labels, count: int) -> list[Notice]:
    """Tell of labels that the calibration was made with."""
    if not count:
        return []
    message = (
        f"{count:,} labels of {labels.source} are of items the calibration was made with; they "
        "are not fresh and were set aside."
    )
    return [Notice("labels_of_calibration", message)]


def _outside(labels: Labels, count: int) -> list[Notice]:
    """Tell of labels outside the draw."""
    if not count:
        return []
    message = (
        f"{count:,} labels of {labels.source} are not of drawn items and were set aside: how they "
        "came about is unknown."
    )
    return [Notice("labels_outside_sample", message)]


def _unanswered(sample: Sample, labelled: set[str]) -> list[Notice]:
    """Tell of drawn items without a label."""
    count = sum(id_digest(one) not in labelled for one in sample.ids.tolist())
    if not count:
        return []
    message = (
        f"{count:,} of {sample.n_drawn:,} drawn items have no label; those labelled are taken as a "
        "random part of them."
    )
    return [Notice("unanswered", message)]


def _assumed(pool: Pool, count: int) -> Notice:
    """Say that the draw is an assumption."""
    message = f"No sample file given: the {count:,} fresh labels are taken as a random draw of "
    return Notice("assumed_sample", f"{message}{pool.source}.")
