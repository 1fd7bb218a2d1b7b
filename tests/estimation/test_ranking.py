"""Rank sets, the set of the best, comparisons in one family."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bacon.errors import InputError, TooFewLabelsError
from bacon.estimation.comparisons import compare_estimates, pairs_of
from bacon.estimation.designs import simple_design
from bacon.estimation.domains import Domain
from bacon.estimation.estimands import Setting, mean_estimate
from bacon.estimation.ranking import rank_estimates
from bacon.estimation.vector import Estimates

if TYPE_CHECKING:
    import bacon


def group(name: str, values: list[float], n_items: int = 1000) -> bacon.Estimate:
    """Return a group's mean with the labels alone."""
    design = simple_design(np.arange(len(values)), n_items)
    found = mean_estimate(np.array(values), np.zeros(n_items), Setting(design))
    return replace(found, domain=Domain("pool", "draw", "system", name))


def estimates(**labels: list[float]) -> Estimates:
    members = {name: group(name, values) for name, values in labels.items()}
    return Estimates("system", members, len(members))


def around(mean: float, n: int = 30, spread: float = 1.0) -> list[float]:
    """Return labels with this mean, evenly spread."""
    return (mean + spread * np.linspace(-1.0, 1.0, n)).tolist()


def test_three_groups_by_hand() -> None:
    """low lies far below the others, which cannot be told apart."""
    ranking = rank_estimates(
        estimates(low=around(0.0), mid=around(5.0), top=around(5.1)), better="higher", level=0.95
    )
    assert ranking.order == ("top", "mid", "low")
    assert ranking.rank == {"low": 3, "mid": 2, "top": 1}
    assert ranking.rank_set == {"low": (3, 3), "mid": (1, 2), "top": (1, 2)}
    assert ranking.best == ("top", "mid")


def test_lower_may_be_better() -> None:
    found = estimates(low=around(0.0), mid=around(5.0), top=around(5.1))
    ranking = rank_estimates(found, better="lower", level=0.95)
    assert ranking.order == ("low", "mid", "top")
    assert ranking.rank_set == {"low": (1, 1), "mid": (2, 3), "top": (2, 3)}
    assert ranking.best == ("low",)


def test_rank_sets_follow_the_simultaneous_differences() -> None:
    found = estimates(a=around(0.0), b=around(0.6), c=around(1.0), d=around(1.3))
    ranking = rank_estimates(found, better="higher", level=0.9)
    pairs = compare_estimates({"": found})
    assert pairs.n_claims == 6
    behind = dict.fromkeys(found, 0)
    ahead = dict.fromkeys(found, 0)
    for one in pairs:
        low, high = one.contrast.interval(1.0 - 0.1 / 6)
        if low > 0.0 or high < 0.0:
            better, worse = (one.first, one.second) if low > 0.0 else (one.second, one.first)
            ahead[better] += 1
            behind[worse] += 1
    assert 0 < sum(ahead.values()) < 6
    for name in found:
        assert ranking.rank_set[name] == (1 + behind[name], 4 - ahead[name])


def test_p_values_agree_with_the_intervals() -> None:
    found = estimates(a=[0.0, 0.1, 0.4, 0.2, 3.0, 0.3], b=around(2.0, 9))
    one = compare_estimates({"": found})[0]
    p = one.contrast.p_value()
    inside, outside = (one.contrast.interval(1.0 - p * scale) for scale in (0.999, 1.001))
    assert inside.low <= 0.0 <= inside.high
    assert not outside.low <= 0.0 <= outside.high


def test_moderated_p_values_are_students() -> None:
    found = estimates(a=around(0.0), b=around(0.5))
    one = compare_estimates({"": found})[0].contrast
    moved = replace(one, variances=replace(one.variances, is_moderated=True))
    p = moved.p_value()
    assert moved.interval(1.0 - p).high == pytest.approx(0.0, abs=1e-9)


def test_equal_estimates_share_a_rank_and_are_told() -> None:
    ranking = rank_estimates(
        estimates(a=around(1.0), b=around(1.0), c=around(0.0)), better="higher", level=0.95
    )
    assert ranking.rank == {"a": 1, "b": 1, "c": 3}
    assert [one.code for one in ranking.notices] == ["ranks_tied"]


def test_a_group_without_spread_is_ahead_of_nobody() -> None:
    ranking = rank_estimates(
        estimates(a=[5.0] * 6, b=around(0.0), c=around(-9.0)), better="higher", level=0.95
    )
    assert ranking.rank_set["a"] == (1, 3)
    assert ranking.rank_set["b"] == (1, 2)


def test_a_baseline_makes_the_family_smaller() -> None:
    found = estimates(a=around(0.0), b=around(0.5), c=around(1.0))
    pairs = compare_estimates({"x": found, "y": found}, baseline="b")
    assert [(one.outcome, one.first, one.second) for one in pairs] == [
        ("x", "a", "b"),
        ("x", "c", "b"),
        ("y", "a", "b"),
        ("y", "c", "b"),
    ]
    assert pairs.n_claims == 4
    frame = pairs.to_frame()
    assert frame["p_adjusted"].to_list() == [min(1.0, 4 * p) for p in frame["p_value"]]
    with pytest.raises(InputError, match="none of the groups: a, b, c"):
        pairs_of(["a", "b", "c"], "d")


def test_ratios_are_held_against_one() -> None:
    found = estimates(a=around(10.0, spread=0.1), b=around(5.0, spread=0.1))
    one = compare_estimates({"": found}, kind="ratio")[0]
    assert one.null == 1.0
    assert one.contrast.value == pytest.approx(2.0)
    assert one.contrast.p_value() < 1e-6


def test_the_detectable_difference_is_found_in_four_of_five() -> None:
    found = estimates(a=around(0.0, 400), b=around(0.0, 400))
    one = compare_estimates({"": found})[0]
    se = one.contrast.se()
    assert one.detectable(0.95, "pool") == pytest.approx((1.96 + 0.842) * se, rel=0.01)


def test_chances_of_the_best_are_draws_with_a_seed() -> None:
    ranking = rank_estimates(
        estimates(a=around(0.0), b=around(0.0), c=around(9.0)), better="lower", level=0.95
    )
    found = ranking.probability_of_best(draws=4_000, seed=1)
    assert found == ranking.probability_of_best(draws=4_000, seed=1)
    assert found["c"] == 0.0
    assert found["a"] == pytest.approx(0.5, abs=0.04)
    assert math.fsum(found.values()) == pytest.approx(1.0)


@settings(max_examples=50)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6, unique=True), st.booleans())
def test_every_rank_set_holds_the_rank_of_the_estimate(means: list[float], is_high: bool) -> None:
    found = estimates(**{f"g{k}": around(mean, 12) for k, mean in enumerate(means)})
    ranking = rank_estimates(found, better="higher" if is_high else "lower", level=0.95)
    for name, (low, high) in ranking.rank_set.items():
        assert 1 <= low <= ranking.rank[name] <= high <= len(means)
    assert ranking.order[0] in ranking.best


def test_one_group_makes_no_ranking() -> None:
    with pytest.raises(TooFewLabelsError, match="fewer than two groups of system"):
        rank_estimates(estimates(a=around(0.0)), better="higher", level=0.95)
