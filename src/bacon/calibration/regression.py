"""Regression of the human outcome on columns of the pool."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bacon.calibration.estimating import need_numbers
from bacon.calibration.practice import not_counted
from bacon.data.notice import Notice
from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.regression import family_called, regression_estimates
from bacon.io.frames import to_backend
from bacon.sampling.columns import categories, is_known, numbers
from bacon.words import listed

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.calibration.calibration import Calibration
    from bacon.data.pool import Judge, Pool
    from bacon.estimation.vector import Estimates

__all__ = ["INTERCEPT", "regress"]

INTERCEPT = "intercept"
"""Name of the intercept among the coefficients."""

ROLE = "the regression"

MOST_SHOWN = 5
"""Rows and levels shown in a message."""

LEAST_LABELS = 2
"""Labels that each level of a column of categories needs."""


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns of a regression.

    Parameters
    ----------
    names : list of str
        Names of the p columns.
    parts : list of (N,) float64
        Their values.
    notices : list of Notice
        Baselines that were chosen.
    """

    names: list[str]
    parts: list[FloatArray]
    notices: list[Notice]


def regress(
    cal: Calibration,
    columns: str | Sequence[str],
    *,
    family: str = "linear",
    intercept: bool = True,
    baseline: Mapping[str, str] | None = None,
    adjust: bool = True,
    labels_alone: bool = False,
) -> Estimates:
    """Estimate regression coefficients; see :meth:`Calibration.regression`."""
    family_called(family)
    need_numbers(cal, f"{family} regression")
    if not isinstance(columns, str | Sequence) or not isinstance(baseline, Mapping | None):
        raise InputError(
            "columns are a name or several, and baseline a mapping of columns to values; got "
            f"{columns!r} and {baseline!r}."
        )
    if not isinstance(intercept, bool):
        raise InputError(f"intercept must be True or False; got {intercept!r}.")
    asked = [columns] if isinstance(columns, str) else list(columns)
    baselines = dict(baseline or {})
    _check_asked(asked, baselines, intercept=intercept)
    made = Columns([], [], [])
    if intercept:
        made.names.append(INTERCEPT)
        made.parts.append(np.ones(cal.pool.n_items))
    for name in asked:
        if _is_category(cal.pool, name, baselines):
            _add_category(cal, made, name, baselines.get(name))
        else:
            _add_number(cal, made, name)
    found = regression_estimates(
        made.names,
        np.column_stack(made.parts),
        cal.aligned.y,
        None if labels_alone else cal.f,
        cal.setting,
        family=family,
        adjust=adjust,
    )
    return replace(
        found,
        notices=(*made.notices, *found.notices, *not_counted(cal, "a regression")),
        frame_of=partial(to_backend, backend=cal.pool.backend),
    )


def _check_asked(asked: list[str], baselines: dict[str, str], *, intercept: bool) -> None:
    """Refuse no column at all, a column named twice and a baseline of no column."""
    if not asked and not intercept:
        raise InputError("a regression needs a column, or an intercept; none was named.")
    for name in asked:
        if not isinstance(name, str):
            raise InputError(f"columns are named in words, such as 'length'; got {name!r}.")
        if asked.count(name) > 1:
            raise InputError(f"column {name} is named {asked.count(name)} times; name it once.")
    for name in baselines:
        if name not in asked:
            raise InputError(
                f"baseline names column {name!r}, which is not in the regression; its columns are "
                f"{', '.join(asked)}."
            )


def _is_category(pool: Pool, name: str, baselines: dict[str, str]) -> bool:
    """Whether a column enters as indicators of its values.

    The pool's groups do, columns with a stated baseline, text judges, and text that is not all
    numbers (cells of a CSV file are text as well).
    """
    import polars as pl

    judge = _text_judge(pool, name)
    if judge is not None or name in baselines:
        return True
    if pool.group is not None and name == pool.group.name:
        return True
    if name not in pool.table.columns:
        return False
    column = pool.table[name]
    if column.dtype.is_numeric() or column.dtype == pl.Boolean or column.dtype.is_nested():
        return False
    text = column.cast(pl.String)
    present = text.filter(text.is_not_null() & (text != ""))
    return bool(present.cast(pl.Float64, strict=False).is_null().any()) or len(present) == 0


def _text_judge(pool: Pool, name: str) -> Judge | None:
    """Return the judge of that name, if it answers in words."""
    return next((one for one in pool.judges if one.name == name and one.is_text), None)


def _add_number(cal: Calibration, made: Columns, name: str) -> None:
    """Add a column of numbers: of the table, a judge's mean over runs, or a feature."""
    pool = cal.pool
    if not is_known(pool, name) and name in pool.feature_names:
        values = np.asarray(pool.features[:, pool.feature_names.index(name)])
    else:
        values = numbers(pool, name, role=ROLE)
    _refuse_missing(cal, name, np.isnan(values))
    made.names.append(name)
    made.parts.append(values)


def _add_category(cal: Calibration, made: Columns, name: str, baseline: str | None) -> None:
    """Add an indicator for each level of a column but the baseline."""
    codes, levels = _coded(cal, name)
    if baseline is not None and str(baseline) not in levels:
        close = difflib.get_close_matches(str(baseline), levels, n=1)
        mend = f"did you mean {close[0]}?" if close else f"it has {listed(levels, MOST_SHOWN)}."
        raise InputError(
            f"{cal.pool.source}, column {name}: the baseline {baseline!r} is none of its values; "
            f"{mend}"
        )
    counts = np.bincount(codes[cal.aligned.design.rows], minlength=len(levels))
    sizes = np.bincount(codes, minlength=len(levels))
    few = [
        f"{level} ({count})"
        for level, count, size in zip(levels, counts, sizes, strict=True)
        if count < min(LEAST_LABELS, size)
    ]
    if few:
        raise TooFewLabelsError(
            f"{cal.pool.source}, column {name}: {len(few)} of its {len(levels)} values have fewer "
            f"than {LEAST_LABELS} labels, so their coefficients would rest on predictions alone: "
            f"{listed(few, MOST_SHOWN)}. Label some of their items, or join them with others."
        )
    base = levels[0] if baseline is None else str(baseline)
    if baseline is None:
        text = (
            f"{name}: its values are compared with {base}; in Python "
            f"baseline={{{name!r}: VALUE}} names another."
        )
        made.notices.append(Notice("baseline_chosen", text))
    for k, level in enumerate(levels):
        if level != base:
            made.names.append(f"{name}={level}")
            made.parts.append((codes == k).astype(np.float64))


def _coded(cal: Calibration, name: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the codes (N,) and levels of a column of categories, refusing missing values."""
    import polars as pl

    judge = _text_judge(cal.pool, name)
    if judge is not None and judge.levels is not None:
        if judge.scores.shape[1] > 1:
            raise InputError(
                f"judge {name} answers in words in {judge.scores.shape[1]} runs, which have no one "
                f"answer; name one run, such as {judge.runs[0]}."
            )
        answers = judge.scores[:, 0]
        _refuse_missing(cal, name, np.isnan(answers))
        return answers.astype(np.int64), judge.levels
    if name in cal.pool.table.columns:
        column = cal.pool.table[name]
        missing = column.is_null()
        if column.dtype == pl.String:
            missing |= (column == "").fill_null(value=True)
        _refuse_missing(cal, name, missing.to_numpy())
    return categories(cal.pool, name, role=ROLE)


def _refuse_missing(cal: Calibration, name: str, missing: BoolArray) -> None:
    """Refuse missing values, saying how many, where, and how to mend it."""
    rows = np.flatnonzero(missing) + 1
    if not len(rows):
        return
    shown = listed((f"{row:,}" for row in rows), MOST_SHOWN)
    raise InputError(
        f"{cal.pool.source}, column {name}: {len(rows):,} of {cal.pool.n_items:,} items have no "
        f"value (rows {shown}), and a regression over all items needs one of each; fill them "
        "in, make them a value of their own, or leave those items out of the pool."
    )
