"""Estimates of groups: one pooled model with a correction per group, or a model for each."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bacon.calibration.estimand import parse_estimand
from bacon.calibration.estimating import estimate_for_these, event_prediction, need_numbers
from bacon.calibration.parts import Part, parts_of, refitted
from bacon.data.notice import Notice
from bacon.errors import EstimationError, InputError, TooFewLabelsError
from bacon.estimation.moderated import moderate
from bacon.estimation.vector import Estimates
from bacon.io.frames import to_backend
from bacon.sampling.columns import categories
from bacon.words import listed

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.calibration.estimand import Estimand
    from bacon.estimation.results import Estimate

__all__ = ["Pooling", "check_pooling", "group_estimates"]

Pooling = Literal["pooled", "none"]

MOST_NAMED = 6
"""Groups named in a notice."""

LONGEST = 200
"""Signs of a group's name and of the reason why it has no estimate."""


def check_pooling(pooling: str) -> None:
    """Refuse an unknown way to use other groups' labels."""
    if pooling not in get_args(Pooling):
        raise InputError(
            'pooling must be "pooled" (one model of all groups, corrected in each) or "none" (a '
            f"model for each group); got {pooling!r}."
        )


def group_estimates(
    cal: Calibration,
    name: str,
    by: str,
    *,
    pooling: Pooling = "pooled",
    labels_alone: bool = False,
) -> Estimates:
    """Estimate one number for every group; see :meth:`Calibration.groups`."""
    check_pooling(pooling)
    asked = parse_estimand(name, cal.levels)
    if asked.kind == "shares":
        raise InputError(
            "shares are one number for each class; for groups ask for one class, such as "
            "proportion:eq:CLASS."
        )
    if asked.kind != "proportion":
        need_numbers(cal, asked.name)
    phi = None
    if asked.kind == "proportion" and not labels_alone and pooling == "pooled":
        phi = event_prediction(cal, asked)
    found: dict[str, Estimate] = {}
    left_out: dict[str, str] = {}
    for part in parts_of(cal, by):
        if len(part.rows) < 2:
            left_out[part.name] = "a single item, which is no group"
            continue
        if part.n_units < 2 and len(part.inside) < len(part.rows):
            left_out[part.name] = _too_few(part)
            continue
        try:
            found[part.name] = _of_part(part, asked, phi, pooling, labels_alone=labels_alone)
        except (InputError, EstimationError) as error:
            left_out[part.name] = str(error)
    if not found:
        reason = next(iter(left_out.values()), "there are no groups")
        raise TooFewLabelsError(f"no group of column {by} has an estimate: {reason}")
    members = list(found.values())
    if asked.kind == "mean" and not labels_alone:
        members = moderate(members)
    made = dict(zip(found, members, strict=True))
    notices = (*_left_out(left_out, by), *_merged(made), *_shared_items(cal, by))
    if cal.raters != "these":
        text = "Intervals of groups are for these raters alone."
        notices = (*notices, Notice("raters_not_counted", text))
    return Estimates(
        kind=by,
        members=made,
        n_claims=len(made),
        notices=notices,
        left_out=left_out,
        frame_of=partial(to_backend, backend=cal.pool.backend),
    )


def _of_part(
    part: Part,
    asked: Estimand,
    phi: FloatArray | None,
    pooling: Pooling,
    *,
    labels_alone: bool,
) -> Estimate:
    """Estimate one group."""
    cal = part.cal if pooling == "pooled" or labels_alone else refitted(part)
    own = None if phi is None else phi[part.rows]
    found = estimate_for_these(cal, asked, labels_alone=labels_alone, phi=own)
    return replace(found, domain=part.domain)


def _too_few(part: Part) -> str:
    """Say that a group has too few labels for an estimate."""
    what = "labelled cluster" if part.cal.aligned.design.psu is not None else "label"
    have = f"1 {what}" if part.n_units == 1 else f"no {what}"
    return f"{have}; an estimate needs at least 2"


def _left_out(left_out: dict[str, str], by: str) -> tuple[Notice, ...]:
    """Tell of groups without an estimate."""
    if not left_out:
        return ()
    reasons = (f"{name} ({why.rstrip('.')})" for name, why in left_out.items())
    shown = listed(reasons, MOST_NAMED, LONGEST)
    return (
        Notice(
            "groups_left_out",
            f"{len(left_out)} of the groups of {by} have no estimate and stand in no comparison: "
            f"{shown}.",
        ),
    )


def _merged(found: dict[str, Estimate]) -> tuple[Notice, ...]:
    """Return what the groups have to tell, each kind of notice once with the groups it is of."""
    told: dict[tuple[str, str], list[str]] = {}
    for name, estimate in found.items():
        for notice in estimate.notices:
            told.setdefault((notice.code, notice.message), []).append(name)
    return tuple(
        Notice(code, f"{listed(names, MOST_NAMED)}: {message}")
        for (code, message), names in told.items()
    )


def _shared_items(cal: Calibration, by: str) -> tuple[Notice, ...]:
    """Tell when every group holds the same items under a key that was not named a cluster."""
    if cal.pool.cluster is not None or cal.aligned.psu is not None:
        return ()
    codes, names = categories(cal.pool, by, role="groups")
    sizes = np.bincount(codes)
    if len(names) < 2 or sizes.min() != sizes.max() or sizes[0] < 2:
        return ()
    for column in cal.pool.table.columns:
        if column in (by, cal.pool.id_name) or not _is_key(cal, column, codes, int(sizes[0])):
            continue
        text = (
            f"Every group of {by} holds the same {sizes[0]:,} values of {column}, so their items "
            "are not independent of each other: intervals and differences for the population need "
            f"--cluster {shlex.quote(column)} (cluster={column!r} in Python)."
        )
        return (Notice("groups_share_items", text),)
    return ()


def _is_key(cal: Calibration, column: str, codes: IntArray, size: int) -> bool:
    """Whether a column of words or whole numbers has `size` values, each in every group once."""
    values = cal.pool.table[column]
    if values.dtype.is_float() or values.dtype.is_nested() or values.null_count():
        return False
    key = values.rank("dense").to_numpy().astype(np.int64)
    return int(key.max()) == size and len(np.unique(codes * (size + 1) + key)) == len(codes)
