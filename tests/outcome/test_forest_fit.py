"""The forest: rows out of the bag, seeds, units, and the same trees as plain arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.tree import ExtraTreeRegressor

from bacon.arrays import BLOCK
from bacon.outcome.forest_fit import (
    LABELS_PER_LEAF,
    N_TREES,
    ForestFit,
    fit_forest,
    grow_tree,
    single_precision,
)
from bacon.outcome.kept_forest import KeptForest, keep_forest

Array = npt.NDArray[np.float64]


def data(n: int = 80, p: int = 4, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    return x, np.where(x[:, 0] > 0.0, 3.0, 0.0) + x[:, 1] + 0.5 * rng.normal(size=n)


def test_it_is_as_good_as_scikit_learns_forest() -> None:
    ours, theirs = [], []
    for seed in range(8):
        x, y = data(1_080, seed=seed)
        model = fit_forest(x[:80], y[:80], seed)
        forest = ExtraTreesRegressor(
            N_TREES, min_samples_leaf=LABELS_PER_LEAF, bootstrap=True, random_state=seed
        ).fit(x[:80], y[:80])
        ours.append(np.mean((y[80:] - model.predict(x[80:])) ** 2))
        theirs.append(np.mean((y[80:] - forest.predict(x[80:])) ** 2))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.05)


@pytest.mark.parametrize(("n", "p"), [(1, 1), (3, 2), (27, 6), (180, 12)])
def test_a_tree_is_scikit_learns_bit_for_bit(n: int, p: int) -> None:
    for seed in range(10):
        x, y = data(n, max(p, 2), seed)
        narrow, times = (
            single_precision(x[:, :p]),
            np.random.default_rng(seed).poisson(1.0, n) * 1.0,
        )
        times[0] += 1.0
        tree = grow_tree(narrow, y[:, None], times, np.random.RandomState(seed))
        theirs = ExtraTreeRegressor(
            min_samples_leaf=LABELS_PER_LEAF, max_features=1.0, random_state=seed
        ).fit(narrow, y, sample_weight=times)
        one, two = tree.__getstate__(), theirs.tree_.__getstate__()
        for name in ("nodes", "values"):
            assert one[name].tobytes() == two[name].tobytes()


def test_leaves_hold_enough_labels_and_their_mean() -> None:
    x, y = data(60)
    model = fit_forest(x, y, 0)
    assert len(model.trees_) == N_TREES
    target = (y - model.mean_) / model.scale_
    for tree in model.trees_:
        leaf = tree.children_left < 0
        assert tree.n_node_samples[leaf].min() >= LABELS_PER_LEAF
        # As many draws as labels, with repeats.
        assert tree.weighted_n_node_samples[0] == 60
        assert tree.n_node_samples[0] < 60
        inside = tree.value[leaf, 0, 0]
        assert target.min() - 1e-9 <= inside.min() <= inside.max() <= target.max() + 1e-9


def test_the_distribution_is_prediction_plus_what_was_held_out() -> None:
    x, y = data()
    model = fit_forest(x, y, 7)
    residual = y - model.held_out_
    assert model.residual_ == pytest.approx(np.sort(residual - residual.mean()))
    assert model.distribution(x).mean == pytest.approx(model.predict(x))


def test_what_is_held_out_has_not_seen_its_label() -> None:
    x, y = data(40)
    before = fit_forest(x, y, 0)
    for row in (0, 11, 39):
        other = y.copy()
        other[row] += 1_000.0
        after = fit_forest(x, other, 0)
        assert after.held_out_[row] == pytest.approx(before.held_out_[row], abs=1e-6)
        assert abs(after.predict(x)[row] - before.predict(x)[row]) > 10.0


def test_noise_is_not_followed_out_of_the_bag() -> None:
    inside, outside = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(100, 5)), rng.normal(size=100)
        model = fit_forest(x, y, seed)
        inside.append(np.corrcoef(model.predict(x), y)[0, 1])
        outside.append(np.corrcoef(model.held_out_, y)[0, 1])
    assert np.mean(inside) > 0.6
    assert np.mean(outside) < 0.05


def as_bytes(model: ForestFit) -> bytes:
    kept = keep_forest(model)
    arrays = (kept.root, kept.feature, kept.threshold, kept.left, kept.right, kept.value)
    return b"".join(array.tobytes() for array in (*arrays, model.held_out_, model.residual_))


def test_the_same_seed_gives_the_same_bytes() -> None:
    x, y = data()
    assert as_bytes(fit_forest(x, y, 3)) == as_bytes(fit_forest(x.copy(), y.copy(), 3))
    assert as_bytes(fit_forest(x, y, 3)) != as_bytes(fit_forest(x, y, 4))


@pytest.mark.parametrize(("shift", "unit"), [(5.0, 1.0), (-1e6, 1.0), (0.0, 1e12), (0.0, -1e-9)])
def test_units_and_shifts_of_the_outcome_carry_over(shift: float, unit: float) -> None:
    x, y = data()
    here, there = fit_forest(x, y, 0), fit_forest(x, shift + unit * y, 0)
    size = abs(shift) + abs(unit)
    for one, two in (
        (here.predict(x), there.predict(x)),
        (here.held_out_, there.held_out_),
    ):
        assert two == pytest.approx(shift + unit * one, abs=1e-9 * size)


def test_rounding_of_features_moves_no_item() -> None:
    x, y = data()
    model = fit_forest(x, y, 0)
    for size in (1e-14, -1e-14):
        moved = x * (1.0 + size)
        assert fit_forest(moved, y, 0).predict(moved).tolist() == model.predict(x).tolist()


def test_many_rows_go_by_blocks() -> None:
    x, y = data()
    model = fit_forest(x, y, 0)
    new = np.random.default_rng(2).normal(size=(BLOCK + 10, 4))
    said = model.predict(new)
    assert said[-10:].tolist() == model.predict(new[-10:]).tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_rows(n: int) -> None:
    x, y = data(n)
    model = fit_forest(x, y, 0)
    assert np.isfinite(model.predict(10.0 * x)).all()
    assert np.isfinite(model.held_out_).all()
    if n < 2 * LABELS_PER_LEAF:
        assert np.ptp(model.predict(x)) == 0.0


@pytest.mark.parametrize("value", [0.0, 4.0, 1e12])
def test_a_constant_outcome(value: float) -> None:
    x, _ = data(20)
    model = fit_forest(x, np.full(20, value), 0)
    assert model.predict(x).tolist() == [value] * 20
    assert model.held_out_.tolist() == [value] * 20


def test_extreme_and_repeated_features() -> None:
    x, y = data()
    for wild in (x * 1e12, x * 1e-12, np.repeat(x[:, :1], 2, axis=1), np.zeros((80, 1))):
        model = fit_forest(wild, y, 0)
        assert np.isfinite(model.predict(-1e3 * wild)).all()
        assert model.predict(wild).min() >= y.min()
        assert model.predict(wild).max() <= y.max()


# --- As plain arrays.


@pytest.mark.parametrize("n", [1, 3, 80, 300])
def test_kept_trees_say_the_same(n: int) -> None:
    x, y = data(n)
    model = fit_forest(x, y, 1)
    kept = keep_forest(model)
    for new in (x, 100.0 * np.random.default_rng(3).normal(size=(200, 4)), x[:0]):
        assert kept.predict(new) == pytest.approx(model.predict(new), rel=1e-12, abs=1e-12)
        assert kept.distribution(new).mean == pytest.approx(kept.predict(new))


def test_ties_at_a_threshold_go_the_same_way() -> None:
    # Features on the thresholds themselves, as the trees read them.
    x, y = data(60, 2)
    model = fit_forest(x, y, 0)
    kept = keep_forest(model)
    at = kept.threshold[kept.feature == 0][:100]
    new = np.column_stack([np.float32(at), np.zeros(len(at))])
    assert kept.predict(new) == pytest.approx(model.predict(new), rel=1e-12)


def with_entry(array: Any, place: int, value: Any) -> Any:
    changed = array.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    "change",
    [
        lambda k: {"left": with_entry(k.left, 0, 0)},
        lambda k: {"right": with_entry(k.right, 2, 1)},
        lambda k: {"left": with_entry(k.left, 0, len(k.left))},
        lambda k: {"right": with_entry(k.right, 0, -1)},
        lambda _: {"root": np.array([-1])},
        lambda k: {"root": np.array([len(k.left)])},
        lambda k: {"root": k.root[:0]},
        lambda k: {"feature": with_entry(k.feature, 0, 4)},
        lambda _: {"n_features": 3},
        lambda k: {"value": k.value[:-1]},
        lambda k: {"value": with_entry(k.value, 2, np.nan)},
        lambda k: {"value": k.value[:, None]},
        lambda k: {"threshold": k.threshold[1:]},
        lambda k: {"threshold": with_entry(k.threshold, 0, np.inf)},
        lambda k: {"left": k.left.astype(np.float64)},
        lambda k: {"feature": k.feature.astype(np.float64)},
        lambda k: {"root": k.root + 0.5},
        lambda k: {"root": k.root[:, None]},
        lambda _: dict.fromkeys(("feature", "threshold", "left", "right", "value"), np.zeros(0)),
    ],
)
def test_arrays_that_are_no_trees_are_refused(change: Any) -> None:
    kept = keep_forest(fit_forest(*data(), 0))
    assert kept.feature[2] >= 0
    assert isinstance(replace(kept), KeptForest)
    with pytest.raises(ValueError, match="the arrays are no forest"):
        replace(kept, **change(kept))


def test_rows_of_another_width_are_refused() -> None:
    kept = keep_forest(fit_forest(*data(), 0))
    with pytest.raises(ValueError, match="forest of 4 features"):
        kept.predict(np.zeros((2, 5)))
