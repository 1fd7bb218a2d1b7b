"""Groups as a person reads them: a table, and what can be told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bacon.calibration.text import aligned, decimals, ends_text
from bacon.estimation.intervals import family_level
from bacon.estimation.ranking import labels_to_tell, rank_words
from bacon.words import escaped, listed

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.ranking import Ranking

__all__ = ["group_lines", "ranking_text"]

MOST_NAMED = 6
"""Groups named in a sentence; the table has all of them."""

NEARLY_ALL = 0.9
"""Share of the items beyond which a number of labels is no number to give."""


def ranking_text(cal: Calibration, ranking: Ranking) -> str:
    """Return what is assumed, the table of groups, what can be told apart, and notes."""
    assumed = [notice.message for notice in cal.notices if notice.code == "assumed_sample"]
    told = [notice for notice in cal.notices if notice.code != "assumed_sample"]
    notes = [f"Note: {one.message}" for one in told if one not in ranking.notices]
    return "\n".join([*assumed, *group_lines(ranking), *notes])


def group_lines(ranking: Ranking) -> list[str]:
    """Return the table of groups, what can be told apart, and notes about the groups."""
    level, target, estimates = ranking.level, ranking.target, ranking.estimates
    joint = estimates.simultaneous(level, target)
    digits = decimals(*(one.half_width for one in joint.values()))
    first = next(iter(estimates.values()))
    how_many = f"all {len(estimates)} together"
    head = ("rank", estimates.kind, first.name, f"{level * 100:g} % ({how_many})", "labels")
    cells: list[tuple[str, ...]] = [(*head, "ranks it could hold")]
    for name in ranking.order:
        estimate = estimates[name]
        cells.append(
            (
                str(ranking.rank[name]),
                escaped(name),
                f"{estimate.value:.{digits}f}",
                ends_text(joint[name], digits),
                f"{estimate.n_labels:,}",
                rank_words(ranking.rank_set[name]),
            )
        )
    lines = aligned(cells)
    lines += _who_is_ahead(ranking)
    lines += _close_call(ranking, digits)
    return [*lines, *(f"Note: {one.message}" for one in ranking.notices)]


def _who_is_ahead(ranking: Ranking) -> list[str]:
    """Say which group is best, or among which the best one is."""
    percent, best = f"{ranking.level * 100:g} %", list(ranking.best)
    top = escaped(ranking.order[0])
    if ranking.rank_set[ranking.order[0]] == (1, 1):
        return [f"{top} is ahead of every other."]
    if len(best) == 1:
        return [f"With {percent}, {top} is the best."]
    if len(best) == len(ranking.order):
        return ["These labels rule none of them out as the best."]
    return [f"With {percent}, the best is one of {listed(best, MOST_NAMED)}."]


def _close_call(ranking: Ranking, digits: int) -> list[str]:
    """Say what it would take to tell the first two neighbours apart that cannot be."""
    of_pair = {(one.first, one.second): one for one in ranking.comparisons}
    level = family_level(ranking.level, ranking.comparisons.n_claims)
    for a, b in zip(ranking.order, ranking.order[1:], strict=False):
        one = of_pair.get((a, b)) or of_pair[b, a]
        low, high = one.contrast.interval(level, ranking.target)
        if not low <= 0.0 <= high or ranking.best == (a,):
            continue
        text = f"{escaped(a)} and {escaped(b)} cannot be told apart"
        gap = abs(one.contrast.value)
        needed = labels_to_tell(ranking, one, level)
        if not math.isfinite(needed) or not gap > 0.0:
            return [f"{text}."]
        reach = one.detectable(level, ranking.target)
        most = sum(estimate.n_items for estimate in ranking.estimates.values())
        if needed > NEARLY_ALL * most and ranking.target == "pool":
            took = "nearly every item would have to be labelled"
        else:
            took = f"it would take about {_rounded(needed)} labels"
        return [
            f"{text}: these labels find a difference of {reach:.{digits}f} with a chance of 80 %; "
            f"for one of {gap:.{digits}f}, as estimated, {took}."
        ]
    return []


def _rounded(n: float) -> str:
    """Return a number of labels in two significant digits."""
    size = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return f"{math.ceil(n / size) * size:,}"
