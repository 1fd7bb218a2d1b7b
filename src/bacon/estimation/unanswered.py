"""What drawn items without a label could do to an estimate.

An estimate takes the unanswered items to have some mean, by its weights. Were their true mean
`delta` away from it, the estimate would be off by `share * delta`, share the part of all weight
drawn that they hold: so much is exact, whatever the outcome model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bacon.estimation.augmented import weighted_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from bacon.arrays import BoolArray, FloatArray
    from bacon.data.survey_design import SurveyDesign
    from bacon.estimation.intervals import Interval, Target
    from bacon.estimation.results import Estimate

__all__ = ["Bounds", "TippingPoint", "bounds", "shift_to_flip", "tipping_point"]


@dataclass(frozen=True, slots=True)
class TippingPoint:
    """How far unanswered items would have to lie from what is assumed of them.

    Parameters
    ----------
    share : float
        Part of the weight of all drawn items that the unanswered ones hold, in (0, 1).
    assumed : float
        Mean outcome that the estimate takes the unanswered items to have.
    answered : float
        Mean outcome of the answered ones, by the weights of the draw.
    sd : float
        SD of the labels.
    down, up : float
        Shifts of the unanswered items' mean, below and above 0, that would move the estimate
        to the lower and to the upper end of its interval. NaN without an interval, infinite
        where an end is open.
    """

    share: float
    assumed: float
    answered: float
    sd: float
    down: float
    up: float

    def in_sds(self, shift: float) -> float:
        """Return a shift in standard deviations of the labels; NaN where these are alike."""
        return shift / self.sd if self.sd > 0.0 else math.nan


def tipping_point(
    estimate: Estimate, y: FloatArray, drawn: SurveyDesign, answered: BoolArray, interval: Interval
) -> TippingPoint:
    """Return the shift of the unanswered items at which the estimate leaves its interval.

    Parameters
    ----------
    estimate : Estimate
        Of a mean or a share.
    y : (m,) float64
        Outcome (or event) at the labelled rows.
    drawn : SurveyDesign
        Design of all drawn rows, had all been answered.
    answered : (d,) bool
        Which of ``drawn.rows`` are labelled.
    interval : Interval
        The interval to leave.
    """
    f = estimate.influence_values.terms[0][1]
    base = 1.0 / drawn.pi
    residual = y - f[estimate.design.rows]
    share = float(base[~answered].sum() / base.sum())
    of_answered = weighted_mean(residual, base[answered])
    used = weighted_mean(residual, 1.0 / estimate.design.pi)
    of_others = (used - (1.0 - share) * of_answered) / share
    weights = 1.0 / estimate.design.pi
    centred = y - weighted_mean(y, weights)
    return TippingPoint(
        share=share,
        assumed=weighted_mean(f[drawn.rows[~answered]], base[~answered]) + of_others,
        answered=weighted_mean(y, base[answered]),
        sd=math.sqrt(weighted_mean(centred**2, weights)),
        down=(interval.low - estimate.value) / share,
        up=(interval.high - estimate.value) / share,
    )


def shift_to_flip(interval: Interval, relation: str, value: float, share: float) -> float | None:
    """Return the shift of the unanswered items' mean at which a verdict no longer holds.

    Parameters
    ----------
    interval : Interval
        The interval that decided.
    relation : {"ge", "le"}
        At least or at most.
    value : float
        What is required.
    share : float
        Part of the weight that the unanswered items hold.

    Returns
    -------
    float or None
        The interval moved by `share` times the shift touches `value` with the end that was
        clear of it. None where nothing was decided.
    """
    low, high = interval
    if relation == "ge":
        end = low if low >= value else high if high < value else None
    else:
        end = high if high <= value else low if low > value else None
    return None if end is None or not math.isfinite(end) else (value - end) / share


@dataclass(frozen=True, slots=True)
class Bounds:
    """Worst cases for unanswered items.

    Parameters
    ----------
    low, high : float
        The estimate with every unanswered item at the low and at the high end of the scale.
    interval : Interval
        From the lower end of the first one's interval to the upper end of the second's: it
        covers everything that the unanswered items could make of the estimate.
    """

    low: float
    high: float
    interval: Interval


def bounds(
    y: FloatArray,
    answered: BoolArray,
    ends: tuple[float, float],
    build: Callable[[FloatArray], Estimate],
    *,
    level: float,
    target: Target,
) -> Bounds:
    """Return the estimates with all unanswered items at either end of the scale.

    Parameters
    ----------
    y : (m,) float64
        Outcome at the labelled rows.
    answered : (d,) bool
        Which of the drawn rows are labelled.
    ends : (float, float)
        Lowest and highest possible outcome.
    build : callable
        Estimate from outcomes (d,) of all drawn rows, by the design of the draw.
    level, target
        Of the interval.

    Notes
    -----
    The union of the two intervals, each at the full level. Where the bounds lie far apart,
    one-sided ends would do for the mean itself (Imbens and Manski 2004); the union covers the
    whole range between the bounds.
    """
    both = []
    for end in ends:
        filled = np.full(len(answered), end)
        filled[answered] = y
        both.append(build(filled))
    low, high = (one.interval(level, target) for one in both)
    method = f"worst cases, each by {low.method}"
    joined = replace(low, high=high.high, method=method, reason=low.reason or high.reason)
    return Bounds(both[0].value, both[1].value, joined)
