"""Groups as a person reads them, and as they stand in the JSON result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bacon.calibration.figures import interval_record, intervals, number
from bacon.calibration.text import aligned, decimals, ends_text
from bacon.estimation.intervals import t_quantile
from bacon.estimation.ranking import rank_words

if TYPE_CHECKING:
    from bacon.calibration.calibration import Calibration
    from bacon.estimation.comparisons import Comparison
    from bacon.estimation.ranking import Ranking

__all__ = ["group_lines", "group_result", "labels_to_tell", "ranking_record", "ranking_text"]

MOST_NAMED = 6
"""Groups named in a sentence; the table has all of them."""


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
                name,
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


def _listed(names: list[str]) -> str:
    """Return names as words: a, b and c."""
    shown = names[:MOST_NAMED]
    if len(names) > MOST_NAMED:
        return ", ".join(shown) + f" and {len(names) - MOST_NAMED} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _who_is_ahead(ranking: Ranking) -> list[str]:
    """Say which group is best, or among which the best one is."""
    percent, best = f"{ranking.level * 100:g} %", list(ranking.best)
    top = ranking.order[0]
    if ranking.rank_set[top] == (1, 1):
        return [f"{top} is ahead of every other."]
    if len(best) == 1:
        return [f"With {percent}, {top} is the best."]
    if len(best) == len(ranking.order):
        return ["These labels rule none of them out as the best."]
    return [f"With {percent}, the best is one of {_listed(best)}."]


def _close_call(ranking: Ranking, digits: int) -> list[str]:
    """Say what it would take to tell the first two neighbours apart that cannot be."""
    of_pair = {(one.first, one.second): one for one in ranking.comparisons}
    level = 1.0 - (1.0 - ranking.level) / ranking.comparisons.n_claims
    for a, b in zip(ranking.order, ranking.order[1:], strict=False):
        one = of_pair.get((a, b)) or of_pair[b, a]
        low, high = one.contrast.interval(level, ranking.target)
        if not low <= 0.0 <= high:
            continue
        text = f"{a} and {b} cannot be told apart"
        gap = abs(one.contrast.value)
        needed = labels_to_tell(ranking, one, level)
        if not math.isfinite(needed) or not gap > 0.0:
            return [f"{text}."]
        reach = one.detectable(level, ranking.target)
        most = sum(estimate.n_items for estimate in ranking.estimates.values())
        if needed > 0.9 * most and ranking.target == "pool":
            took = "nearly every item would have to be labelled"
        else:
            took = f"it would take about {_rounded(needed)} labels"
        return [
            f"{text}: these labels find a difference of {reach:.{digits}f} with a chance of 80 %; "
            f"for one of {gap:.{digits}f}, as estimated, {took}."
        ]
    return []


def labels_to_tell(ranking: Ranking, one: Comparison, level: float) -> float:
    """Return how many labels in all would find the estimated difference with a chance of 80 %.

    At the design at hand: V = S^2 (1/n - 1/N) for the pool, so that the wanted variance
    (gap / (t_level + t_80))^2 needs n = 1 / (V_wanted / S^2 + 1/N); S^2 / n for the population.
    """
    reach = t_quantile(level, math.inf) + t_quantile(0.6, math.inf)
    wanted = (abs(one.contrast.value) / reach) ** 2
    n = sum(estimate.n_labels for estimate in ranking.estimates.values())
    n_items = sum(estimate.n_items for estimate in ranking.estimates.values())
    found = one.contrast.se(ranking.target) ** 2
    if not wanted > 0.0 or math.isnan(found):
        return math.nan
    if ranking.target == "population":
        return n * found / wanted
    if n >= n_items:
        return math.nan
    return 1.0 / (wanted / (found / (1.0 / n - 1.0 / n_items)) + 1.0 / n_items)


def _rounded(n: float) -> str:
    """Return a number of labels in two significant digits."""
    size = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return f"{math.ceil(n / size) * size:,}"


def ranking_record(ranking: Ranking) -> list[dict[str, Any]]:
    """Return `groups` of the JSON result, the best first; groups left out carry the reason."""
    level, target = ranking.level, ranking.target
    joint = ranking.estimates.simultaneous(level, target)
    found = []
    for name in ranking.order:
        estimate = ranking.estimates[name]
        found.append(
            {
                "group": name,
                "estimate": number(estimate.value),
                "intervals": intervals(estimate, level),
                "ci_simultaneous": [number(end) for end in joint[name]],
                "n_items": estimate.n_items,
                "n_labels": estimate.n_labels,
                "rank": ranking.rank[name],
                "rank_ci": list(ranking.rank_set[name]),
                "could_be_best": name in ranking.best,
            }
        )
    return [*found, *_left_out(ranking)]


def group_result(record: dict[str, Any], ranking: Ranking) -> dict[str, Any]:
    """Return the JSON object of the pool with its groups and their pairs added."""
    told = [{"code": one.code, "message": one.message} for one in ranking.notices]
    return {
        **record,
        "better": ranking.better,
        "by": ranking.estimates.kind,
        "groups": ranking_record(ranking),
        "best": list(ranking.best),
        "comparisons": comparison_record(ranking),
        "warnings": [*record["warnings"], *told],
    }


def _left_out(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the groups without an estimate."""
    nothing = dict.fromkeys(("estimate", "intervals", "ci_simultaneous", "rank", "rank_ci"))
    return [
        {"group": name, **nothing, "could_be_best": None, "reason": why}
        for name, why in ranking.estimates.left_out.items()
    ]


def comparison_record(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the comparisons of all pairs."""
    level, target, pairs = ranking.level, ranking.target, ranking.comparisons
    own = 1.0 - (1.0 - level) / pairs.n_claims
    found = []
    for one in pairs:
        joint = pairs.simultaneous(one, level, target)
        p, adjusted = pairs.p_values(one, target)
        found.append(
            {
                "first": one.first,
                "second": one.second,
                "difference": number(one.contrast.value),
                **interval_record(one.contrast.interval(level, target), one.contrast.se(target)),
                "ci_simultaneous": [number(end) for end in joint],
                "p_value": number(p),
                "p_adjusted": number(adjusted),
                "detectable": number(one.detectable(own, target)),
            }
        )
    return found
