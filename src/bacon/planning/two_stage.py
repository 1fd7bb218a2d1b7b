"""The best share of the labels for the pilot of a two-stage draw.

With n of N labels in all and p of them (as a share of N) in the pilot, items are labelled with
chances e_i(p), as near in proportion to their hardness as the pilot allows. From a pilot at
hand the variance is

    V(p) = 1/N mean_j r_j^2 (1 / e_j(p) - 1) exp(t^2 n_0 (1 / (p N) - 1/n_0)),

r_j residuals of the pilot, e_j by hardness that was fitted without j's fold, so that a hardness
which predicts nothing gains nothing. The last factor is what a smaller or larger pilot than
the one at hand does to the hardness: if log hardness is off by a normal error of variance t^2,
chances in proportion to it cost exp(t^2) (E[h^2/h'] E[h'] over E[h]^2), and t^2 falls as
1/pilot; it is read off how the hardnesses without each fold differ (the jackknife).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bacon.errors import InputError
from bacon.planning.widths import check_labels
from bacon.sampling.budget import joint_probabilities

if TYPE_CHECKING:
    from bacon.arrays import FloatArray, IntArray
    from bacon.calibration.hardness import HardnessKind
    from bacon.data.hardness import Hardness
    from bacon.data.notice import Notice
    from bacon.planning.plan import Plan

__all__ = ["TwoStagePlan", "plan_two_stage", "predicted_variances"]

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Shares of all labels tried for the pilot."""

WORTH_IT = 0.98
"""Predicted variance, over that of one draw, below which people are asked twice."""

LEAST = 30
"""Labels below which no pilot is suggested."""


@dataclass(frozen=True, eq=False)
class TwoStagePlan:
    """The best pilot; made by :meth:`Plan.two_stage`.

    Parameters
    ----------
    n_labels : int
        Labels in all.
    shares : (k,) float64
        Shares of them in the pilot.
    ratio : (k,) float64
        Predicted variance over the one of drawing all labels at once, at random.
    best : int
        Position of the least.
    model, uniform_share
        Of the hardness: its model, and the share of equal chances in it.
    notices : tuple of Notice
        What fitting the hardness had to tell.
    """

    plan: Plan = field(repr=False)
    n_labels: int
    shares: FloatArray
    ratio: FloatArray
    best: int
    model: str
    uniform_share: float
    notices: tuple[Notice, ...] = ()

    @property
    def pilot(self) -> int:
        """Labels of the best pilot."""
        return max(round(self.n_labels * float(self.shares[self.best])), 2)

    @property
    def worth_it(self) -> bool:
        """Whether two stages are predicted to gain enough for asking people twice."""
        return bool(self.ratio[self.best] < WORTH_IT)

    def draw_options(self) -> list[str]:
        """Return the options of ``bacon sample`` that draw what is planned."""
        if not self.worth_it:
            return ["-n", str(self.n_labels)]
        rate, pilot = (n / self.plan.n_items for n in (self.n_labels, self.pilot))
        return ["--design", "two-stage", "--rate", f"{rate:.4g}", "--pilot-rate", f"{pilot:.4g}"]

    def summary(self) -> str:
        """Return the plan as the command prints it."""
        from bacon.planning.text import two_stage_lines

        return "\n".join(two_stage_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as the JSON of ``bacon plan --json`` has it under ``two_stage``."""
        from bacon.planning.record import two_stage_record

        return two_stage_record(self)

    __str__ = summary
    __repr__ = summary


def plan_two_stage(plan: Plan, n: int, kind: str) -> TwoStagePlan:
    """Return the best pilot; see :meth:`Plan.two_stage`."""
    cal = plan.pilot
    if cal is None:
        raise InputError("a two-stage plan needs a pilot, which shows which items are hard.")
    check_labels(n, plan.n_items)
    if n >= plan.n_items:
        raise InputError("with every item labelled there is nothing to draw; ask for fewer labels.")
    if n < LEAST:
        raise InputError(
            f"{n} labels are too few for two stages: the pilot alone needs {LEAST}; draw them at "
            "once."
        )
    labelled = cal.aligned.design.n_labels
    if n <= labelled:
        raise InputError(
            f"{n:,} labels in two stages are no more than the {labelled:,} of the pilot at hand, "
            "so nothing is left to draw by what it shows; ask for more (--two-stage, "
            "plan.two_stage)."
        )
    rate = n / plan.n_items
    shares = np.array([share for share in SHARES if share * n >= LEAST] or [SHARES[-1]])
    hardness = cal.hardness(cast("HardnessKind", kind), rate=rate)
    estimate = cal.estimate(plan.estimand, raters="these")
    design = estimate.design
    ratio = predicted_variances(
        hardness,
        estimate.influence_values.residual**2,
        1.0 / design.pi,
        design.rows,
        (rate, shares),
    )
    return TwoStagePlan(
        plan,
        n,
        shares,
        ratio,
        int(np.argmin(ratio)),
        hardness.model,
        hardness.uniform_share,
        hardness.notices,
    )


def predicted_variances(
    hardness: Hardness,
    squares: FloatArray,
    weights: FloatArray,
    rows: IntArray,
    asked: tuple[float, FloatArray],
) -> FloatArray:
    """Return the predicted variance of each pilot share over that of one draw, (k,).

    Parameters
    ----------
    hardness : Hardness
        Of every item, with those held out.
    squares, weights, rows : (m,)
        Squared residuals of the pilot, its weights, and its rows.
    asked : (float, (k,) float64)
        All labels as a share of the pool, and the shares of them in the pilot.
    """
    rate, shares = asked
    n_items, m = len(hardness.drawing), len(rows)
    weights = weights / weights.sum()
    one_stage = float(weights @ squares) * (1.0 / rate - 1.0)
    noise = log_error(hardness)
    found = []
    for share in shares.tolist():
        pilot = share * rate
        unseen = _chances_held_out(hardness, rows, rate, pilot)
        variance = float(weights @ (squares * (1.0 / unseen - 1.0)))
        extra = noise * (m / (pilot * n_items) - 1.0)
        found.append(variance / one_stage * math.exp(min(extra, 5.0)))
    return np.array(found)


def log_error(hardness: Hardness) -> float:
    """Return the variance t^2 of log hardness at the pilot at hand, by the jackknife over folds.

    (K - 1)/K sum_k (log h_k - mean log h)^2, averaged over items; 0 where nothing is held out.
    """
    held = hardness.held_out
    if held is None or len(held) < 2:
        return 0.0
    logs = np.log(held)
    logs = logs - logs.mean(axis=1, keepdims=True)
    k = len(held)
    return float((k - 1.0) * np.mean(np.var(logs, axis=0)))


def _chances_held_out(hardness: Hardness, rows: IntArray, rate: float, pilot: float) -> FloatArray:
    """Return the chance (m,) of each pilot item by the hardness without its fold."""
    if hardness.held_out is None or hardness.fold is None:
        return joint_probabilities(hardness.drawing, rate=rate, pilot=pilot)[rows]
    found = np.empty(len(rows))
    for k, values in enumerate(hardness.held_out):
        inside = hardness.fold[rows] == k
        found[inside] = joint_probabilities(values, rate=rate, pilot=pilot)[rows[inside]]
    return found
