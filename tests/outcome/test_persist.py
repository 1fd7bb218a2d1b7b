"""Fitted models through JSON and npz: the same predictions, and nothing else gets in."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.linear_model import LinearRegression

from bacon.outcome.models import Layout, Task, fit_named
from bacon.outcome.persist import KINDS, can_keep, keep_models, restore_model
from bacon.outcome.ridge_fit import fit_ridge

Array = npt.NDArray[np.float64]
P = 5
NAMES = ("ridge", "ordinal", "bounded", "hurdle", "log-link", "forest", "human-only", "logistic")
STACKS = ("real", "bounded", "zero-inflated", "ordinal", "binary")


def data(n: int = 60, seed: int = 0) -> tuple[Array, Array]:
    """Return features, an indicator that is seldom set among them, and labels 0 to 5."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, P))
    x[:, 4] = (np.arange(n) % 20 == 0) - 0.05
    return x, np.clip(np.round(1.0 + 1.5 * x[:, 0] + 0.8 * rng.normal(size=n)), 0.0, 5.0)


def fitted(name: str, kind: str = "ordinal", seed: int = 0, **options: Any) -> Any:
    x, y = data(seed=seed)
    if name == "logistic" or kind == "binary":
        y = (y > 1.0).astype(np.float64)
    layout = Layout(np.array([0, 0, 1, 1, 2]), np.array([0.5, 0.5, 0.0, 0.0, 0.0]))
    return fit_named(name, x, y, Task(layout, kind, (0.0, 5.0), **options))


def through_files(models: tuple[Any, ...], weights: Array) -> Any:
    """Keep models as bytes, and read them again."""
    record, arrays = keep_models(models, weights)
    text, buffer = json.dumps(record, allow_nan=False), io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    with np.load(io.BytesIO(buffer.getvalue()), allow_pickle=False) as stored:
        return restore_model(json.loads(text), dict(stored), P)


def agree(models: tuple[Any, ...], weights: Array) -> None:
    new = np.random.default_rng(1).normal(size=(200, P)) * 2.0
    kept = through_files(models, weights)
    expected = np.column_stack([model.predict(new) for model in models]) @ weights
    assert kept.predict(new) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    thetas = np.array([0.0, 1.5, 3.0])
    cdf = sum(w * m.distribution(new).cdf(thetas) for w, m in zip(weights, models, strict=True))
    assert kept.distribution(new).cdf(thetas) == pytest.approx(cdf, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_every_named_model_comes_back(name: str) -> None:
    models = tuple(fitted(name, seed=seed) for seed in range(3))
    assert can_keep(models)
    agree(models, np.array([0.5, 0.2, 0.3]))


@pytest.mark.parametrize("kind", STACKS)
def test_every_stack_comes_back(kind: str) -> None:
    models = tuple(fitted("stack", kind, seed=seed) for seed in range(2))
    agree(models, np.array([0.75, 0.25]))


def test_ridge_amounts_come_back() -> None:
    agree((fitted("hurdle-ridge"),), np.ones(1))


def test_a_model_alone_comes_back_to_the_bit() -> None:
    new = data(seed=9)[0]
    for name in NAMES:
        if name != "forest":
            model = fitted(name)
            kept = through_files((model,), np.ones(1))
            assert kept.predict(new).tolist() == model.predict(new).tolist()


def test_every_kind_that_a_record_may_name_is_written_by_some_model() -> None:
    seen: set[str] = set()

    def kinds(record: Any) -> None:
        if isinstance(record, dict):
            seen.update([record["kind"]] if "kind" in record else [])
            record = list(record.values())
        if isinstance(record, list):
            for part in record:
                kinds(part)

    for name in NAMES:
        kinds(keep_models((fitted(name),), np.ones(1))[0])
    kinds(keep_models((fitted("stack"),), np.ones(1))[0])
    assert seen == set(KINDS)


def test_what_labels_it_saw_is_not_kept() -> None:
    _, arrays = keep_models((fitted("ridge"), fitted("ordinal")), np.full(2, 0.5))
    held_out = fitted("ridge").held_out_
    assert not any(a.shape == held_out.shape and np.allclose(a, held_out) for a in arrays.values())


# --- What is no model.


@dataclass(frozen=True)
class RidgeFit:
    """A stranger with a known name."""

    coef_: Array

    def predict(self, x: Array) -> Array:
        """Return the features' sum."""
        return x @ self.coef_


def test_users_models_cannot_be_kept() -> None:
    user = fitted(LinearRegression())
    assert not can_keep((fitted("ridge"), user))
    assert not can_keep((RidgeFit(np.ones(P)),))
    for stranger in (user, RidgeFit(np.ones(P)), LinearRegression()):
        with pytest.raises(TypeError, match="cannot be kept"):
            keep_models((stranger,), np.ones(1))


def stored() -> tuple[dict[str, Any], dict[str, Any]]:
    x, y = data()
    ridge = fit_ridge(x, y, np.zeros(P, dtype=np.int64))
    return keep_models((ridge, fitted("forest")), np.full(2, 0.5))


def nested(depth: int) -> dict[str, Any]:
    """Return a view of a view of a view ... of nothing."""
    record: Any = None
    for _ in range(depth):
        record = {"kind": "View", "model": record, "columns": {"array": "a0"}}
    return {"kind": "StackFit", "names": [], "members": [record], "weights_": {"array": "one"}}


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(kind="os.system"),
        lambda r: r.update(kind="Calibration"),
        lambda r: r.update(kind="ForestFit"),
        lambda r: r.update(kind=["StackFit"]),
        lambda r: r.update(kind=None),
        lambda r: r.pop("kind"),
        lambda r: r.update(more=1),
        lambda r: r.pop("weights_"),
        lambda r: r.update(weights_=None),
        lambda r: r.update(weights_={"array": "none"}),
        lambda r: r.update(weights_={"array": ["a0"]}),
        lambda r: r.update(weights_={"number": "nan"}),
        lambda r: r.update(weights_={"number": "one"}),
        lambda r: r.update(weights_={"number": None}),
        lambda r: r.update(weights_=[0.5, "0.5"]),
        lambda r: r.update(members=[]),
        lambda r: r.update(members=3),
        lambda r: r.update(members=["RidgeFit", "KeptForest"]),
        lambda r: r["members"].pop(),
        lambda r: r["members"].reverse() or r["members"].pop(),
        lambda r: r["members"][0].update(held_out_={"array": "a0"}),
        lambda r: r["members"][0].update(coef_=None),
        lambda r: r["members"][0].update(coef_={"array": "text"}),
        lambda r: r["members"][0].update(coef_={"array": "wide"}),
        lambda r: r["members"][0].update(coef_={"array": "infinite"}),
        lambda r: r["members"][0].update(intercept_="1"),
        lambda r: r["members"][0].update(intercept_={"number": "inf"}),
        lambda r: r["members"][1].update(n_features=99),
        lambda r: r["members"][1].update(n_features="5"),
        lambda r: r["members"][1].update(left={"array": "a0"}),
        lambda r: r["members"][1].update(root=[0, 1]),
        lambda r: r["members"][1].update(feature={"array": "wide"}),
        lambda r: r.update(nested(3)),
        lambda r: r.update(nested(400)),
        lambda r: r.update(kind="RidgeFit"),
    ],
)
def test_records_that_were_changed_are_refused(change: Any) -> None:
    record, arrays = stored()
    arrays |= {
        "one": np.ones(1),
        "text": np.array(["import os"]),
        "wide": np.ones((P, 3)),
        "infinite": np.full(P, np.inf),
    }
    change(record)
    with pytest.raises(ValueError, match="the record"):
        restore_model(record, arrays, P)


@pytest.mark.parametrize("record", [None, 3, "StackFit", [], {}, [{"kind": "StackFit"}], True])
def test_what_is_no_record_is_refused(record: Any) -> None:
    with pytest.raises(ValueError, match="the record"):
        restore_model(record, {}, P)


def test_a_member_alone_is_no_calibration() -> None:
    record, arrays = stored()
    with pytest.raises(ValueError, match="a part of one"):
        restore_model(record["members"][0], arrays, P)


def test_another_number_of_features_is_refused() -> None:
    record, arrays = stored()
    assert restore_model(record, arrays, P).predict(np.zeros((1, P))).shape == (1,)
    with pytest.raises(ValueError, match=r"matmul|forest"):
        restore_model(record, arrays, P + 1)
