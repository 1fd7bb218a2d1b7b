"""Strata: the rule that gives every item its stratum, and the codes it gives."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import FloatArray, IntArray, read_only
from bacon.checks import first_row
from bacon.data.sample import StrataRule
from bacon.errors import DesignError, InputError
from bacon.sampling.columns import categories, is_known, numbers, refuse_missing, value_name

if TYPE_CHECKING:
    from bacon.data.pool import Pool

__all__ = ["quantile_count", "strata_codes", "strata_rule"]

ROLE = "the strata"


def strata_rule(pool: Pool, strata: str) -> StrataRule:
    """Return the rule that divides `pool` into strata.

    Parameters
    ----------
    pool : Pool
        The pool.
    strata : str
        ``"col"``: every value of the column is a stratum. ``"col:k"``: at most k strata of
        about equal size by quantiles of a numeric column, of a judge, or of ``judge_mean``
        (the average of the standardised judges). Equal values share a stratum, so ties may
        leave fewer than k.

    Returns
    -------
    StrataRule
        Column, cut points, names and sizes.

    Raises
    ------
    InputError
        No such column, a missing value, no number of strata, or text where numbers are
        needed.
    """
    column, k = _split(pool, strata)
    if k is None:
        codes, names = categories(pool, column, role=ROLE)
        cuts = None
    else:
        values = _complete_numbers(pool, column)
        cuts = _quantile_cuts(values, k)
        codes = _interval_codes(values, cuts)
        names = _interval_names(column, cuts)
    sizes = np.bincount(codes, minlength=len(names)).astype(np.int64)
    return StrataRule(column=column, cuts=cuts, names=names, sizes=read_only(sizes))


def quantile_count(pool: Pool, strata: str) -> int | None:
    """Return the k of ``"col:k"``, None where `strata` is a column."""
    return _split(pool, strata)[1]


def strata_codes(pool: Pool, rule: StrataRule) -> IntArray:
    """Return the stratum of every item of `pool` by `rule`.

    Parameters
    ----------
    pool : Pool
        The pool the rule was made from, read again perhaps.
    rule : StrataRule
        The rule of the draw.

    Returns
    -------
    (N,) int64
        Position of each item's stratum in ``rule.names``, in the order of the pool's rows.

    Raises
    ------
    DesignError
        The strata have other sizes than when the rule was made, or a value has no stratum.
    InputError
        The column is gone or has missing values.
    """
    if rule.cuts is not None:
        codes = _interval_codes(_complete_numbers(pool, rule.column), rule.cuts)
    else:
        codes = _named_codes(pool, rule)
    sizes = np.bincount(codes, minlength=len(rule.names))
    changed = sizes != rule.sizes
    if changed.any():
        h = first_row(changed)
        raise DesignError(
            f"{pool.source}, column {rule.column}: stratum {rule.names[h]!r} has {sizes[h]:,} "
            f"items but had {rule.sizes[h]:,} when the sample was drawn; give the pool as it was "
            "then."
        )
    return codes


def _split(pool: Pool, strata: str) -> tuple[str, int | None]:
    """Take ``"col:k"`` apart; a column whose own name has a colon comes first."""
    if strata in pool.table.columns:
        return strata, None
    column, colon, count = strata.rpartition(":")
    if not colon:
        if is_known(pool, strata):
            raise InputError(
                f"strata {strata!r} are scores, so a number of strata is needed: give "
                f"'{strata}:5' for five strata by quantiles."
            )
        return strata, None
    if not (count.isascii() and count.isdigit() and int(count) >= 2):
        raise InputError(
            f"strata {strata!r}: after the colon stands the number of strata, 2 or more, such as "
            f"'{column}:5'."
        )
    return column, int(count)


def _complete_numbers(pool: Pool, column: str) -> FloatArray:
    values = numbers(pool, column, role=ROLE)
    refuse_missing(pool, column, np.isnan(values), role=ROLE)
    return values


def _quantile_cuts(values: FloatArray, k: int) -> tuple[float, ...]:
    """Return the upper ends of the first k - 1 of k equal shares of the sorted values."""
    ascending = np.sort(values)
    n = len(ascending)
    # ceil(n j / k) in whole numbers, so that no rounding moves a cut.
    ends = [(n * j + k - 1) // k for j in range(1, k)]
    cuts = np.unique(ascending[np.array(ends) - 1])
    return tuple(float(cut) for cut in cuts if cut < ascending[-1])


def _interval_codes(values: FloatArray, cuts: tuple[float, ...]) -> IntArray:
    return np.searchsorted(np.array(cuts), values, side="left").astype(np.int64)


def _interval_names(column: str, cuts: tuple[float, ...]) -> tuple[str, ...]:
    if not cuts:
        return (f"every {column}",)
    ends = [value_name(cut) for cut in cuts]
    middle = [f"{column} above {low} up to {high}" for low, high in itertools.pairwise(ends)]
    return (f"{column} up to {ends[0]}", *middle, f"{column} above {ends[-1]}")


def _named_codes(pool: Pool, rule: StrataRule) -> IntArray:
    codes, levels = categories(pool, rule.column, role=ROLE)
    known = {name: code for code, name in enumerate(rule.names)}
    of_level = np.array([known.get(level, -1) for level in levels], dtype=np.int64)
    result = of_level[codes]
    strange = result < 0
    if strange.any():
        row = first_row(strange)
        raise DesignError(
            f"{pool.source} row {row + 1}, column {rule.column}: {levels[codes[row]]!r} "
            "was no stratum when the sample was drawn; give the pool as it was then."
        )
    return result
