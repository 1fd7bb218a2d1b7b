"""What a calibration is measured against: raw judges, PPI++ and the paper's own recipe."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from bacon.calibration.calibrate import calibrate
from bacon.calibration.estimand import parse_estimand
from bacon.calibration.raw_judges import raw_judges, raw_shares
from bacon.errors import InputError
from bacon.estimation.intervals import t_quantile
from bacon.experiments.answers import NO_INTERVAL, Answer, Prediction, Said, predictions_of
from bacon.io.labels import match_labels
from bacon.judge_scores import judge_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bacon.arrays import FloatArray
    from bacon.data.labels import Labels
    from bacon.data.pool import Pool
    from bacon.data.sample import Sample

__all__ = ["InSample", "Paper", "PowerTuned", "RawJudgeAverage"]

_averages: WeakKeyDictionary[Pool, FloatArray] = WeakKeyDictionary()


def _judge_average(pool: Pool) -> FloatArray:
    """Return the standardised, oriented judge average, 0 where every judge is missing."""
    if pool not in _averages:
        _averages[pool] = np.nan_to_num(judge_mean(pool))
    return _averages[pool]


@dataclass(frozen=True)
class RawJudgeAverage:
    """The average of the judges on the labels' scale, as if they were people; no interval."""

    estimands: tuple[str, ...]
    scale: tuple[float, float] | None

    def __call__(self, pool: Pool, labels: Labels, _sample: Sample, _seed: int) -> Said:
        """Return the plug-in estimates, NaN where no judge is on the labels' scale."""
        rows, y, _ = match_labels(pool, labels)
        levels = labels.levels[0]
        if levels is not None:
            raw = raw_shares(pool, levels)
        else:
            raw = raw_judges(pool, rows, y, self.scale)
        values = {name: raw.estimate(parse_estimand(name, levels)) for name in self.estimands}
        return Said(
            {
                (name, None): Answer(math.nan if value is None else value)
                for name, value in values.items()
            },
            {} if raw.score is None else {"mean": Prediction(raw.score, is_augmented=False)},
        )


@dataclass(frozen=True)
class PowerTuned:
    """PPI++ of ppi-python on the standardised, oriented average of the judges.

    The unlabelled items are its unlabelled sample, and its interval, made for a population,
    is taken for both targets. Its weight is never negative, so that an average which falls as
    labels rise has to be turned.

    Parameters
    ----------
    estimands : tuple of str
        The mean alone.
    level : float
        Confidence level.
    is_turned : bool
        Whether the average is taken with the other sign.
    """

    estimands: tuple[str, ...]
    level: float
    is_turned: bool = False

    def __post_init__(self) -> None:
        """Refuse other estimands than the mean, and a missing package."""
        if self.estimands != ("mean",):
            raise InputError(
                "the configuration ppi++ has means only; leave it out, or ask for mean."
            )
        _ppi()

    def __call__(self, pool: Pool, labels: Labels, _sample: Sample, _seed: int) -> Said:
        """Return its estimate of the mean."""
        rows, y, _ = match_labels(pool, labels)
        f = -_judge_average(pool) if self.is_turned else _judge_average(pool)
        unlabelled = np.delete(f, rows)
        ppi = _ppi()
        value = float(np.squeeze(ppi.ppi_mean_pointestimate(y, f[rows], unlabelled)))
        ends = ppi.ppi_mean_ci(y, f[rows], unlabelled, alpha=1.0 - self.level)
        low, high = (float(np.squeeze(end)) for end in ends)
        se = (high - low) / (2.0 * t_quantile(self.level, math.inf))
        return Said({("mean", None): Answer(value, se, se, (low, high), (low, high))})


def _ppi() -> Any:
    """Return the package ppi_py, refusing to go on without it."""
    try:
        # It silences every warning of the process when it is imported.
        with warnings.catch_warnings():
            import ppi_py
    except ImportError:
        raise InputError(
            "the configuration ppi++ needs the package ppi-python; pip install ppi-python, or "
            "leave ppi++ out."
        ) from None
    return ppi_py


@dataclass(frozen=True)
class Paper:
    """The paper's recipe: the family's model, refitted on all labels, with a normal interval.

    Proportional odds for ordinal outcomes, hurdle-ridge for zero-inflated ones, multinomial for
    classes, else ridge (paper, Table 1). The interval is value -/+ z sqrt(s_r^2 / n) with the
    variance of the out-of-fold residuals alone, taken for both targets, as its scripts have it.

    Parameters
    ----------
    estimands : tuple of str
        The mean alone, or shares of classes.
    level : float
        Confidence level.
    arguments : mapping
        Of `calibrate`, the model among them.
    joint_level : float, optional
        Level of each interval so that those of all groups hold at once (Bonferroni).
    """

    estimands: tuple[str, ...]
    level: float
    arguments: Mapping[str, Any]
    joint_level: float | None = None

    def __post_init__(self) -> None:
        """Refuse estimands whose interval the paper does not give in this form."""
        odd = [name for name in self.estimands if not name.startswith(("mean", "proportion"))]
        if odd:
            raise InputError(
                f"the configuration paper has means and shares only; leave it out, or {odd[0]}."
            )

    def __call__(self, pool: Pool, labels: Labels, sample: Sample, seed: int) -> Said:
        """Return the estimates with the paper's intervals."""
        cal = calibrate(pool, labels, sample=sample, seed=seed, **self.arguments)
        answers: dict[tuple[str, str | None], Answer] = {}
        for name in self.estimands:
            estimate = cal.estimate(name)
            residual = estimate.influence_values.residual
            answers[name, None] = self._around(estimate.value, residual)
        return Said(answers, predictions_of(cal, self.estimands))

    def _around(self, value: float, residual: FloatArray) -> Answer:
        """Return an estimate with its normal intervals."""
        return _around(value, residual, math.inf, self.level, self.joint_level)


@dataclass(frozen=True)
class InSample:
    """The family's model fitted and corrected on the same labels: what cross-fitting prevents.

    The mean of one model's predictions plus the mean of its errors on the labels that it was
    fitted to, value -/+ t s / sqrt(n) of those errors.

    Parameters
    ----------
    estimands : tuple of str
        The mean alone.
    level : float
        Confidence level.
    arguments : mapping
        Of `calibrate`, the model among them.
    joint_level : float, optional
        Level of each interval so that those of all groups hold at once (Bonferroni).
    """

    estimands: tuple[str, ...]
    level: float
    arguments: Mapping[str, Any]
    joint_level: float | None = None

    def __post_init__(self) -> None:
        """Refuse other estimands than the mean."""
        if self.estimands != ("mean",):
            raise InputError("the configuration in-sample has means only; leave it out.")

    def __call__(self, pool: Pool, labels: Labels, sample: Sample, seed: int) -> Said:
        """Return the estimate of the mean."""
        arguments = {**self.arguments, "crossfit": "refit"}
        cal = calibrate(pool, labels, sample=sample, seed=seed, **arguments)
        # The refit comes last, after the models of the folds.
        f = cal.fitted.models[-1].predict(cal.fitter.x[...])
        residual = cal.aligned.y - f[cal.aligned.design.rows]
        value = float(f.mean() + residual.mean())
        answer = _around(value, residual, len(residual) - 1.0, self.level, self.joint_level)
        prediction = Prediction(f, is_augmented=False)
        return Said({("mean", None): answer}, {"mean": prediction})


def _around(
    value: float, residual: FloatArray, df: float, level: float, joint_level: float | None
) -> Answer:
    """Return an estimate with the interval of its residuals' variance over n, for both targets."""
    se = math.sqrt(float(residual.var(ddof=1)) / len(residual))

    def ends(one: float) -> tuple[float, float]:
        reach = t_quantile(one, df) * se
        return value - reach, value + reach

    joint = NO_INTERVAL if joint_level is None else ends(joint_level)
    return Answer(value, se, se, ends(level), ends(level), joint)
