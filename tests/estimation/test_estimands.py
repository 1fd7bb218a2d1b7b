"""Variance, spread and the user's own moment beside the estimands they must agree with."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from tests.estimation.cases import (
    DESIGNS,
    N_ITEMS,
    NAN,
    PROMPT,
    draw,
    estimate,
    labelled,
    numbers,
    outcomes,
)

import bacon
from bacon.errors import EstimationError, TooFewLabelsError
from bacon.estimation.estimands import Setting, variance_estimate
from bacon.estimation.moments import moment_estimate
from bacon.estimation.sandwich import cluster_term, unit_variance


def moment(design: str, function, predicted, start: float, seed: int = 0) -> bacon.Estimate:
    """Return the estimate of a moment of the first outcome."""
    y = outcomes(seed)[0]
    s, _ = draw(design, seed)
    setting = Setting(estimate(design, seed=seed).design, PROMPT)
    return moment_estimate(function, predicted, y[s], start, setting)


@pytest.mark.parametrize("start", [-5.0, 0.0, 3.0, 400.0])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_root_of_y_minus_theta_is_the_mean(design: str, start: float) -> None:
    f = outcomes()[2]
    found = moment(design, lambda y, t: y - t, lambda t: f - t, start)
    expected = estimate(design, cluster=PROMPT)
    assert numbers(found) == pytest.approx(numbers(expected), rel=1e-6)


def test_a_moment_with_a_slope_of_its_own() -> None:
    # 3 (y - theta) has the same root, and the same error once divided by its slope.
    f = outcomes()[2]
    plain = moment("poisson", lambda y, t: y - t, lambda t: f - t, 2.0)
    thrice = moment("poisson", lambda y, t: -3 * (y - t), lambda t: -3 * (f - t), 2.0)
    assert numbers(thrice) == pytest.approx(numbers(plain), rel=1e-6)


def test_log_mean_exp_by_the_delta_method() -> None:
    y, _, f = outcomes()
    s, _ = draw("simple")
    found = moment(
        "simple", lambda v, t: np.exp(v / 5 - t) - 1, lambda t: np.exp(f / 5 - t) - 1, 0.5
    )
    direct = bacon.aee(labelled(np.exp(y / 5), s), np.exp(f / 5))
    assert found.value == pytest.approx(np.log(direct.value))
    assert found.se() == pytest.approx(direct.se() / direct.value, rel=1e-5)
    assert found.se("population") > found.se()


def test_moments_without_an_answer_are_refused() -> None:
    f = outcomes()[2]
    with pytest.raises(EstimationError, match=r"no root of the moment was found from start 2"):
        moment("simple", lambda y, _: np.ones_like(y), lambda _: np.ones(N_ITEMS), 2.0)
    with pytest.raises(EstimationError, match=r"no root of the moment was found"):
        moment("simple", lambda y, t: y**2 + t**2 + 1, lambda t: f**2 + t**2 + 1, 2.0)
    with pytest.raises(EstimationError, match=r"one value for each of the 14 labels; .* \(1,\)"):
        moment("simple", lambda y, _: y[:1], lambda t: f - t, 2.0)


def test_a_moment_that_is_flat_around_its_root_is_refused() -> None:
    def flat(theta: float, size: int) -> np.ndarray:
        return np.full(size, 0.0 if abs(theta - 2.0) < 0.5 else theta - 2.0)

    with pytest.raises(EstimationError, match=r"does not change around its root 2, so its error"):
        moment("simple", lambda y, t: flat(t, len(y)), lambda t: flat(t, N_ITEMS), 5.0)


def test_a_moment_that_no_label_moves_has_no_interval() -> None:
    flat = moment("simple", lambda y, t: 0 * y + 2 - t, lambda t: np.full(N_ITEMS, 2 - t), 0.0)
    assert flat.value == pytest.approx(2.0)
    assert np.isnan(flat.interval().low)


def test_predicted_spread_enters_the_variance() -> None:
    # The moment's prediction is spread + (f - mean f)^2: a constant spread cancels.
    y, _, f = outcomes()
    s, _ = draw("simple")
    setting = Setting(estimate("simple").design)
    none, constant = (
        variance_estimate(y[s], f, spread, setting)
        for spread in (np.zeros(1), np.full(N_ITEMS, 1.7))
    )
    assert numbers(constant) == pytest.approx(numbers(none), rel=1e-9)
    # A spread that is the truth's residual square leaves nothing to correct.
    exact = (y - y.mean()) ** 2 - (f - f.mean()) ** 2
    perfect = variance_estimate(y[s], f, exact, setting)
    assert perfect.se() < none.se()


@pytest.mark.parametrize("slope", [0.0, 1.0, -2.0])
def test_the_variance_is_exactly_unbiased_over_every_draw(slope: float) -> None:
    # Whatever was predicted: nothing, something good, something turned round and too wide.
    rng = np.random.default_rng(3)
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    y = rng.normal(size=8) + 2 * strata
    f = 5 + slope * (y + 0.5 * rng.normal(size=8))
    simple = [np.isin(np.arange(8), rows) for rows in combinations(range(8), 4)]
    within = [
        np.isin(np.arange(8), [*first, *second])
        for first, second in product(combinations(range(4), 2), combinations(range(4, 8), 3))
    ]
    paired = [np.isin(np.arange(8) // 2, drawn) for drawn in combinations(range(4), 2)]
    for draws, how in (
        (simple, {}),
        (within, {"design": "stratified", "strata": strata}),
        (paired, {"design": "clusters", "psu": np.arange(8) // 2}),
    ):
        values = [bacon.aee(labelled(y, s), f, estimand="variance", **how).value for s in draws]
        assert np.mean(values) == pytest.approx(y.var(ddof=1), rel=1e-10)


def test_a_variance_below_zero_is_told_and_has_no_root() -> None:
    # Predictions vary over the pool, labels do not, and labelled predictions vary more.
    f = np.r_[-3.0, 3.0, -3.0, 3.0, np.tile([-1.0, 1.0], 8)]
    y = np.r_[0.0, 0.1, 0.0, 0.1, np.full(16, NAN)]
    est = bacon.aee(y, f, estimand="variance")
    assert est.value < 0.0
    assert "negative_variance" in {notice.code for notice in est.notices}
    with pytest.raises(EstimationError, match=r"estimated variance is -.* has no value"):
        bacon.aee(y, f, estimand="sd")


def test_a_negative_population_part_is_told_and_set_to_zero() -> None:
    f = np.r_[-3.0, 3.0, -3.0, 3.0, np.tile([-1.0, 1.0], 8)]
    y = np.r_[0.0, 0.1, 0.0, 0.1, np.full(16, NAN)]
    est = bacon.aee(y, f)
    assert est.se("population") == est.se()
    assert "negative_population_part" in {notice.code for notice in est.notices}
    assert np.isnan(est.effective_labels())


def test_the_mean_is_exactly_unbiased_over_every_draw() -> None:
    # All draws of 3 of 7, any fixed prediction; V_pool and S^2 are unbiased as well.
    rng = np.random.default_rng(0)
    y, f = rng.normal(size=7), rng.normal(size=7) + 4
    draws = [labelled(y, np.isin(np.arange(7), rows)) for rows in combinations(range(7), 3)]
    found = [bacon.aee(own, f) for own in draws]
    values = np.array([est.value for est in found])
    assert values.mean() == pytest.approx(y.mean(), rel=1e-12)
    assert np.mean([est.se() ** 2 for est in found]) == pytest.approx(values.var(), rel=1e-10)
    units = [unit_variance(est.influence_values, est.design) for est in found]
    assert np.mean(units) == pytest.approx(y.var(ddof=1), rel=1e-10)


def test_stratified_draws_are_exactly_unbiased() -> None:
    rng = np.random.default_rng(1)
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    y, f = rng.normal(size=9) + 3 * strata, rng.normal(size=9)
    found = []
    for first, second in product(combinations(range(4), 2), combinations(range(4, 9), 3)):
        own = labelled(y, np.isin(np.arange(9), [*first, *second]))
        found.append(bacon.aee(own, f, design="stratified", strata=strata))
    values = np.array([est.value for est in found])
    assert values.mean() == pytest.approx(y.mean(), rel=1e-12)
    assert np.mean([est.se() ** 2 for est in found]) == pytest.approx(values.var(), rel=1e-10)
    units = [unit_variance(est.influence_values, est.design) for est in found]
    assert np.mean(units) == pytest.approx(y.var(ddof=1), rel=1e-10)


def test_draws_of_equal_clusters_are_exactly_unbiased() -> None:
    rng = np.random.default_rng(2)
    psu = np.repeat(np.arange(6), 2)
    y, f = rng.normal(size=6)[psu] + rng.normal(size=12), rng.normal(size=12)
    found = [
        bacon.aee(labelled(y, np.isin(psu, drawn)), f, design="clusters", psu=psu)
        for drawn in combinations(range(6), 3)
    ]
    values = np.array([est.value for est in found])
    assert values.mean() == pytest.approx(y.mean(), rel=1e-12)
    assert np.mean([est.se() ** 2 for est in found]) == pytest.approx(values.var(), rel=1e-10)
    units = [unit_variance(est.influence_values, est.design) for est in found]
    assert np.mean(units) == pytest.approx(y.var(ddof=1), rel=1e-10)
    # What shared items add for the population: C/(C-1) sum_c T_c^2 / N^2.
    totals = np.bincount(psu, weights=y - y.mean())
    terms = [cluster_term(est.influence_values, est.design, psu) for est in found]
    assert np.mean(terms) == pytest.approx(6 / 5 * (totals @ totals) / 144, rel=1e-10)


def test_the_part_of_shared_items_is_right_on_average_for_draws_of_items() -> None:
    # Residuals are centred at their own mean, which leaves a bias of order 1/n: 8 of 12 here.
    rng = np.random.default_rng(4)
    prompt, strata = np.arange(12) // 3, np.arange(12) % 2
    y = 2 * rng.normal(size=4)[prompt] + rng.normal(size=12)
    f = 5 + 0.5 * y + rng.normal(size=12)
    totals = np.bincount(prompt, weights=y - y.mean())
    truth = 4 / 3 * (totals @ totals) / 144
    simple = [np.isin(np.arange(12), rows) for rows in combinations(range(12), 8)]
    within = [
        np.isin(np.arange(12), [*first, *second])
        for first, second in product(
            combinations(range(0, 12, 2), 3), combinations(range(1, 12, 2), 5)
        )
    ]
    for draws, how in ((simple, {}), (within, {"design": "stratified", "strata": strata})):
        found = [bacon.aee(labelled(y, s), f, **how) for s in draws]
        terms = [cluster_term(est.influence_values, est.design, prompt) for est in found]
        assert np.mean(terms) == pytest.approx(truth, rel=0.03)
        items_alone = y.var(ddof=1) / 12
        assert truth > 1.5 * items_alone


def test_a_moment_needs_two_labels() -> None:
    setting = Setting(bacon.aee([1.0, 2.0, NAN], np.zeros(3)).design)
    one = Setting(type(setting.design)("simple", 3, np.array([0]), np.array([1 / 3])))
    with pytest.raises(TooFewLabelsError, match=r"1 label cannot show its own error"):
        moment_estimate(lambda y, t: y - t, lambda t: np.full(3, -t), np.array([1.0]), 0.0, one)
