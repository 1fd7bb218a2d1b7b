"""What errors may go with: the length of the item, its group, features, a judge's doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bacon.arrays import freeze
from bacon.features.columns import text_lengths
from bacon.judge_scores import mean_of_present, spread_of_present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.data.pool import Judge, Pool

__all__ = ["LEAST", "Driver", "item_drivers", "judge_drivers", "untested"]

DOUBT = {"entropy": "entropy", "logppl": "log-perplexity", "logprob": "log-probability"}
"""Kinds of uncertainty that say how sure a judge was, in words."""

LEAST = 20
"""Labels from which an error is held against a driver."""

MOST_GROUPS = 50
"""Groups up to which differences between them are tested."""


@dataclass(frozen=True, eq=False)
class Driver:
    """Something that errors may go with, on the labelled items.

    Parameters
    ----------
    name : str
        Column it comes from.
    kind : str
        length, group, feature, uncertainty or runs.
    words : str
        What it is, in a sentence.
    values : (m,) float64
        Its value at each labelled item, NaN where missing; codes of `groups` for a group.
    unit : str
        Unit of a number, empty where nobody knows it.
    groups : tuple of str
        Names of the groups, empty for a number.
    """

    name: str
    kind: str
    words: str
    values: FloatArray
    unit: str = ""
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Make the values read-only."""
        freeze(self, "values")


def item_drivers(pool: Pool, rows: IntArray) -> tuple[Driver, ...]:
    """Return what any judge's error may go with: length, group and user features.

    Parameters
    ----------
    pool : Pool
        The items.
    rows : (m,) int64
        Labelled rows.
    """
    found = []
    if pool.text is not None:
        length = text_lengths(pool, pool.text)[rows]
        words = f"the length of {pool.text}"
        found.append(Driver(pool.text, "length", words, length, "characters"))
    if pool.group is not None and len(pool.group.levels) <= MOST_GROUPS:
        codes = pool.group.codes[rows].astype(np.float64)
        name = pool.group.name
        found.append(Driver(name, "group", name, codes, groups=pool.group.levels))
    found += [
        Driver(name, "feature", name, pool.features[rows, k])
        for k, name in enumerate(pool.feature_names)
    ]
    return tuple(found)


def untested(pool: Pool, drivers: Sequence[Driver]) -> tuple[str, ...]:
    """Say which drivers cannot be tested, and why."""
    told = []
    if pool.group is not None and len(pool.group.levels) > MOST_GROUPS:
        told.append(f"{pool.group.name} has {len(pool.group.levels)} values, over {MOST_GROUPS}")
    for driver in drivers:
        known = driver.values[~np.isnan(driver.values)]
        if len(known) < LEAST:
            told.append(f"{driver.words}: {len(known)} labelled items have it, {LEAST} are needed")
        elif np.ptp(known) == 0.0:
            told.append(f"{driver.words} is the same for all labelled items")
    return tuple(told)


def judge_drivers(judge: Judge, rows: IntArray) -> tuple[Driver, ...]:
    """Return what a judge itself tells of its doubt: uncertainty columns, spread of its runs."""
    found = [
        Driver(
            f"{judge.name}__{one.kind}",
            "uncertainty",
            f"its {DOUBT[one.kind]}",
            mean_of_present(one.values[rows]),
        )
        for one in judge.uncertainty
        if one.kind in DOUBT
    ]
    if judge.levels is None and len(judge.runs) > 1:
        spread = spread_of_present(judge.scores[rows])
        found.append(Driver(f"runs of {judge.name}", "runs", "the spread of its runs", spread))
    return tuple(found)
