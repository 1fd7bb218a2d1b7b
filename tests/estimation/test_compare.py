"""Differences and ratios of two estimates."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats
from tests.estimation.cases import (
    DESIGNS,
    N_ITEMS,
    PROMPT,
    STRATA,
    chances,
    draw,
    estimate,
    labelled,
    outcomes,
)

import bacon
from bacon.errors import EstimationError, InputError
from bacon.estimation.rules import NO_ERROR

SECOND_F = 7.0 + np.linspace(0.0, 2.0, N_ITEMS)


def two(design: str, **options: object) -> tuple[bacon.Estimate, bacon.Estimate]:
    """Return the estimates of two outcomes of the same labelled items."""
    y, second, f = outcomes()
    s, how = draw(design)
    return (
        bacon.aee(labelled(y, s), f, **how, **options),
        bacon.aee(labelled(second, s), SECOND_F, **how, **options),
    )


def direct(design: str, y: np.ndarray, f: np.ndarray, **options: object) -> bacon.Estimate:
    s, how = draw(design)
    return bacon.aee(labelled(y, s), f, **how, **options)


@pytest.mark.parametrize("cluster", [None, PROMPT], ids=["items", "prompts"])
@pytest.mark.parametrize("design", DESIGNS)
def test_a_difference_is_the_estimate_of_the_differences(
    design: str, cluster: np.ndarray | None
) -> None:
    y, second, f = outcomes()
    found = bacon.contrast(*two(design, cluster=cluster), pools="same")
    expected = direct(design, y - second, f - SECOND_F, cluster=cluster)
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.df == expected.df
    for target in ("pool", "population"):
        assert found.se(target) == pytest.approx(expected.se(target), rel=1e-10)
        ends = tuple(expected.interval(0.9, target))
        assert tuple(found.interval(0.9, target)) == pytest.approx(ends, rel=1e-10)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_ratio_is_linearised_by_hand(design: str) -> None:
    y, second, f = outcomes()
    above, below = two(design)
    found = bacon.contrast(above, below, kind="ratio", pools="same")
    ratio = above.value / below.value
    assert found.value == ratio
    linear = direct(design, y - ratio * second, f - ratio * SECOND_F)
    assert linear.value == pytest.approx(0.0, abs=1e-12)
    for target in ("pool", "population"):
        assert found.se(target) == pytest.approx(linear.se(target) / below.value, rel=1e-10)


def test_the_order_only_turns_the_sign() -> None:
    a, b = two("stratified", cluster=PROMPT)
    there, back = bacon.contrast(a, b, pools="same"), bacon.contrast(b, a, pools="same")
    assert back.value == -there.value
    assert back.se("population") == pytest.approx(there.se("population"), rel=1e-12)


def test_outcomes_that_move_together_are_told_apart_more_sharply() -> None:
    y, _, f = outcomes()
    a, b = direct("simple", y, f), direct("simple", y + 0.1 * f, f)
    assert bacon.contrast(b, a, pools="same").se() < 0.2 * sqrt(a.se() ** 2 + b.se() ** 2)


def test_disjoint_pools_are_independent() -> None:
    a, b = estimate("simple", seed=0), estimate("stratified", seed=1)
    found = bacon.contrast(a, b, pools="disjoint")
    va, vb = a.se() ** 2, b.se() ** 2
    assert found.value == a.value - b.value
    assert found.se() == pytest.approx(sqrt(va + vb))
    population = a.se("population") ** 2 + b.se("population") ** 2
    assert found.se("population") == pytest.approx(sqrt(population))
    # Welch: (Va + Vb)^2 / (Va^2 / df_a + Vb^2 / df_b).
    assert found.df == pytest.approx((va + vb) ** 2 / (va**2 / a.df + vb**2 / b.df))
    half = stats.t.ppf(0.975, found.df) * sqrt(va + vb)
    assert tuple(found.interval(method="t")) == pytest.approx(
        (found.value - half, found.value + half)
    )


def test_ratio_over_disjoint_pools() -> None:
    a, b = estimate("simple", seed=0), estimate("simple", seed=1)
    found = bacon.contrast(a, b, kind="ratio", pools="disjoint")
    expected = (a.se() / b.value) ** 2 + (a.value * b.se() / b.value**2) ** 2
    assert found.se() ** 2 == pytest.approx(expected)


def test_two_censuses_differ_without_error() -> None:
    y, second, f = outcomes()
    found = bacon.contrast(bacon.aee(y, f), bacon.aee(second, f), pools="same")
    value = y.mean() - second.mean()
    assert tuple(found.interval()) == pytest.approx((value, value))
    expected = np.std(y - second, ddof=1) / sqrt(N_ITEMS)
    assert found.se("population") == pytest.approx(expected)
    apart = bacon.contrast(bacon.aee(y, f), bacon.aee(second, f), pools="disjoint")
    assert apart.df == N_ITEMS - 1
    assert apart.se() == 0.0


def test_labels_without_spread_give_no_interval() -> None:
    y, _, f = outcomes()
    s, _ = draw("simple")
    flat = bacon.aee(labelled(np.full(N_ITEMS, 3.0), s), np.full(N_ITEMS, 0.1))
    usual = bacon.aee(labelled(y, s), f)
    for pools in ("same", "disjoint"):
        for pair in ((flat, usual), (usual, flat), (flat, flat)):
            interval = bacon.contrast(*pair, pools=pools).interval()
            assert isnan(interval.low)
            assert interval.reason == NO_ERROR
    assert str(bacon.contrast(flat, usual, pools="same")).endswith(
        "(no valid interval)  difference, same pool"
    )


def test_the_text_of_a_contrast() -> None:
    found = bacon.contrast(*two("simple"), pools="same")
    low, high = found.interval()
    assert str(found) == f"{found.value:.4g} ({low:.4g}, {high:.4g})  difference, same pool"
    assert repr(found) == str(found)


def test_a_denominator_that_could_be_zero_is_told() -> None:
    y, _, f = outcomes()
    below = direct("simple", y - y.mean(), f - f.mean())
    found = bacon.contrast(direct("simple", y, f), below, kind="ratio", pools="same")
    assert [notice.code for notice in found.notices] == ["denominator_near_zero"]
    assert bacon.contrast(*two("simple"), kind="ratio", pools="same").notices == ()


def test_a_denominator_of_zero_is_refused() -> None:
    y = np.array([1.0, -1.0, 2.0, -2.0])
    above, below = bacon.aee(y + 1, np.zeros(4)), bacon.aee(y, np.zeros(4))
    with pytest.raises(EstimationError, match=r"denominator of the ratio is estimated as 0"):
        bacon.contrast(above, below, kind="ratio", pools="same")


def known(est: bacon.Estimate, key: str, ids: list[int]) -> bacon.Estimate:
    """Return the estimate as a calibration would have made it, with item ids."""
    return replace(est, pool_key=key, ids=np.array(ids))


def test_ids_tell_which_pools_these_are() -> None:
    a, b = two("simple")
    ids, others = list(range(N_ITEMS)), list(range(100, 100 + N_ITEMS))
    same = bacon.contrast(known(a, "p", ids), known(b, "p", ids))
    apart = bacon.contrast(known(a, "p", ids), known(b, "q", others))
    assert (same.pools, apart.pools) == ("same", "disjoint")
    assert same.se() == bacon.contrast(a, b, pools="same").se()
    with pytest.raises(InputError, match=r"share 40 of 40 and 40 items, or hold them in another"):
        bacon.contrast(known(a, "p", ids), known(b, "p", ids[::-1]))
    with pytest.raises(InputError, match=r"share 1 of 40 and 40 items"):
        bacon.contrast(known(a, "p", ids), known(b, "q", [0, *others[1:]]))
    with pytest.raises(InputError, match=r'pools="disjoint" was said, but by their ids .* same'):
        bacon.contrast(known(a, "p", ids), known(b, "p", ids), pools="disjoint")
    with pytest.raises(InputError, match=r'pools="same" was said, but by their ids .* disjoint'):
        bacon.contrast(known(a, "p", ids), known(b, "q", others), pools="same")


def test_arguments_that_are_refused() -> None:
    a, b = two("simple")
    with pytest.raises(InputError, match=r"know no item ids; say pools="):
        bacon.contrast(a, b)
    with pytest.raises(InputError, match=r'pools must be "same" or "disjoint"; got \'equal\''):
        bacon.contrast(a, b, pools="equal")
    with pytest.raises(InputError, match=r'kind must be "difference" or "ratio"; got \'share\''):
        bacon.contrast(a, b, kind="share", pools="same")
    with pytest.raises(InputError, match=r'target must be "pool"'):
        bacon.contrast(a, b, pools="same").se("all")
    with pytest.raises(InputError, match=r"level must lie between 0 and 1"):
        bacon.contrast(a, b, pools="same").interval(95)


def test_estimates_that_do_not_belong_together_are_refused() -> None:
    y, _, f = outcomes()
    s, _ = draw("simple")
    a = bacon.aee(labelled(y, s), f)
    fewer = s.copy()
    fewer[np.flatnonzero(s)[0]] = False
    with pytest.raises(InputError, match=r"rest on different labelled items"):
        bacon.contrast(a, bacon.aee(labelled(y, fewer), f), pools="same")
    longer = bacon.aee(np.append(labelled(y, s), np.nan), np.append(f, 1.0))
    with pytest.raises(InputError, match=r"rest on different labelled items"):
        bacon.contrast(a, longer, pools="same")
    others = (
        {"design": "stratified", "strata": STRATA},
        {"design": "fixed", "pi": np.full(N_ITEMS, 14 / N_ITEMS)},
        {"design": "poisson", "pi": chances()},
        {"cluster": PROMPT},
    )
    for other in others:
        with pytest.raises(InputError, match=r"drawn in different ways, or share items"):
            bacon.contrast(a, bacon.aee(labelled(y, s), f, **other), pools="same")
    with pytest.raises(InputError, match=r"drawn in different ways, or share items"):
        bacon.contrast(
            bacon.aee(labelled(y, s), f, cluster=PROMPT),
            bacon.aee(labelled(y, s), f, cluster=np.arange(N_ITEMS) % 7),
            pools="same",
        )
