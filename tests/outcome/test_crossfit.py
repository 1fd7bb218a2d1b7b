"""The fold loop: who predicts whom, and exact unbiasedness with a learner that overfits."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.outcome.learners import memory, nearest, shares

from bacon.estimation.augmented import augmented_mean
from bacon.estimation.designs import cluster_design, simple_design, stratified_design
from bacon.outcome.crossfit import FoldPlan, crossfit
from bacon.outcome.folds import label_folds, unit_folds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bacon.data.survey_design import SurveyDesign

Array = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class Dealer:
    """Stands for a generator whose next permutation is known, to go through all of them."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.order = order

    def permutation(self, n: int) -> Rows:
        """Return the known order of n units."""
        if n != len(self.order):
            raise ValueError(f"asked for {n} units, not {len(self.order)}")
        return np.array(self.order)


def spread(rows: Rows, fold: Rows, n_items: int) -> Rows:
    everywhere = np.full(n_items, -1, dtype=np.int64)
    everywhere[rows] = fold
    return everywhere


def estimate(
    x: Array, y: Array, design: SurveyDesign, plan: FoldPlan, mode: Any = "ensemble"
) -> float:
    """Return the augmented mean with cross-fitted nearest neighbours."""
    rows = design.rows
    fitted = crossfit(x[:, None], y[rows], rows, nearest, plan, mode=mode)
    return augmented_mean(y[rows], fitted.predictions.mean, design).value


# --- Who predicts whom.


def test_no_model_sees_the_fold_it_predicts() -> None:
    n_items = 12
    x, rows = np.arange(12.0)[:, None], np.array([1, 2, 4, 5, 7, 8, 10])
    y = rows * 1.0
    fold = spread(rows, np.array([0, 1, 2, 0, 1, 2, 0]), n_items)
    fitted = crossfit(x, y, rows, memory, FoldPlan(3, fold))
    seen = [set(model.seen.tolist()) for model in fitted.models]
    assert seen == [{2, 4, 7, 8}, {1, 4, 5, 8, 10}, {1, 2, 5, 7, 10}]
    means = np.array([model.mean for model in fitted.models])
    predicted = fitted.predictions.mean
    assert predicted[rows] == pytest.approx(means[[0, 1, 2, 0, 1, 2, 0]])
    # The others take the mixture by n_k / n = 3/7, 2/7, 2/7.
    others = np.setdiff1d(np.arange(n_items), rows)
    assert predicted[others] == pytest.approx(means @ np.array([3, 2, 2]) / 7)
    assert fitted.predictions.weights == pytest.approx(np.array([[3, 2, 2]]) / 7)
    assert fitted.predictions.n_models == 3


def test_weights_in_a_stratum_count_its_own_labels() -> None:
    stratum = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
    rows = np.array([0, 1, 2, 4, 5])
    fold = spread(rows, np.array([0, 0, 1, 1, 1]), 10)
    x = np.arange(10.0)[:, None]
    fitted = crossfit(x, rows * 1.0, rows, memory, FoldPlan(2, fold, stratum=stratum))
    weights = fitted.predictions.weights
    # A stratum without labels takes the overall shares 2/5, 3/5.
    assert weights == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1], [2 / 5, 3 / 5]]))
    means = np.array([model.mean for model in fitted.models])
    assert fitted.predictions.mean[[3, 6, 8]] == pytest.approx(weights @ means)


def test_weights_of_drawn_clusters_count_clusters() -> None:
    rows = np.arange(6)
    unit = np.array([0, 0, 0, 0, 1, 2])
    fold = spread(rows, np.array([0, 0, 0, 0, 1, 1]), 8)
    fitted = crossfit(
        np.arange(8.0)[:, None], rows * 1.0, rows, memory, FoldPlan(2, fold, unit=unit)
    )
    assert fitted.predictions.weights == pytest.approx(np.array([[1 / 3, 2 / 3]]))


def test_refit_puts_one_model_of_all_labels_on_unlabelled_items() -> None:
    rows = np.array([1, 2, 4, 5])
    fold = spread(rows, np.array([0, 1, 0, 1]), 8)
    x = np.arange(8.0)[:, None]
    fitted = crossfit(x, rows * 1.0, rows, memory, FoldPlan(2, fold), mode="refit")
    assert len(fitted.models) == 3
    assert fitted.models[2].seen.tolist() == [1, 2, 4, 5]
    predicted = fitted.predictions.mean
    assert predicted[[0, 3, 6, 7]] == pytest.approx(3.0)
    assert predicted[rows] == pytest.approx([3.5, 2.5, 3.5, 2.5])


@pytest.mark.parametrize("mode", ["ensemble", "refit"])
def test_where_the_pool_has_folds_each_item_takes_the_model_without_its_own(mode: Any) -> None:
    rows = np.array([0, 3, 5, 7])
    fold = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    x = np.arange(8.0)[:, None]
    fitted = crossfit(x, rows * 1.0, rows, memory, FoldPlan(2, fold), mode=mode)
    without = np.array([5.0, 0.0])  # means of 3, 5, 7 and of 0
    predicted = fitted.predictions.mean
    assert predicted[rows] == pytest.approx(without[fold[rows]])
    others = np.array([1, 2, 4, 6])
    expected = without[fold[others]] if mode == "ensemble" else np.full(4, 15 / 4)
    assert predicted[others] == pytest.approx(expected)


def test_each_model_is_asked_about_the_items_that_take_it_alone() -> None:
    rows = np.array([0, 3, 5, 7])
    x = np.arange(8.0)[:, None]
    fold = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    one, two = crossfit(x, rows * 1.0, rows, memory, FoldPlan(2, fold)).models
    assert sorted(one.asked) == [0.0, 2.0, 4.0, 6.0]
    assert sorted(two.asked) == [1.0, 3.0, 5.0, 7.0]
    # With a mixture: every model the unlabelled items, and its own fold.
    dealt = spread(rows, np.array([0, 1, 0, 1]), 8)
    one, two = crossfit(x, rows * 1.0, rows, memory, FoldPlan(2, dealt)).models
    assert sorted(one.asked) == [0.0, 1.0, 2.0, 4.0, 5.0, 6.0]
    assert sorted(two.asked) == [1.0, 2.0, 3.0, 4.0, 6.0, 7.0]
    # One of a census is asked about nothing but its own fold, and a refit about nothing.
    every, dealt = np.arange(4), np.array([0, 1, 0, 1])
    *folds, refit = crossfit(
        x[:4], every * 1.0, every, memory, FoldPlan(2, dealt), mode="refit"
    ).models
    assert [sorted(model.asked) for model in folds] == [[0.0, 2.0], [1.0, 3.0]]
    assert refit.asked == []


def test_models_see_their_rows_in_the_order_asked_for() -> None:
    rows = np.array([1, 2, 4, 5])
    plan = FoldPlan(2, spread(rows, np.array([0, 1, 0, 1]), 8))
    x, order = np.arange(8.0)[:, None], np.array([3, 0, 2, 1])
    fitted = crossfit(x, rows * 1.0, rows, memory, plan, mode="refit", order=order)
    seen = [model.seen.tolist() for model in fitted.models]
    assert seen == [[5.0, 2.0], [1.0, 4.0], [5.0, 1.0, 4.0, 2.0]]
    # The predictions stand in the order of the items all the same.
    assert fitted.predictions.mean[rows] == pytest.approx([3.5, 2.5, 3.5, 2.5])


def test_shares_of_classes_are_mixed_class_by_class() -> None:
    rows = np.array([1, 2, 4, 5, 6])
    y = np.array([0.0, 1.0, 2.0, 1.0, 1.0])
    plan = FoldPlan(2, spread(rows, np.array([0, 0, 0, 1, 1]), 8))
    found = crossfit(np.arange(8.0)[:, None], y, rows, shares, plan).predictions
    without_first, without_second = np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0]) / 3
    assert found.mean.shape == (8, 3)
    for row in (1, 2, 4):
        assert found.mean[row] == pytest.approx(without_first)
    for row in (5, 6):
        assert found.mean[row] == pytest.approx(without_second)
    for row in (0, 3, 7):
        assert found.mean[row] == pytest.approx(0.6 * without_first + 0.4 * without_second)


def test_predictions_are_read_only() -> None:
    rows = np.arange(4)
    plan = FoldPlan(2, np.array([0, 1, 0, 1, -1]))
    found = crossfit(np.zeros((5, 1)), rows * 1.0, rows, memory, plan).predictions
    with pytest.raises(ValueError, match="read-only"):
        found.mean[0] = 1.0
    items, share = found.shares(1)
    assert items.tolist() == [1, 3, 4]
    assert share.tolist() == [1.0, 1.0, 0.5]


# --- Exactly unbiased: every draw and every deal of the folds, gone through.

X = np.array([0.1, 0.5, 0.55, 1.7, 2.0, 2.9, 5.0, 5.2])
Y = np.array([0.0, 1.0, 9.0, 2.0, 30.0, 4.0, 7.0, -20.0])


def simple_deals(n_items: int, n: int, k: int) -> Iterator[tuple[SurveyDesign, FoldPlan]]:
    for chosen in combinations(range(n_items), n):
        rows = np.array(chosen)
        for order in permutations(range(n)):
            fold = label_folds(np.arange(n), None, k, Dealer(order))
            yield simple_design(rows, n_items), FoldPlan(k, spread(rows, fold, n_items))


@pytest.mark.parametrize(("n_items", "n", "k"), [(6, 4, 2), (7, 3, 3), (6, 5, 2), (6, 4, 3)])
def test_simple_draws_are_exactly_unbiased(n_items: int, n: int, k: int) -> None:
    x, y = X[:n_items], Y[:n_items]
    found = [estimate(x, y, *deal) for deal in simple_deals(n_items, n, k)]
    assert np.mean(found) == pytest.approx(y.mean(), abs=1e-12)


def test_refit_and_predictions_that_saw_the_label_are_not() -> None:
    x, y = X[:6], Y[:6]
    refit = [estimate(x, y, *deal, mode="refit") for deal in simple_deals(6, 4, 2)]
    assert abs(np.mean(refit) - y.mean()) > 0.02 * y.std()
    seen = []
    for chosen in combinations(range(6), 4):
        rows = np.array(chosen)
        f = nearest(x[rows, None], y[rows]).predict(x[:, None])
        seen.append(augmented_mean(y[rows], f, simple_design(rows, 6)).value)
    assert abs(np.mean(seen) - y.mean()) > 0.02 * y.std()


STRATUM = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def stratified_deals(*, by_stratum: bool) -> Iterator[tuple[SurveyDesign, FoldPlan]]:
    """Go through 3 of 4 and 2 of 4 items in two strata: unequal rates, 2 and 1 a fold."""
    for first, second in product(combinations(range(4), 3), combinations(range(4, 8), 2)):
        rows = np.array([*first, *second])
        design, _ = stratified_design(STRATUM, rows)
        for order in permutations(range(5)):
            fold = label_folds(np.arange(5), design.stratum, 2, Dealer(order))
            weights = STRATUM if by_stratum else None
            yield design, FoldPlan(2, spread(rows, fold, 8), stratum=weights)


def test_stratified_draws_at_unequal_rates_are_exactly_unbiased() -> None:
    found = [estimate(X, Y, *deal) for deal in stratified_deals(by_stratum=True)]
    assert np.mean(found) == pytest.approx(Y.mean(), abs=1e-12)


def test_overall_weights_in_the_strata_are_biased() -> None:
    # Not by much, as labels are dealt evenly in each stratum; but exactly is another thing.
    found = [estimate(X, Y, *deal) for deal in stratified_deals(by_stratum=False)]
    assert abs(np.mean(found) - Y.mean()) > 1e-3
    refit = [estimate(X, Y, *deal, mode="refit") for deal in stratified_deals(by_stratum=True)]
    assert abs(np.mean(refit) - Y.mean()) > 0.02 * Y.std()


@pytest.mark.parametrize("units_count", [True, False], ids=["clusters", "items"])
def test_draws_of_whole_clusters_are_exactly_unbiased(units_count: bool) -> None:
    # Clusters of two, 3 of 4 drawn: dealt by cluster, weights by cluster.
    psu = np.arange(8) // 2
    found = []
    for drawn in combinations(range(4), 3):
        rows = np.flatnonzero(np.isin(psu, drawn))
        design = cluster_design(psu, rows)
        assert design.psu is not None
        for order in permutations(range(3)):
            fold = label_folds(design.psu, None, 2, Dealer(order))
            plan = FoldPlan(2, spread(rows, fold, 8), unit=design.psu if units_count else None)
            found.append(estimate(X, Y, design, plan))
    assert np.mean(found) == pytest.approx(Y.mean(), abs=1e-12)


def test_clusters_dealt_item_by_item_are_biased() -> None:
    psu = np.arange(8) // 2
    found = []
    for drawn in combinations(range(4), 3):
        rows = np.flatnonzero(np.isin(psu, drawn))
        for order in permutations(range(6)):
            fold = label_folds(np.arange(6), None, 2, Dealer(order))
            plan = FoldPlan(2, spread(rows, fold, 8))
            found.append(estimate(X, Y, cluster_design(psu, rows), plan))
    assert abs(np.mean(found) - Y.mean()) > 0.02 * Y.std()


# --- And with more items, by simulation: N = 60, n = 20.

N_ITEMS, N_LABELS = 60, 20


def jump_pool(seed: int) -> tuple[Array, Array]:
    """Return x and an outcome with a jump that only a few items lie beyond."""
    x = np.random.default_rng(seed).exponential(size=N_ITEMS)
    return x, (x > 1.8) * 10.0 + x


def z_score(found: list[float], truth: float) -> float:
    """Return the bias in Monte Carlo standard errors."""
    errors = np.array(found) - truth
    return float(errors.mean() / errors.std(ddof=1) * np.sqrt(len(errors)))


def simulate_simple(draws: int) -> dict[str, float]:
    x, y = jump_pool(1)
    found: dict[str, list[float]] = {"ensemble": [], "refit": [], "saw the label": []}
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(N_ITEMS, N_LABELS, replace=False))
        design = simple_design(rows, N_ITEMS)
        fold = label_folds(np.arange(N_LABELS), None, 5, rng)
        plan = FoldPlan(5, spread(rows, fold, N_ITEMS))
        found["ensemble"].append(estimate(x, y, design, plan))
        found["refit"].append(estimate(x, y, design, plan, mode="refit"))
        f = nearest(x[rows, None], y[rows]).predict(x[:, None])
        found["saw the label"].append(augmented_mean(y[rows], f, design).value)
    return {how: z_score(values, y.mean()) for how, values in found.items()}


def simulate_stratified(draws: int) -> dict[str, float]:
    """Take 17 of the lower 45 and 3 of the upper 15 items."""
    x, y = jump_pool(1)
    order = np.argsort(x)
    x, y = x[order], y[order]
    stratum = np.repeat([0, 1], [45, 15])
    found: dict[str, list[float]] = {"ensemble": [], "saw the label": []}
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        first, second = rng.choice(45, 17, replace=False), 45 + rng.choice(15, 3, replace=False)
        rows = np.sort(np.r_[first, second])
        design, _ = stratified_design(stratum, rows)
        fold = spread(rows, label_folds(np.arange(20), design.stratum, 5, rng), N_ITEMS)
        plan = FoldPlan(5, fold, stratum=stratum)
        found["ensemble"].append(estimate(x, y, design, plan))
        f = nearest(x[rows, None], y[rows]).predict(x[:, None])
        found["saw the label"].append(augmented_mean(y[rows], f, design).value)
    return {how: z_score(values, y.mean()) for how, values in found.items()}


def simulate_clusters(draws: int) -> dict[str, float]:
    """Items drawn singly out of ten prompts of six, two of which score high throughout."""
    rng = np.random.default_rng(3)
    prompt = np.repeat(np.arange(10), 6)
    x = prompt + 0.05 * rng.normal(size=N_ITEMS)
    y = 20.0 * (prompt < 2) + rng.normal(size=N_ITEMS)
    found: dict[str, list[float]] = {"folds of the pool": [], "folds of the labels": []}
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.choice(N_ITEMS, N_LABELS, replace=False))
        design = simple_design(rows, N_ITEMS)
        k = len(np.unique(prompt[rows]))
        pool_fold = unit_folds(prompt, rows, k, rng)
        found["folds of the pool"].append(estimate(x, y, design, FoldPlan(k, pool_fold)))
        fold = spread(rows, label_folds(prompt[rows], None, k, rng), N_ITEMS)
        found["folds of the labels"].append(estimate(x, y, design, FoldPlan(k, fold)))
    return {how: z_score(values, y.mean()) for how, values in found.items()}


def test_nearest_neighbours_are_unbiased_over_simple_draws() -> None:
    bias = simulate_simple(1_500)
    assert abs(bias["ensemble"]) < 3.5
    assert bias["refit"] > 5
    assert bias["saw the label"] < -10


def test_nearest_neighbours_are_unbiased_with_prompts_in_folds() -> None:
    bias = simulate_clusters(1_000)
    assert abs(bias["folds of the pool"]) < 3.5
    assert abs(bias["folds of the labels"]) > 8


def test_nearest_neighbours_are_unbiased_over_stratified_draws() -> None:
    bias = simulate_stratified(1_000)
    assert abs(bias["ensemble"]) < 3.5
    assert abs(bias["saw the label"]) > 8


@pytest.mark.slow
def test_nearest_neighbours_are_unbiased_over_many_draws() -> None:
    assert abs(simulate_simple(20_000)["ensemble"]) < 3.5
    assert abs(simulate_stratified(20_000)["ensemble"]) < 3.5


@pytest.mark.slow
def test_folds_of_the_pool_leave_next_to_no_bias() -> None:
    # Not exactly none: how many labels a fold holds is left to chance, and the model trained
    # without them differs by that. In standard errors of the estimate, with ten prompts of six:
    # about 0.03, where folds of the labels are off by 0.38.
    draws = 20_000
    bias = simulate_clusters(draws)
    assert abs(bias["folds of the pool"]) / np.sqrt(draws) < 0.06
    assert abs(bias["folds of the labels"]) / np.sqrt(draws) > 0.3
