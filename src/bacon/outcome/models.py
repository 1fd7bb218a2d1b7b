"""The outcome models by name, and which of them the stack takes for which outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.outcome.class_stack import fit_class_stack, fit_constant_shares
from bacon.outcome.constant_fit import fit_constant
from bacon.outcome.family_fits import fit_bounded, fit_hurdle, fit_log_link, fit_logistic
from bacon.outcome.forest_fit import fit_forest
from bacon.outcome.multinomial_fit import fit_multinomial, one_hot
from bacon.outcome.proportional_odds_fit import fit_proportional_odds
from bacon.outcome.ridge_fit import fit_ridge
from bacon.outcome.stack import StackFit, View, combine, seen
from bacon.outcome.user_fit import fit_user

if TYPE_CHECKING:
    from bacon.arrays import BoolArray, FloatArray, IntArray
    from bacon.outcome.base import FittedModel

__all__ = ["MODELS", "Layout", "Task", "fit_classes", "fit_named", "fit_stack"]

MODELS = (
    "stack",
    "ridge",
    "hurdle",
    "hurdle-ridge",
    "ordinal",
    "multinomial",
    "logistic",
    "bounded",
    "forest",
    "log-link",
    "human-only",
)

FAMILIES = ("ordinal", "logistic", "bounded", "hurdle", "log-link")
"""Models that fit the shape of an outcome."""

HURDLES = {"hurdle": "log", "hurdle-ridge": "ridge"}
"""Amount model of each hurdle."""

LEAST_FOR_FAMILY = 15
"""Labels below which the stack takes linear models alone."""

SKEWED = 1.0
"""Skewness of positive labels from which the stack takes a model with a log link."""

STRENGTH = 100.0
"""Labels' worth of evidence that the prior weights of the stack count for."""

PRIOR = {"ridge": 0.2, "forest": 0.8, "family": 1.2}
"""Prior weights of richer models beside the judge average's 1, at `PRIOR_LABELS` labels; they
grow with the number of labels. Members not named start at 0."""

PRIOR_LABELS = 50.0


@dataclass(frozen=True, eq=False)
class Layout:
    """What the columns of the features are.

    Parameters
    ----------
    blocks : (p,) int64
        Penalty block of each: 0 judges and the like, 1 embedding components, 2 derived.
    average : (p,) float64 or None
        Weights that give the judge average, None where no judge scores in numbers.
    votes : (p, C) float64 or None
        For labels in words, weights that give the average over the judges of the share of runs
        that answered each class; None where no judge answers with the classes.
    """

    blocks: IntArray
    average: FloatArray | None = None
    votes: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """What is fitted, beside the features and labels of a fold.

    Parameters
    ----------
    layout : Layout
        The columns.
    kind : str
        real, bounded, zero-inflated, ordinal, binary or categorical.
    scale : (float, float) or None
        Lowest and highest possible label.
    seed : int
        Seed of the forest.
    forest : bool
        Whether the stack takes a forest.
    n_classes : int
        Number of classes C of a categorical outcome, whose labels are positions 0..C-1.
    """

    layout: Layout
    kind: str
    scale: tuple[float, float] | None = None
    seed: int = 0
    forest: bool = True
    n_classes: int = 0


def fit_classes(model: Any, x: FloatArray, y: FloatArray, task: Task) -> Any:
    """Fit a model of a categorical outcome; its predictions are (N, C) probabilities."""
    codes, blocks = y.astype(np.int64), task.layout.blocks
    if model == "human-only":
        return fit_constant_shares(one_hot(codes, task.n_classes), x.shape[1])
    if model == "multinomial":
        return fit_multinomial(x, codes, task.n_classes, blocks)
    votes, average = task.layout.votes, task.layout.average
    return fit_class_stack(x, codes, task.n_classes, blocks, votes=votes, average=average)


def fit_named(model: Any, x: FloatArray, y: FloatArray, task: Task) -> Any:
    """Fit a model by name, or a user's scikit-learn estimator, to training rows."""
    if task.kind == "categorical":
        return fit_classes(model, x, y, task)
    if not isinstance(model, str):
        return fit_user(model, x, y, task.seed)
    if model == "stack":
        return fit_stack(x, y, task)
    if model == "human-only" or float(np.ptp(y)) == 0.0:
        return fit_constant(y)
    if model == "forest":
        return fit_forest(x, y, task.seed)
    ridge = fit_ridge(x, y, task.layout.blocks)
    return ridge if model == "ridge" else _family(model, x, y, ridge.factors_, task)


def _family(
    model: str, x: FloatArray, y: FloatArray, factors: FloatArray, task: Task
) -> FittedModel:
    """Fit a model that fits the shape of the outcome."""
    if model == "ordinal":
        return fit_proportional_odds(x, y, task.layout.blocks, factors=factors)
    if model == "logistic":
        return fit_logistic(x, y, factors)
    if model == "bounded" and task.scale is not None:
        return fit_bounded(x, y, factors, task.scale)
    if model in HURDLES:
        return fit_hurdle(x, y, factors, task.layout.blocks, amount=HURDLES[model])
    if model == "log-link":
        return fit_log_link(x, y, factors)
    raise ValueError(f"no outcome model is called {model!r}")


def fit_stack(x: FloatArray, y: FloatArray, task: Task) -> StackFit:
    """Fit every member that suits the outcome and weigh them by their held-out predictions.

    Members: the labels' mean, the judge average, the judges, the embeddings, everything (each
    a ridge), the outcome's own model, a log link for skewed labels from 0 up, and a forest.
    """
    members: dict[str, FittedModel] = {"human mean": fit_constant(y)}
    if float(np.ptp(y)) > 0.0:
        members |= _linear(x, y, task.layout)
        ridge = fit_ridge(x, y, task.layout.blocks)
        members["ridge"] = ridge
        if len(y) >= LEAST_FOR_FAMILY:
            for name in _families(y, task):
                members[name] = _family(name, x, y, ridge.factors_, task)
            if task.forest:
                members["forest"] = fit_forest(x, y, task.seed)
    prior = prior_weights(tuple(members), len(y))
    return combine(y, members, prior, STRENGTH)


def _linear(x: FloatArray, y: FloatArray, layout: Layout) -> dict[str, FittedModel]:
    """Return the ridges of the judge average, the judges and the embeddings."""
    found: dict[str, FittedModel] = {}
    one = np.zeros(1, dtype=np.int64)
    if layout.average is not None:
        column = layout.average[:, None]
        found["judge average"] = View(fit_ridge(seen(x, column), y, one), column)
    components: BoolArray = layout.blocks == 1
    if components.any() and not components.all():
        for name, columns in (("judges", ~components), ("embeddings", components)):
            fitted = fit_ridge(x[:, columns], y, layout.blocks[columns])
            found[name] = View(fitted, columns)
    return found


def _families(y: FloatArray, task: Task) -> tuple[str, ...]:
    """Return the outcome's own models for training labels (n,)."""
    if task.kind == "ordinal":
        return ("ordinal",)
    if task.kind == "binary" and len(np.unique(y)) == 2:
        return ("logistic",)
    if task.kind == "bounded":
        return ("bounded",)
    if task.kind == "zero-inflated" and 2 <= int(np.sum(y > 0.0)) < len(y):
        return ("hurdle", "log-link")
    if task.kind in ("real", "zero-inflated") and float(y.min()) >= 0.0 and _skewness(y) > SKEWED:
        return ("log-link",)
    return ()


def _skewness(y: FloatArray) -> float:
    """Return the skewness of labels that are not all alike."""
    z = (y - y.mean()) / y.std()
    return float(np.mean(z**3))


def prior_weights(names: tuple[str, ...], n: int) -> FloatArray:
    """Return the prior weights of the members for n labels, which sum to one."""
    family = [name for name in names if name in FAMILIES]
    richer = {name: PRIOR["family"] / len(family) for name in family}
    richer |= {name: PRIOR[name] for name in names if name in PRIOR}
    weight = {name: w * n / PRIOR_LABELS for name, w in richer.items()} | {"judge average": 1.0}
    found = np.array([weight.get(name, 0.0) for name in names])
    if not found.any():
        found[0] = 1.0
    return np.asarray(found / found.sum())
