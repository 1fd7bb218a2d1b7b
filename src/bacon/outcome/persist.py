"""Fitted models as a plain record and arrays, to be kept in JSON and npz files."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.outcome.constant_fit import ConstantFit
from bacon.outcome.family_fits import BoundedFit, HurdleFit, LogisticFit, LogLinkFit
from bacon.outcome.forest_fit import ForestFit
from bacon.outcome.glm_fit import GlmFit
from bacon.outcome.kept_forest import KeptForest, keep_forest
from bacon.outcome.proportional_odds_fit import ProportionalOddsFit
from bacon.outcome.ridge_fit import RidgeFit
from bacon.outcome.stack import StackFit, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray
    from bacon.outcome.base import FittedModel

__all__ = ["can_keep", "keep_models", "restore_model"]

KINDS = {
    kind.__name__: kind
    for kind in (
        BoundedFit,
        ConstantFit,
        GlmFit,
        HurdleFit,
        KeptForest,
        LogLinkFit,
        LogisticFit,
        ProportionalOddsFit,
        RidgeFit,
        StackFit,
        View,
    )
}
"""Classes a record may name: nothing else is ever made from a file."""

NOT_KEPT = ("held_out_", "held_out_probability_")
"""What the models say of single training rows is of no use to new items."""


def can_keep(models: tuple[Any, ...]) -> bool:
    """Whether every model is one that a file can hold."""
    return all(type(model) in (ForestFit, *KINDS.values()) for model in models)


def keep_models(
    models: tuple[Any, ...], weights: FloatArray
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record and arrays of fitted models; `weights` (J,) combine them for a new item."""
    names = tuple(f"fold model {k + 1}" for k in range(len(models)))
    arrays: dict[str, Any] = {}
    record = _packed(StackFit(names, models, weights, np.zeros(0)), arrays)
    return record, arrays


def _packed(value: Any, arrays: dict[str, Any]) -> Any:
    """Return a value as JSON; arrays go into `arrays`, named by their number."""
    if isinstance(value, ForestFit):
        value = keep_forest(value)
    if type(value) in KINDS.values():
        kept = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in NOT_KEPT}
        return {
            "kind": type(value).__name__,
            **{name: _packed(part, arrays) for name, part in kept.items()},
        }
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, tuple):
        return [_packed(part, arrays) for part in value]
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return {"number": str(float(value))}
    if isinstance(value, str | int | float | None):
        return float(value) if isinstance(value, float) else value
    raise TypeError(f"a {type(value).__name__} cannot be kept")


def restore_model(record: Any, arrays: Mapping[str, Any], n_features: int) -> FittedModel:
    """Return the model of a record; it predicts new items of `n_features` features.

    Raises
    ------
    ValueError
        The record is not one that `keep_models` wrote.
    """
    try:
        model = _unpacked(record, arrays)
        with np.errstate(all="ignore"):
            probe = model.predict(np.zeros((2, n_features)))
    except (
        AttributeError,
        IndexError,
        KeyError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(f"the record is no model: {error}") from error
    if not isinstance(model, StackFit):
        raise ValueError("the record is no model but a part of one")
    if probe.shape != (2,) or not np.isfinite(probe).all():
        raise ValueError("the record's model gives no finite prediction")
    return model


def _unpacked(value: Any, arrays: Mapping[str, Any]) -> Any:
    """Return the value of a JSON part."""
    if isinstance(value, list):
        return tuple(_unpacked(part, arrays) for part in value)
    if not isinstance(value, dict):
        return value
    if value.keys() == {"array"}:
        return arrays[value["array"]]
    if value.keys() == {"number"}:
        return float(value["number"])
    kind = KINDS.get(value.get("kind", ""))
    if kind is None:
        raise ValueError("the record names an unknown kind of model")
    wanted = {f.name for f in fields(kind)} - set(NOT_KEPT)
    if value.keys() - {"kind"} != wanted:
        raise ValueError(f"the record of a {value['kind']} lacks or adds a part")
    parts = {name: _unpacked(value[name], arrays) for name in wanted}
    for f in fields(kind):
        if f.name in NOT_KEPT:
            parts[f.name] = np.zeros((0, 0) if f.name.endswith("probability_") else 0)
    return kind(**parts)
