"""The calibration object: every estimate of one outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bacon.calibration.diagnostics import diagnostics_frame, weighted_r2
from bacon.calibration.estimand import Estimand, parse_estimand
from bacon.calibration.raw_judges import RawJudges, raw_judges
from bacon.checks import is_number
from bacon.errors import InputError
from bacon.estimation.distributions import ResidualDistribution
from bacon.estimation.estimands import (
    Setting,
    mean_estimate,
    moment_estimate,
    proportion_estimate,
    sd_estimate,
    variance_estimate,
)
from bacon.estimation.events import check_cut, cut_name, event_of
from bacon.estimation.quantiles import quantile_estimate
from bacon.outcome.distribution import PredictiveDistribution, label_support

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.calibration.alignment import Aligned
    from bacon.calibration.fitting import Fitter
    from bacon.calibration.outcomes import OutcomeKind
    from bacon.data.notice import Notice
    from bacon.data.pool import Pool
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate
    from bacon.features.feature_map import FeatureMap
    from bacon.outcome.crossfit import CrossFit

__all__ = ["Calibration"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """Judges calibrated on the human labels of one outcome; made by :func:`bacon.calibrate`.

    Parameters
    ----------
    pool : Pool
        Every item.
    outcome : str
        Name of the outcome.
    kind : OutcomeKind
        Kind of outcome and why.
    levels : tuple of str or None
        Classes of labels in words.
    aligned : Aligned
        Labels used and their design.
    model : str
        Name of the outcome model.
    better : str or None
        Whether higher or lower is better, if stated.
    scale : (float, float) or None
        Lowest and highest possible label, if stated.
    seed : int
        Seed of the folds.
    notices : tuple of Notice
        Everything a reader must know.
    """

    pool: Pool
    outcome: str
    kind: OutcomeKind
    levels: tuple[str, ...] | None
    aligned: Aligned = field(repr=False)
    model: str
    fitter: Fitter = field(repr=False)
    fitted: CrossFit = field(repr=False)
    feature_map: FeatureMap = field(repr=False)
    better: str | None
    scale: tuple[float, float] | None
    seed: int
    notices: tuple[Notice, ...] = ()

    @property
    def n_labels(self) -> int:
        """Number of labels used."""
        return self.aligned.design.n_labels

    @property
    def f(self) -> FloatArray:
        """Cross-fitted prediction (N,) of every item, out of fold at labelled ones."""
        return self.fitted.predictions.mean

    @property
    def setting(self) -> Setting:
        """What every estimate of this calibration shares."""
        cluster = self.aligned.psu if self.pool.cluster is None else self.pool.cluster.codes
        return Setting(
            self.aligned.design, cluster, self.scale, self.pool.fingerprint, self.pool.ids
        )

    @property
    def distribution(self) -> PredictiveDistribution:
        """Predictive distribution of every item."""
        rows = self.aligned.design.rows
        support = label_support(self.aligned.y)
        return PredictiveDistribution(self.fitted.predictions, rows, support)

    @cached_property
    def raw(self) -> RawJudges:
        """What the judges alone would have said."""
        if self.levels is not None:
            return RawJudges(None, (), "the labels are words, which scores have no average on")
        return raw_judges(self.pool, self.aligned.design.rows, self.aligned.y, self.scale)

    def mean(self) -> Estimate:
        """Estimate the mean outcome of the pool.

        Raises
        ------
        InputError
            The labels are words; ask for ``proportion(eq=...)``.
        """
        return self.estimate("mean")

    def sd(self) -> Estimate:
        """Estimate the standard deviation of the outcome over the pool."""
        return self.estimate("sd")

    def variance(self) -> Estimate:
        """Estimate the variance of the outcome over the pool (divisor N - 1)."""
        return self.estimate("variance")

    def quantile(self, tau: float) -> Estimate:
        """Estimate the `tau`-th quantile of the outcome; 0.5 is the median."""
        return self.estimate(f"quantile:{tau}")

    def proportion(
        self,
        *,
        ge: float | None = None,
        le: float | None = None,
        between: tuple[float, float] | None = None,
        eq: float | str | None = None,
    ) -> Estimate:
        """Estimate the share of items at least, at most, between or equal to a value.

        Parameters
        ----------
        ge, le : float, optional
            At least, at most.
        between : (float, float), optional
            Both ends included.
        eq : float or str, optional
            Equal to a number, or of a class where labels are words.
        """
        given = {"ge": ge, "le": le, "between": between, "eq": eq}
        asked = [(kind, value) for kind, value in given.items() if value is not None]
        if len(asked) != 1:
            raise InputError(
                f"proportion takes exactly one of ge, le, between and eq; got {len(asked)}."
            )
        kind, value = asked[0]
        if isinstance(value, str) or self.levels is not None:
            return self.estimate(f"proportion:{kind}:{value}")
        numbers = value if isinstance(value, tuple | list) else (value,)
        cut = check_cut((kind, *numbers))
        # Not through the name, which has the numbers in few digits.
        return self._proportion(Estimand("proportion", cut_name(cut), cut=cut), labels_alone=False)

    def moment(self, function: Callable[[FloatArray, float], FloatArray], start: float) -> Estimate:
        """Solve mean E[function(Y, theta)] = 0 for theta.

        Parameters
        ----------
        function : callable
            ``function(y, theta)`` gives one value for each y (k,); it must be smooth in theta.
        start : float
            Where the root search starts.

        Examples
        --------
        The mean, as the root of y - theta: ``cal.moment(lambda y, theta: y - theta, 3.0)``.
        """
        self._need_numbers("moment")
        if not callable(function) or not is_number(start):
            raise InputError(
                f"a moment is a function(y, theta) and a number to start from; got "
                f"{function!r} and {start!r}."
            )
        distribution = self.distribution
        ends = float(self.aligned.y.min()), float(self.aligned.y.max())
        return moment_estimate(
            function,
            lambda theta: distribution.expectation(lambda y: function(y, theta), *ends),
            self.aligned.y,
            start,
            self.setting,
        )

    def estimate(self, name: str = "mean", *, labels_alone: bool = False) -> Estimate:
        """Estimate by name: mean, sd, variance, quantile:0.5, proportion:ge:4.

        Parameters
        ----------
        name : str
            The estimand.
        labels_alone : bool
            Ignore the judges: the same estimator with a constant prediction.
        """
        if not isinstance(name, str):
            raise InputError(f'an estimand is named in words, such as "mean"; got {name!r}.')
        asked = parse_estimand(name, self.levels)
        if asked.kind == "proportion":
            return self._proportion(asked, labels_alone)
        self._need_numbers(name)
        y, setting = self.aligned.y, self.setting
        f = np.zeros(self.pool.n_items) if labels_alone else self.f
        if asked.kind == "mean":
            return mean_estimate(y, f, setting)
        if asked.tau is not None:
            rows = self.aligned.design.rows
            if labels_alone:
                return quantile_estimate(
                    asked.tau, y, ResidualDistribution.of(y, f, f[rows]), setting
                )
            return quantile_estimate(asked.tau, y, self.distribution, setting)
        build = variance_estimate if asked.kind == "variance" else sd_estimate
        spread = np.zeros(1) if labels_alone else self.distribution.variance()
        return build(y, f, spread, setting)

    def _proportion(self, asked: Estimand, labels_alone: bool) -> Estimate:
        """Estimate the share of an event, with a model fitted to the event itself."""
        y = self.aligned.y
        if asked.label is not None and self.levels is not None:
            event = (y == self.levels.index(asked.label)).astype(np.float64)
        elif asked.cut is not None:
            event = event_of(y, asked.cut)[1]
        else:
            raise InputError(f"estimand {asked.name!r} names no event.")
        if labels_alone:
            phi = np.zeros(self.pool.n_items)
        else:
            phi = np.clip(self.fitter.fit(event).predictions.mean, 0.0, 1.0)
        return proportion_estimate(asked.name, event, phi, self.setting)

    def _need_numbers(self, name: str) -> None:
        """Refuse estimands of numbers for labels in words."""
        if self.levels is not None:
            raise InputError(
                f"the labels of {self.outcome} are words, which have no {name}; ask for the "
                f"share of a class, such as proportion:eq:{self.levels[0]}."
            )

    @property
    def r2(self) -> float:
        """Out-of-fold R2: 1 - sum w (y - f)^2 / sum w (y - mean)^2; NaN if labels are alike."""
        if self.levels is not None:
            return float("nan")
        design = self.aligned.design
        return weighted_r2(self.aligned.y, self.f[design.rows], 1.0 / design.pi)

    def diagnostics(self) -> Any:
        """Return how well predictions and judges follow the labels, on labelled items.

        Returns
        -------
        frame
            One row for the model (out of fold), the raw judge average and each numeric judge:
            name, n, r2, rmse and spearman. r2 and rmse of raw judges are in raw values, NaN
            for a judge that is not on the labels' scale. In the library the pool came from.
        """
        self._need_numbers("diagnostics")
        return diagnostics_frame(self.pool, self.aligned, self.f, self.raw, self.model)

    def summary(self, *estimands: str, level: float = 0.95, target: Target = "pool") -> str:
        """Return the result in a table and plain sentences, as the command prints it.

        Parameters
        ----------
        *estimands : str
            Names of estimands; by default the mean, or the share of the first class.
        level : float
            Confidence level.
        target : {"pool", "population"}
            Target of the table.
        """
        from bacon.calibration.text import summary_text

        return summary_text(self, estimands, level=level, target=target)

    def to_dict(
        self, *estimands: str, level: float = 0.95, target: Target = "pool"
    ) -> dict[str, Any]:
        """Return the result as the JSON object of ``bacon estimate --json``."""
        from bacon.calibration.record import result_record

        return result_record(self, estimands, level=level, target=target)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save models, features and results as ``<path>.json`` and ``<path>.npz``.

        Raises
        ------
        OutputError
            A file exists (unless `overwrite`) or cannot be written.
        """
        from bacon.calibration.saved import save_calibration

        save_calibration(self, Path(path), overwrite=overwrite)

    def default_estimands(self) -> tuple[str, ...]:
        """Return the estimand reported when none is asked for."""
        return ("mean",) if self.levels is None else (f"proportion:eq:{self.levels[0]}",)

    def _repr_html_(self) -> str:
        """Return the summary for a notebook."""
        import html

        return f"<pre>{html.escape(self.summary())}</pre>"
