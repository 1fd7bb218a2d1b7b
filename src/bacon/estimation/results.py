"""Estimates: immutable values with their intervals and influence values."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, get_args

import numpy as np

from bacon.arrays import FloatArray, IdArray, IntArray, read_only
from bacon.checks import check_level, check_target
from bacon.estimation.intervals import Interval, Target
from bacon.estimation.sandwich import shows_no_spread

if TYPE_CHECKING:
    from bacon.data.notice import Notice
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.domains import Domain
    from bacon.estimation.influence import Influence
    from bacon.estimation.sandwich import Variances

__all__ = ["Estimate", "IntervalRule"]


class IntervalRule(Protocol):
    """How an estimate turns into an interval."""

    def interval(self, level: float, target: Target, method: str) -> Interval:
        """Return the interval at `level` for `target`."""
        ...


@dataclass(frozen=True, eq=False)
class Estimate:
    """One estimate with everything derived from it.

    Made by a calibration or :func:`bacon.aee`; not built by hand.

    Parameters
    ----------
    name : str
        The estimand, such as ``"mean"`` or ``"proportion:ge:4"``.
    value : float
        The estimate, in the units of the estimand.
    n_items, n_labels : int
        Pool size N and number of labels n.
    design : SurveyDesign
        How the labelled rows were drawn.
    notices : tuple of Notice
        What a reader must know.
    raters : {"these", "like-them"}
        Whether the claim is for the raters who labelled, or for others like them as well.
    domain : Domain or None
        The group of the pool that it is of, if of one.
    """

    name: str
    value: float
    n_items: int
    n_labels: int
    design: SurveyDesign = field(repr=False)
    variances: Variances = field(repr=False)
    rule: IntervalRule = field(repr=False)
    influence_values: Influence = field(repr=False)
    pool_key: str | None = field(default=None, repr=False)
    ids: IdArray | None = field(default=None, repr=False)
    cluster: IntArray | None = field(default=None, repr=False)
    notices: tuple[Notice, ...] = ()
    raters: str = "these"
    domain: Domain | None = field(default=None, repr=False)

    def se(self, target: Target = "pool") -> float:
        """Return the standard error for `target`.

        0 for the pool at a census; NaN where the labels show no spread to judge the error by.
        """
        check_target(target)
        if shows_no_spread(self.variances, self.design, target):
            return math.nan
        return math.sqrt(self.variances.of(target))

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard error."""
        return self.variances.df

    def interval(
        self, level: float = 0.95, target: Target = "pool", method: str = "auto"
    ) -> Interval:
        """Return the confidence interval.

        Parameters
        ----------
        level : float
            Confidence level in (0, 1).
        target : {"pool", "population"}
            These N items, or more items like them.
        method : {"auto", "skew", "t", "z"}
            ``"auto"`` follows the rule stated for the estimand: Student's t corrected for skewed
            residuals (``"skew"``) but for proportions and quantiles. ``"t"`` is value -/+ t se,
            ``"z"`` the same with the normal quantile (the paper's).

        Returns
        -------
        Interval
            Unpacks as ``low, high``. NaN with a `reason` where no valid interval exists.
        """
        check_level(level)
        check_target(target)
        return self.rule.interval(level, target, method)

    def influence(self) -> FloatArray:
        """Return the two-part influence values (N, 2).

        Column 0 is the residual part u_i = s_i (N / sum w) (r_i - rbar) / pi_i, 0 where
        not labelled; column 1 the prediction part g_i. The estimate is their mean plus the
        true value to first order.
        """
        values = np.zeros((self.n_items, 2))
        weights = 1.0 / self.design.pi
        values[self.design.rows, 0] = (
            self.n_items / weights.sum() * weights * self.influence_values.residual
        )
        values[:, 1] = self.influence_values.prediction(slice(None))
        return read_only(values)

    def effective_labels(self, target: Target = "pool") -> float:
        """Return how many simply drawn labels alone would have given this standard error.

        1 / (V_pool / S^2 + 1/N) for the pool, S^2 / V_population for the population; NaN at
        a census or where the items, or all labels, do not differ.
        """
        check_target(target)
        unit = self.variances.unit
        if self.variances.pool == 0.0 or unit <= 0.0 or self.variances.alike:
            return math.nan
        if target == "pool":
            return 1.0 / (self.variances.pool / unit + 1.0 / self.n_items)
        return unit / self.variances.population

    def with_notices(self, notices: tuple[Notice, ...]) -> Estimate:
        """Return the estimate with more to tell."""
        return replace(self, notices=self.notices + notices)

    def __str__(self) -> str:
        """Return value, 95 % pool interval and sizes in one line."""
        low, high = self.interval()
        ends = "no valid interval" if math.isnan(low) else f"{low:.4g}, {high:.4g}"
        return f"{self.value:.4g} ({ends})  pool of {self.n_items:,}, {self.n_labels:,} labels"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the two intervals as a small table."""
        rows = []
        for target in get_args(Target):
            interval = self.interval(target=target)
            ends = interval.reason or f"{interval.low:.4g} &ndash; {interval.high:.4g}"
            rows.append(f"<tr><td>{target}</td><td>{self.value:.4g}</td><td>{ends}</td></tr>")
        head = f"<tr><th>{html.escape(self.name)}</th><th>estimate</th><th>95 % interval</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"
