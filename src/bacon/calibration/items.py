"""Scores, intervals, ranks and flags of every item; prediction sets for classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.item_basis import Basis, basis_of, check_method
from bacon.calibration.item_flags import FlagRule, Flags, flag_items, flag_rule
from bacon.calibration.item_scores import ItemScores
from bacon.calibration.practice import not_counted
from bacon.checks import check_level
from bacon.data.notice import Notice
from bacon.io.frames import to_backend
from bacon.items.conformal import bounds_by_group, error_bounds, interval_ends, spread_scale
from bacon.items.sets import class_scores, class_sets, grid_ends, grid_size
from bacon.sampling.columns import categories
from bacon.words import listed

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.calibration import Calibration

__all__ = ["BETWEEN_CLASSES", "item_scores"]

BETWEEN_CLASSES = " | "
"""What stands between the classes of a set."""

MOST_NAMED = 6
"""Groups named in a notice."""


def item_scores(
    cal: Calibration,
    *,
    level: float = 0.9,
    flag_below: float | None = None,
    flag_above: float | None = None,
    fdr: float = 0.1,
    method: str = "auto",
    by: str | None = None,
) -> ItemScores:
    """Return what is known of every item; see :meth:`Calibration.item_scores`."""
    check_level(level)
    how = check_method(method)
    rule = flag_rule(cal, flag_below, flag_above, fdr)
    group = None if by is None else categories(cal.pool, by, role="groups")
    basis = basis_of(cal, how)
    rows = cal.aligned.design.rows
    unlabelled = np.setdiff1d(np.arange(cal.pool.n_items), rows)
    score = basis.f if cal.levels is not None else np.clip(basis.f, *_range(cal, _grid(cal)))
    codes = None if group is None else group[0]
    bound = np.zeros(cal.pool.n_items)
    bound[unlabelled] = _bounds(basis, score, unlabelled, level, codes)
    size: FloatArray | None
    if cal.levels is not None:
        better, width = None, math.nan
        columns, size = _class_columns(cal, score, bound, cal.levels)
    else:
        better = cal.better or "higher"
        columns, size = _number_columns(cal, score, bound, better)
        width = _mean((columns["upper"] - columns["lower"])[unlabelled])
    flags = _flags(cal, basis, unlabelled, rule)
    found = _told(cal, basis, group, bound, flags, level=level)
    return ItemScores(
        frame=_frame(cal, columns, flags),
        level=float(level),
        method=how,
        better=better,
        by=by,
        n_items=cal.pool.n_items,
        n_labels=len(rows),
        mean_width=width,
        set_size=_mean(size[unlabelled]) if size is not None else None,
        n_most=None if cal.levels is None else len(cal.levels),
        n_unknown=int(np.isinf(bound).sum()),
        flags=flags,
        notices=(*cal.notices, *found, *not_counted(cal, "items")),
    )


def _mean(values: FloatArray) -> float:
    """Return the mean, NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def _bounds(
    basis: Basis, score: FloatArray, unlabelled: IntArray, level: float, codes: IntArray | None
) -> FloatArray:
    """Return how large the error of each item without a label (T,) may be; infinite if unknown.

    `score` are the predictions, cut to the scale; `codes` (N,) the groups to hold within.
    """
    own, rows = basis.own[unlabelled], basis.rows
    if basis.variance is None:
        usual = np.ones(len(score))
        errors = class_scores(score[rows], basis.y.astype(np.int64))
    else:
        usual = spread_scale(basis.variance)
        errors = np.abs(basis.y - score[rows]) / usual[rows]
    if codes is None:
        found = error_bounds(errors, basis.weights, own, level)
    else:
        groups = {"group": codes[rows], "own_group": codes[unlabelled]}
        found = bounds_by_group(errors, basis.weights, own, level, **groups)
    return found * usual[unlabelled]


def _flags(
    cal: Calibration, basis: Basis, unlabelled: IntArray, rule: FlagRule | None
) -> Flags | None:
    """Return the flags asked for; none where every item has a label."""
    if rule is None or not len(unlabelled):
        return None
    return flag_items(cal, basis, unlabelled, rule)


def _grid(cal: Calibration) -> tuple[float, float] | None:
    """Return one possible value of a discrete outcome and the step to the next."""
    if cal.kind.kind == "ordinal":
        return 0.0, 1.0
    if cal.kind.kind != "binary":
        return None
    low, high = _two_values(cal.aligned.y)
    return low, high - low


def _two_values(y: FloatArray) -> tuple[float, float]:
    """Return the two values of a binary outcome, 0 and 1 unless labels (m,) are others."""
    if np.isin(y, (0.0, 1.0)).all() or float(np.ptp(y)) == 0.0:
        return 0.0, 1.0
    return float(y.min()), float(y.max())


def _range(cal: Calibration, grid: tuple[float, float] | None) -> tuple[float, float]:
    """Return the lowest and highest possible outcome, infinite where there is none."""
    if cal.kind.kind == "binary":
        return _two_values(cal.aligned.y)
    if cal.scale is not None:
        low, high = cal.scale
        return (low, high) if grid is None else (math.ceil(low), math.floor(high))
    return (0.0 if cal.kind.kind == "zero-inflated" else -math.inf), math.inf


def _number_columns(
    cal: Calibration, predicted: FloatArray, bound: FloatArray, better: str
) -> tuple[dict[str, Any], FloatArray | None]:
    """Return score, interval and rank of every item, and the number of values in the interval."""
    rows, y = cal.aligned.design.rows, cal.aligned.y
    grid = _grid(cal)
    limits = _range(cal, grid)
    score = predicted.copy()
    lower, upper = interval_ends(score, bound, limits)
    if grid is not None:
        lower, upper = grid_ends(lower, upper, score, grid)
    for column in (score, lower, upper):
        column[rows] = y
    size = None if grid is None else grid_size(lower, upper, grid)
    return {
        "score": score,
        "lower": lower,
        "upper": upper,
        "rank": _ranks(score if better == "lower" else -score),
    }, size


def _ranks(values: FloatArray) -> IntArray:
    """Return ranks (N,), 1 for the smallest; equal values share the better one."""
    return np.searchsorted(np.sort(values), values, side="left") + 1


def _class_columns(
    cal: Calibration, predicted: FloatArray, bound: FloatArray, levels: tuple[str, ...]
) -> tuple[dict[str, Any], FloatArray]:
    """Return the class, the probabilities and the set of every item, and the size of the set."""
    rows, codes = cal.aligned.design.rows, cal.aligned.y.astype(np.int64)
    probability = predicted.copy()
    probability[rows] = np.eye(len(levels))[codes]
    inside = class_sets(probability, bound)
    names = {row.tobytes(): _names(row, levels) for row in np.unique(inside, axis=0)}
    size = inside.sum(axis=1)
    columns: dict[str, Any] = {"class": [levels[k] for k in probability.argmax(axis=1)]}
    for k, name in enumerate(levels):
        columns[f"probability_{name}"] = probability[:, k]
    columns["set"] = [names[row.tobytes()] for row in inside]
    columns["set_size"] = size
    return columns, size.astype(np.float64)


def _names(inside: BoolArray, levels: tuple[str, ...]) -> str:
    """Return the classes of a set in words."""
    return BETWEEN_CLASSES.join(levels[k] for k in np.flatnonzero(inside))


def _frame(cal: Calibration, columns: dict[str, Any], flags: Flags | None) -> Any:
    """Return a row for each item, in the library the pool came from."""
    import polars as pl

    rows, y = cal.aligned.design.rows, cal.aligned.y
    labelled = np.zeros(cal.pool.n_items, dtype=bool)
    labelled[rows] = True
    made = {"item_id": pl.Series(cal.pool.ids.tolist()), **columns, "labelled": labelled}
    if cal.levels is None:
        label = np.full(cal.pool.n_items, math.nan)
        label[rows] = y
        made["label"] = pl.Series(label, nan_to_null=True)
    else:
        words: list[str | None] = [None] * cal.pool.n_items
        for row, code in zip(rows, y.astype(np.int64), strict=True):
            words[row] = cal.levels[code]
        made["label"] = pl.Series(words, dtype=pl.String)
    if flags is not None:
        made["flagged"] = flags.flagged
        made["p_value"] = pl.Series(flags.p_value, nan_to_null=True)
    return to_backend(pl.DataFrame(made), cal.pool.backend)


def _told(
    cal: Calibration,
    basis: Basis,
    group: tuple[IntArray, tuple[str, ...]] | None,
    bound: FloatArray,
    flags: Flags | None,
    *,
    level: float,
) -> tuple[Notice, ...]:
    """Return what a reader of the items must know."""
    found = [
        Notice(
            "items_surrogates",
            "Scores of items without a label are surrogates: predictions of what people would "
            "say, which vary less than labels do, so that labelled items stand at both ends of "
            "the ranking more often.",
        )
    ]
    if basis.method == "out-of-fold":
        both = " and the rate of false flags are" if flags is not None else " is"
        text = (
            f"The level of {level * 100:g} %{both} approximate: labels are held against models "
            "fitted without them, and other items take the mixture of these models. "
            '--method split (method="split" in Python) has half of the labels train and half '
            "calibrate, and is exact under simple and independent draws."
        )
        found.append(Notice("items_out_of_fold", text))
    if cal.aligned.design.kind in ("stratified", "fixed"):
        text = (
            "Draws by strata or of a fixed size with unequal chances are taken as independent "
            "ones: the level holds approximately over all items without a label."
        )
        found.append(Notice("items_draws", text))
    if cal.better is None and cal.levels is None:
        text = (
            'Rank 1 is the highest score; say --better lower (better="lower" in Python) if low is '
            "good."
        )
        found.append(Notice("better_assumed", text))
    found += basis.notices
    unknown = np.isinf(bound)
    if unknown.any():
        found.append(_unknown_notice(cal, group, unknown, level))
    return (*found, *(() if flags is None else flags.notices))


def _unknown_notice(
    cal: Calibration,
    group: tuple[IntArray, tuple[str, ...]] | None,
    unknown: BoolArray,
    level: float,
) -> Notice:
    """Tell for how many items the labels are too few to bound the error."""
    where = ""
    if group is not None:
        codes, names = group
        hit = [names[code] for code in np.unique(codes[unknown])]
        where = f" (in {listed(hit, MOST_NAMED)})"
    if cal.levels is not None:
        what = "all classes are in their sets"
    elif all(map(math.isfinite, _range(cal, _grid(cal)))):
        what = "their intervals are the whole scale"
    else:
        what = "their intervals have no end; state the scale (scale=, --scale) if there is one"
    text = (
        f"For {int(unknown.sum()):,} items{where} the labels are too few for {level * 100:g} %: "
        f"{what}. {math.ceil(level / (1.0 - level) - 1e-9):,} labels of equal weight are the least."
    )
    return Notice("items_too_few_labels", text)
