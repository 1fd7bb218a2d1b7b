"""Which members the stack takes for which outcome, and folds that leave a model little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bacon.outcome.constant_fit import ConstantFit
from bacon.outcome.family_fits import BoundedFit, HurdleFit, LogisticFit, LogLinkFit
from bacon.outcome.forest_fit import ForestFit
from bacon.outcome.models import (
    LEAST_FOR_FAMILY,
    MODELS,
    PRIOR,
    PRIOR_LABELS,
    Layout,
    Task,
    fit_named,
    fit_stack,
)
from bacon.outcome.proportional_odds_fit import ProportionalOddsFit
from bacon.outcome.ridge_fit import RidgeFit, fit_ridge
from bacon.outcome.stack import StackFit
from bacon.outcome.user_fit import UserFit

Array = npt.NDArray[np.float64]
BLOCKS = np.array([0, 0, 1, 1, 2])
AVERAGE = np.array([0.5, 0.5, 0.0, 0.0, 0.0])
KINDS = ("real", "bounded", "zero-inflated", "ordinal", "binary")
SINGLE = (
    "ridge",
    "hurdle",
    "hurdle-ridge",
    "ordinal",
    "bounded",
    "forest",
    "log-link",
    "human-only",
)


def task(kind: str, **options: Any) -> Task:
    return replace(Task(Layout(BLOCKS, AVERAGE), kind, (0.0, 5.0)), **options)


def data(n: int = 60, kind: str = "real", seed: int = 0) -> tuple[Array, Array]:
    """Return features and labels from 0 to 5 of a kind."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 5))
    y = 2.5 + x[:, 0] + x[:, 1] + 0.7 * rng.normal(size=n)
    if kind == "binary":
        return x, (y > 2.5).astype(np.float64)
    y = np.clip(y, 0.0, 5.0)
    if kind == "zero-inflated":
        return x, np.maximum(y - 2.5, 0.0)
    return x, y.round() if kind == "ordinal" else y


@pytest.mark.parametrize(
    ("kind", "family"),
    [
        ("real", ()),
        ("bounded", ("bounded",)),
        ("zero-inflated", ("hurdle", "log-link")),
        ("ordinal", ("ordinal",)),
        ("binary", ("logistic",)),
    ],
)
def test_members_suit_the_outcome(kind: str, family: tuple[str, ...]) -> None:
    found = fit_stack(*data(kind=kind), task(kind))
    linear = ("human mean", "judge average", "judges", "embeddings", "ridge")
    assert found.names == (*linear, *family, "forest")
    assert found.weights_.sum() == pytest.approx(1.0)
    assert found.weights_.min() >= 0.0


def test_columns_decide_on_the_linear_members() -> None:
    x, y = data()
    alone = fit_stack(x[:, :2], y, task("real", layout=Layout(BLOCKS[:2], AVERAGE[:2])))
    assert alone.names == ("human mean", "judge average", "ridge", "forest")
    no_average = fit_stack(x, y, task("real", layout=Layout(BLOCKS)))
    assert no_average.names == ("human mean", "judges", "embeddings", "ridge", "forest")
    only = fit_stack(x[:, 2:4], y, task("real", layout=Layout(BLOCKS[2:4])))
    assert only.names == ("human mean", "ridge", "forest")


def test_views_read_their_own_columns() -> None:
    x, y = data()
    found = fit_stack(x, y, task("real"))
    parts = dict(zip(found.names, found.members, strict=True))
    judges = fit_ridge(x[:, [0, 1, 4]], y, BLOCKS[[0, 1, 4]])
    embeddings = fit_ridge(x[:, 2:4], y, BLOCKS[2:4])
    assert parts["judges"].predict(x) == pytest.approx(judges.predict(x[:, [0, 1, 4]]))
    assert parts["embeddings"].predict(x) == pytest.approx(embeddings.predict(x[:, 2:4]))
    mean = x[:, :2].mean(axis=1, keepdims=True)
    average = fit_ridge(mean, y, np.zeros(1, dtype=np.int64))
    assert parts["judge average"].predict(x) == pytest.approx(average.predict(mean))


def test_skewed_labels_from_zero_up_get_a_log_link() -> None:
    x, _ = data(80)
    rng = np.random.default_rng(1)
    skewed = np.exp(0.5 * x[:, 0] + rng.normal(size=80))
    assert "log-link" in fit_stack(x, skewed, task("real")).names
    assert "log-link" not in fit_stack(x, -skewed, task("real")).names
    assert "log-link" not in fit_stack(x, skewed - skewed.max() / 2, task("real")).names
    assert "log-link" not in fit_stack(x, rng.random(80), task("real")).names


@pytest.mark.parametrize("kind", KINDS)
def test_few_labels_take_linear_members_alone(kind: str) -> None:
    x, y = data(LEAST_FOR_FAMILY, kind)
    few = fit_stack(x[:-1], y[:-1], task(kind))
    assert few.names == ("human mean", "judge average", "judges", "embeddings", "ridge")
    assert len(fit_stack(x, y, task(kind)).names) > 5


def test_no_forest_where_it_would_take_too_long() -> None:
    x, y = data()
    found = fit_stack(x, y, task("real", forest=False))
    assert "forest" not in found.names
    assert isinstance(fit_named("forest", x, y, task("real", forest=False)), ForestFit)


def test_without_evidence_the_weights_are_the_prior() -> None:
    # Members that all err by the same leave nothing but the prior to tell them apart.
    n = 200
    x = np.zeros((n, 5))
    y = np.tile([0.0, 1.0], n // 2)
    found = fit_stack(x, y, task("binary"))
    weights = dict(zip(found.names, found.weights_, strict=True))
    grown = n / PRIOR_LABELS
    total = 1.0 + grown * sum(PRIOR.values())
    assert weights["judge average"] == pytest.approx(1.0 / total, abs=0.01)
    assert weights["logistic"] == pytest.approx(grown * PRIOR["family"] / total, abs=0.01)
    assert weights["ridge"] == pytest.approx(grown * PRIOR["ridge"] / total, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [0.0, 1.0, 5.0])
def test_labels_all_alike_are_predicted_as_they_are(kind: str, value: float) -> None:
    x, _ = data(30)
    for model in ("stack", "logistic", *SINGLE):
        found = fit_named(model, x, np.full(30, value), task(kind))
        assert found.predict(x) == pytest.approx(np.full(30, value), abs=1e-12)
        assert found.held_out_ == pytest.approx(np.full(30, value), abs=1e-12)


def test_names_give_their_models() -> None:
    kinds = {
        "stack": StackFit,
        "ridge": RidgeFit,
        "hurdle": HurdleFit,
        "hurdle-ridge": HurdleFit,
        "ordinal": ProportionalOddsFit,
        "bounded": BoundedFit,
        "forest": ForestFit,
        "log-link": LogLinkFit,
        "human-only": ConstantFit,
    }
    for name, kind in kinds.items():
        assert type(fit_named(name, *data(kind="ordinal"), task("ordinal"))) is kind
    assert type(fit_named("logistic", *data(kind="binary"), task("binary"))) is LogisticFit
    assert {*kinds, "logistic", "multinomial"} == set(MODELS)
    with pytest.raises(ValueError, match="no outcome model is called 'lasso'"):
        fit_named("lasso", *data(), task("real"))


def test_words_have_their_own_models() -> None:
    x, y = data(kind="ordinal")
    for model in ("stack", "multinomial", "human-only"):
        found = fit_named(model, x, y, task("categorical", n_classes=6))
        shares = found.predict(x)
        assert shares.shape == (60, 6)
        assert shares.sum(axis=1) == pytest.approx(1.0)
        assert shares.min() >= 0.0


def test_an_estimator_of_the_users_is_fitted() -> None:
    from sklearn.linear_model import LinearRegression

    assert isinstance(fit_named(LinearRegression(), *data(), task("real")), UserFit)


# --- Folds that leave a model little.


def hostile(case: str, n: int, seed: int = 0) -> tuple[Array, Array]:
    x, y = data(n, "ordinal", seed)
    if case == "constant columns":
        x = np.zeros_like(x)
    elif case == "the same column twice":
        x[:, 1] = x[:, 0]
    elif case == "a column that is the label":
        x[:, 0] = y
    elif case == "separated":
        y = (x[:, 0] > 0.0).astype(np.float64)
    elif case == "one other":
        y = np.zeros(n)
        y[0] = 1.0
    elif case == "huge columns":
        x *= 1e12
    elif case == "one outlier":
        # The furthest that one item of a million can be from the mean, in SDs.
        x[0] = 1e3
    elif case == "missing everywhere but here":
        x[:, 4] = 0.0
        x[0, 4] = 30.0
    return x, y


CASES = (
    "plain",
    "constant columns",
    "the same column twice",
    "a column that is the label",
    "separated",
    "one other",
    "huge columns",
    "one outlier",
    "missing everywhere but here",
)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 16, 40])
def test_hostile_folds_give_finite_means_near_the_labels(case: str, n: int) -> None:
    x, y = hostile(case, n)
    new = hostile(case, 50, seed=1)[0]
    for kind in KINDS:
        if kind == "binary" and len(np.unique(y)) > 2:
            continue
        for model in ("stack", *SINGLE):
            found = fit_named(model, x, y, task(kind))
            for said in (found.predict(new), found.predict(x), found.held_out_):
                assert np.isfinite(said).all()
            if case not in ("huge columns", "one outlier") and n >= 16:
                # Nothing is far from where labels can be.
                assert np.abs(found.predict(new) - 2.5).max() < 12.0
            items = found.distribution(new)
            assert items.mean == pytest.approx(found.predict(new), abs=1e-9)
            cdf = items.cdf(np.array([-1e30, 2.0, 1e30]))
            assert cdf[:, 0].max() == 0.0
            assert cdf[:, 2] == pytest.approx(1.0)
            assert (np.diff(cdf, axis=1) >= -1e-12).all()


def test_a_judge_that_is_the_label_is_found_out() -> None:
    x, y = hostile("a column that is the label", 60)
    new, truth = hostile("a column that is the label", 500, seed=1)
    for kind in ("real", "bounded", "ordinal", "zero-inflated"):
        found = fit_stack(x, y, task(kind))
        assert np.mean((truth - found.predict(new)) ** 2) < 0.1 * truth.var()


def test_members_that_have_the_same_to_say_do_not_hurt() -> None:
    x, y = data(60)
    new, truth = data(1_000, seed=1)
    doubled, both = np.hstack([x[:, :2]] * 2), np.hstack([new[:, :2]] * 2)
    layout = Layout(np.zeros(2, dtype=np.int64), np.full(2, 0.5))
    once = fit_stack(x[:, :2], y, task("real", layout=layout))
    layout = Layout(np.zeros(4, dtype=np.int64), np.full(4, 0.25))
    twice = fit_stack(doubled, y, task("real", layout=layout))
    errors = [
        float(np.mean((truth - said) ** 2))
        for said in (once.predict(new[:, :2]), twice.predict(both))
    ]
    assert errors[1] == pytest.approx(errors[0], rel=0.05)


def test_the_order_of_columns_does_not_matter_without_a_forest() -> None:
    x, y = data(60, "ordinal")
    order = [4, 1, 0, 2, 3]
    here = fit_stack(x, y, task("ordinal", forest=False))
    there = fit_stack(
        x[:, order],
        y,
        task("ordinal", forest=False, layout=Layout(BLOCKS[order], AVERAGE[order])),
    )
    assert there.predict(x[:, order]) == pytest.approx(here.predict(x), abs=1e-7)
