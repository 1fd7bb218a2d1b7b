"""What a configuration says of a draw, in one form whatever it is made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from bacon.calibration.calibration import Calibration
from bacon.calibration.estimand import parse_estimand
from bacon.errors import InputError
from bacon.estimation.ranking import rank_estimates
from bacon.estimation.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.groups import Pooling
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample
    from bacon.estimation.vector import Estimates

__all__ = [
    "NO_INTERVAL",
    "Answer",
    "Configuration",
    "FoldModels",
    "Prediction",
    "Said",
    "as_said",
    "predictions_of",
]

NO_INTERVAL = (math.nan, math.nan)


@dataclass(frozen=True)
class Answer:
    """An estimate of one estimand with its intervals.

    Parameters
    ----------
    value : float
        The estimate; NaN where there is none.
    se_pool, se_population : float
        Standard errors; NaN where there is none.
    pool, population : (float, float)
        Ends of the intervals; NaN where there is none.
    joint : (float, float)
        Ends of the pool interval that holds for all groups at once; NaN without groups.
    ranks : (int, int) or None
        Of a group: least and greatest rank it could hold, 1 for the largest value.
    """

    value: float
    se_pool: float = math.nan
    se_population: float = math.nan
    pool: tuple[float, float] = NO_INTERVAL
    population: tuple[float, float] = NO_INTERVAL
    joint: tuple[float, float] = NO_INTERVAL
    ranks: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class FoldModels:
    """The models behind cross-fitted predictions.

    Parameters
    ----------
    fold : (N,) int64
        The one model an item takes, -1 where it takes a mixture.
    n_models : int
        Number of models, a refit among them.
    predict : callable
        ``predict(k, items)`` gives what model k says of `items` (m,).
    """

    fold: IntArray
    n_models: int
    predict: Callable[[int, IntArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Prediction:
    """What an estimate predicts of every item.

    Parameters
    ----------
    f : (N,) float64
        Prediction of the outcome, or of the event that a share counts; out of fold at labelled
        items, NaN where there is none.
    models : FoldModels or None
        The fold models behind `f`, where it was cross-fitted.
    is_augmented : bool
        Whether the estimate is the mean of `f` with the labelled residuals' mean added, so that
        its variance over draws follows from `f`.
    """

    f: FloatArray
    models: FoldModels | None = None
    is_augmented: bool = True


@dataclass(frozen=True, eq=False)
class Said:
    """All that a configuration says of one draw.

    Parameters
    ----------
    answers : mapping of (str, str or None) to Answer
        By estimand and group; the group is None for the whole pool.
    predictions : mapping of str to Prediction
        By estimand, where they are known: the mean's, and those of classes in words.
    """

    answers: Mapping[tuple[str, str | None], Answer]
    predictions: Mapping[str, Prediction] = field(default_factory=dict)


class Configuration(Protocol):
    """A way from a pool and the labels of a draw to estimates.

    It may return a `Calibration`, a mapping from names of estimands (or pairs of estimand and
    group) to `Estimate` or `Answer`, or a `Said`.
    """

    def __call__(
        self, pool: Pool, labels: Labels, sample: Sample, seed: int, /
    ) -> Calibration | Mapping[str, Estimate | Answer] | Said:
        """Return what is to be measured."""
        ...


def as_said(
    returned: object,
    estimands: Sequence[str],
    *,
    level: float,
    joint_level: float | None = None,
    interval: str = "auto",
    by: str | None = None,
    pooling: Pooling = "pooled",
) -> Said:
    """Bring what a configuration returned into one form.

    Parameters
    ----------
    returned : Calibration, mapping or Said
        What it returned.
    estimands : sequence of str
        Estimands that were asked for.
    level : float
        Confidence level.
    joint_level : float, optional
        Level of each interval so that those of all groups hold at once.
    interval : str
        Method of the intervals, as :meth:`bacon.Estimate.interval` takes it.
    by, pooling
        Column of the groups that a calibration is asked about as well, and how it pools them.
    """
    if isinstance(returned, Said):
        return returned
    if isinstance(returned, Calibration):
        estimates: Mapping[object, object] = {name: returned.estimate(name) for name in estimands}
    elif isinstance(returned, Mapping):
        estimates = returned
    else:
        raise InputError(
            "a configuration returns a Calibration, or a mapping from estimands to estimates; got "
            f"a {type(returned).__name__}."
        )
    answers = {}
    for key, value in estimates.items():
        estimand, group = key if isinstance(key, tuple) else (key, None)
        answers[str(estimand), group] = _answer(value, level, joint_level, interval)
    missing = [name for name in estimands if (name, None) not in answers]
    if missing and not any(group is not None for _, group in answers):
        raise InputError(f"a configuration gave no estimate of {', '.join(missing)}.")
    if not isinstance(returned, Calibration):
        return Said(answers)
    if by is not None:
        for name in estimands:
            groups = returned.groups(name, by=by, pooling=pooling)
            answers.update(_of_groups(name, groups, level, interval))
    return Said(answers, predictions_of(returned, estimands))


def _of_groups(
    name: str, estimates: Estimates, level: float, interval: str
) -> dict[tuple[str, str | None], Answer]:
    """Return the answers about all groups: those left out have none."""
    joint = estimates.simultaneous(level)
    ranks: dict[str, tuple[int, int]] = {}
    if len(estimates) > 1:
        ranks = rank_estimates(estimates, better="higher", level=level).rank_set
    found: dict[tuple[str, str | None], Answer] = {
        (name, group): Answer(math.nan) for group in estimates.left_out
    }
    for group, estimate in estimates.items():
        own = _answer(estimate, level, None, interval)
        low, high = joint[group]
        found[name, group] = replace(own, joint=(low, high), ranks=ranks.get(group))
    return found


def predictions_of(cal: Calibration, estimands: Sequence[str]) -> dict[str, Prediction]:
    """Return a calibration's predictions of the outcome, or of each class among `estimands`."""
    if cal.levels is None:
        return {"mean": _prediction(cal, ...)}
    labels = {name: parse_estimand(name, cal.levels).label for name in estimands}
    return {
        name: _prediction(cal, (..., cal.levels.index(label)))
        for name, label in labels.items()
        if label is not None
    }


def _prediction(cal: Calibration, column: Any) -> Prediction:
    """Return predictions with the models behind them, of one class where there are classes."""
    predictions = cal.fitted.predictions

    def predict(k: int, items: IntArray) -> FloatArray:
        said: FloatArray = cal.fitted.models[k].predict(cal.fitter.x[items])[column]
        return said

    return Prediction(cal.f[column], FoldModels(predictions.fold, predictions.n_models, predict))


def _answer(value: object, level: float, joint_level: float | None, interval: str) -> Answer:
    """Return an estimate as an answer."""
    if isinstance(value, Answer):
        return value
    if not isinstance(value, Estimate):
        raise InputError(
            f"a configuration's estimates are Estimate or Answer; got a {type(value).__name__}."
        )
    low, high = value.interval(level, "pool", interval)
    low_population, high_population = value.interval(level, "population", interval)
    joint = NO_INTERVAL
    if joint_level is not None:
        joint_low, joint_high = value.interval(joint_level, "pool", interval)
        joint = joint_low, joint_high
    return Answer(
        value=value.value,
        se_pool=value.se("pool"),
        se_population=value.se("population"),
        pool=(low, high),
        population=(low_population, high_population),
        joint=joint,
    )
