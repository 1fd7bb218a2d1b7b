"""Which outcome model is fitted: what the user asked for, checked against the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.data.notice import Notice
from bacon.errors import InputError
from bacon.outcome.models import MODELS, Layout, Task
from bacon.outcome.user_fit import check_user_model
from bacon.random import stream

if TYPE_CHECKING:
    from bacon.arrays import FloatArray
    from bacon.calibration.outcomes import OutcomeKind
    from bacon.features.feature_map import FeatureMap
    from bacon.outcome.crossfit import CrossFit

__all__ = [
    "MOST_FOREST_ITEMS",
    "check_model",
    "check_model_fits",
    "class_votes",
    "constant_notice",
    "layout_of",
    "model_name",
    "no_forest_notice",
    "task_of",
]

MOST_FOREST_ITEMS = 1_000_000
"""Pools larger than this get no forest in the stack: it would take minutes."""

MOST_LEVELS = 100
"""Labels with more different values than this have no order that a model of levels can use."""


def check_model(model: Any) -> None:
    """Refuse a model that is neither a known name nor a scikit-learn regressor."""
    if not isinstance(model, str):
        check_user_model(model)
    elif model not in MODELS:
        raise InputError(
            f"model must be one of {', '.join(MODELS)}, or a scikit-learn regressor; got {model!r}."
        )


def model_name(model: Any) -> str:
    """Return the name a model is reported by."""
    return model if isinstance(model, str) else type(model).__name__


def check_model_fits(
    model: Any,
    y: FloatArray,
    levels: tuple[str, ...] | None,
    scale: tuple[float, float] | None,
) -> None:
    """Refuse a model that cannot describe the labels (m,).

    Raises
    ------
    InputError
        Labels in words for a model of numbers, or numbers that a model's shape excludes.
    """
    if levels is not None:
        if model not in ("stack", "multinomial", "human-only"):
            raise InputError(
                f"the labels are words, which model {model_name(model)} cannot predict; use "
                "stack, multinomial or human-only."
            )
        return
    n_values = len(np.unique(y))
    refusal = {
        "multinomial": "needs labels in words" if model == "multinomial" else "",
        "logistic": f"needs labels with two values; these have {n_values}" if n_values > 2 else "",
        "ordinal": (
            f"needs labels with few ordered values; these have {n_values}"
            if n_values > MOST_LEVELS
            else ""
        ),
        "bounded": "needs the scale: --scale LO:HI (scale=(lo, hi))" if scale is None else "",
        "hurdle": _below_zero(y),
        "hurdle-ridge": _below_zero(y),
        "log-link": _below_zero(y),
    }
    why = refusal.get(model, "") if isinstance(model, str) else ""
    if why:
        raise InputError(f"model {model} {why}; the stack suits any labels.")


def _below_zero(y: FloatArray) -> str:
    """Say why labels have no logarithm of a mean, if so."""
    if y.min() < 0.0:
        return f"needs labels from 0 up; the smallest is {y.min():g}"
    return "needs labels above 0; all are 0" if y.max() == 0.0 else ""


def layout_of(feature_map: FeatureMap, levels: tuple[str, ...] | None = None) -> Layout:
    """Return what the columns of the features are to the outcome models.

    `levels` are the classes of labels in words.
    """
    judges = np.array([column.kind == "judge" for column in feature_map.columns], dtype=np.float64)
    average = judges / judges.sum() if judges.any() else None
    return Layout(feature_map.blocks, average, class_votes(feature_map, levels or ()))


def class_votes(feature_map: FeatureMap, levels: tuple[str, ...]) -> FloatArray | None:
    """Return weights (p, C) that give the judges' average share of runs for each class.

    The average is less its pool mean, as the features are; None where no judge answers with
    the classes.
    """
    answers = [column for column in feature_map.columns if column.kind == "class"]
    n_judges = len({column.source for column in answers if column.level in levels})
    if n_judges == 0:
        return None
    votes = np.zeros((len(feature_map.columns), len(levels)))
    for k, column in enumerate(feature_map.columns):
        if column.kind == "class" and column.level in levels:
            votes[k, levels.index(column.level)] = column.scale / n_judges
    return votes


def task_of(
    feature_map: FeatureMap,
    kind: OutcomeKind,
    scale: tuple[float, float] | None,
    *,
    levels: tuple[str, ...] | None,
    n_items: int,
    seed: int,
) -> Task:
    """Return the task of fitting an outcome on the columns of a feature map."""
    return Task(
        layout_of(feature_map, levels),
        kind.kind,
        scale,
        seed=int(stream(seed, "forest").integers(2**31)),
        forest=n_items <= MOST_FOREST_ITEMS,
        n_classes=len(levels or ()),
    )


def no_forest_notice(n_items: int) -> tuple[Notice, ...]:
    """Tell that the stack has no forest because the pool is large."""
    if n_items <= MOST_FOREST_ITEMS:
        return ()
    return (
        Notice(
            "no_forest",
            f"The stack has no forest: over {n_items:,} items it would take minutes. With "
            '--model forest (model="forest" in Python) it is fitted all the same.',
        ),
    )


def constant_notice(fitted: CrossFit, x: FloatArray, model: str) -> tuple[Notice, ...]:
    """Tell how many fold models came out as a constant, and so ignore the judges there.

    `x` are features of the labelled rows.
    """
    if model == "human-only":
        return ()
    spread = [float(np.ptp(one.predict(x), axis=0).max()) for one in fitted.models]
    count = sum(size == 0.0 for size in spread)
    if count == 0:
        return ()
    where = "all" if count == len(spread) else f"{count} of {len(spread)}"
    return (
        Notice(
            "constant_prediction",
            f"In {where} folds the model found nothing in the judges that predicts the labels, and "
            "says their mean for every item.",
        ),
    )
