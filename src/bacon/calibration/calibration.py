"""The calibration object: every estimate of one outcome."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from bacon.calibration.claims import Claims
from bacon.calibration.class_shares import class_shares
from bacon.calibration.diagnostics.measures import weighted_r2
from bacon.calibration.estimand import event_asked, parse_estimand
from bacon.calibration.estimating import estimate_for_these, moment_for_these
from bacon.calibration.fitting import Fitter, model_weights
from bacon.calibration.practice import Unanswered, claimed, not_counted, unanswered
from bacon.calibration.raw_judges import RawJudges, raw_judges, raw_shares
from bacon.checks import check_level, check_target
from bacon.estimation.estimands import Setting
from bacon.outcome.distribution import PredictiveDistribution

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import FloatArray
    from bacon.calibration.alignment import Aligned
    from bacon.calibration.diagnostics.report import Diagnostics
    from bacon.calibration.groups import Pooling
    from bacon.calibration.nonresponse import Response
    from bacon.calibration.outcomes import OutcomeKind
    from bacon.calibration.raters import Claim, RowRatings
    from bacon.data.notice import Notice
    from bacon.data.pool import Pool
    from bacon.estimation.intervals import Target
    from bacon.estimation.results import Estimate
    from bacon.estimation.vector import Estimates
    from bacon.features.feature_map import FeatureMap
    from bacon.outcome.crossfit import CrossFit

__all__ = ["Calibration"]


@dataclass(frozen=True, eq=False)
class Calibration(Claims):
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
    response : Response or None
        How drawn items without a label are dealt with, where there are any.
    ratings : RowRatings or None
        Single ratings behind the labels, where the file says who gave them.
    raters : {"these", "like-them"}
        What estimates claim: what these raters would say, or others like them.
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
    response: Response | None = None
    ratings: RowRatings | None = field(default=None, repr=False)
    raters: Claim = "these"

    @property
    def n_labels(self) -> int:
        """Number of labels used."""
        return self.aligned.design.n_labels

    @property
    def f(self) -> FloatArray:
        """Cross-fitted prediction (N,) of every item, out of fold at labelled ones.

        For labels in words the probabilities (N, C) of the classes.
        """
        return self.fitted.predictions.mean

    @property
    def setting(self) -> Setting:
        """What every estimate of this calibration shares."""
        cluster = self.aligned.psu if self.pool.cluster is None else self.pool.cluster.codes
        return Setting(
            self.aligned.design, cluster, self.scale, self.pool.fingerprint, self.pool.ids
        )

    @cached_property
    def distribution(self) -> PredictiveDistribution:
        """Predictive distribution of every item."""
        return PredictiveDistribution(
            self.fitted, self.fitter.x, self.aligned.design.rows, self.aligned.y
        )

    @property
    def model_weights(self) -> dict[str, float]:
        """Weight of each outcome model in the predictions; they sum to one."""
        return model_weights(self.fitted, self.model)

    @cached_property
    def raw(self) -> RawJudges:
        """What the judges alone would have said."""
        if self.levels is not None:
            return raw_shares(self.pool, self.levels)
        return raw_judges(self.pool, self.aligned.design.rows, self.aligned.y, self.scale)

    @overload
    def mean(self, *, by: None = None, pooling: Pooling = ...) -> Estimate: ...

    @overload
    def mean(self, *, by: str, pooling: Pooling = ...) -> Estimates: ...

    def mean(self, *, by: str | None = None, pooling: Pooling = "pooled") -> Estimate | Estimates:
        """Estimate the mean outcome of the pool, or of each group of the column `by`.

        Raises
        ------
        InputError
            The labels are words; ask for ``proportion(eq=...)``.
        """
        return self.estimate("mean") if by is None else self.groups("mean", by=by, pooling=pooling)

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
        asked = event_asked({"ge": ge, "le": le, "between": between, "eq": eq}, self.levels)
        found = estimate_for_these(self, asked)
        return claimed(self, asked, found, None, lambda: found)

    def shares(self, *, labels_alone: bool = False) -> Estimates:
        """Estimate the share of every class; the shares sum to 1.

        Parameters
        ----------
        labels_alone : bool
            Ignore the judges: the same estimator with a constant prediction.

        Returns
        -------
        Estimates
            By class: the words, or numbers with at most 20 different values as text.

        Raises
        ------
        InputError
            The labels are numbers with more different values.
        """
        found = class_shares(self, labels_alone=labels_alone)
        return replace(found, notices=(*found.notices, *not_counted(self, "shares")))

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
        return moment_for_these(self, function, start).with_notices(not_counted(self, "moment"))

    def estimate(
        self, name: str = "mean", *, labels_alone: bool = False, raters: Claim | None = None
    ) -> Estimate:
        """Estimate one number by name: mean, sd, variance, quantile:0.5, proportion:ge:4.

        Parameters
        ----------
        name : str
            The estimand.
        labels_alone : bool
            Ignore the judges: the same estimator with a constant prediction.
        raters : {"these", "like-them"}, optional
            What these raters would say, or what others like them would (means and shares); by
            default what the calibration was made for.
        """
        asked = parse_estimand(name, self.levels)
        found = estimate_for_these(self, asked, labels_alone=labels_alone)
        with_judges = partial(estimate_for_these, self, asked) if labels_alone else lambda: found
        return claimed(self, asked, found, raters, with_judges)

    def unanswered(
        self, name: str = "mean", *, level: float = 0.95, target: Target = "pool"
    ) -> Unanswered | None:
        """Return what drawn items without a label could do to a mean or a share.

        Parameters
        ----------
        name : str
            The estimand.
        level, target
            Of the interval that the estimate would leave, and of the bounds.

        Returns
        -------
        Unanswered or None
            The tipping point and, where the outcome is bounded, the worst cases. None where
            no drawn item lacks a label, and for other estimands.
        """
        check_level(level)
        check_target(target)
        return unanswered(self, parse_estimand(name, self.levels), level=level, target=target)

    @property
    def r2(self) -> float:
        """Out-of-fold R2: 1 - sum w (y - f)^2 / sum w (y - mean)^2; NaN if labels are alike."""
        if self.levels is not None:
            return float("nan")
        design = self.aligned.design
        return weighted_r2(self.aligned.y, self.f[design.rows], 1.0 / design.pi)

    def diagnostics(
        self, estimand: str | None = None, *, level: float = 0.95, target: Target = "pool"
    ) -> Diagnostics:
        """Return how far the model and the judges can be trusted, before anyone does.

        Parameters
        ----------
        estimand : str, optional
            Whose gain over the labels alone is told; by default the one reported first.
        level, target
            Of the intervals, and of the gain.

        Returns
        -------
        Diagnostics
            How well each follows the labels, where predictions are off, what errors go with.
        """
        from bacon.calibration.diagnostics.diagnose import diagnose, gain_of

        check_level(level)
        check_target(target)
        name = self.default_estimands()[0] if estimand is None else estimand
        return diagnose(self, gain_of(self, name, level=level, target=target), level=level)

    def summary(self, *estimands: str, level: float = 0.95, target: Target = "pool") -> str:
        """Return the result in a table and plain sentences, as the command prints it.

        Parameters
        ----------
        *estimands : str
            Names of estimands; by default the mean, or the shares of all classes.
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
        return ("mean",) if self.levels is None else ("shares",)

    def _repr_html_(self) -> str:
        """Return the summary for a notebook."""
        import html

        return f"<pre>{html.escape(self.summary())}</pre>"
