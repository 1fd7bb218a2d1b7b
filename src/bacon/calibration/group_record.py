"""Groups as they stand in the JSON result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bacon.calibration.figures import interval_record, intervals, number
from bacon.estimation.intervals import family_level

if TYPE_CHECKING:
    from bacon.estimation.ranking import Ranking

__all__ = ["group_result"]


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
    fields = ("estimate", "intervals", "ci_simultaneous", "n_items", "n_labels", "rank", "rank_ci")
    nothing = dict.fromkeys((*fields, "could_be_best"))
    return [
        {"group": name, **nothing, "reason": why}
        for name, why in ranking.estimates.left_out.items()
    ]


def comparison_record(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the comparisons of all pairs."""
    level, target, pairs = ranking.level, ranking.target, ranking.comparisons
    own = family_level(level, pairs.n_claims)
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
