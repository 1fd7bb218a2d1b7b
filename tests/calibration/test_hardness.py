"""Hardness learnt from a pilot: what it finds, what it must not see, and when it gives up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

import bacon
from bacon.calibration.hardness_columns import HardnessColumns, predicted_size, squared_errors
from bacon.data.hardness import Hardness
from bacon.errors import InputError
from bacon.sampling.budget import joint_probabilities

N = 600
RATE = 0.4


def pool_of(n=N, order=None, embeddings=False, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    table = {
        "item_id": np.arange(n),
        "judge_a": quality + 0.5 * rng.normal(size=n),
        "judge_b": 40.0 + 10.0 * quality + 5.0 * rng.normal(size=n),
    }
    vectors = rng.normal(size=(n, 6)) * 0.8 ** np.arange(6)
    order = np.arange(n) if order is None else order
    table = {name: values[order] for name, values in table.items()}
    return bacon.read_pool(table, embeddings=vectors[order] if embeddings else None), quality


def people(quality, kind="hard", seed=1):
    noise = np.random.default_rng(seed).normal(size=len(quality))
    if kind == "plain":
        # Errors whose size the judges tell exactly.
        return quality + 0.2 * np.exp(1.2 * quality) * np.sign(noise)
    spread = 0.2 * np.exp(1.2 * quality) if kind == "hard" else 0.5
    return quality + spread * noise


def calibrated(y, pool, *, n=120, model="ridge", **given):
    sample = bacon.UniformDesign(n=n).draw(pool, seed=3)
    labels = bacon.read_labels({"item_id": sample.ids, "human": y[sample.ids]}, value="human")
    return bacon.calibrate(pool, labels, sample=sample, model=model, **given)


POOL, QUALITY = pool_of()
HARD = people(QUALITY)
CAL = calibrated(HARD, POOL)
FOUND = CAL.hardness(rate=RATE)


def test_hard_items_are_found():
    truth = 0.2 * np.exp(1.2 * QUALITY)
    assert np.corrcoef(np.log(FOUND.drawing), np.log(truth))[0, 1] > 0.8
    assert FOUND.model == "gamma"
    assert FOUND.uniform_share < 0.5
    assert FOUND.notices == ()


def test_every_vector_has_mean_one_and_folds_are_those_of_the_outcome_model():
    rows = CAL.aligned.design.rows
    assert FOUND.held_out.shape == (5, N)
    assert FOUND.fold[rows].tolist() == CAL.fitter.plan.fold[rows].tolist()
    assert set(np.delete(FOUND.fold, rows)) == {-1}
    for values in (FOUND.drawing, *FOUND.held_out):
        assert values.mean() == pytest.approx(1.0)
        assert values.min() > 0.0


@pytest.mark.parametrize(
    ("kind", "model"),
    [("gamma", "ridge"), ("optimal", "ridge"), ("logistic", "ridge"), ("gamma", "stack")],
)
def test_the_vector_without_a_fold_does_not_know_its_labels(kind, model):
    pool, quality = pool_of(300, embeddings=True)
    y = people(quality, "plain")
    before = calibrated(y, pool, n=60, model=model, outcome="real")
    hard = before.hardness(kind, rate=RATE)
    own = np.flatnonzero(hard.fold == 2)
    assert len(own) == 6
    moved = y.copy()
    moved[own] += np.array([3.0, -2.0, 5.0, 1.0, -4.0, 2.0])
    after = calibrated(moved, pool, n=60, model=model, outcome="real").hardness(kind, rate=RATE)
    assert after.fold.tolist() == hard.fold.tolist()
    assert np.array_equal(after.held_out[2], hard.held_out[2])
    assert not np.array_equal(after.held_out[3], hard.held_out[3])
    assert not np.array_equal(after.drawing, hard.drawing)


def test_the_vector_without_a_fold_is_that_of_the_other_labels():
    # Leaving the fold's labels out of the file gives the same residuals and the same vector.
    from bacon.outcome.gamma_fit import fit_nested_gamma

    k, rows = 1, CAL.aligned.design.rows
    train = CAL.fitter.order[FOUND.fold[rows[CAL.fitter.order]] != k]
    model = CAL.fitted.models[k]
    f = model.predict(CAL.fitter.x)
    squares = (CAL.aligned.y[train] - model.held_out_) ** 2
    columns = HardnessColumns.of(CAL)
    own = columns.of_labels(rows[train], f, model.held_out_)
    fit = fit_nested_gamma(own, squares, columns.sizes)
    root = np.sqrt(fit.predict(columns.with_predictions(f)))
    mixed = FOUND.held_out[k]
    # A mixture with equal chances is a straight line in the root.
    slope, intercept = np.polyfit(root, mixed, 1)
    assert mixed == pytest.approx(intercept + slope * root)
    assert round(intercept, 6) in (0.0, 0.1, 0.25, 0.5, 0.75)


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(9).permutation(N)
    pool, _ = pool_of(order=order)
    cal = calibrated(HARD, pool)
    found = cal.hardness(rate=RATE)
    assert found.drawing == pytest.approx(FOUND.drawing[order], rel=1e-6)
    assert found.fold.tolist() == FOUND.fold[order].tolist()
    assert found.held_out == pytest.approx(FOUND.held_out[:, order], rel=1e-6)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_units_of_labels_do_not_matter(unit):
    found = calibrated(unit * HARD, POOL).hardness(rate=RATE)
    assert found.drawing == pytest.approx(FOUND.drawing, rel=1e-5)
    assert found.uniform_share == FOUND.uniform_share


def test_where_residuals_are_alike_chances_mostly_stay_equal():
    shares = []
    for seed in range(8):
        y = people(QUALITY, "even", seed)
        found = calibrated(y, POOL).hardness(rate=RATE)
        shares.append(found.uniform_share)
        if found.uniform_share == 1.0:
            assert [notice.code for notice in found.notices] == ["hardness_uniform"]
            assert found.drawing.tolist() == [1.0] * N
    assert np.mean(np.array(shares) == 1.0) >= 0.6


def test_components_of_embeddings_can_tell_what_judges_cannot():
    pool, quality = pool_of(1500, embeddings=True)
    leading = np.asarray(pool.embeddings[:, 0])
    leading = leading / leading.std()
    y = quality + 0.3 * np.exp(1.3 * leading) * np.random.default_rng(4).normal(size=1500)
    found = calibrated(y, pool, n=300).hardness(rate=RATE)
    assert np.corrcoef(np.log(found.drawing), leading)[0, 1] > 0.8
    assert HardnessColumns.of(calibrated(y, pool, n=300)).sizes == (4, 8, 20)


def test_held_out_predictions_stand_in_the_columns_of_labels():
    columns = HardnessColumns.of(CAL)
    f = CAL.f
    rows = CAL.aligned.design.rows
    shifted = f[rows] + f.std()
    own = columns.of_labels(rows, f, shifted)
    everyone = columns.with_predictions(f)
    assert everyone[:, 0].mean() == pytest.approx(0.0, abs=1e-12)
    assert everyone[:, 1] == pytest.approx(everyone[:, 0] ** 2)
    assert own[:, 0] == pytest.approx(everyone[rows, 0] + 1.0)
    assert own[:, 2:] == pytest.approx(everyone[rows, 2:])


@pytest.mark.parametrize("regressor", [None, KNeighborsRegressor(15)])
def test_any_regressor_can_predict_the_squares(regressor):
    cal = calibrated(people(QUALITY, "plain"), POOL, n=200)
    found = cal.hardness("optimal", rate=RATE, regressor=regressor)
    assert found.model == "optimal"
    assert found.drawing.min() > 0.0
    assert np.corrcoef(found.drawing, np.exp(QUALITY))[0, 1] > 0.5


def test_the_papers_propensities_are_drawn_by_as_they_are():
    found = CAL.hardness("logistic", rate=RATE)
    e = joint_probabilities(found.drawing, rate=RATE, pilot=0.2)
    assert found.drawing.mean() == pytest.approx(RATE, abs=1e-9)
    assert e == pytest.approx(found.drawing, rel=1e-9)
    assert found.uniform_share == 0.0
    assert np.corrcoef(found.drawing, QUALITY)[0, 1] > 0.5


def test_uniform_uses_no_label():
    found = CAL.hardness("uniform", rate=RATE)
    assert found.drawing.tolist() == [1.0] * N
    assert found.held_out is None
    assert found.fold is None
    assert (found.model, found.uniform_share, found.notices) == ("uniform", 1.0, ())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 8}, "8 labels are too few"),
        ({"model": "human-only"}, "human-only has no predictions"),
        ({"kind": "exact"}, "equally far from all 120 labels"),
    ],
)
def test_what_cannot_be_learnt_is_told(given, message):
    # Labels that are all alike are predicted without error.
    y = np.full(N, 2.0) if "kind" in given else HARD
    cal = calibrated(y, POOL, **{name: one for name, one in given.items() if name != "kind"})
    found = cal.hardness(rate=RATE)
    assert found.drawing.tolist() == [1.0] * N
    assert found.held_out is None
    (notice,) = found.notices
    assert notice.code == "hardness_uniform"
    assert message in notice.message


def test_labels_in_words_have_squared_errors_of_their_probabilities():
    words = np.where(QUALITY + 0.4 * np.random.default_rng(2).normal(size=N) > 0, "yes", "no")
    sample = bacon.UniformDesign(n=150).draw(POOL, seed=3)
    labels = bacon.read_labels(
        {"item_id": sample.ids, "human": words[sample.ids].tolist()}, value="human"
    )
    cal = bacon.calibrate(POOL, labels, sample=sample)
    found = cal.hardness(rate=RATE)
    near = np.abs(QUALITY) < 0.3
    far = np.abs(QUALITY) > 1.5
    assert found.drawing[near].mean() > 1.5 * found.drawing[far].mean()
    f = np.array([[0.2, 0.8], [1.0, 0.0]])
    assert squared_errors(np.array([1.0, 1.0]), f) == pytest.approx([0.08, 2.0])
    assert predicted_size(f) == pytest.approx([0.32, 0.0])


def test_a_further_batch_learns_from_unequal_chances():
    design = bacon.TwoStageDesign(rate=0.3, pilot=0.1)
    pilot = design.draw(POOL, seed=1)

    def of(sample):
        labels = bacon.read_labels(
            {"item_id": sample.ids, "human": HARD[sample.ids]}, value="human"
        )
        return bacon.calibrate(POOL, labels, sample=sample, model="ridge")

    two = design.extend(pilot, of(pilot).hardness(rate=0.3), 2, pool=POOL)
    found = of(two).hardness(rate=0.5)
    assert np.corrcoef(np.log(found.drawing), QUALITY)[0, 1] > 0.6
    three = bacon.TwoStageDesign(rate=0.5, pilot=0.1).extend(two, found, 3, pool=POOL)
    assert of(three).mean().value == pytest.approx(HARD.mean(), abs=0.2)


def test_pilot_items_get_their_weights_from_the_held_out_vectors():
    design = bacon.TwoStageDesign(rate=RATE, pilot=0.2)
    pilot = design.draw(POOL, seed=3)
    assert isinstance(FOUND, Hardness)
    sample = design.extend(pilot, FOUND, 5, pool=POOL)
    for k in range(5):
        e = joint_probabilities(FOUND.held_out[k], rate=RATE, pilot=0.2)
        own = np.flatnonzero((sample.stages.stage == 0) & (FOUND.fold[sample.ids] == k))
        assert len(own) == 24
        assert sample.pi[own] == pytest.approx(e[sample.ids[own]])


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("gama", {}, "hardness must be one of gamma, optimal, logistic, uniform; got 'gama'"),
        ("gamma", {"rate": 0.2}, "rate must lie above 0.2"),
        ("gamma", {"rate": 0.1}, "rate must lie above 0.2"),
        ("uniform", {"rate": 1.0}, "rate must lie above 0.2"),
        ("gamma", {"rate": float("nan")}, "rate must lie above 0.2"),
        ("gamma", {"rate": "much"}, "rate must lie above 0.2"),
        ("gamma", {"regressor": LinearRegression()}, "regressor goes with kind"),
        ("optimal", {"regressor": LinearRegression}, "instance of a scikit-learn regressor"),
        ("optimal", {"regressor": LogisticRegression()}, "is a classifier"),
    ],
)
def test_what_cannot_be_used_is_refused(kind, given, message):
    with pytest.raises(InputError, match=message):
        CAL.hardness(kind, **{"rate": RATE, **given})


def test_perfect_predictions_leave_nothing_to_learn():
    own = CAL.f[CAL.aligned.design.rows]
    exact = replace(CAL, aligned=replace(CAL.aligned, y=own + 1e-12))
    found = exact.hardness(rate=RATE)
    assert [notice.code for notice in found.notices] == ["hardness_uniform"]
